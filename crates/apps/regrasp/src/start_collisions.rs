//! Collisions of the arm's base and of its start configuration with a scene.

use std::collections::BTreeMap;

use nalgebra::{Translation3, Vector3};
use regrasp_api::{ObjectId, Pose};
use regrasp_kinematics::RobotModel;
use regrasp_motion::Body;
use regrasp_scene::Scene;

use crate::LoadedRobot;
use crate::error::StartCollision;

/// Tolerated penetration, m: a body may sink a little into its support.
const TOUCH_M: f64 = 0.001;

impl LoadedRobot {
    /// Returns the collisions of the arm with a scene at its start, except that of its base with
    /// its mount.
    pub fn start_collisions(&self, scene: &Scene) -> Vec<StartCollision> {
        let moving = moving_links(self);
        let depths = inside(self, scene).into_iter();
        let all = depths.map(|((link, object), depth_m)| StartCollision {
            moves: moving.contains(&link),
            is_loose: (scene.objects.iter()).any(|o| o.id == object && o.is_movable()),
            link,
            object,
            depth_m,
        });
        all.filter(|c| c.is_fatal() || scene.mount.as_ref() != Some(&c.object))
            .collect()
    }
}

/// Penetration depths of links in objects at the start, m, by the names of both.
fn inside(loaded: &LoadedRobot, scene: &Scene) -> BTreeMap<(String, ObjectId), f64> {
    let model = loaded.model();
    let objects = scene.objects.iter();
    let objects: Vec<_> = objects
        .filter_map(|o| Some((&o.id, Body::new(&o.shape, &o.world_from_object)?)))
        .collect();
    let mut deepest = BTreeMap::new();
    for (link_idx, world_from_link) in link_poses(loaded, scene).into_iter().enumerate() {
        let link = &model.links()[link_idx];
        for collision in &link.collisions {
            let pose = world_from_link * collision.link_from_geometry;
            let Some(body) = Body::new(&collision.geometry.solid(), &pose) else {
                continue;
            };
            for (id, object) in &objects {
                if let Some(depth_m) = depth_m(&body, &pose, object) {
                    let both = (link.name.clone(), (*id).clone());
                    let depth: &mut f64 = deepest.entry(both).or_default();
                    *depth = depth.max(depth_m);
                }
            }
        }
    }
    deepest
}

/// Penetration depth, m; `None` unless the bodies still overlap after each shift by `TOUCH_M` along
/// an axis. One measurement is not enough: for two bodies with level undersides it may return the
/// distance between the undersides.
fn depth_m(body: &Body, pose: &Pose, other: &Body) -> Option<f64> {
    let directions = [Vector3::x(), Vector3::y(), Vector3::z()];
    let shifts = directions.iter().flat_map(|d| [d * TOUCH_M, d * -TOUCH_M]);
    let gaps = shifts.map(|shift| {
        let moved = Translation3::from(shift) * pose;
        body.at(&moved).gap_m(other, 0.0)
    });
    let gaps: Vec<f64> = gaps.collect::<Option<_>>()?;
    // The deepest shift moved the body `TOUCH_M` further in.
    let deepest = gaps
        .into_iter()
        .fold(0.0, |depth: f64, gap| depth.max(-gap));
    Some(deepest - TOUCH_M)
}

/// Poses of all links in World at the start.
fn link_poses(loaded: &LoadedRobot, scene: &Scene) -> Vec<Pose> {
    let (model, info) = (loaded.model(), loaded.file());
    let mut q = vec![0.0; model.joints().len()];
    let start = scene.start_joints.as_ref().unwrap_or(&info.home);
    let fingers = info.gripper.finger_joints.iter();
    let fingers = fingers.map(|name| (name, 0.5 * scene.start_width_m));
    for (name, position) in info
        .arm_joints
        .iter()
        .zip(start.iter().copied())
        .chain(fingers)
    {
        if let Some(joint) = model.joint_idx(name) {
            q[joint] = position;
        }
    }
    let root_from_link = model.link_poses(&q);
    let base = model.link_idx(&info.base_link).unwrap_or_default();
    let world_from_root = scene.world_from_base * root_from_link[base].inverse();
    let posed = root_from_link.iter().map(|pose| world_from_root * pose);
    posed.collect()
}

fn moving_links(loaded: &LoadedRobot) -> Vec<String> {
    let model: &RobotModel = loaded.model();
    let mut moves = vec![false; model.links().len()];
    for link in 0..model.links().len() {
        if let Some(joint) = model.parent_joint_idx(link).map(|idx| &model.joints()[idx]) {
            moves[link] = joint.kind.is_movable() || moves[joint.parent_link_idx];
        }
    }
    let links = model.links().iter().zip(moves);
    links
        .filter(|(_, moves)| *moves)
        .map(|(link, _)| link.name.clone())
        .collect()
}
