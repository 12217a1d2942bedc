//! Places of things: sides, corners, edges, the middle.

use std::rc::Rc;

use regrasp_api::Zone;

use crate::context::Context;
use crate::lexicon::kinds;
use crate::reader::{Meaning, Reader};
use crate::related::table;
use crate::sides::side_word;
use crate::thing::{Meant, Thing, Trouble};
use crate::tree::Tree;

impl Reader<'_> {
    /// "the left side of the plate", "the cabinet's top", "the middle".
    pub(super) fn part_in(
        &self,
        tree: &Rc<Tree>,
        whole: Option<Thing>,
        context: &mut Context,
    ) -> Meaning {
        let own = |part: &Rc<Tree>| match part.label.as_str() {
            "list" => part.parts.clone(),
            _ => vec![part.clone()],
        };
        let sides = tree.parts.iter().flat_map(own);
        let sides = sides.filter(|p| p.is(&["side", "corner"]));
        let sides: Vec<String> = sides.map(|p| self.word(&p)).collect();
        let noun = self.word_of(tree, "part_noun");
        let is_top = noun == "top" && sides.is_empty();
        let whole = match (whole, tree.label.as_str()) {
            (Some(whole), _) => whole,
            (None, "part_near_robot" | "part_near_me") => self.one(tree.last_np(), context)?,
            (None, "part") => self.one(tree.last(), context)?,
            (None, "part_of") => self.owner(&tree.parts[0], context)?,
            // "put X on the plate and Y on top": on what was moved or named last.
            (None, _) if is_top && context.current.is_some() => {
                return self.it_there(
                    tree,
                    &Context {
                        wants_inside: false,
                        ..context.clone()
                    },
                );
            }
            (None, _) => {
                let table = table(self.percept).map(Thing::of);
                table.ok_or_else(|| self.none(tree, "of what?"))?
            }
        };
        if is_top {
            return Ok(Meant::one(whole));
        }
        let zone = match tree.label.as_str() {
            "part_near_robot" => self.zone_of(tree, &["front"], &noun)?,
            "part_near_me" => {
                self.check_mine(tree)?;
                self.zone(tree, &["front".to_owned()], &noun)?
            }
            _ => self.zone(tree, &sides, &noun)?,
        };
        let meant = Meant::one(Thing::Zone(whole.id().clone(), zone));
        self.note(tree, &meant, "the place that is called so", context);
        Ok(meant)
    }

    /// A place by its words, as the robot sees it.
    fn zone(&self, tree: &Tree, sides: &[String], noun: &str) -> Result<Zone, Trouble> {
        let mut words: Vec<&str> = sides.iter().flat_map(|s| s.split('_')).collect();
        if kinds().with("side").contains(noun) {
            words.push(noun);
        }
        if kinds().with("no_place").contains(noun) {
            return Err(self.senseless(tree, "_ is no place to put things"));
        }
        if words == ["middle"] {
            return Ok(Zone::new("middle"));
        }
        let own = words.into_iter().map(|word| {
            let side = self.viewpoint.side(word).map(side_word);
            side.ok_or_else(|| self.which_side(tree))
        });
        self.zone_of(tree, &own.collect::<Result<Vec<_>, _>>()?, noun)
    }

    /// A place by sides as the robot sees them.
    fn zone_of(&self, tree: &Tree, sides: &[&str], noun: &str) -> Result<Zone, Trouble> {
        let mut own = sides.to_vec();
        own.sort_by_key(|word| matches!(*word, "left" | "right"));
        match (own.as_slice(), noun) {
            ([one], "edge") => Ok(Zone::new(format!("{one}_edge"))),
            ([_], "corner") => Err(self.which_side(tree)),
            ([one], _) => Ok(Zone::new(*one)),
            ([a @ ("front" | "back"), b @ ("left" | "right")], _) => {
                Ok(Zone::new(format!("{a}_{b}")))
            }
            _ => Err(self.which_side(tree)),
        }
    }

    fn which_side(&self, tree: &Tree) -> Trouble {
        self.unclear(tree, "where is _: which side?")
    }
}
