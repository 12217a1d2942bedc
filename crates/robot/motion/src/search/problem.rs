//! What a search is asked.

use std::fmt;
use std::time::Duration;

use regrasp_api::{Obstacle, Pose};

use crate::AllowedContacts;

/// A path through joint configurations: straight lines between them.
pub type Waypoints = Vec<Vec<f64>>;

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchProblem<'a> {
    /// Pose of the arm's base in World.
    pub world_from_base: Pose,
    /// Things in the way.
    pub obstacles: &'a [Obstacle],
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Configuration at the start: one position for each joint, rad.
    pub start: &'a [f64],
    /// Configurations of which one should be reached.
    pub goals: &'a [Vec<f64>],
    /// Pairs that may touch although it is a contact.
    pub allowed: AllowedContacts,
    /// Lower and upper bound of each joint; those of the robot if left out.
    pub bounds: Option<&'a [[f64; 2]]>,
}

/// Effort of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Budget before it gives up.
    pub budget: SearchBudget,
    /// Rounds of simplification.
    pub rounds: usize,
    /// Paths that are looked for at most, while the shortest is a long detour.
    pub attempts: u32,
}

/// Budget of a search. [`Search::solve`](super::Search::solve) may spend it once, and so may
/// [`Search::simplify`](super::Search::simplify) where it has to search again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBudget {
    /// Samples: the same on every machine.
    pub samples: usize,
    /// Time by the machine's clock, on top of that. It makes the answer depend on how fast
    /// the machine is, so it is `None` wherever the same question has to have the same
    /// answer.
    pub time: Option<Duration>,
}

/// Part of a [`SearchBudget`] that a search has used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RanOut {
    /// All of these samples.
    Samples(usize),
    /// All of this time.
    Time(Duration),
}

impl Default for SearchOptions {
    /// 20 rounds, of which few are used; four attempts: in a cage the first path is often
    /// twice as long as needed.
    fn default() -> Self {
        Self {
            budget: SearchBudget::default(),
            rounds: 20,
            attempts: 4,
        }
    }
}

impl Default for SearchBudget {
    /// 100,000 samples, some five hundred times the usual: of 699 problems of
    /// MotionBenchMaker the two hardest take up to 30,000. No limit on time.
    fn default() -> Self {
        Self {
            samples: 100_000,
            time: None,
        }
    }
}

impl fmt::Display for RanOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Samples(n) => write!(f, "{n} samples"),
            Self::Time(time) => write!(f, "{:.3} s", time.as_secs_f64()),
        }
    }
}
