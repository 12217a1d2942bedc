//! Spheres of the robot's collision geometry.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Attachment, Shape};
use regrasp_geometry_parry::to_parry;

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

/// Spheres of the convex parts of a shape, with the poses of the parts in it.
type PartCovers = Vec<(ParryPose, Vec<Cover>)>;

/// Spheres of the last held shape: many requests in a row are about one object, and a flat one
/// takes as long to cover as a motion to plan.
#[derive(Debug, Default)]
pub(crate) struct HeldCover(Mutex<Option<(Shape, Arc<PartCovers>)>>);

impl HeldCover {
    /// Spheres that cover the held object, in the frame of the tool.
    pub(crate) fn of(&self, held: &Attachment, shape: &SharedShape) -> Vec<Cover> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = match &*last {
            Some((known, parts)) if *known == held.shape => Arc::clone(parts),
            _ => {
                let parts = Arc::new(cover_parts(shape, EXCESS_M));
                *last = Some((held.shape.clone(), Arc::clone(&parts)));
                parts
            }
        };
        place_parts(&parts, &to_parry(&held.tool_from_object))
    }
}

/// Spheres that cover the convex parts of a shape.
fn cover_parts(shape: &SharedShape, excess_m: f64) -> PartCovers {
    let parts = convex_parts(shape).into_iter();
    parts
        .map(|(shape_from_part, part)| (shape_from_part, cover::cover(&part, excess_m)))
        .collect()
}

/// The spheres of all parts, in the frame given by `frame_from_shape`.
fn place_parts(parts: &PartCovers, frame_from_shape: &ParryPose) -> Vec<Cover> {
    let placed = parts.iter().flat_map(|(shape_from_part, spheres)| {
        placed(spheres.clone(), &(*frame_from_shape * *shape_from_part)).collect::<Vec<_>>()
    });
    placed.collect()
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
        None => place_parts(&cover_parts(&solid.shape, excess_m), &solid.link_from_solid),
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
