//! Reading an arm's state from any thread. Nothing here reaches the arm: it only copies what the
//! arm's own thread received.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::Pose;

use crate::hand::Fingers;
use crate::link::Link;
use crate::state::ArmState;
use crate::status::ArmStatus;
use crate::watch::ArmSample;

/// Source of the newest state; connecting again replaces it.
pub(crate) struct Source {
    pub(crate) link: Arc<Link>,
    pub(crate) fingers: Arc<Fingers>,
    pub(crate) last: ArmState,
    pub(crate) clock_offset_secs: f64,
    pub(crate) world_from_base: Pose,
}

/// Read-only view of the arm's present state. Clones watch the same arm.
#[derive(Clone)]
pub struct Glance(pub(crate) Arc<Mutex<Source>>);

impl std::fmt::Debug for Glance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Glance")
    }
}

impl Glance {
    /// Returns the arm's last state, of any age ([`ArmStatus::age_secs`]).
    pub fn look(&self) -> (ArmSample, ArmStatus) {
        let mut source = self.0.lock();
        if let Some(state) = source.link.newest_for_show() {
            source.last = state;
        }
        let (state, fingers) = (source.last, &source.fingers);
        let time_secs = source.clock_offset_secs + state.time_ms as f64 * 1e-3;
        let observed = state.observation(time_secs, source.world_from_base, fingers.state());
        let age_secs = source.link.silence().as_secs_f64();
        let status = ArmStatus::new(&state, time_secs, age_secs, fingers);
        (state.sample(observed), status)
    }
}
