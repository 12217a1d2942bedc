//! Readings of the robot's own sensors.

use serde::{Deserialize, Serialize};

use crate::Pose;

/// Readings of the robot's own sensors at one instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Time of the simulation or the robot, s.
    pub time_secs: f64,
    /// Pose of the arm's base.
    pub world_from_base: Pose,
    /// Joint positions in chain order, rad or m.
    pub joint_positions: Vec<f64>,
    /// Joint velocities, rad/s or m/s.
    pub joint_velocities: Vec<f64>,
    /// Efforts of the motors at the joints, N m or N.
    pub joint_efforts: Vec<f64>,
    /// Gripper.
    pub gripper: GripperState,
    /// External forces on the robot's links, largest first; empty if the robot does not sense them
    /// ([`crate::Capabilities::contact_forces`]).
    pub contacts: Vec<ContactForce>,
}

/// State of a two-finger gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperState {
    /// Distance between the finger pads, m.
    pub width_m: f64,
    /// Rate of change of the width, m/s (negative while closing).
    pub speed_m_per_s: f64,
    /// Commanded force of the fingers, N; 0 while positioning.
    pub grip_force_n: f64,
    /// Contact of each finger (left, right); absent if the pads sense nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finger_contact: Option<[bool; 2]>,
    /// Distance that the held object has slid along the pads since the grasp command, m: the larger
    /// of both pads; 0 while positioning. On hardware this needs tactile pads that measure shear;
    /// absent without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip_m: Option<f64>,
}

/// Contact force on a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Link that is touched.
    pub link: String,
    /// Magnitude of the contact force, N.
    pub force_n: f64,
    /// Point of the contact in World, m.
    pub point_in_world: [f64; 3],
    /// Set if the held object is touched, not the link itself.
    #[serde(default)]
    pub through_held: bool,
}

impl GripperState {
    /// Returns true if both fingers press on something: according to the pads, or, if these sense
    /// nothing, because a grasp is commanded and the fingers are farther apart than `closed_m`.
    pub fn presses(&self, closed_m: f64) -> bool {
        let is_stopped = self.grip_force_n > 0.0 && self.width_m > closed_m;
        self.finger_contact
            .map_or(is_stopped, |felt| felt == [true; 2])
    }

    /// Returns true if both fingers press on something at least `least_m` wide.
    pub fn holds(&self, least_m: f64) -> bool {
        self.width_m >= least_m && self.presses(least_m)
    }

    /// Returns true if the pads sense contact and neither has any.
    pub fn feels_nothing(&self) -> bool {
        self.finger_contact == Some([false; 2])
    }
}
