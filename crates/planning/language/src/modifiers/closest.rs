//! Selects the best fits among several objects that fit a phrase.

use regrasp_api::PerceivedObject;

use crate::modifiers::select::ranked;
use crate::reader::Reader;
use crate::referent::{Referent, those};
use crate::related::{Sense, gap_m};

/// Limits within which an object is clearly nearer than the next: its distance as a fraction of the
/// other's, and the difference, m, half the width of a cup.
const CLEARLY: f64 = 0.5;
const CLEARLY_M: f64 = 0.04;

/// Returns the objects for which a relation holds, in the strictest sense in which it holds for
/// any.
pub(super) fn closest_sense(
    things: &[Referent],
    holds: impl Fn(&Referent, Sense) -> bool,
) -> Vec<Referent> {
    let senses = [Sense::Exact, Sense::Strict, Sense::Loose].into_iter();
    let mut found = senses.map(|sense| those(things, |thing| holds(thing, sense)));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

impl Reader<'_> {
    /// Returns the clearly nearest of several objects beside another, or in the middle of a large
    /// one.
    pub(super) fn clearly_nearest(
        &self,
        relation: &str,
        found: Vec<Referent>,
        others: &[Referent],
    ) -> Vec<Referent> {
        let [other] = others else {
            return found;
        };
        let (Some(whole), true) = (self.object(other), found.len() > 1) else {
            return found;
        };
        let middle = other.zone().filter(|zone| zone.as_str() == "middle");
        let distance_m = |thing: &Referent| {
            let object = self.object(thing)?;
            let aabb = [object, whole].map(PerceivedObject::aabb_in_world);
            match (middle, relation) {
                (Some(_), _) => Some((aabb[0].center() - aabb[1].center()).xy().norm()),
                (None, "beside") => Some(gap_m(object, whole)),
                _ => None,
            }
        };
        match ranked(&found, |thing| distance_m(thing).map(|m| -m)).as_slice() {
            [(near, nearest), (next, _), ..]
                if -near <= CLEARLY * -next && near - next >= CLEARLY_M =>
            {
                vec![(*nearest).clone()]
            }
            _ => found,
        }
    }

    /// Adds to objects straight to one side of another those that are less straight but nearer. If
    /// one of these is clearly nearest, it is the only result.
    pub(super) fn with_nearer(
        &self,
        straight: Vec<Referent>,
        towards: &[Referent],
        others: &[Referent],
    ) -> Vec<Referent> {
        let [Some(whole)] = others
            .iter()
            .map(|other| self.object(other))
            .collect::<Vec<_>>()[..]
        else {
            return straight;
        };
        let distance_m = |thing: &Referent| {
            let object = self.object(thing);
            object.map_or(f64::INFINITY, |object| gap_m(object, whole))
        };
        let near_m = straight
            .iter()
            .map(&distance_m)
            .fold(f64::INFINITY, f64::min);
        let nearer = those(towards, |t| distance_m(t) < near_m - CLEARLY_M);
        match nearer.as_slice() {
            [] => straight,
            [one] if distance_m(one) <= CLEARLY * near_m => nearer,
            _ => [straight, nearer].concat(),
        }
    }
}
