//! The thread that owns robot and world.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use regrasp_api::{ApprovalPolicy, CancelToken, Event, SkillCall, SkillResult, SnapshotError};
use regrasp_ground_truth::{Frame, FrameListener, GroundTruth, GroundTruthSource};
use regrasp_robot::{Robot, SkillSet};
use serde_json::json;

use crate::frames::frame_of;
use crate::jobs::{Busy, Job};
use crate::run_store::RunStore;
use crate::session_state::Scenery;
use crate::shared::Shared;
use crate::{Backend, Command, Doing, Entry, Judge, Outcome, Prepare, SetupFailure, manual};

pub(crate) struct CurrentScene {
    /// `None` while an agent has it, after a panic in a job, or a failed reset of a real robot.
    pub(crate) robot: Option<Robot>,
    pub(crate) truth: Arc<dyn GroundTruthSource>,
    world: u64,
    n_steps: usize,
    pub(crate) skills: Arc<SkillSet>,
    pub(crate) approval: ApprovalPolicy,
    pub(crate) prepare: Prepare,
    pub(crate) runs: Option<RunStore>,
    pub(crate) judge: Option<Judge>,
}

impl CurrentScene {
    /// Completes the data of the run that has ended.
    pub(crate) fn close_output(&mut self) -> Result<(), SetupFailure> {
        self.runs.as_mut().map_or(Ok(()), RunStore::close)
    }
}

pub(crate) struct Worker {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) current: CurrentScene,
    pub(crate) n_runs: u64,
}

pub(crate) fn begin(
    backend: &mut dyn Backend,
    shared: &Arc<Shared>,
    scene: &str,
    seed: u64,
    world: u64,
) -> Result<CurrentScene, SetupFailure> {
    let loaded = backend.load(scene, seed)?;
    let first = loaded.truth.truth();
    let state = loaded.hardware.as_ref().map(|robot| robot.state());
    let scenery = Scenery {
        world,
        stage: loaded.view.stage_from_frame(&frame_of(&first)),
        view: loaded.view,
        disturb: loaded.disturb,
        hardware: loaded.hardware.clone(),
        first,
    };
    shared.armed.lock().clear();
    shared.state.reset(scenery, |status| {
        scene.clone_into(&mut status.scene);
        status.seed = seed;
        status.prompt = loaded.prompt;
        status.held = None;
        status.armed.clear();
        status.robot = state;
    });
    if let Some(robot) = &loaded.hardware {
        robot.ask(shared.consent());
    }
    // The listener gets the first frame at once. It shows every frame, and holds a simulated world
    // until the next one is due.
    let (watching, hardware) = (Arc::clone(shared), loaded.hardware);
    (loaded.listen)(FrameListener::usual(move |frame: &Frame| {
        let Shared { state, pacing, .. } = &*watching;
        state.show(frame);
        match &hardware {
            None => pacing.pace(frame.time_secs),
            Some(robot) => {
                let now = Some(robot.state());
                state.update(|status| status.robot = now);
            }
        }
    }))?;
    let mut robot = loaded.robot;
    robot.set_sink(Box::new(shared.log_sink()));
    Ok(CurrentScene {
        robot: Some(robot),
        truth: loaded.truth,
        world,
        n_steps: 0,
        skills: loaded.skills,
        approval: loaded.approval,
        prepare: loaded.prepare,
        runs: loaded.runs,
        judge: loaded.judge,
    })
}

impl Worker {
    pub(crate) fn work(mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            match job {
                Job::Order {
                    command,
                    cancel,
                    done,
                } => {
                    let outcome = self.order(&command, &cancel);
                    // The receiver may be gone.
                    let _ = done.send(outcome);
                }
                Job::Settle => self.settle(),
                Job::Digest(done) => {
                    let robot = self.current.robot.as_mut();
                    if let Some(digest) = robot.and_then(Robot::state_digest) {
                        let _ = done.send(digest);
                    }
                }
                Job::Close => break,
            }
        }
    }

    fn order(&mut self, command: &Command, cancel: &CancelToken) -> Outcome {
        let doing = command.job().map(|(what, text)| Doing {
            what,
            text,
            stopping: cancel.is_cancelled(),
        });
        self.shared.state.update(|status| status.doing = doing);
        // A bug in one order must not end the session: the world's present state is shown.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.perform(command, cancel)));
        let outcome = outcome.unwrap_or_else(|_| {
            // Complete the data recorded up to the panic.
            if let Err(error) = self.current.close_output() {
                tracing::warn!(%error, "the saved data of a run are incomplete");
            }
            Outcome::Trouble {
                message: "the order was aborted by a bug; reset the scene".into(),
            }
        });
        if let Outcome::Trouble { message } = &outcome {
            let message = message.clone();
            self.shared.state.log(Entry::Trouble { message });
        }
        self.shared
            .state
            .show(&frame_of(&self.current.truth.truth()));
        let robot = self.current.robot.as_ref();
        let held = robot.and_then(|robot| robot.held.as_ref().map(|held| held.id.clone()));
        self.shared.pacing.end();
        // Ends the order before the status changes: an observer that sees the idle session may
        // give an order at once.
        self.shared.turn.end_order();
        self.shared.state.update(|status| {
            status.doing = None;
            status.pending = None;
            status.held = held;
        });
        outcome
    }

    fn perform(&mut self, command: &Command, cancel: &CancelToken) -> Outcome {
        let skill = |result: SkillResult| Outcome::Skill {
            result: Box::new(result),
        };
        let outcome = match command {
            Command::Run { order } => self.run(order, cancel),
            Command::Reset { scene, seed } => self.reset(scene, *seed),
            Command::Skill { skill: name, args } => {
                let call = SkillCall::new(name, args.clone());
                self.called_by_hand(&call, cancel).map(skill)
            }
            Command::Check { calls } => self.check(calls, cancel),
            Command::Teleoperate { by_m, turn_rad } => {
                let args = json!({"by_m": by_m, "turn_rad": turn_rad});
                let call = SkillCall::new("teleoperate", args);
                self.call(&manual::skills(), &call, cancel).map(skill)
            }
            Command::Gripper {
                open,
                width_m,
                force_n,
            } => {
                let args = json!({"open": open, "width_m": width_m, "force_n": force_n});
                let call = SkillCall::new("gripper", args);
                self.call(&manual::skills(), &call, cancel).map(skill)
            }
            Command::Follow { trajectory } => {
                let skills = SkillSet::new().with(manual::FollowMotion(trajectory.clone()));
                let call = SkillCall::new("follow", json!({}));
                self.call(&skills, &call, cancel).map(skill)
            }
            _ => Ok(Outcome::Done),
        };
        outcome.unwrap_or_else(|error| Outcome::Trouble {
            message: format!("failed to {error}"),
        })
    }

    fn reset(&mut self, scene: &str, seed: u64) -> Result<Outcome, SetupFailure> {
        let world = self.current.world + 1;
        if self.shared.state.hardware().is_some() {
            // The hardware accepts one connection only.
            self.current.robot = None;
        }
        self.current = begin(self.backend.as_mut(), &self.shared, scene, seed, world)?;
        Ok(Outcome::Done)
    }

    pub(crate) fn call(
        &mut self,
        skills: &SkillSet,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<SkillResult, SetupFailure> {
        let step_idx = self.current.n_steps;
        self.current.n_steps += 1;
        let robot = self.current.robot.as_mut().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        robot.emit(Event::step_started(step_idx, call));
        let result = skills.call(robot, call);
        robot.emit(Event::step_finished(step_idx, result.clone()));
        robot.cancel = CancelToken::new();
        Ok(result)
    }

    /// Rehearses calls of skills in a copy of the world.
    fn check(
        &mut self,
        calls: &[SkillCall],
        cancel: &CancelToken,
    ) -> Result<Outcome, SetupFailure> {
        let copy = |error: SnapshotError| SetupFailure(format!("copy the world: {error}"));
        let not_simulated = || {
            let why = "rehearse the calls: only a simulated world can be copied";
            SetupFailure(why.to_owned())
        };
        let robot = self.current.robot.as_mut().ok_or_else(lost)?;
        let world = robot.world.rewind().ok_or_else(not_simulated)?;
        let snapshot = world.snapshot().map_err(copy)?;
        let (held, seen) = (robot.held.clone(), robot.perception.save());
        let status = self.shared.state.status();
        let loaded = self.backend.load(&status.scene, status.seed)?;
        let mut twin = loaded.robot;
        let world = twin.world.rewind().ok_or_else(not_simulated)?;
        world.restore(&snapshot).map_err(copy)?;
        twin.perception.restore(&seen);
        twin.held = held;
        twin.cancel = cancel.clone();
        let mut results = vec![];
        for call in calls {
            let result = loaded.skills.call(&mut twin, call);
            let failed = !result.success;
            results.push(result);
            if failed {
                break;
            }
        }
        Ok(Outcome::Checked { results })
    }

    /// Lets at most 3 s pass, until the world is at rest or an order is given.
    fn settle(&mut self) {
        const SLICE_SECS: f64 = 0.05;
        /// Number of slices before rest ends the wait: objects may begin to move late, for example
        /// after their support was removed.
        const AT_LEAST: usize = 4;
        const AT_MOST: usize = 60;
        if let Some(robot) = self.current.robot.as_mut() {
            for i in 0..AT_MOST {
                let ordered = self.shared.turn.now() == Busy::Ordered;
                if i > 0 && ordered || robot.wait(SLICE_SECS).is_err() {
                    break;
                }
                if i >= AT_LEAST && is_at_rest(&self.current.truth.truth()) {
                    break;
                }
            }
        }
        self.shared
            .state
            .show(&frame_of(&self.current.truth.truth()));
        self.shared.turn.end_settling();
    }
}

fn is_at_rest(truth: &GroundTruth) -> bool {
    const STILL_M_PER_S: f64 = 2e-3;
    const STILL_RAD_PER_S: f64 = 0.05;
    let speed = |v: [f64; 3]| v.iter().map(|n| n * n).sum::<f64>().sqrt();
    let mut moving = truth.objects.iter().filter(|o| o.movable);
    moving.all(|o| {
        speed(o.linear_velocity) < STILL_M_PER_S && speed(o.angular_velocity) < STILL_RAD_PER_S
    })
}

pub(crate) fn lost() -> SetupFailure {
    SetupFailure("find the robot: it is gone; reset the scene".into())
}
