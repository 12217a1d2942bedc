//! Interface of a session to a real arm: stop, consent and state.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_franka::{FrankaArm, Glance, Stop};

use crate::{Consent, Hardware, RobotState};

/// Consent to the first motion, once a session has set it.
pub(super) type FirstConsent = Arc<Mutex<Option<Consent>>>;

/// Age of the last state after which the arm counts as not connected, s. It only affects what is
/// shown, so it may be longer than the age at which a motion stops.
const UNHEARD_SECS: f64 = 0.5;

pub(super) struct RealArm {
    name: String,
    stop: Stop,
    glance: Glance,
    consent: FirstConsent,
}

impl RealArm {
    pub(super) fn new(arm: &FrankaArm, host: &str, consent: FirstConsent) -> Self {
        Self {
            name: format!("{} at {host}", arm.report().kind),
            stop: arm.stop_handle(),
            glance: arm.glance(),
            consent,
        }
    }
}

impl Hardware for RealArm {
    fn state(&self) -> RobotState {
        let (_, status) = self.glance.look();
        RobotState {
            name: self.name.clone(),
            mode: status.mode.to_string(),
            errors: status.errors,
            heard: status.age_secs <= UNHEARD_SECS,
            stopped: self.stop.is_stopped(),
        }
    }

    fn stop(&self) {
        self.stop.stop();
    }

    fn release(&self) {
        self.stop.release();
    }

    fn ask(&self, consent: Consent) {
        *self.consent.lock() = Some(consent);
    }
}
