//! Places of things: sides, corners, edges, the middle.

use std::rc::Rc;

use regrasp_api::Zone;

use crate::context::Context;
use crate::parse::Tree;
use crate::refer::{Meaning, Reader};
use crate::related;
use crate::thing::{Meant, Thing, Trouble};

impl<'a> Reader<'a> {
    /// "the left side of the plate", "the cabinet's top", "the middle".
    pub(crate) fn part(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        self.part_in(tree, None, context)
    }

    pub(crate) fn part_in(
        &self,
        tree: &Rc<Tree>,
        whole: Option<Thing>,
        context: &mut Context,
    ) -> Meaning {
        let sides: Vec<String> = tree
            .parts
            .iter()
            .flat_map(|p| {
                if p.label == "list" {
                    p.parts.clone()
                } else {
                    vec![p.clone()]
                }
            })
            .filter(|p| matches!(p.label.as_str(), "side" | "corner"))
            .map(|p| self.word(&p))
            .collect();
        let noun = tree.parts.iter().find(|p| p.label == "part_noun");
        let noun = noun.map_or_else(String::new, |p| self.word(p));
        let whole = match tree.label.as_str() {
            _ if whole.is_some() => whole.ok_or_else(|| self.none(tree, "of what?"))?,
            "part_near_robot" | "part_near_me" => {
                let np = tree.parts.iter().rfind(|p| crate::clauses::is_np(p));
                self.one(np.unwrap_or(tree), context)?
            }
            "part" => self.one(tree.parts.last().unwrap_or(tree), context)?,
            "part_of" => self.owner(&tree.parts[0], context)?,
            _ => {
                let table = related::table(self.percept);
                let table = table.ok_or_else(|| self.none(tree, "of what?"))?;
                Thing::Object(table.id.clone())
            }
        };
        if noun == "top" && sides.is_empty() {
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
    pub(crate) fn zone(&self, tree: &Tree, sides: &[String], noun: &str) -> Result<Zone, Trouble> {
        let mut words: Vec<&str> = sides.iter().flat_map(|s| s.split('_')).collect();
        if matches!(noun, "left" | "right" | "front" | "back" | "middle") {
            words.push(noun);
        }
        let unclear = || Trouble::Unclear {
            question: format!("where is `{}`: which side?", self.phrase(tree)),
        };
        if matches!(noun, "rim" | "handle" | "lid" | "bottom" | "inside") {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no place to put things",
                self.phrase(tree)
            )));
        }
        if words == ["middle"] {
            return Ok(Zone::new("middle"));
        }
        let mut own = vec![];
        for word in words {
            let side = self.viewpoint.side(word).ok_or_else(unclear)?;
            own.push(crate::clauses::side_word(side));
        }
        self.zone_of(tree, &own, noun)
    }

    /// A place by sides as the robot sees them.
    pub(crate) fn zone_of(&self, tree: &Tree, sides: &[&str], noun: &str) -> Result<Zone, Trouble> {
        let unclear = || Trouble::Unclear {
            question: format!("where is `{}`: which side?", self.phrase(tree)),
        };
        let mut own = sides.to_vec();
        own.sort_by_key(|word| matches!(*word, "left" | "right"));
        match (own.as_slice(), noun) {
            ([one], "edge") => Ok(Zone::new(format!("{one}_edge"))),
            ([_], "corner") => Err(unclear()),
            ([one], _) => Ok(Zone::new(*one)),
            ([a @ ("front" | "back"), b @ ("left" | "right")], _) => {
                Ok(Zone::new(format!("{a}_{b}")))
            }
            _ => Err(unclear()),
        }
    }
}
