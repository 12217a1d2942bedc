//! Monitors that end a motion early.

use regrasp_api::{ContactForce, Monitor, MonitorStop};

use crate::contacts::FELT_N;
use crate::simulation::Simulation;
use crate::tactile::Shear;

/// Share of its commanded speed below which a finger does not follow.
const FOLLOWS: f64 = 0.5;
/// Time in which an arm that presses against something as a motion begins must get off it, s: a
/// retry after a bump has to be able to leave.
const RELIEF_SECS: f64 = 0.25;
/// Additional contact force allowed in that time, N.
const RELIEF_N: f64 = 10.0;

/// The monitors of one motion.
pub(crate) struct Monitors<'a>(Vec<Watched<'a>>);

/// A monitor with what it remembers.
struct Watched<'a> {
    monitor: &'a Monitor,
    /// Number of consecutive steps in which the limit was exceeded.
    exceeded: u64,
    /// Object that both fingers pressed on as the motion began. Its contacts with the hand are not
    /// reported.
    held: Option<usize>,
    /// Force of the held object on its support as the motion began, N: its weight, not a bump.
    resting_n: f64,
    /// Contact force at the start of the motion, N; zero once the contact ended.
    pressed_n: f64,
    /// Reference reading of the pads.
    shear: Shear,
}

#[derive(Default)]
struct Finding {
    measured: f64,
    contact: Option<ContactForce>,
    joint: Option<String>,
}

impl Finding {
    fn of(measured: f64) -> Self {
        Self {
            measured,
            ..Self::default()
        }
    }

    fn touched(contact: ContactForce) -> Self {
        Self {
            measured: contact.force_n,
            contact: Some(contact),
            joint: None,
        }
    }
}

impl<'a> Monitors<'a> {
    pub(crate) fn new(monitors: &'a [Monitor], now: &Simulation) -> Self {
        let held = now.in_hand();
        let resting_n = now.load_on(held);
        let watched = |monitor| {
            let mut watched = Watched {
                monitor,
                exceeded: 0,
                held,
                resting_n,
                pressed_n: 0.0,
                shear: now.state.grip.shear,
            };
            if let Some(contact) = watched.bump(now) {
                watched.pressed_n = contact.force_n;
            }
            watched
        };
        Self(monitors.iter().map(watched).collect())
    }

    pub(crate) fn check(&mut self, now: &Simulation, at_secs: f64) -> Option<MonitorStop> {
        self.0.iter_mut().find_map(|watched| {
            if at_secs > RELIEF_SECS {
                watched.pressed_n = 0.0;
            }
            let found = watched.check(now)?;
            Some(MonitorStop {
                monitor: watched.monitor.clone(),
                at_secs,
                measured: found.measured,
                contact: found.contact,
                joint: found.joint,
            })
        })
    }
}

impl Watched<'_> {
    /// The unexpected contact, if this monitor reports such.
    fn bump(&self, now: &Simulation) -> Option<ContactForce> {
        let Monitor::UnexpectedContact {
            max_force_n,
            allowed_links,
        } = self.monitor
        else {
            return None;
        };
        now.bump(*max_force_n, allowed_links, self.held, self.resting_n)
    }

    fn check(&mut self, now: &Simulation) -> Option<Finding> {
        let over = |value: f64, limit: f64| (value > limit).then(|| Finding::of(value));
        match *self.monitor {
            Monitor::GripLost {
                min_width_m,
                max_width_m,
            } => {
                let width = now.layout.robot.width(&now.joints.finger_q);
                let is_lost = width < min_width_m || max_width_m.is_some_and(|most| width > most);
                is_lost.then(|| Finding::of(width))
            }
            Monitor::PadsEmpty { for_secs } => {
                let is_empty = now.finger_contacts().contains(&false);
                self.lasting(is_empty, for_secs, now).map(Finding::of)
            }
            Monitor::HeldSlips {
                max_slip_m,
                within_secs,
            } => {
                let shear = &now.state.grip.shear;
                let slip = shear.slip_since(&self.shear);
                if let Some(secs) = within_secs {
                    let part = (now.options.dt_secs / secs).min(1.0);
                    self.shear.follow(shear, part);
                }
                over(slip, max_slip_m)
            }
            Monitor::HeldTurns { max_turn_rad } => {
                over(now.state.grip.shear.turn_since(&self.shear), max_turn_rad)
            }
            Monitor::UnexpectedContact { .. } => self.new_bump(now),
            Monitor::PressesTooHard {
                max_force_n,
                for_secs,
            } => {
                let contact = now.pressed_too_hard(max_force_n, self.held, self.resting_n);
                self.lasting(contact.is_some(), for_secs, now)?;
                contact.map(Finding::touched)
            }
            // The simulator knows forces by link and point, and does not estimate them from
            // torques.
            Monitor::ExternalTorque { .. } => None,
            Monitor::TrackingError {
                max_error,
                for_secs,
            } => self.joint_lag(now.worst_position(), max_error, for_secs, now),
            Monitor::SpeedError {
                max_error_per_s,
                for_secs,
            } => self.joint_lag(now.worst_speed(), max_error_per_s, for_secs, now),
            Monitor::FingerBlocked {
                max_lag_m,
                for_secs,
            } => {
                let (finger, lag) = now.laggard(FOLLOWS)?;
                self.lasting(lag > max_lag_m, for_secs, now)?;
                Some(Finding {
                    measured: lag,
                    contact: now.contact_of_finger(finger, self.held),
                    joint: Some(now.layout.robot.fingers[finger].name.clone()),
                })
            }
        }
    }

    /// A finding for an unexpected contact, unless it existed at the start of the motion.
    fn new_bump(&mut self, now: &Simulation) -> Option<Finding> {
        let Some(contact) = self.bump(now) else {
            self.pressed_n = 0.0;
            return None;
        };
        let is_new = self.pressed_n == 0.0 || contact.force_n > self.pressed_n + RELIEF_N;
        is_new.then(|| Finding::touched(contact))
    }

    fn joint_lag(
        &mut self,
        (joint_idx, error): (usize, f64),
        limit: f64,
        for_secs: f64,
        now: &Simulation,
    ) -> Option<Finding> {
        self.lasting(error > limit, for_secs, now)?;
        Some(Finding {
            measured: error,
            // The contact may be the cause of the lag.
            contact: now.pressed_too_hard(FELT_N, self.held, self.resting_n),
            joint: Some(now.layout.robot.arm[joint_idx].name.clone()),
        })
    }

    /// Time for which a condition has held, s, once it is at least `for_secs`.
    fn lasting(&mut self, is_so: bool, for_secs: f64, now: &Simulation) -> Option<f64> {
        self.exceeded = if is_so { self.exceeded + 1 } else { 0 };
        let long_enough = self.exceeded > 0 && self.exceeded >= now.options.steps(for_secs);
        long_enough.then_some(self.exceeded as f64 * now.options.dt_secs)
    }
}
