//! Self-collision of the robot, including the held object.

use regrasp_api::CollisionPair;
use regrasp_geometry_parry::to_parry;

use super::geometry::RobotGeometry;
use super::posed::{Posed, links_overlap};
use super::surroundings::Surroundings;
use crate::spheres::Travel;

impl RobotGeometry {
    pub(super) fn first_own_contact(
        &self,
        q: &[f64],
        around: &Surroundings,
    ) -> Option<CollisionPair> {
        let posed = self.posed(q, around.gripper_width_m);
        let links = around.own.links.iter();
        let is_open = |pair: &CollisionPair| !around.allowed.allows(&pair.link, &pair.other);
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

    /// Returns true if the robot does not touch itself or the held object even if every part is off
    /// by its travel.
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
        let allowed = &around.allowed;
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

    /// Name of the held object and its solid in the frame of the root.
    pub(super) fn held_in_root<'a>(
        &self,
        q: &[f64],
        around: &'a Surroundings,
    ) -> Option<(&'a str, Posed<'a>)> {
        let (name, shape, tool_from_object) = around.held()?;
        let q_by_joint = self.positions(q, around.gripper_width_m);
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
}
