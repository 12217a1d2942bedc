//! Fixed facts about a robot, and the robot's belief about what it holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Aabb, MonitorLimits, ObjectId, Part, PerceivedObject, Pose, Shape};

/// Fixed facts about a robot and its cell, from the robot file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotInfo {
    /// Name of the robot.
    pub name: String,
    /// Arm joints in chain order.
    pub joint_names: Vec<String>,
    /// Home configuration, rad.
    pub home: Vec<f64>,
    /// Named configurations besides `home`, rad.
    pub named_poses: BTreeMap<String, Vec<f64>>,
    /// Gripper.
    pub gripper: GripperInfo,
    /// Limits that end motions early.
    #[serde(default)]
    pub monitors: MonitorLimits,
    /// Largest distance of the tool point from the base, m.
    pub reach_m: f64,
    /// Work area in World. An object outside it is lost.
    pub workspace: Aabb,
    /// Pose of the wrist camera in the tool frame, if there is one.
    pub tool_from_wrist_camera: Option<Pose>,
}

/// Fixed facts about a two-finger gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperInfo {
    /// Smallest finger distance, m.
    pub min_width_m: f64,
    /// Largest finger distance, m.
    pub max_width_m: f64,
    /// Default grip force, N.
    pub default_force_n: f64,
    /// Largest grip force, N.
    pub max_force_n: f64,
    /// Default opening and closing speed, as the rate of change of the finger distance, m/s.
    pub default_speed_m_per_s: f64,
    /// Coulomb friction coefficient of the pads on most materials.
    pub pad_friction: f64,
    /// Largest mass of an object that the arm carries, kg, if known.
    pub max_payload_kg: Option<f64>,
    /// Links that may touch the held object; without fingers, links of the tool.
    pub finger_links: Vec<String>,
    /// Distance of the fingertips beyond the tool point along tool z, m.
    pub fingertip_beyond_tool_m: f64,
    /// Distance from the fingertips to the palm, against tool z, m.
    pub finger_length_m: f64,
    /// Width of a finger pad across the closing direction, m.
    pub pad_width_m: f64,
    /// Shapes of the hand without fingers, in the tool frame.
    pub hand: Vec<Part>,
    /// Fingers; empty if the arm has no gripper.
    pub fingers: Vec<Finger>,
}

const G_M_PER_S2: f64 = 9.80665;
/// Largest acceleration of the tool, m/s²: 15 rad/s² of a joint at a reach of 0.65 m.
const MOVING_M_PER_S2: f64 = 9.8;
const SAFETY: f64 = 2.0;

impl GripperInfo {
    /// Returns true if there are fingers. Without them the arm carries a tool.
    pub fn has_fingers(&self) -> bool {
        !self.fingers.is_empty()
    }

    /// Returns the largest mass, kg, that the friction of both pads holds at a grip force (N) while
    /// the arm moves.
    pub fn bears_kg(&self, force_n: f64) -> f64 {
        2.0 * self.pad_friction * force_n / (G_M_PER_S2 + MOVING_M_PER_S2)
    }

    /// Returns true if the friction of both pads at the largest grip force keeps an object from
    /// turning about the line between them, given its mass (kg) and the horizontal distance of its
    /// centre of mass (m): soft fingers with a patch as wide as the pads (Murray, Li and Sastry,
    /// section 5.2).
    pub fn keeps_level(&self, mass_kg: f64, off_m: f64) -> bool {
        const SPIN: f64 = 2.0 / 3.0;
        let friction_n = 2.0 * self.pad_friction * self.max_force_n;
        mass_kg * G_M_PER_S2 * off_m <= SPIN * friction_n * 0.5 * self.pad_width_m
    }

    /// Returns the finger distance below which there is nothing between the fingers, m: the closed
    /// distance plus the accuracy of its measurement, from the data sheet.
    pub fn closed_below(&self) -> f64 {
        const ACCURACY_M: f64 = 0.001;
        self.min_width_m + ACCURACY_M
    }

    /// Returns the grip force, N: the default, or more for a heavy object, up to the limit.
    pub fn force_for(&self, mass_kg: Option<f64>) -> f64 {
        let per_kg = self.bears_kg(1.0).recip();
        let needed_n = mass_kg.map_or(0.0, |mass_kg| SAFETY * mass_kg * per_kg);
        needed_n.max(self.default_force_n).min(self.max_force_n)
    }

    /// Returns true if the grip force (N) is so much larger than needed that a sudden slip only
    /// means that the object settles between the pads. False for an unknown mass.
    pub fn is_firm(&self, force_n: f64, mass_kg: Option<f64>) -> bool {
        mass_kg.is_some_and(|mass_kg| self.bears_kg(force_n) >= SAFETY * mass_kg)
    }
}

/// Finger of a two-finger gripper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finger {
    /// Shapes in the tool frame while the gripper is closed.
    pub parts: Vec<Part>,
    /// Displacement of the finger in the tool frame per metre of opening, m.
    pub opening: [f64; 3],
}

/// Robot's belief about the object in its hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Id of the object.
    pub id: ObjectId,
    /// Shape as last seen.
    pub shape: Shape,
    /// Pose of the object in the tool frame.
    pub tool_from_object: Pose,
    /// Finger distance at the grasp, m.
    pub width_m: f64,
    /// Mass, kg, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
}

impl Held {
    /// Creates a perceived object as held by fingers that are `width_m` apart.
    pub fn of(object: &PerceivedObject, tool_from_object: Pose, width_m: f64) -> Self {
        Self {
            id: object.id.clone(),
            shape: object.shape.clone(),
            tool_from_object,
            width_m,
            mass_kg: None,
        }
    }
}
