//! File of `regrasp plan --paths`, with everything that another tool needs to check the paths.
//!
//! One JSON object; lengths in metres, angles in radians, times in seconds, and lists over joints
//! in the order of `joint_names`:
//!
//! | field | what |
//! |---|---|
//! | `schema` | `regrasp_paths/1`; a change that breaks programs that read it increases the number |
//! | `robot` | name of the robot file |
//! | `frame` | link in whose frame the obstacles of the problem file stand: the arm's base |
//! | `joint_names` | joints of the arm, base to tip |
//! | `finger_joint_names`, `finger_joint_position` | finger joints, and the constant position of each |
//! | `problems` | name of the problem file; an entry below refers to the problem with the same `family` and `index` in it, and to all obstacles of that problem |
//! | `cylinders` | `capsule`: paths also keep out of the half spheres beyond the ends of cylinders |
//! | `n_tried` | number of problems: `paths` and `failures` together |
//! | `paths[]` | solved problems |
//! | `failures[]` | problems without a path |
//!
//! A path has `family`, `index`, `valid` (as in the problem file), `start`, `goal` (the goal of the
//! problem at which it ends) and `goal_idx`, and then
//!
//! | field | what |
//! |---|---|
//! | `raw`, `raw_cost` | waypoints as found, and their length; checked only 32 times per radian |
//! | `simplified`, `cost` | waypoints of the final path, which is the straight lines in joint space between them; `cost` is its length (2-norm over joints) |
//! | `trajectory` | the final path in time: `time_secs`, `position` and `velocity`, one row per instant; instants are at most 5 ms apart, so that linear interpolation is off by at most 1e-4 rad |
//! | `trajectory.along` | `curve`: it cuts corners of the path smoothly; `edges`: it follows the path, and stops at each waypoint |
//! | `touches` | first contact of the final path by Regrasp's own fine check, if there is any: `link`, `other`, `at_rad` along the path |
//!
//! A failure has `family`, `index`, `valid`, `reason` (a slug), `detail` (a sentence), `objects`
//! (those named in it), and if the search gave up, `ran_out`: `samples` or `time`, with its limit
//! `max_samples` or `max_secs`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use regrasp::LoadedRobot;
use regrasp::api::{CollisionPair, Pose, Trajectory};
use regrasp::motion::search::{
    RanOut, SearchFailure, TimedAlong, TimedPath, Waypoints, path_length,
};
use serde::Serialize;

use crate::plan_file::{Problem, ProblemFile};
use crate::{CliError, Result};

const SCHEMA: &str = "regrasp_paths/1";
/// Interval of a trajectory's rows, s.
const STEP_SECS: f64 = 0.005;

pub(super) struct PathsFile {
    path: PathBuf,
    to: BufWriter<File>,
    content: Content,
}

#[derive(Serialize)]
struct Content {
    schema: &'static str,
    robot: String,
    frame: String,
    joint_names: Vec<String>,
    finger_joint_names: Vec<String>,
    finger_joint_position: f64,
    problems: String,
    cylinders: &'static str,
    n_tried: usize,
    paths: Vec<PathEntry>,
    failures: Vec<Unsolved>,
}

#[derive(Serialize)]
struct PathEntry {
    family: String,
    index: u64,
    valid: bool,
    start: Vec<f64>,
    goal: Vec<f64>,
    goal_idx: Option<usize>,
    raw_cost: f64,
    cost: f64,
    raw: Waypoints,
    simplified: Waypoints,
    trajectory: Instants,
    touches: Option<Touch>,
}

#[derive(Serialize)]
struct Instants {
    along: &'static str,
    time_secs: Vec<f64>,
    position: Waypoints,
    velocity: Waypoints,
}

#[derive(Serialize)]
struct Touch {
    link: String,
    other: String,
    at_rad: f64,
}

#[derive(Clone, Serialize)]
pub(super) struct Unsolved {
    family: String,
    index: u64,
    valid: bool,
    reason: &'static str,
    detail: String,
    objects: Vec<String>,
    ran_out: Option<&'static str>,
    max_samples: Option<usize>,
    max_secs: Option<f64>,
}

impl PathsFile {
    /// Creates the file for the paths that `loaded` plans for `problems`.
    pub(super) fn create(
        path: &Path,
        loaded: &LoadedRobot,
        problems: &Path,
        file: &ProblemFile,
    ) -> Result<Self> {
        let robot = loaded.file();
        let name = problems.file_name().unwrap_or(problems.as_os_str());
        let to = File::create(path).map_err(CliError::writing(&path))?;
        Ok(Self {
            path: path.into(),
            to: BufWriter::new(to),
            content: Content {
                schema: SCHEMA,
                robot: robot.name.clone(),
                frame: robot.base_link.clone(),
                joint_names: loaded.info(&Pose::identity()).joint_names,
                finger_joint_names: robot.gripper.finger_joints.clone(),
                finger_joint_position: file.finger_m,
                problems: name.to_string_lossy().into_owned(),
                cylinders: "capsule",
                n_tried: 0,
                paths: vec![],
                failures: vec![],
            },
        })
    }

    /// Adds a path as found and simplified. `touches` is the first contact on the final path, and
    /// its position in rad along the path.
    pub(super) fn add(
        &mut self,
        problem: &Problem,
        [raw, path]: [Waypoints; 2],
        touches: Option<(f64, CollisionPair)>,
        timed: &TimedPath,
    ) {
        let goal = path.last().cloned().unwrap_or_default();
        self.content.n_tried += 1;
        self.content.paths.push(PathEntry {
            family: problem.family.clone(),
            index: problem.index,
            valid: problem.valid,
            start: problem.start.clone(),
            goal_idx: problem.goals.iter().position(|g| *g == goal),
            goal,
            raw_cost: path_length(&raw),
            cost: path_length(&path),
            raw,
            simplified: path,
            trajectory: Instants::of(timed),
            touches: touches.map(|(at_rad, pair)| Touch {
                link: pair.link,
                other: pair.other,
                at_rad,
            }),
        });
    }

    pub(super) fn add_failure(&mut self, unsolved: Unsolved) {
        self.content.n_tried += 1;
        self.content.failures.push(unsolved);
    }

    pub(super) fn finish(mut self) -> Result<()> {
        let written = serde_json::to_writer(&mut self.to, &self.content)
            .map_err(Into::into)
            .and_then(|()| self.to.flush());
        written.map_err(CliError::writing(&self.path))
    }
}

impl Unsolved {
    pub(super) fn new(problem: &Problem, failure: &SearchFailure) -> Self {
        let (ran_out, max_samples, max_secs) = match failure.ran_out() {
            Some(RanOut::Samples(n)) => (Some("samples"), Some(n), None),
            Some(RanOut::Time(time)) => (Some("time"), None, Some(time.as_secs_f64())),
            None => (None, None, None),
        };
        Self {
            family: problem.family.clone(),
            index: problem.index,
            valid: problem.valid,
            reason: failure.reason(),
            detail: failure.to_string(),
            objects: failure.objects().into_iter().map(Into::into).collect(),
            ran_out,
            max_samples,
            max_secs,
        }
    }
}

impl Instants {
    fn of(timed: &TimedPath) -> Self {
        let trajectory: &Trajectory = &timed.trajectory;
        let end = trajectory.duration_secs();
        let n = (end / STEP_SECS).ceil().max(1.0) as usize;
        let mut instants = Self {
            along: match timed.along {
                TimedAlong::Curve => "curve",
                TimedAlong::Edges => "edges",
            },
            time_secs: (0..=n).map(|i| end * i as f64 / n as f64).collect(),
            position: vec![],
            velocity: vec![],
        };
        for time_secs in &instants.time_secs {
            let mut position = vec![0.0; trajectory.n_joints()];
            let mut velocity = position.clone();
            trajectory.sample(*time_secs, &mut position, &mut velocity);
            instants.position.push(rounded(position));
            instants.velocity.push(rounded(velocity));
        }
        instants.time_secs = rounded(instants.time_secs);
        instants
    }
}

fn rounded(numbers: Vec<f64>) -> Vec<f64> {
    let round = |x: f64| (x * 1e7).round() / 1e7 + 0.0;
    numbers.into_iter().map(round).collect()
}
