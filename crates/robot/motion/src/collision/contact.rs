//! Contact and clearance of a configuration.

use parry3d_f64::bounding_volume::Aabb;
use regrasp_api::CollisionPair;
use regrasp_geometry_parry::to_parry;

use super::geometry::RobotGeometry;
use super::posed::Posed;
use super::surroundings::{Gap, Surroundings, Touch};
use crate::spheres::Travel;

impl RobotGeometry {
    /// The first pair that touches (or comes closer than the margin), if any: a link or the held
    /// object against an obstacle or against another link.
    pub(crate) fn first_contact(&self, q: &[f64], around: &Surroundings) -> Option<CollisionPair> {
        if around.is_clear(q) {
            return None;
        }
        self.first_exact_contact(q, around)
    }

    /// The first touching pair by the exact shapes alone, without spheres.
    pub(crate) fn first_exact_contact(
        &self,
        q: &[f64],
        around: &Surroundings,
    ) -> Option<CollisionPair> {
        let by_obstacle = self.first_touch(q, around, Gap::Any);
        let by_obstacle = by_obstacle.map(|touch| touch.pair);
        by_obstacle.or_else(|| self.first_own_contact(q, around))
    }

    /// Returns true if nothing touches even if every part is off by its travel.
    pub(crate) fn keeps_clear(
        &self,
        q: &[f64],
        around: &Surroundings,
        travel: Option<&Travel<'_>>,
    ) -> bool {
        let posed = self.posed(q, around.gripper_width_m);
        let held = self.held_in_root(q, around);
        let world_from_root = to_parry(&around.world_from_root);
        let keeps_clear = |name, solid: &Posed<'_>, bounds: Aabb, by_hand| {
            let travel_m = travel.map_or(0.0, |t| t.of_link(solid.link_idx));
            let pose = world_from_root * solid.pose;
            let in_world = (solid.shape, &pose, bounds.transform_by(&pose));
            around.keeps_clear(name, in_world, by_hand, travel_m)
        };
        let mut moving = self.solids.iter().zip(&posed[self.fixed_solids.len()..]);
        moving.all(|(solid, posed)| {
            let name = &self.model.links()[solid.link_idx].name;
            keeps_clear(name, posed, solid.bounds, solid.is_finger)
        }) && held.as_ref().is_none_or(|(name, posed)| {
            keeps_clear(name, posed, posed.shape.compute_local_aabb(), true)
        }) && self.keeps_clear_of_itself(&posed, held.as_ref(), around, travel)
    }

    pub(super) fn first_touch(&self, q: &[f64], around: &Surroundings, gap: Gap) -> Option<Touch> {
        let root_from_link = self
            .model
            .link_poses(&self.positions(q, around.gripper_width_m));
        let world_from_link = |link_idx: usize| around.world_from_root * root_from_link[link_idx];
        let by_arm = self.solids.iter().find_map(|solid| {
            let pose = to_parry(&world_from_link(solid.link_idx)) * solid.link_from_solid;
            let name = &self.model.links()[solid.link_idx].name;
            let posed = (&solid.shape, &pose, solid.bounds.transform_by(&pose));
            around.contact(name, posed, solid.is_finger, gap)
        });
        by_arm.or_else(|| {
            let (name, shape, tool_from_object) = around.held()?;
            let pose = to_parry(&(world_from_link(self.tool_link) * tool_from_object));
            let posed = (shape, &pose, shape.compute_aabb(&pose));
            around.contact(name, posed, true, gap)
        })
    }
}
