//! Calls that wait while their client asks a person and calls again.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use regrasp_session::Pending;
use tokio::sync::oneshot;

use crate::job::{Job, Robot};
use crate::question::no;

/// Channel on which a job is handed over.
type Claim = oneshot::Sender<Box<Job>>;

/// Parked jobs by the state that their clients have to return.
#[derive(Default)]
pub(crate) struct Parked(Mutex<BTreeMap<String, oneshot::Sender<Claim>>>);

impl Parked {
    /// Parks a job with an open question until it is claimed, stopped, or `patience` has passed.
    /// Returns the state with which it can be claimed.
    pub(crate) fn keep(
        self: &Arc<Self>,
        robot: &Arc<Robot>,
        job: Box<Job>,
        pending: Pending,
        patience: Duration,
    ) -> String {
        let state = ids_cannot_be_guessed();
        let (claim, claimed) = oneshot::channel();
        self.0.lock().insert(state.clone(), claim);
        let (parked, robot, key) = (Arc::clone(self), Arc::clone(robot), state.clone());
        tokio::spawn(async move {
            wait(&robot, job, &pending, claimed, patience).await;
            parked.0.lock().remove(&key);
        });
        state
    }

    pub(crate) async fn claim(&self, state: &str) -> Option<Box<Job>> {
        let claim = self.0.lock().remove(state)?;
        let (to, job) = oneshot::channel();
        claim.send(to).ok()?;
        job.await.ok()
    }
}

async fn wait(
    robot: &Robot,
    mut job: Box<Job>,
    pending: &Pending,
    claimed: oneshot::Receiver<Claim>,
    patience: Duration,
) {
    let why = tokio::select! {
        claim = claimed => match claim {
            // If the claimant is gone, the job is dropped, which stops it.
            Ok(claim) => return drop(claim.send(job)),
            Err(_) => "the client disconnected".to_owned(),
        },
        _ = job.end() => return,
        () = tokio::time::sleep(patience) => {
            format!("nobody answered within {:.0} s", patience.as_secs_f64())
        }
    };
    drop(robot.session.command(no(pending, &why)));
    job.end().await;
}

/// Creates an id that cannot be guessed: the keys of a new hasher are random.
fn ids_cannot_be_guessed() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}
