//! What the engine itself costs for each step: no planner, no physics, no perception to
//! speak of.
//!
//! ```sh
//! cargo bench -p regrasp --bench engine
//! ```
//!
//! Every figure is an episode of 40 steps that do nothing; a step is a fortieth of it.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set up has failed")]

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use regrasp::Kit;
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{
    Failure, GripperCommand, GripperReport, MotionReport, Observation, Percept, Perception,
    PerceptionError, Plan, PlanRequest, Planner, PlannerError, Robot, RunStore, Skill, SkillCall,
    SkillSet, Snapshot, SnapshotError, Success, Trajectory, Watch, World,
};
use regrasp::perception::NoiseOptions;
use regrasp::scene::builtin_scene;
use regrasp::sim::SimOptions;
use regrasp::store::SqliteStore;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const N_STEPS: usize = 40;
/// About what a snapshot of a Panda with a few things takes.
const SNAPSHOT_BYTES: usize = 50_000;

/// A world in which nothing happens.
struct Still(Observation);

impl World for Still {
    fn observe(&mut self) -> Observation {
        self.0.clone()
    }

    fn follow(&mut self, _: &Trajectory, _: &Watch) -> MotionReport {
        unreachable!("no step moves")
    }

    fn command_gripper(&mut self, _: GripperCommand, _: &Watch) -> GripperReport {
        unreachable!("no step moves")
    }

    fn wait(&mut self, _: f64) -> Result<Observation, regrasp::api::Diverged> {
        Ok(self.0.clone())
    }

    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let bytes = vec![7; SNAPSHOT_BYTES];
        Ok(Snapshot { bytes })
    }

    fn restore(&mut self, _: &Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn state_digest(&self) -> u64 {
        0
    }
}

struct Blank;

impl Perception for Blank {
    fn name(&self) -> &str {
        "blank"
    }

    fn perceive(&mut self, _: &Observation) -> Result<Percept, PerceptionError> {
        Ok(Percept::default())
    }
}

struct Nothing;

#[derive(Deserialize, JsonSchema)]
struct NoArgs {}

impl Skill for Nothing {
    type Args = NoArgs;
    type Work = ();
    const NAME: &'static str = "nothing";
    const DESCRIPTION: &'static str = "Does nothing.";

    fn precondition(&self, _: &mut Robot, _: &NoArgs) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, _: &mut Robot, _: &NoArgs, _: &mut ()) -> Result<(), Failure> {
        Ok(())
    }

    fn verify(&self, _: &mut Robot, _: &NoArgs, _: &()) -> Result<Success, Failure> {
        Ok(Success::new("nothing was done"))
    }
}

struct Idle;

#[async_trait]
impl Planner for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    async fn plan(&mut self, _: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let step = SkillCall::new("nothing", json!({}));
        Ok(Plan::complete(vec![step; N_STEPS], "nothing was done"))
    }
}

fn agent(kit: &Kit) -> Agent {
    let scene = builtin_scene("tabletop").unwrap();
    let cell = kit.cell(&scene, SimOptions::default(), NoiseOptions::default());
    let Robot {
        mut world,
        motion,
        info,
        ..
    } = cell.unwrap().robot;
    let still = Still(world.observe());
    let robot = Robot::new(Box::new(still), Box::new(Blank), motion, info);
    let skills = SkillSet::new().with(Nothing);
    Agent::new(robot, skills, Box::new(Idle), AgentOptions::default())
}

fn engine(criterion: &mut Criterion) {
    let kit = Kit::panda().unwrap();
    let mut agent = agent(&kit);
    criterion.bench_function("40 steps", |bencher| {
        bencher.iter(|| assert_eq!(agent.run("idle").steps, N_STEPS));
    });
    let dir = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(dir.path().join("bench.sqlite")).unwrap();
    let mut n_runs = 0;
    criterion.bench_function("40 steps, each kept in a store", |bencher| {
        bencher.iter(|| {
            n_runs += 1;
            let store: &mut dyn RunStore = &mut store;
            let result = agent.run_kept("idle", store, &format!("run {n_runs}"), false);
            assert_eq!(result.unwrap().steps, N_STEPS);
        });
    });
}

criterion_group!(benches, engine);
criterion_main!(benches);
