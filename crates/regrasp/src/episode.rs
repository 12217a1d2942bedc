use std::sync::{Arc, Mutex};

use regrasp_agent::{Agent, AgentOptions, Budgets};
use regrasp_api::{
    CancelToken, EpisodeResult, Event, EventSink, Planner, StampedEvent, WorldTruth,
};
use regrasp_bench::{EpisodeOutcome, LastFailure};
use regrasp_perception::NoiseOptions;
use regrasp_planner::{FeedbackPlanner, StubPlanner};
use regrasp_scene::Scene;
use regrasp_sim::SimOptions;

use crate::{Cell, Kit, SetupError};

/// Which planner is in charge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlannerKind {
    /// A grammar; ignores what failed before.
    Stub,
    /// A grammar and rules that read what failed before.
    #[default]
    Feedback,
}

impl PlannerKind {
    /// A planner of this kind.
    pub fn build(self) -> Box<dyn Planner> {
        match self {
            Self::Stub => Box::new(StubPlanner),
            Self::Feedback => Box::new(FeedbackPlanner::new()),
        }
    }

    /// The name that command line and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stub => "stub",
            Self::Feedback => "feedback",
        }
    }
}

/// How an episode is to be run.
pub struct EpisodeOptions {
    /// Planner in charge.
    pub planner: PlannerKind,
    /// How often it may be asked again.
    pub max_replans: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Noise of perception.
    pub noise: NoiseOptions,
    /// How to simulate.
    pub sim: SimOptions,
    /// Where events go.
    pub sink: Box<dyn EventSink>,
    /// Stops the episode from outside.
    pub cancel: CancelToken,
}

/// An episode that is over, and the truth for whoever judges it.
pub struct Episode {
    /// The agent's own account.
    pub result: EpisodeResult,
    /// The world when it began, settled.
    pub first: WorldTruth,
    /// The world when it ended.
    pub last: WorldTruth,
    /// Why the last skill that failed did so.
    pub last_failure: Option<LastFailure>,
}

impl From<&Episode> for EpisodeOutcome {
    fn from(episode: &Episode) -> Self {
        Self {
            result: episode.result.clone(),
            last_failure: episode.last_failure.clone(),
            first: episode.first.clone(),
            last: episode.last.clone(),
        }
    }
}

/// Remembers the last failure that passes by.
#[derive(Clone, Default)]
struct LastFailureSink(Arc<Mutex<Option<LastFailure>>>);

impl EventSink for LastFailureSink {
    fn emit(&mut self, event: &StampedEvent) {
        let Event::StepFinished { result, .. } = &event.event else {
            return;
        };
        let (Some(reason), Ok(mut last)) = (&result.reason, self.0.lock()) else {
            return;
        };
        *last = Some(LastFailure {
            reason: reason.clone(),
            detail: result.reason_detail.clone(),
        });
    }
}

/// The result as a block of lines for people.
pub fn verdict_block(result: &EpisodeResult) -> String {
    let EpisodeResult {
        success,
        replans,
        steps,
        final_reason,
        final_detail,
        wall_s,
        ..
    } = result;
    format!(
        "\nFINAL VERDICT\n  success:      {success}\n  replans:      {replans}\n  steps:        \
         {steps}\n  final reason: {final_reason}\n  detail:       {final_detail}\n  wall:         \
         {wall_s:.2}s"
    )
}

impl Kit {
    /// Lets an agent with the standard skills carry out one command in a scene.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the scene cannot be simulated. Whatever goes wrong later is
    /// in the result.
    pub fn episode(
        &self,
        scene: &Scene,
        command: &str,
        options: EpisodeOptions,
    ) -> Result<Episode, SetupError> {
        let noise = NoiseOptions {
            seed: options.seed,
            ..options.noise
        };
        let Cell {
            mut robot, truth, ..
        } = self.cell(scene, options.sim, noise)?;
        robot.cancel = options.cancel;
        let failures = LastFailureSink::default();
        let sinks: Vec<Box<dyn EventSink>> = vec![options.sink, Box::new(failures.clone())];
        robot.set_sink(Box::new(sinks));
        let agent_options = AgentOptions {
            budgets: Budgets {
                max_replans: options.max_replans,
                ..Budgets::default()
            },
            seed: options.seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..AgentOptions::default()
        };
        let first = truth.truth();
        let planner = options.planner.build();
        let mut agent = Agent::new(robot, regrasp_skills::standard(), planner, agent_options);
        let result = agent.run(command);
        let last_failure = failures.0.lock().ok().and_then(|failure| failure.clone());
        Ok(Episode {
            result,
            first,
            last: truth.truth(),
            last_failure,
        })
    }
}
