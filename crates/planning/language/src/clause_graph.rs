//! The clauses that a text can be cut into, each read by itself.
//!
//! A text is a sentence and what comes next, again and again. Every way to read it is a path from
//! its first word to its end, and each step of a path is one reading of one clause. What a clause
//! may be is looked for once at a place, whatever stands before and behind it: twice as many
//! clauses take twice as long.

use std::rc::Rc;

use crate::parse::Parser;
use crate::tree::Tree;

/// Every way to cut a text into clauses, and to read each of them.
#[derive(Default)]
pub(crate) struct ClauseGraph {
    /// By the place where they begin: the readings of a clause behind which the rest can be read, and
    /// where each of them ends.
    pub(crate) from: Vec<Vec<(Rc<Tree>, usize)>>,
    /// True where the text may end.
    pub(crate) ends: Vec<bool>,
    /// The furthest place at which something was still looked for.
    pub(crate) furthest: usize,
    /// Steps that it took.
    pub(crate) work: usize,
    /// Beginning of a clause that has more readings than are looked at.
    pub(crate) limit: Option<usize>,
}

impl ClauseGraph {
    /// Reads all clauses of a text.
    pub(crate) fn of(parser: &mut Parser<'_>) -> Self {
        let n = parser.tokens.len();
        let mut graph = Self {
            from: vec![vec![]; n + 1],
            ends: (0..=n).map(|at| at > 0 && at == n).collect(),
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
            // What was not read in every way may mean something else, too.
            graph.from.iter_mut().for_each(Vec::clear);
        }
        let mut leads_on = graph.ends.clone();
        for at in (0..n).rev() {
            graph.from[at].retain(|(_, to)| *to > at && leads_on[*to]);
            leads_on[at] |= !graph.from[at].is_empty();
        }
        graph
    }

    /// Returns true if there is a way to read the whole text.
    pub(crate) fn is_read(&self) -> bool {
        self.from.first().is_some_and(|first| !first.is_empty())
    }

    /// The clauses of the first way to read the text.
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
