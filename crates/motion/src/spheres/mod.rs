//! The robot as spheres, eight configurations at a time.
//!
//! Spheres answer three ways: a configuration whose spheres are clear is free; one
//! whose inscribed spheres are hit touches; only what lies between the two (less than
//! [`cover::EXCESS_M`] from touching) needs the exact shapes.

mod cover;
mod obstacle;
mod rake;
mod scene;
#[cfg(test)]
mod tests;

use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;
use regrasp_api::Pose;
use regrasp_kinematics::{JointKind, RobotModel};

pub(crate) use scene::{SceneOptions, SphereScene, Verdict};

use crate::collision::RobotGeometry;
use crate::shapes;
pub(crate) use cover::Cover;
use rake::Fixed;

/// Spheres of one link, in its own frame.
#[derive(Clone, Debug)]
pub(crate) struct LinkCover {
    pub(crate) link_idx: usize,
    pub(crate) is_finger: bool,
    pub(crate) moves: bool,
    pub(crate) spheres: Vec<Cover>,
}

/// Spheres that cover a robot's collision geometry.
#[derive(Clone, Debug)]
pub(crate) struct SphereModel {
    pub(crate) links: Vec<LinkCover>,
}

/// A part of the robot that moves as one: what hangs on one joint of the arm.
#[derive(Clone, Copy, Debug)]
struct Body {
    parent: usize,
    /// From the parent to the joint, its axis turned onto z.
    parent_from_z: Fixed,
    is_prismatic: bool,
    q_idx: usize,
    multiplier: f32,
    offset: f32,
}

/// How links hang on bodies, for one width of the gripper. Body 0 is the root.
pub(crate) struct Tree {
    bodies: Vec<Body>,
    /// Body of each link, and the link's pose in it.
    links: Vec<(usize, Pose)>,
}

/// Spheres that cover a shape of any kind, in its frame moved by `frame_from_shape`.
pub(crate) fn cover_shape(shape: &SharedShape, frame_from_shape: &ParryPose) -> Vec<Cover> {
    let mut spheres = vec![];
    for (shape_from_part, part) in shapes::convex_parts(shape) {
        let frame_from_part = *frame_from_shape * shape_from_part;
        spheres.extend(cover::cover(&part).into_iter().map(|s| Cover {
            centre: frame_from_part.transform_point(s.centre),
            ..s
        }));
    }
    spheres
}

impl SphereModel {
    pub(crate) fn new(geometry: &RobotGeometry) -> Self {
        let mut links: Vec<LinkCover> = vec![];
        let fixed = geometry.fixed_solids().iter().map(|s| (s, false));
        for (solid, moves) in fixed.chain(geometry.solids().iter().map(|s| (s, true))) {
            let spheres = cover_shape(&solid.shape, &solid.link_from_solid);
            match links.iter_mut().find(|l| l.link_idx == solid.link_idx) {
                Some(link) => link.spheres.extend(spheres),
                None => links.push(LinkCover {
                    link_idx: solid.link_idx,
                    is_finger: solid.is_finger,
                    moves,
                    spheres,
                }),
            }
        }
        for link in &mut links {
            drop_swallowed(&mut link.spheres);
        }
        Self { links }
    }
}

/// Drops spheres that lie inside another one of the same link.
fn drop_swallowed(spheres: &mut Vec<Cover>) {
    spheres.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let mut kept: Vec<Cover> = vec![];
    for s in spheres.drain(..) {
        let inside = |k: &Cover| (k.centre - s.centre).length() + s.radius <= k.radius + 1e-9;
        if !kept.iter().any(inside) {
            kept.push(s);
        }
    }
    *spheres = kept;
}

impl Tree {
    /// Joints that the arm does not move stay where `q_by_joint` has them.
    pub(crate) fn new(model: &RobotModel, arm_joints: &[usize], q_by_joint: &[f64]) -> Self {
        let root = Body {
            parent: 0,
            parent_from_z: Fixed::from(&Pose::identity()),
            is_prismatic: false,
            q_idx: 0,
            multiplier: 0.0,
            offset: 0.0,
        };
        let mut tree = Self {
            bodies: vec![root],
            links: vec![(0, Pose::identity())],
        };
        for (joint_idx, joint) in model.joints().iter().enumerate() {
            let (parent, body_from_parent) = tree.links[joint.parent_link_idx];
            let (source, multiplier, offset) = source(model, joint_idx);
            let q_idx = arm_joints.iter().position(|j| *j == source);
            let link = match q_idx.filter(|_| joint.kind.is_movable()) {
                None => {
                    let q = multiplier * q_by_joint[source] + offset;
                    (parent, body_from_parent * joint.parent_from_child(q))
                }
                Some(q_idx) => {
                    let turn = nalgebra::UnitQuaternion::rotation_between(
                        &nalgebra::Vector3::z(),
                        &joint.axis,
                    );
                    let half_turn = nalgebra::UnitQuaternion::from_axis_angle(
                        &nalgebra::Vector3::x_axis(),
                        std::f64::consts::PI,
                    );
                    let joint_from_z = Pose::from_parts(
                        nalgebra::Translation3::identity(),
                        turn.unwrap_or(half_turn),
                    );
                    tree.bodies.push(Body {
                        parent,
                        parent_from_z: Fixed::from(
                            &(body_from_parent * joint.parent_from_joint * joint_from_z),
                        ),
                        is_prismatic: joint.kind == JointKind::Prismatic,
                        q_idx,
                        multiplier: multiplier as f32,
                        offset: offset as f32,
                    });
                    (tree.bodies.len() - 1, joint_from_z.inverse())
                }
            };
            tree.links.push(link);
        }
        tree
    }

    /// Whether a link moves against another in a way that one joint decides, or not
    /// at all: such pairs overlap where they are joined.
    pub(crate) fn are_neighbours(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.links[a].0, self.links[b].0);
        a == b || self.bodies[a].parent == b || self.bodies[b].parent == a
    }
}

/// The joint that decides about another through mimics, with factor and offset.
fn source(model: &RobotModel, mut joint_idx: usize) -> (usize, f64, f64) {
    let (mut multiplier, mut offset) = (1.0, 0.0);
    while let Some(mimic) = model.joints()[joint_idx].mimic {
        offset += multiplier * mimic.offset;
        multiplier *= mimic.multiplier;
        joint_idx = mimic.source_joint_idx;
    }
    (joint_idx, multiplier, offset)
}
