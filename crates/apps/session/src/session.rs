//! Handle of a session.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use regrasp::SceneView;
use regrasp_api::{CameraView, CancelToken, ObjectId};
use regrasp_faults::Fault;
use regrasp_ground_truth::{Frame, GroundTruth, GroundTruthObject, LinkPose};
use regrasp_record::Geometry;
use regrasp_render::{Picture, Stage};
use tokio::sync::oneshot;

use crate::disturb::{Disturbed, SimDisturb};
use crate::frames::truth_at;
use crate::jobs::{Busy, Job, Turn};
use crate::pacing::Pacing;
use crate::pending_questions::PendingQuestions;
use crate::placing::placed;
use crate::session_state::{Scenery, SessionState};
use crate::shared::Shared;
use crate::worker::{Worker, begin};
use crate::{
    Backend, Catalogue, Command, Entry, Export, Flow, Refusal, RefusalKind, Reply, SetupFailure,
    Shot, Status, Subscription, Ticket, camera,
};

/// One robot in one scene. Dropping it stops the robot.
pub struct Session {
    shared: Arc<Shared>,
    jobs: Sender<Job>,
    thread: Option<JoinHandle<()>>,
    catalogue: Catalogue,
}

/// Reason why a run has no recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRecording {
    /// The run does not exist, or was not kept.
    #[error("there is no run {0}")]
    NotKept(u64),
    /// The run's positions were not recorded.
    #[error("run {0} was not recorded; switch recording on before starting a run")]
    NotRecorded(u64),
    /// The recording is still being written.
    #[error("run {0} is under way; its recording can be read when it has ended")]
    UnderWay(u64),
}

type Simulated = (Arc<SimDisturb>, Arc<Scenery>, GroundTruth);

impl Session {
    /// Loads a scene (or a task's scene) and waits for orders. `speed` is that of
    /// [`Command::Speed`].
    pub fn start(
        mut backend: Box<dyn Backend>,
        scene: &str,
        seed: u64,
        speed: f64,
    ) -> Result<Self, SetupFailure> {
        let status = Status {
            speed,
            record: true,
            ..Status::default()
        };
        let state = Arc::new(SessionState::new(status));
        let flow_state = Arc::clone(&state);
        let on_change = move |flow| flow_state.update(|status| status.flow = flow);
        let shared = Arc::new(Shared {
            state,
            pacing: Pacing::new(speed, on_change),
            questions: PendingQuestions::default(),
            turn: Turn::default(),
            armed: Mutex::default(),
        });
        let catalogue = backend.catalogue();
        let current = begin(backend.as_mut(), &shared, scene, seed, 1)?;
        let (jobs, orders) = mpsc::channel();
        let worker = Worker {
            backend,
            shared: Arc::clone(&shared),
            current,
            n_runs: 0,
        };
        let thread = thread::Builder::new().name("robot session".into());
        let thread = thread
            .spawn(move || worker.work(&orders))
            .map_err(|error| SetupFailure(format!("start a thread for the robot: {error}")))?;
        Ok(Self {
            shared,
            jobs,
            thread: Some(thread),
            catalogue,
        })
    }

    /// Scenes, tasks, planners, perceptions, skills and exports.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Subscribes to news, beginning with the present state and the log of the present world.
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(Arc::clone(&self.shared.state))
    }

    /// Present state.
    pub fn status(&self) -> Status {
        self.shared.state.status()
    }

    /// Gives an order. Returns at once; use the ticket to wait for a job.
    ///
    /// # Errors
    ///
    /// [`Refusal`]; then nothing was changed.
    pub fn command(&self, command: Command) -> Result<Reply, Refusal> {
        if command.job().is_some() {
            return self.order(command).map(Reply::Later);
        }
        match command {
            Command::Stop => self.stop()?,
            Command::Pause => self.flow(Flow::Paused)?,
            Command::Resume => self.flow(Flow::Running)?,
            Command::Step => self.flow(Flow::ToNextStep)?,
            Command::Answer { id, approve, text } => {
                self.shared.questions.answer(id, approve, text)?
            }
            Command::Fault { fault } => self.fault(fault)?,
            Command::Repair => self.repair()?,
            Command::Move {
                object,
                xy,
                turn_rad,
            } => self.put(&object, xy, turn_rad)?,
            Command::Speed { times } => self.speed(times)?,
            Command::Record { on } => self.shared.state.update(|status| status.record = on),
            _ => unreachable!("every other order is a job"),
        }
        Ok(Reply::Done)
    }

    /// Renders a camera's picture of the present or of an earlier time; `width` resizes it, 16 to
    /// 1920 pixels. Blocks while rendering, so do not call it in async code.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is no such camera, the width is out of range, or the session has ended.
    pub fn picture(
        &self,
        camera: &str,
        width: Option<u32>,
        at_secs: Option<f64>,
    ) -> Result<Picture, Refusal> {
        if width.is_some_and(|w| !(16..=1920).contains(&w)) {
            return Err(Refusal::bad_value(
                "expected a width from 16 to 1920 pixels",
            ));
        }
        let (scenery, shot) = self.seen(at_secs).ok_or_else(Refusal::closed)?;
        camera::picture(&scenery, &shot, camera, width)
    }

    /// Positions now or at an earlier time, and the scene that they belong to.
    fn seen(&self, at_secs: Option<f64>) -> Option<(Arc<Scenery>, Arc<Shot>)> {
        let state = self.shared.state.lock();
        let past = at_secs.and_then(|at| state.history.at(at).cloned());
        let shot = past.or_else(|| state.shot.clone());
        state.scenery.clone().zip(shot)
    }

    /// Names of the cameras.
    pub fn cameras(&self) -> Vec<String> {
        let views = self.camera_views().into_iter();
        views.map(|view| view.name).collect()
    }

    /// Cameras at their present poses.
    pub fn camera_views(&self) -> Vec<CameraView> {
        self.seen(None).map_or_else(Vec::new, |(scenery, shot)| {
            (scenery.view).views(&shot.joint_positions, shot.gripper_width_m)
        })
    }

    /// Present positions of everything, with the poses of the robot's links.
    pub fn frame(&self) -> Option<(Frame, Vec<LinkPose>)> {
        let (scenery, frame) = {
            let state = self.shared.state.lock();
            (state.scenery.clone()?, state.frame.clone())
        };
        let links = scenery.view.links(&frame);
        Some((frame, links))
    }

    /// Number of the world, and its geometry.
    pub fn geometry(&self) -> Option<(u64, Arc<SceneView>)> {
        let state = self.shared.state.lock();
        let scenery = state.scenery.as_ref()?;
        Some((scenery.world, scenery.view.clone()))
    }

    /// Number of the world, its visible surfaces, and all objects, as they were when the world
    /// began.
    pub fn stage(&self) -> Option<(u64, Stage, Vec<GroundTruthObject>)> {
        let scenery = self.shared.state.lock().scenery.clone()?;
        Some((
            scenery.world,
            scenery.stage.clone(),
            scenery.first.objects.clone(),
        ))
    }

    /// All objects at their last shown poses.
    pub fn objects(&self) -> Vec<GroundTruthObject> {
        let state = self.shared.state.lock();
        let first = state.scenery.as_ref().map(|scenery| &scenery.first);
        first.map_or_else(Vec::new, |first| truth_at(first, &state.frame).objects)
    }

    /// Kept positions since the world began, oldest first.
    pub fn history(&self) -> Vec<Arc<Shot>> {
        self.shared.state.lock().history.shots().to_vec()
    }

    /// Folder of a run.
    pub fn run_folder(&self, run: u64) -> Option<PathBuf> {
        let state = self.shared.state.lock();
        state.run(run).map(|kept| kept.folder.clone())
    }

    /// Recording of a run that has ended.
    pub fn run_recording(&self, run: u64) -> Result<PathBuf, NoRecording> {
        let state = self.shared.state.lock();
        let kept = state.run(run).ok_or(NoRecording::NotKept(run))?;
        let recording = kept.recording.clone();
        let recording = recording.ok_or(NoRecording::NotRecorded(run))?;
        let doing = state.status.doing.as_ref();
        if state.status.run == Some(run) && doing.is_some_and(|doing| doing.what == "run") {
            return Err(NoRecording::UnderWay(run));
        }
        Ok(recording)
    }

    /// Formats that can be made from the recording of a run.
    pub fn exports(&self) -> &[Export] {
        &self.catalogue.exports
    }

    /// Hash of the exact bits of the world's state; `None` while a job is under way or the world
    /// settles, and for a real robot.
    pub async fn digest(&self) -> Option<u64> {
        if self.shared.turn.now() != Busy::Idle {
            return None;
        }
        let (done, digest) = oneshot::channel();
        self.jobs.send(Job::Digest(done)).ok()?;
        digest.await.ok()
    }

    /// Stops the current job and waits until the arm holds its position, up to `at_most`. Returns
    /// true if it holds.
    pub fn hold(&self, at_most: Duration) -> bool {
        let end = Instant::now() + at_most;
        while self.shared.turn.now() == Busy::Ordered {
            // An order accepted just before may begin only now.
            let _ = self.stop();
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    fn order(&self, command: Command) -> Result<Ticket, Refusal> {
        if !self.shared.turn.take() {
            let doing = self.status().doing;
            let what = doing.map_or("another order".to_owned(), |doing| doing.text);
            let message = format!("`{what}` is under way; stop it first");
            return Err(Refusal::new(RefusalKind::Busy, message));
        }
        let cancel = CancelToken::new();
        let flow = match &command {
            Command::Run { order } if order.step_by_step => Flow::ToNextStep,
            _ => Flow::Running,
        };
        // From here on a stop has a job to cancel.
        self.shared.pacing.begin(&cancel, flow);
        if let Some(robot) = self.shared.state.hardware() {
            robot.release();
        }
        let (done, outcome) = oneshot::channel();
        let job = Job::Order {
            command,
            cancel,
            done,
        };
        self.jobs.send(job).map_err(|_| Refusal::closed())?;
        Ok(Ticket(outcome))
    }

    fn stop(&self) -> Result<(), Refusal> {
        let robot = self.shared.state.hardware();
        if let Some(robot) = &robot {
            robot.stop();
        }
        if !self.shared.pacing.stop() {
            let stopped = robot.map(|_| ());
            return stopped.ok_or_else(|| nothing_runs("stopped"));
        }
        self.shared.questions.wake();
        self.shared.state.update(|status| {
            if let Some(doing) = &mut status.doing {
                doing.stopping = true;
            }
        });
        Ok(())
    }

    /// Handles the departure of the person in charge: pauses time in simulation, or stops a real
    /// robot, even when nothing is under way.
    pub fn abandon(&self) {
        let order = match self.shared.state.hardware() {
            None => Command::Pause,
            Some(_) => Command::Stop,
        };
        let _ = self.command(order);
    }

    fn flow(&self, flow: Flow) -> Result<(), Refusal> {
        if !self.shared.pacing.set_flow(flow) {
            return Err(nothing_runs("paused or resumed"));
        }
        Ok(())
    }

    fn speed(&self, times: f64) -> Result<(), Refusal> {
        self.simulated("it runs in real time")?;
        let is_unlimited = times.to_bits() == 0;
        if !is_unlimited && !(0.05..=100.0).contains(&times) {
            let message = format!("expected a speed of 0 or from 0.05 to 100, got {times}");
            return Err(Refusal::bad_value(message));
        }
        self.shared.pacing.set_speed(times);
        self.shared.state.update(|status| status.speed = times);
        Ok(())
    }

    fn fault(&self, fault: Fault) -> Result<(), Refusal> {
        let (disturb, _, truth) = self.simulated("no faults can be injected")?;
        let what = describe(&fault);
        let happened = disturb.fault(&fault, &truth);
        match happened.map_err(Refusal::bad_value)? {
            Disturbed::Now => self.disturbed(what),
            Disturbed::NextRun => {
                let mut armed = self.shared.armed.lock();
                armed.push(fault);
                let words: Vec<_> = armed.iter().map(describe).collect();
                self.shared.state.update(|status| status.armed = words);
            }
        }
        Ok(())
    }

    /// Returns the disturbance, the scene and the present true state of a simulation, or a refusal
    /// for a real robot, with `instead` in its message.
    fn simulated(&self, instead: &str) -> Result<Simulated, Refusal> {
        let state = self.shared.state.lock();
        let scenery = state.scenery.clone().ok_or_else(Refusal::closed)?;
        let refused = || Refusal::bad_value(format!("this robot is not simulated: {instead}"));
        let disturb = scenery.disturb.clone().ok_or_else(refused)?;
        let truth = truth_at(&scenery.first, &state.frame);
        Ok((disturb, scenery, truth))
    }

    fn repair(&self) -> Result<(), Refusal> {
        self.simulated("repair it by hand")?.0.repair();
        self.shared.armed.lock().clear();
        self.shared.state.update(|status| status.armed.clear());
        self.disturbed("all faults are repaired".into());
        Ok(())
    }

    fn put(&self, object: &ObjectId, xy: [f64; 2], turn_rad: f64) -> Result<(), Refusal> {
        let (disturb, scenery, truth) = self.simulated("move the object by hand")?;
        let pose = placed(&truth, &scenery.first.objects, object, xy, turn_rad)?;
        disturb.put(object.clone(), pose);
        let [x, y] = xy;
        self.disturbed(format!("{object} was put at x={x:.3} y={y:.3}"));
        Ok(())
    }

    /// Logs a disturbance, and lets the world settle if it is idle.
    fn disturbed(&self, what: String) {
        self.shared.state.log(Entry::Disturbed { what });
        if self.shared.turn.take_to_settle() {
            // A thread that has ended has nothing to settle.
            let _ = self.jobs.send(Job::Settle);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A queued order may begin before the thread sees the end.
        self.hold(Duration::from_secs(10));
        let _ = self.jobs.send(Job::Close);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already reported.
            let _ = thread.join();
        }
        self.shared.state.close();
    }
}

fn nothing_runs(what: &str) -> Refusal {
    let message = format!("no command is running that could be {what}");
    Refusal::new(RefusalKind::NothingRuns, message)
}

fn describe(fault: &Fault) -> String {
    serde_json::to_string(fault).unwrap_or_else(|_| "a fault".into())
}
