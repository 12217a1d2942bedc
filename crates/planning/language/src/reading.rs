//! Readings of a text, clause by clause.

use regrasp_api::Goal;

use crate::asides::{expanded, without_asides};
use crate::clause_graph::ClauseGraph;
use crate::context::{Context, PhraseMeaning};
use crate::formula::{Formula, Intent, placed};
use crate::parse::Parser;
use crate::reader::{MAX_PHRASES, Reader};
use crate::referent::{Meant, ReadingError, Referent};
use crate::sentences::{TaskBuilder, without_absorbed};
use crate::task::{Task, lasting};
use crate::tokens::{Token, shown};

/// Largest number of meanings at one position. A text with more is too complex.
const MAX_MEANINGS: usize = 64;
/// Number of phrase look-ups that each token adds to [`MAX_PHRASES`].
const PHRASES_PER_TOKEN: usize = 100;

#[derive(Default)]
pub(crate) struct Reading {
    /// Tokens of the text, without asides if it cannot be read with them.
    pub(crate) tokens: Vec<Token>,
    /// Clauses of the text.
    pub(crate) graph: ClauseGraph,
    /// Possible tasks, each with its context.
    pub(crate) goals: Vec<(Task, Context)>,
    /// Errors of failed readings, each with the start of its clause.
    pub(crate) errors: Vec<(usize, ReadingError)>,
    /// Errors of clauses that lack a destination and do not end the text, so that the rest may be
    /// the destination. They are reported only if there are no other errors.
    no_place: Vec<(usize, ReadingError)>,
}

impl Reading {
    /// Reads a text, and without asides if it cannot be read as it stands.
    pub(crate) fn of(reader: &Reader<'_>) -> Self {
        let Reader { scene, lexicon, .. } = reader;
        let reading = read(reader, false);
        if reading.is_read() {
            return reading;
        }
        let is_seen = |word: &str| scene.is_seen(word, lexicon);
        let Some((plain, asides)) = without_asides(reader.tokens, lexicon, &is_seen) else {
            return reading;
        };
        let mut plain = read(&Reader::new(scene, lexicon, &plain), false);
        if !plain.is_read() {
            return reading;
        }
        let note = |(from, to): &(usize, usize)| PhraseMeaning {
            phrase: shown(&reader.tokens[*from..*to]),
            means: vec![],
            why: "a remark that asks for nothing".into(),
        };
        for (_, context) in &mut plain.goals {
            context.meanings.splice(0..0, asides.iter().map(note));
        }
        plain
    }

    /// Returns true if the text can be parsed, even if its meaning is an error.
    pub(crate) fn is_read(&self) -> bool {
        !(self.goals.is_empty() && self.errors.is_empty())
    }
}

/// Reads a text without removing asides. Unknown words count as names if `is_open`.
pub(crate) fn read(reader: &Reader<'_>, is_open: bool) -> Reading {
    let mut reading = Reading {
        tokens: reader.tokens.to_vec(),
        graph: ClauseGraph::of(&mut reader.parser(is_open)),
        ..Reading::default()
    };
    if reading.graph.is_read() {
        let mut reader = Reader::new(&reader.scene, reader.lexicon, reader.tokens);
        reader.context.answered = answered(&reader);
        let allowed = reader.patience.replace(MAX_PHRASES);
        reading.graph.work += MAX_PHRASES - allowed;
        reading.follow(TaskBuilder::new(reader));
    }
    reading
}

impl Reading {
    /// Follows each path through the clauses. Where two paths have come to the same meaning, only
    /// one continues.
    fn follow(&mut self, start: TaskBuilder<'_>) {
        let n = self.tokens.len();
        let patience = start.reader.patience.clone();
        let mut meanings: Vec<Vec<TaskBuilder<'_>>> = vec![vec![]; n + 1];
        meanings[0].push(start);
        let mut reached = 0;
        for at in 0..=n {
            let here = std::mem::take(&mut meanings[at]);
            if here.is_empty() {
                continue;
            }
            let allowed = patience.get() + PHRASES_PER_TOKEN * (at - reached);
            patience.set(allowed);
            reached = at;
            for (tree, to) in &self.graph.from[at] {
                for builder in &here {
                    let mut next = builder.clone();
                    match next.go_on(tree, [at, *to]) {
                        Ok(()) => meet(&mut meanings[*to], next),
                        Err(error) if *to < n && tree.has(&|part| part.name() == "Nowhere") => {
                            self.no_place.push((at, error));
                        }
                        Err(error) => self.errors.push((at, error)),
                    }
                }
            }
            self.graph.work += allowed - patience.get();
            if patience.get() == 0 || here.len() > MAX_MEANINGS {
                self.graph.limit = Some(at);
                self.goals.clear();
                return;
            }
            if at == n {
                here.into_iter().for_each(|builder| self.end(builder));
            }
        }
        if self.errors.is_empty() {
            self.errors.append(&mut self.no_place);
        }
    }

    fn end(&mut self, builder: TaskBuilder<'_>) {
        match builder.finished() {
            Ok((task, context)) => match self.goals.iter_mut().find(|(own, _)| alike(own, &task)) {
                Some((own, known)) => {
                    // One reading has a step that picks the object, the other leaves that to the
                    // planner.
                    if task.steps.len() > own.steps.len() {
                        *own = task;
                    }
                    known.n_idle = known.n_idle.min(context.n_idle);
                }
                None => self.goals.push((task, context)),
            },
            Err(error) => self.errors.push((self.tokens.len(), error)),
        }
    }
}

/// Adds a meaning at a position, unless an equivalent one is there.
fn meet<'a>(known: &mut Vec<TaskBuilder<'a>>, new: TaskBuilder<'a>) {
    match known.iter_mut().find(|own| own.is_like(&new)) {
        Some(own) => {
            let n_idle = &mut own.reader.context.n_idle;
            *n_idle = new.reader.context.n_idle.min(*n_idle);
        }
        None => known.push(new),
    }
}

/// Meanings of phrases from answers: the phrase in the question, and the object in the answer.
fn answered(reader: &Reader<'_>) -> Vec<(String, Referent)> {
    let (scene, lexicon) = (&reader.scene, reader.lexicon);
    let meaning = |(question, answer): &(String, String)| {
        let phrase = question.split('`').nth(1)?;
        let tokens = expanded(answer, lexicon);
        let names = |word: &str| scene.has_object(word) || lexicon.is_noun(word);
        let trees = Parser::new(lexicon, &tokens, &names, false).whole("np");
        let asked = expanded(phrase, lexicon);
        let nouns = asked.iter().filter_map(Token::word);
        let nouns = nouns.filter(|w| lexicon.is_noun(w)).map(str::to_owned);
        let mut context = Context::default();
        context.mentioned.push(Meant::called(nouns.collect()));
        let reader = Reader {
            tokens: &tokens,
            ..reader.after(context)
        };
        let thing = |tree| reader.clone().one(&reader.typed(tree)).ok();
        Some((phrase.to_owned(), trees.iter().find_map(thing)?))
    };
    scene.answers.iter().filter_map(meaning).collect()
}

/// Returns true if two readings ask for the same. "In" and "on" a container are the same.
fn alike(a: &Task, b: &Task) -> bool {
    let [a, b] = [a, b].map(|task| {
        let mut task = task.clone();
        task.steps = without_absorbed(&task.steps, &|_, _| false);
        task.to_string().replace("in(", "on(")
    });
    a == b
}

/// Returns true if a task has all facts of another and moves no other objects.
pub(crate) fn includes(a: &Task, b: &Task) -> bool {
    let rules = |task: &Task| (task.untouched.clone(), task.never.clone(), task.manner);
    let (Some(all), Some(own)) = (facts(a), facts(b)) else {
        return false;
    };
    let is_moved = |fact: &Intent| own.iter().any(|own| own.object() == fact.object());
    rules(a) == rules(b) && all.iter().all(is_moved) && own.iter().all(|own| all.contains(own))
}

/// Returns the facts about places that a task brings about in any order; `None` if it has others.
fn facts(task: &Task) -> Option<Vec<Intent>> {
    let stages = task.steps.iter().map(|step| step.formula().cloned());
    let mut stages: Vec<_> = stages.collect::<Option<_>>()?;
    // What is put elsewhere is no longer where it was.
    let mut lasts = lasting(&stages).into_iter();
    let is_off = |own: &Intent| matches!(own, Intent::Achieve(Goal::Off { .. }));
    stages.retain(|stage| lasts.next() == Some(true) || !stage.intent().is_some_and(is_off));
    let all = stages.iter().flat_map(Formula::atoms).cloned();
    let facts: Vec<Intent> = stages.iter().flat_map(Formula::certain).cloned().collect();
    let is_any_order = lasting(&stages).into_iter().all(|lasts| lasts) && all.eq(facts.clone());
    placed(&facts).filter(|_| is_any_order)?;
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::ENGLISH;
    use crate::parse_context::ParseContext;
    use regrasp_testkit::{cube, percept};

    /// Work to read a list of `n` clauses, and the number of steps of its task.
    fn work(n: usize, joint: &str) -> (usize, usize) {
        let colors = ["red", "green", "blue", "yellow"];
        let cubes = colors.iter().enumerate().map(|(i, color)| {
            let at = [0.4, 0.1 * i as f64, 0.02];
            cube(&format!("{color}_cube"), 0.02, at)
        });
        let percept = percept(cubes.collect());
        let scene = ParseContext::of(&percept);
        let step = |i: usize| {
            let [own, next] = [i, i + 1].map(|i| colors[i % 4]);
            match i % 3 {
                0 => format!("put the {own} cube on the {next} cube"),
                1 => format!("pick up the {own} cube"),
                _ => format!("place the {own} cube next to the {next} one"),
            }
        };
        let text = (0..n).map(step).collect::<Vec<_>>().join(joint);
        let tokens = expanded(&text, &ENGLISH);
        let reading = Reading::of(&Reader::new(&scene, &ENGLISH, &tokens));
        assert_eq!(reading.goals.len(), 1, "{text}: {:?}", reading.errors);
        (reading.graph.work, reading.goals[0].0.steps.len())
    }

    #[test]
    fn twice_as_many_clauses_take_twice_as_long() {
        for joint in [", then ", " and then ", ", ", ". ", "; "] {
            let [(five, _), (ten, _), (twenty, n), (forty, _)] =
                [5, 10, 20, 40].map(|n| work(n, joint));
            assert_eq!(n, 20, "joined by {joint}");
            let [first, second, third] = [ten - five, twenty - ten, forty - twenty];
            let is_linear = second < 3 * first && third < 6 * first;
            assert!(is_linear, "{joint}: {five}, {ten}, {twenty}, {forty}");
        }
    }
}
