//! Places where things go.

use regrasp_api::{PerceivedObject, Relation, Side, Zone};

use crate::ast::{Far, Location, LocationNode, NounPhrase, Np, Word};
use crate::destination::Destination;
use crate::properties::is_low;
use crate::reader::{Reader, number};
use crate::referent::{Meant, ReadingError, Referent};
use crate::related::{ground_of, table};
use crate::sides::{side_called, side_word};

type Located = Result<Destination, ReadingError>;

impl Reader<'_> {
    pub(super) fn place(&mut self, place: &LocationNode, moved: &Meant) -> Located {
        let tree = &place.tree;
        self.context.at_place = tree.parts.iter().any(|part| part.name() == "Pronoun");
        let found = match &place.is {
            Location::To { np } => Destination::To(self.np(np)?),
            Location::Beside { np } => Destination::Beside(self.np(np)?, None),
            Location::Side { side, np } => {
                let side = self.own_side(side)?;
                let other = self.other_side_of_it(np, side);
                Destination::Beside(other.map_or_else(|| self.np(np), Ok)?, Some(side))
            }
            Location::Between { np } => {
                let pair = self.np(np)?;
                Destination::Between(self.two(&np.tree, &pair)?)
            }
            Location::Across { np } => self.two_ends(np)?,
            Location::On { np } => {
                let target = self.upon(np, false)?;
                self.beside_high(target)
            }
            Location::OnTop { np } => Destination::On(self.upon(np, true)?),
            Location::In { np } => Destination::In(self.into(np)?),
            Location::Relation { relation, np } => self.in_relation(relation, np)?,
            Location::Off { length, side, np } => self.off_side(length, side, np, moved)?,
            Location::Point { point } => Destination::Point(self.point(point)?),
            Location::Numbers { x, y } => {
                Destination::Point([x, y].into_iter().filter_map(number).collect())
            }
            Location::There => {
                let before = self.context.place.clone();
                before.ok_or_else(|| self.unclear(tree, "where is _?"))?
            }
            Location::FreeSide { side } => self.free_side(place, side, moved)?,
            Location::OwnSide { side, np } => self.own_side_of(side, np)?,
            Location::BackAgain => {
                // "Take this and put that in its place": whose?
                let is_own = |m: &&Meant| m.things != moved.things;
                let is_other = self.context.moved.iter().any(|m| is_own(&m));
                let is_first = self.context.moved.iter().filter(|m| !is_own(m)).count() < 2;
                if is_other && is_first {
                    return Err(self.unclear(tree, "_: of what?"));
                }
                let object = moved.single().map(|thing| self.see(thing)).transpose()?;
                let object = object.ok_or_else(|| self.nonsense(tree, "where which was?"))?;
                let at = object.position();
                Destination::Point(vec![at.x, at.y])
            }
        };
        self.context.place = Some(found.clone());
        Ok(found)
    }

    /// "A to the right of B and C to the left of it" is about two sides of B; on the same side again,
    /// C would follow A.
    fn other_side_of_it(&self, np: &Np, side: Side) -> Option<Meant> {
        let is_it = matches!(&np.is, NounPhrase::Pronoun { word } if word.means == "it");
        match &self.context.place {
            Some(Destination::Beside(before, Some(other))) if is_it && *other != side => {
                Some(before.clone())
            }
            _ => None,
        }
    }

    /// "On the right side of the bowl" is beside it: only what is low has sides to put things on.
    fn beside_high(&self, target: Meant) -> Destination {
        let side = target
            .single()
            .and_then(Referent::zone)
            .filter(|zone| !zone.is_declared());
        let side = side.and_then(|zone| side_called(zone.as_str()));
        let whole = target.single().and_then(|thing| self.object(thing));
        match (side, whole) {
            (Some(side), Some(whole)) if whole.movable && !is_low(whole) => {
                Destination::Beside(Meant::one(Referent::of(whole)), Some(side))
            }
            _ => Destination::On(target),
        }
    }

    /// "against the box", "under the table".
    fn in_relation(&mut self, word: &Word, np: &Np) -> Located {
        let relation = Relation::named(&word.means);
        let relation = relation.ok_or_else(|| self.unclear(&word.tree, "_: where is that?"))?;
        let space = || self.clone().under(np);
        let below_board = (relation == Relation::Under).then(space).flatten();
        if let Some(space) = below_board {
            self.note(&np.tree, &space, "the space below the board");
            return Ok(Destination::On(space));
        }
        // Places of a thing are on it or in it.
        Ok(Destination::Related(relation, self.whole_or(np)?))
    }

    /// The side that a word says, as the robot sees it.
    fn own_side(&self, side: &Word) -> Result<Side, ReadingError> {
        let own = self.viewpoint.side(&side.means);
        own.ok_or_else(|| self.unclear(&side.tree, "_: which side, as the robot sees it?"))
    }

    /// "5 cm to the left of the plate": with so much room between the two.
    fn off_side(&mut self, length: &Far, side: &Word, np: &Np, moved: &Meant) -> Located {
        let other = self.one(np)?;
        let direction = self.viewpoint.direction(&side.means);
        let unclear = || self.unclear(&side.tree, "_: which side, as the robot sees it?");
        let direction = direction.ok_or_else(unclear)?;
        let object = moved.single().map(|thing| self.see(thing)).transpose()?;
        let object = object.ok_or_else(|| self.nonsense(&np.tree, "one thing stands there"))?;
        let whole = self.see(&other)?;
        if other.zone().is_some() || table(self.percept).is_some_and(|t| t.id == whole.id) {
            return Err(self.nonsense(&np.tree, "that is not beside a thing"));
        }
        let half_m = |o: &PerceivedObject| {
            let size = o.aabb_in_world().size();
            0.5 * size.xy().dot(&direction.abs())
        };
        let center = whole.aabb_in_world().center().coords;
        let center = self
            .context
            .expected
            .get(&whole.id)
            .copied()
            .unwrap_or(center);
        let gap_m = self.length_m(length)?;
        let at = center.xy() + (half_m(whole) + gap_m + half_m(object)) * direction;
        Ok(Destination::Point(vec![at.x, at.y]))
    }

    /// Resolves the support of two ends, which is two things of a sort.
    fn two_ends(&mut self, np: &Np) -> Located {
        let pair = self.np(np)?;
        let [a, b] = self.two(&np.tree, &pair)?;
        match a.id() == b.id() || self.see(&a)?.movable != self.see(&b)?.movable {
            true => Err(self.nonsense(&np.tree, "nothing lies across these")),
            false => Ok(Destination::Across([a, b])),
        }
    }

    /// "to the left side": of what it stands on.
    fn free_side(&self, place: &LocationNode, side: &Word, moved: &Meant) -> Located {
        let tree = &place.tree;
        self.check_mine(tree)?;
        // Of the table, or of what it was just put on?
        let is_expected = |t: &Referent| self.context.expected.contains_key(t.id());
        if moved.things.iter().any(is_expected) {
            return Err(self.unclear(tree, "_ of what?"));
        }
        let object = moved.things.first().and_then(|t| self.object(t));
        let ground = object.and_then(|o| ground_of(self.percept, o));
        let ground = ground.or_else(|| table(self.percept));
        let ground = ground.ok_or_else(|| self.nonsense(tree, "of what?"))?;
        let zone = match side.means.as_str() {
            middle @ "middle" => Some(middle),
            side => self.viewpoint.side(side).map(side_word),
        };
        let zone = zone.ok_or_else(|| self.nonsense(tree, "which side?"))?;
        let zone = Referent::Zone(ground.id.clone(), Zone::new(zone));
        Ok(Destination::On(Meant::one(zone)))
    }

    /// "at the left of the tray": on it, if it is wide and low; else beside it.
    fn own_side_of(&mut self, side: &Word, np: &Np) -> Located {
        let whole = self.one(np)?;
        let side = self.own_side(side)?;
        let object = self.see(&whole)?;
        if !is_low(object) || whole.zone().is_some() {
            return Ok(Destination::Beside(Meant::one(whole), Some(side)));
        }
        let zone = Referent::Zone(object.id.clone(), Zone::new(side_word(side)));
        Ok(Destination::On(Meant::one(zone)))
    }
}
