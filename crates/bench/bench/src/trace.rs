//! Time spent in each phase of an episode, and the phase in which it failed.

use std::collections::BTreeMap;
use std::time::Instant;

use regrasp_api::{Event, EventSink, StampedEvent};
use serde::{Deserialize, Serialize};

const PLANNER: &str = "planner";

/// Time spent in a phase of a skill, in whole microseconds so that sums are exact in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Number of times the phase was entered.
    pub n: u64,
    /// Simulated time, µs.
    pub sim_us: u64,
    /// Real time, µs.
    pub wall_us: u64,
}

impl PhaseTime {
    /// Adds another time.
    pub fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.sim_us += other.sim_us;
        self.wall_us += other.wall_us;
    }
}

/// Records the phases of an episode from its events. A phase is named by skill and phase, such as
/// `pick/close`. `pick` is the part of the skill before its first phase, `planner` the planner's
/// time.
#[derive(Debug, Default)]
pub struct Trace {
    /// Time spent in each phase.
    pub phases: BTreeMap<String, PhaseTime>,
    /// Phase in which the last failed skill failed.
    pub failed_in: Option<String>,
    /// Goal as the planner understood it, if it reports one.
    pub goal: Option<String>,
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

    /// Ends the current phase and returns its name.
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
                self.goal = version.plan.interpretation.first().cloned();
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
