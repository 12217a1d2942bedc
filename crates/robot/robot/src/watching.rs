//! Monitors under which the robot moves. Their limits come from the robot file ([`MonitorLimits`]),
//! and each is used only if the world has the sensor for it.
//!
//! | fault | sensors | otherwise |
//! |---|---|---|
//! | the held object slides or turns | shear | seen once the fingers close further, or by vision |
//! | the held object is lost | finger contacts, and width | width |
//! | the arm hits something | contact forces by link | external torques, and joint lag |

use regrasp_api::{Capabilities, Held, Monitor, MonitorLimits, Watch};
use regrasp_relations::{grip_lost_above, grip_lost_below};

use crate::{Result, Robot};

/// Selection of the usual monitors of a robot.
#[derive(Clone, Copy, Debug)]
pub struct UsualMonitors {
    /// Limits of the monitors.
    pub limits: MonitorLimits,
    /// Senses of the world.
    pub can: Capabilities,
}

impl Robot {
    fn usual(&self) -> UsualMonitors {
        UsualMonitors {
            limits: self.info.monitors,
            can: self.can(),
        }
    }

    pub(crate) fn usual_watch(&mut self) -> Result<Watch> {
        // Fingers that hold an unknown object, as in a user's skill, may be in contact.
        let grips_unknown = self.held.is_none() && self.observe()?.gripper.grip_force_n > 0.0;
        let allowed_links = if grips_unknown {
            self.info.gripper.finger_links.clone()
        } else {
            vec![]
        };
        let mut monitors = self.grip_monitors()?;
        monitors.extend(self.usual().of_arm(allowed_links));
        Ok(self.watch(monitors))
    }

    /// Monitors for motions that press on something with the fingers or the held object, with at
    /// most `max_force_n`.
    pub(crate) fn contact_watch(&mut self, max_force_n: f64, stiffness: f64) -> Result<Watch> {
        let fingers = self.info.gripper.finger_links.clone();
        let mut monitors = self.grip_monitors()?;
        monitors.extend(self.usual().of_pressing(fingers, max_force_n));
        monitors.extend(self.usual().of_lags(stiffness));
        Ok(self.watch(monitors))
    }

    /// Monitors for motions of the gripper, whose fingers press on purpose.
    pub(crate) fn gripper_watch(&self) -> Watch {
        let fingers = self.info.gripper.finger_links.clone();
        let mut monitors = self.usual().of_arm(fingers);
        monitors.push(self.usual().of_fingers());
        self.watch(monitors)
    }

    fn grip_monitors(&mut self) -> Result<Vec<Monitor>> {
        let Some(Held {
            width_m, mass_kg, ..
        }) = self.held
        else {
            return Ok(vec![]);
        };
        let force_n = self.observe()?.gripper.grip_force_n;
        let mut usual = self.usual();
        if self.info.gripper.is_firm(force_n, mass_kg) {
            usual.limits.sudden_slip_m = usual.limits.settling_slip_m;
        }
        Ok(usual.of_grip(width_m))
    }

    pub(crate) fn watch(&self, monitors: Vec<Monitor>) -> Watch {
        Watch {
            monitors,
            cancel: self.cancel.clone(),
        }
    }
}

impl UsualMonitors {
    /// Monitors of the grasp of an object of a given width, m.
    pub fn of_grip(&self, held_width_m: f64) -> Vec<Monitor> {
        let Self { limits, can } = self;
        let mut monitors = vec![];
        if can.shear {
            monitors.extend([
                Monitor::HeldSlips {
                    max_slip_m: limits.sudden_slip_m,
                    within_secs: Some(limits.sudden_slip_secs),
                },
                Monitor::HeldSlips {
                    max_slip_m: limits.slip_m,
                    within_secs: None,
                },
                Monitor::HeldTurns {
                    max_turn_rad: limits.turn_rad,
                },
            ]);
        }
        if can.finger_contacts {
            monitors.push(Monitor::PadsEmpty {
                for_secs: limits.pads_empty_secs,
            });
        }
        monitors.push(Monitor::GripLost {
            min_width_m: grip_lost_below(held_width_m),
            max_width_m: (!can.finger_contacts).then(|| grip_lost_above(held_width_m)),
        });
        monitors
    }

    /// Monitors of the arm for any motion; contact of `allowed_links` is allowed.
    pub fn of_arm(&self, allowed_links: Vec<String>) -> Vec<Monitor> {
        let mut monitors = self.of_touch(allowed_links);
        monitors.extend(self.of_lags(1.0));
        monitors
    }

    /// Monitors of tracking errors. A softer arm lags further under the same force, so a
    /// `stiffness` below the usual one of 1 raises the limits.
    pub fn of_lags(&self, stiffness: f64) -> [Monitor; 2] {
        let limits = &self.limits;
        [
            Monitor::TrackingError {
                max_error: limits.lag_rad / stiffness,
                for_secs: limits.lag_secs,
            },
            Monitor::SpeedError {
                max_error_per_s: limits.speed_error_rad_per_s / stiffness,
                for_secs: limits.speed_error_secs,
            },
        ]
    }

    /// Monitor of fingers that move to a position.
    pub fn of_fingers(&self) -> Monitor {
        Monitor::FingerBlocked {
            max_lag_m: self.limits.finger_lag_m,
            for_secs: self.limits.finger_lag_secs,
        }
    }

    fn of_touch(&self, allowed_links: Vec<String>) -> Vec<Monitor> {
        if self.can.contact_forces {
            return vec![Monitor::UnexpectedContact {
                max_force_n: self.limits.contact_n,
                allowed_links,
            }];
        }
        self.of_torque(self.limits.contact_n)
    }

    /// Monitors of an intended contact up to a force, N.
    fn of_pressing(&self, fingers: Vec<String>, max_force_n: f64) -> Vec<Monitor> {
        if !self.can.contact_forces {
            return self.of_torque(max_force_n);
        }
        let mut monitors = self.of_touch(fingers);
        monitors.push(Monitor::PressesTooHard {
            max_force_n,
            for_secs: self.limits.press_secs,
        });
        monitors
    }

    /// Monitor, if external torques are sensed, of the torque that a force makes at the lever arm
    /// implied by [`MonitorLimits::contact_n`].
    fn of_torque(&self, force_n: f64) -> Vec<Monitor> {
        let limits = &self.limits;
        let monitor = Monitor::ExternalTorque {
            max_torque_nm: limits.external_torque_nm * force_n / limits.contact_n,
            for_secs: limits.external_torque_secs,
        };
        Vec::from_iter(self.can.external_torque.then_some(monitor))
    }
}
