//! What is fixed about a robot, and what it believes to hold.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Aabb, MonitorLimits, ObjectId, Part, Pose, Shape};

/// Fixed facts about a robot and its cell, from the robot file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotInfo {
    /// The robot's name.
    pub name: String,
    /// Arm joints in chain order.
    pub joint_names: Vec<String>,
    /// The home configuration, rad.
    pub home: Vec<f64>,
    /// Further named configurations, rad.
    pub named_poses: BTreeMap<String, Vec<f64>>,
    /// The gripper.
    pub gripper: GripperInfo,
    /// What ends its motions early.
    #[serde(default)]
    pub monitors: MonitorLimits,
    /// Furthest distance of the tool point from the base, m.
    pub reach_m: f64,
    /// Where objects can be worked on, in World; outside of it is lost.
    pub workspace: Aabb,
    /// Where the camera on the wrist sits (`tool_from_camera`), if there is one.
    #[serde(default)]
    pub tool_from_wrist_camera: Option<Pose>,
}

/// Fixed facts about a two-finger gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperInfo {
    /// Smallest finger distance, m.
    pub min_width_m: f64,
    /// Largest finger distance, m.
    pub max_width_m: f64,
    /// Usual grip force, N.
    pub default_force_n: f64,
    /// Largest grip force, N.
    pub max_force_n: f64,
    /// Usual speed of the width, m/s.
    pub default_speed_m_per_s: f64,
    /// Coulomb friction coefficient of the pads on most things.
    pub pad_friction: f64,
    /// Links that may touch what is gripped; without fingers, the tool that pushes and presses.
    pub finger_links: Vec<String>,
    /// How far the fingertips reach beyond the tool point along tool z, m.
    pub fingertip_beyond_tool_m: f64,
    /// How far above the fingertips (against tool z) the palm is, m.
    pub finger_length_m: f64,
    /// Width of a finger pad across the closing direction, m.
    pub pad_width_m: f64,
    /// Shapes of the hand without its fingers, in the tool frame.
    pub hand: Vec<Part>,
    /// The fingers; none if the arm has no gripper.
    pub fingers: Vec<Finger>,
}

/// Standard gravity, m/s².
const G_M_PER_S2: f64 = 9.80665;
/// The most by which the tool is accelerated on the way, m/s²: 15 rad/s² of a joint at a reach
/// of 0.65 m.
const MOVING_M_PER_S2: f64 = 9.8;
/// A grip is chosen to bear so many times what it has to.
const SAFETY: f64 = 2.0;

impl GripperInfo {
    /// Whether there is anything to grip with. Without fingers the arm carries a tool, which can
    /// push and press.
    pub fn has_fingers(&self) -> bool {
        !self.fingers.is_empty()
    }

    /// The mass that a grip bears while it is moved, kg: by the friction of its two pads,
    /// against weight and acceleration.
    pub fn bears_kg(&self, force_n: f64) -> f64 {
        2.0 * self.pad_friction * force_n / (G_M_PER_S2 + MOVING_M_PER_S2)
    }

    /// Fingers closer than this have nothing between them, m: a data sheet's accuracy of the
    /// width, beyond the stop.
    pub fn closed_below(&self) -> f64 {
        const ACCURACY_M: f64 = 0.001;
        self.min_width_m + ACCURACY_M
    }

    /// The force to take hold of something with, N: as usual, and more for what is too heavy
    /// for that, as far as the gripper can.
    pub fn force_for(&self, mass_kg: Option<f64>) -> f64 {
        let per_kg = self.bears_kg(1.0).recip();
        let needed_n = mass_kg.map_or(0.0, |mass_kg| SAFETY * mass_kg * per_kg);
        needed_n.max(self.default_force_n).min(self.max_force_n)
    }

    /// Whether a grip bears so much more than it has to that what jumps in it only settles
    /// between the pads.
    pub fn is_firm(&self, force_n: f64, mass_kg: Option<f64>) -> bool {
        mass_kg.is_some_and(|mass_kg| self.bears_kg(force_n) >= SAFETY * mass_kg)
    }
}

/// A finger of a two-finger gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finger {
    /// Its shapes in the tool frame while the gripper is closed.
    pub parts: Vec<Part>,
    /// Where it goes in the tool frame when the gripper opens by 1 m, m.
    pub opening: [f64; 3],
}

/// What the robot believes to be in its hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Which object.
    pub id: ObjectId,
    /// Its shape when it was last seen.
    pub shape: Shape,
    /// Where it sits in the hand.
    pub tool_from_object: Pose,
    /// Finger distance when it was gripped, m.
    pub width_m: f64,
    /// Its mass, kg, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
}
