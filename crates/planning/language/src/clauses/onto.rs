//! Tasks of putting things at a place.

use regrasp_api::{Goal, ObjectId, PerceivedObject, Relation, Zone};
use regrasp_relations::no_space;

use crate::ast::{Location, LocationNode};
use crate::destination::Destination;
use crate::reader::Reader;
use crate::referent::{How, Meant, ReadingError, Referent, list};
use crate::related::inside_of;
use crate::sides::{side_called, side_word};
use crate::task::Steps;
use crate::tree::Tree;

/// Things whose heights differ by no more than this carry something together, m.
const LEVEL_M: f64 = 0.01;

impl Reader<'_> {
    /// What putting things at a place asks for.
    pub(crate) fn put(&mut self, moved: &Meant, place: &LocationNode) -> Steps {
        let tree = &place.tree;
        if moved.things.iter().any(|t| t.zone().is_some()) {
            return Err(self.nonsense(tree, "a place cannot be moved"));
        }
        let is_fixed = |t: &&Referent| self.object(t).is_some_and(|o| !o.movable);
        if let Some(fixed) = moved.things.iter().find(is_fixed) {
            return Err(ReadingError::fixed(fixed));
        }
        self.context.current = Some(moved.clone());
        self.context.wants_inside = matches!(place.is, Location::In { .. });
        let to = self.place(place, moved);
        self.context.current = None;
        (self.context.at_place, self.context.wants_inside) = (false, false);
        self.put_at(moved, tree, to?)
    }

    fn put_at(&self, moved: &Meant, tree: &Tree, to: Destination) -> Steps {
        match to {
            Destination::On(target) => self.on(tree, moved, &target),
            Destination::In(target) => self.put_in(moved, &target),
            Destination::To(target) => self.to(tree, moved, &target),
            Destination::Related(relation, target) => {
                self.with_target(tree, moved, &target, |object, thing| {
                    let target = thing.id().clone();
                    self.check_space(relation, &object, thing)?;
                    Ok(Goal::Related {
                        relation,
                        object,
                        target,
                    })
                })
            }
            Destination::Beside(target, Some(side)) if self.is_table(&target) => {
                let zone =
                    |t: &Referent| Referent::Zone(t.id().clone(), Zone::new(side_word(side)));
                let zones = target.things.iter().map(zone).collect();
                self.on(tree, moved, &target.with(zones))
            }
            Destination::Beside(target, side) => {
                self.with_target(tree, moved, &target, |object, target| {
                    Ok(Goal::Beside {
                        object,
                        target: target.id().clone(),
                        side,
                    })
                })
            }
            Destination::Between(pair) => self.each_id(moved, |object| Goal::Between {
                object,
                targets: pair.each_ref().map(|thing| thing.id().clone()),
            }),
            Destination::Across(pair) => self.across(moved, &pair),
            Destination::Point(_) if moved.things.len() > 1 && moved.how == How::All => {
                Err(self.nonsense(tree, "several things cannot stand at one point"))
            }
            Destination::Point(point) => self.each_id(moved, |object| {
                Goal::put_at(object, [point[0], point[1]], point.get(2).copied())
            }),
        }
    }

    /// Refuses what can never be so where things are now.
    fn check_space(
        &self,
        relation: Relation,
        object: &ObjectId,
        target: &Referent,
    ) -> Result<(), ReadingError> {
        let whole = self.see(target)?;
        let object = self.percept.object(object);
        let why = object.and_then(|object| no_space(relation, self.percept, object, whole));
        why.map_or(Ok(()), |why| Err(ReadingError::Impossible(why)))
    }

    pub(super) fn across(&self, moved: &Meant, piers: &[Referent; 2]) -> Steps {
        self.each_id(moved, |object| Goal::Across {
            object,
            targets: piers.each_ref().map(|thing| thing.id().clone()),
        })
    }

    pub(super) fn on(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        if let (things @ [_, _, ..], How::All, How::Any(1)) =
            (target.things.as_slice(), target.how, moved.how)
        {
            // "a cube on each plate": another one each time.
            let on = |target: &Referent| self.on(tree, moved, &Meant::one(target.clone()));
            let steps = things.iter().map(on).collect::<Result<Vec<_>, _>>()?;
            return Ok(steps.concat());
        }
        if let ([a, b], How::All) = (target.things.as_slice(), target.how) {
            // Only things of one height carry something together: "on the plate and the cube" is
            // no bridge.
            let (one, other) = (self.see(a)?, self.see(b)?);
            let height_m = |o: &PerceivedObject| o.aabb_in_world().size().z;
            let differ =
                one.movable != other.movable || (height_m(one) - height_m(other)).abs() > LEVEL_M;
            if a.id() == b.id() || differ {
                return Err(self.nonsense(tree, "nothing lies across these"));
            }
            return self.across(moved, &[a.clone(), b.clone()]);
        }
        self.with_target(tree, moved, target, |object, thing| {
            let whole = self.see(thing)?;
            let target = thing.id().clone();
            Ok(match thing.zone() {
                Some(zone) => self.within(object, whole, zone),
                None if self.goes_over(&object, thing) => Goal::Inserted { object, target },
                None => Goal::On { object, target },
            })
        })
    }

    /// At a place of something that carries things; beside what does not.
    pub(super) fn within(&self, object: ObjectId, whole: &PerceivedObject, zone: &Zone) -> Goal {
        let target = whole.id.clone();
        match side_called(zone.as_str()) {
            Some(side) if !self.is_receptacle(whole) => Goal::Beside {
                object,
                target,
                side: Some(side),
            },
            _ => Goal::Within {
                object,
                target,
                zone: zone.clone(),
            },
        }
    }

    pub(super) fn put_in(&self, moved: &Meant, target: &Meant) -> Steps {
        if let (things @ [_, _, ..], How::All) = (target.things.as_slice(), target.how) {
            let question = format!("in which of {}?", list(things));
            return Err(ReadingError::Unclear { question });
        }
        self.with_target(&Tree::default(), moved, target, |object, thing| {
            let whole = self.see(thing)?;
            let target = thing.id().clone();
            let zone = thing.zone().cloned();
            if zone.is_none() && !self.fits_into(object.as_str(), whole) {
                let why = format!("{object} does not fit into {target}");
                return Err(ReadingError::Nonsense(why));
            }
            let is_open = whole.shape.cavity().is_some();
            let inside = || inside_of(self.percept, &whole.id).filter(|_| !is_open);
            if let Some(zone) = zone.or_else(inside) {
                return Ok(Goal::Within {
                    object,
                    target,
                    zone,
                });
            }
            let joined = self.percept.connection(&object, &whole.id);
            if joined.is_some() && !is_open {
                Ok(Goal::Inserted { object, target })
            } else if is_open || self.is_called_any(whole, "hollow") {
                Ok(Goal::In { object, target })
            } else if self.is_flat(whole) && whole.movable {
                Ok(Goal::On { object, target })
            } else {
                Err(ReadingError::Nonsense(format!("{target} has no inside")))
            }
        })
    }

    /// Returns true if a thing is small enough to lie in another, however it is turned.
    fn fits_into(&self, object: &str, whole: &PerceivedObject) -> bool {
        self.object_called(object).is_none_or(|o| {
            let size = o.aabb_in_world().size();
            let mut own = [size.x, size.y, size.z];
            own.sort_by(f64::total_cmp);
            let room = whole.aabb_in_world().size();
            own[1] <= room.x.max(room.y) && own[0] <= room.x.min(room.y)
        })
    }

    /// "to the plate" is on it, "to the bowl" in it; "to the cube" may be anything.
    pub(super) fn to(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        let Some(one) = target.single() else {
            return self.on(tree, moved, target);
        };
        let whole = self.see(one)?;
        let all_go_over = || {
            let mut moved = moved.things.iter();
            moved.all(|thing| self.goes_over(thing.id(), one))
        };
        if one.zone().is_some() {
            self.on(tree, moved, target)
        } else if whole.shape.cavity().is_some() {
            self.put_in(moved, target)
        } else if self.is_flat(whole) || all_go_over() {
            self.on(tree, moved, target)
        } else {
            Err(self.unclear(tree, &format!("_: on {one}, or beside it?")))
        }
    }
}
