//! Reads natural-language commands as goals. Every word of a text is used, or the text is rejected.
//!
//! **What it does.** [`understand`] reads a text by the rules of a language and resolves every
//! phrase in the perceived scene. It returns [`Understood`] with a [`Task`] that prints as a goal,
//! [`Misunderstanding::Ambiguous`] with a question and candidates, or another [`Misunderstanding`]
//! with a message of one line. A text with several readings means the one that fits the scene. If
//! several fit and have different goals, the text is ambiguous.
//!
//! A text is cut into clauses in every possible way, and each clause is read once
//! (`clause_graph.rs`). Where two readings have come to the same result, only one continues
//! (`reading.rs`). Time is linear in the number of clauses. Polite words are dropped first, and a
//! text that cannot be read as it stands is read without its asides, such as reasons (`asides.rs`).
//! Dropped asides are listed with the meanings of the phrases.
//!
//! **What it does not do.** It plans nothing, moves nothing and remembers nothing.
//!
//! **Languages** are data: `grammar/en.yaml` has the words of English and `grammar/en.rules` its
//! grammar; `de.*` are the same for German; `kinds.yaml` is the taxonomy of objects. Each rule
//! names the constructor of `ast.rs` that it makes, which is checked when the grammar is loaded
//! (`rules.rs`). The parser (`parse.rs`) does not depend on the language. It keeps every reading.
//! Maintained parser libraries either keep only one reading (chumsky, winnow, pest) or do not bound
//! their number (earlgrey).
//!
//! **Left and right** are the robot's unless [`ParseContext::viewpoint`] says otherwise. "In front
//! of" an object is its side towards the viewer.
//!
//! # Invariants
//!
//! - No text causes a panic, or takes more than a bounded time.
//! - The same text in the same scene has the same meaning.
//! - A word that no rule uses makes the text [`Misunderstanding::Unknown`], unless it stands in an
//!   aside. A restriction of a noun is never dropped.
//! - A text that is too complex to be read in every way is rejected.

mod asides;
mod ast;
mod clause_graph;
mod clauses;
mod context;
mod formula;
mod lexicon;
mod modifiers;
mod naming;
mod notation;
mod outcome;
mod parse;
mod parse_context;
mod phrases;
mod portions;
mod properties;
mod reader;
mod reading;
mod referent;
mod related;
mod rules;
mod sentences;
mod task;
mod tokens;
mod tree;
mod understand;
mod words;

pub use clauses::sort_for_tower;
pub use context::PhraseMeaning;
pub use formula::{Course, Formula, Intent};
pub use naming::{GrammarResolver, id_of_phrase, named, phrases, resolve};
pub use outcome::{Misunderstanding, Understood};
pub use parse_context::ParseContext;
pub use portions::portions;
pub use task::{Manner, Reference, Step, Task, Untouched, lasting};
pub use understand::{speaks_of_sides, understand};
