//! Watching motions, and saying why one was ended early.

use nalgebra::Vector3;

use super::{Robot, cancelled, grip_lost_below};
use crate::{
    ContactForce, Failure, Monitor, MotionEnd, ObjectId, PerceivedObject, Phase, Reason, Watch,
};

impl Robot {
    pub(super) fn usual_watch(&self) -> Watch {
        /// An empty hand that touches something this hard has hit it.
        const BUMP_N: f64 = 25.0;
        /// Far above what feed-forward control leaves, far below what hurts.
        const LAG_RAD: f64 = 0.05;
        const LAG_SECS: f64 = 0.05;
        let mut monitors = vec![
            Monitor::UnexpectedContact {
                max_force_n: BUMP_N,
                allowed_links: self.info.gripper.finger_links.clone(),
            },
            Monitor::TrackingError {
                max_error: LAG_RAD,
                for_secs: LAG_SECS,
            },
        ];
        if let Some(held) = &self.held {
            monitors.insert(
                0,
                Monitor::GripLost {
                    min_width_m: grip_lost_below(held.width_m),
                },
            );
        }
        Watch {
            monitors,
            cancel: self.cancel.clone(),
        }
    }

    pub(super) fn explain(&mut self, end: &MotionEnd) -> Option<Failure> {
        match end {
            MotionEnd::Completed => None,
            MotionEnd::Cancelled { .. } => Some(cancelled(self.world.observe().time_secs)),
            MotionEnd::Diverged(d) => Some(Failure::new(Reason::SimDiverged, d.to_string())),
            MotionEnd::Stopped {
                monitor,
                at_secs,
                measured,
                contact,
            } => Some(self.explain_stop(monitor, *at_secs, *measured, contact.as_ref())),
        }
        .map(|failure| failure.in_phase(Phase::Execute))
    }

    fn explain_stop(
        &mut self,
        monitor: &Monitor,
        at_secs: f64,
        measured: f64,
        contact: Option<&ContactForce>,
    ) -> Failure {
        match monitor {
            Monitor::GripLost { min_width_m } => {
                let lost = self.held.take();
                let name = lost.map_or_else(|| ObjectId::new("the object"), |held| held.id);
                let text = format!(
                    "{name} left the hand {at_secs:.2} s into the motion (fingers closed to \
                     {measured:.4} m, below {min_width_m:.4} m)"
                );
                Failure::new(Reason::ObjectDropped, text)
                    .about([name])
                    .measured("finger_width", measured, Some(*min_width_m), "m")
            }
            Monitor::UnexpectedContact { max_force_n, .. } => {
                let link = contact.map_or("the arm", |c| c.link.as_str()).to_owned();
                let near = contact.and_then(|c| self.nearest_object(&c.point()));
                let what = near
                    .as_ref()
                    .map_or_else(|| "something unseen".into(), |id| id.to_string());
                let text = format!(
                    "{link} touched {what} with {measured:.0} N {at_secs:.2} s into the motion \
                     (limit {max_force_n:.0} N)"
                );
                Failure::new(Reason::PathBlocked, text)
                    .about(near)
                    .measured("contact_force", measured, Some(*max_force_n), "N")
            }
            Monitor::TrackingError {
                max_error,
                for_secs,
            } => {
                let text = format!(
                    "a joint stayed {measured:.3} rad from its command for over {for_secs:.2} s \
                     (limit {max_error:.3} rad), {at_secs:.2} s into the motion"
                );
                Failure::new(Reason::TrackingError, text).measured(
                    "tracking_error",
                    measured,
                    Some(*max_error),
                    "rad",
                )
            }
        }
    }

    /// The perceived object whose bounding box is closest to a point in World.
    fn nearest_object(&mut self, point: &Vector3<f64>) -> Option<ObjectId> {
        let percept = self.perceive().ok()?;
        let distance = |o: &PerceivedObject| {
            let aabb = o.aabb_in_world();
            let outside = |i: usize| {
                (aabb.min[i] - point[i])
                    .max(point[i] - aabb.max[i])
                    .max(0.0)
            };
            Vector3::new(outside(0), outside(1), outside(2)).norm()
        };
        let nearest = percept
            .objects
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(nearest) < 0.03).then(|| nearest.id.clone())
    }
}
