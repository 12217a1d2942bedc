//! The robot's own sensors at one instant.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::Pose;

/// What the robot's own sensors say at one instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Simulated (or robot) time in seconds.
    pub time_secs: f64,
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// Joint positions, chain order, rad or m.
    pub joint_positions: Vec<f64>,
    /// Joint velocities, rad/s or m/s.
    pub joint_velocities: Vec<f64>,
    /// Joint efforts that the motors apply, N m or N.
    pub joint_efforts: Vec<f64>,
    /// The gripper.
    pub gripper: GripperState,
    /// Forces on the robot's links from the outside, largest first; empty where they are not
    /// felt ([`crate::Capabilities::contact_forces`]).
    pub contacts: Vec<ContactForce>,
}

/// State of a two-finger gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperState {
    /// Distance between the finger pads, m.
    pub width_m: f64,
    /// Rate of change of the width, m/s (negative while closing).
    pub speed_m_per_s: f64,
    /// Force with which the fingers are commanded to press, N; 0 while positioning.
    pub grip_force_n: f64,
    /// Whether each finger (left, right) feels a contact; absent if the pads feel nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finger_contact: Option<[bool; 2]>,
    /// How far what is held has slid along the pads since the fingers were told to
    /// grasp, m: the larger of both pads; 0 while positioning. On hardware this is a
    /// tactile sensor of shear; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slip_m: Option<f64>,
}

/// A contact that a link feels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// The link that is touched.
    pub link: String,
    /// Magnitude of the contact force, N.
    pub force_n: f64,
    /// A point of the contact, in World.
    pub point_in_world: [f64; 3],
    /// Whether it is what the link holds that is touched, not the link itself.
    #[serde(default)]
    pub through_held: bool,
}

impl GripperState {
    /// Whether both fingers press on something: as their pads feel, or without pads, as they
    /// are told to press and still stand further apart than `closed_m`.
    pub fn presses(&self, closed_m: f64) -> bool {
        match self.finger_contact {
            Some(felt) => felt == [true; 2],
            None => self.grip_force_n > 0.0 && self.width_m > closed_m,
        }
    }

    /// Whether both fingers press on something at least so wide, m.
    pub fn holds(&self, least_m: f64) -> bool {
        self.width_m >= least_m && self.presses(least_m)
    }

    /// Whether pads that could feel something feel nothing.
    pub fn feels_nothing(&self) -> bool {
        self.finger_contact == Some([false; 2])
    }
}

impl ContactForce {
    /// The contact point as a vector, in World.
    pub fn point(&self) -> Vector3<f64> {
        Vector3::from(self.point_in_world)
    }
}
