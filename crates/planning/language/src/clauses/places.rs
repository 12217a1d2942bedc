//! Places where things go.

use std::rc::Rc;

use regrasp_api::{PerceivedObject, Side, Zone};

use crate::context::Context;
use crate::properties::is_low;
use crate::reader::Reader;
use crate::related::{ground_of, table};
use crate::sides::side_word;
use crate::thing::{Meant, Thing, Trouble};
use crate::tree::Tree;

/// Where something is to go.
pub(super) enum Place {
    On(Meant),
    In(Meant),
    To(Meant),
    Beside(Meant),
    Against(Meant),
    Side(Meant, Side),
    Between([Thing; 2]),
    Across([Thing; 2]),
    Point(Vec<f64>),
}

type Located = Result<Place, Trouble>;

impl Reader<'_> {
    pub(super) fn place(&self, tree: &Rc<Tree>, moved: &Meant, context: &mut Context) -> Located {
        let np = tree.last();
        context.at_place = np.label == "pronoun";
        let place = match tree.label.as_str() {
            "on" => Place::On(self.upon(tree, np, context)?),
            "at_part" => Place::On(self.np(np, context)?),
            "in" => Place::In(self.into(np, context)?),
            "to" => Place::To(self.np(np, context)?),
            "beside" => Place::Beside(self.np(np, context)?),
            "against" => Place::Against(self.np(np, context)?),
            "under" => Place::On(self.under(tree, np, context)?),
            "side" => {
                let meant = self.np(np, context)?;
                let side = self.viewpoint.side(&self.word(&tree.parts[0]));
                let unclear = || self.unclear(tree, "_: which side, as the robot sees it?");
                Place::Side(meant, side.ok_or_else(unclear)?)
            }
            "side_by" => self.off_side(tree, moved, context)?,
            "between" => {
                let meant = self.np(np, context)?;
                Place::Between(self.two(np, &meant)?)
            }
            "across" => self.two_ends(tree, context)?,
            "point" => Place::Point(self.point(np)?),
            "numbers" => {
                let figures = tree.parts.iter().filter_map(|p| self.number(p));
                Place::Point(figures.collect())
            }
            "there" => {
                let before = context.place.clone().filter(|p| p.label != "there");
                let before = before.ok_or_else(|| self.unclear(tree, "where is _?"))?;
                return self.place(&before, moved, context);
            }
            "free_side" => self.free_side(tree, moved, context)?,
            "back_again" => {
                let object = moved.single().map(|thing| self.see(thing)).transpose()?;
                let object = object.ok_or_else(|| self.nonsense(tree, "where which was?"))?;
                let at = object.position();
                Place::Point(vec![at.x, at.y])
            }
            "at_side_of" => self.own_side_of(tree, context)?,
            _ => return Err(self.nonsense(tree, "where that is, is not understood")),
        };
        if let Place::On(meant) | Place::In(meant) | Place::To(meant) = &place
            && np.is_np()
        {
            context.fixed.push((np.clone(), meant.clone()));
        }
        context.place = Some(tree.clone());
        Ok(place)
    }

    /// "5 cm to the left of the plate": with so much room between the two.
    fn off_side(&self, tree: &Rc<Tree>, moved: &Meant, context: &mut Context) -> Located {
        let other = self.one(tree.last_np(), context)?;
        let direction = self.viewpoint.direction(&self.word_of(tree, "side_of"));
        let unclear = || self.unclear(tree, "_: which side, as the robot sees it?");
        let direction = direction.ok_or_else(unclear)?;
        let object = moved.single().map(|thing| self.see(thing)).transpose()?;
        let object = object.ok_or_else(|| self.nonsense(tree, "one thing stands there"))?;
        let whole = self.see(&other)?;
        if other.zone().is_some() || table(self.percept).is_some_and(|t| t.id == whole.id) {
            return Err(self.nonsense(tree, "that is not beside a thing"));
        }
        let half_m = |o: &PerceivedObject| {
            let size = o.aabb_in_world().size();
            0.5 * size.xy().dot(&direction.abs())
        };
        let center = whole.aabb_in_world().center().coords;
        let center = context.expected.get(&whole.id).copied().unwrap_or(center);
        let gap_m = self.length(tree)?.unwrap_or_default();
        let at = center.xy() + (half_m(whole) + gap_m + half_m(object)) * direction;
        Ok(Place::Point(vec![at.x, at.y]))
    }

    /// Resolves the support of two ends, which is two things of a sort.
    fn two_ends(&self, tree: &Rc<Tree>, context: &mut Context) -> Located {
        let np = tree.last();
        let meant = self.np(np, context)?;
        let [a, b] = self.two(np, &meant)?;
        match a.id() == b.id() || self.see(&a)?.movable != self.see(&b)?.movable {
            true => Err(self.nonsense(tree, "nothing lies across these")),
            false => Ok(Place::Across([a, b])),
        }
    }

    /// "to the left side": of what it stands on.
    fn free_side(&self, tree: &Rc<Tree>, moved: &Meant, context: &Context) -> Located {
        self.check_mine(tree)?;
        let side = self.word(tree.last());
        // Of the table, or of what it was just put on?
        let is_expected = |t: &Thing| context.expected.contains_key(t.id());
        if moved.things.iter().any(is_expected) {
            return Err(self.unclear(tree, "_ of what?"));
        }
        let object = moved.things.first().and_then(|t| self.object(t));
        let ground = object.and_then(|o| ground_of(self.percept, o));
        let ground = ground.or_else(|| table(self.percept));
        let ground = ground.ok_or_else(|| self.nonsense(tree, "of what?"))?;
        let zone = match side.as_str() {
            "middle" => Some("middle"),
            side => self.own_side(side),
        };
        let zone = zone.ok_or_else(|| self.nonsense(tree, "which side?"))?;
        let zone = Thing::Zone(ground.id.clone(), Zone::new(zone));
        Ok(Place::On(Meant::one(zone)))
    }

    /// "at the left of the tray": on it.
    fn own_side_of(&self, tree: &Rc<Tree>, context: &mut Context) -> Located {
        let whole = self.one(tree.last(), context)?;
        let object = self.see(&whole)?;
        let has_sides = is_low(object) && whole.zone().is_none();
        let side = self.own_side(&self.word_of(tree, "side"));
        let side = side.filter(|_| has_sides);
        let side = side.ok_or_else(|| self.nonsense(tree, "it has no such side"))?;
        let zone = Thing::Zone(object.id.clone(), Zone::new(side));
        Ok(Place::On(Meant::one(zone)))
    }

    fn own_side(&self, word: &str) -> Option<&'static str> {
        self.viewpoint.side(word).map(side_word)
    }
}
