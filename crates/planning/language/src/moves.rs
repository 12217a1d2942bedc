//! Moving things by a way: how far, in which direction, and what slides.

use std::rc::Rc;

use regrasp_api::{Heading, ObjectId, ObjectJoint, PerceivedObject};

use crate::clauses::{MAX_DISTANCE_M, Steps, USUAL_DISTANCE_M, is_np};
use crate::command::{Command, Course};
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::Reader;
use crate::task::Step;
use crate::thing::{Meant, Thing, Trouble};

impl Reader<'_> {
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
    pub(crate) fn heading(&self, tree: &Tree) -> Result<Heading, Trouble> {
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

    pub(crate) fn is_pull(&self, tree: &Tree) -> bool {
        tree.parts.iter().any(|p| p.label == "pull")
    }

    pub(crate) fn shift(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
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
    pub(crate) fn position(
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

    pub(crate) fn shifted(
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

    pub(crate) fn movable(&self, thing: &Thing) -> Result<&PerceivedObject, Trouble> {
        let object = self.see(thing)?;
        match object.movable {
            true => Ok(object),
            false => Err(Trouble::Nonsense(format!("{thing} is fixed"))),
        }
    }

    pub(crate) fn shift_plainly(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
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

    pub(crate) fn shift_toward(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
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
    pub(crate) fn shift_place(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.parts.iter().find(|p| is_np(p)).unwrap_or(tree);
        let meant = self.moved(np, context)?;
        let place = tree.parts.last().unwrap_or(tree);
        if matches!(place.label.as_str(), "in" | "on" | "to") {
            let target = self.np(place.parts.last().unwrap_or(place), context)?;
            let goes_over = |t: &Thing| {
                let mut moved = meant.things.iter();
                moved.all(|moved| self.goes_over(moved.id().as_str(), t))
            };
            if target.things.iter().any(|t| {
                t.zone().is_none()
                    && self.percept.object(t.id()).is_some_and(|o| o.movable)
                    && !goes_over(t)
            }) {
                return Err(self.nonsense(tree, "what is pushed stays on what it stands on"));
            }
        }
        self.put(&meant, place, context)
    }

    pub(crate) fn move_by(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
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

    /// What is opened or closed, or set: it has to move on such a joint, or have one part that
    /// does.
    pub(crate) fn slide(
        &self,
        tree: &Rc<Tree>,
        open: bool,
        wanted: fn(&ObjectJoint) -> bool,
        context: &mut Context,
    ) -> Steps {
        let is_it = tree.label == "pronoun";
        // It hangs on such a joint, or has one part that does.
        let sliding = |meant: &&Meant| {
            meant.single().is_some_and(|thing| {
                let joints = || self.percept.joints.iter().filter(|j| wanted(j));
                joints().any(|j| &j.child == thing.id())
                    || joints().filter(|j| self.is_part(j, thing)).count() == 1
            })
        };
        let spoken_of = context.mentioned.iter().rev().find(sliding).cloned();
        let meant = match (is_it, context.slid.clone().or(spoken_of)) {
            (true, Some(slid)) => slid,
            _ => match self.np(tree, context) {
                // Only what is not so yet can be meant.
                Err(Trouble::Several { phrase, candidates }) => {
                    let before = if open { "closed" } else { "open" };
                    let other = if open { "open" } else { "closed" };
                    let left = candidates
                        .iter()
                        .filter(|t| self.is_state(t, before) && !self.is_state(t, other));
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
                .any(|j| &j.child == id && wanted(j))
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
                .filter(|j| self.is_part(j, thing) && wanted(j));
            let parts: Vec<Thing> = parts.map(|j| Thing::Object(j.child.clone())).collect();
            match parts.as_slice() {
                [] => {
                    let some = self.percept.joints.iter().find(|j| self.is_part(j, thing));
                    let what = match some {
                        Some(_) => "has nothing that moves so",
                        None => "has nothing that opens",
                    };
                    return Err(self.nonsense(tree, &format!("{thing} {what}")));
                }
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
        context.slid_shut = !open;
        if !is_it {
            let inner = meant.things.iter().map(|thing| self.inner_of(thing));
            let inner = Meant {
                things: inner.collect(),
                ..meant.clone()
            };
            context.fixed.push((tree.clone(), inner));
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

    /// Whether what a joint moves belongs to a thing.
    fn is_part(&self, joint: &ObjectJoint, thing: &Thing) -> bool {
        &joint.parent == thing.id() || self.percept.whole_of(&joint.child) == Some(thing.id())
    }

    /// By how much something is turned; the other way round if that was said.
    pub(crate) fn degrees(&self, tree: &Tree) -> Result<f64, Trouble> {
        let mut parts = tree.parts.iter().filter(|p| p.label == "angle");
        let angle = parts.find_map(|p| p.parts.iter().find_map(|p| self.number(p)));
        let Some(degrees) = angle.filter(|d| *d > 0.0 && *d <= 360.0) else {
            return Err(self.nonsense(tree, "no angle up to 360 degrees"));
        };
        let back = tree.parts.iter().any(|p| p.label == "backwards");
        Ok(if back { -degrees } else { degrees })
    }
}
