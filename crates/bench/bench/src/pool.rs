//! Runs jobs on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use regrasp_api::CancelToken;

/// Runs jobs on `n_threads` new threads. Jobs begin in the order of the list; each result is handed
/// to `each` on the calling thread as soon as its job ends.
///
/// No job begins after `stop` is cancelled or `each` has failed; running jobs finish. Jobs without
/// a result (`None`) are left out.
///
/// Uses scoped threads rather than `rayon`: results must arrive one by one while other jobs still
/// run, and after a stop the jobs that ran must be a prefix of the list.
///
/// # Errors
///
/// The first error of `each`.
pub fn run_pool<J: Sync, R: Send, E>(
    jobs: &[J],
    n_threads: usize,
    stop: &CancelToken,
    work: &(dyn Fn(&J) -> Option<R> + Sync),
    each: &mut dyn FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let enough = CancelToken::new();
    let n_threads = n_threads.clamp(1, jobs.len().max(1));
    // Room for one result per thread: workers rarely wait, and results do not pile up.
    let (send, results) = mpsc::sync_channel(n_threads);
    thread::scope(|scope| {
        for _ in 0..n_threads {
            let send = send.clone();
            let (next, enough) = (&next, &enough);
            scope.spawn(move || {
                while !stop.is_cancelled() && !enough.is_cancelled() {
                    let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        return;
                    };
                    if let Some(result) = work(job)
                        && send.send(result).is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut outcome = Ok(());
        for result in results {
            if outcome.is_ok() {
                outcome = each(result);
                if outcome.is_err() {
                    enough.cancel();
                }
            }
        }
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_on_any_number_of_threads() {
        let jobs: Vec<u32> = (0..100).collect();
        for n_threads in [0, 1, 3, 200] {
            let mut seen = vec![];
            let work = |job: &u32| (!job.is_multiple_of(10)).then_some(*job);
            let mut each = |result| {
                seen.push(result);
                Ok::<(), ()>(())
            };
            let outcome = run_pool(&jobs, n_threads, &CancelToken::new(), &work, &mut each);
            assert_eq!(outcome, Ok(()));
            seen.sort_unstable();
            let expected: Vec<_> = (0..100).filter(|job| job % 10 != 0).collect();
            assert_eq!(seen, expected, "on {n_threads} threads");
        }
    }

    #[test]
    fn a_stop_and_an_error_let_no_job_begin_any_more() {
        let jobs: Vec<u32> = (0..100).collect();
        let stop = CancelToken::new();
        let work = |job: &u32| {
            if *job == 4 {
                stop.cancel();
            }
            Some(*job)
        };
        let mut n_seen = 0;
        let mut each = |_| {
            n_seen += 1;
            Ok::<(), ()>(())
        };
        assert_eq!(run_pool(&jobs, 1, &stop, &work, &mut each), Ok(()));
        assert_eq!(n_seen, 5, "the job that stops the run returns its result");

        let mut n_seen = 0;
        let mut each = |job| {
            n_seen += 1;
            if job == 2 { Err("full") } else { Ok(()) }
        };
        let outcome = run_pool(&jobs, 1, &CancelToken::new(), &|job| Some(*job), &mut each);
        assert_eq!((outcome, n_seen), (Err("full"), 3));
    }
}
