//! The validated, instantiated values that other crates consume. One seed of one
//! file gives one of these; nothing in them is random any more.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::sync::Arc;

use regrasp_api::{
    Aabb, ApprovalPolicy, Intrinsics, JointKind, JointRole, KnownZone, MonitorLimits, ObjectId,
    ObjectJoint, ObjectPort, Part, Pose, Presses, Shape, Upright, Viewpoint, joint_position,
};
use regrasp_faults::Fault;
use regrasp_mesh::{MeshBody, MeshReport};
use serde::{Deserialize, Serialize};

use crate::drawn::Visual;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// The gripper's part of a robot file; by default that of a robot without one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Its name.
    pub name: String,
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// What it is fixed to, on it or in it, if that is one of the objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<ObjectId>,
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
    /// What is drawn in World and touched by nothing: walls, shelves, a floor with an image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenery: Vec<Visual>,
    /// ObjectCount that the imported model had and this scene has not, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_kept: Vec<String>,
}

impl Scene {
    /// Objects around an arm that starts at home, and nothing else; set what differs.
    pub fn new(
        name: impl Into<String>,
        world_from_base: Pose,
        start_width_m: f64,
        objects: Vec<SceneObject>,
    ) -> Self {
        Self {
            name: name.into(),
            world_from_base,
            start_width_m,
            objects,
            ..Self::default()
        }
    }
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
    /// The object of which it is a part: a drawer of its cabinet, a door of its microwave. What
    /// is part of one thing does not collide with itself, unless a joint says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
    /// Of what many small things it is one, if it is.
    #[serde(default)]
    pub group: Option<ObjectId>,
    /// Its surface and where its mass is, if it was read from a mesh; `shape` is then the
    /// convex parts of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<Arc<MeshBody>>,
    /// How its mass is spread, if that was declared; from its shape if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertial: Option<Inertial>,
    /// What is drawn of it in the place of its shape or its surface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visuals: Vec<Visual>,
    /// What became of the mesh file that it was read from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh_report: Option<Arc<MeshReport>>,
}

/// How a body's mass is spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertial {
    /// The centre of mass in the object's frame, m.
    pub mass_center: [f64; 3],
    /// Moments of inertia about the centre of mass along the object's axes, kg m^2: a symmetric
    /// matrix.
    pub inertia: [[f64; 3]; 3],
}

impl Inertial {
    /// Whether no body can have it.
    pub fn is_flawed(&self) -> bool {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = self.inertia;
        let all = nalgebra::Matrix3::new(xx, xy, xz, yx, yy, yz, zx, zy, zz);
        let center = self.mass_center.iter().all(|x| x.is_finite());
        let symmetric = (all - all.transpose()).norm() <= 1e-6 * all.norm();
        !(center && symmetric && all.cholesky().is_some())
    }
}

/// Dry wood on wood, the middle of 0.25 to 0.5 and more in engineering tables.
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

impl SceneObject {
    /// Something grey and fixed; set what differs.
    pub fn new(id: ObjectId, category: impl Into<String>, shape: Shape, pose: Pose) -> Self {
        Self {
            id,
            category: category.into(),
            color: None,
            rgba: [0.6, 0.6, 0.6, 1.0],
            shape,
            world_from_object: pose,
            mass_kg: None,
            friction: DEFAULT_FRICTION,
            upright: None,
            zones: vec![],
            part_of: None,
            inertial: None,
            group: None,
            mesh: None,
            mesh_report: None,
            visuals: vec![],
        }
    }

    /// Whether it can move.
    pub fn is_movable(&self) -> bool {
        self.mass_kg.is_some()
    }
}

/// How far a start may be outside of the limits, m or rad: a rounding.
const EPS: f64 = 1e-6;

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
    /// Axis in the parent's frame, unit length.
    pub axis_in_parent: [f64; 3],
    /// A point of a hinge's axis in the parent's frame, m; the child's initial origin if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point_in_parent: Option<[f64; 3]>,
    /// Smallest position, m or rad.
    pub lower: f64,
    /// Largest position, m or rad.
    pub upper: f64,
    /// The position in the initial pose, m or rad.
    #[serde(default)]
    pub start: f64,
    /// The position at which it is closed or off, m or rad; the lower limit if absent. It opens
    /// towards the limit that is further away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<f64>,
    /// What it means when it has moved.
    #[serde(default)]
    pub role: JointRole,
    /// The opening from which it counts as open or on, m or rad; see
    /// [`ObjectJoint::opens_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_from: Option<f64>,
    /// The opening up to which it counts as closed or off, m or rad; see
    /// [`ObjectJoint::closes_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_up_to: Option<f64>,
    /// Viscous friction, N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m: less than this does not move it.
    #[serde(default)]
    pub friction: f64,
    /// Added inertia along or about the axis, kg or kg m^2.
    #[serde(default)]
    pub armature: f64,
    /// Whether the child collides with the other parts of what it is a part of.
    #[serde(default)]
    pub collides: bool,
    /// Where to take hold of the child, in its frame; found from its shape if absent.
    pub handle: Option<Part>,
    /// What brings it back, and makes a button of it.
    #[serde(default)]
    pub spring: Option<Spring>,
    /// Another joint of the same thing that it is geared to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geared: Option<Gear>,
}

/// A joint's position that follows from that of another, whichever of the two is moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gear {
    /// The other joint.
    pub to: ObjectId,
    /// What the other's position is multiplied by; not 0.
    pub ratio: f64,
    /// Position at which the other is at 0, m or rad.
    pub offset: f64,
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
    /// A joint that is closed at its lower limit and starts at 0, without any friction; set what
    /// differs.
    pub fn new(
        id: ObjectId,
        [parent, child]: [ObjectId; 2],
        kind: JointKind,
        axis_in_parent: [f64; 3],
        [lower, upper]: [f64; 2],
    ) -> Self {
        Self {
            id,
            parent,
            child,
            kind,
            axis_in_parent,
            point_in_parent: None,
            lower,
            upper,
            start: 0.0,
            closed_at: None,
            role: JointRole::Opens,
            open_from: None,
            closed_up_to: None,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            collides: false,
            handle: None,
            spring: None,
            geared: None,
        }
    }

    /// The position at which it is closed or off.
    pub fn closed(&self) -> f64 {
        self.closed_at.unwrap_or(self.lower)
    }

    /// How far it can open, m or rad.
    pub fn travel(&self) -> f64 {
        let closed = self.closed();
        (self.upper - closed).max(closed - self.lower)
    }

    /// 1 if it opens towards its upper limit, -1 if towards the lower one.
    pub fn sign(&self) -> f64 {
        let closed = self.closed();
        if self.upper - closed >= closed - self.lower {
            1.0
        } else {
            -1.0
        }
    }

    /// What is wrong with its numbers, if anything is.
    pub fn flaw(&self) -> Option<String> {
        let limits = [self.lower, self.upper, self.start, self.closed()];
        let losses = [self.damping, self.friction, self.armature];
        let springs = self.spring.iter().flat_map(|s| [s.stiffness, s.press_at]);
        let mut at_least_0 = losses.into_iter().chain(springs);
        let inside = |x: f64| x >= self.lower - EPS && x <= self.upper + EPS;
        if limits.iter().any(|x| !x.is_finite()) || self.lower > self.upper {
            let [lower, upper] = [self.lower, self.upper];
            return Some(format!("its limits {lower} and {upper} are not usable"));
        }
        if !inside(self.start) || !inside(self.closed()) {
            return Some(format!(
                "it starts at {} and is closed at {}, expected positions from {} to {}",
                self.start,
                self.closed(),
                self.lower,
                self.upper
            ));
        }
        if at_least_0.any(|x| !(x.is_finite() && x >= 0.0)) {
            return Some("its damping, friction, armature or spring is below 0".to_owned());
        }
        None
    }

    /// Where the joint's position brings what stands in the parent's frame at 0.
    pub fn motion(&self, position: f64) -> Pose {
        let by = position * nalgebra::Vector3::from(self.axis_in_parent).normalize();
        match self.kind {
            JointKind::Prismatic => {
                Pose::from_parts(by.into(), nalgebra::UnitQuaternion::identity())
            }
            JointKind::Revolute => {
                let point = self.point_in_parent.unwrap_or_default().into();
                Pose::rotation_wrt_point(nalgebra::UnitQuaternion::new(by), point)
            }
        }
    }

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
        let moved = joint_position(self.kind, &axis, parent_from_child_at_start, &now);
        let position = self.within_limits(self.start + moved);
        let point = match self.point_in_parent {
            Some(point) => world_from_parent * nalgebra::Point3::from(point),
            None if self.kind == JointKind::Prismatic => world_from_child.translation.vector.into(),
            None => (world_from_parent * parent_from_child_at_start)
                .translation
                .vector
                .into(),
        };
        ObjectJoint {
            id: self.id.clone(),
            parent: self.parent.clone(),
            child: self.child.clone(),
            kind: self.kind,
            axis_in_world: (world_from_parent.rotation * (self.sign() * axis)).into(),
            point_in_world: point.coords.into(),
            opening: self.sign() * (position - self.closed()),
            travel: self.travel(),
            position,
            role: self.role,
            open_from: self.open_from,
            closed_up_to: self.closed_up_to,
            handle: self.handle.clone(),
            presses: self.spring.map(|spring| Presses {
                at: spring.press_at,
                count: 0,
            }),
        }
    }

    /// Of the positions a whole turn apart, which look the same, the one nearest to the limits.
    fn within_limits(&self, position: f64) -> f64 {
        if self.kind == JointKind::Prismatic {
            return position;
        }
        let turns = ((0.5 * (self.lower + self.upper) - position) / TAU).round();
        position + turns * TAU
    }
}
