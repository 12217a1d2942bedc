//! Clauses that put, insert or put down; towers, and objects that exchange their places.

use std::convert::Infallible;
use std::rc::Rc;

use regrasp_api::{Goal, ObjectId, PerceivedObject, Shape, Side, clash};
use regrasp_relations::is_inside;

use crate::ast::{
    End, Location, LocationNode, Modified, Modifier, Node, NounPhrase, Np, Order, Word,
};
use crate::clauses::onto::{goal, orders};
use crate::formula::{Formula, Intent, alone_or};
use crate::properties::size_of;
use crate::reader::Reader;
use crate::referent::{Destination, How, Meant, ReadingError, Referent, Resolved, join, those};
use crate::task::{Step, Steps, ways};
use crate::tokens::Token;
use crate::tree::{Label, Tree};

impl Reader<'_> {
    /// Reads "put it there", or "the apple on the plate" without a verb.
    pub(super) fn put_somewhere(&mut self, np: &Np, place: &LocationNode, has_verb: bool) -> Steps {
        // Rejects "put the one closest" with the place "to the bowl".
        let last = np.tree.to.saturating_sub(1);
        let near = self.lexicon.ends("nearest", self.tokens, last);
        if place.is.relation() == "to" && near.contains(&np.tree.to) {
            return Err(self.nonsense(&np.tree, "_: closest to what?"));
        }
        // In "put the mug on the tray, left of the plate", the tray is the first of two places.
        let is_cut = self.tokens.get(np.tree.to).is_some_and(Token::is_pause);
        let is_where = |part: &Tree| matches!(part.name(), "Related" | "AtSide");
        if has_verb && is_cut && np.tree.has(&is_where) {
            return Err(self.nonsense(&place.tree, "_ names two places; name one"));
        }
        // In "put the mug next to the bowl on the left", the side is that of the bowl.
        let is_beside = |post: &Modified| match post.is.plain() {
            Modifier::Related { relation, .. } => ["beside", "against"].contains(&&*relation.means),
            _ => false,
        };
        let is_bare_side =
            |part: &Tree| part.name() == "Part" && part.parts[2].label == Label::Nothing;
        let [_, posts] = np.is.modifiers();
        if place.tree.has(&is_bare_side) && posts.iter().any(is_beside) {
            return Err(self.nonsense(&place.tree, "_: the side of what?"));
        }
        match (self.clone().moved(np), &np.is) {
            // "one of the cans and one of the boxes" cannot be one set.
            (Err(ReadingError::Unclear(_)), NounPhrase::And { first, second }) => {
                // In "a red and a blue cube", only the last phrase has the noun.
                let noun = self.noun_of(second);
                let first =
                    self.under_head(noun, |own| own.put_somewhere(first, place, has_verb))?;
                Ok([first, self.put_somewhere(second, place, has_verb)?].concat())
            }
            (_, NounPhrase::And { .. }) if let Location::Places { all } = &place.is => {
                let meant = self.moved(np)?;
                self.put_apart(&place.tree, &meant, all, true)
            }
            _ => {
                let meant = self.moved(np)?;
                let mut steps = self.put(&meant, place)?;
                for part in np.tree.every("Modifier") {
                    if let Modifier::Related { relation, np: from } = &self.typed(&part).is
                        && relation.means == "off"
                    {
                        let read = |own: &mut Self| own.np_or_all(from, How::Any(1));
                        let from = self.clone().under_head(self.noun_of(np), read)?;
                        steps = self.leaving_too(steps, &from.things);
                    }
                }
                if let NounPhrase::Corrected { wrong, right } = &np.is
                    && wrong.tree.from > right.tree.from
                {
                    let wrong = self.clone().np_of(wrong, &meant.noun)?;
                    steps = [self.leaving(&wrong)?, steps].concat();
                }
                let verb = np.tree.from.saturating_sub(1);
                let stands = has_verb && self.lexicon.begins("stands", self.tokens, verb);
                let lies = meant.things.iter().any(|thing| self.lies_down(thing));
                match stands && lies && steps.iter().any(|step| self.can_lie(step)) {
                    true => Ok(self.so("upright", steps)),
                    false => Ok(steps),
                }
            }
        }
    }

    /// Returns true unless a step puts an object into one in which it has no room to lie.
    fn can_lie(&self, step: &Step) -> bool {
        let Some(Goal::In { object, target }) = step.intent().and_then(Intent::goal) else {
            return true;
        };
        let [own, room] = [object, target].map(|id| self.scene.percept.object(id).map(size_of));
        let both = own.zip(room);
        both.is_none_or(|(own, room)| own.max() < room.xy().max())
    }

    /// Returns true if an object has an upright direction that does not point up.
    fn lies_down(&self, thing: &Referent) -> bool {
        let upright = |o: &PerceivedObject| self.scene.percept.upright(&o.id, &o.shape);
        self.object(thing).and_then(upright).is_some()
            && !self.is_so(&goal("upright", [thing]).into())
    }

    /// Reads "put it in the bowl instead of the red one".
    pub(super) fn put_for(&mut self, np: &Np, place: &LocationNode, other: &Np) -> Steps {
        let steps = self.put_somewhere(np, place, true)?;
        let noun = self.noun_of(np);
        let other = self.np_of(other, &noun)?;
        Ok([self.leaving(&other)?, steps].concat())
    }

    /// Takes objects off the last place, where others are put instead.
    fn leaving(&self, others: &Meant) -> Steps {
        match &self.context.place {
            Some(Destination::At(_, at)) if let Some(at) = at.single() => {
                let there = those(&others.things, |thing| self.is_over(thing, at));
                self.each_is(&Meant::all(there), "not on", &[at])
            }
            _ => Ok(vec![]),
        }
    }

    /// Adds that objects are not on or in `others` that are in the container to which they go: a
    /// cube in the bin in the crate is in the crate, too.
    pub(super) fn leaving_too(&self, steps: Vec<Step>, others: &[Referent]) -> Vec<Step> {
        self.with_first(steps, |intent| {
            let target = Referent::Object(ObjectId::new(*intent.targets().first()?));
            let is_in = |other: &Referent| self.is_hollow(&target) && self.is_over(other, &target);
            let other = others.iter().find(|other| is_in(other))?;
            Some(goal("not on", [&intent.thing()?, other]))
        })
    }

    /// Adds a predicate of each object.
    pub(super) fn so(&self, is: &str, steps: Vec<Step>) -> Vec<Step> {
        self.with_first(steps, |intent| Some(goal(is, [&intent.thing()?])))
    }

    /// Adds a goal for each intent: it is brought about first and holds at the place, too.
    fn with_first(&self, steps: Vec<Step>, of: impl Fn(&Intent) -> Option<Goal>) -> Vec<Step> {
        let mut intents = steps.iter().flat_map(Step::intents);
        if intents.any(|intent| of(intent).as_ref() == intent.goal()) {
            return steps;
        }
        let certain = steps.iter().filter_map(Step::formula);
        let goals = certain.flat_map(Formula::certain).filter_map(&of);
        let first = goals.filter(|goal| !self.is_so(&goal.clone().into()));
        let first = first.map(Step::from).collect();
        [first, also(steps, of)].concat()
    }

    /// Reads "in the bowl, not on the plate". Rejects a first place that allows the second, as in
    /// "on the plate, but not in the middle".
    pub(super) fn put_not(&mut self, np: &Np, place: &LocationNode, not: &LocationNode) -> Steps {
        let steps = self.put_somewhere(np, place, true)?;
        let bans = self.clone().put_somewhere(np, not, true)?;
        let goals = |steps: &[Step]| -> Vec<Goal> {
            let intents = steps.iter().flat_map(Step::intents);
            intents.filter_map(Intent::goal).cloned().collect()
        };
        let bans = goals(&bans);
        // Zones may overlap, also those of different objects.
        let is_zone = |goal: &Goal| matches!(goal, Goal::Within { .. });
        let excludes = |goal: &Goal, ban: &Goal| {
            clash(&[(goal, true), (ban, true)]).is_some()
                || goal.is_carried_elsewhere(ban) && !is_zone(goal) && !is_zone(ban)
        };
        let is_elsewhere = |goal: &Goal| {
            let is_own = |ban: &&Goal| ban.objects().first() == goal.objects().first();
            bans.iter().filter(is_own).all(|ban| excludes(goal, ban))
        };
        let target = |ban: &Goal| match ban {
            Goal::On { target, .. } | Goal::In { target, .. } => Some(target.clone()),
            _ => None,
        };
        let targets: Vec<_> = bans
            .iter()
            .filter_map(target)
            .map(Referent::Object)
            .collect();
        match goals(&steps).iter().all(is_elsewhere) {
            true => Ok(self.leaving_too(steps, &targets)),
            false => Err(self.impossible(&not.tree, "\"not _\": say where instead")),
        }
    }

    /// Puts objects down where people expect it, unless that was done before: on or in what carries
    /// them, below the place where they are held, or on the table.
    pub(super) fn put_down(&mut self, np: &Np) -> Steps {
        let meant = self.moved(np)?;
        let one = meant.single().map(Referent::id);
        if one.is_some_and(|id| self.context.placed.contains(id)) {
            return Ok(vec![]);
        }
        if let Some(target) = one.and_then(|id| self.context.carried_by.get(id)) {
            let target = Meant::one(Referent::Object(target.clone()));
            return self.to(&np.tree, &meant, &target);
        }
        self.each(&meant, |thing| {
            let (object, percept) = (self.see(thing)?, self.scene.percept);
            let carries = |o: &&PerceivedObject| self.lies("off", object, &Referent::of(o));
            let ground = percept.objects.iter().find(carries);
            let ground = ground.or_else(|| self.ground_of(object).or_else(|| percept.table()));
            let ground = ground.ok_or_else(|| self.nonsense(&np.tree, "_: on what?"))?;
            let is_in = is_inside(object, ground);
            let to = [thing, &Referent::of(ground)];
            Ok(goal(if is_in { "in" } else { "on" }, to))
        })
    }

    /// Relates each of several objects to the next, from the bottom or the left, in any order that
    /// the clause allows. `ends` are objects with their places in the row, `base` is below a stack.
    fn chain(
        &mut self,
        tree: &Tree,
        meant: &Meant,
        relation: &str,
        ends: &[Rc<Node<End>>],
        base: &[Referent],
    ) -> Steps {
        let n = meant.things.len();
        if meant.is_any() || !(2..=MOST_IN_CHAIN).contains(&n) {
            let why =
                format!("_: name 2 to {MOST_IN_CHAIN} objects of a row or stack; these are {n}");
            return Err(self.nonsense(tree, &why));
        }
        let ends = self.ends_of(meant, ends)?;
        let order = self.context.order.take();
        // "from front to back" says which way a row runs.
        let is_deep = |word: &Word| matches!(word.means.as_str(), "front" | "back");
        let runs = order.as_ref().is_some_and(|order| match &order.is {
            Order::FromTo { first, last } => is_deep(first) && last.as_ref().is_some_and(is_deep),
            Order::By { .. } => false,
        });
        let order = order.filter(|_| !runs || relation == "on");
        let [first, last] = match relation {
            "on" => ["bottom", "top"],
            _ if runs || ends.iter().any(|(_, end)| is_deep(end)) => ["front", "back"],
            _ => ["left", "right"],
        };
        let side = self.scene.viewpoint.side(first).map(Side::predicate);
        let is_ordered = runs || order.is_some() || !ends.is_empty();
        let predicates: Vec<String> = match relation {
            "on" => vec![relation.into()],
            "beside" | "against" if !is_ordered => vec!["against".into()],
            "against" => side.into_iter().chain([relation.into()]).collect(),
            _ => Vec::from_iter(side),
        };
        if predicates.is_empty() {
            return Err(self.unclear(tree, "_: which way does the row run, as the robot sees it?"));
        }
        let mut all = orders(&meant.things, n);
        if let Some(order) = order {
            all = self.sorted(&order, all, relation == "on")?;
        }
        for (own, end) in &ends {
            let at = match end.means.as_str() {
                word if word == first => 0,
                word if word == last => n - 1,
                "middle" if n % 2 == 1 => n / 2,
                _ => return Err(self.nonsense(&end.tree, "_ is not a place in this row")),
            };
            all.retain(|order| order[at] == *own);
        }
        // Read from either end, "side by side" is the same.
        let is_symmetric = predicates == ["against"];
        all.retain(|order| !is_symmetric || order.first() < order.last());
        if all.is_empty() {
            return Err(self.nonsense(tree, "_ cannot be in that order"));
        }
        let way = |order: &Vec<_>| chained(&predicates, &[base, order].concat());
        let ways = all.iter().map(way).collect();
        Ok(vec![Step::Goal(alone_or(ways, Formula::Any))])
    }

    /// Reads "in a row, the red one on the left", with the others in any order.
    pub(super) fn row(&mut self, np: &Np, relation: &str, ends: &[Rc<Node<End>>]) -> Steps {
        let meant = self.moved(np)?;
        self.chain(&np.tree, &meant, relation, ends, &[])
    }

    /// Objects of a row or stack that the text puts at an end, each with the end.
    fn ends_of<'e>(
        &mut self,
        meant: &Meant,
        ends: &'e [Rc<Node<End>>],
    ) -> Resolved<Vec<(Referent, &'e Word)>> {
        let mut pieces = vec![];
        for end in ends {
            let End::AtEnd { one, end } = &end.is;
            let piece = self.within(meant, |own| own.np_of(one, &meant.noun))?;
            let own = piece.single().filter(|own| meant.things.contains(own));
            let not_one = || self.nonsense(&one.tree, "_ is not one of these objects");
            pieces.push((own.ok_or_else(not_one)?.clone(), end));
        }
        Ok(pieces)
    }

    /// Stacks one object on another, or builds a tower of several, perhaps on an object and with
    /// some of them at an end.
    pub(super) fn stack(
        &mut self,
        tree: &Rc<Tree>,
        np: &Np,
        on: Option<&Np>,
        ends: &[Rc<Node<End>>],
    ) -> Steps {
        let meant = self.moved(np)?;
        let Some(on) = on else {
            return self.tower(tree, &meant, None, ends);
        };
        self.context.current = Some(meant.clone());
        let is_it = matches!(on.is, NounPhrase::Pronoun { .. });
        let target = self.one_there(on, [is_it, false]);
        self.context.current = None;
        let target = target?;
        let Some(one) = meant.single().filter(|_| ends.is_empty()) else {
            return self.tower(tree, &meant, Some(&target), ends);
        };
        self.stack_up(&target, one);
        self.on(&on.tree, &meant, &Meant::one(target))
    }

    /// Remembers the stack that an object on another makes, or makes higher.
    pub(super) fn stack_up(&mut self, target: &Referent, one: &Referent) {
        let stack = self.context.stacked.take().map(|stack| stack.things);
        let below = stack.filter(|stack| stack.last() == Some(target));
        let below = below.unwrap_or_else(|| vec![target.clone()]);
        self.context.stacked = Some(Meant::all([below, vec![one.clone()]].concat()));
    }

    fn tower(
        &mut self,
        tree: &Tree,
        meant: &Meant,
        on: Option<&Referent>,
        ends: &[Rc<Node<End>>],
    ) -> Steps {
        let n = match meant.how {
            How::Any(n) => n,
            How::The | How::All => meant.things.len(),
        };
        if n < 2 && on.is_none() {
            return Err(self.nonsense(tree, "_: a tower needs two or more objects"));
        }
        let of = those(&meant.things, |t| on.is_none_or(|on| on.id() != t.id()));
        let is_zone = on.is_some_and(|on| on.zone().is_some());
        if self.context.order.is_some() || !ends.is_empty() || is_zone {
            let base = on.map_or(&[][..], std::slice::from_ref);
            return self.chain(tree, &meant.clone().with(of), "on", ends, base);
        }
        let mut stack: Vec<_> = of.iter().filter_map(|t| self.object(t)).collect();
        sort_for_tower(&mut stack);
        let stack = Meant::all(stack.into_iter().map(Referent::of).collect());
        self.context.stacked = Some(stack).filter(|_| n == of.len());
        Ok(vec![Step::Tower {
            n,
            of: of.iter().map(Referent::name).collect(),
            on: on.map(Referent::name),
        }])
    }

    pub(super) fn swap(&mut self, tree: &Rc<Tree>, np: &Np, with: Option<&Np>) -> Steps {
        let pair = match with {
            Some(with) => [self.one(np)?, self.one(with)?],
            None => {
                let pair = self.moved(np)?;
                if pair.things.len() == 1 {
                    return Err(self.unclear(tree, "_: with what?"));
                }
                self.two(&np.tree, &pair)?
            }
        };
        let [a, b] = &pair;
        let is_far = |a, b| self.object(a).is_some_and(|a| self.stands_over(a, b));
        if is_far(a, b) || is_far(b, a) {
            return Err(self.impossible(tree, "_: what stands between them would not stay there"));
        }
        let objects = pair.map(|thing| thing.name());
        Ok(vec![Step::Swap { objects }])
    }
}

/// Largest number of objects in a stack or row, since all their orders are enumerated.
const MOST_IN_CHAIN: usize = 5;

/// Goal that relates each object of a row to the next by all predicates, beginning with the last
/// pair, or that builds a stack from the bottom.
pub(crate) fn chained(predicates: &[String], order: &[Referent]) -> Formula {
    let mut order = order.to_vec();
    if predicates == ["on"] {
        order.reverse();
    }
    let is = |pair| move |own: &String| Formula::Is(goal(own, pair).into());
    let pairs = order.windows(2).rev();
    let each = pairs.flat_map(|pair| predicates.iter().map(is(pair)));
    alone_or(each.collect(), Formula::All)
}

/// Sorts the objects of a tower from the bottom: wide ones first, round ones last.
pub fn sort_for_tower(objects: &mut [&PerceivedObject]) {
    let width_m = |o: &PerceivedObject| {
        let size = size_of(o);
        let is_round = matches!(o.shape, Shape::Sphere { .. });
        if is_round { 0.0 } else { size.x.min(size.y) }
    };
    objects.sort_by(|a, b| {
        let by_width = width_m(b).total_cmp(&width_m(a));
        by_width.then_with(|| a.id.cmp(&b.id))
    });
}

/// Adds goals that must hold together with the facts of some steps.
pub(crate) fn also(steps: Vec<Step>, more: impl Fn(&Intent) -> Option<Goal>) -> Vec<Step> {
    let mut with = |intent: &Intent, so: bool| -> Result<Formula, Infallible> {
        let own = Formula::literal(intent, so);
        Ok(match more(intent).filter(|_| so) {
            Some(goal) => Formula::All(vec![own, Formula::Is(goal.into())]),
            None => own,
        })
    };
    let steps = steps.into_iter().map(|step| match step {
        Step::Goal(formula) => Step::Goal(formula.try_map(&mut with).unwrap_or(formula)),
        other => other,
    });
    // A conjunction is one list, without repetitions.
    let steps = steps.map(|step| match ways(std::slice::from_ref(&step)).as_deref() {
        Some([facts]) => Step::Goal(alone_or(join(vec![], facts.clone()), Formula::All)),
        _ => step,
    });
    steps.collect()
}
