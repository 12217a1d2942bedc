//! Null-space motion towards a rest posture while the target stays met.

use super::problem::{Candidate, MIN_DAMPING, Problem, Q};
use crate::chain::MAX_DOF;

/// Fraction of the way to the rest posture that is tried first.
const FIRST_SHARE: f64 = 0.5;
/// Fraction below which nothing is left to gain.
const LAST_SHARE: f64 = 0.01;
/// Largest number of iterations to meet the target again after a step along the null space.
const MAX_CORRECTIONS: usize = 4;

/// Moves a configuration that meets the target as near to the rest posture as the iterations in the
/// options allow. Each trial steps along the null space, then corrects the error from the motion's
/// curvature. A trial that misses the target or gets no nearer is undone, and the next one is
/// shorter.
pub(super) fn slide(problem: &Problem<'_>, found: Candidate) -> Candidate {
    let Some(rest) = &problem.options.rest else {
        return found;
    };
    assert_eq!(rest.q.len(), problem.dof(), "one rest position a joint");
    let mut at = found;
    let mut share = FIRST_SHARE;
    for _ in 0..rest.iterations {
        let mut pull = [0.0; MAX_DOF];
        for ((pull, rest), q) in pull.iter_mut().zip(&rest.q).zip(&at.q) {
            *pull = share * (rest - q);
        }
        let stepped = problem.null_space_step(&at, &pull, MIN_DAMPING);
        match correct(problem, stepped) {
            Some(next) if distance(&next.q, &rest.q) < distance(&at.q, &rest.q) => at = next,
            _ => share *= 0.5,
        }
        if share < LAST_SHARE {
            break;
        }
    }
    at
}

fn correct(problem: &Problem<'_>, q: Q) -> Option<Candidate> {
    let mut at = problem.evaluate(q);
    for _ in 0..MAX_CORRECTIONS {
        if problem.is_met(&at.miss) {
            return Some(at);
        }
        at = problem.evaluate(problem.step(&at, MIN_DAMPING));
    }
    problem.is_met(&at.miss).then_some(at)
}

fn distance(q: &Q, rest: &[f64]) -> f64 {
    q.iter()
        .zip(rest)
        .map(|(q, r)| (q - r).powi(2))
        .sum::<f64>()
        .sqrt()
}
