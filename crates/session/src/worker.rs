//! The thread that owns robot and world.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError};

use regrasp_agent::{Agent, approval_denied, approval_request, may_ask};
use regrasp_api::{
    Approval, CancelToken, EpisodeResult, Event, EventSink, Failure, Frame, FrameListener,
    FrameSink, Person, Phase, Reason, Robot, SkillCall, SkillResult, SkillSet, SnapshotError,
    TruthSource, WorldTruth,
};
use serde_json::json;

use crate::board::{KeptRun, Scenery};
use crate::desk::Operators;
use crate::frames::frame_of;
use crate::jobs::{Busy, Job};
use crate::manual;
use crate::session::Shared;
use crate::sink::Shown;
use crate::verdict::LastFailure;
use crate::workshop::{Prepared, RunOutput, SetupTrouble, Workshop};
use crate::{Command, Doing, Entry, Flow, Judge, Outcome, RunOrder, Seen, Verdict};

/// The robot where it is.
pub(crate) struct Here {
    /// Gone only if something panicked while it worked.
    robot: Option<Robot>,
    truth: Arc<dyn TruthSource>,
    world: u64,
    n_steps: usize,
}

pub(crate) struct Worker {
    workshop: Box<dyn Workshop>,
    shared: Arc<Shared>,
    here: Here,
    n_runs: u64,
}

/// Makes a world and shows it.
pub(crate) fn begin(
    workshop: &mut dyn Workshop,
    shared: &Arc<Shared>,
    scene: &str,
    seed: u64,
    world: u64,
) -> Result<Here, SetupTrouble> {
    let place = workshop.place(scene, seed)?;
    let first = place.truth.truth();
    let scenery = Scenery {
        world,
        stage: place.view.stage(&frame_of(&first)),
        view: place.view,
        disturb: place.disturb,
        first,
    };
    let armed = shared.armed.lock();
    armed.unwrap_or_else(PoisonError::into_inner).clear();
    shared.board.reset(scenery, |status| {
        scene.clone_into(&mut status.scene);
        status.seed = seed;
        status.prompt = place.prompt;
        status.held = None;
        status.armed.clear();
    });
    // It is shown the first frame at once.
    (place.listen)(FrameListener::usual(Watcher(Arc::clone(shared))))?;
    let mut robot = place.robot;
    robot.set_sink(Box::new(shown(shared)));
    Ok(Here {
        robot: Some(robot),
        truth: place.truth,
        world,
        n_steps: 0,
    })
}

/// Shows every frame, and holds the world until it is time for the next.
struct Watcher(Arc<Shared>);

impl FrameSink for Watcher {
    fn frame(&mut self, frame: &Frame) {
        self.0.board.show(frame);
        self.0.gate.pace(frame.time_secs);
    }
}

fn shown(shared: &Shared) -> Shown {
    Shown {
        board: Arc::clone(&shared.board),
        gate: Arc::clone(&shared.gate),
    }
}

impl Worker {
    pub(crate) fn new(workshop: Box<dyn Workshop>, shared: Arc<Shared>, here: Here) -> Self {
        Self {
            workshop,
            shared,
            here,
            n_runs: 0,
        }
    }

    pub(crate) fn work(mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            match job {
                Job::Order {
                    command,
                    cancel,
                    done,
                } => {
                    let outcome = self.order(&command, &cancel);
                    // Whoever asked may be gone.
                    let _ = done.send(outcome);
                }
                Job::Settle => self.settle(),
                Job::Digest(done) => {
                    let robot = self.here.robot.as_ref();
                    if let Some(robot) = robot {
                        let _ = done.send(robot.world.state_digest());
                    }
                }
                Job::Close => break,
            }
        }
    }

    fn order(&mut self, command: &Command, cancel: &CancelToken) -> Outcome {
        let flow = self.shared.gate.flow();
        self.shared.board.update(|status| {
            status.flow = flow;
            status.doing = Some(Doing {
                what: name(command),
                text: text(command),
                stopping: cancel.is_cancelled(),
            });
        });
        // A bug in one order must not end the session: the world is looked at as it is.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.perform(command, cancel)));
        let outcome = outcome.unwrap_or_else(|_| {
            // What was kept of it until then is worth more with an end.
            if let Err(error) = self.workshop.kept() {
                tracing::warn!(%error, "what was kept of a run is not complete");
            }
            Outcome::Trouble {
                message: "a bug ended it; reset the scene".into(),
            }
        });
        if let Outcome::Trouble { message } = &outcome {
            let message = message.clone();
            self.shared.board.log(Entry::Trouble { message });
        }
        self.shared.board.show(&frame_of(&self.here.truth.truth()));
        let robot = self.here.robot.as_ref();
        let held = robot.and_then(|robot| robot.held.as_ref().map(|held| held.id.clone()));
        self.shared.gate.end();
        // Whoever sees that nothing is under way can give the next order.
        self.shared.turn.end_order();
        self.shared.board.update(|status| {
            status.doing = None;
            status.pending = None;
            status.flow = Flow::Running;
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
            Command::Gripper { open } => {
                let call = SkillCall::new("gripper", json!({"open": open}));
                self.call(&manual::skills(), &call, cancel).map(skill)
            }
            _ => Ok(Outcome::Done),
        };
        outcome.unwrap_or_else(|trouble| Outcome::Trouble {
            message: format!("failed to {trouble}"),
        })
    }

    fn reset(&mut self, scene: &str, seed: u64) -> Result<Outcome, SetupTrouble> {
        let world = self.here.world + 1;
        self.here = begin(self.workshop.as_mut(), &self.shared, scene, seed, world)?;
        Ok(Outcome::Done)
    }

    /// Calls a skill, after somebody said yes if somebody has to.
    fn called_by_hand(
        &mut self,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<SkillResult, SetupTrouble> {
        let skills = self.workshop.skills();
        let consent = self.consent(&skills, call, cancel)?;
        match consent {
            Ok(()) => self.call(&skills, call, cancel),
            Err(failure) => {
                let robot = self.here.robot.as_mut().ok_or_else(lost)?;
                Ok(skills.refuse(robot, failure))
            }
        }
    }

    /// Asks whether a skill may be called. There is no trust in kinds of steps here: whoever
    /// calls by hand is not the agent that earned it.
    fn consent(
        &mut self,
        skills: &SkillSet,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<Result<(), Failure>, SetupTrouble> {
        let policy = self.workshop.approval();
        if !may_ask(&policy) {
            return Ok(Ok(()));
        }
        let robot = self.here.robot.as_mut().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        let percept = robot.perceive();
        robot.cancel = CancelToken::new();
        // What cannot be seen cannot be called harmless.
        let percept = match percept {
            Ok(percept) => percept,
            Err(failure) => return Ok(Err(failure)),
        };
        let now = robot.observe();
        let Some(request) = approval_request(&policy, call, &skills.specs(), &percept, &now) else {
            return Ok(Ok(()));
        };
        let answer = operators(&self.shared, cancel).approve(&request);
        robot.emit(Event::ApprovalAsked {
            request: request.clone(),
            answer: answer.clone(),
        });
        Ok(match answer {
            Approval::Granted => Ok(()),
            Approval::Refused { why } if cancel.is_cancelled() => {
                let text = format!("{call} was not begun: {why}");
                Err(Failure::new(Reason::Cancelled, text).in_phase(Phase::Precondition))
            }
            Approval::Refused { why } => Err(approval_denied(&request, &why)),
        })
    }

    fn call(
        &mut self,
        skills: &SkillSet,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<SkillResult, SetupTrouble> {
        let step_idx = self.here.n_steps;
        self.here.n_steps += 1;
        let robot = self.here.robot.as_mut().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        robot.emit(Event::StepStarted {
            step_idx,
            skill: call.skill.clone(),
            args: call.args.clone(),
        });
        let result = skills.call(robot, call);
        robot.emit(Event::StepFinished {
            step_idx,
            result: result.clone(),
        });
        robot.cancel = CancelToken::new();
        Ok(result)
    }

    /// Calls skills in a copy of the world that nobody sees.
    fn check(
        &mut self,
        calls: &[SkillCall],
        cancel: &CancelToken,
    ) -> Result<Outcome, SetupTrouble> {
        let copy = |error: SnapshotError| SetupTrouble(format!("copy the world: {error}"));
        let robot = self.here.robot.as_ref().ok_or_else(lost)?;
        let snapshot = robot.world.snapshot().map_err(copy)?;
        let (held, seen) = (robot.held.clone(), robot.perception.save());
        let status = self.shared.board.status();
        let mut twin = self.workshop.place(&status.scene, status.seed)?.robot;
        twin.world.restore(&snapshot).map_err(copy)?;
        twin.perception.restore(&seen);
        twin.held = held;
        twin.cancel = cancel.clone();
        let skills = self.workshop.skills();
        let mut results = vec![];
        for call in calls {
            let result = skills.call(&mut twin, call);
            let failed = !result.success;
            results.push(result);
            if failed {
                break;
            }
        }
        Ok(Outcome::Checked { results })
    }

    fn run(&mut self, order: &RunOrder, cancel: &CancelToken) -> Result<Outcome, SetupTrouble> {
        let faults = {
            let mut armed = self.shared.armed.lock();
            let armed = armed.as_deref_mut().map(std::mem::take);
            armed.unwrap_or_default()
        };
        self.shared.board.update(|status| status.armed.clear());
        let record = self.shared.board.status().record;
        let robot = self.here.robot.as_mut().ok_or_else(lost)?;
        let prepared = self.workshop.prepare(robot, order, &faults)?;
        let output = self.workshop.keep(order, &prepared, record)?;
        self.n_runs += 1;
        let run = self.n_runs;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![];
        let kept = output.is_some();
        let mut recorded = false;
        if let Some(RunOutput {
            sink,
            folder,
            recording,
        }) = output
        {
            recorded = recording.is_some();
            self.shared.board.keep_run(KeptRun {
                run,
                folder,
                recording,
            });
            sinks.push(sink);
        }
        // Last, since it may hold the run before a step: what is kept is complete by then.
        sinks.push(Box::new(shown(&self.shared)));
        self.shared.board.log(Entry::RunStarted {
            run,
            text: order.text.clone(),
            planner: prepared.planner.name().to_owned(),
            perception: prepared.perception.clone(),
        });
        self.shared.board.update(|status| {
            status.run = Some(run);
            status.recorded = recorded;
        });
        let (result, verdict) = self.carry_out(order, prepared, sinks, cancel)?;
        let written = self.workshop.kept();
        self.shared.board.log(Entry::RunFinished {
            run,
            kept,
            verdict: verdict.clone(),
        });
        written?;
        Ok(Outcome::Episode { result, verdict })
    }

    fn carry_out(
        &mut self,
        order: &RunOrder,
        prepared: Prepared,
        mut sinks: Vec<Box<dyn EventSink>>,
        cancel: &CancelToken,
    ) -> Result<(EpisodeResult, Option<Verdict>), SetupTrouble> {
        let mut options = prepared.agent;
        if let Some(mode) = order.approve {
            options.approval.get_or_insert_default().mode = mode.into();
        }
        let judge = self.workshop.judge(order);
        let last_failure = LastFailure::default();
        sinks.insert(0, Box::new(last_failure.clone()));
        let first = self.here.truth.truth();
        let mut robot = self.here.robot.take().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        robot.set_sink(Box::new(sinks));
        let person = operators(&self.shared, cancel);
        let agent = Agent::new(robot, prepared.skills, prepared.planner, options);
        let mut agent = agent.with_person(Box::new(person));
        let result = agent.run(&order.text);
        let mut robot = agent.into_robot();
        let verdict = judge.map(|judge| {
            let last = self.here.truth.truth();
            let after = self.watch(&mut robot, judge.as_ref());
            judge.verdict(Seen {
                result: &result,
                last_failure: last_failure.take(),
                first,
                last,
                after,
            })
        });
        robot.cancel = CancelToken::new();
        robot.set_sink(Box::new(shown(&self.shared)));
        self.here.robot = Some(robot);
        Ok((result, verdict))
    }

    /// Lets time pass after the end for as long as the judge has to look, and looks at short
    /// intervals. Ends early if somebody stops it; the judge sees that from the times.
    fn watch(&self, robot: &mut Robot, judge: &dyn Judge) -> Vec<WorldTruth> {
        const EVERY_SECS: f64 = 0.05;
        let end_secs = robot.observe().time_secs + judge.watch_secs();
        let mut seen = vec![];
        loop {
            let left_secs = end_secs - robot.observe().time_secs;
            if left_secs < 1e-9 || robot.wait(left_secs.min(EVERY_SECS)).is_err() {
                return seen;
            }
            seen.push(self.here.truth.truth());
        }
    }

    /// Lets time pass until what was moved rests, or somebody gives an order.
    fn settle(&mut self) {
        const SLICE_SECS: f64 = 0.05;
        /// Something may begin to move late, such as what stood on what is gone.
        const AT_LEAST: usize = 4;
        const AT_MOST: usize = 60;
        if let Some(robot) = self.here.robot.as_mut() {
            for i in 0..AT_MOST {
                let ordered = self.shared.turn.now() == Busy::Ordered;
                if i > 0 && ordered || robot.wait(SLICE_SECS).is_err() {
                    break;
                }
                if i >= AT_LEAST && is_at_rest(&self.here.truth.truth()) {
                    break;
                }
            }
        }
        self.shared.board.show(&frame_of(&self.here.truth.truth()));
        self.shared.turn.end_settling();
    }
}

fn is_at_rest(truth: &WorldTruth) -> bool {
    const STILL_M_PER_S: f64 = 2e-3;
    const STILL_RAD_PER_S: f64 = 0.05;
    let speed = |v: [f64; 3]| v.iter().map(|n| n * n).sum::<f64>().sqrt();
    let mut moving = truth.objects.iter().filter(|o| o.movable);
    moving.all(|o| {
        speed(o.linear_velocity) < STILL_M_PER_S && speed(o.angular_velocity) < STILL_RAD_PER_S
    })
}

/// Whoever sits at the session, until a stop is asked for.
fn operators(shared: &Shared, cancel: &CancelToken) -> Operators {
    Operators {
        desk: Arc::clone(&shared.desk),
        board: Arc::clone(&shared.board),
        cancel: cancel.clone(),
    }
}

fn lost() -> SetupTrouble {
    SetupTrouble("find the robot: a bug took it away; reset the scene".into())
}

fn name(command: &Command) -> &'static str {
    match command {
        Command::Run { .. } => "run",
        Command::Skill { .. } => "skill",
        Command::Check { .. } => "check",
        Command::Teleoperate { .. } => "teleoperate",
        Command::Gripper { .. } => "gripper",
        Command::Reset { .. } => "reset",
        _ => "order",
    }
}

fn text(command: &Command) -> String {
    match command {
        Command::Run { order } => order.text.clone(),
        Command::Skill { skill, args } => SkillCall::new(skill, args.clone()).to_string(),
        Command::Check { calls } => format!("rehearse {} calls", calls.len()),
        Command::Teleoperate {
            by_m: [x, y, z], ..
        } => {
            format!("move the tool by x={x:.3} y={y:.3} z={z:.3}")
        }
        Command::Gripper { open: true } => "open the gripper".into(),
        Command::Gripper { open: false } => "close the gripper".into(),
        Command::Reset { scene, seed } => format!("reset to {scene}, seed {seed}"),
        _ => "an order".into(),
    }
}
