//! What can be looked at now: "if the bowl is empty".

use std::rc::Rc;

use nalgebra::Vector2;

use crate::clauses::is_np;
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::Reader;
use crate::related::Sense;
use crate::thing::{How, Meant, Thing, Trouble};
use crate::trees::place_of;

impl Reader<'_> {
    /// Whether something that can be looked at now is so.
    pub(crate) fn condition(
        &self,
        tree: &Rc<Tree>,
        context: &mut Context,
    ) -> Result<bool, Trouble> {
        let part = |i: usize| &tree.parts[i];
        let negated = tree.parts.iter().any(|p| p.label == "not");
        let last = tree.parts.last().unwrap_or(tree);
        let holds = match tree.label.as_str() {
            "is_state" => {
                // "put it into the box if it is empty": what is hollow is empty.
                let is_filled = matches!(self.word(last).as_str(), "empty" | "full");
                context.at_place = is_filled;
                context.wants_inside = is_filled;
                let thing = self.one(part(0), context);
                context.at_place = false;
                context.wants_inside = false;
                let word = self.word(last);
                if let Err(Trouble::Nonsense(_)) = thing
                    && let Ok(all) = self.np(part(0), context)
                {
                    let is_so = all.things.iter().all(|t| self.is_state(t, &word));
                    context.moved.push(all);
                    return Ok(is_so != negated);
                }
                let thing = thing?;
                context.place = Some(place_of(part(0)));
                context.moved.push(Meant::one(thing.clone()));
                self.is_state(&thing, &word)
            }
            "is_there" => {
                let thing = self.one(part(0), context)?;
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                let n = tree
                    .parts
                    .iter()
                    .rposition(|p| is_np(p))
                    .map_or(n, |i| i + 1);
                let others = self.whole_or(part(n - 1), context)?;
                context.moved.push(Meant::one(thing.clone()));
                if matches!(relation.as_str(), "on" | "in") {
                    let place = Tree {
                        label: relation.clone(),
                        ..(**tree).clone()
                    };
                    context.place = Some(Rc::new(Tree {
                        parts: vec![part(n - 2).clone(), part(n - 1).clone()],
                        ..place
                    }));
                }
                let is_there = |other: &Thing| {
                    self.percept.object(thing.id()).is_some_and(|o| {
                        crate::related::is_related(
                            self.percept,
                            self.viewpoint,
                            &relation,
                            o,
                            other,
                            Sense::Strict,
                        )
                    })
                };
                match others.how {
                    How::Any(_) => others.things.iter().any(is_there),
                    _ => others.things.iter().all(is_there),
                }
            }
            "is_state_asked" => {
                let thing = self.one(part(1), context)?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_state(&thing, &self.word(last))
            }
            "is_near_robot" | "is_near_me" | "is_far_robot" | "is_far_me" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let thing = self.one(nps[0], context)?;
                context.heads.push(self.noun_of(nps[0]));
                let other = self.one(nps[1], context);
                context.heads.pop();
                let other = other?;
                let from = match tree.label.ends_with("_me") {
                    true => {
                        let lost = || Trouble::Unclear {
                            question: format!("`{}`: where are you?", self.phrase(tree)),
                        };
                        Vector2::from(self.viewpoint.position().ok_or_else(lost)?)
                    }
                    false => self.base,
                };
                let distance = |t: &Thing| {
                    let object = self.percept.object(t.id());
                    object.map(|o| (o.position().xy() - from).norm())
                };
                context.moved.push(Meant::one(thing.clone()));
                let (a, b) = (distance(&thing), distance(&other));
                match tree.label.starts_with("is_near") {
                    true => a < b,
                    false => a > b,
                }
            }
            "is_more" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let thing = self.one(nps[0], context)?;
                context.heads.push(self.noun_of(nps[0]));
                let other = self.one(nps[1], context);
                context.heads.pop();
                let most = tree.parts.iter().find(|p| p.label == "most");
                let word = most.map_or_else(String::new, |p| self.word(p));
                let other = other?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_more(&thing, &other, &word)
            }
            "none_there" => {
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let others = self.whole_or(part(n - 1), context)?;
                let things = match self.np(np, context) {
                    Ok(meant) => meant.things,
                    Err(Trouble::Several { candidates, .. }) => candidates,
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => vec![],
                    Err(trouble) => return Err(trouble),
                };
                let is_there = |thing: &Thing| {
                    let object = self.percept.object(thing.id());
                    object.is_some_and(|o| {
                        let on = |other| self.related(&relation, o, other, Sense::Strict);
                        others.things.iter().any(on)
                    })
                };
                context.mentioned.push(Meant {
                    noun: self.noun_of(np),
                    things: vec![],
                    ..others.clone()
                });
                !things.iter().any(is_there)
            }
            "is_what" => {
                let thing = self.one(part(0), context)?;
                context.moved.push(Meant::one(thing.clone()));
                self.is_such(&thing, last, context)?
            }
            "counted" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = match self.np(np, context) {
                    Ok(meant) => Some(meant),
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => None,
                    Err(trouble) => return Err(trouble),
                };
                let there = meant.as_ref().map_or(0, |m| m.things.len()) as f64;
                let n = self.number(part(1)).unwrap_or(0.0);
                context.moved.extend(meant);
                match self.word(part(0)).as_str() {
                    "more" => there > n,
                    "at_least" => there >= n,
                    "fewer" => there < n,
                    "at_most" => there <= n,
                    _ => there == n,
                }
            }
            "exists" | "lacks" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let there = match self.np(np, context) {
                    Ok(meant) => {
                        context.moved.push(meant);
                        true
                    }
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => false,
                    Err(Trouble::Several { .. }) => true,
                    Err(trouble) => return Err(trouble),
                };
                there != (tree.label == "lacks")
            }
            "exists_there" => {
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let things = match self.np(np, context) {
                    Ok(meant) => meant.things,
                    Err(Trouble::Several { candidates, .. }) => candidates,
                    Err(Trouble::None { .. } | Trouble::Unseen { .. }) => vec![],
                    Err(trouble) => return Err(trouble),
                };
                things.iter().any(|thing| {
                    let object = self.percept.object(thing.id());
                    object.is_some_and(|o| self.related("off", o, &other, Sense::Strict))
                })
            }
            "lacks_there" | "has_there" => {
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let mut others = self.percept.objects.iter().filter(|o| o.movable);
                let any = others.any(|o| self.related("off", o, &other, Sense::Strict));
                any != (tree.label == "lacks_there")
            }
            "lacks_on" | "has_on" => {
                let n = tree.parts.len();
                let relation = self.relation(part(n - 2));
                context.at_place = true;
                context.wants_inside = relation == "in";
                let other = self.one(part(n - 1), context);
                context.at_place = false;
                context.wants_inside = false;
                let other = other?;
                let mut others = self.percept.objects.iter().filter(|o| o.movable);
                let any = others.any(|o| {
                    crate::related::is_related(
                        self.percept,
                        self.viewpoint,
                        &relation,
                        o,
                        &other,
                        Sense::Strict,
                    )
                });
                if part(n - 1).label != "pronoun" {
                    context.place = Some(place_of(part(n - 1)));
                }
                context.moved.push(Meant::one(other));
                any != (tree.label == "lacks_on")
            }
            "is_there_too" => {
                let thing = self.one(part(0), context)?;
                let lost = || Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                };
                let place = context.place.clone().ok_or_else(lost)?;
                let other = self.one(place.parts.last().ok_or_else(lost)?, context)?;
                let object = self.percept.object(thing.id());
                let is_there = object.is_some_and(|o| {
                    let (percept, viewpoint) = (self.percept, self.viewpoint);
                    crate::related::is_related(percept, viewpoint, "off", o, &other, Sense::Strict)
                });
                context.moved.push(Meant::one(thing));
                is_there
            }
            "is_full" | "is_empty" => {
                let whole = self.one(part(0), context)?;
                let is_full = self.is_state(&whole, "full");
                context.place = Some(place_of(part(0)));
                context.moved.push(Meant::one(whole));
                is_full != (tree.label == "is_empty")
            }
            "contains" => {
                let whole = self.one(part(0), context)?;
                let inside = self.np(last, context)?;
                inside.things.iter().any(|thing| {
                    self.percept.object(thing.id()).is_some_and(|o| {
                        crate::related::is_related(
                            self.percept,
                            self.viewpoint,
                            "off",
                            o,
                            &whole,
                            Sense::Strict,
                        )
                    })
                })
            }
            _ => {
                return Err(Trouble::Nonsense(format!(
                    "whether `{}` cannot be told",
                    self.phrase(tree)
                )));
            }
        };
        Ok(holds != negated)
    }
}
