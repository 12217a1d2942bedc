//! Solids of the robot at the poses that a configuration gives them.

use std::slice::from_ref;

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SharedShape;
use regrasp_api::Pose;
use regrasp_geometry_parry::to_parry;

use super::geometry::{OwnPairs, RobotGeometry};

/// A shape at its pose.
pub(crate) type ShapeAt<'a> = (&'a ParryPose, &'a SharedShape);

/// A solid of a link, or the held object.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    pub(super) name: &'a str,
    /// Index of the link, or, for the held object, of the link that holds it.
    pub(super) link_idx: usize,
    /// Set for fingers and the held object.
    pub(super) by_hand: bool,
    pub(super) shape: &'a SharedShape,
    pub(super) pose: ParryPose,
    pub(super) aabb: Aabb,
    /// Bounds in the solid's own frame.
    bounds: Aabb,
}

/// The robot in a configuration, in the frame of its root.
pub(crate) struct Placed<'a> {
    /// Solids of the links, beginning with the links that the arm does not move.
    links: Vec<Posed<'a>>,
    n_fixed: usize,
    held: Option<Posed<'a>>,
}

impl RobotGeometry {
    /// Places the robot; `held` is the name and shape of the held object and its pose in the tool's
    /// frame.
    pub(crate) fn placed<'a>(
        &'a self,
        q: &[f64],
        width_m: f64,
        held: Option<(&'a str, &'a SharedShape, &'a Pose)>,
    ) -> Placed<'a> {
        let root_from_link = self.model.link_poses(&self.positions(q, width_m));
        let links = self.fixed_solids.iter().chain(&self.solids).map(|s| {
            let pose = to_parry(&root_from_link[s.link_idx]) * s.link_from_solid;
            Posed {
                name: &self.model.links()[s.link_idx].name,
                link_idx: s.link_idx,
                by_hand: s.is_finger,
                shape: &s.shape,
                pose,
                aabb: s.bounds.transform_by(&pose),
                bounds: s.bounds,
            }
        });
        Placed {
            links: links.collect(),
            n_fixed: self.fixed_solids.len(),
            held: held.map(|(name, shape, tool_from_object)| {
                let pose = to_parry(&(root_from_link[self.tool_link] * tool_from_object));
                let bounds = shape.compute_local_aabb();
                Posed {
                    name,
                    link_idx: self.tool_link,
                    by_hand: true,
                    shape,
                    pose,
                    aabb: bounds.transform_by(&pose),
                    bounds,
                }
            }),
        }
    }
}

impl<'a> Placed<'a> {
    /// Solids that the arm moves, posed in another frame.
    pub(super) fn moving(&self, frame_from_root: &ParryPose) -> impl Iterator<Item = Posed<'a>> {
        let moving = self.links[self.n_fixed..].iter().chain(&self.held);
        moving.map(|solid| {
            let pose = *frame_from_root * solid.pose;
            let aabb = solid.bounds.transform_by(&pose);
            Posed {
                pose,
                aabb,
                ..*solid
            }
        })
    }

    /// The solids of both sides of each pair.
    pub(super) fn own_pairs(&self, own: &OwnPairs) -> impl Iterator<Item = [&[Posed<'a>]; 2]> {
        let links = own.links.iter();
        let links = links.map(|(a, b)| [self.of_link(*a), self.of_link(*b)]);
        links.chain(
            own.against_held
                .iter()
                .filter_map(|link| self.held_and(*link)),
        )
    }

    /// The held object and the solids of a link.
    pub(super) fn held_and(&self, link: usize) -> Option<[&[Posed<'a>]; 2]> {
        let held = self.held.as_ref()?;
        Some([from_ref(held), self.of_link(link)])
    }

    pub(super) fn of_link(&self, link_idx: usize) -> &[Posed<'a>] {
        let is_it = |solid: &Posed<'_>| solid.link_idx == link_idx;
        let first = self.links.iter().position(is_it);
        let links = &self.links[first.unwrap_or(self.links.len())..];
        let n = links.iter().take_while(|solid| is_it(solid)).count();
        &links[..n]
    }

    /// Returns true if two links overlap.
    pub(crate) fn overlaps(&self, a: usize, b: usize) -> bool {
        any_within([self.of_link(a), self.of_link(b)], 0.0)
    }
}

/// All pairs of a solid of one side and a solid of the other.
pub(super) fn across<'b, 'a>(
    [a, b]: [&'b [Posed<'a>]; 2],
) -> impl Iterator<Item = (&'b Posed<'a>, &'b Posed<'a>)> {
    a.iter().flat_map(move |s| b.iter().map(move |t| (s, t)))
}

/// Returns true if a solid of one side overlaps one of the other, or is nearer than `m`.
pub(super) fn any_within(pair: [&[Posed<'_>]; 2], m: f64) -> bool {
    across(pair).any(|(s, t)| {
        s.aabb.loosened(m).intersects(&t.aabb) && are_within(m, s.placed(), t.placed())
    })
}

impl Posed<'_> {
    /// Distance between two solids, m, negative while they overlap; `None` if it is more than
    /// `within_m`.
    pub(super) fn gap_m(&self, other: &Posed<'_>, within_m: f64) -> Option<f64> {
        let is_near = self.aabb.loosened(within_m).intersects(&other.aabb);
        let gap_m = || gap_m(within_m, self.placed(), other.placed());
        is_near.then(gap_m).flatten()
    }

    pub(super) fn placed(&self) -> ShapeAt<'_> {
        (&self.pose, self.shape)
    }
}

/// Distance between two shapes, m, negative while they overlap; `None` if it is more than
/// `within_m`. Parry supports all pairs of shapes that occur here; an unsupported pair would count
/// as touching.
pub(crate) fn gap_m(
    within_m: f64,
    (a_pose, a): ShapeAt<'_>,
    (b_pose, b): ShapeAt<'_>,
) -> Option<f64> {
    let contact = query::contact(a_pose, &*a.0, b_pose, &*b.0, within_m);
    contact.map_or(Some(0.0), |contact| contact.map(|c| c.dist))
}

/// Returns true if two shapes overlap or are nearer than `m`. A pair that parry cannot compare
/// counts as near.
pub(super) fn are_within(m: f64, (a_pose, a): ShapeAt<'_>, (b_pose, b): ShapeAt<'_>) -> bool {
    let a_from_b = a_pose.inv_mul(b_pose);
    match (m > 0.0, a.as_support_map(), b.as_support_map()) {
        (true, Some(a), Some(b)) => {
            let towards = a_from_b.translation.try_normalize();
            let first = CsoPoint::from_shapes(&a_from_b, a, b, towards.unwrap_or(Vector::X));
            let mut simplex = VoronoiSimplex::new();
            simplex.reset(first);
            let found = gjk::closest_points(&a_from_b, a, b, m, false, &mut simplex);
            !matches!(found, GJKResult::NoIntersection(_))
        }
        (true, ..) => gap_m(m, (a_pose, a), (b_pose, b)).is_some(),
        (false, ..) => {
            let answer = query::intersection_test(a_pose, &*a.0, b_pose, &*b.0);
            answer.map_or(true, |answer| answer.intersecting)
        }
    }
}
