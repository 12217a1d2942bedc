//! The validated, instantiated values that other crates consume. One seed of one
//! file gives one of these; nothing in them is random any more.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use regrasp_api::{
    Aabb, ApprovalPolicy, Intrinsics, JointKind, KnownZone, MonitorLimits, ObjectId, ObjectJoint,
    ObjectPort, Part, Pose, Presses, Shape, Upright, Viewpoint, joint_position,
};
use regrasp_truth::Fault;
use serde::{Deserialize, Serialize};

use crate::MeshBody;

/// A robot file: all that a URDF has no word for. Arm-wide lists are in the order
/// of [`RobotFile::arm_joints`]. SI units and radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotFile {
    /// The robot's name.
    pub name: String,
    /// The URDF, resolved against the robot file's folder.
    pub urdf: PathBuf,
    /// The URDF's text when it is built into the program; `urdf` is then only a
    /// name for messages.
    pub urdf_text: Option<String>,
    /// Folders searched for `package://` meshes.
    pub package_paths: Vec<PathBuf>,
    /// Link the arm stands on.
    pub base_link: String,
    /// Link of the mounting plate.
    pub flange_link: String,
    /// Link of the hand.
    pub hand_link: String,
    /// Link whose origin is between the fingertips.
    pub tool_link: String,
    /// The arm's joints, base to tip.
    pub arm_joints: Vec<String>,
    /// The home configuration.
    pub home: Vec<f64>,
    /// Further configurations by name.
    pub named_poses: BTreeMap<String, Vec<f64>>,
    /// Where its joints end and how fast they turn, instead of what the URDF says.
    #[serde(default, skip_serializing_if = "ArmRange::is_the_urdfs")]
    pub range: ArmRange,
    /// One servo per arm joint.
    pub motors: Vec<Motor>,
    /// Acceleration limits, rad/s^2.
    pub max_acceleration: Vec<f64>,
    /// Jerk limits, rad/s^3.
    pub max_jerk: Vec<f64>,
    /// The gripper.
    pub gripper: GripperFile,
    /// What ends the robot's motions early.
    pub monitors: MonitorLimits,
    /// Where objects can be worked on, relative to the base.
    pub workspace_in_base: Aabb,
    /// Which steps wait for a person; nothing is critical unless the file says so.
    pub approval: ApprovalPolicy,
}

/// Limits of the arm's joints that a robot file gives instead of the URDF.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmRange {
    /// Lowest positions, rad.
    pub lower_rad: Option<Vec<f64>>,
    /// Highest positions, rad.
    pub upper_rad: Option<Vec<f64>>,
    /// Greatest speeds, rad/s.
    pub max_velocity_rad_per_s: Option<Vec<f64>>,
}

impl ArmRange {
    fn is_the_urdfs(&self) -> bool {
        *self == Self::default()
    }
}

/// A position servo: effort = kp (q_d - q) + kd (v_d - v), clipped to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// Stiffness, N m/rad or N/m.
    pub kp: f64,
    /// Damping of the servo, N m s/rad or N s/m.
    pub kd: f64,
    /// Reflected rotor inertia, kg m^2 or kg.
    pub armature: f64,
    /// Viscous friction of the joint, N m s/rad or N s/m.
    pub damping: f64,
}

/// The gripper's part of a robot file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripperFile {
    /// The finger joints; each travels half of the width.
    pub finger_joints: Vec<String>,
    /// The links that touch what is gripped.
    pub finger_links: Vec<String>,
    /// Smallest distance between the pads, m.
    pub min_width_m: f64,
    /// Largest distance between the pads, m.
    pub max_width_m: f64,
    /// Largest force, N.
    pub max_force_n: f64,
    /// Usual force, N.
    pub default_force_n: f64,
    /// Usual speed of the width, m/s.
    pub default_speed_m_per_s: f64,
    /// Largest speed of the width, m/s.
    pub max_speed_m_per_s: f64,
    /// Heaviest load of the arm, kg, the hand's own mass not counted.
    pub max_payload_kg: f64,
    /// Servo of each finger.
    pub motor: Motor,
    /// Friction coefficient of the pads.
    pub pad_friction: f64,
}

impl GripperFile {
    /// Of an arm that has no gripper: no fingers, nothing that opens or presses.
    pub fn none() -> Self {
        Self {
            finger_joints: vec![],
            finger_links: vec![],
            min_width_m: 0.0,
            max_width_m: 0.0,
            max_force_n: 0.0,
            default_force_n: 0.0,
            default_speed_m_per_s: 0.0,
            max_speed_m_per_s: 0.0,
            max_payload_kg: 0.0,
            motor: Motor {
                kp: 0.0,
                kd: 0.0,
                armature: 0.0,
                damping: 0.0,
            },
            pad_friction: 0.0,
        }
    }
}

impl RobotFile {
    /// The links that are meant to touch things: the fingers, or without a gripper what the arm
    /// carries in its place.
    pub fn tip_links(&self) -> Vec<String> {
        match self.gripper.finger_links.as_slice() {
            [] => vec![self.hand_link.clone()],
            fingers => fingers.to_vec(),
        }
    }
}

/// A scene, ready to be simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// Joint positions at the start, rad; home if absent.
    pub start_joints: Option<Vec<f64>>,
    /// Finger distance at the start, m.
    pub start_width_m: f64,
    /// Friction coefficient of the finger pads; the robot's own if absent.
    #[serde(default)]
    pub pad_friction: Option<f64>,
    /// Everything that is not the robot; a table is an object that is not movable.
    pub objects: Vec<SceneObject>,
    /// Joints between objects (drawers, doors).
    pub joints: Vec<SceneJoint>,
    /// What goes into what.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// From where commands mean left and right.
    #[serde(default)]
    pub viewpoint: Viewpoint,
    /// What goes wrong in it, on purpose, random by the episode's seed.
    pub faults: Vec<Fault>,
    /// The cameras that the file declares; [`Scene::all_cameras`] has the usual ones too.
    #[serde(default)]
    pub cameras: Vec<SceneCamera>,
}

/// A camera of a [`Scene`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneCamera {
    /// Unique in the scene.
    pub name: String,
    /// The robot's link that carries it; `None` for one that is fixed in World.
    pub link: Option<String>,
    /// Where it is, in the link's frame or in World; z forward, x right, y down.
    pub parent_from_camera: Pose,
    /// How it projects.
    pub intrinsics: Intrinsics,
}

/// One object of a [`Scene`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneObject {
    /// Unique in the scene.
    pub id: ObjectId,
    /// What kind of thing it is (`cube`, `bowl`, `table`).
    pub category: String,
    /// Its colour as a word, if people would use one.
    pub color: Option<String>,
    /// Its colour, red, green, blue, opacity in 0..1.
    pub rgba: [f32; 4],
    /// Its shape.
    pub shape: Shape,
    /// Where it starts.
    pub world_from_object: Pose,
    /// Mass in kg; `None` for something fixed to the world.
    pub mass_kg: Option<f64>,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Which way up it stands, if its file or its kind says so.
    #[serde(default)]
    pub upright: Option<Upright>,
    /// Places of it that have a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Of what many small things it is one, if it is.
    #[serde(default)]
    pub group: Option<ObjectId>,
    /// Its surface and where its mass is, if it was read from a mesh; `shape` is then the
    /// convex parts of that.
    #[serde(
        default,
        with = "crate::mesh::shared",
        skip_serializing_if = "Option::is_none"
    )]
    pub mesh: Option<Arc<MeshBody>>,
}

impl SceneObject {
    /// Whether it can move.
    pub fn is_movable(&self) -> bool {
        self.mass_kg.is_some()
    }
}

/// A joint between two objects of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneJoint {
    /// Unique in the scene.
    pub id: ObjectId,
    /// The object it is fixed to.
    pub parent: ObjectId,
    /// The object that moves.
    pub child: ObjectId,
    /// How it moves.
    pub kind: JointKind,
    /// Axis in the parent's frame, unit length, through the child's initial origin.
    pub axis_in_parent: [f64; 3],
    /// Smallest position, m or rad; 0 is the initial pose.
    pub lower: f64,
    /// Largest position, m or rad.
    pub upper: f64,
    /// Viscous friction, N s/m or N m s/rad.
    pub damping: f64,
    /// Where to take hold of the child, in its frame.
    pub handle: Option<Part>,
    /// What brings it back, and makes a button of it.
    #[serde(default)]
    pub spring: Option<Spring>,
}

/// A spring that acts along or about a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// N/m or N m/rad.
    pub stiffness: f64,
    /// The position at which it would be slack, m or rad; below the joint's lower limit, it
    /// is under tension there.
    pub rest: f64,
    /// How far from the lower limit the joint has to go to count as pressed, m or rad.
    pub press_at: f64,
}

impl SceneJoint {
    /// The joint as it stands, when at the start the child was at
    /// `parent_from_child_at_start`.
    pub fn at(
        &self,
        parent_from_child_at_start: &Pose,
        world_from_parent: &Pose,
        world_from_child: &Pose,
    ) -> ObjectJoint {
        let axis = nalgebra::Vector3::from(self.axis_in_parent).normalize();
        let now = world_from_parent.inverse() * world_from_child;
        let position = joint_position(self.kind, &axis, parent_from_child_at_start, &now);
        ObjectJoint {
            id: self.id.clone(),
            parent: self.parent.clone(),
            child: self.child.clone(),
            kind: self.kind,
            axis_in_world: (world_from_parent.rotation * axis).into(),
            opening: position - self.lower,
            travel: self.upper - self.lower,
            handle: self.handle.clone(),
            presses: self.spring.map(|spring| Presses {
                at: spring.press_at,
                count: 0,
            }),
        }
    }
}
