//! A robot in a scene, behind `regrasp.Robot`.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;
use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{CancelToken, Event, Failure, NullSink, Planner, SkillCall, ToolTarget};
use regrasp::ground_truth::{Evidence, GroundTruth, GroundTruthSource};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::render::{Detail, SoftwareRenderer};
use regrasp::robot::{Robot, SkillSet};
use regrasp::scene::{Scene, TaskInstance, find_task};
use regrasp::sim::SimOptions;
use regrasp::skills::standard;
use regrasp::{LoadedRobot, PlannerKind, SceneView, SightOptions};
use serde_json::{Value, json};

use crate::errors::{broken, failed, setup};
use crate::events::{Events, collected};
use crate::interrupt::interruptible;
use crate::lend::Lent;
use crate::motion::{Wanted, given_quat, plan};
use crate::planner::PythonPlanner;
use crate::scenes;
use crate::skill::PythonSkill;

/// A robot in a simulated scene, or lent to a skill for as long as that runs.
#[pyclass(module = "regrasp._regrasp", frozen)]
pub(crate) struct RawRobot(Seat);

enum Seat {
    Own(Box<Mutex<Owned>>),
    Lent(Lent),
}

/// Robot that the Python object owns, with its scene.
struct Owned {
    loaded: Arc<LoadedRobot>,
    scene: Scene,
    task: Option<TaskInstance>,
    seed: u64,
    /// `None` only while an agent has the robot, or after that agent panicked.
    robot: Option<Robot>,
    truth: Arc<dyn GroundTruthSource>,
    first: GroundTruth,
    own_skills: Vec<PythonSkill>,
}

const LOST: &str = "use the robot: it was lost when a run panicked; create a new `Robot`";

/// Locks the robot, or fails if it is in use. Waiting would deadlock inside a skill that the robot
/// runs.
fn free(mutex: &Mutex<Owned>) -> PyResult<MutexGuard<'_, Owned>> {
    let busy = "use the robot: it is busy; inside a skill, use the robot that the skill was given";
    mutex.try_lock().ok_or_else(|| broken(busy))
}

impl Owned {
    fn robot(&mut self) -> PyResult<&mut Robot> {
        self.robot.as_mut().ok_or_else(|| broken(LOST))
    }
}

impl RawRobot {
    /// Wraps a robot that is lent to a skill.
    pub(crate) fn lent(lent: Lent) -> Self {
        Self(Seat::Lent(lent))
    }

    /// Runs `what` with the robot, for work that takes no simulated time.
    fn quick<T: Send + 'static>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> PyResult<T> {
        py.detach(|| match &self.0 {
            Seat::Own(owned) => free(owned)?.robot().map(what),
            Seat::Lent(lent) => lent
                .with(what)
                .map_err(|_| broken("use the robot: the skill that it was given to has ended")),
        })
    }

    /// Runs fallible work with the robot that takes no simulated time.
    fn try_quick<T: Send + 'static>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Robot) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        self.quick(py, what)?.map_err(failed)
    }

    /// Runs `what` with the robot, interruptible by Ctrl-C.
    fn long<T: Send + 'static>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Robot) -> T + Send + 'static,
    ) -> PyResult<T> {
        let Seat::Own(owned) = &self.0 else {
            // The thread that waits for the skill listens for signals.
            return self.quick(py, what);
        };
        let cancel = CancelToken::new();
        interruptible(py, &cancel, || {
            let mut owned = free(owned)?;
            let robot = owned.robot()?;
            robot.cancel = cancel.clone();
            Ok(what(robot))
        })?
    }

    /// Runs fallible work with the robot, interruptible by Ctrl-C.
    fn try_long<T: Send + 'static>(
        &self,
        py: Python<'_>,
        what: impl FnOnce(&mut Robot) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<T> {
        self.long(py, what)?.map_err(failed)
    }

    fn owned(&self) -> PyResult<&Mutex<Owned>> {
        match &self.0 {
            Seat::Own(owned) => Ok(owned),
            Seat::Lent(_) => Err(broken(
                "use this method: a skill's robot lacks it; call it on the `Robot` you created",
            )),
        }
    }
}

/// Colours, depth, and the camera as JSON.
type Rendered<'py> = (Bound<'py, PyArray3<u8>>, Bound<'py, PyArray2<f32>>, String);

/// Times, positions, velocities and accelerations.
type Planned<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
);

fn text(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(broken)
}

#[pymethods]
impl RawRobot {
    /// Puts a robot into a scene, or into an instance of a task.
    #[new]
    #[pyo3(signature = (scene, task, seed, perception, robot_file))]
    fn new(
        py: Python<'_>,
        scene: &str,
        task: Option<&str>,
        seed: u64,
        perception: &str,
        robot_file: Option<&str>,
    ) -> PyResult<Self> {
        let owned = py.detach(|| -> PyResult<Owned> {
            let loaded = scenes::loaded(robot_file).map_err(setup)?;
            let task = task.map(|name| find_task(name, loaded.file())?.instantiate(seed));
            let task = task.transpose().map_err(setup)?;
            let scene = match &task {
                Some(task) => task.scene.clone(),
                None => scenes::scene(&loaded, scene).map_err(setup)?,
            };
            let noise = NoiseOptions::seeded(seed);
            let cell = loaded.cell(&scene, SimOptions::default(), noise);
            let mut cell = cell.map_err(setup)?;
            let sim = cell.sim().map_err(setup)?;
            let truth = Arc::clone(&sim.truth);
            if let Some(unrest) = &sim.unrest {
                return Err(setup(format_args!("begin in the scene: {unrest}")));
            }
            match perception {
                "ground_truth" => {}
                "rgbd" => {
                    let options = SightOptions::default();
                    let eyes = loaded.rgbd(&scene, Arc::clone(&truth), &options, seed);
                    cell.robot.perception = Box::new(eyes.map_err(setup)?);
                }
                other => {
                    return Err(setup(format_args!(
                        "choose the perception `{other}` (known: ground_truth, rgbd)"
                    )));
                }
            }
            Ok(Owned {
                first: truth.truth(),
                loaded,
                scene,
                task,
                seed,
                robot: Some(cell.robot),
                truth,
                own_skills: vec![],
            })
        })?;
        Ok(Self(Seat::Own(Box::new(Mutex::new(owned)))))
    }

    /// Readings of the robot's own sensors, with the tool's pose; JSON.
    fn observe(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.try_quick(py, |robot| {
            let mut state = json!(robot.observe()?);
            state["world_from_tool"] = json!(robot.world_from_tool()?);
            state["held"] = json!(robot.held.as_ref().map(|held| &held.id));
            Ok(state)
        })?;
        text(&state)
    }

    /// The percept: the perceived objects; JSON.
    fn perceive(&self, py: Python<'_>) -> PyResult<String> {
        text(&self.try_long(py, Robot::perceive)?)
    }

    /// The one object that a phrase names; JSON.
    fn find(&self, py: Python<'_>, phrase: String) -> PyResult<String> {
        let found = self.try_long(py, move |robot| {
            let percept = robot.perceive()?;
            robot.find(&percept, &phrase).cloned()
        })?;
        text(&found)
    }

    /// Simulated time, s.
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.quick(py, |robot| robot.time_secs())
    }

    /// A hash over the exact bits of the world's state.
    fn digest(&self, py: Python<'_>) -> PyResult<String> {
        self.quick(py, Robot::digest_text)
    }

    /// Facts about the robot; JSON.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        text(&self.quick(py, |robot| json!(robot.info))?)
    }

    /// Calls a skill; `args` are JSON. Returns its result and the events, both JSON.
    fn call(&self, py: Python<'_>, skill: String, args: &str) -> PyResult<(String, String)> {
        let args: Value = serde_json::from_str(args).map_err(setup)?;
        let skills = self.skill_set(py)?;
        let events = Events::default();
        let recorder = events.clone();
        let result = self.long(py, move |robot| {
            collected(recorder, robot, |robot| {
                skills.call(robot, &SkillCall { skill, args })
            })
        })?;
        Ok((text(&result)?, text(&*events.lock().map_err(broken)?)?))
    }

    /// The skills with their descriptions and schemas; JSON.
    fn skills(&self, py: Python<'_>) -> PyResult<String> {
        text(&self.skill_set(py)?.specs())
    }

    /// Adds a skill that is written in Python; one of the same name is replaced.
    fn add_skill(&self, py: Python<'_>, skill: Py<PyAny>) -> PyResult<()> {
        let skill = PythonSkill::new(py, skill)?;
        let own = &mut free(self.owned()?)?.own_skills;
        own.retain(|known| known.spec.name != skill.spec.name);
        own.push(skill);
        Ok(())
    }

    /// Lets an agent carry out a command. Returns its result and the events, both JSON.
    #[pyo3(signature = (command, planner, max_replans, max_wall_secs))]
    fn run(
        &self,
        py: Python<'_>,
        command: &str,
        planner: Py<PyAny>,
        max_replans: usize,
        max_wall_secs: Option<f64>,
    ) -> PyResult<(String, String)> {
        let planner = planner_of(py, planner)?;
        let skills = self.skill_set(py)?;
        let events = Events::default();
        let cancel = CancelToken::new();
        let owned = self.owned()?;
        let result = interruptible(py, &cancel, || {
            let mut owned = free(owned)?;
            let mut options = AgentOptions {
                seed: owned.seed,
                approval: Some(owned.loaded.file().approval.clone()),
                viewpoint: owned.scene.viewpoint,
                ..AgentOptions::default()
            };
            options.budgets.max_replans = max_replans;
            options.budgets.max_wall_secs = max_wall_secs;
            let mut robot = owned.robot.take().ok_or_else(|| broken(LOST))?;
            robot.cancel = cancel.clone();
            robot.set_sink(Box::new(events.clone()));
            let mut agent = Agent::new(robot, skills, planner, options);
            let result = agent.run(command);
            let mut robot = agent.into_robot();
            robot.set_sink(Box::new(NullSink));
            owned.robot = Some(robot);
            Ok::<_, PyErr>(result)
        })??;
        Ok((text(&result)?, text(&*events.lock().map_err(broken)?)?))
    }

    /// Judgement of the present world by the task's judge; JSON, or nothing without a task.
    fn judge(&self) -> PyResult<Option<String>> {
        let owned = free(self.owned()?)?;
        let Some(task) = &owned.task else {
            return Ok(None);
        };
        let last = owned.truth.truth();
        let seen = Evidence {
            first: &owned.first,
            last: &last,
            after: None,
        };
        let judgement = json!({
            "condition": task.success.to_string(),
            "unmet": task.success.unmet_in(&seen),
        });
        text(&judgement).map(Some)
    }

    /// Command of the task, if the robot is in one.
    fn prompt(&self) -> PyResult<Option<String>> {
        let owned = free(self.owned()?)?;
        Ok(owned.task.as_ref().map(|task| task.prompt.clone()))
    }

    /// A picture: colours (rows x columns x 3), depth (rows x columns, m), and the camera (JSON).
    fn render<'py>(
        &self,
        py: Python<'py>,
        camera: &str,
        size: Option<[u32; 2]>,
        fine: bool,
    ) -> PyResult<Rendered<'py>> {
        let owned = self.owned()?;
        let picture = py.detach(|| {
            let owned = free(owned)?;
            let view = SceneView::new(&owned.loaded, &owned.scene).map_err(setup)?;
            let truth = owned.truth.truth();
            let seen = view.view(camera, &truth.joint_positions, truth.gripper_width_m);
            let mut seen = seen.map_err(setup)?;
            if let Some([width, height]) = size {
                if !(1..=8192).contains(&width) || !(1..=8192).contains(&height) {
                    return Err(setup(format_args!(
                        "render {width} x {height} pixels: expected 1 to 8192 each"
                    )));
                }
                seen.intrinsics = seen.intrinsics.resized(width, height);
            }
            let detail = if fine {
                Detail::Fine
            } else {
                Detail::default()
            };
            let mut renderer = SoftwareRenderer::new(detail);
            let mut pictures = renderer.render(&view.stage(&truth), &[seen]);
            pictures.pop().ok_or_else(|| setup("render: no picture"))
        })?;
        let view = text(&picture.view)?;
        let rows = picture.view.intrinsics.height as usize;
        let columns = picture.view.intrinsics.width as usize;
        let rgb = PyArray1::from_vec(py, picture.rgb).reshape([rows, columns, 3])?;
        let depth = PyArray1::from_vec(py, picture.depth_m).reshape([rows, columns])?;
        Ok((rgb, depth, view))
    }

    /// Joint positions that bring the tool to a pose in World, searched from `near` or the present
    /// ones.
    fn ik<'py>(
        &self,
        py: Python<'py>,
        position: [f64; 3],
        quat_xyzw: Option<[f64; 4]>,
        near: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let target = match quat_xyzw {
            None => ToolTarget::Position(position),
            Some(quat) => {
                let pose = given_quat(position, quat).map_err(setup)?;
                ToolTarget::Pose(pose)
            }
        };
        let joints = self.try_quick(py, move |robot| {
            let now = robot.observe()?;
            let near = near.filter(|q| q.len() == now.joint_positions.len());
            let near = near.unwrap_or(now.joint_positions);
            Ok(robot.motion.inverse(&now.world_from_base, &target, &near)?)
        })?;
        Ok(PyArray1::from_vec(py, joints))
    }

    /// Pose of the tool in World for joint positions; JSON.
    fn fk(&self, py: Python<'_>, joints: Vec<f64>) -> PyResult<String> {
        let pose = self.try_quick(py, move |robot| {
            let now = robot.observe()?;
            let n = now.joint_positions.len();
            if joints.len() != n || joints.iter().any(|q| !q.is_finite()) {
                let text = format!("expected {n} finite joint positions, got {joints:?}");
                return Err(Failure::new(regrasp::api::Reason::BadArguments, text));
            }
            Ok(json!(
                now.world_from_base * robot.motion.base_from_tool(&joints)
            ))
        })?;
        text(&pose)
    }

    /// Plans a motion around all perceived objects; `goal` is JSON. Returns times (n), positions,
    /// velocities and accelerations (n x joints).
    fn plan<'py>(&self, py: Python<'py>, goal: &str, speed: f64) -> PyResult<Planned<'py>> {
        let wanted: Wanted = serde_json::from_str(goal).map_err(setup)?;
        let trajectory = self.try_long(py, move |robot| plan(robot, wanted, speed))?;
        let knots = trajectory.knots();
        let rows = |of: fn(&regrasp::api::Knot) -> &Vec<f64>| -> Vec<Vec<f64>> {
            knots.iter().map(|knot| of(knot).clone()).collect()
        };
        let times = knots.iter().map(|knot| knot.time_secs).collect();
        Ok((
            PyArray1::from_vec(py, times),
            PyArray2::from_vec2(py, &rows(|knot| &knot.position))?,
            PyArray2::from_vec2(py, &rows(|knot| &knot.velocity))?,
            PyArray2::from_vec2(py, &rows(|knot| &knot.acceleration))?,
        ))
    }

    /// Plans a motion and executes it under the robot's monitors; `goal` is JSON. Returns the
    /// report as JSON.
    fn go(&self, py: Python<'_>, goal: &str, speed: f64) -> PyResult<String> {
        let wanted: Wanted = serde_json::from_str(goal).map_err(setup)?;
        let report = self.try_long(py, move |robot| {
            let trajectory = plan(robot, wanted, speed)?;
            robot.follow(&trajectory)
        })?;
        text(&report)
    }

    /// Commands the gripper to a width, m, or to press with a force, N, and waits. Returns the
    /// report as JSON.
    fn grip(&self, py: Python<'_>, width_m: Option<f64>, force_n: Option<f64>) -> PyResult<String> {
        let report = self.try_long(py, move |robot| {
            let command = crate::motion::gripper_command(&robot.info.gripper, width_m, force_n)?;
            robot.grip(command)
        })?;
        text(&report)
    }

    /// Holds the arm still for a simulated time, s.
    fn wait(&self, py: Python<'_>, secs: f64) -> PyResult<()> {
        if !(secs.is_finite() && (0.0..=3600.0).contains(&secs)) {
            return Err(setup(format!("wait {secs} s: expected 0 to 3600")));
        }
        self.try_long(py, move |robot| robot.wait(secs).map(drop))
    }

    /// Waits until nothing moves, or the time is over. Returns the ids of objects that still move.
    fn settle(&self, py: Python<'_>, max_secs: f64) -> PyResult<Vec<String>> {
        self.try_long(py, move |robot| {
            let settled = robot.settle(max_secs)?;
            let ids = settled.moving.iter().map(|moving| moving.id.to_string());
            Ok(ids.collect())
        })
    }

    /// Reports that a phase of a skill begins.
    fn begin(&self, py: Python<'_>, phase: String) -> PyResult<()> {
        self.quick(py, move |robot| {
            robot.emit(Event::PhaseStarted { name: phase })
        })
    }
}

impl RawRobot {
    /// The standard skills and those written in Python.
    fn skill_set(&self, py: Python<'_>) -> PyResult<SkillSet> {
        let Seat::Own(owned) = &self.0 else {
            return Ok(standard());
        };
        let owned = free(owned).map_err(broken)?;
        let own = owned.own_skills.iter();
        Ok(own.fold(standard(), |set, skill| set.with(skill.clone_ref(py))))
    }
}

/// Planner by name, or one written in Python.
fn planner_of(py: Python<'_>, planner: Py<PyAny>) -> PyResult<Box<dyn Planner>> {
    match planner.extract::<String>(py).as_deref() {
        Ok("feedback") => Ok(PlannerKind::Feedback.build()),
        Ok("stub") => Ok(PlannerKind::Stub.build()),
        Ok(other) => {
            let why = format!(
                "choose the planner `{other}` (known: feedback, stub, or an object with \
                 `plan(request)`)"
            );
            Err(setup(why))
        }
        Err(_) => Ok(Box::new(PythonPlanner::new(py, planner)?)),
    }
}
