//! Collision groups of the robot's bodies.

use rapier3d_f64::parry::query::intersection_test;
use rapier3d_f64::prelude::{Group, InteractionGroups, InteractionTestMode};
use regrasp_geometry_parry::{Solid, Use, solids, to_parry};

use crate::assembly::Assembly;
use crate::{Result, SimError};

/// Largest number of robot bodies in the collision groups; the last bit is the world's.
const MAX_BODIES: usize = 31;

/// Collision groups by body.
///
/// Neighbours never collide: their shapes overlap on purpose at the joint. The two fingers meet at
/// the joints' stops, so closed fingers report no contact. Bodies that overlap in the home
/// configuration do so because their shapes are larger than the parts.
pub(crate) fn link_groups(assembly: &Assembly<'_>) -> Result<Vec<InteractionGroups>> {
    let n = assembly.bodies.len();
    if n > MAX_BODIES {
        return Err(SimError::robot(format_args!(
            "it has {n} links that are not fixed to others; at most {MAX_BODIES} are supported"
        )));
    }
    let mut apart = vec![u32::MAX; n];
    let mut exclude = |a: usize, b: usize| {
        apart[a] &= !(1 << b);
        apart[b] &= !(1 << a);
    };
    for (body_idx, plan) in assembly.bodies.iter().enumerate() {
        if let Some(joint_idx) = plan.joint_idx {
            let parent = assembly.model.joints()[joint_idx].parent_link_idx;
            exclude(body_idx, assembly.body_of_link[parent]);
        }
    }
    if let [left, right] = assembly.finger_bodies()[..] {
        exclude(left, right);
    }
    for (a, b) in overlaps_at_home(assembly) {
        tracing::debug!(a, b, "contacts at home are ignored");
        exclude(a, b);
    }
    let of_body = |(i, allowed): (usize, u32)| groups(1 << i, allowed);
    Ok(apart.into_iter().enumerate().map(of_body).collect())
}

pub(crate) fn world_groups() -> InteractionGroups {
    groups(1 << MAX_BODIES, u32::MAX)
}

fn groups(member_of: u32, touches: u32) -> InteractionGroups {
    let [member_of, touches] = [member_of, touches].map(Group::from_bits_truncate);
    InteractionGroups::new(member_of, touches, InteractionTestMode::And)
}

fn overlaps_at_home(assembly: &Assembly<'_>) -> Vec<(usize, usize)> {
    let Assembly { model, file, .. } = assembly;
    let names = file.arm_joints.iter().map(String::as_str);
    let named = names.zip(file.home.iter().copied());
    let Ok(q) = model.joint_positions(named) else {
        return Vec::new();
    };
    let root_from_link = model.link_poses(&q);
    let mut placed: Vec<(usize, Solid)> = Vec::new();
    for (link_idx, link) in model.links().iter().enumerate() {
        for collision in &link.collisions {
            let at = root_from_link[link_idx] * collision.link_from_geometry;
            // A shape that cannot be used is reported when colliders are built.
            let body = assembly.body_of_link[link_idx];
            let solids = solids(&collision.geometry.solid(), &at, Use::Queries);
            placed.extend(solids.into_iter().flatten().map(|solid| (body, solid)));
        }
    }
    let mut overlaps = Vec::new();
    for (i, (body_a, a)) in placed.iter().enumerate() {
        for (body_b, b) in &placed[i + 1..] {
            let touching = || {
                let [at_a, at_b] = [a, b].map(|solid| to_parry(&solid.frame_from_solid));
                let answer = intersection_test(&at_a, &*a.shape, &at_b, &*b.shape);
                answer.is_ok_and(|answer| answer.intersecting)
            };
            if body_a != body_b && !overlaps.contains(&(*body_a, *body_b)) && touching() {
                overlaps.push((*body_a, *body_b));
            }
        }
    }
    overlaps
}
