//! From clauses to what is to be brought about.

use std::rc::Rc;

use regrasp_api::{Heading, ObjectId, PerceivedObject, Zone};

use crate::command::{Command, Course};
use crate::parse::Tree;
use crate::refer::{Context, Reader, list};
use crate::related::{Sense, ground_of, is_related, table};
use crate::task::Step;
use crate::thing::{How, Meant, Thing, Trouble};
use crate::words::{Names, words_of};

/// How far something is moved if nobody says so, m.
const USUAL_DISTANCE_M: f64 = 0.1;
/// What is lower than this part of its width carries things on top.
const FLAT: f64 = 0.4;
/// Least width of what carries things, m.
const WIDE_M: f64 = 0.1;
/// Furthest that anything is moved by words such as "10 cm", m.
const MAX_DISTANCE_M: f64 = 1.0;

type Steps = Result<Vec<Step>, Trouble>;

/// Where something is to go.
enum Place {
    On(Meant),
    In(Meant),
    To(Meant),
    Beside(Meant),
    Against(Meant),
    Side(Meant, regrasp_api::Side),
    Between(Thing, Thing),
    Across(Thing, Thing),
    Point(Vec<f64>),
}

impl Reader<'_> {
    fn nonsense(&self, tree: &Tree, why: &str) -> Trouble {
        Trouble::Nonsense(format!("`{}`: {why}", self.phrase(tree)))
    }

    fn see(&self, thing: &Thing) -> Result<&PerceivedObject, Trouble> {
        let seen = self.percept.object(thing.id());
        seen.ok_or_else(|| Trouble::Nonsense(format!("{thing} is not seen")))
    }

    /// What an action asks for.
    pub(crate) fn action(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let part = |i: usize| &tree.parts[i];
        let last = || tree.parts.last().unwrap_or(tree);
        match tree.label.as_str() {
            "topic_pick" => {
                let meant = self.moved(part(0), context)?;
                self.picked(part(0), &meant)
            }
            "pick" | "wish_pick" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                self.picked(np, &meant)
            }
            "take_from" => {
                let [np, from_np] = self.two_nps(tree)?;
                let from = self.source(&np, &from_np, context)?;
                let whole = from.single().cloned();
                let meant = self.taken_from(&np, whole.as_ref(), context)?;
                let whole = whole.ok_or_else(|| self.nonsense(&from_np, "from which?"))?;
                self.off(&meant, &whole)
            }
            "put_from" => {
                let [np, from_np] = self.two_nps(tree)?;
                let from = self.source(&np, &from_np, context)?;
                let meant = self.taken_from(&np, from.single(), context)?;
                self.put(&meant, last(), context)
            }
            "put" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let place = tree.parts.iter().rfind(|p| is_place(p)).unwrap_or(tree);
                // "the one closest" "to the bowl" is not how it is meant.
                let ends_near = np.to > np.from && !self.ends("nearest", np.to - 1).is_empty();
                if ends_near && place.label == "to" {
                    return Err(self.nonsense(tree, "closest to what?"));
                }
                let meant = self.moved(np, context)?;
                let mut steps = self.put(&meant, place, context)?;
                steps.extend(self.more(last(), context)?);
                Ok(steps)
            }
            "take_put" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let place = tree.parts.iter().rfind(|p| is_place(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                let pronoun = tree.parts.iter().find(|p| p.label == "pronoun");
                let said = pronoun.map_or_else(String::new, |p| self.pronoun_word(p));
                if (said == "it") != (meant.things.len() == 1 || matches!(meant.how, How::Any(1)))
                    && said != "either"
                {
                    return Err(self.nonsense(tree, "one thing and several"));
                }
                let mut steps = self.put(&meant, place, context)?;
                steps.extend(self.more(last(), context)?);
                Ok(steps)
            }
            "put_where" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                self.moved(np, context)?;
                Err(Trouble::Unclear {
                    question: format!("where to, with `{}`?", self.phrase(tree)),
                })
            }
            "take_down" => {
                let meant = self.moved(last(), context)?;
                self.each(&meant, |thing| {
                    let object = self.see(thing)?;
                    let mut below = self.percept.objects.iter();
                    let table = table(self.percept).map(|table| &table.id);
                    let below = below.find(|o| {
                        Some(&o.id) != table && regrasp_relations::is_supported_by(object, o)
                    });
                    let below = below.ok_or_else(|| self.nonsense(tree, "it is on nothing"))?;
                    Ok(Command::TakeOff {
                        object: thing.id().to_string(),
                        target: below.id.to_string(),
                    })
                })
            }
            "bridge" => {
                let [over, np] = self.two_nps(tree)?;
                let over = self.np(&over, context)?;
                let [a, b] = self.two(tree, &over)?;
                let meant = self.moved(&np, context)?;
                self.each(&meant, |thing| Ok(across(thing, &a, &b)))
            }
            "gets" => {
                let [target, np] = self.two_nps(tree)?;
                let target = self.np(&target, context)?;
                let meant = self.moved(&np, context)?;
                self.to(&np, &meant, &target)
            }
            "take_out" | "wish_out" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                self.each(&meant, |thing| {
                    let object = self.see(thing)?;
                    let around = self.percept.objects.iter().find(|o| {
                        o.id != object.id
                            && o.shape.cavity().is_some()
                            && regrasp_relations::is_inside(object, o)
                    });
                    let around = around.ok_or_else(|| self.nonsense(tree, "it is in nothing"))?;
                    Ok(Command::TakeOff {
                        object: thing.id().to_string(),
                        target: around.id.to_string(),
                    })
                })
            }
            "wish_off" => {
                let [np, from_np] = self.two_nps(tree)?;
                let whole = self.one(&from_np, context)?;
                let meant = self.taken_from(&np, Some(&whole), context)?;
                self.off(&meant, &whole)
            }
            "filled" | "covered_with" => {
                let [target, np] = self.two_nps(tree)?;
                let target = self.np(&target, context)?;
                let meant = self.moved(&np, context)?;
                match tree.label.as_str() {
                    "filled" => self.put_in(&meant, &target),
                    _ => self.on(tree, &meant, &target),
                }
            }
            "put_place_first" => {
                let meant = self.moved(last(), context)?;
                self.put(&meant, part(1), context)
            }
            "wish" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let place = tree.parts.iter().rfind(|p| is_place(p)).unwrap_or(tree);
                if tree
                    .parts
                    .iter()
                    .any(|p| p.label.is_empty() && p.to > p.from)
                {
                    return Err(self.nonsense(tree, "not clear"));
                }
                let meant = self.moved(np, context)?;
                let mut steps = self.put(&meant, place, context)?;
                steps.extend(self.more(last(), context)?);
                Ok(steps)
            }
            "nothing" => Ok(vec![]),
            "wish_none_open" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let things = match self.np(np, context) {
                    Err(Trouble::Several { candidates, .. }) => candidates,
                    meant => meant?.things,
                };
                let all = Meant {
                    things,
                    how: How::All,
                    noun: vec![],
                    colors: vec![],
                    is_rest: false,
                };
                self.each(&all, |thing| {
                    Ok(Command::Slide {
                        object: thing.id().to_string(),
                        open: false,
                    })
                })
            }
            "wish_none" => self.none_there(tree, context),
            "wish_do" => self.action(last(), context),
            "side_by_side" => {
                let pair = self.moved(part(0), context)?;
                let [a, b] = self.two(part(0), &pair)?;
                let mut steps = vec![Step::Do(Command::PutAgainst {
                    object: a.id().to_string(),
                    target: b.id().to_string(),
                })];
                steps.extend(self.more(last(), context)?);
                Ok(steps)
            }
            "put_down" => {
                let meant = self.moved(last(), context)?;
                // "put it on the plate and let go of it" is one thing.
                let is_down = meant
                    .single()
                    .is_some_and(|t| context.expected.contains_key(t.id()));
                if is_down && ["release", "let"].contains(&self.first_word(tree).as_str()) {
                    return Ok(vec![]);
                }
                self.each(&meant, |thing| {
                    let object = self.see(thing)?;
                    let ground = ground_of(self.percept, object).or_else(|| table(self.percept));
                    let ground = ground.ok_or_else(|| self.nonsense(tree, "on what?"))?;
                    Ok(Command::PutOn {
                        object: thing.id().to_string(),
                        target: ground.id.to_string(),
                    })
                })
            }
            "aside" => Err(Trouble::Unclear {
                question: format!("where exactly is `{}`?", self.phrase(tree)),
            }),
            "shift" | "shift_heading" | "wish_push" => self.shift(tree, context),
            "shift_plainly" => self.shift_plainly(tree, context),
            "shift_toward" | "shift_toward_by" => self.shift_toward(tree, context),
            "shift_point" => {
                let meant = self.moved(part(1), context)?;
                let point = self.point(last())?;
                self.each(&meant, |thing| {
                    Ok(Command::Shift {
                        object: thing.id().to_string(),
                        pull: part(0).label == "pull",
                        to: Course::Point([point[0], point[1]]),
                    })
                })
            }
            "shift_place" => self.shift_place(tree, context),
            "push_off" => Err(self.nonsense(
                tree,
                "nothing is pushed off what it stands on: it would fall",
            )),
            "move_by" | "move_by_wish" => self.move_by(tree, context),
            "lift" | "lift_then" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                let metres = self.length(tree)?.unwrap_or(USUAL_DISTANCE_M);
                self.each(&meant, |thing| {
                    let seen = self.see(thing)?.position();
                    let at = context.expected.get(thing.id()).unwrap_or(&seen);
                    Ok(Command::HoldAt {
                        object: thing.id().to_string(),
                        point: [at.x, at.y, seen.z + metres],
                    })
                })
            }
            "hold_at" => {
                let meant = self.moved(part(0), context)?;
                let point = self.point(last())?;
                let point: [f64; 3] = point.try_into().map_err(|_| {
                    self.nonsense(tree, "a point to hold something at needs x, y and z")
                })?;
                self.each(&meant, |thing| {
                    Ok(Command::HoldAt {
                        object: thing.id().to_string(),
                        point,
                    })
                })
            }
            "open" | "close" | "wish_open" | "wish_closed" => {
                let open = matches!(tree.label.as_str(), "open" | "wish_open");
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                self.slide(np, open, context)
            }
            "press" => {
                let np = tree.parts.iter().rfind(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                self.each(&meant, |thing| {
                    if !self.is_button(thing) {
                        return Err(self.nonsense(tree, &format!("{thing} is no button")));
                    }
                    Ok(Command::Press {
                        object: thing.id().to_string(),
                    })
                })
            }
            "pour" => {
                let [from, into] = self.two_nps(tree)?;
                let meant = self.moved(&from, context)?;
                let target = self.one(&into, context)?;
                self.each(&meant, |thing| {
                    Ok(Command::Pour {
                        object: thing.id().to_string(),
                        target: target.id().to_string(),
                    })
                })
            }
            "insert" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let meant = self.moved(nps[0], context)?;
                let target = self.one(nps[1], context)?;
                if self.percept.ports.iter().all(|p| &p.object != target.id())
                    && self.see(&target)?.shape.cavity().is_some()
                {
                    return self.put_in(&meant, &Meant::one(target));
                }
                self.each(&meant, |thing| {
                    Ok(Command::Insert {
                        object: thing.id().to_string(),
                        target: target.id().to_string(),
                    })
                })
            }
            "upright" | "wish_upright" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                self.each(&meant, |thing| {
                    Ok(Command::StandUp {
                        object: thing.id().to_string(),
                    })
                })
            }
            "stack_on" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let meant = self.moved(nps[0], context)?;
                context.at_place = nps[1].label == "pronoun";
                context.current = Some(meant.clone());
                let target = self.one(nps[1], context);
                context.at_place = false;
                context.current = None;
                let target = target?;
                match meant.things.len() {
                    1 => self.on(nps[1], &meant, &Meant::one(target)),
                    _ => self.tower(tree, &meant, Some(&target)),
                }
            }
            "stack_three" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let mut things = vec![];
                for np in nps {
                    things.push(self.one(np, context)?);
                }
                let on = |pair: &[Thing]| {
                    Step::Do(Command::PutOn {
                        object: pair[0].id().to_string(),
                        target: pair[1].id().to_string(),
                    })
                };
                context.moved.push(Meant::one(things[0].clone()));
                Ok(things.windows(2).rev().map(on).collect())
            }
            "tower" => {
                let np = tree.parts.iter().rfind(|p| is_np(p)).unwrap_or(tree);
                let meant = self.moved(np, context)?;
                self.tower(tree, &meant, None)
            }
            "tower_on" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let meant = self.moved(nps[0], context)?;
                let target = self.one(nps[1], context)?;
                self.tower(tree, &meant, Some(&target))
            }
            "swap" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let pair = self.moved(np, context)?;
                if pair.things.len() == 1 {
                    return Err(Trouble::Unclear {
                        question: format!("`{}`: with what?", self.phrase(tree)),
                    });
                }
                let [a, b] = self.two(np, &pair)?;
                Ok(vec![swap(&a, &b)])
            }
            "swap_with" => {
                let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
                let a = self.one(nps[0], context)?;
                let b = self.one(nps[1], context)?;
                Ok(vec![swap(&a, &b)])
            }
            "clear" | "empty" => {
                let np = tree.parts.iter().rfind(|p| is_np(p)).unwrap_or(tree);
                let whole = self.one(np, context)?;
                if self.is_small(&whole) {
                    return Err(self.nonsense(tree, "there is nothing to clear"));
                }
                self.clear(np, &whole)
            }
            "home" => Ok(vec![Step::Do(Command::Home)]),
            _ => Err(self.nonsense(tree, "not understood")),
        }
    }

    /// "no cube should be on another": what is there is taken off.
    fn none_there(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [np, other_np] = self.two_nps(tree)?;
        let relation = tree.parts[..tree.parts.len() - 1].last();
        let relation = relation.map_or_else(String::new, |r| self.relation(r));
        if !matches!(relation.as_str(), "on" | "in") {
            return Err(self.nonsense(tree, "where to, then?"));
        }
        let all = |np: &Rc<Tree>, context: &mut Context| match self.np(np, context) {
            Err(Trouble::Several { candidates, .. }) => Ok(candidates),
            meant => meant.map(|meant| meant.things),
        };
        let mut own = context.clone();
        own.heads.push(self.noun_of(&np));
        let others = all(&other_np, &mut own)?;
        let things = all(&np, context)?;
        let mut steps = vec![];
        for (thing, other) in things
            .iter()
            .flat_map(|t| others.iter().map(move |o| (t, o)))
        {
            let object = self.see(thing)?;
            if self.related("off", object, other, Sense::Strict) {
                steps.extend(self.off(&Meant::one(thing.clone()), other)?);
            }
        }
        Ok(steps)
    }

    /// What is moved: "it" means it from now on.
    fn moved(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Meant, Trouble> {
        let is_first = context.moved.is_empty();
        let meant = self.np(tree, context).map_err(|trouble| match trouble {
            Trouble::Unseen { phrase, name, .. } => Trouble::Unseen {
                phrase,
                name,
                moved: is_first,
            },
            other => other,
        })?;
        if meant.is_rest {
            return Err(Trouble::Unclear {
                question: format!("what exactly is `{}`?", self.phrase(tree)),
            });
        }
        context.moved.push(meant.clone());
        Ok(meant)
    }

    /// What something is taken from; of several, what carries it.
    fn source(
        &self,
        np: &Rc<Tree>,
        from_np: &Rc<Tree>,
        context: &mut Context,
    ) -> Result<Meant, Trouble> {
        context.heads.push(self.noun_of(np));
        let from = self.np(from_np, context);
        context.heads.pop();
        let Err(Trouble::Several { phrase, candidates }) = from else {
            return from;
        };
        let carries = |whole: &&Thing| {
            let mut own = context.clone();
            self.taken_from(np, Some(whole), &mut own).is_ok()
        };
        match candidates.iter().filter(carries).collect::<Vec<_>>()[..] {
            [one] => Ok(Meant::one(one.clone())),
            _ => Err(Trouble::Several { phrase, candidates }),
        }
    }

    /// What is taken from something: only what is there can be meant.
    fn taken_from(
        &self,
        tree: &Rc<Tree>,
        whole: Option<&Thing>,
        context: &mut Context,
    ) -> Result<Meant, Trouble> {
        let Some(whole) = whole else {
            return self.moved(tree, context);
        };
        let is_there = |thing: &Thing| {
            let object = self.percept.object(thing.id());
            object.is_some_and(|o| {
                is_related(self.percept, self.viewpoint, "off", o, whole, Sense::Strict)
            })
        };
        let meant = match self.np(tree, context) {
            Ok(meant) => meant,
            Err(Trouble::Several { phrase, candidates }) => {
                let things: Vec<Thing> = candidates.into_iter().filter(is_there).collect();
                match things.as_slice() {
                    [one] => Meant::one(one.clone()),
                    _ => {
                        return Err(Trouble::Several {
                            phrase,
                            candidates: things,
                        });
                    }
                }
            }
            Err(trouble) => return Err(trouble),
        };
        let things: Vec<Thing> = meant
            .things
            .iter()
            .filter(|t| is_there(t))
            .cloned()
            .collect();
        if things.is_empty() {
            let phrase = self.phrase(tree);
            let why = format!("{} is not on or in {whole}", list(&meant.things));
            return Err(Trouble::None { phrase, why });
        }
        let meant = Meant { things, ..meant };
        context.moved.push(meant.clone());
        Ok(meant)
    }

    fn two_nps(&self, tree: &Rc<Tree>) -> Result<[Rc<Tree>; 2], Trouble> {
        let mut nps = tree.parts.iter().filter(|p| is_np(p)).cloned();
        match (nps.next(), nps.next()) {
            (Some(a), Some(b)) => Ok([a, b]),
            _ => Err(self.nonsense(tree, "not understood")),
        }
    }

    fn two(&self, tree: &Tree, meant: &Meant) -> Result<[Thing; 2], Trouble> {
        match meant.things.as_slice() {
            [a, b] => Ok([a.clone(), b.clone()]),
            things => Err(self.nonsense(
                tree,
                &format!(
                    "two things are needed, and these are {}: {}",
                    things.len(),
                    list(things)
                ),
            )),
        }
    }

    /// A command for each thing, or for any.
    fn each(&self, meant: &Meant, command: impl Fn(&Thing) -> Result<Command, Trouble>) -> Steps {
        let commands = meant
            .things
            .iter()
            .map(command)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(match meant.how {
            How::Any(1) => vec![Step::Any(commands)],
            How::Any(n) => vec![Step::Some { n, of: commands }],
            How::The | How::All => commands.into_iter().map(Step::Do).collect(),
        })
    }

    fn picked(&self, tree: &Tree, meant: &Meant) -> Steps {
        if let Some(Thing::Zone(..)) = meant.things.first() {
            return Err(self.nonsense(tree, "a place cannot be picked up"));
        }
        let several = meant.things.len() > 1 && !matches!(meant.how, How::Any(1));
        if several {
            let n = meant.things.len();
            return Err(self.nonsense(tree, &format!("one hand cannot hold {n} things at once")));
        }
        if meant
            .single()
            .is_some_and(|t| self.percept.joints.iter().any(|j| &j.child == t.id()))
        {
            return Err(self.nonsense(tree, "it hangs on a joint and cannot be picked up"));
        }
        self.each(meant, |thing| {
            Ok(Command::Pick {
                object: thing.id().to_string(),
            })
        })
    }

    fn off(&self, meant: &Meant, whole: &Thing) -> Steps {
        self.each(meant, |thing| {
            Ok(Command::TakeOff {
                object: thing.id().to_string(),
                target: whole.id().to_string(),
            })
        })
    }

    /// Everything that can be taken off something, but what only holds other things.
    fn clear(&self, tree: &Tree, whole: &Thing) -> Steps {
        let is_ground = self.see(whole)?.movable;
        let on_it = self.percept.objects.iter().filter(|o| {
            let holds = !is_ground && self.is_receptacle(o);
            o.movable
                && !holds
                && (is_related(self.percept, self.viewpoint, "off", o, whole, Sense::Strict)
                    || (!is_ground && self.stands_over(o, whole)))
        });
        let on_it: Vec<Thing> = on_it.map(|o| Thing::Object(o.id.clone())).collect();
        if on_it.is_empty() {
            return Ok(vec![]);
        }
        if !is_ground
            && !self
                .percept
                .objects
                .iter()
                .any(|o| o.movable && self.is_receptacle(o))
        {
            return Err(Trouble::Unclear {
                question: format!("`{}`: where should {} go?", self.phrase(tree), list(&on_it)),
            });
        }
        let meant = Meant {
            things: on_it,
            how: How::All,
            noun: vec![],
            colors: vec![],
            is_rest: false,
        };
        self.off(&meant, whole)
    }

    /// Whether something stands on things that stand on `whole`, in nothing that holds it.
    fn stands_over(&self, object: &PerceivedObject, whole: &Thing) -> bool {
        let mut others = self
            .percept
            .objects
            .iter()
            .filter(|o| o.movable && o.id != object.id);
        let held_by = others.find(|o| {
            let other = Thing::Object(o.id.clone());
            is_related(
                self.percept,
                self.viewpoint,
                "off",
                object,
                &other,
                Sense::Strict,
            )
        });
        held_by.is_some_and(|below| {
            !self.is_receptacle(below)
                && (is_related(
                    self.percept,
                    self.viewpoint,
                    "off",
                    below,
                    whole,
                    Sense::Strict,
                ) || self.stands_over(below, whole))
        })
    }

    pub(crate) fn is_receptacle(&self, object: &PerceivedObject) -> bool {
        object.shape.cavity().is_some() || self.is_flat(object)
    }

    /// Whether things stand on it, as on a plate.
    fn is_flat(&self, object: &PerceivedObject) -> bool {
        let size = object.aabb_in_world().size();
        let width_m = size.x.min(size.y);
        !object.movable
            || (width_m >= WIDE_M && size.z <= FLAT * width_m)
            || self.is_called(object, "plate")
    }

    fn is_called(&self, object: &PerceivedObject, word: &str) -> bool {
        Names::of(object)
            .fit(&[word.to_owned()], self.lexicon)
            .is_some()
    }

    fn is_button(&self, thing: &Thing) -> bool {
        let joint = self.percept.joints.iter().find(|j| &j.child == thing.id());
        let presses = joint.is_some_and(|j| j.presses.is_some());
        let named = self.percept.object(thing.id());
        presses || named.is_some_and(|o| words_of(&o.category).iter().any(|w| w == "button"))
    }

    fn more(&self, list: &Rc<Tree>, context: &mut Context) -> Steps {
        let mut steps = vec![];
        for more in list.parts.iter().filter(|p| p.label == "more") {
            let meant = self.moved(&more.parts[0], context)?;
            let place = more.parts.last().unwrap_or(more);
            steps.extend(self.put(&meant, place, context)?);
        }
        Ok(steps)
    }

    fn place(
        &self,
        tree: &Rc<Tree>,
        moved: &Meant,
        context: &mut Context,
    ) -> Result<Place, Trouble> {
        let np = || tree.parts.last().unwrap_or(tree);
        context.at_place = np().label == "pronoun";
        let place = match tree.label.as_str() {
            "on" | "at_part" => Place::On(self.np(np(), context)?),
            "in" => Place::In(self.np(np(), context)?),
            "to" => Place::To(self.np(np(), context)?),
            "beside" => Place::Beside(self.np(np(), context)?),
            "against" => Place::Against(self.np(np(), context)?),
            "side" => {
                let meant = self.np(np(), context)?;
                let word = self.word(&tree.parts[0]);
                let side = self.viewpoint.side(&word).ok_or_else(|| Trouble::Unclear {
                    question: format!("`{}`: which side, as the robot sees it?", self.phrase(tree)),
                })?;
                Place::Side(meant, side)
            }
            "between" | "across" => {
                let meant = self.np(np(), context)?;
                let [a, b] = self.two(np(), &meant)?;
                match tree.label.as_str() {
                    "between" => Place::Between(a, b),
                    // What carries two ends is two things of a sort.
                    _ if a.id() == b.id() || self.see(&a)?.movable != self.see(&b)?.movable => {
                        return Err(self.nonsense(tree, "nothing lies across these"));
                    }
                    _ => Place::Across(a, b),
                }
            }
            "point" => Place::Point(self.point(np())?),
            "numbers" => {
                let figures: Vec<f64> = tree.parts.iter().filter_map(|p| self.number(p)).collect();
                Place::Point(figures)
            }
            "there" => {
                let before = context.place.clone().filter(|p| p.label != "there");
                let before = before.ok_or_else(|| Trouble::Unclear {
                    question: format!("where is `{}`?", self.phrase(tree)),
                })?;
                return self.place(&before, moved, context);
            }
            "free_side" => {
                self.check_mine(tree)?;
                let side = self.word(np());
                let object = moved
                    .things
                    .first()
                    .and_then(|t| self.percept.object(t.id()));
                let ground = object
                    .and_then(|o| ground_of(self.percept, o))
                    .or_else(|| table(self.percept));
                let ground = ground.ok_or_else(|| self.nonsense(tree, "of what?"))?;
                let zone = if side == "middle" {
                    Some("middle")
                } else {
                    self.own_side(&side)
                };
                let zone = zone.ok_or_else(|| self.nonsense(tree, "which side?"))?;
                Place::On(Meant::one(Thing::Zone(ground.id.clone(), Zone::new(zone))))
            }
            "back_again" => {
                let object = moved.single().map(|thing| self.see(thing)).transpose()?;
                let object = object.ok_or_else(|| self.nonsense(tree, "where which was?"))?;
                let at = object.position();
                Place::Point(vec![at.x, at.y])
            }
            "at_side_of" => {
                let whole = self.one(np(), context)?;
                let side = tree.parts.iter().find(|p| p.label == "side");
                let word = side.map_or_else(String::new, |side| self.word(side));
                let object = self.see(&whole)?;
                let size = object.aabb_in_world().size();
                let is_flat = size.z < FLAT * size.x.min(size.y) && size.x.min(size.y) >= WIDE_M;
                let side = self
                    .own_side(&word)
                    .filter(|_| is_flat && whole.zone().is_none());
                let side = side.ok_or_else(|| self.nonsense(tree, "it has no such side"))?;
                Place::On(Meant::one(Thing::Zone(object.id.clone(), Zone::new(side))))
            }
            "under" => return Err(self.nonsense(tree, "nothing is put under things")),
            _ => return Err(self.nonsense(tree, "where that is, is not understood")),
        };
        if let Place::On(meant) | Place::In(meant) | Place::To(meant) = &place
            && is_np(np())
        {
            context.fixed.push((np().clone(), meant.clone()));
        }
        context.place = Some(tree.clone());
        Ok(place)
    }

    fn first_word(&self, tree: &Tree) -> String {
        let first = self.tokens.get(tree.from).and_then(|t| t.word());
        first.unwrap_or_default().to_owned()
    }

    fn own_side(&self, word: &str) -> Option<&'static str> {
        self.viewpoint.side(word).map(side_word)
    }

    fn is_table(&self, meant: &Meant) -> bool {
        let table = table(self.percept).map(|o| &o.id);
        meant.single().is_some_and(|t| Some(t.id()) == table)
    }

    /// The same, for a place that is named by itself.
    pub(crate) fn put_there(&self, moved: &Meant, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        self.put(moved, tree, context)
    }

    /// What putting things at a place asks for.
    fn put(&self, moved: &Meant, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        if moved.things.iter().any(|t| t.zone().is_some()) {
            return Err(self.nonsense(tree, "a place cannot be moved"));
        }
        if let Some(fixed) = moved
            .things
            .iter()
            .find(|t| self.percept.object(t.id()).is_some_and(|o| !o.movable))
        {
            return Err(self.nonsense(tree, &format!("{fixed} is fixed")));
        }
        let np = tree.parts.last().unwrap_or(tree);
        context.current = Some(moved.clone());
        context.wants_inside = tree.label == "in";
        let place = self.place(tree, moved, context);
        context.current = None;
        context.at_place = false;
        match place? {
            Place::On(target) => self.on(np, moved, &target),
            Place::In(target) => self.put_in(moved, &target),
            Place::To(target) => self.to(np, moved, &target),
            Place::Beside(target) => self.with_target(np, moved, &target, |object, target| {
                Ok(Command::PutBeside {
                    object,
                    target: target.id().to_string(),
                    side: None,
                })
            }),
            Place::Against(target) => self.with_target(np, moved, &target, |object, target| {
                Ok(Command::PutAgainst {
                    object,
                    target: target.id().to_string(),
                })
            }),
            // "at the back of the plate" is a place on it.
            Place::Side(target, _)
                if self.phrase(tree).starts_with("at the ")
                    && target.single().is_some_and(|t| {
                        self.see(t)
                            .is_ok_and(|o| o.movable && self.is_receptacle(o) && self.is_flat(o))
                    }) =>
            {
                Err(self.nonsense(tree, "that is a place on it"))
            }
            // "at the front" "right of the table" is a corner.
            Place::Side(target, _)
                if self.is_table(&target)
                    && ["left", "right"].contains(&self.first_word(tree).as_str()) =>
            {
                Err(self.nonsense(tree, "which side?"))
            }
            Place::Side(target, side) if self.is_table(&target) => {
                let zone = side_word(side);
                let things = target
                    .things
                    .iter()
                    .map(|t| Thing::Zone(t.id().clone(), Zone::new(zone)));
                let target = Meant {
                    things: things.collect(),
                    ..target.clone()
                };
                self.on(np, moved, &target)
            }
            Place::Side(target, side) => self.with_target(np, moved, &target, |object, target| {
                Ok(Command::PutBeside {
                    object,
                    target: target.id().to_string(),
                    side: Some(side),
                })
            }),
            Place::Between(a, b) => self.each(moved, |thing| {
                Ok(Command::PutBetween {
                    object: thing.id().to_string(),
                    targets: [a.id().to_string(), b.id().to_string()],
                })
            }),
            Place::Across(a, b) => self.each(moved, |thing| Ok(across(thing, &a, &b))),
            Place::Point(point) => {
                if moved.things.len() > 1 && moved.how == How::All {
                    return Err(self.nonsense(tree, "several things cannot stand at one point"));
                }
                self.each(moved, |thing| {
                    Ok(Command::PutAt {
                        object: thing.id().to_string(),
                        xy: [point[0], point[1]],
                        z: point.get(2).copied(),
                    })
                })
            }
        }
    }

    /// A command for each thing and its target; of several targets any, if any may be.
    fn with_target(
        &self,
        tree: &Tree,
        moved: &Meant,
        target: &Meant,
        command: impl Fn(String, &Thing) -> Result<Command, Trouble>,
    ) -> Steps {
        let to = |thing: &Thing, target: &Thing| {
            if thing.id() == target.id() {
                return Err(self.nonsense(tree, &format!("{thing} is what is moved itself")));
            }
            command(thing.id().to_string(), target)
        };
        match (target.things.as_slice(), target.how) {
            ([one], _) => {
                let others = moved
                    .things
                    .iter()
                    .filter(|t| t.id() != one.id())
                    .cloned()
                    .collect();
                let others: Vec<Thing> = others;
                let moved = match (moved.how, others.is_empty()) {
                    // "put everything in the tray" does not mean the tray.
                    (How::All, false) => Meant {
                        things: others,
                        ..moved.clone()
                    },
                    _ => moved.clone(),
                };
                self.each(&moved, |thing| to(thing, one))
            }
            (targets, How::Any(1)) => {
                let mut steps = vec![];
                for thing in &moved.things {
                    let any = targets
                        .iter()
                        .filter(|t| t.id() != thing.id())
                        .map(|t| to(thing, t));
                    let any = any.collect::<Result<Vec<_>, _>>()?;
                    steps.push(any);
                }
                Ok(match moved.how {
                    How::Any(1) => vec![Step::Any(steps.concat())],
                    How::Any(_) => return Err(self.nonsense(tree, "which of them where?")),
                    How::The | How::All => steps.into_iter().map(Step::Any).collect(),
                })
            }
            _ => Err(Trouble::Unclear {
                question: format!(
                    "`{}`: on which of {}?",
                    self.phrase(tree),
                    list(&target.things)
                ),
            }),
        }
    }

    fn on(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        if let (things, How::All, How::Any(1)) = (target.things.as_slice(), target.how, moved.how)
            && things.len() > 1
        {
            // "a cube on each plate": another one each time.
            let on = |target: &Thing| {
                let one = Meant {
                    how: How::The,
                    ..Meant::one(target.clone())
                };
                self.on(tree, moved, &one)
            };
            let steps = things.iter().map(on).collect::<Result<Vec<_>, _>>()?;
            return Ok(steps.concat());
        }
        if let ([a, b], How::All) = (target.things.as_slice(), target.how) {
            if a.id() == b.id() || self.see(a)?.movable != self.see(b)?.movable {
                return Err(self.nonsense(tree, "nothing lies across these"));
            }
            return self.each(moved, |thing| Ok(across(thing, a, b)));
        }
        self.with_target(tree, moved, target, |object, target| {
            let whole = self.see(target)?;
            if let Some(zone) = target.zone() {
                return Ok(self.within(tree, object, whole, zone));
            }
            Ok(Command::PutOn {
                object,
                target: target.id().to_string(),
            })
        })
    }

    /// At a place of something that carries things; beside what does not.
    fn within(&self, tree: &Tree, object: String, whole: &PerceivedObject, zone: &Zone) -> Command {
        let _ = tree;
        let side = match zone.as_str() {
            "left" => Some(regrasp_api::Side::Left),
            "right" => Some(regrasp_api::Side::Right),
            "front" => Some(regrasp_api::Side::InFront),
            "back" => Some(regrasp_api::Side::Behind),
            _ => None,
        };
        let target = whole.id.to_string();
        match side {
            Some(side) if !self.is_receptacle(whole) => Command::PutBeside {
                object,
                target,
                side: Some(side),
            },
            _ => Command::PutWithin {
                object,
                target,
                zone: zone.clone(),
            },
        }
    }

    fn put_in(&self, moved: &Meant, target: &Meant) -> Steps {
        if let (things @ [_, _, ..], How::All) = (target.things.as_slice(), target.how) {
            return Err(Trouble::Unclear {
                question: format!("in which of {}?", list(things)),
            });
        }
        let tree = Tree {
            label: String::new(),
            parts: vec![],
            from: 0,
            to: 0,
        };
        self.with_target(&tree, moved, target, |object, target| {
            let whole = self.see(target)?;
            if let Some(zone) = target.zone() {
                return Ok(Command::PutWithin {
                    object,
                    target: whole.id.to_string(),
                    zone: zone.clone(),
                });
            }
            let fits = self
                .percept
                .object(&ObjectId::new(&object))
                .is_none_or(|o| {
                    let least = |size: nalgebra::Vector3<f64>| {
                        let mut sorted = [size.x, size.y, size.z];
                        sorted.sort_by(f64::total_cmp);
                        sorted
                    };
                    let (own, room) = (
                        least(o.aabb_in_world().size()),
                        whole.aabb_in_world().size(),
                    );
                    own[1] <= room.x.max(room.y) && own[0] <= room.x.min(room.y)
                });
            if !fits {
                return Err(Trouble::Nonsense(format!(
                    "{object} does not fit into {}",
                    whole.id
                )));
            }
            let target = whole.id.to_string();
            let holds = whole.shape.cavity().is_some() || self.is_called(whole, "container");
            match holds {
                true => Ok(Command::PutIn { object, target }),
                false if self.is_flat(whole) && whole.movable => {
                    Ok(Command::PutOn { object, target })
                }
                false => Err(Trouble::Nonsense(format!("{target} has no inside"))),
            }
        })
    }

    /// "to the plate" is on it, "to the bowl" in it; "to the cube" may be anything.
    fn to(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
        let Some(one) = target.single() else {
            return self.on(tree, moved, target);
        };
        let whole = self.see(one)?;
        if one.zone().is_some() {
            return self.on(tree, moved, target);
        }
        if whole.shape.cavity().is_some() {
            return self.put_in(moved, target);
        }
        if self.is_flat(whole) {
            return self.on(tree, moved, target);
        }
        Err(Trouble::Unclear {
            question: format!("`to {}`: on {one}, or beside it?", self.phrase(tree)),
        })
    }

    fn point(&self, tree: &Tree) -> Result<Vec<f64>, Trouble> {
        match self.tokens.get(tree.from) {
            Some(crate::tokens::Token::Point(point)) => Ok(point.clone()),
            _ => Err(self.nonsense(tree, "no point")),
        }
    }

    /// The length that an action names, m.
    pub(crate) fn length(&self, tree: &Tree) -> Result<Option<f64>, Trouble> {
        let named = |t: &&Rc<Tree>| {
            let is_length = matches!(t.label.as_str(), "number" | "amount" | "amount_and_half");
            is_length && !t.parts.is_empty()
        };
        let Some(length) = tree.parts.iter().find(named) else {
            return Ok(None);
        };
        let figures = length.parts.iter().filter(|p| p.label != "list");
        let mut figures = figures.map(|p| self.number(p));
        let (Some(Some(n)), Some(Some(unit))) = (figures.next(), figures.next()) else {
            return Err(self.nonsense(length, "no length"));
        };
        let n = if length.label == "amount_and_half" {
            n + 0.5
        } else {
            n
        };
        let metres = n * unit;
        if !(metres > 0.0 && metres <= MAX_DISTANCE_M) {
            return Err(self.nonsense(length, "further than this arm moves things (at most 1 m)"));
        }
        Ok(Some(metres))
    }

    /// The robot's heading for what was said.
    fn heading(&self, tree: &Tree) -> Result<Heading, Trouble> {
        self.check_mine(tree)?;
        let said = self.phrase(tree);
        let mine = said.contains(" my ");
        let own = match self.word(tree).as_str() {
            "forward" if !mine => Some(Heading::Forward),
            "back" if !mine => Some(Heading::Back),
            "to_me" => match self.viewpoint.position() {
                Some(_) => self.viewpoint.heading("front"),
                None => Some(Heading::Back),
            },
            "from_me" => self.viewpoint.heading("back"),
            "robot_left" => Some(Heading::Left),
            "robot_right" => Some(Heading::Right),
            // "your left" is the robot's, whoever says it.
            word if said.contains("your") => Some(if word == "left" {
                Heading::Left
            } else {
                Heading::Right
            }),
            word => self.viewpoint.heading(word),
        };
        own.ok_or_else(|| Trouble::Unclear {
            question: format!("`{said}`: which way, as the robot sees it?"),
        })
    }

    fn is_pull(&self, tree: &Tree) -> bool {
        tree.parts.iter().any(|p| p.label == "pull")
    }

    fn shift(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
        let heading = tree.parts.iter().find(|p| p.label == "heading");
        let mut heading = self.heading(heading.unwrap_or(tree))?;
        let again = tree.parts.iter().find(|p| p.label == "again_heading");
        if let Some(again) = again.and_then(|again| again.parts.first()) {
            // "back, away from you": the second says what the first means.
            let meant = self.heading(again)?;
            if meant != heading && heading != Heading::Back {
                return Err(self.nonsense(tree, "two ways at once"));
            }
            heading = meant;
        }
        let metres = self.length(tree)?;
        let meant = self.moved(np, context)?;
        self.shifted(&meant, self.is_pull(tree), heading, metres, context)
    }

    /// Where something will be when it is its turn.
    fn position(
        &self,
        thing: &Thing,
        context: &Context,
    ) -> Result<nalgebra::Vector3<f64>, Trouble> {
        let seen = self.movable(thing)?.position();
        Ok(context.expected.get(thing.id()).copied().unwrap_or(seen))
    }

    /// What the next clauses have to know of where things are then.
    pub(crate) fn expect(&self, steps: &[Step], context: &mut Context) {
        context.went_into_it = steps.iter().any(|step| {
            let Step::Do(Command::PutIn { target, .. }) = step else {
                return false;
            };
            let into = self.percept.object(&ObjectId::new(target));
            into.is_some_and(|o| o.movable)
        });
        for step in steps {
            let Step::Do(command) = step else {
                continue;
            };
            let see = |name: &str| {
                self.percept
                    .object(&ObjectId::new(name))
                    .map(|o| o.position())
            };
            let to = match command {
                Command::PutAt { xy, .. }
                | Command::Shift {
                    to: Course::Point(xy),
                    ..
                } => Some(nalgebra::Vector3::new(xy[0], xy[1], 0.0)),
                Command::PutOn { target, .. } | Command::PutIn { target, .. } => see(target),
                _ => None,
            };
            let height = command.object().and_then(see).map_or(0.0, |p| p.z);
            if let (Some(object), Some(to)) = (command.object(), to) {
                let to = nalgebra::Vector3::new(to.x, to.y, height);
                context.expected.insert(ObjectId::new(object), to);
            }
        }
    }

    fn shifted(
        &self,
        meant: &Meant,
        pull: bool,
        heading: Heading,
        metres: Option<f64>,
        context: &Context,
    ) -> Steps {
        self.each(meant, |thing| {
            let from = self.position(thing, context)?;
            let to = from + heading.direction() * metres.unwrap_or(USUAL_DISTANCE_M);
            Ok(Command::Shift {
                object: thing.id().to_string(),
                pull,
                to: Course::Point([to.x, to.y]),
            })
        })
    }

    fn movable(&self, thing: &Thing) -> Result<&PerceivedObject, Trouble> {
        let object = self.see(thing)?;
        match object.movable {
            true => Ok(object),
            false => Err(Trouble::Nonsense(format!("{thing} is fixed"))),
        }
    }

    fn shift_plainly(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
        let metres = self.length(tree)?;
        let meant = self.moved(np, context)?;
        let pull = self.is_pull(tree);
        let first = meant.things.first().map(Thing::id);
        let joint = self.percept.joints.iter().find(|j| Some(&j.child) == first);
        if joint.is_some_and(|j| j.presses.is_none()) {
            let open = pull;
            return self.each(&meant, |thing| {
                Ok(Command::Slide {
                    object: thing.id().to_string(),
                    open,
                })
            });
        }
        if meant.things.iter().all(|t| self.is_button(t)) {
            return Err(self.nonsense(tree, "a button is pressed"));
        }
        if metres.is_some() {
            return Err(Trouble::Unclear {
                question: format!("in which direction, with `{}`?", self.phrase(tree)),
            });
        }
        // What is pushed goes away, what is pulled comes nearer.
        let heading = if pull {
            Heading::Back
        } else {
            Heading::Forward
        };
        self.shifted(&meant, pull, heading, metres, context)
    }

    fn shift_toward(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let nps: Vec<_> = tree.parts.iter().filter(|p| is_np(p)).collect();
        let meant = self.moved(nps[0], context)?;
        let target = self.one(nps[1], context)?;
        let metres = self.length(tree)?;
        if let Some(zone) = target.zone() {
            let whole = self.see(&target)?;
            return self.each(&meant, |thing| {
                Ok(self.within(tree, thing.id().to_string(), whole, zone))
            });
        }
        self.each(&meant, |thing| {
            let from = self.position(thing, context)?;
            let object = thing.id().to_string();
            let pull = self.is_pull(tree);
            let Some(metres) = metres else {
                let to = Course::Towards {
                    target: target.id().to_string(),
                    distance_m: None,
                };
                return Ok(Command::Shift { object, pull, to });
            };
            let mut way = self.see(&target)?.position() - from;
            way.z = 0.0;
            let way = way.try_normalize(1e-9).unwrap_or_default();
            let to = from + way * metres;
            Ok(Command::Shift {
                object,
                pull,
                to: Course::Point([to.x, to.y]),
            })
        })
    }

    /// Pushed to a place: beside something it is pushed, anywhere else it is carried.
    fn shift_place(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
        let meant = self.moved(np, context)?;
        let place = tree.parts.last().unwrap_or(tree);
        if matches!(place.label.as_str(), "in" | "on" | "to") {
            let target = self.np(place.parts.last().unwrap_or(place), context)?;
            if target.things.iter().any(|t| {
                t.zone().is_none() && self.percept.object(t.id()).is_some_and(|o| o.movable)
            }) {
                return Err(self.nonsense(tree, "what is pushed stays on what it stands on"));
            }
        }
        self.put(&meant, place, context)
    }

    fn move_by(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
        let heading = tree.parts.iter().find(|p| p.label == "heading");
        let heading = self.heading(heading.unwrap_or(tree))?;
        let metres = self.length(tree)?.unwrap_or(USUAL_DISTANCE_M);
        let meant = self.moved(np, context)?;
        self.each(&meant, |thing| {
            let to = self.position(thing, context)? + heading.direction() * metres;
            Ok(Command::PutAt {
                object: thing.id().to_string(),
                xy: [to.x, to.y],
                z: None,
            })
        })
    }

    /// What is opened or closed: it has to slide, or be all that has something that slides.
    fn slide(&self, tree: &Rc<Tree>, open: bool, context: &mut Context) -> Steps {
        let is_it = tree.label == "pronoun";
        let sliding = |meant: &&Meant| {
            let one = meant.single();
            one.is_some_and(|t| {
                let mut joints = self.percept.joints.iter();
                joints.any(|j| &j.child == t.id() && j.presses.is_none())
            })
        };
        let spoken_of = context.mentioned.iter().rev().find(sliding).cloned();
        let meant = match (is_it, context.slid.clone().or(spoken_of)) {
            (true, Some(slid)) => slid,
            _ => match self.np(tree, context) {
                // Only what is not so yet can be meant.
                Err(Trouble::Several { phrase, candidates }) => {
                    let wanted = if open { "closed" } else { "open" };
                    let other = if open { "open" } else { "closed" };
                    let left = candidates
                        .iter()
                        .filter(|t| self.is_state(t, wanted) && !self.is_state(t, other));
                    match left.cloned().collect::<Vec<_>>().as_slice() {
                        [one] => Meant::one(one.clone()),
                        _ => return Err(Trouble::Several { phrase, candidates }),
                    }
                }
                meant => meant?,
            },
        };
        let slides = |id: &ObjectId| {
            self.percept
                .joints
                .iter()
                .any(|j| &j.child == id && j.presses.is_none())
        };
        let mut things = vec![];
        for thing in &meant.things {
            if slides(thing.id()) {
                things.push(thing.clone());
                continue;
            }
            let parts = self
                .percept
                .joints
                .iter()
                .filter(|j| &j.parent == thing.id());
            let parts: Vec<Thing> = parts.map(|j| Thing::Object(j.child.clone())).collect();
            match parts.as_slice() {
                [] => return Err(self.nonsense(tree, &format!("{thing} has nothing that opens"))),
                [one] => things.push(one.clone()),
                _ => {
                    return Err(Trouble::Several {
                        phrase: self.phrase(tree),
                        candidates: parts,
                    });
                }
            }
        }
        let meant = Meant { things, ..meant };
        context.slid = Some(meant.clone());
        if !is_it {
            context.fixed.push((tree.clone(), meant.clone()));
            context.place = Some(Rc::new(Tree {
                label: "in".into(),
                parts: vec![tree.clone()],
                ..(**tree).clone()
            }));
        }
        self.each(&meant, |thing| {
            Ok(Command::Slide {
                object: thing.id().to_string(),
                open,
            })
        })
    }

    fn tower(&self, tree: &Tree, meant: &Meant, on: Option<&Thing>) -> Steps {
        let n = match meant.how {
            How::Any(n) => n,
            How::The | How::All => meant.things.len(),
        };
        if n < 2 && on.is_none() {
            return Err(self.nonsense(tree, "a tower needs two things at least"));
        }
        let of = meant
            .things
            .iter()
            .filter(|t| on.is_none_or(|on| on.id() != t.id()));
        Ok(vec![Step::Tower {
            n,
            of: of.map(|t| t.id().to_string()).collect(),
            on: on.map(|t| t.id().to_string()),
        }])
    }
}

/// A side of the robot's as a place is called.
pub(crate) fn side_word(side: regrasp_api::Side) -> &'static str {
    match side {
        regrasp_api::Side::Left => "left",
        regrasp_api::Side::Right => "right",
        regrasp_api::Side::InFront => "front",
        regrasp_api::Side::Behind => "back",
    }
}

fn swap(a: &Thing, b: &Thing) -> Step {
    Step::Swap {
        objects: [a.id().to_string(), b.id().to_string()],
    }
}

fn across(thing: &Thing, a: &Thing, b: &Thing) -> Command {
    Command::PutAcross {
        object: thing.id().to_string(),
        targets: [a.id().to_string(), b.id().to_string()],
    }
}

/// Whether a node is a noun phrase.
pub(crate) fn is_np(tree: &Tree) -> bool {
    const NPS: [&str; 32] = [
        "half_of",
        "part_near_robot",
        "part_near_me",
        "gap",
        "apposed",
        "from_set",
        "noun",
        "one",
        "owned",
        "bare",
        "and",
        "or",
        "except",
        "pronoun",
        "everything",
        "everything_that",
        "something",
        "all_of",
        "both_of",
        "one_of",
        "other_one",
        "some_of",
        "corrected",
        "count_of",
        "rest_of",
        "rest",
        "of_set",
        "contents",
        "things_on",
        "part",
        "part_of",
        "part_alone",
    ];
    NPS.contains(&tree.label.as_str())
}

/// Whether a node says where something goes.
pub(crate) fn is_place(tree: &Tree) -> bool {
    const PLACES: [&str; 17] = [
        "on",
        "in",
        "to",
        "beside",
        "against",
        "side",
        "under",
        "between",
        "across",
        "point",
        "at_part",
        "numbers",
        "there",
        "free_side",
        "where_is",
        "back_again",
        "at_side_of",
    ];
    let is_word = matches!(tree.label.as_str(), "there" | "back_again");
    PLACES.contains(&tree.label.as_str()) && (!tree.parts.is_empty() || is_word)
}
