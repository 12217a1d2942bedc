//! Goals as they are printed, read again. The notation is in the docs of [`Formula`].

use regrasp_api::{Fact, ObjectId, Side, Zone};
use regrasp_relations::Region;

use crate::command::Command;
use crate::formula::Formula;
use crate::task::{Manner, Step, Task, Untouched};
use crate::thing::{How, Meant, Thing};
use crate::understand::{Hearing, Misunderstanding, phrase};

/// What a text begins with that is a goal for sure.
const MARK: &str = "goal:";
/// Formulas within each other, at most: a text cannot exhaust the stack.
const MAX_DEPTH: usize = 16;
/// Readings of the things of one fact, at most.
const MAX_FACTS: usize = 400;

type Read<T> = Result<T, Misunderstanding>;

/// The goal that a text is, or `None` if it is a sentence.
pub(crate) fn goal(text: &str, hearing: &Hearing<'_>) -> Option<Read<Task>> {
    let text = text.trim();
    let marked = text
        .get(..MARK.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(MARK));
    if marked {
        return Some(task(&text[MARK.len()..], hearing));
    }
    let mut start = text;
    loop {
        let counted = start.split_once(" of (");
        let counted = counted.filter(|(n, _)| n.parse::<usize>().is_ok());
        let inside = counted.map(|(_, inside)| inside);
        let inside = inside.or_else(|| start.strip_prefix("not "));
        match inside.or_else(|| start.strip_prefix('(')) {
            Some(inside) => start = inside.trim_start(),
            None => break,
        }
    }
    let head = start.split('(').next()?;
    let is_fact = head.len() < start.len()
        && !head.is_empty()
        && head.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_fact.then(|| task(text, hearing))
}

fn wrong(text: &str, why: &str) -> Misunderstanding {
    Misunderstanding::Impossible(format!("goal `{}`: {why}", text.trim()))
}

fn task(text: &str, hearing: &Hearing<'_>) -> Read<Task> {
    let mut pieces = split(text, ";").into_iter();
    let mut task = Task::default();
    for stage in split(&pieces.next().unwrap_or_default(), " then ") {
        task.steps.push(step(&stage, hearing)?);
    }
    for rule in pieces {
        let rule = rule.trim();
        match rule.split_once('(') {
            None if rule == "slowly" => task.manner = Some(Manner::Slowly),
            None if rule == "gently" => task.manner = Some(Manner::Gently),
            None if rule == "quickly" => task.manner = Some(Manner::Quickly),
            Some(("untouched", "*)")) => task.untouched = Untouched::Rest,
            Some(("untouched", inside)) => {
                let inside = inside.trim_end_matches(')');
                let mut ids = vec![];
                for name in inside.split(',') {
                    ids.extend(things(name, hearing)?.0.iter().map(|t| t.id().to_string()));
                }
                task.untouched = Untouched::These(ids);
            }
            Some(("never", inside)) => {
                let inside = inside.strip_suffix(')').unwrap_or(inside);
                for fact in split(inside, ",") {
                    task.never
                        .extend(facts(&fact, hearing)?.atoms().into_iter().cloned());
                }
            }
            _ => {
                let help = "after `;` comes never(…), untouched(…), slowly, gently or quickly";
                return Err(wrong(rule, help));
            }
        }
    }
    Ok(task)
}

/// What has a step of its own is one; everything else is a formula.
fn step(text: &str, hearing: &Hearing<'_>) -> Read<Step> {
    let own = text
        .trim()
        .strip_suffix(')')
        .and_then(|t| t.split_once('('));
    let ids = |inside: &str| -> Read<Vec<String>> {
        let mut ids = vec![];
        for name in inside.split(',') {
            ids.extend(things(name, hearing)?.0.iter().map(|t| t.id().to_string()));
        }
        Ok(ids)
    };
    match own {
        Some(("swapped", inside)) => {
            let pair = <[String; 2]>::try_from(ids(inside)?);
            let objects = pair.map_err(|_| wrong(text, "two things are swapped"))?;
            Ok(Step::Swap { objects })
        }
        Some(("tower", inside)) => {
            let of = ids(inside)?;
            Ok(Step::Tower {
                n: of.len(),
                of,
                on: None,
            })
        }
        _ => Ok(match stage(text, hearing, 0)? {
            Formula::Is(command) => Step::Do(command),
            formula => Step::Goal(formula),
        }),
    }
}

fn stage(text: &str, hearing: &Hearing<'_>, depth: usize) -> Read<Formula> {
    if depth > MAX_DEPTH {
        return Err(wrong(text, "too many parentheses within each other"));
    }
    let parts = |by: &str, read: &dyn Fn(&str) -> Read<Formula>| -> Read<Vec<Formula>> {
        split(text, by).iter().map(|part| read(part)).collect()
    };
    let either = |text: &str| -> Read<Formula> {
        let mut of: Vec<_> = split(text, " or ")
            .iter()
            .map(|part| self::part(part, hearing, depth))
            .collect::<Read<_>>()?;
        Ok(match of.len() {
            1 => of.remove(0),
            _ => Formula::Any(of),
        })
    };
    let mut of = parts(" and ", &either)?;
    Ok(match of.len() {
        1 => of.remove(0),
        _ => Formula::All(of),
    })
}

fn part(text: &str, hearing: &Hearing<'_>, depth: usize) -> Read<Formula> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("not ") {
        return Ok(negated(part(rest, hearing, depth + 1)?));
    }
    if let Some(inside) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return stage(inside, hearing, depth + 1);
    }
    let counted = text
        .split_once(" of (")
        .and_then(|(n, rest)| Some((n.trim().parse::<usize>().ok()?, rest.strip_suffix(')')?)));
    if let Some((n, rest)) = counted {
        let of: Vec<_> = split(rest, ",")
            .iter()
            .map(|part| stage(part, hearing, depth + 1))
            .collect::<Read<_>>()?;
        if n > of.len() {
            return Err(wrong(text, &format!("there are only {}", of.len())));
        }
        return Ok(Formula::Some { n, of });
    }
    facts(text, hearing)
}

fn negated(formula: Formula) -> Formula {
    let all = |of: Vec<Formula>| of.into_iter().map(negated).collect();
    match formula {
        Formula::Is(command) => Formula::Not(command),
        Formula::Not(command) => Formula::Is(command),
        Formula::All(of) => Formula::Any(all(of)),
        Formula::Any(of) => Formula::All(all(of)),
        Formula::Some { n, of } => Formula::Some {
            n: of.len() + 1 - n,
            of: all(of),
        },
    }
}

/// One fact, or as many as its quantified things make.
fn facts(text: &str, hearing: &Hearing<'_>) -> Read<Formula> {
    let fact: Fact = text
        .parse()
        .map_err(|why: String| Misunderstanding::Impossible(format!("goal: {why}")))?;
    let mut quantified = None;
    let mut of: Vec<Vec<String>> = vec![];
    for (i, word) in fact.of.iter().enumerate() {
        let is_plain = word.parse::<f64>().is_ok() || word == "here";
        if is_plain {
            of.push(vec![word.clone()]);
            continue;
        }
        let (things, how) = things(word, hearing)?;
        if how != How::The && quantified.replace((i, how)).is_some() {
            return Err(wrong(
                text,
                "one of its things may be `all`, `any` or a number of",
            ));
        }
        of.push(things.iter().map(Thing::to_string).collect());
    }
    let mut all: Vec<Vec<String>> = vec![vec![]];
    for choices in &of {
        let longer = all.iter().flat_map(|known| {
            choices
                .iter()
                .map(|c| [&known[..], std::slice::from_ref(c)].concat())
        });
        all = longer.take(MAX_FACTS).collect();
    }
    let mut made = vec![];
    for of in all {
        let same = of.iter().enumerate().any(|(i, id)| of[..i].contains(id));
        if !same || fact.predicate == "at" {
            made.push(Formula::Is(command(&fact.predicate, &of, text, hearing)?));
        }
    }
    Ok(match quantified {
        Some((_, How::Any(n))) if n > made.len() => {
            return Err(wrong(text, &format!("there are only {}", made.len())));
        }
        Some((_, How::Any(1))) => Formula::Any(made),
        Some((_, How::Any(n))) => Formula::Some { n, of: made },
        _ if made.len() == 1 => made.remove(0),
        _ => Formula::All(made),
    })
}

/// What stands for things: an id, a place of one, or a noun phrase.
fn things(text: &str, hearing: &Hearing<'_>) -> Read<(Vec<Thing>, How)> {
    let text = text.trim();
    let known = |id: &str| {
        hearing
            .percept
            .object(&ObjectId::new(id))
            .map(|o| o.id.clone())
    };
    if let Some(id) = known(text) {
        return Ok((vec![Thing::Object(id)], How::The));
    }
    if let Some((id, zone)) = text.split_once('.')
        && let Some(id) = known(id)
    {
        let zone = Zone::new(zone);
        return match Region::of(hearing.percept, &id, &zone) {
            Some(_) => Ok((vec![Thing::Zone(id, zone)], How::The)),
            None => Err(wrong(
                text,
                &format!("{id} has no place called {}", zone.as_str()),
            )),
        };
    }
    let Meant { things, how, .. } = phrase(text, hearing)?;
    Ok((things, how))
}

fn command(predicate: &str, of: &[String], text: &str, hearing: &Hearing<'_>) -> Read<Command> {
    let needs = |n: usize| match of.len() == n {
        true => Ok(()),
        false => Err(wrong(
            text,
            &format!("`{predicate}` is said of {n} thing(s)"),
        )),
    };
    let id = |i: usize| of.get(i).cloned().unwrap_or_default();
    let number = |i: usize| -> Read<f64> {
        let number = of.get(i).and_then(|word| word.parse::<f64>().ok());
        let number = number.filter(|x| x.is_finite());
        number.ok_or_else(|| wrong(text, "coordinates in metres are expected"))
    };
    let side = match predicate {
        "left_of" => Some(Side::Left),
        "right_of" => Some(Side::Right),
        "in_front_of" => Some(Side::InFront),
        "behind" => Some(Side::Behind),
        _ => None,
    };
    let object = id(0);
    Ok(match predicate {
        "holding" if of.len() == 4 => Command::HoldAt {
            object,
            point: [number(1)?, number(2)?, number(3)?],
        },
        "holding" => {
            needs(1)?;
            Command::Pick { object }
        }
        "on" | "in" => {
            needs(2)?;
            let target = id(1);
            match (target.split_once('.'), predicate) {
                (Some((target, zone)), _) => Command::PutWithin {
                    object,
                    target: target.to_owned(),
                    zone: Zone::new(zone),
                },
                (None, "on") => Command::PutOn { object, target },
                (None, _) => Command::PutIn { object, target },
            }
        }
        "beside" | "left_of" | "right_of" | "in_front_of" | "behind" => {
            needs(2)?;
            Command::PutBeside {
                object,
                target: id(1),
                side,
            }
        }
        "against" => {
            needs(2)?;
            Command::PutAgainst {
                object,
                target: id(1),
            }
        }
        "across" | "between" => {
            needs(3)?;
            let targets = [id(1), id(2)];
            match predicate {
                "across" => Command::PutAcross { object, targets },
                _ => Command::PutBetween { object, targets },
            }
        }
        "at" if of.len() == 2 && of[1] == "here" => {
            let seen = hearing.percept.object(&ObjectId::new(&object));
            let at = seen
                .ok_or_else(|| wrong(text, "it is not seen"))?
                .position();
            Command::PutAt {
                object,
                xy: [at.x, at.y],
                z: None,
            }
        }
        "at" => Command::PutAt {
            object,
            xy: [number(1)?, number(2)?],
            z: (of.len() > 3).then(|| number(3)).transpose()?,
        },
        "open" | "closed" => {
            needs(1)?;
            Command::Slide {
                object,
                open: predicate == "open",
            }
        }
        "home" => Command::Home,
        "poured" | "inserted" => {
            needs(2)?;
            let target = id(1);
            match predicate {
                "poured" => Command::Pour { object, target },
                _ => Command::Insert { object, target },
            }
        }
        "upright" => {
            needs(1)?;
            Command::StandUp { object }
        }
        "pressed" => {
            needs(1)?;
            Command::Press { object }
        }
        _ => Command::Have {
            fact: Fact {
                predicate: predicate.to_owned(),
                of: of.to_vec(),
            },
        },
    })
}

/// Splits outside of parentheses.
fn split(text: &str, by: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0_i32;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && rest.starts_with(by) {
            pieces.push(String::new());
            rest = &rest[by.len()..];
            continue;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    pieces
}
