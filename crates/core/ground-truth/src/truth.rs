//! The world as it really is.

use serde::{Deserialize, Serialize};

use regrasp_api::{KnownZone, ObjectId, ObjectJoint, ObjectPort, PortKind, Pose, Shape, Upright};

/// The world as it really is. Only ground-truth perception and a benchmark's judge
/// may read it.
#[derive(Default, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// Simulated time, s.
    pub time_secs: f64,
    /// Every object, fixed ones included, in scene order.
    pub objects: Vec<GroundTruthObject>,
    /// The joints between them.
    #[serde(default)]
    pub joints: Vec<ObjectJoint>,
    /// What goes into what.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// Joint positions of the arm, rad.
    pub joint_positions: Vec<f64>,
    /// Joint velocities of the arm, rad/s.
    pub joint_velocities: Vec<f64>,
    /// Where the tool point is.
    pub world_from_tool: Pose,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// What the robot, or what it held, has touched since the clock started: one
    /// entry for each pair, in no particular order.
    #[serde(default)]
    pub contacts: Vec<RobotContact>,
    /// Every object that both fingers have pressed on since the clock started.
    #[serde(default)]
    pub was_held: Vec<ObjectId>,
}

/// Two things that touched at some time, of which one is the robot or in its hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotContact {
    /// Who touched.
    pub by: Toucher,
    /// What was touched.
    pub with: ObjectId,
    /// When it began, s.
    pub first_secs: f64,
    /// For how long they have touched, in all, s.
    pub duration_secs: f64,
    /// Largest force, N.
    pub peak_force_n: f64,
}

/// A part of the robot, or what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toucher {
    /// A link that is no finger.
    Arm(String),
    /// A link of a finger.
    Finger(String),
    /// An object while both fingers pressed on it.
    Held(ObjectId),
}

impl Toucher {
    /// Name of the link or of the object.
    pub fn name(&self) -> &str {
        match self {
            Self::Arm(link) | Self::Finger(link) => link,
            Self::Held(id) => id.as_str(),
        }
    }
}

impl GroundTruth {
    /// The object with that id.
    pub fn object(&self, id: &ObjectId) -> Option<&GroundTruthObject> {
        self.objects.iter().find(|o| &o.id == id)
    }

    /// All small things of a group.
    pub fn members<'a>(
        &'a self,
        group: &'a ObjectId,
    ) -> impl Iterator<Item = &'a GroundTruthObject> {
        let objects = self.objects.iter();
        objects.filter(move |o| o.group.as_ref() == Some(group))
    }
}

/// One object as it really is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundTruthObject {
    /// Its id in the scene file.
    pub id: ObjectId,
    /// What kind of thing it is (`cube`, `mug`, `table`).
    pub category: String,
    /// Its colour as a word, if it has one that people would use.
    pub color: Option<String>,
    /// Its shape.
    pub shape: Shape,
    /// Where it is.
    pub world_from_object: Pose,
    /// Linear velocity of its origin in World, m/s.
    pub linear_velocity: [f64; 3],
    /// Angular velocity in World, rad/s.
    pub angular_velocity: [f64; 3],
    /// Mass, kg; 0 for a fixed object.
    pub mass_kg: f64,
    /// Whether it can move at all.
    pub movable: bool,
    /// Objects that it touches.
    pub touches: Vec<ObjectId>,
    /// Robot links that it touches.
    pub touches_links: Vec<String>,
    /// Whether both fingers press on it.
    pub grasped: bool,
    /// Which way up it stands, if that was declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upright: Option<Upright>,
    /// Places of it that have a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Of what it is a part, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
    /// Of what many small things it is one, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ObjectId>,
}

impl GroundTruthObject {
    /// An object without a mass at rest that touches nothing; set what differs.
    pub fn at_rest(
        id: ObjectId,
        category: impl Into<String>,
        shape: Shape,
        world_from_object: Pose,
    ) -> Self {
        Self {
            id,
            category: category.into(),
            color: None,
            shape,
            world_from_object,
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass_kg: 0.0,
            movable: false,
            touches: vec![],
            touches_links: vec![],
            grasped: false,
            upright: None,
            zones: vec![],
            part_of: None,
            group: None,
        }
    }
}

/// The one door to the world's truth.
pub trait GroundTruthSource: Send + Sync {
    /// Reads the truth now. Takes no simulated time.
    fn truth(&self) -> GroundTruth;
}

impl GroundTruth {
    /// The plug or the hole of an object.
    pub fn port(&self, id: &ObjectId, kind: PortKind) -> Option<&ObjectPort> {
        self.ports
            .iter()
            .find(|p| &p.object == id && p.kind == kind)
    }
}
