//! Spheres of the robot's collision geometry.

use std::panic::resume_unwind;

use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;

use super::cover::{self, Cover, EXCESS_M};
use super::economy;
use super::kept;
use crate::collision::{LinkSolid, RobotGeometry};

/// Spheres of one link, in its own frame.
#[derive(Clone, Debug)]
pub(crate) struct LinkCover {
    pub(crate) link_idx: usize,
    pub(crate) is_finger: bool,
    pub(crate) moves: bool,
    pub(crate) spheres: Vec<Cover>,
}

#[derive(Clone, Debug)]
pub(crate) struct SphereModel {
    pub(crate) links: Vec<LinkCover>,
}

/// Spheres that cover a shape of any kind, in the frame given by `frame_from_shape`.
pub(crate) fn cover_shape(
    shape: &SharedShape,
    frame_from_shape: &ParryPose,
    excess_m: f64,
) -> Vec<Cover> {
    let mut spheres = vec![];
    for (shape_from_part, part) in convex_parts(shape) {
        let frame_from_part = *frame_from_shape * shape_from_part;
        spheres.extend(placed(cover::cover(&part, excess_m), &frame_from_part));
    }
    spheres
}

/// The convex parts of a shape, and their poses in it.
fn convex_parts(shape: &SharedShape) -> Vec<(ParryPose, SharedShape)> {
    match shape.as_compound() {
        Some(compound) => compound.shapes().to_vec(),
        None => vec![(ParryPose::IDENTITY, shape.clone())],
    }
}

fn placed(spheres: Vec<Cover>, frame_from_part: &ParryPose) -> impl Iterator<Item = Cover> {
    spheres.into_iter().map(|s| Cover {
        centre: frame_from_part.transform_point(s.centre),
        ..s
    })
}

/// Spheres of one solid, in the frame of its link.
fn covers(solid: &LinkSolid, moves: bool) -> Vec<Cover> {
    let excess_m = if moves {
        EXCESS_M
    } else {
        cover::STILL_EXCESS_M
    };
    match economy::cover(&solid.shape) {
        Some(spheres) => placed(spheres, &solid.link_from_solid).collect(),
        None => cover_shape(&solid.shape, &solid.link_from_solid, excess_m),
    }
}

impl SphereModel {
    pub(crate) fn new(geometry: &RobotGeometry) -> Self {
        let mut links: Vec<LinkCover> = vec![];
        let fixed = geometry.fixed_solids.iter().map(|s| (s, false));
        let solids: Vec<_> = fixed
            .chain(geometry.solids.iter().map(|s| (s, true)))
            .collect();
        let covers = kept::or(geometry, &solids, || all_covers(geometry, &solids));
        for ((solid, moves), spheres) in solids.into_iter().zip(covers) {
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

/// Spheres of all solids. It takes a good part of a second, most of it for the large links, and
/// much longer for meshes with thousands of corners.
fn all_covers(geometry: &RobotGeometry, solids: &[(&LinkSolid, bool)]) -> Vec<Vec<Cover>> {
    let name = geometry.model.name();
    tracing::info!(target: "prepare", "covering the {} shapes of `{name}` with spheres", solids.len());
    let start = std::time::Instant::now();
    let done = std::thread::scope(|scope| {
        let cover = |&(solid, moves)| scope.spawn(move || covers(solid, moves));
        let jobs: Vec<_> = solids.iter().map(cover).collect();
        let done = jobs
            .into_iter()
            .map(|job| job.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.collect::<Vec<Vec<Cover>>>()
    });
    tracing::info!(
        target: "prepare",
        "`{name}`: {} spheres after {:.1} s; kept in the cache, if there is one",
        done.iter().map(Vec::len).sum::<usize>(),
        start.elapsed().as_secs_f64(),
    );
    done
}

/// Drops spheres inside another one of the same link.
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
