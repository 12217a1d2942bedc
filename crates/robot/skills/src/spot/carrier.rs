//! A thing that carries what is held in some other way than standing, and what is around it.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Held, PerceivedObject, Percept, Pose};
use regrasp_motion::Body;

use super::ground::CLEARANCE_M;
use super::placement::{Rest, Spot};
use crate::grasp::mass_in_object;

pub(super) struct Carrier<'a> {
    pub(super) thing: &'a PerceivedObject,
    pub(super) body: Body,
    pub(super) mass_in_object: Vector3<f64>,
    pub(super) held_body: Body,
    held: &'a Held,
    others: Vec<Body>,
}

impl<'a> Carrier<'a> {
    /// `None` if one of them spans no volume.
    pub(super) fn new(
        percept: &Percept,
        held: &'a Held,
        thing: &'a PerceivedObject,
    ) -> Option<Self> {
        let others = percept.objects.iter();
        let others = others.filter(|o| o.id != held.id && o.id != thing.id);
        Some(Self {
            thing,
            body: Body::new(&thing.shape, &thing.world_from_object)?,
            mass_in_object: mass_in_object(&held.shape),
            held_body: Body::new(&held.shape, &Pose::identity())?,
            held,
            others: others
                .filter_map(|o| Body::new(&o.shape, &o.world_from_object))
                .collect(),
        })
    }

    /// How far what is held reaches from its origin along a direction of World, m.
    pub(super) fn reach_m(&self, rotation: &UnitQuaternion<f64>, direction: &Vector3<f64>) -> f64 {
        self.held.shape.support(&(rotation.inverse() * direction))
    }

    /// Whether what is held keeps so far from the carrier there, and its distance from the rest.
    pub(super) fn is_clear(&self, world_from_object: &Pose, gap_m: f64) -> bool {
        let placed = self.held_body.at(world_from_object);
        let mut others = self.others.iter();
        placed.gap_m(&self.body, gap_m).is_none()
            && others.all(|other| placed.gap_m(other, CLEARANCE_M).is_none())
    }

    /// What is held, laid there.
    pub(super) fn laid(&self, world_from_object: Pose) -> Spot {
        Spot {
            support: self.thing.id.clone(),
            world_from_object,
            rest: Rest::Laid,
            way_back: None,
        }
    }
}
