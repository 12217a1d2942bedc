//! Distances between pairs.

use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::query;
use regrasp_api::CollisionPair;
use regrasp_geometry_parry::to_parry;

use super::geometry::RobotGeometry;
use super::surroundings::Surroundings;

/// Two parts near each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Proximity {
    /// The link (or the held object), and the obstacle or other link.
    pub pair: CollisionPair,
    /// Distance between the two parts, m, negative while they overlap.
    pub distance_m: f64,
}

impl RobotGeometry {
    /// All pairs nearer than `within_m` that may not touch, nearest first, by the exact shapes.
    pub(crate) fn proximities(
        &self,
        q: &[f64],
        around: &Surroundings,
        within_m: f64,
    ) -> Vec<Proximity> {
        let world_from_root = to_parry(&around.world_from_root);
        let posed = self.posed(q, around.gripper_width_m);
        let held = self.held_in_root(q, around);
        let mut near: Vec<Proximity> = vec![];
        let mut add = |link: &str, other: &str, distance_m: Option<f64>| {
            let Some(distance_m) = distance_m.filter(|_| !around.allowed.allows(link, other))
            else {
                return;
            };
            let is_same = |p: &&mut Proximity| p.pair.link == link && p.pair.other == other;
            match near.iter_mut().find(is_same) {
                Some(known) => known.distance_m = known.distance_m.min(distance_m),
                None => near.push(Proximity {
                    pair: CollisionPair {
                        link: link.to_owned(),
                        other: other.to_owned(),
                    },
                    distance_m,
                }),
            }
        };
        let name = |link_idx: usize| self.model.links()[link_idx].name.as_str();
        let moving = |link_idx: usize| self.solids.iter().any(|s| s.link_idx == link_idx);
        let links = posed.iter().filter(|s| moving(s.link_idx));
        let links = links.map(|s| (name(s.link_idx), s));
        for (who, solid) in links.chain(held.iter().map(|(who, s)| (*who, s))) {
            let pose = world_from_root * solid.pose;
            let aabb = solid.shape.compute_aabb(&pose).loosened(within_m);
            for (other, shape, at, bounds) in around.obstacles() {
                if bounds.intersects(&aabb) {
                    let gap = query::contact(&pose, &*solid.shape.0, at, &*shape.0, within_m);
                    add(who, other, gap.ok().flatten().map(|c| c.dist));
                }
            }
        }
        for solid in &posed {
            for other in &posed {
                let pair = (solid.link_idx, other.link_idx);
                if around.own.links.contains(&pair) {
                    let distance_m = solid.distance_m(other, within_m);
                    add(name(pair.0), name(pair.1), distance_m);
                }
            }
            if let Some((who, held)) = &held
                && around.own.against_held.contains(&solid.link_idx)
            {
                add(who, name(solid.link_idx), held.distance_m(solid, within_m));
            }
        }
        near.sort_by(|a, b| a.distance_m.total_cmp(&b.distance_m));
        near
    }
}
