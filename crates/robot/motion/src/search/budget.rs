//! What is left of a budget.

use std::time::{Duration, Instant};

use super::problem::{RanOut, SearchBudget};

/// A budget while it is spent.
#[derive(Debug)]
pub(super) struct Purse {
    budget: SearchBudget,
    samples: usize,
    /// When the time is over; never read without a budget in time.
    end: Option<Instant>,
}

impl Purse {
    /// All of a budget; its time begins.
    pub(super) fn new(budget: SearchBudget) -> Self {
        let after = |time: Duration| Instant::now().checked_add(time);
        Self {
            budget,
            samples: budget.samples,
            end: budget.time.and_then(after),
        }
    }

    /// Samples that are left.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    /// Takes one sample out, if there are samples and time left.
    pub(super) fn take(&mut self) -> bool {
        let may = self.samples > 0 && !self.is_late();
        self.samples -= usize::from(may);
        may
    }

    /// The part of the budget that has run out: samples unless it is the time.
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
