//! Where things go, and what putting them there asks for.

use std::rc::Rc;

use regrasp_api::{ObjectId, PerceivedObject, Zone};

use crate::clauses::{FLAT, Steps, WIDE_M, across, is_np, side_word};
use crate::command::Command;
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::{Reader, list};
use crate::related::{ground_of, inside_of, table};
use crate::task::Step;
use crate::thing::{How, Meant, Thing, Trouble};

/// Things whose heights differ by no more than this carry something together, m.
const LEVEL_M: f64 = 0.01;

/// Where something is to go.
pub(crate) enum Place {
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
    pub(crate) fn more(&self, list: &Rc<Tree>, context: &mut Context) -> Steps {
        let mut steps = vec![];
        for more in list.parts.iter().filter(|p| p.label == "more") {
            let meant = self.moved(&more.parts[0], context)?;
            let place = more.parts.last().unwrap_or(more);
            steps.extend(self.put(&meant, place, context)?);
        }
        Ok(steps)
    }

    pub(crate) fn place(
        &self,
        tree: &Rc<Tree>,
        moved: &Meant,
        context: &mut Context,
    ) -> Result<Place, Trouble> {
        let np = || tree.parts.last().unwrap_or(tree);
        context.at_place = np().label == "pronoun";
        let place = match tree.label.as_str() {
            "on" => Place::On(self.upon(tree, np(), context)?),
            "at_part" => Place::On(self.np(np(), context)?),
            "in" => Place::In(self.into(np(), context)?),
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
                // Of the table, or of what it was just put on?
                let moved_before = moved
                    .things
                    .iter()
                    .any(|t| context.expected.contains_key(t.id()));
                if moved_before {
                    return Err(Trouble::Unclear {
                        question: format!("`{}` of what?", self.phrase(tree)),
                    });
                }
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
            "under" => Place::On(self.under(tree, np(), context)?),
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

    pub(crate) fn first_word(&self, tree: &Tree) -> String {
        let first = self.tokens.get(tree.from).and_then(|t| t.word());
        first.unwrap_or_default().to_owned()
    }

    pub(crate) fn own_side(&self, word: &str) -> Option<&'static str> {
        self.viewpoint.side(word).map(side_word)
    }

    pub(crate) fn is_table(&self, meant: &Meant) -> bool {
        let table = table(self.percept).map(|o| &o.id);
        meant.single().is_some_and(|t| Some(t.id()) == table)
    }

    /// The same, for a place that is named by itself.
    pub(crate) fn put_there(&self, moved: &Meant, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        self.put(moved, tree, context)
    }

    /// What putting things at a place asks for.
    pub(crate) fn put(&self, moved: &Meant, tree: &Rc<Tree>, context: &mut Context) -> Steps {
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
    pub(crate) fn with_target(
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

    pub(crate) fn on(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
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
            // Only things of one height carry something together: "on the plate and the cube" is
            // no bridge.
            let (one, other) = (self.see(a)?, self.see(b)?);
            let height_m = |o: &PerceivedObject| o.aabb_in_world().size().z;
            let differ =
                one.movable != other.movable || (height_m(one) - height_m(other)).abs() > LEVEL_M;
            if a.id() == b.id() || differ {
                return Err(self.nonsense(tree, "nothing lies across these"));
            }
            return self.each(moved, |thing| Ok(across(thing, a, b)));
        }
        self.with_target(tree, moved, target, |object, target| {
            let whole = self.see(target)?;
            if let Some(zone) = target.zone() {
                return Ok(self.within(tree, object, whole, zone));
            }
            if self.goes_over(&object, target) {
                let target = target.id().to_string();
                return Ok(Command::Insert { object, target });
            }
            Ok(Command::PutOn {
                object,
                target: target.id().to_string(),
            })
        })
    }

    /// Whether something is put over a thing as a ring is over a peg.
    pub(crate) fn goes_over(&self, object: &str, target: &Thing) -> bool {
        let connection = self.percept.connection(&ObjectId::new(object), target.id());
        connection.is_some_and(|connection| connection.over) && target.zone().is_none()
    }

    /// At a place of something that carries things; beside what does not.
    pub(crate) fn within(
        &self,
        tree: &Tree,
        object: String,
        whole: &PerceivedObject,
        zone: &Zone,
    ) -> Command {
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

    pub(crate) fn put_in(&self, moved: &Meant, target: &Meant) -> Steps {
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
            if let (None, Some(zone)) = (whole.shape.cavity(), inside_of(self.percept, &whole.id)) {
                return Ok(Command::PutWithin {
                    object,
                    target: whole.id.to_string(),
                    zone,
                });
            }
            let joined = self.percept.connection(&ObjectId::new(&object), &whole.id);
            let target = whole.id.to_string();
            if joined.is_some() && whole.shape.cavity().is_none() {
                return Ok(Command::Insert { object, target });
            }
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
    pub(crate) fn to(&self, tree: &Tree, moved: &Meant, target: &Meant) -> Steps {
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
        let goes_over = |thing: &Thing| self.goes_over(thing.id().as_str(), one);
        if self.is_flat(whole) || moved.things.iter().all(goes_over) {
            return self.on(tree, moved, target);
        }
        Err(Trouble::Unclear {
            question: format!("`to {}`: on {one}, or beside it?", self.phrase(tree)),
        })
    }

    pub(crate) fn point(&self, tree: &Tree) -> Result<Vec<f64>, Trouble> {
        match self.tokens.get(tree.from) {
            Some(crate::tokens::Token::Point(point)) => Ok(point.clone()),
            _ => Err(self.nonsense(tree, "no point")),
        }
    }
}
