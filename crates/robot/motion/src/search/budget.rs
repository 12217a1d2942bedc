//! Remaining budget of a search.

use std::time::{Duration, Instant};

use super::problem::{RanOut, SearchBudget};

/// A budget and what is left of it.
#[derive(Debug)]
pub(super) struct RemainingBudget {
    budget: SearchBudget,
    samples: usize,
    /// Deadline; not used without a time budget.
    end: Option<Instant>,
}

impl RemainingBudget {
    pub(super) fn new(budget: SearchBudget) -> Self {
        let after = |time: Duration| Instant::now().checked_add(time);
        Self {
            budget,
            samples: budget.samples,
            end: budget.time.and_then(after),
        }
    }

    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    /// Takes one sample; returns false if no samples or no time are left.
    pub(super) fn take(&mut self) -> bool {
        let may = self.samples > 0 && !self.is_late();
        self.samples -= usize::from(may);
        may
    }

    /// The exhausted part of the budget: samples, unless the time is over.
    pub(super) fn ran_out(&self) -> RanOut {
        match self.budget.time {
            Some(time) if self.is_late() => RanOut::Time(time),
            _ => RanOut::Samples(self.budget.samples),
        }
    }

    fn is_late(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}
