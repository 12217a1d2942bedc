//! From a text to a goal, or to a question, or to what is not understood.

use std::cell::Cell;
use std::rc::Rc;

use regrasp_api::{ObjectId, Percept, Reason, hidden_in, visible};
use serde::{Deserialize, Serialize};

use crate::command::Command;
use crate::context::{Context, Said};
use crate::lexicon::{Language, Lexicon};
use crate::naming::closest_name;
use crate::nearest::nearest_sentence;
use crate::notation;
use crate::parse::{Mode, Parser, Tree};
use crate::reading::{expanded, is_name, is_nonsense, plain, read};
use crate::refer::Reader;
use crate::sentences::Told;
use crate::task::{Step, Task, Untouched};
use crate::thing::{Meant, Thing, Trouble};
use crate::tokens::{Token, tokens};
use crate::words::Names;
use regrasp_api::Viewpoint;

/// Longer sentences would take long to read in every way, and nobody says them.
const MAX_CHARS: usize = 1000;
/// Phrases that are looked up before a text is given up; people's sentences take a tenth of it.
const MAX_PHRASES: usize = 4_000;
const TOO_INVOLVED: &str = "the text is too involved to be read in every way";
/// Longest goal in its own notation.
const MAX_GOAL_CHARS: usize = 20_000;

/// What a text is said about.
#[derive(Clone, Copy, Debug)]
pub struct Hearing<'a> {
    /// What is seen.
    pub percept: &'a Percept,
    /// What is in the hand.
    pub held: Option<&'a ObjectId>,
    /// Where the robot's base stands, seen from above in World, m.
    pub base: [f64; 2],
    /// From where left and right are meant.
    pub viewpoint: Viewpoint,
    /// Questions that were asked about the text, and the answers.
    pub answers: &'a [(String, String)],
}

impl Hearing<'_> {
    pub(crate) fn reader<'r>(
        &'r self,
        lexicon: &'r Lexicon,
        tokens: &'r [Token],
        patience: &'r Cell<usize>,
    ) -> Reader<'r> {
        Reader {
            percept: self.percept,
            lexicon,
            viewpoint: &self.viewpoint,
            tokens,
            held: self.held,
            base: self.base.into(),
            patience,
        }
    }
}

/// A text that is understood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Understood {
    /// What it asks for.
    pub task: Task,
    /// What each phrase was found to mean.
    pub said: Vec<Said>,
    /// Whether sides were named, so that it matters whose left it is.
    pub sides_matter: bool,
}

/// Why a text is not understood. Nothing was moved for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Misunderstanding {
    /// It may mean several things: a person could say which.
    #[error("{question}")]
    Ambiguous {
        /// `ambiguous_object` or `ambiguous_command`.
        reason: Reason,
        /// What to ask.
        question: String,
        /// The phrase that means several things; empty if it is the whole.
        phrase: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
    /// The sentence is clear, but nothing that is seen is called so.
    #[error("nothing that is seen is called `{name}` (known objects: {}){}", .known.join(", "), near(.nearest))]
    Unseen {
        /// The words for it.
        name: String,
        /// Whether it is what should be moved first.
        moved: bool,
        /// Everything that is seen.
        known: Vec<String>,
        /// The known id that is spelt most like it.
        nearest: Option<String>,
    },
    /// The sentence is clear, but it cannot be meant so here.
    #[error("{0}")]
    Impossible(String),
    /// The words are not understood.
    #[error("not understood: {}; the nearest that is: `{nearest}`", .marked)]
    Unknown {
        /// The text, with the first words that are not understood between `>` and `<`.
        marked: String,
        /// A sentence like it that would be understood.
        nearest: String,
    },
}

fn near(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map_or_else(String::new, |id| format!("; did you mean {id}?"))
}

/// What a text asks for, in any of the languages.
///
/// # Errors
///
/// [`Misunderstanding`].
pub fn understand(text: &str, hearing: &Hearing<'_>) -> Result<Understood, Misunderstanding> {
    let n = text.chars().count();
    let within = |most: usize| match n > most {
        true => Err(Misunderstanding::Impossible(format!(
            "the text has {n} characters; at most {most} can be read"
        ))),
        false => Ok(()),
    };
    within(MAX_GOAL_CHARS)?;
    nothing_hidden(text)?;
    if let Some(goal) = notation::goal(text, hearing) {
        return goal.map(|task| Understood {
            task,
            said: vec![],
            sides_matter: false,
        });
    }
    within(MAX_CHARS)?;
    let mut worst: Option<((usize, usize), Misunderstanding)> = None;
    for language in Language::ALL {
        match in_language(text, hearing, language) {
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

/// The one thing that a phrase names: "the mug next to the bowl".
///
/// # Errors
///
/// [`Misunderstanding`] if it names several, or none, or a place of a thing.
pub fn named(text: &str, hearing: &Hearing<'_>) -> Result<ObjectId, Misunderstanding> {
    if let Some(object) = hearing.percept.object(&ObjectId::new(text)) {
        return Ok(object.id.clone());
    }
    let meant = phrase(text, hearing)?;
    match meant.things.as_slice() {
        [Thing::Object(id)] => Ok(id.clone()),
        things => Err(Misunderstanding::Ambiguous {
            reason: Reason::AmbiguousObject,
            question: format!("which one thing is `{text}`?"),
            phrase: text.to_owned(),
            candidates: things.iter().map(Thing::to_string).collect(),
        }),
    }
}

/// What looks like one thing and says another is not guessed at.
fn nothing_hidden(text: &str) -> Result<(), Misunderstanding> {
    match hidden_in(text) {
        None => Ok(()),
        Some(c) => Err(Misunderstanding::Impossible(format!(
            "the text holds the character {} that cannot be seen",
            visible(&c.to_string())
        ))),
    }
}

/// What a noun phrase by itself means.
pub(crate) fn phrase(text: &str, hearing: &Hearing<'_>) -> Result<Meant, Misunderstanding> {
    nothing_hidden(text)?;
    if text.len() > MAX_CHARS {
        return Err(Misunderstanding::Impossible(format!(
            "a phrase of {} bytes names nothing; at most {MAX_CHARS} are read",
            text.len()
        )));
    }
    let lexicon = Language::English.lexicon();
    let tokens = expanded(text, lexicon);
    let names = |word: &str| is_name(word, hearing, lexicon);
    let (trees, _) = Parser::new(lexicon, &tokens, &names, Mode::STRICT.opened()).whole("np");
    let patience = Cell::new(MAX_PHRASES);
    let reader = hearing.reader(lexicon, &tokens, &patience);
    let mut troubles = vec![];
    for tree in &trees {
        match reader.np(tree, &mut Context::default()) {
            Ok(meant) => return Ok(meant),
            Err(trouble) => troubles.push(trouble),
        }
    }
    troubles.sort_by_key(Trouble::rank);
    let why = troubles.into_iter().next();
    let why = why.unwrap_or_else(|| Trouble::Unseen {
        phrase: text.to_owned(),
        name: text.to_owned(),
        moved: false,
    });
    Err(explained(why, hearing, &reader))
}

/// The words for things in a text, whatever is seen: what perception should look for.
pub fn phrases(text: &str) -> Vec<String> {
    let lexicon = Language::English.lexicon();
    let tokens = expanded(text, lexicon);
    let names = |_: &str| false;
    let names_by_kind = |word: &str| lexicon.is_noun(word);
    let mut found = vec![];
    let kinds = &names_by_kind as &dyn Fn(&str) -> bool;
    let strict = Mode::STRICT.opened();
    for (names, mode) in [
        (kinds, strict),
        (&names, strict),
        (kinds, Mode::LOOSE.opened()),
    ] {
        let (trees, _) = Parser::new(lexicon, &tokens, names, mode).whole("task");
        if let Some(tree) = trees.first() {
            collect_names(tree, &tokens, lexicon, &mut found);
            break;
        }
    }
    found
}

fn collect_names(tree: &Tree, tokens: &[Token], lexicon: &Lexicon, found: &mut Vec<String>) {
    if matches!(tree.label.as_str(), "noun" | "owned") {
        let plain = |t: &&Rc<Tree>| matches!(t.label.as_str(), "name");
        let mut words: Vec<String> = vec![];
        let quals = tree
            .parts
            .iter()
            .filter(|p| p.label == "list")
            .flat_map(|p| &p.parts);
        for color in quals.filter(|q| matches!(q.label.as_str(), "color" | "material")) {
            words.extend(tokens[color.from..color.to].iter().map(Token::shown));
        }
        for name in tree.parts.iter().filter(plain) {
            words.extend(
                tokens[name.from..name.to]
                    .iter()
                    .map(|t| lexicon.singular(&t.shown())),
            );
        }
        let phrase = words.join(" ");
        if !phrase.is_empty() && !found.contains(&phrase) {
            found.push(phrase);
        }
    }
    tree.parts
        .iter()
        .for_each(|part| collect_names(part, tokens, lexicon, found));
}

fn in_language(
    text: &str,
    hearing: &Hearing<'_>,
    language: Language,
) -> Result<Understood, (usize, Misunderstanding)> {
    let lexicon = language.lexicon();
    let mut text = text.to_owned();
    // An answer that is a command by itself stands for the whole.
    for (_, answer) in hearing.answers {
        let alone = read(&expanded(answer, lexicon), hearing, lexicon, Mode::STRICT).0;
        if !alone.is_empty() {
            text.clone_from(answer);
        }
    }
    let tokens = expanded(&text, lexicon);
    let patience = Cell::new(MAX_PHRASES);
    let (mut trees, mut furthest) = read(&tokens, hearing, lexicon, Mode::STRICT);
    // What makes no sense word for word may have left out a pause.
    if trees.is_empty() || is_nonsense(&trees, hearing.reader(lexicon, &tokens, &patience)) {
        let (loose, _) = read(&tokens, hearing, lexicon, Mode::LOOSE);
        if !loose.is_empty() {
            trees = loose;
        }
    }
    let mut before = Context::default();
    let mut tokens = tokens;
    if trees.is_empty()
        && let Some(plainly) = plain(&tokens, hearing, lexicon, &patience)
    {
        tokens = plainly.tokens;
        trees = plainly.trees;
        before = plainly.before;
        furthest = plainly.furthest;
    }
    let reader = hearing.reader(lexicon, &tokens, &patience);
    if trees.is_empty() {
        // The same, with words that nothing is called by.
        let (mut open, _) = read(&tokens, hearing, lexicon, Mode::STRICT.opened());
        if open.is_empty() {
            (open, _) = read(&tokens, hearing, lexicon, Mode::LOOSE.opened());
        }
        let mut unseen: Vec<_> = open
            .iter()
            .filter_map(|tree| unseen(&reader, tree, hearing))
            .collect();
        unseen.sort_by_key(|why| matches!(why, Misunderstanding::Unseen { moved: true, .. }));
        if let Some(unseen) = unseen.into_iter().next() {
            return Err((tokens.len(), unseen));
        }
        let why = Misunderstanding::Unknown {
            marked: marked(&tokens, furthest, hearing, lexicon),
            nearest: nearest_sentence(&tokens, lexicon),
        };
        return Err((furthest, why));
    }
    let answered = answered(&reader, hearing);
    let mut goals: Vec<(Task, Context)> = vec![];
    let mut troubles: Vec<Trouble> = vec![];
    for tree in &trees {
        let mut told = Told::new(reader, &answered);
        told.context = before.clone();
        let outcome = told.task(tree);
        match outcome {
            Ok(task) => match goals.iter_mut().find(|(known, _)| alike(known, &task)) {
                Some((_, context)) => context.n_idle = context.n_idle.min(told.context.n_idle),
                None => goals.push((task, told.context)),
            },
            Err(trouble) => troubles.push(trouble),
        }
    }
    if patience.get() == 0 {
        return Err((
            tokens.len(),
            Misunderstanding::Impossible(TOO_INVOLVED.into()),
        ));
    }
    let fewest = goals.iter().map(|(_, context)| context.n_idle).min();
    goals.retain(|(_, context)| Some(context.n_idle) == fewest);
    let n = tokens.len();
    match goals.len() {
        1 => {
            let (task, context) = goals.remove(0);
            Ok(Understood {
                sides_matter: context
                    .said
                    .iter()
                    .any(|said| speaks_of_sides(&said.phrase))
                    || speaks_of_sides(&text),
                said: context.said,
                task,
            })
        }
        0 => {
            troubles.sort_by_key(Trouble::rank);
            let is_unseen = |t: &&Trouble| matches!(t, Trouble::Unseen { .. });
            let at_rest = troubles
                .iter()
                .position(|t| matches!(t, Trouble::Unseen { moved: false, .. }));
            // Of what is not seen, what nothing is done with tells more.
            if troubles.iter().take(1).any(|t| is_unseen(&t))
                && let Some(idx) = at_rest
            {
                troubles.swap(0, idx);
            }
            let why = troubles.into_iter().next();
            let why = why.unwrap_or_else(|| Trouble::Nonsense("it says nothing".into()));
            Err((n + 1, explained(why, hearing, &reader)))
        }
        _ => {
            let candidates: Vec<_> = goals.iter().map(|(task, _)| task.to_string()).collect();
            Err((
                n + 1,
                Misunderstanding::Ambiguous {
                    reason: Reason::AmbiguousCommand,
                    question: format!("it may mean {}: which?", candidates.join(", or ")),
                    phrase: String::new(),
                    candidates,
                },
            ))
        }
    }
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
    const WORDS: [&str; 14] = [
        "left",
        "right",
        "front",
        "back",
        "behind",
        "near",
        "far",
        "rear",
        "leftmost",
        "rightmost",
        "links",
        "rechts",
        "vorne",
        "hinten",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphabetic())
        .any(|w| WORDS.contains(&w))
}

/// The words of a reading that nothing is called by, if that is all that is wrong with it.
fn unseen(reader: &Reader<'_>, tree: &Rc<Tree>, hearing: &Hearing<'_>) -> Option<Misunderstanding> {
    match Told::new(*reader, &[]).task(tree) {
        Err(trouble @ Trouble::Unseen { .. }) => Some(explained(trouble, hearing, reader)),
        _ => None,
    }
}

fn explained(trouble: Trouble, hearing: &Hearing<'_>, reader: &Reader<'_>) -> Misunderstanding {
    match trouble {
        Trouble::Unseen { name, moved, .. } => {
            let known = hearing.percept.objects.iter().map(|o| o.id.to_string());
            let nearest = closest_name(&hearing.percept.objects, &name.replace(' ', "_"));
            Misunderstanding::Unseen {
                known: known.collect(),
                nearest: nearest.map(|id| id.to_string()),
                name,
                moved,
            }
        }
        Trouble::None { phrase, why } => Misunderstanding::Impossible(format!("`{phrase}`: {why}")),
        Trouble::Several { phrase, candidates } => {
            let told: Vec<_> = candidates
                .iter()
                .map(|thing| reader.told_apart(thing))
                .collect();
            Misunderstanding::Ambiguous {
                reason: Reason::AmbiguousObject,
                question: format!("which is `{phrase}`: {}?", told.join(", or ")),
                phrase,
                candidates: candidates.iter().map(Thing::to_string).collect(),
            }
        }
        Trouble::Unclear { question } => Misunderstanding::Ambiguous {
            reason: Reason::AmbiguousCommand,
            question,
            phrase: String::new(),
            candidates: vec![],
        },
        Trouble::Nonsense(why) => Misunderstanding::Impossible(why),
    }
}

/// What phrases mean that were asked about: the phrase in the question, and what was answered.
fn answered(reader: &Reader<'_>, hearing: &Hearing<'_>) -> Vec<(String, Thing)> {
    let answers = hearing.answers.iter();
    answers
        .filter_map(|(question, answer)| {
            let phrase = question.split('`').nth(1)?;
            let tokens = expanded(answer, reader.lexicon);
            let names = |word: &str| {
                reader
                    .percept
                    .objects
                    .iter()
                    .any(|o| Names::of(o).has(word))
                    || reader.lexicon.is_noun(word)
            };
            let (trees, _) = Parser::new(reader.lexicon, &tokens, &names, Mode::STRICT).whole("np");
            let asked = expanded(phrase, reader.lexicon);
            let reader = Reader {
                tokens: &tokens,
                ..*reader
            };
            let mut context = Context::default();
            context.mentioned.push(crate::thing::Meant {
                things: vec![],
                how: crate::thing::How::The,
                noun: asked
                    .iter()
                    .filter_map(Token::word)
                    .filter(|w| reader.lexicon.is_noun(w))
                    .map(str::to_owned)
                    .collect(),
                colors: vec![],
                is_rest: false,
            });
            let thing = trees
                .iter()
                .find_map(|tree| reader.one(tree, &mut context.clone()).ok())?;
            Some((phrase.to_owned(), thing))
        })
        .collect()
}

/// The text with the first words that are not understood between `>` and `<`.
fn marked(tokens: &[Token], furthest: usize, hearing: &Hearing<'_>, lexicon: &Lexicon) -> String {
    let seen = |word: &str| {
        hearing
            .percept
            .objects
            .iter()
            .any(|o| Names::of(o).has(word))
    };
    let strange = |token: &Token| {
        token.word().is_some_and(|w| {
            !lexicon.knows(w) && !lexicon.is_noun(w) && !seen(w) && w.parse::<f64>().is_err()
        })
    };
    let at = tokens
        .iter()
        .position(strange)
        .unwrap_or(furthest.min(tokens.len().saturating_sub(1)));
    let words = tokens.iter().enumerate().map(|(i, token)| match i == at {
        true => format!(">{}<", token.shown()),
        false => token.shown(),
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Understood {
    /// The goal in one line.
    pub fn goal(&self) -> String {
        self.task.to_string()
    }

    /// What each phrase was resolved to and why, a line each.
    pub fn because(&self) -> Vec<String> {
        let line = |said: &Said| match said.means.is_empty() {
            true => format!("`{}`: {}", said.phrase, said.why),
            false => format!(
                "`{}` = {}: {}",
                said.phrase,
                said.means.join(", "),
                said.why
            ),
        };
        self.said.iter().map(line).collect()
    }

    /// Ids of everything that may not be touched, of what is seen.
    pub fn untouched(&self, percept: &Percept) -> Vec<ObjectId> {
        match &self.task.untouched {
            Untouched::Free => vec![],
            Untouched::These(ids) => ids.iter().map(ObjectId::new).collect(),
            Untouched::Rest => percept.movable_ids(),
        }
    }
}
