//! From a text to a goal, or to a question, or to what is not understood.

use std::cell::Cell;
use std::rc::Rc;

use regrasp_api::Reason;

use crate::command::Command;
use crate::context::Context;
use crate::explain::{explained, marked};
use crate::lexicon::{Language, Lexicon};
use crate::naming::{MAX_CHARS, MAX_PHRASES, nothing_hidden};
use crate::nearest::nearest_sentence;
use crate::notation;
use crate::outcome::{Misunderstanding, Understood};
use crate::parse::{Mode, Parser};
use crate::parse_context::ParseContext;
use crate::reader::Reader;
use crate::reading::{Readings, read};
use crate::sentences::TaskBuilder;
use crate::spelling::expanded;
use crate::task::{Step, Task};
use crate::thing::{Meant, Thing, Trouble};
use crate::tokens::{Token, tokens};
use crate::tree::Tree;

const TOO_INVOLVED: &str = "the text is too involved to be read in every way";
/// Longest goal in its own notation.
const MAX_GOAL_CHARS: usize = 20_000;

/// Why a text is not understood, and the place up to which it was.
type Failed = (usize, Misunderstanding);

/// What a text asks for, in any of the languages.
///
/// # Errors
///
/// [`Misunderstanding`].
pub fn understand(text: &str, scene: &ParseContext<'_>) -> Result<Understood, Misunderstanding> {
    let n = text.chars().count();
    let within = |most: usize| match n > most {
        true => Err(Misunderstanding::Impossible(format!(
            "the text has {n} characters; at most {most} can be read"
        ))),
        false => Ok(()),
    };
    within(MAX_GOAL_CHARS)?;
    nothing_hidden(text)?;
    if let Some(goal) = notation::goal(text, scene) {
        return goal.map(|task| Understood {
            task,
            said: vec![],
            sides_matter: false,
        });
    }
    within(MAX_CHARS)?;
    let mut worst: Option<((usize, usize), Misunderstanding)> = None;
    for language in Language::ALL {
        match in_language(text, scene, language) {
            Ok(understood) => return Ok(understood),
            Err((progress, why)) => {
                // The language that knows most of the words says why.
                let words = tokens(text);
                let words = words.iter().filter_map(Token::word);
                let known = words.filter(|w| language.lexicon().knows(w)).count();
                let rank = (known, progress);
                if worst.as_ref().is_none_or(|(so_far, _)| rank > *so_far) {
                    worst = Some((rank, why));
                }
            }
        }
    }
    Err(worst.map_or_else(
        || Misunderstanding::Impossible("there are no words".into()),
        |(_, why)| why,
    ))
}

fn in_language(
    text: &str,
    scene: &ParseContext<'_>,
    language: Language,
) -> Result<Understood, Failed> {
    let lexicon = language.lexicon();
    let text = commanded(text, scene, lexicon);
    let patience = Cell::new(MAX_PHRASES);
    let readings = Readings::of(expanded(text, lexicon), scene, lexicon, &patience);
    let n = readings.tokens.len();
    let reader = scene.reader(lexicon, &readings.tokens, &patience);
    if readings.trees.is_empty() {
        return Err(unread(&readings, scene, reader));
    }
    let answered = answered(&reader, scene);
    let mut goals: Vec<(Task, Context)> = vec![];
    let mut troubles: Vec<Trouble> = vec![];
    for tree in &readings.trees {
        let mut builder = TaskBuilder::new(reader, &answered);
        builder.context = readings.before.clone();
        match builder.task(tree) {
            Ok(task) => match goals.iter_mut().find(|(known, _)| alike(known, &task)) {
                Some((_, context)) => context.n_idle = context.n_idle.min(builder.context.n_idle),
                None => goals.push((task, builder.context)),
            },
            Err(trouble) => troubles.push(trouble),
        }
    }
    if patience.get() == 0 {
        return Err((n, Misunderstanding::Impossible(TOO_INVOLVED.into())));
    }
    let fewest = goals.iter().map(|(_, context)| context.n_idle).min();
    goals.retain(|(_, context)| Some(context.n_idle) == fewest);
    match (goals.pop(), goals.is_empty()) {
        (Some((task, context)), true) => {
            let mut said = context.said.iter();
            Ok(Understood {
                sides_matter: speaks_of_sides(text)
                    || said.any(|said| speaks_of_sides(&said.phrase)),
                said: context.said,
                task,
            })
        }
        (None, _) => Err((n + 1, explained(worst(troubles), scene, &reader))),
        (Some(last), false) => {
            goals.push(last);
            let candidates: Vec<_> = goals.iter().map(|(task, _)| task.to_string()).collect();
            let why = Misunderstanding::Ambiguous {
                reason: Reason::AmbiguousCommand,
                question: format!("it may mean {}: which?", candidates.join(", or ")),
                phrase: String::new(),
                candidates,
            };
            Err((n + 1, why))
        }
    }
}

/// The last answer that is a command by itself: it stands for the whole.
fn commanded<'t>(text: &'t str, scene: &ParseContext<'t>, lexicon: &Lexicon) -> &'t str {
    let answers = scene.answers.iter().map(|(_, answer)| answer.as_str());
    let is_command = |answer: &&str| {
        let tokens = expanded(answer, lexicon);
        !read(&tokens, scene, lexicon, Mode::STRICT).0.is_empty()
    };
    answers.rev().find(is_command).unwrap_or(text)
}

/// Why a text can be read in no way.
fn unread(readings: &Readings, scene: &ParseContext<'_>, reader: Reader<'_>) -> Failed {
    let (tokens, lexicon) = (&readings.tokens, reader.lexicon);
    // The same, with words that nothing is called by.
    let (mut open, _) = read(tokens, scene, lexicon, Mode::STRICT.opened());
    if open.is_empty() {
        (open, _) = read(tokens, scene, lexicon, Mode::LOOSE.opened());
    }
    let unseen = open.iter().filter_map(|tree| unseen(reader, tree));
    // Of what is not seen, what nothing is done with tells more.
    let unseen = unseen.min_by_key(|why| matches!(why, Trouble::Unseen { moved: true, .. }));
    match unseen {
        Some(unseen) => (tokens.len(), explained(unseen, scene, &reader)),
        None => {
            let why = Misunderstanding::Unknown {
                marked: marked(tokens, readings.furthest, scene, lexicon),
                nearest: nearest_sentence(tokens),
            };
            (readings.furthest, why)
        }
    }
}

/// The words of a reading that nothing is called by, if that is all that is wrong with it.
fn unseen(reader: Reader<'_>, tree: &Rc<Tree>) -> Option<Trouble> {
    let trouble = TaskBuilder::new(reader, &[]).task(tree).err()?;
    Some(trouble).filter(|trouble| matches!(trouble, Trouble::Unseen { .. }))
}

/// The best explanation of why no reading makes sense.
fn worst(mut troubles: Vec<Trouble>) -> Trouble {
    troubles.sort_by_key(Trouble::rank);
    let is_unseen = |t: &Trouble| matches!(t, Trouble::Unseen { .. });
    // Of what is not seen, what nothing is done with tells more.
    let at_rest = |t: &Trouble| matches!(t, Trouble::Unseen { moved: false, .. });
    let is_first_unseen = troubles.first().is_some_and(is_unseen);
    let idx = troubles.iter().position(at_rest);
    let idx = idx.filter(|_| is_first_unseen).unwrap_or(0);
    let mut troubles = troubles.into_iter().skip(idx);
    let nothing = || Trouble::Nonsense("it says nothing".into());
    troubles.next().unwrap_or_else(nothing)
}

/// Whether two readings come to the same.
fn alike(a: &Task, b: &Task) -> bool {
    let plain = |task: &Task| {
        let steps: Vec<Step> = task
            .steps
            .iter()
            .map(|step| match step {
                Step::Do(Command::PutIn { object, target }) => Step::Do(Command::PutOn {
                    object: object.clone(),
                    target: target.clone(),
                }),
                Step::Any(of) if of.len() == 1 => Step::Do(of[0].clone()),
                other => other.clone(),
            })
            .collect();
        (steps, task.untouched.clone(), task.manner)
    };
    plain(a) == plain(b)
}

fn speaks_of_sides(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_side = |word: &str| {
        let mut languages = Language::ALL.iter();
        languages.any(|language| language.lexicon().sides.contains(word))
    };
    words.any(is_side)
}

/// What phrases mean that were asked about: the phrase in the question, and what was answered.
fn answered(reader: &Reader<'_>, scene: &ParseContext<'_>) -> Vec<(String, Thing)> {
    let lexicon = reader.lexicon;
    let meaning = |(question, answer): &(String, String)| {
        let phrase = question.split('`').nth(1)?;
        let tokens = expanded(answer, lexicon);
        let names = |word: &str| scene.has_object(word) || lexicon.is_noun(word);
        let (trees, _) = Parser::new(lexicon, &tokens, &names, Mode::STRICT).whole("np");
        let asked = expanded(phrase, lexicon);
        let nouns = asked.iter().filter_map(Token::word);
        let nouns = nouns.filter(|w| lexicon.is_noun(w)).map(str::to_owned);
        let mut context = Context::default();
        context.mentioned.push(Meant::called(nouns.collect()));
        let reader = Reader {
            tokens: &tokens,
            ..*reader
        };
        let mut things = trees
            .iter()
            .map(|tree| reader.one(tree, &mut context.clone()));
        Some((phrase.to_owned(), things.find_map(Result::ok)?))
    };
    scene.answers.iter().filter_map(meaning).collect()
}
