//! The robot, and what it holds, against itself.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;
use regrasp_api::CollisionPair;
use regrasp_solids::to_parry;

use super::surroundings::are_within;
use super::{RobotGeometry, Surroundings};
use crate::spheres::Travel;

/// Own parts that overlap by no more than this at the start may: tracking and
/// perception are not exact, and whoever touches himself must be able to let go.
const DOUBT_M: f64 = 0.005;

/// What of a robot must not touch what else of it, as indices of links.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnPairs {
    /// Pairs of links.
    pub(crate) links: Vec<(usize, usize)>,
    /// Links that something in the hand must not touch: all that do not move with it.
    pub(crate) against_held: Vec<usize>,
}

/// A solid somewhere.
pub(super) struct Posed<'a> {
    pub(super) link_idx: usize,
    pub(super) shape: &'a SharedShape,
    pub(super) pose: ParryPose,
    aabb: Aabb,
}

impl Posed<'_> {
    /// Distance between two solids, m, if it is less than `within_m`; below zero it is
    /// how deep they overlap.
    pub(super) fn distance_m(&self, other: &Posed<'_>, within_m: f64) -> Option<f64> {
        if !self.aabb.loosened(within_m).intersects(&other.aabb) {
            return None;
        }
        let (a, b) = (&*self.shape.0, &*other.shape.0);
        let contact = query::contact(&self.pose, a, &other.pose, b, within_m);
        contact.ok().flatten().map(|c| c.dist)
    }

    fn overlaps(&self, other: &Posed<'_>) -> bool {
        self.is_within(other, 0.0)
    }

    /// Whether two solids are nearer than that, or overlap.
    fn is_within(&self, other: &Posed<'_>, m: f64) -> bool {
        self.aabb.loosened(m).intersects(&other.aabb)
            && are_within(m, (&self.pose, self.shape), (&other.pose, other.shape))
    }

    /// By how much two solids overlap, m; `None` if they do not.
    fn overlap_m(&self, other: &Posed<'_>) -> Option<f64> {
        if !self.aabb.intersects(&other.aabb) {
            return None;
        }
        let (a, b) = (&*self.shape.0, &*other.shape.0);
        // An unsupported pair counts as touching, which is the safe side.
        let contact = query::contact(&self.pose, a, &other.pose, b, 0.0);
        contact.map_or(Some(f64::INFINITY), |c| Some((-c?.dist).max(0.0)))
    }
}

impl RobotGeometry {
    /// The first of the given pairs of links that overlap, if any.
    pub(crate) fn first_self_contact(
        &self,
        q: &[f64],
        width_m: f64,
        link_pairs: &[(usize, usize)],
    ) -> Option<CollisionPair> {
        let posed = self.posed(q, width_m);
        let (a, b) = *link_pairs
            .iter()
            .find(|(a, b)| links_overlap(&posed, *a, *b))?;
        Some(self.pair(a, b))
    }

    /// The first of the robot's own pairs that overlap, what is held included.
    pub(super) fn first_own_contact(
        &self,
        q: &[f64],
        around: &Surroundings,
    ) -> Option<CollisionPair> {
        let posed = self.posed(q, around.gripper_width_m());
        let links = around.own.links.iter();
        let is_open = |pair: &CollisionPair| !around.allowed().allows(&pair.link, &pair.other);
        let touching = links.filter(|(a, b)| links_overlap(&posed, *a, *b));
        let by_links = touching.map(|(a, b)| self.pair(*a, *b)).find(is_open);
        by_links.or_else(|| {
            let (name, held) = self.held_in_root(q, around)?;
            let others = around.own.against_held.iter();
            let of_link = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
            let touching = others.filter(|l| of_link(**l).any(|s| held.overlaps(s)));
            let pair = |link: &usize| CollisionPair {
                link: name.to_owned(),
                other: self.model.links()[*link].name.clone(),
            };
            touching.map(pair).find(is_open)
        })
    }

    /// Whether the robot does not touch itself or what it holds, though everything may be
    /// off by what it travels.
    pub(super) fn keeps_clear_of_itself(
        &self,
        posed: &[Posed<'_>],
        held: Option<&(&str, Posed<'_>)>,
        around: &Surroundings,
        travel: Option<&Travel<'_>>,
    ) -> bool {
        let between = |a: usize, b: usize| travel.map_or(0.0, |t| t.between(a, b));
        let of_link = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
        let name = |link: usize| self.model.links()[link].name.as_str();
        let allowed = around.allowed();
        let mut links = around.own.links.iter();
        links.all(|&(a, b)| {
            let m = between(a, b);
            let is_near = |s: &Posed<'_>| of_link(b).any(|t| s.is_within(t, m));
            !of_link(a).any(is_near) || allowed.allows(name(a), name(b))
        }) && held.is_none_or(|(who, held)| {
            let mut links = around.own.against_held.iter();
            links.all(|&link| {
                let m = between(held.link_idx, link);
                !of_link(link).any(|s| held.is_within(s, m)) || allowed.allows(who, name(link))
            })
        })
    }

    /// The pairs less those that overlap a little at the start.
    pub(super) fn open_pairs(
        &self,
        start: &[f64],
        around: &Surroundings,
        own: &OwnPairs,
    ) -> OwnPairs {
        let posed = self.posed(start, around.gripper_width_m());
        let is_open = |overlap: Option<f64>| overlap.is_none_or(|m| m > DOUBT_M);
        let held = self.held_in_root(start, around);
        let links = own.links.iter().copied();
        OwnPairs {
            links: links
                .filter(|(a, b)| is_open(links_overlap_m(&posed, *a, *b)))
                .collect(),
            against_held: held.map_or(vec![], |(_, held)| {
                let links = own.against_held.iter().copied();
                links
                    .filter(|link| is_open(held_overlap_m(&posed, &held, *link)))
                    .collect()
            }),
        }
    }

    /// All solids, in the frame of the root.
    pub(super) fn posed(&self, q: &[f64], width_m: f64) -> Vec<Posed<'_>> {
        let root_from_link = self.model.link_poses(&self.positions(q, width_m));
        let solids = self.fixed_solids.iter().chain(&self.solids);
        let posed = solids.map(|s| {
            let pose = to_parry(&root_from_link[s.link_idx]) * s.link_from_solid;
            Posed {
                link_idx: s.link_idx,
                shape: &s.shape,
                pose,
                aabb: s.bounds.transform_by(&pose),
            }
        });
        posed.collect()
    }

    /// What is held, in the frame of the root.
    pub(super) fn held_in_root<'a>(
        &self,
        q: &[f64],
        around: &'a Surroundings,
    ) -> Option<(&'a str, Posed<'a>)> {
        let (name, shape, tool_from_object) = around.held()?;
        let q_by_joint = self.positions(q, around.gripper_width_m());
        let root_from_tool = self.model.link_poses(&q_by_joint)[self.tool_link];
        let pose = to_parry(&(root_from_tool * tool_from_object));
        let held = Posed {
            link_idx: self.tool_link,
            shape,
            pose,
            aabb: shape.compute_aabb(&pose),
        };
        Some((name, held))
    }

    fn pair(&self, a: usize, b: usize) -> CollisionPair {
        CollisionPair {
            link: self.model.links()[a].name.clone(),
            other: self.model.links()[b].name.clone(),
        }
    }
}

fn links_overlap(posed: &[Posed<'_>], a: usize, b: usize) -> bool {
    let of = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
    of(a).any(|s| of(b).any(|t| s.overlaps(t)))
}

fn links_overlap_m(posed: &[Posed<'_>], a: usize, b: usize) -> Option<f64> {
    let of = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
    let each = of(a).filter_map(|s| deepest(of(b).filter_map(|t| s.overlap_m(t))));
    deepest(each)
}

fn held_overlap_m(posed: &[Posed<'_>], held: &Posed<'_>, link: usize) -> Option<f64> {
    let of_link = posed.iter().filter(|s| s.link_idx == link);
    deepest(of_link.filter_map(|s| held.overlap_m(s)))
}

fn deepest(overlaps: impl Iterator<Item = f64>) -> Option<f64> {
    overlaps.reduce(f64::max)
}
