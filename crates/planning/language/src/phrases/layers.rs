//! Places on and in objects: sides, corners and edges; shelves in furniture, its top, and closed
//! drawers.

use regrasp_api::{Aabb, JointKind, ObjectId, Zone};
use regrasp_relations::Region;

use crate::ast::{Np, Word};
use crate::lexicon::KINDS;
use crate::reader::{Meaning, Reader};
use crate::referent::{Meant, ReadingError, Referent, Resolved};
use crate::related::side_word;
use crate::tree::Tree;

/// Spaces of an object above each other, the lowest first, and the zone on its top.
struct Layers {
    inner: Vec<Referent>,
    top: Referent,
}

/// Returns the relation of a word: "on top of" is "on", unless the object has a place on its top.
pub(crate) fn plain(word: &str) -> &str {
    if word == "on_top" { "on" } else { word }
}

impl Reader<'_> {
    /// Reads the target of "on". "on the cabinet shelf" is in the space above the board, "on top of
    /// the shelf" on its top, if both are declared.
    pub(crate) fn upon(&mut self, np: &Np, is_on_top: bool) -> Meaning {
        let meant = self.np(np);
        if let (Ok(meant), Some(stack)) = (&meant, &self.context.stacked)
            && meant.things == stack.things
            && let Some((top, below)) = meant.things.split_last()
        {
            // "On" a stack means on its highest object.
            let mut moved = self.context.current.iter().flat_map(|moved| &moved.things);
            return match moved.any(|thing| below.contains(thing)) {
                true => Err(self.unclear(&np.tree, "_ includes the moved object: where to?")),
                false => Ok(Meant::one(top.clone())),
            };
        }
        let Some((whole, is_board)) = self.whole_of(&meant, np) else {
            return meant;
        };
        let Some(layers) = self.layers(&whole) else {
            // "on the shelf" is anywhere on it.
            return meant.or_else(|error| error.settled(|thing| thing.zone().is_none()));
        };
        let thing = match (is_on_top || !is_board, layers.inner.as_slice()) {
            (true, _) => layers.top,
            // Two spaces have one board between them.
            (false, [_, upper]) => upper.clone(),
            // With more spaces the text does not say which, so it is anywhere on the whole.
            (false, _) => Referent::Object(whole),
        };
        let meant = Meant::one(thing);
        self.note(&np.tree, &meant, "the place with that name");
        Ok(meant)
    }

    /// Reads the target of "in". With several spaces behind no walls it is ambiguous.
    pub(crate) fn into(&mut self, np: &Np) -> Meaning {
        let meant = self.np(np);
        let whole = self.whole_of(&meant, np).map(|(whole, _)| whole);
        let open = whole.filter(|whole| self.scene.insides_of(whole).is_empty());
        match open.and_then(|whole| self.layers(&whole)) {
            Some(layers) if layers.inner.len() > 1 => Err(self.several(&np.tree, &layers.inner)),
            _ => meant,
        }
    }

    /// Resolves "under the cabinet shelf" to the lower of two spaces.
    pub(crate) fn under(&mut self, np: &Np) -> Option<Meant> {
        let meant = self.np(np);
        let (whole, is_board) = self.whole_of(&meant, np)?;
        match self.layers(&whole)?.inner.as_slice() {
            [lower, _] if is_board => Some(Meant::one(lower.clone())),
            _ => None,
        }
    }

    /// Returns the whole object if a phrase means one object or its zones, and true if its noun is
    /// a board.
    fn whole_of(&self, meant: &Meaning, np: &Np) -> Option<(ObjectId, bool)> {
        let things = match meant {
            Ok(meant) if meant.single().is_some_and(|t| t.zone().is_none()) => &meant.things,
            Err(ReadingError::Several { phrase, candidates })
                if *phrase == self.phrase(&np.tree) =>
            {
                candidates
            }
            _ => return None,
        };
        let first = things.first()?.id();
        let is_one = things.iter().all(|thing| thing.id() == first);
        let noun = self.noun_of(np);
        let is_board = noun.last().is_some_and(|word| self.lexicon.is_board(word));
        is_one.then(|| (first.clone(), is_board))
    }

    /// Returns the spaces of an object above each other, if it has a zone on top, too.
    fn layers(&self, whole: &ObjectId) -> Option<Layers> {
        let object = self.scene.percept.object(whole)?;
        let top_m = object.aabb_in_world().max[2];
        let (mut inner, mut top) = (vec![], None);
        for (_, name) in self.scene.named_zones().filter(|(of, _)| *of == whole) {
            let zone = Zone::new(name);
            let aabb = Region::of(self.scene.percept, whole, &zone)?.aabb();
            let thing = Referent::Zone(whole.clone(), zone);
            match aabb.max[2] >= top_m && aabb.center().z >= top_m - ON_TOP_M {
                true => top = Some(thing),
                false => inner.push((aabb, thing)),
            }
        }
        inner.sort_by(|(a, _), (b, _)| a.min[2].total_cmp(&b.min[2]));
        let is_below = |pair: &[(Aabb, _)]| pair[0].0.max[2] <= pair[1].0.center().z;
        let top = top.filter(|_| inner.windows(2).all(is_below) && !inner.is_empty())?;
        let inner = inner.into_iter().map(|(_, thing)| thing).collect();
        Some(Layers { inner, top })
    }

    /// Resolves "on top of the rack" to the place on its top, if there is one.
    pub(crate) fn top_of(&mut self, relation: &str, np: &Np) -> Option<Meant> {
        let top = (relation == "on_top").then(|| self.upon(np, true))?.ok()?;
        top.single()?.zone().is_some().then_some(top)
    }

    /// Returns the container that is open when an object is: a drawer itself, but the parent of a
    /// door.
    pub(crate) fn inner_of(&self, thing: &Referent) -> Referent {
        let joint = self.joint(thing);
        let whole = joint.map(|joint| Referent::Object(joint.parent.clone()));
        let outer = whole.filter(|whole| !self.is_hollow(thing) && self.is_hollow(whole));
        outer.unwrap_or_else(|| thing.clone())
    }

    /// Returns true if the previous steps have closed the object in which they put this one.
    pub(super) fn is_shut_in(&self, thing: &Referent) -> bool {
        let on = self.context.carried_by.get(thing.id());
        let openings = self.context.openings.iter();
        let closed = openings.filter(|(_, opening)| **opening == Some(0.0));
        let mut inner = closed.map(|(id, _)| self.inner_of(&Referent::Object(id.clone())));
        inner.any(|inner| on == Some(inner.id()))
    }

    /// Returns the object on and beside which things are put: the parent of a drawer that the
    /// previous steps have closed, otherwise the object itself.
    pub(super) fn outer_of(&self, thing: &Referent) -> Referent {
        let is_shut = self.context.openings.get(thing.id()) == Some(&Some(0.0));
        match self.joint(thing).filter(|_| is_shut) {
            Some(joint) if joint.kind == JointKind::Prismatic => {
                Referent::Object(joint.parent.clone())
            }
            _ => thing.clone(),
        }
    }

    /// Resolves "the left side of the plate", "the cabinet's top" or "the middle".
    pub(super) fn part(
        &mut self,
        tree: &Tree,
        sides: &[Word],
        noun: &Word,
        whole: Option<&Np>,
    ) -> Meaning {
        let is_top = noun.means == "top" && sides.is_empty();
        let scene = self.scene;
        let declares = |whole: Option<&ObjectId>| {
            let mut zones = scene.named_zones().filter(|_| sides.is_empty());
            zones.any(|(of, name)| name == noun.means && whole.is_none_or(|whole| whole == of))
        };
        let side = self.zone(tree, sides, &noun.means);
        if !is_top && !declares(None) {
            side.as_ref().map_err(Clone::clone)?;
        }
        let table = || self.scene.percept.table().map(Referent::of);
        let whole = match whole {
            // "its top" is that of an object that was mentioned before the moved one.
            Some(whole) if whole.tree.from == tree.from => self.owner(whole)?,
            Some(whole) => self.one(whole)?,
            // "put X on the plate and Y on top" means on the last moved or mentioned object.
            None if is_top && self.context.current.is_some() => return self.it_there(tree, false),
            None => {
                let current = self.context.current.as_ref();
                let object = current.and_then(|moved| self.object(moved.things.first()?));
                let ground = object.and_then(|object| self.ground_of(object));
                let own = || ground.map(Referent::of).or_else(table).filter(|_| !is_top);
                let whole = self.whole_before(tree)?.or_else(own);
                whole.ok_or_else(|| self.none(tree, "_: of what?"))?
            }
        };
        let zone = match declares(Some(whole.id())) {
            true => Zone::new(&noun.means),
            false if is_top => return Ok(Meant::one(whole)),
            false => side?,
        };
        if whole.zone().is_some() {
            let why = format!("_: {whole} is a place, and its parts have no names");
            return Err(self.impossible(tree, why));
        }
        let meant = Meant::one(Referent::Zone(whole.id().clone(), zone));
        self.note(tree, &meant, "the place with that name");
        Ok(meant)
    }

    /// Returns the object of which a side was named before: "the left half of the tray and the
    /// other can in the right half". Rejects a bare side for an object that was moved before: it
    /// may be a side of the support before or after the move, or of a row.
    pub(crate) fn whole_before(&self, tree: &Tree) -> Resolved<Option<Referent>> {
        let context = &self.context;
        let mut earlier = context.mentioned.iter().rev().filter_map(Meant::single);
        if let Some(zone) = earlier.find(|thing| thing.zone().is_some()) {
            return Ok(Some(Referent::Object(zone.id().clone())));
        }
        let was_moved = |thing: &Referent| {
            let before = context.moved.iter().filter(|m| m.things.contains(thing));
            before.count() > 1 || context.expected.contains_key(thing.id())
        };
        let mut own = context.current.iter().flat_map(|meant| &meant.things);
        match own.any(was_moved) {
            true => Err(self.unclear(tree, "_ of what?")),
            false => Ok(None),
        }
    }

    /// Returns the zone with these words, as the robot sees it.
    pub(crate) fn zone(&self, tree: &Tree, sides: &[Word], noun: &str) -> Resolved<Zone> {
        let which_side = || self.unclear(tree, "_: which side?");
        self.check_mine(tree)?;
        let mut words: Vec<&str> = sides.iter().flat_map(|s| s.means.split('_')).collect();
        if KINDS.with("side").contains(noun) {
            words.push(noun);
        }
        if KINDS.with("no_place").contains(noun) {
            return Err(self.nonsense(tree, "_ is not a place to put things"));
        }
        if words == ["middle"] {
            return Ok(Zone::new("middle"));
        }
        let own = words.into_iter().map(|word| {
            let side = self.scene.viewpoint.side(word).map(side_word);
            side.ok_or_else(which_side)
        });
        let mut own = own.collect::<Result<Vec<_>, _>>()?;
        own.sort_by_key(|word| matches!(*word, "left" | "right"));
        match (own.as_slice(), noun) {
            ([one], "edge") => Ok(Zone::new(format!("{one}_edge"))),
            ([one], noun) if noun != "corner" => Ok(Zone::new(*one)),
            ([a @ ("front" | "back"), b @ ("left" | "right")], _) => {
                Ok(Zone::new(format!("{a}_{b}")))
            }
            _ => Err(which_side()),
        }
    }
}

/// Largest depth of the centre of a top zone below the highest point of its object, m: a thin box
/// in the surface.
const ON_TOP_M: f64 = 0.02;
