//! Robot model as plain data, and forward kinematics of the whole tree.

use nalgebra::{Isometry3, Matrix3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::{ChainError, Geometry};

/// A robot: a tree of links and joints. Immutable once loaded.
///
/// `links()[0]` is the root; `links()[i + 1]` is the child of `joints()[i]`; a joint's parent link
/// always comes before its child link.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotModel {
    pub(crate) name: String,
    pub(crate) links: Vec<Link>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) linkage: Option<Linkage>,
    pub(crate) held: Vec<String>,
}

/// Hand whose fingers turn, which sliding fingers replace in the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Linkage {
    /// Joint of the URDF that drives the hand.
    pub drive: String,
    /// Distances between the pads, m, increasing, each with the position of the drive, radians (or
    /// metres if it slides).
    pub drive_by_width: Vec<[f64; 2]>,
    /// Largest distance along tool z by which the real pads reach less far than the model's, m.
    pub shorter_m: f64,
    /// Largest angle by which the real pads turn, rad.
    pub tilt_rad: f64,
    /// Smallest force on each pad over the widths at the effort of the drive, N.
    pub force_n: f64,
}

/// A rigid body of the robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name, unique among the robot's links.
    pub name: String,
    /// Mass properties; `None` for a link that is only a frame.
    pub inertial: Option<Inertial>,
    /// Collision shapes. A URDF's cylinder between two spheres of its own radius becomes one
    /// capsule.
    pub collisions: Vec<Collision>,
    /// Visual shapes.
    pub visuals: Vec<Visual>,
}

/// Mass properties of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Mass in kilograms, positive.
    pub mass_kg: f64,
    /// Frame at the centre of mass, in whose axes `inertia` is given.
    pub link_from_com: Isometry3<f64>,
    /// Inertia tensor, kg m²: positive definite, or semidefinite for a link fixed to another.
    pub inertia: Matrix3<f64>,
}

/// A collision shape, fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// Pose of the shape on its link.
    pub link_from_geometry: Isometry3<f64>,
    /// The shape.
    pub geometry: Geometry,
}

/// A visual shape, fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Visual {
    /// Pose of the shape on its link.
    pub link_from_geometry: Isometry3<f64>,
    /// The shape.
    pub geometry: Geometry,
    /// Colour and opacity, 0 to 1; `None` if the URDF has none.
    pub rgba: Option<[f64; 4]>,
}

/// Motion that a joint allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum JointKind {
    /// Rotation about the axis within limits.
    Revolute,
    /// Rotation about the axis without limits.
    Continuous,
    /// Translation along the axis within limits.
    Prismatic,
    /// No motion.
    Fixed,
}

impl JointKind {
    /// Returns true if the joint has a position.
    #[must_use]
    pub fn is_movable(self) -> bool {
        self != Self::Fixed
    }

    /// Keyword in a URDF.
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
    /// Name, unique among the robot's joints.
    pub name: String,
    /// Motion that the joint allows.
    pub kind: JointKind,
    /// Parent link, as an index into [`RobotModel::links`].
    pub parent_link_idx: usize,
    /// Child link, as an index into [`RobotModel::links`].
    pub child_link_idx: usize,
    /// Pose of the child in the parent at position zero.
    pub parent_from_joint: Isometry3<f64>,
    /// Axis of the motion in the joint's (and the child's) frame.
    pub axis: Unit<Vector3<f64>>,
    /// Bounds; all zero for a fixed joint.
    pub limits: JointLimits,
    /// Joint that this one mimics, if any.
    pub mimic: Option<Mimic>,
    /// Passive resistance.
    pub dynamics: JointDynamics,
}

/// Bounds of a joint: radians and N m, or metres and N if it is prismatic.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLimits {
    /// Lowest position; −∞ for a continuous joint.
    pub lower: f64,
    /// Highest position, never below `lower`; +∞ for a continuous joint.
    pub upper: f64,
    /// Largest speed, rad/s or m/s.
    pub velocity: f64,
    /// Largest torque or force.
    pub effort: f64,
}

/// `position = multiplier * position of the source + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// Index into [`RobotModel::joints`] of the source.
    pub source_joint_idx: usize,
    /// Factor on the source's position.
    pub multiplier: f64,
    /// Offset that is added to the product; radians or metres.
    pub offset: f64,
}

/// Passive resistance of a joint, in N m and radians, or N and metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDynamics {
    /// Resistance per unit of speed.
    pub damping: f64,
    /// Static friction.
    pub friction: f64,
}

impl JointLimits {
    /// The position within the limits that is nearest to another.
    #[must_use]
    pub fn clamp(&self, position: f64) -> f64 {
        position.clamp(self.lower, self.upper)
    }
}

impl Joint {
    /// `parent_from_child` with this joint at `position` (radians or metres; ignored
    /// if the joint is fixed).
    #[must_use]
    pub fn parent_from_child(&self, position: f64) -> Isometry3<f64> {
        let joint_from_child = match self.kind {
            JointKind::Fixed => return self.parent_from_joint,
            JointKind::Revolute | JointKind::Continuous => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&self.axis, position),
            ),
            JointKind::Prismatic => Isometry3::from_parts(
                Translation3::from(self.axis.into_inner() * position),
                UnitQuaternion::identity(),
            ),
        };
        self.parent_from_joint * joint_from_child
    }

    /// Rotation from z to the joint's axis: half a turn about x if they are opposite.
    #[must_use]
    pub fn joint_from_z(&self) -> Isometry3<f64> {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &self.axis);
        let half_turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        Isometry3::from_parts(Translation3::identity(), turn.unwrap_or(half_turn))
    }
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

    /// Returns the robot with changed limits of one joint. An unknown joint changes nothing.
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

    /// The independent joint that drives a joint through its mimics, with factor and offset: itself
    /// if it mimics none. Loading rejects cycles of mimics.
    #[must_use]
    pub fn source(&self, joint_idx: usize) -> Mimic {
        let mut source = Mimic {
            source_joint_idx: joint_idx,
            multiplier: 1.0,
            offset: 0.0,
        };
        while let Some(mimic) = self.joints[source.source_joint_idx].mimic {
            source.offset += source.multiplier * mimic.offset;
            source.multiplier *= mimic.multiplier;
            source.source_joint_idx = mimic.source_joint_idx;
        }
        source
    }

    /// Returns the model with another link, fixed to one of its links.
    ///
    /// # Errors
    ///
    /// [`ChainError`] if there is no such parent, or a link or joint with the new name.
    pub fn with_frame(
        mut self,
        name: &str,
        parent: &str,
        parent_from_joint: Isometry3<f64>,
    ) -> Result<Self, ChainError> {
        let Some(parent_link_idx) = self.link_idx(parent) else {
            return Err(ChainError(format!("no link `{parent}` in the URDF")));
        };
        if self.link_idx(name).or(self.joint_idx(name)).is_some() {
            return Err(ChainError(format!(
                "the URDF has `{name}` already: leave out `tool_in_hand`, or use another name"
            )));
        }
        self.joints.push(Joint {
            name: name.to_owned(),
            kind: JointKind::Fixed,
            parent_link_idx,
            child_link_idx: self.links.len(),
            parent_from_joint,
            axis: Vector3::x_axis(),
            limits: JointLimits::default(),
            mimic: None,
            dynamics: JointDynamics::default(),
        });
        self.links.push(Link {
            name: name.to_owned(),
            inertial: None,
            collisions: Vec::new(),
            visuals: Vec::new(),
        });
        Ok(self)
    }

    /// Returns the model with all joints fixed that are not among `driven`, mimic none of them and
    /// are not beyond the link `hand`: wheels, a torso, another arm. Each is held at the position
    /// within its limits that is nearest to zero; mimics follow their source.
    #[must_use]
    pub fn with_others_held(mut self, driven: &[String], hand: Option<&str>) -> Self {
        let q_by_joint: Vec<f64> = self.joints.iter().map(|j| j.limits.clamp(0.0)).collect();
        let hand = hand.and_then(|hand| self.link_idx(hand));
        let is_of_hand = |joint: &Joint| {
            let mut above = self.joints_above(joint.child_link_idx);
            hand.is_some_and(|hand| above.any(|j| self.joints[j].parent_link_idx == hand))
        };
        let is_held = |idx: &usize| {
            let source = &self.joints[self.source(*idx).source_joint_idx].name;
            let joint = &self.joints[*idx];
            joint.kind.is_movable() && !driven.contains(source) && !is_of_hand(joint)
        };
        let held = (0..self.joints.len()).filter(is_held);
        let held: Vec<String> = held.map(|idx| self.joints[idx].name.clone()).collect();
        let positions = (0..self.joints.len()).map(|idx| self.position(&q_by_joint, idx));
        let positions: Vec<f64> = positions.collect();
        for (joint, position) in self.joints.iter_mut().zip(positions) {
            if held.contains(&joint.name) {
                joint.parent_from_joint = joint.parent_from_child(position);
                (joint.kind, joint.mimic) = (JointKind::Fixed, None);
                joint.limits = JointLimits::default();
            }
        }
        self.held = held;
        self
    }

    /// Names of the URDF's moving joints that this model holds still.
    #[must_use]
    pub fn held(&self) -> &[String] {
        &self.held
    }

    /// Hand of turning fingers that this model's sliding ones replace, if any.
    #[must_use]
    pub fn linkage(&self) -> Option<&Linkage> {
        self.linkage.as_ref()
    }

    /// Indices of the joints from a link up to the root.
    pub(crate) fn joints_above(&self, link_idx: usize) -> impl Iterator<Item = usize> {
        let above = |joint: &usize| self.parent_joint_idx(self.joints[*joint].parent_link_idx);
        std::iter::successors(self.parent_joint_idx(link_idx), above)
    }

    /// Index of the joint that moves this link; `None` for the root.
    #[must_use]
    pub fn parent_joint_idx(&self, link_idx: usize) -> Option<usize> {
        link_idx.checked_sub(1).filter(|&i| i < self.joints.len())
    }

    /// Poses of all links in the frame of the root, in the order of [`RobotModel::links`].
    ///
    /// `q_by_joint` has one position per joint, in the order of [`RobotModel::joints`] (radians or
    /// metres). Entries of fixed joints and of joints that mimic another are ignored: a mimic's
    /// position follows from its source.
    ///
    /// # Panics
    ///
    /// If `q_by_joint` does not have one entry per joint.
    #[must_use]
    pub fn link_poses(&self, q_by_joint: &[f64]) -> Vec<Isometry3<f64>> {
        let n = self.joints.len();
        assert_eq!(q_by_joint.len(), n, "one position per joint");
        let mut root_from_link = vec![Isometry3::identity(); self.links.len()];
        for (joint_idx, joint) in self.joints.iter().enumerate() {
            let parent_from_child = joint.parent_from_child(self.position(q_by_joint, joint_idx));
            root_from_link[joint.child_link_idx] =
                root_from_link[joint.parent_link_idx] * parent_from_child;
        }
        root_from_link
    }

    /// Positions of all joints, in the order of [`RobotModel::joints`]: the named ones as given,
    /// all others zero, and mimics following their source.
    ///
    /// # Errors
    ///
    /// The names that belong to no joint of this robot.
    pub fn joint_positions<'a>(
        &self,
        named: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, Vec<String>> {
        let mut q_by_joint = vec![0.0; self.joints.len()];
        let mut unknown = Vec::new();
        for (name, position) in named {
            match self.joint_idx(name) {
                Some(joint_idx) => q_by_joint[joint_idx] = position,
                None => unknown.push(name.to_owned()),
            }
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let position = |joint_idx| self.position(&q_by_joint, joint_idx);
        Ok((0..self.joints.len()).map(position).collect())
    }

    /// Position of a joint, resolved through its mimics. Loading rejects cycles of mimics.
    pub(crate) fn position(&self, q_by_joint: &[f64], joint_idx: usize) -> f64 {
        match self.joints[joint_idx].mimic {
            Some(mimic) => {
                mimic.multiplier * self.position(q_by_joint, mimic.source_joint_idx) + mimic.offset
            }
            None => q_by_joint[joint_idx],
        }
    }
}
