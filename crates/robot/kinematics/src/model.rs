//! The robot as plain data.

use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

use crate::Geometry;

/// A robot: links joined into one tree. Immutable once loaded.
///
/// `links()[0]` is the root; `links()[i + 1]` is the child of `joints()[i]`; a
/// joint's parent link always comes before its child link.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotModel {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
}

/// A rigid body of the robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Unique among the robot's links.
    pub name: String,
    /// Mass properties; `None` for a mere frame.
    pub inertial: Option<Inertial>,
    /// Shapes to collide with. A URDF's cylinder between two spheres of its own
    /// radius is one capsule here.
    pub collisions: Vec<Collision>,
    /// Shapes to look at.
    pub visuals: Vec<Visual>,
}

/// Mass properties of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Mass in kilograms, positive.
    pub mass_kg: f64,
    /// The frame at the centre of mass in whose axes `inertia` is written.
    pub link_from_com: Isometry3<f64>,
    /// Inertia tensor in kg m², positive definite.
    pub inertia: Matrix3<f64>,
}

/// A shape to collide with, fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// Where the shape sits on its link.
    pub link_from_geometry: Isometry3<f64>,
    /// The shape.
    pub geometry: Geometry,
}

/// A shape to look at, fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Visual {
    /// Where the shape sits on its link.
    pub link_from_geometry: Isometry3<f64>,
    /// The shape.
    pub geometry: Geometry,
    /// Colour and opacity, 0 to 1; `None` where the URDF names none.
    pub rgba: Option<[f64; 4]>,
}

/// What a joint lets its child link do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum JointKind {
    /// Rotation about the axis within limits.
    Revolute,
    /// Rotation about the axis without limits.
    Continuous,
    /// Translation along the axis within limits.
    Prismatic,
    /// Nothing.
    Fixed,
}

impl JointKind {
    /// Returns true if the joint has a position.
    #[must_use]
    pub fn is_movable(self) -> bool {
        self != Self::Fixed
    }

    /// Its word in a URDF.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A joint between two links.
///
/// `parent_from_child = parent_from_joint * motion(axis, position)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique among the robot's joints.
    pub name: String,
    /// What it lets its child do.
    pub kind: JointKind,
    /// Index into [`RobotModel::links`].
    pub parent_link_idx: usize,
    /// Index into [`RobotModel::links`].
    pub child_link_idx: usize,
    /// The child's pose at position zero, in the parent.
    pub parent_from_joint: Isometry3<f64>,
    /// Axis of the motion in the joint's (and the child's) frame.
    pub axis: Unit<Vector3<f64>>,
    /// Bounds; all zero for a fixed joint.
    pub limits: JointLimits,
    /// The joint whose position this one follows, if it does.
    pub mimic: Option<Mimic>,
    /// Passive resistance.
    pub dynamics: JointDynamics,
}

/// Bounds of a joint: radians and N m, or metres and N if it is prismatic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimits {
    /// Lowest position; −∞ for a continuous joint.
    pub lower: f64,
    /// Highest position, never below `lower`; +∞ for a continuous joint.
    pub upper: f64,
    /// Greatest speed, a second.
    pub velocity: f64,
    /// Greatest force or torque.
    pub effort: f64,
}

/// `position = multiplier * position of the source + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// Index into [`RobotModel::joints`] of the joint followed.
    pub source_joint_idx: usize,
    /// Factor on the source's position.
    pub multiplier: f64,
    /// Added to the product; radians or metres.
    pub offset: f64,
}

/// Passive resistance of a joint, in N m and radians, or N and metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDynamics {
    /// Resistance for each unit of speed.
    pub damping: f64,
    /// Resistance against starting to move.
    pub friction: f64,
}

impl RobotModel {
    /// The robot's name in its URDF.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All links, the root first, parents before children.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The same robot, one of whose joints has other limits. A joint that it has not changes
    /// nothing.
    #[must_use]
    pub fn with_limits(mut self, joint: &str, limits: impl FnOnce(&mut JointLimits)) -> Self {
        if let Some(joint) = self.joints.iter_mut().find(|known| known.name == joint) {
            limits(&mut joint.limits);
        }
        self
    }

    /// All joints, fixed ones included; `joints()[i]` moves `links()[i + 1]`.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Index of the link of this name.
    #[must_use]
    pub fn link_idx(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// Index of the joint of this name.
    #[must_use]
    pub fn joint_idx(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Index of the joint that moves this link; `None` for the root.
    #[must_use]
    pub fn parent_joint_idx(&self, link_idx: usize) -> Option<usize> {
        link_idx.checked_sub(1).filter(|&i| i < self.joints.len())
    }
}

impl Inertial {
    /// Returns true if the tensor can belong to a body of non-negative density: no principal
    /// moment exceeds the sum of the other two (relative tolerance 1e-9).
    #[must_use]
    pub fn satisfies_triangle_inequality(&self) -> bool {
        let moments = self.inertia.symmetric_eigenvalues();
        2.0 * moments.max() <= moments.sum() * (1.0 + 1e-9)
    }
}
