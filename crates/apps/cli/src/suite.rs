//! Suites of tasks by name.

use clap::ValueEnum;
use regrasp::bench::Suite;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteArgument {
    /// Tasks of ManiSkill.
    Maniskill,
    /// Tasks of robosuite.
    Robosuite,
    /// Tasks of RoboSandbox.
    Robosandbox,
    /// Reaching into, under and over things.
    Clutter,
    /// Twelve shapes that no other task has, their size, mass, friction and make drawn.
    Shapes,
    /// Goals whose order has to be found: Hanoi, blocks, sorting, putting back, a kitchen.
    Tamp,
    /// Doors, drawers and knobs of drawn sizes.
    Hinges,
    /// Plain sentences about the built-in scenes, their words and things drawn.
    Everyday,
    /// Every class of faults, and whether the agent recovers or says why it cannot.
    Recovery,
    /// Every built-in task but `shapes`, `tamp`, `hinges` and `everyday`, so that its figures stay comparable, and not the
    /// classes of faults, which are judged otherwise.
    All,
}

impl SuiteArgument {
    /// The tasks; `None` for the classes of faults.
    pub(crate) fn of_tasks(self) -> Option<Suite> {
        match self {
            Self::Maniskill => Some(Suite::Maniskill),
            Self::Robosuite => Some(Suite::Robosuite),
            Self::Robosandbox => Some(Suite::Robosandbox),
            Self::Clutter => Some(Suite::Clutter),
            Self::Shapes => Some(Suite::Shapes),
            Self::Tamp => Some(Suite::Tamp),
            Self::Hinges => Some(Suite::Hinges),
            Self::Everyday => Some(Suite::Everyday),
            Self::All => Some(Suite::All),
            Self::Recovery => None,
        }
    }
}

/// A suite of tasks by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SuiteName {
    /// One that this program knows.
    Known(SuiteArgument),
    /// A folder of LIBERO's problem files.
    Libero(String),
}

impl SuiteName {
    /// `libero_goal`, `libero:goal`, or one of those that are known.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if let Some(own) = text.strip_prefix("libero:") {
            return Ok(Self::Libero(format!("libero_{own}")));
        }
        if text.starts_with("libero_") {
            return Ok(Self::Libero(text.to_owned()));
        }
        SuiteArgument::from_str(text, false)
            .map(Self::Known)
            .map_err(|_| {
                let known = SuiteArgument::value_variants().iter();
                let known: Vec<_> = known
                    .filter_map(|suite| Some(suite.to_possible_value()?.get_name().to_owned()))
                    .collect();
                format!(
                    "expected one of {}, or a folder of LIBERO's problem files such as libero_goal",
                    known.join(", ")
                )
            })
    }

    /// Returns true for the recovery suite.
    pub(crate) fn is_recovery(suite: Option<&Self>) -> bool {
        suite == Some(&Self::Known(SuiteArgument::Recovery))
    }
}
