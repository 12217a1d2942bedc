//! The clauses into which a text can be cut, each read once.
//!
//! A text is a sequence of sentences. Every reading of it is a path from its first word to its end,
//! and each edge of a path is one reading of one clause. The clauses at a position are parsed once,
//! whatever stands before and after them, so time is linear in the number of clauses.

use std::rc::Rc;

use crate::parse::Parser;
use crate::tree::Tree;

/// All ways to cut a text into clauses and to read them.
#[derive(Default)]
pub(crate) struct ClauseGraph {
    /// Readings of clauses by start position, each with its end position, from which the rest of
    /// the text can be parsed.
    pub(crate) from: Vec<Vec<(Rc<Tree>, usize)>>,
    /// Furthest position at which the parser still expected something.
    pub(crate) furthest: usize,
    /// Steps of the parser, plus phrase look-ups.
    pub(crate) work: usize,
    /// Start of a clause that is too complex to be read in every way.
    pub(crate) limit: Option<usize>,
}

impl ClauseGraph {
    pub(crate) fn of(parser: &mut Parser<'_>) -> Self {
        let n = parser.tokens.len();
        let mut graph = Self {
            from: vec![vec![]; n + 1],
            ..Self::default()
        };
        let mut is_reached = vec![false; n + 1];
        is_reached[0] = true;
        for at in 0..n {
            if !is_reached[at] {
                continue;
            }
            let rule = if at == 0 { "sentence" } else { "next" };
            let readings = parser.clause(rule, at);
            graph.limit = graph.limit.or(parser.is_over_limit().then_some(at));
            readings.iter().for_each(|(_, to)| is_reached[*to] = true);
            graph.from[at] = readings;
        }
        (graph.furthest, graph.work) = (parser.furthest, parser.work);
        if graph.limit.is_some() {
            // A text that was not read in every way may have another meaning, so it counts as
            // unread.
            graph.from.iter_mut().for_each(Vec::clear);
        }
        let mut leads_on = vec![false; n + 1];
        leads_on[n] = true;
        for at in (0..n).rev() {
            graph.from[at].retain(|(_, to)| *to > at && leads_on[*to]);
            leads_on[at] |= !graph.from[at].is_empty();
        }
        graph
    }

    pub(crate) fn is_read(&self) -> bool {
        self.from.first().is_some_and(|first| !first.is_empty())
    }

    pub(crate) fn first(&self) -> Vec<Rc<Tree>> {
        let mut clauses = vec![];
        let mut at = 0;
        while let Some((tree, to)) = self.from.get(at).and_then(|from| from.first()) {
            clauses.push(tree.clone());
            at = *to;
        }
        clauses
    }
}
