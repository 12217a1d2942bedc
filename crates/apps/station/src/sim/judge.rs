//! The judge of a task, for sessions.

use regrasp_bench::{EpisodeOutcome, judge};
use regrasp_scene::TaskInstance;
use regrasp_session::{FinishedRun, Judge, Verdict};

/// Adapter for the benchmark's judge.
pub(super) struct TaskJudge {
    pub(super) task: TaskInstance,
    /// True if the scene had come to rest before the first order.
    pub(super) was_at_rest: bool,
}

impl Judge for TaskJudge {
    fn watch_secs(&self) -> f64 {
        self.task.success.watch_secs()
    }

    fn verdict(&self, seen: FinishedRun<'_>) -> Verdict {
        if !self.was_at_rest {
            return Verdict::NotJudged;
        }
        let outcome = EpisodeOutcome {
            result: seen.result.clone(),
            last_failure: seen.last_failure,
            first: seen.first,
            last: seen.last,
            after: seen.after,
            first_met: None,
        };
        match judge(&self.task, &outcome) {
            regrasp_bench::Verdict::Success => Verdict::Success,
            regrasp_bench::Verdict::Infrastructure => Verdict::NotJudged,
            regrasp_bench::Verdict::Failure {
                unmet,
                false_success,
            } => Verdict::Failure {
                unmet,
                false_success,
            },
        }
    }
}
