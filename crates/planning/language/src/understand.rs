//! Converts a text to a goal, a question, or the reason why it is not understood.

use std::rc::Rc;

use regrasp_relations::box_gap_m;

use crate::asides::expanded;
use crate::ast::{Condition, Modifier, Node};
use crate::clause_graph::ClauseGraph;
use crate::lexicon::{Lexicon, languages};
use crate::naming::nothing_hidden;
use crate::notation;
use crate::outcome::{Misunderstanding, Understood, described, explained, unknown};
use crate::parse_context::ParseContext;
use crate::reader::Reader;
use crate::reading::{Reading, includes, read};
use crate::referent::{How, ReadingError, Resolved};
use crate::task::contradiction;
use crate::tokens::{Token, joined, lines_as_sentences, shown, tokens, without_pictures};
use crate::tree::Tree;

/// Longest text, characters: about eighty steps.
const MAX_CHARS: usize = 4_000;
/// Longest text in the goal notation, characters.
const MAX_GOAL_CHARS: usize = 20_000;

/// Reason of a failure, and the position up to which the text was understood.
type Failed = (usize, Misunderstanding);

/// Reads a text in any of the languages.
///
/// # Errors
///
/// [`Misunderstanding`]: the text is not understood, ambiguous, or impossible in this scene.
pub fn understand(text: &str, scene: &ParseContext<'_>) -> Result<Understood, Misunderstanding> {
    let understood = taken_for(text, scene)?;
    match contradiction(&understood.task) {
        Some(why) => Err(Misunderstanding::Impossible(why)),
        None => Ok(understood),
    }
}

/// Reads a text, whether or not its task can be fulfilled.
fn taken_for(text: &str, scene: &ParseContext<'_>) -> Result<Understood, Misunderstanding> {
    let text = &*without_pictures(text);
    let n = text.chars().count();
    let within = |most: usize| match n > most {
        true => Err(Misunderstanding::Impossible(format!(
            "the text has {n} characters; at most {most} can be read"
        ))),
        false => Ok(()),
    };
    within(MAX_GOAL_CHARS)?;
    nothing_hidden(text)?;
    let last = scene.answers.last();
    let chosen = last.and_then(|(question, answer)| chosen(question, answer));
    let chosen = chosen.and_then(|goal| notation::goal(&format!("goal: {goal}"), scene));
    let chosen = chosen.filter(Result::is_ok);
    if let Some(goal) = chosen.or_else(|| notation::goal(text, scene)) {
        return goal.map(|task| Understood {
            task,
            meanings: vec![],
            sides_matter: false,
        });
    }
    within(MAX_CHARS)?;
    if tokens(text).is_empty() {
        let help = "the text has no words; say for example `put the red cube on the plate`";
        return Err(Misunderstanding::Impossible(help.into()));
    }
    // Each line of a list is a sentence, but a sentence may also be broken into lines.
    let Some(lines) = lines_as_sentences(text) else {
        return in_any_language(text, scene);
    };
    in_any_language(&lines, scene).or_else(|why| in_any_language(text, scene).map_err(|_| why))
}

fn in_any_language(text: &str, scene: &ParseContext<'_>) -> Result<Understood, Misunderstanding> {
    let mut failed = vec![];
    for lexicon in languages() {
        match in_language(text, scene, lexicon) {
            Ok(understood) => return Ok(understood),
            Err((progress, why)) => {
                let words = tokens(text);
                let words = words.iter().filter_map(Token::word);
                let known = words.filter(|w| lexicon.knows(w)).count();
                failed.push(((known, progress), why));
            }
        }
    }
    // The language with most known words explains the failure; among equals, the first.
    let worst = failed.into_iter().rev().max_by_key(|(rank, _)| *rank);
    let nothing = || Misunderstanding::Impossible("the language of the text is not known".into());
    Err(worst.map_or_else(nothing, |(_, why)| why))
}

fn in_language(
    text: &str,
    scene: &ParseContext<'_>,
    lexicon: &Lexicon,
) -> Result<Understood, Failed> {
    let text = commanded(text, scene, lexicon);
    let tokens = expanded(text, lexicon);
    let mut reading = Reading::of(&Reader::new(scene, lexicon, &tokens));
    let n = reading.tokens.len();
    if let Some(at) = reading.graph.limit.filter(|_| reading.goals.is_empty()) {
        let words = shown(&reading.tokens[at..(at + 8).min(n)]);
        let why = "is too complicated: it has too many readings; use shorter sentences";
        return Err((
            n,
            Misunderstanding::Impossible(format!("`{words} …` {why}")),
        ));
    }
    if !reading.is_read() {
        let reader = Reader::new(scene, lexicon, &reading.tokens);
        return Err(unread(&reader, reading.graph.furthest));
    }
    let mut goals = std::mem::take(&mut reading.goals);
    let fewest = goals.iter().map(|(_, context)| context.n_idle).min();
    goals.retain(|(_, context)| Some(context.n_idle) == fewest);
    // A reading that another one includes needs no question. Of equal ones, the shortest is kept.
    goals.sort_by_key(|(task, _)| task.steps.len());
    let all = std::mem::take(&mut goals);
    for (task, context) in all {
        if !goals.iter().any(|(own, _)| includes(own, &task)) {
            goals.retain(|(own, _)| !includes(&task, own));
            goals.push((task, context));
        }
    }
    match goals.len() {
        0 => Err((n + 1, explained(worst(reading.errors), scene.percept))),
        1 => {
            let (task, context) = goals.remove(0);
            let mut meanings = context.meanings.iter();
            Ok(Understood {
                sides_matter: speaks_of_sides(text)
                    || meanings.any(|meaning| speaks_of_sides(&meaning.phrase)),
                meanings: context.meanings,
                task,
            })
        }
        _ => {
            let candidates: Vec<_> = goals.iter().map(|(task, _)| task.to_string()).collect();
            let question = format!("it may mean `{}`: which?", candidates.join("`, or `"));
            Err((n + 1, Misunderstanding::asked("", question, candidates)))
        }
    }
}

/// Returns the goal that an answer chooses among those in the question's backticks: the only one by
/// "yes", or one of several by "the second".
fn chosen<'q>(question: &'q str, answer: &str) -> Option<&'q str> {
    let goals: Vec<&str> = question.split('`').skip(1).step_by(2).collect();
    languages().find_map(|lexicon| {
        let is_of =
            |word: &str, classes: &[&str]| classes.iter().any(|class| lexicon.is_of(class, word));
        let said = expanded(answer, lexicon);
        let words = said.iter().filter_map(Token::word);
        let mut said = words.filter(|word| !is_of(word, &["the", "one"]));
        match goals.as_slice() {
            [goal] => {
                let agrees = !tokens(answer).is_empty() && said.all(|word| is_of(word, &["yes"]));
                agrees.then_some(*goal)
            }
            _ => {
                let nth = said.next().filter(|_| said.next().is_none())?;
                let nth: isize = lexicon.meaning_of("nth", nth)?.parse().ok()?;
                let from = if nth < 0 { goals.len() as isize } else { -1 };
                goals.get(usize::try_from(from + nth).ok()?).copied()
            }
        }
    })
}

/// Returns the last answer that is a command by itself, which replaces the text.
fn commanded<'t>(text: &'t str, scene: &ParseContext<'t>, lexicon: &Lexicon) -> &'t str {
    let answers = scene.answers.iter().map(|(_, answer)| answer.as_str());
    let is_command = |answer: &&str| {
        let tokens = expanded(answer, lexicon);
        ClauseGraph::of(&mut Reader::new(scene, lexicon, &tokens).parser(false)).is_read()
    };
    answers.rev().find(is_command).unwrap_or(text)
}

/// Explains why a text cannot be parsed.
fn unread(reader: &Reader<'_>, furthest: usize) -> Failed {
    // Parse again with unknown words as names.
    let opened = read(reader, true);
    let unseen = opened.errors.into_iter().map(|(_, why)| why);
    let unseen = unseen.filter(|why| matches!(why, ReadingError::Unseen { .. }));
    match unseen.min_by_key(ReadingError::rank) {
        Some(unseen) => (reader.tokens.len(), explained(unseen, reader.scene.percept)),
        None => (
            furthest,
            answer(reader).unwrap_or_else(|| unknown(reader, furthest)),
        ),
    }
}

/// Answers a question about the scene, or comments on a statement about it; `None` if the text is
/// neither.
fn answer(reader: &Reader<'_>) -> Option<Misunderstanding> {
    let mut parser = reader.parser(false);
    let mut rules = ["question", "asked", "condition"].into_iter();
    let trees = |rule| Some((rule, parser.whole(rule))).filter(|(_, trees)| !trees.is_empty());
    let (rule, trees) = rules.find_map(trees)?;
    let answers = trees.iter().map(|tree| answer_to(reader, rule, tree));
    let first_right = |a: Resolved<_>, b: Resolved<_>| if a.is_err() && b.is_ok() { b } else { a };
    Some(match answers.reduce(first_right)? {
        Ok(answer) => {
            let why = "say how they should be, or what to do";
            Misunderstanding::Impossible(format!("this is about how things are: {answer}; {why}"))
        }
        Err(error) => explained(error, reader.scene.percept),
    })
}

/// Answers one reading of a question, which was parsed by a rule.
fn answer_to(reader: &Reader<'_>, rule: &str, tree: &Rc<Tree>) -> Resolved<String> {
    let mut reader = reader.clone();
    let asked: Rc<Node<Condition>> = reader.typed(tree);
    let percept = reader.scene.percept;
    let yes_or_no = |holds| if holds { "it is so" } else { "it is not so" }.to_owned();
    match &asked.is {
        Condition::Exists { np, not } => {
            reader.context.is_after = true;
            let there = match reader.np_or_all(np, How::All) {
                Err(ReadingError::None(_)) => Ok(vec![]),
                meant => meant.map(|meant| meant.things),
            };
            there.map(|there| {
                let answer = match (rule, there.len()) {
                    ("question", 0) => "there is nothing".to_owned(),
                    ("question", n) => format!("{n} found"),
                    (_, n) => yes_or_no((n > 0) != not.is_some()),
                };
                let there = described(&there, percept).into_iter();
                joined(std::iter::once(answer).chain(there), "; ")
            })
        }
        Condition::Is { np, quality, .. } if rule == "question" => match &quality.is {
            Modifier::Nearest { np: other, .. } => {
                let (a, b) = (reader.one(np)?, reader.one(other)?);
                let gap_m = box_gap_m(reader.see(&a)?, reader.see(&b)?);
                Ok(format!("the gap between {a} and {b} is {gap_m:.3} m"))
            }
            _ => reader.openings_of(np),
        },
        Condition::Is { .. } => reader.condition(&asked).map(yes_or_no),
    }
}

/// Returns the best explanation of why no reading makes sense.
fn worst(errors: Vec<(usize, ReadingError)>) -> ReadingError {
    // A reading that makes sense up to a later clause is more likely the intended one.
    let furthest = errors.iter().map(|(at, _)| *at).max();
    let last = errors.into_iter().filter(|(at, _)| Some(*at) == furthest);
    let worst = last.map(|(_, why)| why).min_by_key(ReadingError::rank);
    worst.unwrap_or_else(|| ReadingError::Nonsense("the text has no content".into()))
}

/// Returns true if a text has a word for a side, so that it depends on the viewpoint.
pub fn speaks_of_sides(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_side = |word: &str| languages().any(|lexicon| lexicon.sides.contains(word));
    words.any(is_side)
}
