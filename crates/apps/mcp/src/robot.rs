//! The robot that all clients share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use regrasp_session::Session;
use tokio::sync::Mutex;

pub(crate) struct Robot {
    pub(crate) session: Session,
    /// Held by the call that uses the robot; fair, so calls keep their order.
    pub(crate) turn: Arc<Mutex<()>>,
    pub(crate) n_waiting: AtomicUsize,
}
