//! Reads goals in the goal notation, which is described at [`Formula`].

use std::fmt::Display;

use regrasp_api::{Fact, Goal, ObjectId, PerceivedObject, Zone};
use regrasp_relations::{Region, no_space};

use crate::formula::{Formula, alone_or, product};
use crate::lexicon::ENGLISH;
use crate::naming::phrase;
use crate::outcome::{Misunderstanding, explained};
use crate::parse_context::ParseContext;
use crate::properties::is_low;
use crate::reader::Reader;
use crate::referent::{How, Meant, Referent};
use crate::task::{Step, Task, Untouched};
use crate::tokens::split;

/// Prefix that marks a text as a goal.
const MARK: &str = "goal:";
/// Deepest nesting of formulas, which bounds the stack.
const MAX_DEPTH: usize = 16;
/// Largest number of facts to which one fact with quantified objects expands.
const MAX_FACTS: usize = 400;

type Read<T> = Result<T, Misunderstanding>;

/// Reads a text as a goal; `None` if it is a sentence.
pub(crate) fn goal(text: &str, scene: &ParseContext<'_>) -> Option<Read<Task>> {
    let text = text.trim();
    let mark = text.get(..MARK.len());
    if mark.is_some_and(|mark| mark.eq_ignore_ascii_case(MARK)) {
        return Some(task(&text[MARK.len()..], scene));
    }
    let mut start = text;
    let inside = |text| {
        let counted = counted(text, " of (").map(|(_, inside)| inside);
        let inside = counted.or_else(|| without_not(text));
        inside.or_else(|| text.strip_prefix('('))
    };
    while let Some(inside) = inside(start) {
        start = inside.trim_start();
    }
    let (head, _) = start.split_once('(')?;
    let is_name = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_fact = !head.is_empty() && head.chars().all(is_name);
    is_fact.then(|| task(text, scene))
}

/// Splits "2 of …" into the number and the rest.
fn counted<'t>(text: &'t str, of: &str) -> Option<(usize, &'t str)> {
    let (n, rest) = text.split_once(of)?;
    Some((n.trim().parse().ok()?, rest))
}

fn without_not(text: &str) -> Option<&str> {
    let (first, rest) = text.split_at_checked(3)?;
    let is_not = first.eq_ignore_ascii_case("not") && rest.starts_with([' ', '(']);
    is_not.then_some(rest)
}

fn wrong(text: &str, why: impl Display) -> Misunderstanding {
    Misunderstanding::Impossible(format!("goal `{}`: {why}", text.trim()))
}

fn task(text: &str, scene: &ParseContext<'_>) -> Read<Task> {
    let text = text.trim().trim_end_matches('.');
    let mut pieces = split(text, ";").into_iter();
    let mut task = Task::default();
    for stage in split(pieces.next().unwrap_or_default(), " then ") {
        task.steps.push(step(stage, scene)?);
    }
    task.in_turn.clone_from(&task.steps);
    for rule in pieces {
        let rule = rule.trim();
        match rule.split_once('(') {
            None if rule.is_empty() => {}
            None if let Ok(manner) = rule.parse() => task.manner = Some(manner),
            Some(("untouched", "*)")) => task.untouched = Untouched::Rest,
            Some(("untouched", inside)) => {
                let inside = inside.trim_end_matches(')');
                task.untouched = Untouched::These(ids(inside, scene)?);
            }
            Some(("never", inside)) => {
                let inside = inside.strip_suffix(')').unwrap_or(inside);
                for fact in split(inside, ",") {
                    let facts = facts(fact, scene)?;
                    task.never.extend(facts.atoms().into_iter().cloned());
                }
            }
            _ => {
                let help = "expected never(…), untouched(…), slowly, gently or quickly after `;`";
                return Err(wrong(rule, help));
            }
        }
    }
    Ok(task)
}

fn ids(inside: &str, scene: &ParseContext<'_>) -> Read<Vec<String>> {
    let mut ids = vec![];
    for name in inside.split(',') {
        ids.extend(things(name, scene)?.things.iter().map(Referent::name));
    }
    Ok(ids)
}

/// Reads a tower or a swap, such as `tower(2 of a, b, c) on d`, or else a formula.
fn step(text: &str, scene: &ParseContext<'_>) -> Read<Step> {
    let (own, on) = match text.trim().split_once(") on ") {
        Some((own, on)) => (Some(own), Some(on)),
        None => (text.trim().strip_suffix(')'), None),
    };
    let (name, inside) = own.and_then(|t| t.split_once('(')).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    if !matches!(&*name, "swapped" | "tower") || inside.contains(')') {
        return Ok(Step::Goal(stage(text, scene, 0)?));
    }
    let counted = counted(inside, " of ");
    let of = ids(counted.map_or(inside, |(_, of)| of), scene)?;
    fact(&name, &of)?;
    let n = counted.map_or(of.len(), |(n, _)| n);
    let on = on.map(|on| Ok(things(on, scene)?.things[0].name()));
    match (&*name, of.as_slice()) {
        ("swapped", [a, b]) => Ok(Step::Swap {
            objects: [a.clone(), b.clone()],
        }),
        (_, [_, _, ..]) if (2..=of.len()).contains(&n) => Ok(Step::Tower {
            n,
            of,
            on: on.transpose()?,
        }),
        _ => Err(wrong(text, "a tower needs two or more objects")),
    }
}

fn fact(predicate: &str, of: &[String]) -> Read<Fact> {
    let (predicate, of) = (predicate.to_owned(), of.to_vec());
    let fact = Fact { predicate, of };
    fact.check().map_err(not_a_fact)?;
    Ok(fact)
}

fn not_a_fact(why: String) -> Misunderstanding {
    Misunderstanding::Impossible(format!("goal: {why}"))
}

fn stage(text: &str, scene: &ParseContext<'_>, depth: usize) -> Read<Formula> {
    if depth > MAX_DEPTH {
        return Err(wrong(text, "the parentheses are nested too deeply"));
    }
    let any = |text| {
        let of = split(text, " or ").into_iter();
        let of = of.map(|text| part(text, scene, depth));
        Ok(alone_or(of.collect::<Read<_>>()?, Formula::Any))
    };
    let all = split(text, " and ").into_iter().map(any);
    Ok(alone_or(all.collect::<Read<_>>()?, Formula::All))
}

fn part(text: &str, scene: &ParseContext<'_>, depth: usize) -> Read<Formula> {
    let text = text.trim();
    if let Some(rest) = without_not(text) {
        return Ok(negated(part(rest, scene, depth + 1)?));
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return stage(inside, scene, depth + 1);
    }
    if let Some((n, rest)) = counted(text, " of (")
        && let Some(rest) = rest.strip_suffix(')')
    {
        let of = split(rest, ",").into_iter();
        let of = of.map(|part| stage(part, scene, depth + 1));
        let of = of.collect::<Read<Vec<_>>>()?;
        if n > of.len() || n == 0 {
            let why = format!("expected a number from 1 to {}", of.len());
            return Err(wrong(text, why));
        }
        return Ok(Formula::Some { n, of });
    }
    facts(text, scene)
}

fn negated(formula: Formula) -> Formula {
    let all = |of: Vec<Formula>| of.into_iter().map(negated).collect();
    match formula {
        Formula::Is(intent) => Formula::Not(intent),
        Formula::Not(intent) => Formula::Is(intent),
        Formula::All(of) => Formula::Any(all(of)),
        Formula::Any(of) => Formula::All(all(of)),
        Formula::Some { n, of } => Formula::Some {
            n: of.len() + 1 - n,
            of: all(of),
        },
    }
}

/// Reads a fact. Quantified objects expand it to several facts.
fn facts(text: &str, scene: &ParseContext<'_>) -> Read<Formula> {
    let stated: Fact = text.parse().map_err(not_a_fact)?;
    let mut quantified = None;
    let mut choices: Vec<Vec<Vec<String>>> = vec![];
    for word in &stated.of {
        if word.parse::<f64>().is_ok() || word == "here" {
            choices.push(vec![vec![word.clone()]]);
            continue;
        }
        let Meant { things, how, .. } = things(word, scene)?;
        if how != How::The && quantified.replace(how).is_some() {
            let why = "only one argument may begin with `all`, `any` or a number";
            return Err(wrong(text, why));
        }
        choices.push(things.iter().map(|t| vec![t.to_string()]).collect());
    }
    let Some(all) = product(choices.into_iter().map(Some), MAX_FACTS) else {
        let why = format!("it stands for more than {MAX_FACTS} facts");
        return Err(wrong(text, why));
    };
    let mut made = vec![];
    for of in all {
        match fact(&stated.predicate, &of) {
            Ok(fact) => made.push(Formula::Is(goal_of(fact, text, scene)?.into())),
            // In "all cubes on the red cube", the red cube itself is left out.
            Err(why) if quantified.is_none() => return Err(why),
            Err(_) => {}
        }
    }
    if made.is_empty() {
        return Err(wrong(text, "it applies to no object"));
    }
    match quantified {
        Some(How::Any(n)) if n > made.len() => {
            let why = format!("it applies to only {} objects", made.len());
            Err(wrong(text, why))
        }
        Some(How::Any(n)) => Ok(Formula::some(n, made)),
        _ => Ok(alone_or(made, Formula::All)),
    }
}

/// Resolves an argument: an id, a zone of an object, or a noun phrase.
fn things(text: &str, scene: &ParseContext<'_>) -> Read<Meant> {
    let text = text.trim();
    let known = |id: &str| scene.percept.object(&ObjectId::new(id));
    if let Some(object) = known(text) {
        return Ok(Meant::one(Referent::of(object)));
    }
    if let Some((id, zone)) = text.split_once('.')
        && let Some(PerceivedObject { id, .. }) = known(id)
    {
        let zone = Zone::new(zone);
        return match Region::of(scene.percept, id, &zone) {
            Some(_) => Ok(Meant::one(Referent::Zone(id.clone(), zone))),
            None => Err(wrong(text, format!("{id} has no place called {zone}"))),
        };
    }
    phrase(text, scene)
}

fn goal_of(fact: Fact, text: &str, scene: &ParseContext<'_>) -> Read<Goal> {
    if let ("at", [object, place]) = (fact.predicate.as_str(), fact.of.as_slice())
        && place == "here"
    {
        let seen = scene.percept.object(&ObjectId::new(object));
        let seen = seen.ok_or_else(|| wrong(text, format!("`{object}` is not seen")))?;
        let xy = seen.position().xy().into();
        return Ok(Goal::put_at(seen.id.clone(), xy, None));
    }
    let mut numbers = fact.of.iter().filter_map(|word| word.parse::<f64>().ok());
    if !numbers.all(f64::is_finite) {
        return Err(wrong(text, "expected coordinates in metres"));
    }
    fitting(fact.into(), scene)
}

/// Checks that the target of a goal is a container or leaves space, as the goal requires. `in` an
/// object that is neither open at the top nor flat is read as in sentences.
fn fitting(goal: Goal, scene: &ParseContext<'_>) -> Read<Goal> {
    let percept = scene.percept;
    let is_closed = |o: &PerceivedObject| {
        o.shape.cavity().is_none() && (!scene.insides_of(&o.id).is_empty() || !is_low(o))
    };
    match &goal {
        Goal::In { object, target } if percept.object(target).is_some_and(is_closed) => {
            let [object, target] = [object, target].map(|id| Referent::Object(id.clone()));
            let inside = Reader::new(scene, &ENGLISH, &[]).inside(&object, &target);
            inside.map_err(|why| explained(why, percept))
        }
        Goal::Related {
            relation,
            object,
            target,
        } => {
            let seen = percept.object(object).zip(percept.object(target));
            let why = seen.and_then(|(a, b)| no_space(*relation, percept, a, b));
            why.map_or(Ok(goal), |why| Err(Misunderstanding::Impossible(why)))
        }
        _ => Ok(goal),
    }
}
