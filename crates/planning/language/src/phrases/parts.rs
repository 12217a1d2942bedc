//! Zones of objects: sides, corners, edges, the middle.

use regrasp_api::Zone;

use crate::ast::{Np, Word};
use crate::lexicon::KINDS;
use crate::reader::{Meaning, Reader};
use crate::referent::{Meant, Referent, Resolved};
use crate::sides::side_word;
use crate::tree::Tree;

impl Reader<'_> {
    /// Resolves "the left side of the plate", "the cabinet's top" or "the middle".
    pub(super) fn part(
        &mut self,
        tree: &Tree,
        sides: &[Word],
        noun: &Word,
        whole: Option<&Np>,
    ) -> Meaning {
        let is_top = noun.means == "top" && sides.is_empty();
        let whole = match whole {
            // "its top" is that of an object that was mentioned before the moved one.
            Some(whole) if whole.tree.from == tree.from => self.owner(whole)?,
            Some(whole) => self.one(whole)?,
            // "put X on the plate and Y on top" means on the last moved or mentioned object.
            None if is_top && self.context.current.is_some() => {
                return self.it_there(tree, false);
            }
            None => {
                let table = self.scene.percept.table().map(Referent::of);
                table.ok_or_else(|| self.none(tree, "of what?"))?
            }
        };
        if is_top {
            return Ok(Meant::one(whole));
        }
        let zone = self.zone(tree, sides, &noun.means)?;
        let meant = Meant::one(Referent::Zone(whole.id().clone(), zone));
        self.note(tree, &meant, "the place with that name");
        Ok(meant)
    }

    /// Returns the zone with these words, as the robot sees it.
    fn zone(&self, tree: &Tree, sides: &[Word], noun: &str) -> Resolved<Zone> {
        let which_side = || self.unclear(tree, "where is _: which side?");
        let mut words: Vec<&str> = sides.iter().flat_map(|s| s.means.split('_')).collect();
        if KINDS.with("side").contains(noun) {
            words.push(noun);
        }
        if KINDS.with("no_place").contains(noun) {
            return Err(self.senseless(tree, "_ is not a place to put things"));
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
