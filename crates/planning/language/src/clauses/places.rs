//! Destinations of objects; lengths, directions and points.

use std::fmt::Display;

use nalgebra::Vector2;
use regrasp_api::{Heading, PerceivedObject, Relation, Side, Zone};
use regrasp_relations::level_z;

use crate::ast::{Far, Length, Location, LocationNode, NounPhrase, Np, Word};
use crate::properties::is_low;
use crate::reader::{Reader, number};
use crate::referent::{Destination, Meant, ReadingError, Referent, Resolved};
use crate::related::{side_of, side_word};
use crate::task::Reference;
use crate::tokens::Token;
use crate::tree::Tree;

impl Reader<'_> {
    pub(super) fn place(&mut self, place: &LocationNode, moved: &Meant) -> Resolved<Destination> {
        let tree = &place.tree;
        self.context.at_place = tree.parts.iter().any(|part| part.name() == "Pronoun");
        let found = match &place.is {
            Location::At { relation, np } => self.at(relation, np)?,
            Location::Both { .. } | Location::Places { .. } => {
                return Err(self.nonsense(tree, "_ is more than one place; name one"));
            }
            Location::Off { length, side, np } => self.off_side(length, side, np, moved)?,
            Location::Point { point } => Destination::Point(self.point(point)?, None),
            Location::Numbers { x, y } => {
                Destination::Point([x, y].into_iter().filter_map(number).collect(), None)
            }
            Location::There => {
                let before = self.context.place.clone();
                before.ok_or_else(|| self.unclear(tree, "where is _?"))?
            }
            Location::PlaceOf { np, before } => self.place_of(np, before.is_some(), moved)?,
            Location::BackAgain => {
                // In "take this and put that in its place", "its" is ambiguous.
                let is_own = |m: &&Meant| m.things != moved.things;
                let is_other = self.context.moved.iter().any(|m| is_own(&m));
                let is_first = self.context.moved.iter().filter(|m| !is_own(m)).count() < 2;
                if is_other && is_first {
                    return Err(self.unclear(tree, "_: of what?"));
                }
                let object = self.only(moved, tree, "it is not clear which object was there")?;
                Destination::point(object.position().xy())
            }
        };
        self.context.place = Some(found.clone());
        Ok(found)
    }

    /// Reads a destination that is a relation to objects.
    fn at(&mut self, word: &Word, np: &Np) -> Resolved<Destination> {
        let relation = word.means.as_str();
        Ok(match relation {
            "over" if self.covers() => {
                let why = "a vessel over it is upside down, which no goal states; write \"on\"";
                return Err(ReadingError::Impossible(why.into()));
            }
            "on" | "over" => {
                let target = self.upon(np, false)?;
                self.on_or_beside("on", np, target)
            }
            "to" => {
                let target = self.np(np)?;
                self.on_or_beside(relation, np, target)
            }
            "on_top" => Destination::at("on", self.upon(np, true)?),
            "in" => Destination::at("in", self.into(np)?),
            "beside" => Destination::at(relation, self.np(np)?),
            "midway" => {
                let meant = self.np(np)?;
                let pair = match meant.single() {
                    // The middle of an object that can be moved is a place on it.
                    Some(one) if one.zone().is_none() && self.see(one)?.movable => {
                        let middle = Referent::Zone(one.id().clone(), Zone::new("middle"));
                        return Ok(Destination::at("on", Meant::one(middle)));
                    }
                    Some(one) => [one.clone(), one.clone()],
                    None => self.two(&np.tree, &meant)?,
                };
                let [a, b] = [self.expected_at(&pair[0])?, self.expected_at(&pair[1])?];
                let middle = 0.5 * (a + b).xy();
                pair.iter().for_each(|one| self.relate(one, middle.into()));
                Destination::point(middle)
            }
            "between" | "across" => {
                let pair = self.np(np)?;
                let [a, b] = self.two(&np.tree, &pair)?;
                let differ = a.id() == b.id() || self.see(&a)?.movable != self.see(&b)?.movable;
                if relation == "across" && differ {
                    let why = "_: name two objects, both fixed or both movable";
                    return Err(self.nonsense(&np.tree, why));
                }
                Destination::at(relation, pair)
            }
            "under" if let Some(space) = self.clone().under(np) => {
                self.note(&np.tree, &space, "the space below the board");
                Destination::at("on", space)
            }
            "against" if matches!(np.is, NounPhrase::Part { .. }) => {
                return Err(self.nonsense(&np.tree, "_: name the object, not a part of it"));
            }
            // A relation to a zone means the whole object.
            name if Relation::named(name).is_some() => Destination::at(name, self.whole_or(np)?),
            _ => {
                let side = self.scene.viewpoint.side(relation);
                let side = side.ok_or_else(|| self.which_side(word))?.predicate();
                let other = self.other_side_of_it(np, relation);
                let whole = other.map_or_else(|| self.np(np), Ok)?;
                Destination::at(side, whole)
            }
        })
    }

    /// Returns true if a moved object is a deep vessel, which would be upside down over another.
    fn covers(&self) -> bool {
        let moved = self.context.current.iter().flat_map(|meant| &meant.things);
        let mut moved = moved.filter_map(|thing| self.object(thing));
        moved.any(|o| o.shape.cavity().is_some() && !is_low(o))
    }

    /// Resolves "it" in "A to the right of B and C to the left of it" to B. With the same side
    /// twice, it means A.
    fn other_side_of_it(&self, np: &Np, word: &str) -> Option<Meant> {
        let is_it = matches!(&np.is, NounPhrase::Pronoun { word } if word.means == "it");
        let side = self.scene.viewpoint.side(word).filter(|_| is_it)?;
        match self.context.place.as_ref()? {
            Destination::At(other, before) if *other != side.predicate() => {
                side_of(other).map(|_| before.clone())
            }
            Destination::Point(point, Some(_)) => {
                let last = self.context.references.last()?;
                let before = Referent::Object(last.object.clone());
                let way = Vector2::new(point[0], point[1]) - self.expected_at(&before).ok()?.xy();
                let along_m = way.dot(&self.scene.viewpoint.direction(word)?);
                (along_m < 0.5 * way.norm()).then(|| Meant::one(before))
            }
            Destination::At(..) | Destination::Point(..) => None,
        }
    }

    /// Decides between on and beside: "on the right side of the bowl" means beside it, because only
    /// low objects have sides that carry others. A half or an end is always a part of the object.
    pub(super) fn on_or_beside(&self, relation: &str, np: &Np, target: Meant) -> Destination {
        let is_side = matches!(&np.is, NounPhrase::Part { noun, .. } if noun.means == "side");
        if is_side
            && let Some(Referent::Zone(id, zone)) = target.single()
            && self.scene.percept.declared_zone(id, zone).is_none()
            && let Some(side) = Side::ALL
                .into_iter()
                .find(|side| side_word(*side) == zone.as_str())
            && let Some(whole) = self.scene.percept.object(id)
            && whole.movable
            && !is_low(whole)
        {
            return Destination::at(side.predicate(), Meant::one(Referent::of(whole)));
        }
        Destination::at(relation, target)
    }

    fn which_side(&self, side: &Word) -> ReadingError {
        self.unclear(&side.tree, "_: which side, as the robot sees it?")
    }

    /// Resolves "where the apple is": in or on what carries it, or the point where it stands, on
    /// the same level. For an object that was moved, the text must say whether its place before or
    /// after that is meant.
    fn place_of(&mut self, np: &Np, before: bool, moved: &Meant) -> Resolved<Destination> {
        let is_it = matches!(np.is, NounPhrase::Pronoun { .. });
        let thing = self.one(np)?;
        if is_it || thing.zone().is_some() {
            return Err(self.nonsense(&np.tree, "_: it is not clear which object was there"));
        }
        if !before && self.context.expected.contains_key(thing.id()) {
            return Err(self.unclear(&np.tree, "where _ was before, or where it is then?"));
        }
        let carries = |other: &&PerceivedObject| self.is_there("off", &thing, &Referent::of(other));
        let relation = |other: &PerceivedObject| match other.shape.cavity() {
            Some(_) => "in",
            None => "on",
        };
        Ok(match self.loose().find(carries) {
            Some(other) => Destination::at(relation(other), Meant::one(Referent::of(other))),
            None => {
                let own = self.only(moved, &np.tree, "only one object fits there")?;
                let there = self.see(&thing)?;
                let at = there.position();
                Destination::Point(vec![at.x, at.y, level_z(own, there)], None)
            }
        })
    }

    /// Returns the moved object, which must be a single one.
    fn only(&self, moved: &Meant, tree: &Tree, why: &str) -> Resolved<&PerceivedObject> {
        match moved.single() {
            Some(thing) => self.see(thing),
            None => Err(self.nonsense(tree, why)),
        }
    }

    /// Resolves "5 cm to the left of the plate", with the length as the gap between the objects.
    fn off_side(
        &mut self,
        length: &Far,
        side: &Option<Word>,
        np: &Np,
        moved: &Meant,
    ) -> Resolved<Destination> {
        let side_word = side.as_ref().map(|side| side.means.as_str());
        let before = side_word.and_then(|word| self.other_side_of_it(np, word));
        let other = match before.as_ref().and_then(Meant::single) {
            Some(before) => before.clone(),
            None => self.one(np)?,
        };
        let object = self.only(moved, &np.tree, "only one object is expected there")?;
        let whole = self.see(&other)?;
        if object.id == whole.id {
            return Err(ReadingError::itself(&whole.id));
        }
        if other.zone().is_some() || self.is_table(&other) {
            let why = "_: a distance is measured from an object, not from the table or a zone";
            return Err(self.nonsense(&np.tree, why));
        }
        let center = self.middle_of(&other)?.xy();
        let direction = match side {
            Some(side) => self.scene.viewpoint.direction(&side.means),
            None => {
                let from = self.expected_at(&Referent::of(object))?;
                (from.xy() - center).try_normalize(1e-6)
            }
        };
        let direction = direction.ok_or_else(|| match side {
            Some(side) => self.which_side(side),
            None => self.unclear(&np.tree, "_: on which side?"),
        })?;
        let half_m = |o: &PerceivedObject| {
            let direction = direction.push(0.0);
            0.5 * o.shape.width_along(&o.world_from_object, &direction)
        };
        let gap_m = self.length_m(length)?;
        self.check_exact(&length.tree, gap_m, LEAST_MOVE_M)?;
        let at = center + (half_m(whole) + gap_m + half_m(object)) * direction;
        self.relate(&other, at.into());
        Ok(Destination::Point(vec![at.x, at.y], Some(gap_m)))
    }

    /// Remembers the object relative to which a destination (x and y in World, m) was computed.
    pub(super) fn relate(&mut self, to: &Referent, destination: [f64; 2]) {
        let reference = Reference {
            object: to.id().clone(),
            destination,
        };
        self.context.references.push(reference);
    }

    pub(crate) fn length_m(&self, length: &Far) -> Resolved<f64> {
        let metres = match &length.is {
            Length::Figure { number, unit, half } => {
                let half = if half.is_some() { 0.5 } else { 0.0 };
                let pair = self::number(number).zip(self::number(unit));
                pair.map(|(n, unit)| (n + half) * unit)
            }
            Length::Bounded { bound, length } => {
                let limit_m = self.length_m(length)?;
                // A point has a tolerance, which must not exceed the bound.
                return Ok(match bound.means.as_str() {
                    "most" => limit_m - MARGIN_M.min(limit_m / 3.0),
                    _ => limit_m + MARGIN_M.min(limit_m),
                });
            }
        };
        let why = match metres {
            None => "_ is not a length",
            Some(..=0.0) => "_: a distance must be more than 0; name the direction in words",
            Some(metres) if metres <= MAX_DISTANCE_M => return Ok(metres),
            Some(_) => "_: this arm moves objects by at most 1 m",
        };
        Err(self.nonsense(&length.tree, why))
    }

    /// Rejects a length that is shorter than twice the tolerance of the motion.
    pub(super) fn check_exact(&self, tree: &Tree, length_m: f64, least_m: f64) -> Resolved<()> {
        match length_m < least_m {
            true => Err(self.inexact(tree, format!("it needs at least {:.0} mm", 1e3 * least_m))),
            false => Ok(()),
        }
    }

    pub(super) fn inexact(&self, tree: &Tree, why: impl Display) -> ReadingError {
        self.nonsense(tree, format!("_: this arm is not that exact: {why}"))
    }

    pub(crate) fn metres(&self, length: Option<&Far>) -> Resolved<Option<f64>> {
        length.map(|length| self.length_m(length)).transpose()
    }

    pub(crate) fn heading(&self, direction: &Word) -> Resolved<Heading> {
        let tree = &direction.tree;
        self.check_mine(tree)?;
        let (robot, viewpoint) = (self.scene.robot, self.scene.viewpoint);
        let own = match direction.means.as_str() {
            "forward" => robot.heading("back"),
            "back" => robot.heading("front"),
            "to_me" => viewpoint.heading("front"),
            "from_me" => viewpoint.heading("back"),
            // "your left" is the robot's left, whoever says it.
            "robot_left" => robot.heading("left"),
            "robot_right" => robot.heading("right"),
            word => viewpoint.heading(word),
        };
        own.ok_or_else(|| {
            self.unclear(
                tree,
                "_: in which direction? it is between two of World's axes",
            )
        })
    }

    pub(crate) fn point(&self, point: &Word) -> Resolved<Vec<f64>> {
        match self.tokens.get(point.tree.from) {
            Some(Token::Point(point)) => Ok(point.clone()),
            _ => Err(self.nonsense(&point.tree, "_ is not a point")),
        }
    }
}

/// Shortest distance by which an object is put down elsewhere, m: twice the tolerance of the arm.
pub(super) const LEAST_MOVE_M: f64 = 0.004;
/// Shortest distance by which an object is pushed, m: twice the tolerance of the skill.
pub(super) const LEAST_PUSH_M: f64 = 0.02;
/// Tolerance of a point, m.
const MARGIN_M: f64 = 0.015;
/// Longest distance of a motion by words such as "10 cm", m.
const MAX_DISTANCE_M: f64 = 1.0;
