//! The commands that people type, as data.
//!
//! ```text
//! task    = clause { ("," | ";" | "." | "then" | "and" | "and then") clause }
//! clause  = take X ["up"] [("at" | "to") point]
//!         | put X (on | onto | to | "on top of") X
//!         | put X (in | into | inside) X       into what is hollow, on what is not
//!         | pour X (into | in | onto | over) X  what is in the one, or what pours, into the other
//!         | put X (at | to | on) point
//!         | put X beside X                     or a side: "next to", "left of", "to the
//!                                              right of", "in front of", "behind"
//!         | "stack" X on X { on X }            "stack a on b on c": b on c, then a on b
//!         | put X against X                    side against side: also "right beside", "right
//!                                              next to", "put X and X side by side"
//!         | put X on X and X                   across two: "on both" are those named last in
//!                                              "side by side"; "and X on both" needs no verb
//!         | (insert | plug) X (into | in) X    the end of the one in the hole of the other
//!         | (stand | set | put | turn) X (up | upright)   what lies stands
//!         | (open | close) X                   what slides: a drawer
//!         | push X [length] [heading]          ten centimetres and forward (pulled: back) if
//!                                              nothing else is said
//!         | push X "towards" X [length]        without a length until just before it
//!         | push X "to" point
//!         | ("press" | "tap") X                a button; also "push the … button"
//!         | [go] ["to"] "home"
//!         | "the" …                            says more about the object named last
//!         | "touch nothing else"               a condition on the whole task; also "without
//!                                              touching (or moving) anything else", "leave
//!                                              the others alone", "do not move the rest"
//! take    = "pick" | "pick up" | "grab" | "take" | "lift" | "grasp" | "get" | "hold"
//! put     = "put" | "place" | "move" | "set" | "drop" | "carry" | "bring"
//! close   = "close" | "shut"
//! push    = "push" | "shove" | "nudge" | "pull" | "drag"
//! heading = "forward" | "back" | ["to the"] "left" | "right" | "away" | "towards you" | …
//! length  = ["by"] number ("m" | "cm" | "mm")
//! go      = "go" | "return" | "move"
//! point   = "(" x "," y ["," z] ")"            metres in World
//! X       = an id or a phrase: "red_cube", "the red cube", "the cube on the left", "it"
//! ```
//!
//! Case does not matter to the words of the grammar; phrases keep theirs. "it" is the
//! object that was named or moved last. A clause that picks something which the next
//! one puts somewhere belongs to that: "pick up X and put it on Y" is "put X on Y".
//! "hold", "lift" and "carry" with a point mean that the object stays in the hand.

mod both;
mod clause;
mod condition;
mod shift;
mod token;

use regrasp_api::{Heading, PlannerError, Side};

use clause::{Clause, parse_clause};
use condition::without_condition;
use token::{Token, clauses, tokens};

/// What the grammar understands, for messages.
pub const HELP: &str = "expected `pick up X`, `put X on Y`, `put X at (x, y[, z])`, `put X \
     beside Y` (or left of, right of, in front of, behind), `pick up X and hold it at (x, y, z)`, \
     `stack X on Y [on Z]`, `put X and Y side by side [and Z on both]`, `insert X into Y`, `pour X \
     into Y`, `stand X up`, `open X`, `close X`, `push X [10 cm] [forward, back, left, right]`, `push X towards Y`, \
     `push X to (x, y)`, `pull X …`, `press X` or `go home`, joined by `then`, `and` or `;`";

/// One thing to bring about. Names are phrases or ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Have it in the hand.
    Pick {
        /// What.
        object: String,
    },
    /// Put it on (or into) something and let go.
    PutOn {
        /// What.
        object: String,
        /// Onto what.
        target: String,
    },
    /// Put it into something and let go; on it, if it is not hollow.
    PutIn {
        /// What.
        object: String,
        /// Into what.
        target: String,
    },
    /// Pour what is in it into something; it stays in the hand.
    Pour {
        /// What holds it.
        object: String,
        /// Into what.
        target: String,
    },
    /// Put it down beside something and let go.
    PutBeside {
        /// What.
        object: String,
        /// Beside what.
        target: String,
        /// On which side of it; any if `None`.
        side: Option<Side>,
    },
    /// Put it down at a point and let go.
    PutAt {
        /// What.
        object: String,
        /// Where in World, m.
        xy: [f64; 2],
        /// Height of its origin in World, m; `None`: on whatever is there.
        z: Option<f64>,
    },
    /// Hold it with its origin at a point.
    HoldAt {
        /// What.
        object: String,
        /// Where in World, m.
        point: [f64; 3],
    },
    /// Open or close what slides on a joint.
    Slide {
        /// What.
        object: String,
        /// Whether it should be open.
        open: bool,
    },
    /// Bring the arm home.
    Home,
    /// Put it down right beside something, side against side, and let go.
    PutAgainst {
        /// What.
        object: String,
        /// Against what.
        target: String,
    },
    /// Put it across two things that stand beside each other and let go.
    PutAcross {
        /// What.
        object: String,
        /// Across what.
        targets: [String; 2],
    },
    /// Put its end into the hole of something and let go.
    Insert {
        /// What.
        object: String,
        /// Into what.
        target: String,
    },
    /// Set it upright and let go.
    StandUp {
        /// What.
        object: String,
    },
    /// Push or pull it along what it stands on.
    Shift {
        /// What.
        object: String,
        /// Whether it is pulled.
        pull: bool,
        /// Where to.
        to: Course,
    },
    /// Press a button.
    Press {
        /// Which.
        object: String,
    },
}

/// Where something is pushed or pulled.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// In a direction.
    Heading {
        /// Which.
        heading: Heading,
        /// How far, m; `None`: the usual distance.
        distance_m: Option<f64>,
    },
    /// Towards another object.
    Towards {
        /// Which.
        target: String,
        /// How far, m; `None`: until just before it.
        distance_m: Option<f64>,
    },
    /// To a point in World, m.
    Point([f64; 2]),
}

impl Command {
    /// What is moved.
    pub fn object(&self) -> Option<&str> {
        match self {
            Self::Pick { object }
            | Self::PutOn { object, .. }
            | Self::PutIn { object, .. }
            | Self::Pour { object, .. }
            | Self::PutBeside { object, .. }
            | Self::PutAt { object, .. }
            | Self::HoldAt { object, .. }
            | Self::Slide { object, .. }
            | Self::PutAgainst { object, .. }
            | Self::PutAcross { object, .. }
            | Self::Insert { object, .. }
            | Self::Shift { object, .. }
            | Self::Press { object }
            | Self::StandUp { object } => Some(object),
            Self::Home => None,
        }
    }

    /// Every name in it: what is moved first.
    pub(crate) fn names_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Pick { object }
            | Self::PutAt { object, .. }
            | Self::HoldAt { object, .. }
            | Self::Slide { object, .. }
            | Self::StandUp { object } => vec![object],
            Self::PutOn { object, target }
            | Self::PutIn { object, target }
            | Self::Pour { object, target }
            | Self::PutBeside { object, target, .. }
            | Self::PutAgainst { object, target }
            | Self::Insert { object, target }
            | Self::Shift {
                object,
                to: Course::Towards { target, .. },
                ..
            } => vec![object, target],
            Self::PutAcross {
                object,
                targets: [a, b],
            } => vec![object, a, b],
            Self::Shift { object, .. } | Self::Press { object } => vec![object],
            Self::Home => vec![],
        }
    }

    /// Whether the object stays in the hand.
    pub(crate) fn keeps_hold(&self) -> bool {
        matches!(
            self,
            Self::Pick { .. } | Self::HoldAt { .. } | Self::Pour { .. }
        )
    }
}

/// What a text asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What to bring about, in order.
    pub commands: Vec<Command>,
    /// Whether nothing may be touched or moved but what the commands move.
    pub touch_nothing_else: bool,
}

/// The commands of a task.
///
/// # Errors
///
/// [`PlannerError::Unrecognized`] with [`HELP`].
pub fn parse(text: &str) -> Result<Vec<Command>, PlannerError> {
    parse_task(text).map(|task| task.commands)
}

/// The words for things in a task, each once, in the order in which they are needed; none if
/// the task is not understood.
pub fn phrases(text: &str) -> Vec<String> {
    let mut phrases: Vec<String> = vec![];
    for mut command in parse(text).unwrap_or_default() {
        for name in command.names_mut() {
            if !phrases.contains(name) {
                phrases.push(name.clone());
            }
        }
    }
    phrases
}

/// Reads a task.
///
/// # Errors
///
/// [`PlannerError::Unrecognized`] with [`HELP`].
pub fn parse_task(text: &str) -> Result<Task, PlannerError> {
    let unrecognized = || PlannerError::Unrecognized {
        text: text.to_owned(),
        help: HELP.to_owned(),
    };
    let tokens = tokens(text).ok_or_else(unrecognized)?;
    let (tokens, touch_nothing_else) = without_condition(tokens);
    let tokens = both::spelled_out(tokens);
    let mut commands: Vec<Command> = vec![];
    for clause in clauses(&tokens) {
        add_clause(&mut commands, clause).ok_or_else(unrecognized)?;
    }
    if commands.is_empty() {
        return Err(unrecognized());
    }
    Ok(Task {
        commands: without_absorbed_picks(commands),
        touch_nothing_else,
    })
}

fn add_clause(commands: &mut Vec<Command>, tokens: &[Token]) -> Option<()> {
    match parse_clause(tokens)? {
        Clause::Nothing => {}
        Clause::Remark(words) => {
            let mut named = commands.iter_mut().rev().flat_map(Command::names_mut);
            let object = named.next()?;
            object.push(' ');
            object.push_str(&words);
        }
        Clause::Commands(new) => {
            for mut command in new {
                let last = it_of(&command, commands);
                resolve_it(&mut command, last)?;
                let command = both::resolved(command, commands)?;
                commands.push(command);
            }
        }
    }
    Some(())
}

/// What "it" means in a command: what was named or moved last; to be opened or shut, what
/// was opened or shut last, if anything was.
fn it_of<'c>(command: &Command, before: &'c [Command]) -> Option<&'c str> {
    let slides = |c: &&Command| matches!(c, Command::Slide { .. });
    let slid = before.iter().rev().find(slides).and_then(Command::object);
    let last = || before.iter().rev().find_map(Command::object);
    if slides(&command) {
        slid.or_else(last)
    } else {
        last()
    }
}

fn resolve_it(command: &mut Command, last: Option<&str>) -> Option<()> {
    for name in command.names_mut() {
        if name.eq_ignore_ascii_case("it") {
            *name = last?.to_owned();
        }
    }
    Some(())
}

fn without_absorbed_picks(commands: Vec<Command>) -> Vec<Command> {
    let absorbed = |pair: &[Command]| {
        matches!(&pair[0], Command::Pick { .. }) && pair[0].object() == pair[1].object()
    };
    let keep: Vec<bool> = commands.windows(2).map(|pair| !absorbed(pair)).collect();
    let keep = keep.into_iter().chain([true]);
    let kept = commands.into_iter().zip(keep).filter(|(_, keep)| *keep);
    kept.map(|(command, _)| command).collect()
}
