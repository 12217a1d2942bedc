//! Cost of the engine itself per step: no planner, no physics, almost no perception.
//!
//! ```sh
//! cargo bench -p regrasp --bench engine
//! ```
//!
//! The benchmarks of 40 steps run an episode whose steps do nothing: a step takes a fortieth of the
//! time. The saved world states are those of a real episode, in order.

#![expect(clippy::unwrap_used, reason = "a bench that cannot set up has failed")]
#![expect(clippy::print_stderr, reason = "a benchmark prints its measurements")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use criterion::{Criterion, criterion_group, criterion_main};
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{
    Capabilities, Checkpoint, Claim, Failure, GripperCommand, GripperReport, MotionReport,
    Observation, Percept, Perception, PerceptionError, Plan, PlanRequest, Planner, PlannerError,
    Rewind, RobotError, RunStore, SkillCall, Snapshot, SnapshotError, StoreError, Success,
    Trajectory, Watch, World,
};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::robot::{Robot, Skill, SkillSet};
use regrasp::scene::{builtin_scene, builtin_task};
use regrasp::sim::SimOptions;
use regrasp::{EpisodeOptions, KeepRun, LoadedRobot};
use regrasp_store::SqliteStore;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const N_STEPS: usize = 40;

/// World in which nothing happens. Its snapshots are those of a real episode after each step.
struct Still {
    observation: Observation,
    frozen: Vec<Snapshot>,
    n_frozen: AtomicUsize,
}

impl World for Still {
    fn time_secs(&self) -> f64 {
        self.observation.time_secs
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn observe(&mut self) -> Result<Observation, RobotError> {
        Ok(self.observation.clone())
    }

    fn follow(&mut self, _: &Trajectory, _: &Watch) -> Result<MotionReport, RobotError> {
        unreachable!("no step moves")
    }

    fn command_gripper(
        &mut self,
        _: GripperCommand,
        _: &Watch,
    ) -> Result<GripperReport, RobotError> {
        unreachable!("no step moves")
    }

    fn wait(&mut self, _: f64) -> Result<Observation, RobotError> {
        Ok(self.observation.clone())
    }

    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }
}

impl Rewind for Still {
    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        let n = self.n_frozen.fetch_add(1, Ordering::Relaxed);
        Ok(self.frozen[n % self.frozen.len()].clone())
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
    type Task = ();
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

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Checkpoint>>>);

impl RunStore for Collector {
    fn claim(&mut self, _: &str, _: bool) -> Result<Claim, StoreError> {
        Ok(Claim::Fresh)
    }

    fn save(&mut self, _: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.0.lock().unwrap().push(checkpoint.clone());
        Ok(())
    }

    fn finish(&mut self, _: &str, _: &str) -> Result<(), StoreError> {
        Ok(())
    }
}

fn checkpoints(loaded: &LoadedRobot) -> Vec<Checkpoint> {
    let task = builtin_task("unstack_to_plate").unwrap();
    let task = task.instantiate(3).unwrap();
    let collector = Collector::default();
    let options = EpisodeOptions {
        keep: Some(KeepRun {
            store: Box::new(collector.clone()),
            key: "run".into(),
            resume: false,
        }),
        ..EpisodeOptions::default()
    };
    let episode = loaded.episode(&task.scene, &task.prompt, options).unwrap();
    assert!(episode.result.success);
    let checkpoints = collector.0.lock().unwrap().clone();
    let sizes: Vec<_> = checkpoints
        .iter()
        .map(|c| (c.state.len(), c.world.as_ref().map_or(0, Vec::len)))
        .collect();
    eprintln!("bytes of state and world after each step: {sizes:?}");
    checkpoints
}

fn agent(loaded: &LoadedRobot, checkpoints: &[Checkpoint]) -> Agent {
    let scene = builtin_scene("tabletop").unwrap();
    let cell = loaded.cell(&scene, SimOptions::default(), NoiseOptions::default());
    let Robot {
        mut world,
        motion,
        info,
        ..
    } = cell.unwrap().robot;
    let frozen = checkpoints.iter().map(|c| Snapshot {
        bytes: c.world.clone().unwrap_or_default(),
    });
    let still = Still {
        observation: world.observe().unwrap(),
        frozen: frozen.collect(),
        n_frozen: AtomicUsize::new(0),
    };
    let robot = Robot::new(Box::new(still), Box::new(Blank), motion, info);
    let skills = SkillSet::new().with(Nothing);
    Agent::new(robot, skills, Box::new(Idle), AgentOptions::default())
}

fn engine(criterion: &mut Criterion) {
    let loaded = LoadedRobot::panda().unwrap();
    let checkpoints = checkpoints(&loaded);
    let mut agent = agent(&loaded, &checkpoints);
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

/// Measures the saves of a real episode, without the engine.
fn saves(criterion: &mut Criterion) {
    let checkpoints = checkpoints(&LoadedRobot::panda().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let mut store = SqliteStore::open(dir.path().join("bench.sqlite")).unwrap();
    let mut n_runs = 0;
    let name = format!("an episode of {} saves", checkpoints.len());
    criterion.bench_function(&name, |bencher| {
        bencher.iter(|| {
            n_runs += 1;
            let key = format!("run {n_runs}");
            store.claim(&key, false).unwrap();
            for checkpoint in &checkpoints {
                store.save(&key, checkpoint).unwrap();
            }
        });
    });
}

criterion_group!(benches, engine, saves);
criterion_main!(benches);
