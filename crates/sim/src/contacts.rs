//! What the robot and the objects feel of each other.

use nalgebra::Vector3;
use rapier3d_f64::prelude::ContactPair;
use regrasp_api::ContactForce;

use crate::convert::from_vector;
use crate::inner::Inner;
use crate::layout::Owner;

/// Weaker than this is not a contact but solver noise, N.
pub(crate) const FELT_N: f64 = 0.01;
/// A finger that presses harder than this feels something, N.
const FINGER_FEELS_N: f64 = 0.05;

/// Two shapes that press against each other.
pub(crate) struct Touch<'a> {
    pub(crate) owners: [Owner; 2],
    /// Magnitude of the sum of all normal forces, N.
    pub(crate) force_n: f64,
    pair: &'a ContactPair,
}

impl Inner {
    /// All touching pairs of the last step; pairs of the robot with itself excepted.
    pub(crate) fn touches(&self) -> impl Iterator<Item = Touch<'_>> {
        self.physics
            .narrow_phase
            .contact_pairs()
            .filter_map(|pair| {
                let owner = |collider| self.layout.owners.get(collider);
                let owners = [owner(pair.collider1)?, owner(pair.collider2)?];
                if let [Owner::Link(_), Owner::Link(_)] = owners {
                    return None;
                }
                // One step is one solver pass, so impulse over step is force.
                let force_n = pair.total_impulse().length() / self.options.dt_secs;
                (force_n > FELT_N).then_some(Touch {
                    owners,
                    force_n,
                    pair,
                })
            })
    }

    /// The touches that a link is part of, with that link's index.
    pub(crate) fn link_touches(&self) -> impl Iterator<Item = (usize, Touch<'_>)> {
        self.touches().filter_map(|touch| match touch.owners {
            [Owner::Link(link), _] | [_, Owner::Link(link)] => Some((link, touch)),
            [Owner::Object(_), Owner::Object(_)] => None,
        })
    }

    /// The hardest touch of a link that is not allowed, if it is harder than the limit.
    pub(crate) fn bump(&self, max_force_n: f64, allowed_links: &[String]) -> Option<ContactForce> {
        let links = &self.layout.robot.links;
        let hardest = self
            .link_touches()
            .filter(|(link, touch)| {
                touch.force_n > max_force_n && !allowed_links.contains(&links[*link])
            })
            .max_by(|(_, a), (_, b)| a.force_n.total_cmp(&b.force_n))?;
        Some(self.describe(hardest.0, &hardest.1))
    }

    /// All forces on links from the outside, largest first; one entry for each pair of
    /// shapes that touch.
    pub(crate) fn contact_forces(&self) -> Vec<ContactForce> {
        let mut forces: Vec<ContactForce> = self
            .link_touches()
            .map(|(link, touch)| self.describe(link, &touch))
            .collect();
        forces.sort_by(|a, b| b.force_n.total_cmp(&a.force_n));
        forces
    }

    /// Whether each finger presses on something.
    pub(crate) fn finger_contact(&self) -> [bool; 2] {
        let mut feels = [false; 2];
        for (link, touch) in self.link_touches() {
            if let Some(finger) = self.layout.robot.finger_of_link[link] {
                feels[finger] |= touch.force_n > FINGER_FEELS_N;
            }
        }
        feels
    }

    fn describe(&self, link: usize, touch: &Touch<'_>) -> ContactForce {
        ContactForce {
            link: self.layout.robot.links[link].clone(),
            force_n: touch.force_n,
            point_in_world: self.strongest_point(touch.pair).into(),
        }
    }

    /// Where the pair presses hardest, in World.
    fn strongest_point(&self, pair: &ContactPair) -> Vector3<f64> {
        let points = pair.solver_manifolds().iter().flat_map(|m| &m.points);
        let strongest = points.max_by(|a, b| a.data.impulse.total_cmp(&b.data.impulse));
        let collider = self.physics.colliders.get(pair.collider1);
        match (strongest, collider) {
            (Some(point), Some(collider)) => {
                from_vector(collider.position().transform_point(point.local_p1))
            }
            _ => Vector3::zeros(),
        }
    }
}
