//! Monitors that end a motion early.

use regrasp_api::{ContactForce, Monitor, MonitorStop};

use crate::contacts::FELT_N;
use crate::reading::Reading;
use crate::tactile::Shear;

/// Share of its commanded speed below which a finger counts as blocked.
const FOLLOWS: f64 = 0.5;
/// Time within which an arm that touches something at the start of a motion must leave the contact,
/// s: a retry after a collision has to be possible.
const RELIEF_SECS: f64 = 0.25;
/// Increase of the contact force since the start of the motion allowed within `RELIEF_SECS`, N.
const RELIEF_N: f64 = 10.0;

pub(crate) struct Monitors<'a> {
    monitors: &'a [Monitor],
    /// Number of consecutive steps in which the limit of each monitor was exceeded.
    exceeded: Vec<u64>,
    /// Object that both fingers pressed on as the motion began. Its contacts with the hand are not
    /// reported.
    held: Option<usize>,
    /// Largest contact force of the held object as the motion began, N: its weight, not a bump.
    resting_n: f64,
    /// Contact force of each monitor at the start of the motion, N; zero once the contact ended
    /// or `RELIEF_SECS` have passed.
    pressed_n: Vec<f64>,
    /// Reference reading of the pads for each monitor.
    shear: Vec<Shear>,
}

struct Finding {
    measured: f64,
    contact: Option<ContactForce>,
    joint: Option<String>,
}

impl Finding {
    fn of(measured: f64) -> Self {
        Self {
            measured,
            contact: None,
            joint: None,
        }
    }
}

impl<'a> Monitors<'a> {
    pub(crate) fn new(monitors: &'a [Monitor], now: &Reading<'_>) -> Self {
        let contacts = now.contacts();
        let held = contacts.in_hand();
        let resting_n = contacts.load_on(held);
        let pressed_n = |monitor: &Monitor| match monitor {
            Monitor::UnexpectedContact {
                max_force_n,
                allowed_links,
            } => {
                let contact = contacts.bump(*max_force_n, allowed_links, held, resting_n);
                contact.map_or(0.0, |contact| contact.force_n)
            }
            _ => 0.0,
        };
        Self {
            monitors,
            exceeded: vec![0; monitors.len()],
            held,
            resting_n,
            pressed_n: monitors.iter().map(pressed_n).collect(),
            shear: vec![now.state.grip.shear; monitors.len()],
        }
    }

    pub(crate) fn check(&mut self, now: &Reading<'_>, at_secs: f64) -> Option<MonitorStop> {
        for (idx, monitor) in self.monitors.iter().enumerate() {
            if at_secs > RELIEF_SECS {
                self.pressed_n[idx] = 0.0;
            }
            if let Some(found) = self.check_one(idx, monitor, now) {
                return Some(MonitorStop {
                    monitor: monitor.clone(),
                    at_secs,
                    measured: found.measured,
                    contact: found.contact,
                    joint: found.joint,
                });
            }
        }
        None
    }

    fn check_one(&mut self, idx: usize, monitor: &Monitor, now: &Reading<'_>) -> Option<Finding> {
        let contacts = now.contacts();
        let over = |value: f64, limit: f64| (value > limit).then(|| Finding::of(value));
        match monitor {
            Monitor::GripLost {
                min_width_m,
                max_width_m,
            } => {
                let width = now.layout.robot.width(&now.joints.finger_q);
                let is_lost = width < *min_width_m || max_width_m.is_some_and(|most| width > most);
                is_lost.then(|| Finding::of(width))
            }
            Monitor::PadsEmpty { for_secs } => {
                let is_empty = contacts.of_fingers().contains(&false);
                let empty_secs = self.lasting(idx, is_empty, *for_secs, now)?;
                Some(Finding::of(empty_secs))
            }
            Monitor::HeldSlips {
                max_slip_m,
                within_secs,
            } => {
                let shear = &now.state.grip.shear;
                let slip = shear.slip_since(&self.shear[idx]);
                if let Some(secs) = within_secs {
                    let part = (now.options.dt_secs / secs).min(1.0);
                    self.shear[idx].follow(shear, part);
                }
                over(slip, *max_slip_m)
            }
            Monitor::HeldTurns { max_turn_rad } => {
                let turn = now.state.grip.shear.turn_since(&self.shear[idx]);
                over(turn, *max_turn_rad)
            }
            Monitor::UnexpectedContact {
                max_force_n,
                allowed_links,
            } => {
                let contact = contacts.bump(*max_force_n, allowed_links, self.held, self.resting_n);
                self.unless_pressed_before(idx, contact)
            }
            Monitor::PressesTooHard {
                max_force_n,
                for_secs,
            } => {
                let contact = contacts.pressed_too_hard(*max_force_n, self.held, self.resting_n);
                self.lasting(idx, contact.is_some(), *for_secs, now)?;
                let contact = contact?;
                Some(Finding {
                    contact: Some(contact.clone()),
                    ..Finding::of(contact.force_n)
                })
            }
            // The simulator knows forces by link and point, and does not estimate them from
            // torques.
            Monitor::ExternalTorque { .. } => None,
            Monitor::TrackingError {
                max_error,
                for_secs,
            } => {
                let worst = now.worst_position();
                self.joint_lag(idx, worst, *max_error, *for_secs, now)
            }
            Monitor::SpeedError {
                max_error_per_s,
                for_secs,
            } => {
                let worst = now.worst_speed();
                self.joint_lag(idx, worst, *max_error_per_s, *for_secs, now)
            }
            Monitor::FingerBlocked {
                max_lag_m,
                for_secs,
            } => self.finger_lag(idx, *max_lag_m, *for_secs, now),
        }
    }

    /// Finding for a contact, unless one existed at the start of the motion and the force has grown
    /// by at most `RELIEF_N`.
    fn unless_pressed_before(
        &mut self,
        idx: usize,
        contact: Option<ContactForce>,
    ) -> Option<Finding> {
        let Some(contact) = contact else {
            self.pressed_n[idx] = 0.0;
            return None;
        };
        let pressed_n = self.pressed_n[idx];
        let is_new = pressed_n == 0.0 || contact.force_n > pressed_n + RELIEF_N;
        is_new.then(|| Finding {
            contact: Some(contact.clone()),
            ..Finding::of(contact.force_n)
        })
    }

    fn joint_lag(
        &mut self,
        idx: usize,
        (joint_idx, error): (usize, f64),
        limit: f64,
        for_secs: f64,
        now: &Reading<'_>,
    ) -> Option<Finding> {
        self.lasting(idx, error > limit, for_secs, now)?;
        let joint = &now.layout.robot.arm[joint_idx];
        Some(Finding {
            // The contact may be the cause of the lag.
            contact: now
                .contacts()
                .pressed_too_hard(FELT_N, self.held, self.resting_n),
            joint: Some(joint.name.clone()),
            ..Finding::of(error)
        })
    }

    fn finger_lag(
        &mut self,
        idx: usize,
        max_lag_m: f64,
        for_secs: f64,
        now: &Reading<'_>,
    ) -> Option<Finding> {
        let laggard = now.laggard(FOLLOWS).filter(|(_, lag)| *lag > max_lag_m);
        self.lasting(idx, laggard.is_some(), for_secs, now)?;
        let (finger, lag) = laggard?;
        Some(Finding {
            measured: lag,
            contact: now.contacts().of_finger(finger, self.held),
            joint: Some(now.layout.robot.fingers[finger].name.clone()),
        })
    }

    /// Time for which a condition has held, s, once it is at least `for_secs`.
    fn lasting(
        &mut self,
        idx: usize,
        is_so: bool,
        for_secs: f64,
        now: &Reading<'_>,
    ) -> Option<f64> {
        let exceeded = &mut self.exceeded[idx];
        *exceeded = if is_so { *exceeded + 1 } else { 0 };
        let long_enough = *exceeded > 0 && *exceeded >= now.options.steps(for_secs);
        long_enough.then_some(*exceeded as f64 * now.options.dt_secs)
    }
}
