//! Solids of the robot at the poses that a configuration gives them.

use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::query;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SharedShape;
use regrasp_api::CollisionPair;
use regrasp_geometry_parry::to_parry;

use super::geometry::RobotGeometry;

pub(super) struct Posed<'a> {
    pub(super) link_idx: usize,
    pub(super) shape: &'a SharedShape,
    pub(super) pose: ParryPose,
    pub(super) aabb: Aabb,
}

impl Posed<'_> {
    /// Distance between two solids, m, negative while they overlap; `None` if it is at least
    /// `within_m`.
    pub(super) fn distance_m(&self, other: &Posed<'_>, within_m: f64) -> Option<f64> {
        if !self.aabb.loosened(within_m).intersects(&other.aabb) {
            return None;
        }
        let (a, b) = (&*self.shape.0, &*other.shape.0);
        let contact = query::contact(&self.pose, a, &other.pose, b, within_m);
        contact.ok().flatten().map(|c| c.dist)
    }

    pub(super) fn overlaps(&self, other: &Posed<'_>) -> bool {
        self.is_within(other, 0.0)
    }

    pub(super) fn is_within(&self, other: &Posed<'_>, m: f64) -> bool {
        self.aabb.loosened(m).intersects(&other.aabb)
            && are_within(m, (&self.pose, self.shape), (&other.pose, other.shape))
    }

    /// Depth of the overlap of two solids, m; `None` if they do not overlap.
    pub(super) fn overlap_m(&self, other: &Posed<'_>) -> Option<f64> {
        if !self.aabb.intersects(&other.aabb) {
            return None;
        }
        let (a, b) = (&*self.shape.0, &*other.shape.0);
        // An unsupported pair counts as touching, to be safe.
        let contact = query::contact(&self.pose, a, &other.pose, b, 0.0);
        contact.map_or(Some(f64::INFINITY), |c| Some((-c?.dist).max(0.0)))
    }
}

impl RobotGeometry {
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

    pub(super) fn pair(&self, a: usize, b: usize) -> CollisionPair {
        CollisionPair {
            link: self.model.links()[a].name.clone(),
            other: self.model.links()[b].name.clone(),
        }
    }
}

pub(super) fn links_overlap(posed: &[Posed<'_>], a: usize, b: usize) -> bool {
    let of = |link: usize| posed.iter().filter(move |s| s.link_idx == link);
    of(a).any(|s| of(b).any(|t| s.overlaps(t)))
}

/// Returns true if two solids overlap or are nearer than `m`. A pair that parry cannot compare
/// counts as near.
pub(super) fn are_within(
    m: f64,
    (a_pose, a): (&ParryPose, &SharedShape),
    (b_pose, b): (&ParryPose, &SharedShape),
) -> bool {
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
        (true, ..) => {
            let gap = query::contact(a_pose, &*a.0, b_pose, &*b.0, m);
            gap.map_or(true, |contact| contact.is_some())
        }
        (false, ..) => {
            let answer = query::intersection_test(a_pose, &*a.0, b_pose, &*b.0);
            answer.map_or(true, |answer| answer.intersecting)
        }
    }
}
