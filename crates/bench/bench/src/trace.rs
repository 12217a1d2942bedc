//! Where the time of an episode goes, and where it fails.

use std::collections::BTreeMap;
use std::time::Instant;

use regrasp_api::{Event, EventSink, StampedEvent};
use serde::{Deserialize, Serialize};

/// The name under which the planner's time is kept.
const PLANNER: &str = "planner";

/// Time spent in one phase of one skill, in whole microseconds, so that sums do not depend
/// on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// How often it was entered.
    pub n: u64,
    /// Simulated time, µs.
    pub sim_us: u64,
    /// Real time, µs.
    pub wall_us: u64,
}

impl PhaseTime {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.sim_us += other.sim_us;
        self.wall_us += other.wall_us;
    }
}

/// Listens to an episode. A phase is called `pick/close`; what a skill does before its first
/// phase is called `pick`, and the planner's time `planner`.
#[derive(Debug, Default)]
pub struct Trace {
    /// Time of each phase.
    pub phases: BTreeMap<String, PhaseTime>,
    /// The phase in which the last skill that failed did so.
    pub failed_in: Option<String>,
    /// The goal that the planner took the task for, if it says so.
    pub heard: Option<String>,
    skill: Option<String>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    sim_secs: f64,
    began: Instant,
}

impl Trace {
    fn enter(&mut self, name: String, sim_secs: f64) {
        self.leave(sim_secs);
        self.open = Some(Open {
            name,
            sim_secs,
            began: Instant::now(),
        });
    }

    /// Ends what is going on, and returns its name.
    fn leave(&mut self, sim_secs: f64) -> Option<String> {
        const US: f64 = 1e6;
        let open = self.open.take()?;
        let spent = PhaseTime {
            n: 1,
            sim_us: ((sim_secs - open.sim_secs).max(0.0) * US).round() as u64,
            wall_us: (open.began.elapsed().as_secs_f64() * US).round() as u64,
        };
        let phase = self.phases.entry(open.name.clone());
        phase.or_default().add(&spent);
        Some(open.name)
    }
}

impl EventSink for Trace {
    fn emit(&mut self, event: &StampedEvent) {
        let now = event.sim_secs;
        match &event.event {
            Event::PlanRequested { .. } => self.enter(PLANNER.to_owned(), now),
            Event::PlanRevised { version } => {
                self.leave(now);
                self.heard = version.plan.heard.first().cloned();
            }
            Event::PlanFailed { .. } => {
                self.leave(now);
            }
            Event::StepStarted { skill, .. } => {
                self.skill = Some(skill.clone());
                self.enter(skill.clone(), now);
            }
            Event::PhaseStarted { name } => {
                if let Some(skill) = &self.skill {
                    let name = format!("{skill}/{name}");
                    self.enter(name, now);
                }
            }
            Event::StepFinished { result, .. } => {
                let phase = self.leave(now);
                self.skill = None;
                if !result.success {
                    self.failed_in = phase;
                }
            }
            _ => {}
        }
    }
}
