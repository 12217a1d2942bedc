//! A simulated clock with scheduled actions.

use std::sync::{Arc, Mutex};

use nalgebra::Vector3;
use regrasp_api::{Observation, Pose};
use regrasp_external_perception::Clock;

type Act = Box<dyn FnMut() + Send>;

struct Staged {
    now_secs: f64,
    acts: Vec<(f64, Act)>,
}

/// Clock whose time advances only while somebody waits.
#[derive(Clone)]
pub(crate) struct Stage(Arc<Mutex<Staged>>);

pub(crate) const BEGIN_SECS: f64 = 1_700_000_000.0;

impl Stage {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Staged {
            now_secs: BEGIN_SECS,
            acts: vec![],
        })))
    }

    /// Schedules an action `secs` after the beginning.
    pub(crate) fn at(&self, secs: f64, act: impl FnMut() + Send + 'static) {
        let mut staged = self.0.lock().unwrap();
        staged.acts.push((BEGIN_SECS + secs, Box::new(act)));
    }
}

impl Clock for Stage {
    fn unix_secs(&self) -> f64 {
        self.0.lock().unwrap().now_secs
    }

    fn pause(&self, secs: f64) {
        let mut staged = self.0.lock().unwrap();
        staged.now_secs += secs;
        let now_secs = staged.now_secs;
        let due = |(at, _): &mut (f64, Act)| *at <= now_secs;
        let acts: Vec<_> = staged.acts.extract_if(.., due).collect();
        drop(staged);
        for (_, mut act) in acts {
            act();
        }
    }
}

/// The arm's own sensors, with a rotated and moved base, so that a wrong product of poses shows.
pub(crate) fn observation() -> Observation {
    Observation {
        time_secs: 12.5,
        world_from_base: Pose::new(Vector3::new(-0.2, 0.1, 0.4), Vector3::z() * 0.3),
        joint_positions: vec![0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8],
        joint_velocities: vec![0.0; 7],
        joint_efforts: vec![0.0; 7],
        ..regrasp_testkit::observation()
    }
}
