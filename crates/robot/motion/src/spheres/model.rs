//! Spheres of the robot's collision geometry.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

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

/// Spheres of the last held shape. Successive requests mostly hold the same object, and covering a
/// flat one takes as long as planning a motion.
#[derive(Debug, Default)]
pub(crate) struct HeldCover(Mutex<Option<(Shape, Vec<Cover>)>>);

impl HeldCover {
    /// Spheres that cover the held object, in the frame of the tool.
    pub(crate) fn of(&self, held: &Attachment, shape: &SharedShape) -> Vec<Cover> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(known, _)| *known != held.shape) {
            *last = Some((held.shape.clone(), cover_parts(shape, EXCESS_M)));
        }
        let spheres = last.iter().flat_map(|(_, spheres)| spheres.clone());
        placed(spheres, &to_parry(&held.tool_from_object))
    }
}

/// Spheres that cover the convex parts of a shape.
fn cover_parts(shape: &SharedShape, excess_m: f64) -> Vec<Cover> {
    match shape.as_compound() {
        Some(compound) => {
            let parts = compound.shapes().iter();
            let each = parts.map(|(pose, part)| placed(cover::cover(part, excess_m), pose));
            each.flatten().collect()
        }
        None => cover::cover(shape, excess_m),
    }
}

fn placed(spheres: impl IntoIterator<Item = Cover>, frame_from_part: &ParryPose) -> Vec<Cover> {
    let placed = spheres.into_iter().map(|s| Cover {
        centre: frame_from_part.transform_point(s.centre),
        ..s
    });
    placed.collect()
}

/// Spheres of one solid, in the frame of its link.
fn covers(solid: &LinkSolid, moves: bool) -> Vec<Cover> {
    let excess_m = if moves {
        EXCESS_M
    } else {
        cover::STILL_EXCESS_M
    };
    let spheres = economy::cover(&solid.shape);
    let spheres = spheres.unwrap_or_else(|| cover_parts(&solid.shape, excess_m));
    placed(spheres, &solid.link_from_solid)
}

impl SphereModel {
    pub(crate) fn new(geometry: &RobotGeometry) -> Self {
        let mut links: Vec<LinkCover> = vec![];
        let fixed = geometry.fixed_solids.iter().map(|s| (s, false));
        let solids = fixed.chain(geometry.solids.iter().map(|s| (s, true)));
        let solids: Vec<_> = solids.collect();
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

/// Spheres of all solids. Computing them takes a good part of a second, most of it for the large
/// links, and much longer for meshes with thousands of corners.
fn all_covers(geometry: &RobotGeometry, solids: &[(&LinkSolid, bool)]) -> Vec<Vec<Cover>> {
    let name = geometry.model.name();
    tracing::info!(target: "prepare", "covering the {} shapes of `{name}` with spheres", solids.len());
    let start = std::time::Instant::now();
    let done = std::thread::scope(|scope| {
        let cover = |&(solid, moves)| scope.spawn(move || covers(solid, moves));
        let jobs: Vec<_> = solids.iter().map(cover).collect();
        let jobs = jobs.into_iter();
        let done = jobs.map(|job| job.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.collect::<Vec<Vec<Cover>>>()
    });
    tracing::info!(
        target: "prepare",
        "covered `{name}` with {} spheres in {:.1} s; saved in the cache, if there is one",
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
