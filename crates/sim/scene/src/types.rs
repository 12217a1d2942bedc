//! Validated, instantiated values for other crates: one seed of one file, nothing random left.

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
use crate::{Problem, SceneError};

/// A robot file: everything a URDF cannot express. Lists over the arm's joints are in the order of
/// [`RobotFile::arm_joints`]. SI units and radians.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotFile {
    /// Name of the robot.
    pub name: String,
    /// Name and line of the file's `arm.joints`, for messages.
    #[serde(skip)]
    pub joints_at: (String, usize),
    /// Path of the URDF, resolved against the robot file's folder.
    pub urdf: PathBuf,
    /// Text of a URDF that is built into the program; `urdf` is then only a name for messages.
    pub urdf_text: Option<String>,
    /// Folders searched for `package://` meshes.
    pub package_paths: Vec<PathBuf>,
    /// Link at the arm's base.
    pub base_link: String,
    /// Link of the mounting plate.
    pub flange_link: String,
    /// Link of the hand.
    pub hand_link: String,
    /// Link with its origin between the fingertips.
    pub tool_link: String,
    /// Pose of a tool link that is not in the URDF, in the frame of the hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand_from_tool: Option<Pose>,
    /// The arm's joints, base to tip.
    pub arm_joints: Vec<String>,
    /// Home configuration, rad.
    pub home: Vec<f64>,
    /// Configurations besides `home`, by name, rad.
    pub named_poses: BTreeMap<String, Vec<f64>>,
    /// Joint limits and speeds that replace those of the URDF.
    #[serde(default, skip_serializing_if = "ArmRange::is_the_urdfs")]
    pub range: ArmRange,
    /// One servo for each arm joint.
    pub motors: Vec<Motor>,
    /// Acceleration limits, rad/s^2.
    pub max_acceleration: Vec<f64>,
    /// Jerk limits, rad/s^3.
    pub max_jerk: Vec<f64>,
    /// The gripper.
    pub gripper: GripperFile,
    /// Limits that end the robot's motions early.
    pub monitors: MonitorLimits,
    /// Region in which objects can be worked on, relative to the base.
    pub workspace_in_base: Aabb,
    /// Steps that wait for a person's approval; by default none is critical.
    pub approval: ApprovalPolicy,
}

/// Limits of the arm's joints that replace those of the URDF.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmRange {
    /// Lowest positions, rad.
    pub lower_rad: Option<Vec<f64>>,
    /// Highest positions, rad.
    pub upper_rad: Option<Vec<f64>>,
    /// Largest speeds, rad/s.
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

/// The gripper's part of a robot file; the default describes a robot without a gripper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GripperFile {
    /// The finger joints; each travels half of the width.
    pub finger_joints: Vec<String>,
    /// The links that touch a grasped object.
    pub finger_links: Vec<String>,
    /// Smallest distance between the pads, m.
    pub min_width_m: f64,
    /// Largest distance between the pads, m.
    pub max_width_m: f64,
    /// Largest gripping force, N.
    pub max_force_n: f64,
    /// Default gripping force, N.
    pub default_force_n: f64,
    /// Default speed of the width, m/s.
    pub default_speed_m_per_s: f64,
    /// Largest speed of the width, m/s.
    pub max_speed_m_per_s: f64,
    /// Largest payload of the arm, kg, without the hand's own mass.
    pub max_payload_kg: f64,
    /// Servo of each finger.
    pub motor: Motor,
    /// Friction coefficient of the pads.
    pub pad_friction: f64,
}

impl RobotFile {
    /// Checks that [`RobotFile::arm_joints`] are the joints that move the tool.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with the first place in the list at which they differ.
    pub fn check_joints(&self, base_to_tool: &[String]) -> Result<(), SceneError> {
        let named = |names: &[String], i: usize| {
            let name = names.get(i);
            name.map_or("nothing".to_owned(), |name| format!("`{name}`"))
        };
        let mut places = 0..self.arm_joints.len().max(base_to_tool.len());
        let Some(i) = places.find(|i| self.arm_joints.get(*i) != base_to_tool.get(*i)) else {
            return Ok(());
        };
        let (file, line) = &self.joints_at;
        let problem = format!(
            "entry {} of `arm.joints` is {}, but must be {}: the joints of the URDF from `{}` to \
             `{}` that can move are {}, in this order",
            i + 1,
            named(&self.arm_joints, i),
            named(base_to_tool, i),
            self.base_link,
            self.tool_link,
            base_to_tool.join(", ")
        );
        Err(Problem::from(problem).at(file, *line))
    }

    /// Links that are meant to make contact: those of the fingers, or the hand's link without a
    /// gripper.
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
    /// Name of the scene.
    pub name: String,
    /// Pose of the arm's base.
    pub world_from_base: Pose,
    /// Object on which or in which the arm is mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount: Option<ObjectId>,
    /// Joint positions at the start, rad; home if absent.
    pub start_joints: Option<Vec<f64>>,
    /// Finger distance at the start, m.
    pub start_width_m: f64,
    /// Friction coefficient of the finger pads; the robot's own if absent.
    pub pad_friction: Option<f64>,
    /// All objects except the robot; a table is an object that is not movable.
    pub objects: Vec<SceneObject>,
    /// Joints between objects (drawers, doors).
    pub joints: Vec<SceneJoint>,
    /// Plugs and holes of the objects.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// Viewpoint for left and right in commands.
    #[serde(default)]
    pub viewpoint: Viewpoint,
    /// Faults to inject, random by the episode's seed.
    pub faults: Vec<Fault>,
    /// The cameras that the file declares; [`Scene::all_cameras`] adds the default ones.
    #[serde(default)]
    pub cameras: Vec<SceneCamera>,
    /// Names of the cameras that perception uses; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perception_cameras: Vec<String>,
    /// Visuals in World without collision: walls, shelves, a floor with an image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenery: Vec<Visual>,
    /// Elements of the imported model that this scene lacks, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_kept: Vec<String>,
}

impl Scene {
    /// Makes a scene of objects around an arm that starts at home; set the fields that differ.
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
    /// Unique name in the scene.
    pub name: String,
    /// Link of the robot that carries the camera; `None` if it is fixed in World.
    pub link: Option<String>,
    /// Pose in the link's frame or in World; z forward, x right, y down.
    pub parent_from_camera: Pose,
    /// Projection parameters.
    pub intrinsics: Intrinsics,
}

/// One object of a [`Scene`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneObject {
    /// Unique id in the scene.
    pub id: ObjectId,
    /// Kind of object (`cube`, `bowl`, `table`).
    pub category: String,
    /// Name of the object's colour, if people would use one.
    pub color: Option<String>,
    /// Colour: red, green, blue, opacity in 0..1.
    pub rgba: [f32; 4],
    /// Collision shape.
    pub shape: Shape,
    /// Pose at the start.
    pub world_from_object: Pose,
    /// Mass in kg; `None` if it is fixed to the world.
    pub mass_kg: Option<f64>,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Upright axis, if the object's file or kind defines one.
    pub upright: Option<Upright>,
    /// Named zones of the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// The object that this one is a part of: a drawer of its cabinet, a door of its microwave.
    /// Parts of one object do not collide with each other, unless a joint allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
    /// Group of small objects (beads) to which the object belongs.
    pub group: Option<ObjectId>,
    /// Surface and mass distribution of a mesh, read from a file or swept; `shape` is then its
    /// convex parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<Arc<MeshBody>>,
    /// Declared mass distribution; computed from the mesh or the shape if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertial: Option<Inertial>,
    /// Visuals that are drawn in place of the shape or the surface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visuals: Vec<Visual>,
    /// Report on reading the object's mesh file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh_report: Option<Arc<MeshReport>>,
}

/// Mass distribution of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertial {
    /// Centre of mass in the object's frame, m.
    pub mass_center: [f64; 3],
    /// Moments of inertia about the centre of mass, object axes, kg m^2: a symmetric matrix.
    pub inertia: [[f64; 3]; 3],
}

impl Inertial {
    /// Returns true unless all is finite and the inertia is symmetric and positive definite.
    pub fn is_flawed(&self) -> bool {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = self.inertia;
        let all = nalgebra::Matrix3::new(xx, xy, xz, yx, yy, yz, zx, zy, zz);
        let center = self.mass_center.iter().all(|x| x.is_finite());
        let symmetric = (all - all.transpose()).norm() <= 1e-6 * all.norm();
        !(center && symmetric && all.cholesky().is_some())
    }
}

/// Default friction coefficient: dry wood on wood, for which tables give 0.25 to 0.5 and more.
pub(crate) const DEFAULT_FRICTION: f64 = 0.5;

impl SceneObject {
    /// Makes a grey, fixed object; set the fields that differ.
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

    /// Returns the centre of mass in the object's frame, m, that is declared or computed from a mesh.
    pub fn mass_center(&self) -> Option<[f64; 3]> {
        let mesh = self.mesh.as_ref().map(|mesh| mesh.mass_center);
        self.inertial.map(|inertial| inertial.mass_center).or(mesh)
    }

    /// Returns true if the object can move.
    pub fn is_movable(&self) -> bool {
        self.mass_kg.is_some()
    }
}

/// Tolerance of a start or closed position outside the limits, m or rad, for rounding.
const EPS: f64 = 1e-6;

/// A joint between two objects of a scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneJoint {
    /// Unique id in the scene.
    pub id: ObjectId,
    /// Object that carries the joint.
    pub parent: ObjectId,
    /// Object that moves.
    pub child: ObjectId,
    /// Kind of motion.
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
    /// Closed or off position, m or rad; the lower limit if absent. It opens to the farther limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<f64>,
    /// Role of the joint: it opens a drawer or door, or sets a knob or switch.
    #[serde(default)]
    pub role: JointRole,
    /// Opening from which the object counts as open or on, m or rad; see [`ObjectJoint::opens_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_from: Option<f64>,
    /// Opening up to which the object counts as closed or off, m or rad; see
    /// [`ObjectJoint::closes_at`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_up_to: Option<f64>,
    /// Viscous friction, N s/m or N m s/rad.
    pub damping: f64,
    /// Dry friction, N or N m: a smaller effort does not move the joint.
    #[serde(default)]
    pub friction: f64,
    /// Added inertia along or about the axis, kg or kg m^2.
    #[serde(default)]
    pub armature: f64,
    /// Set if the child collides with the other parts of its object.
    #[serde(default)]
    pub collides: bool,
    /// Handle of the child, in its frame; derived from its shape if absent.
    pub handle: Option<Part>,
    /// Return spring, which makes the joint a button.
    pub spring: Option<Spring>,
    /// Coupling to another joint of the same object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geared: Option<Gear>,
}

/// Coupling of one joint's position to that of another, in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gear {
    /// Child of the joint to which this one is coupled.
    pub to: ObjectId,
    /// Factor on the other joint's position; not 0.
    pub ratio: f64,
    /// Position when the other joint is at 0, m or rad.
    pub offset: f64,
}

/// A spring that acts along or about a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Stiffness, N/m or N m/rad.
    pub stiffness: f64,
    /// Slack position, m or rad; if it is below the joint's lower limit, the spring is preloaded.
    pub rest: f64,
    /// Distance from the lower limit at which the joint counts as pressed, m or rad.
    pub press_at: f64,
}

impl SceneJoint {
    /// Makes a joint without friction at position 0, closed at its lower limit; set the fields that
    /// differ.
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

    /// Position at which the object is closed or off, m or rad.
    pub fn closed(&self) -> f64 {
        self.closed_at.unwrap_or(self.lower)
    }

    /// Largest opening, m or rad.
    pub fn travel(&self) -> f64 {
        let closed = self.closed();
        (self.upper - closed).max(closed - self.lower)
    }

    /// 1 if the object opens towards the upper limit, -1 if towards the lower one.
    pub fn sign(&self) -> f64 {
        let closed = self.closed();
        if self.upper - closed >= closed - self.lower {
            1.0
        } else {
            -1.0
        }
    }

    /// Returns the mistake in the joint's numbers, if there is one.
    pub fn flaw(&self) -> Option<String> {
        let limits = [self.lower, self.upper, self.start, self.closed()];
        let losses = [self.damping, self.friction, self.armature];
        let springs = self.spring.iter().flat_map(|s| [s.stiffness, s.press_at]);
        let mut at_least_0 = losses.into_iter().chain(springs);
        let inside = |x: f64| x >= self.lower - EPS && x <= self.upper + EPS;
        if limits.iter().any(|x| !x.is_finite()) || self.lower > self.upper {
            let [lower, upper] = [self.lower, self.upper];
            return Some(format!(
                "its limits are [{lower}, {upper}]; expected two finite numbers, the lower one first"
            ));
        }
        if !inside(self.start) || !inside(self.closed()) {
            let (closed, [start, lower, upper]) =
                (self.closed(), [self.start, self.lower, self.upper]);
            return Some(format!(
                "it starts at {start} and is closed at {closed}, expected positions from {lower} to {upper}"
            ));
        }
        if at_least_0.any(|x| !(x.is_finite() && x >= 0.0)) {
            return Some(
                "its damping, friction, armature and spring must not be negative".to_owned(),
            );
        }
        None
    }

    /// Motion of the child in the parent's frame from position 0 to `position`. A hinge needs
    /// [`Self::point_in_parent`].
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

    /// Current state of the joint, if the child started at `parent_from_child_at_start`.
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
            None => {
                let at_start = world_from_parent * parent_from_child_at_start;
                at_start.translation.vector.into()
            }
        };
        ObjectJoint {
            id: self.id.clone(),
            parent: self.parent.clone(),
            child: self.child.clone(),
            kind: self.kind,
            axis_in_world: (world_from_parent.rotation * (self.sign() * axis)).into(),
            point_in_world: point.coords.into(),
            opening: self.sign() * (position - self.closed()),
            opening_std: 0.0,
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

    /// Returns the position of a hinge, whole turns apart, that is nearest to the limits' middle.
    fn within_limits(&self, position: f64) -> f64 {
        if self.kind == JointKind::Prismatic {
            return position;
        }
        let turns = ((0.5 * (self.lower + self.upper) - position) / TAU).round();
        position + turns * TAU
    }
}
