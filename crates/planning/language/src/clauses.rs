//! From clauses to what is to be brought about.

use std::rc::Rc;

use regrasp_api::{ObjectJoint, PerceivedObject};

use crate::command::{Command, Course};
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::{Reader, list};
use crate::related::{ground_of, table};
use crate::task::Step;
use crate::thing::{How, Meant, Thing, Trouble};

/// How far something is moved if nobody says so, m.
pub(crate) const USUAL_DISTANCE_M: f64 = 0.1;
/// What is lower than this part of its width carries things on top.
pub(crate) const FLAT: f64 = 0.4;
/// Least width of what carries things, m.
pub(crate) const WIDE_M: f64 = 0.1;
/// Furthest that anything is moved by words such as "10 cm", m.
pub(crate) const MAX_DISTANCE_M: f64 = 1.0;

pub(crate) type Steps = Result<Vec<Step>, Trouble>;

impl Reader<'_> {
    pub(crate) fn nonsense(&self, tree: &Tree, why: &str) -> Trouble {
        Trouble::Nonsense(format!("`{}`: {why}", self.phrase(tree)))
    }

    pub(crate) fn see(&self, thing: &Thing) -> Result<&PerceivedObject, Trouble> {
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
                let is_one = meant.things.len() == 1 || matches!(meant.how, How::Any(1));
                let fits = match said.as_str() {
                    "either" => true,
                    "it" => is_one,
                    _ => !is_one || meant.how == How::All,
                };
                if !fits {
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
                self.slide(np, open, ObjectJoint::opens, context)
            }
            "set_off" | "set_on" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                self.slide(np, tree.label == "set_on", ObjectJoint::is_set, context)
            }
            "turn_by" => {
                let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
                let degrees = self.degrees(tree)?;
                let steps = self.slide(np, true, ObjectJoint::is_set, context)?;
                let turned = |step| match step {
                    Step::Do(Command::Slide { object, .. }) => {
                        Step::Do(Command::Turn { object, degrees })
                    }
                    step => step,
                };
                Ok(steps.into_iter().map(turned).collect())
            }
            "press" => {
                let np = tree.parts.iter().rfind(|p| is_np(p)).unwrap_or(tree);
                // "turn on the stove": what is set by a knob is no button.
                if let Ok(meant) = self.np(np, &mut context.clone())
                    && meant.things.iter().all(|t| self.is_set(t))
                {
                    return self.slide(np, true, ObjectJoint::is_set, context);
                }
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
                    1 => {
                        context.stacked = Some([meant.things[0].clone(), target.clone()]);
                        self.on(nps[1], &meant, &Meant::one(target))
                    }
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

    pub(crate) fn two_nps(&self, tree: &Rc<Tree>) -> Result<[Rc<Tree>; 2], Trouble> {
        let mut nps = tree.parts.iter().filter(|p| is_np(p)).cloned();
        match (nps.next(), nps.next()) {
            (Some(a), Some(b)) => Ok([a, b]),
            _ => Err(self.nonsense(tree, "not understood")),
        }
    }

    pub(crate) fn two(&self, tree: &Tree, meant: &Meant) -> Result<[Thing; 2], Trouble> {
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
    pub(crate) fn each(
        &self,
        meant: &Meant,
        command: impl Fn(&Thing) -> Result<Command, Trouble>,
    ) -> Steps {
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

    pub(crate) fn tower(&self, tree: &Tree, meant: &Meant, on: Option<&Thing>) -> Steps {
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

pub(crate) fn across(thing: &Thing, a: &Thing, b: &Thing) -> Command {
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
