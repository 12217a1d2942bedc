//! What ends a motion early.

use regrasp_api::{ContactForce, Monitor, MotionEnd};

use crate::inner::Inner;

/// The monitors of one motion.
pub(crate) struct Monitors<'a> {
    monitors: &'a [Monitor],
    /// By monitor: how many steps in a row its limit has been exceeded.
    exceeded: Vec<u64>,
}

impl<'a> Monitors<'a> {
    pub(crate) fn new(monitors: &'a [Monitor]) -> Self {
        Self {
            monitors,
            exceeded: vec![0; monitors.len()],
        }
    }

    /// The end of the motion, if one of them wants it.
    pub(crate) fn check(&mut self, world: &Inner, at_secs: f64) -> Option<MotionEnd> {
        let monitors = self.monitors.iter().zip(&mut self.exceeded);
        for (monitor, exceeded) in monitors {
            if let Some((measured, contact)) = check_one(monitor, exceeded, world) {
                return Some(MotionEnd::Stopped {
                    monitor: monitor.clone(),
                    at_secs,
                    measured,
                    contact,
                });
            }
        }
        None
    }
}

fn check_one(
    monitor: &Monitor,
    exceeded: &mut u64,
    world: &Inner,
) -> Option<(f64, Option<ContactForce>)> {
    match monitor {
        Monitor::GripLost { min_width_m } => {
            let width = world.layout.robot.width(&world.joints.finger_q);
            (width < *min_width_m).then_some((width, None))
        }
        Monitor::UnexpectedContact {
            max_force_n,
            allowed_links,
        } => {
            let contact = world.bump(*max_force_n, allowed_links)?;
            Some((contact.force_n, Some(contact)))
        }
        Monitor::TrackingError {
            max_error,
            for_secs,
        } => {
            let error = world.tracking_error();
            *exceeded = if error > *max_error { *exceeded + 1 } else { 0 };
            let long_enough = *exceeded > 0 && *exceeded >= world.options.steps(*for_secs);
            long_enough.then_some((error, None))
        }
    }
}
