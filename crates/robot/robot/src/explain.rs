//! Explanations of motions that were ended early: cause, time and place.

use nalgebra::Point3;

use regrasp_relations::{InHand, grip_lost_above, grip_lost_below};

use crate::robot::cancelled;
use crate::{Result, Robot};
use regrasp_api::{
    ContactForce, Failure, GripperEnd, GripperReport, Held, Monitor, MonitorStop, MotionEnd,
    MotionReport, ObjectId, PerceivedObject, Phase, Reason,
};

impl Robot {
    /// Returns the report of a completed motion, or a failure that explains its early end.
    pub(crate) fn explain(&mut self, report: MotionReport) -> Result<MotionReport> {
        let failure = match &report.end {
            MotionEnd::Completed => return Ok(report),
            MotionEnd::Cancelled { .. } => cancelled(self.time_secs()),
            MotionEnd::Stopped(stop) => self.explain_stop(stop),
        };
        Err(failure.in_phase(Phase::Execute))
    }

    pub(crate) fn explain_gripper(&mut self, report: &GripperReport) -> Result<()> {
        match &report.end {
            GripperEnd::Cancelled => Err(cancelled(report.after.time_secs)),
            GripperEnd::Stopped(stop) => Err(self.explain_stop(stop).in_phase(Phase::Execute)),
            GripperEnd::Reached | GripperEnd::Stalled | GripperEnd::TimedOut => Ok(()),
        }
    }

    /// Explains why a monitor ended a motion; returns the robot's error if that prevents an
    /// explanation.
    fn explain_stop(&mut self, stop: &MonitorStop) -> Failure {
        let failure = self.explained(stop).unwrap_or_else(|error| error);
        failure.at_moment(&self.phase_name, stop.at_secs)
    }

    fn explained(&mut self, stop: &MonitorStop) -> Result<Failure> {
        let measured = stop.measured;
        let (figures, quantity, limit, unit) = match &stop.monitor {
            Monitor::GripLost {
                min_width_m,
                max_width_m,
            } => {
                let over = max_width_m.filter(|most| measured > *most);
                let limit_m = over.unwrap_or(*min_width_m);
                let figures = format!("finger distance {measured:.4} m, limit {limit_m:.4} m");
                (figures, "finger_width", limit_m, "m")
            }
            Monitor::PadsEmpty { for_secs } => {
                let [felt_ms, limit_ms] = [measured, *for_secs].map(|secs| 1e3 * secs);
                let figures =
                    format!("a finger felt nothing for {felt_ms:.1} ms, limit {limit_ms:.1} ms");
                (figures, "pads_empty", *for_secs, "s")
            }
            Monitor::HeldSlips { max_slip_m, .. } => {
                let (slip_mm, limit_mm) = (1e3 * measured, 1e3 * max_slip_m);
                let figures = format!("slip {slip_mm:.1} mm, limit {limit_mm:.1} mm");
                (figures, "slip", *max_slip_m, "m")
            }
            Monitor::HeldTurns { max_turn_rad } => {
                let figures = format!("turn {measured:.2} rad, limit {max_turn_rad:.2} rad");
                (figures, "turn", *max_turn_rad, "rad")
            }
            Monitor::UnexpectedContact { max_force_n, .. }
            | Monitor::PressesTooHard { max_force_n, .. } => {
                return Ok(self.explain_touch(stop, *max_force_n));
            }
            Monitor::TrackingError { max_error, .. } => {
                let how = [measured, *max_error].map(|rad| format!("{rad:.3} rad"));
                return Ok(self.explain_lag(stop, how, "tracking_error", *max_error, "rad"));
            }
            Monitor::SpeedError {
                max_error_per_s: most,
                ..
            } => {
                let how = [measured, *most].map(|speed| format!("{speed:.2} rad/s"));
                return Ok(self.explain_lag(stop, how, "speed_error", *most, "rad/s"));
            }
            Monitor::ExternalTorque { max_torque_nm, .. } => {
                return Ok(self.explain_push(stop, *max_torque_nm));
            }
            Monitor::FingerBlocked { max_lag_m, .. } => {
                return self.explain_finger(stop, *max_lag_m);
            }
        };
        let failure = self.explain_grip(stop, &figures)?;
        Ok(failure.measured(quantity, measured, Some(limit), unit))
    }

    /// Distinguishes a slip from a drop by the fingers and by sight, after the arm has stopped.
    fn explain_grip(&mut self, stop: &MonitorStop, figures: &str) -> Result<Failure> {
        let felt = self.observe()?.gripper;
        let when = self.when(stop);
        let is_in = |held: &Held| {
            let opened =
                felt.finger_contact.is_none() && felt.width_m > grip_lost_above(held.width_m);
            felt.holds(grip_lost_below(held.width_m)) && !opened
        };
        let is_held = self.held.as_ref().is_some_and(is_in) || self.has_turned_in_hand();
        if is_held {
            self.look_at_held_again();
        }
        let belief = if is_held {
            self.held.clone()
        } else {
            self.held.take()
        };
        let name = belief.map_or_else(|| ObjectId::new("the object"), |held| held.id);
        let failure = if is_held {
            let text = format!("{name} moved in the hand {when} ({figures}); it is still held");
            Failure::new(Reason::GraspSlipped, text)
        } else {
            let width_m = felt.width_m;
            let text = format!(
                "{name} left the hand {when} ({figures}); the fingers are {width_m:.4} m apart"
            );
            Failure::new(Reason::ObjectDropped, text)
        };
        Ok(failure.about([name]))
    }

    /// Returns true if fingers that closed further still hold the object: a wall that was grasped
    /// at a slant may have turned between the pads. Then updates the held width.
    fn has_turned_in_hand(&mut self) -> bool {
        let Some((held, now)) = self.held.clone().zip(self.observe().ok()) else {
            return false;
        };
        if !now.gripper.presses(self.info.gripper.closed_below()) {
            return false;
        }
        let seen = self
            .world_from_tool()
            .and_then(|tool| Ok((tool, self.glance()?)));
        let narrower = Held {
            width_m: now.gripper.width_m,
            ..held
        };
        let is_held = seen.is_ok_and(|(world_from_tool, percept)| {
            let hand = InHand::judge(Some(&narrower), &percept, &now, &world_from_tool);
            matches!(hand, InHand::Holds { .. })
        });
        if is_held {
            self.held = Some(narrower);
        }
        is_held
    }

    fn look_at_held_again(&mut self) {
        let Ok(world_from_tool) = self.world_from_tool() else {
            return;
        };
        let Ok(percept) = self.glance() else { return };
        let Some(held) = &mut self.held else { return };
        if let Some(seen) = percept.object(&held.id) {
            held.tool_from_object = world_from_tool.inverse() * seen.world_from_object;
        }
    }

    fn explain_touch(&mut self, stop: &MonitorStop, limit_n: f64) -> Failure {
        let (touch, near) = self.touch(stop.contact.as_ref(), "touched");
        let text = format!(
            "{touch} with about {:.0} N {} (limit {limit_n:.0} N)",
            stop.measured,
            self.when(stop)
        );
        Failure::new(Reason::PathBlocked, text)
            .about(near)
            .measured("contact_force", stop.measured, Some(limit_n), "N")
    }

    /// Explains an external torque at a joint; the place of contact is unknown.
    fn explain_push(&mut self, stop: &MonitorStop, limit_nm: f64) -> Failure {
        let joint = stop.joint.as_deref().unwrap_or("a joint");
        let text = format!(
            "something pressed on the arm: {joint} felt an external torque of about {:.1} N m {} \
             (limit {limit_nm:.1} N m)",
            stop.measured,
            self.when(stop)
        );
        Failure::new(Reason::PathBlocked, text).measured(
            "external_torque",
            stop.measured,
            Some(limit_nm),
            "N m",
        )
    }

    /// Explains a tracking error, with the arm's contact as a possible cause.
    fn explain_lag(
        &mut self,
        stop: &MonitorStop,
        [error, most]: [String; 2],
        quantity: &str,
        limit: f64,
        unit: &str,
    ) -> Failure {
        let joint = stop.joint.as_deref().unwrap_or("a joint");
        let when = self.when(stop);
        let mut text = format!("{joint} was {error} off its command (limit {most}) {when}");
        if let Some(pressing) = &stop.contact {
            let (touch, _) = self.touch(Some(pressing), "presses on");
            text += &format!("; {touch} with about {:.0} N", pressing.force_n);
        } else {
            text += "; if its motor is too weak, lower its `max_acceleration_rad_per_s2`";
        }
        let failure = Failure::new(Reason::TrackingError, text);
        let failure = failure.measured(quantity, stop.measured, Some(limit), unit);
        match &stop.contact {
            Some(pressing) => failure.measured("contact_force", pressing.force_n, None, "N"),
            None => failure,
        }
    }

    fn explain_finger(&mut self, stop: &MonitorStop, limit_m: f64) -> Result<Failure> {
        let joint = stop.joint.as_deref().unwrap_or("a finger").to_owned();
        let width_m = self.observe()?.gripper.width_m;
        let (reason, near, cause) = match &stop.contact {
            Some(contact) => {
                let (cause, near) = self.touch(Some(contact), "touches");
                (Reason::PathBlocked, near, cause)
            }
            None => (Reason::TrackingError, None, "nothing touches it".to_owned()),
        };
        let text = format!(
            "{joint} stopped {:.1} mm behind its command with the fingers {width_m:.4} m apart, \
             {}: {cause}",
            1e3 * stop.measured,
            self.when(stop)
        );
        Ok(Failure::new(reason, text)
            .about(near)
            .measured("finger_lag", stop.measured, Some(limit_m), "m")
            .measured("finger_width", width_m, None, "m"))
    }

    /// Describes a contact: the touching part of the robot, the perceived object, and the position.
    /// Also returns the object.
    fn touch(&mut self, contact: Option<&ContactForce>, verb: &str) -> (String, Option<ObjectId>) {
        let Some(contact) = contact else {
            return (format!("the arm {verb} something unseen"), None);
        };
        let held = self.held.as_ref().map(|held| held.id.clone());
        let toucher = match (&held, contact.through_held) {
            (Some(id), true) => format!("{id} in the hand"),
            (None, true) => format!("the object held by {}", contact.link),
            (_, false) => contact.link.clone(),
        };
        let [x, y, z] = contact.point_in_world;
        let near = self.nearest_object(&contact.point_in_world.into(), held.as_ref());
        let what = near.as_ref().map_or("something unseen", ObjectId::as_str);
        let text = format!("{toucher} {verb} {what} at x={x:.3} y={y:.3} z={z:.3}");
        (text, near)
    }

    fn when(&self, stop: &MonitorStop) -> String {
        match self.phase_name.as_str() {
            "" => format!("{:.2} s into the motion", stop.at_secs),
            name => format!("{:.2} s into the motion ({name})", stop.at_secs),
        }
    }

    /// Perceived object, except the held one, whose bounding box is closest to a point in World, if
    /// it is close enough.
    fn nearest_object(&mut self, point: &Point3<f64>, held: Option<&ObjectId>) -> Option<ObjectId> {
        /// Largest distance of the box from the point, m: allows for errors of perception.
        const NEAR_M: f64 = 0.03;
        let percept = self.glance().ok()?;
        let distance = |o: &PerceivedObject| o.aabb_in_world().outside(point).norm();
        let others = percept.objects.iter().filter(|o| Some(&o.id) != held);
        let nearest = others.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        (distance(nearest) < NEAR_M).then(|| nearest.id.clone())
    }
}
