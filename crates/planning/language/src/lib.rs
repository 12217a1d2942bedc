//! What people say, as goals: every word of a text is used, or it is not understood.
//!
//! **What it does.** [`understand`] reads a text by the rules of a language and resolves every
//! phrase against what is seen. There are three outcomes: [`Understood`] with a [`Task`] that
//! prints as a goal; [`Misunderstanding::Ambiguous`] with a question and the candidates; anything
//! else that is wrong with it, in one line. A text that can be read in several ways means the
//! one that fits the scene; if several fit and come to different goals, it is ambiguous.
//!
//! A text is cut into clauses in every way that fits, and each is read once (`clause_graph.rs`);
//! where two ways have come to the same, one goes on (`reading.rs`). Time is linear in the number
//! of clauses. Politeness is left out first (`spelling.rs`). A text that cannot be read as it stands
//! is read without what is told besides (`asides.rs`): why, for whom, how somebody is. What was set
//! aside is listed with what the phrases were found to mean.
//!
//! **What it does not do.** It plans nothing, moves nothing and remembers nothing.
//!
//! **Languages** are data: `grammar/en.yaml` has the words of English and `grammar/en.rules` how
//! they go together; `de.*` the same for German; `kinds.yaml` what is a kind of what. Each rule names
//! the constructor of `ast.rs` that it makes, which is checked when the grammar is loaded
//! (`rules.rs`). The parser (`parse.rs`) knows no language. It keeps every reading, which the parser libraries that are
//! alive either do not (chumsky, winnow, pest) or do without a bound on their number (earlgrey).
//!
//! **Left and right** are the robot's own unless [`ParseContext::viewpoint`] says otherwise; "in front
//! of" something is the side towards whoever looks.
//!
//! # Invariants
//!
//! - No text makes it panic, or take more than a bounded time.
//! - The same text about the same scene means the same.
//! - A word that no rule has a use for makes the text [`Misunderstanding::Unknown`], unless it
//!   stands in a clause that asks for nothing. Whatever restricts a noun is never set aside.
//! - A text that is too involved to be read in every way is refused.

mod asides;
mod ast;
mod clause_graph;
mod clauses;
mod conditions;
mod context;
mod contradiction;
mod destination;
mod explain;
mod formula;
mod intent;
mod lexicon;
mod measures;
mod modifiers;
mod naming;
mod nearest;
mod notation;
mod outcome;
mod parse;
mod parse_context;
mod phrases;
mod properties;
mod reader;
mod reading;
mod referent;
mod related;
mod rules;
mod sentences;
mod sides;
mod signature;
mod spelling;
mod split;
mod task;
mod tokens;
mod tree;
mod understand;
mod words;

pub use context::Said;
pub use contradiction::lasting;
pub use formula::Formula;
pub use intent::{Course, Intent};
pub use naming::{GrammarResolver, id_of_phrase, named, phrases, resolve};
pub use outcome::{Misunderstanding, Understood};
pub use parse_context::ParseContext;
pub use task::{Manner, Step, Task, Untouched};
pub use understand::understand;
