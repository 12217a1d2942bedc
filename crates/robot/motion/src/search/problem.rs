//! Problem, options and budget of a search.

use std::time::{Duration, Instant};

use regrasp_api::{Obstacle, Pose};

use crate::AllowedContacts;

/// A path of straight lines between joint configurations.
pub type Waypoints = Vec<Vec<f64>>;

/// Problem to be solved by a search.
#[derive(Clone, Debug)]
pub struct SearchProblem<'a> {
    /// Pose of the arm's base in World.
    pub world_from_base: Pose,
    /// Obstacles, with their poses in World.
    pub obstacles: &'a [Obstacle],
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Configuration at the start: one position per joint, rad.
    pub start: &'a [f64],
    /// Goal configurations; a path has to reach one of them.
    pub goals: &'a [Vec<f64>],
    /// Pairs that may touch.
    pub allowed: AllowedContacts,
    /// Lower and upper bound of each joint; `None` for the robot's limits.
    pub bounds: Option<&'a [[f64; 2]]>,
}

/// Effort of a search. By default 20 rounds (few are used) and four attempts: in a cage the first
/// path is often twice as long as needed.
#[derive(Clone, Copy, Debug, PartialEq, smart_default::SmartDefault)]
pub struct SearchOptions {
    /// Budget before the search gives up.
    pub budget: SearchBudget,
    /// Rounds of simplification.
    #[default(20)]
    pub rounds: usize,
    /// Largest number of paths searched while the shortest one is a long detour.
    #[default(4)]
    pub attempts: u32,
}

/// Budget of a search. [`Search::solve`](super::Search::solve) may spend it once, and
/// [`Search::simplify`](super::Search::simplify) once more if it has to search again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct SearchBudget {
    /// Number of samples; deterministic on every machine. Default 100,000, some five hundred times
    /// the usual number. Of 699 problems of MotionBenchMaker, the two hardest take up to 30,000.
    #[default(100_000)]
    pub samples: usize,
    /// Additional limit on wall time. It makes the answer depend on the speed of the machine, so it
    /// is `None` where results must be reproducible.
    pub time: Option<Duration>,
}

/// Part of a [`SearchBudget`] that a search has used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display)]
pub enum RanOut {
    /// The number of samples.
    #[display("{_0} samples")]
    Samples(usize),
    /// The wall time.
    #[display("{:.3} s", _0.as_secs_f64())]
    Time(Duration),
}

#[derive(Debug)]
pub(super) struct RemainingBudget {
    budget: SearchBudget,
    pub(super) samples: usize,
    /// Deadline; `None` without a time budget.
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
