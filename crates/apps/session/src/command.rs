//! Orders to a session.

use regrasp_api::{ApprovalMode, ObjectId, SkillCall, Trajectory};
use regrasp_faults::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Order to a session. As JSON, `{"do": "run", "text": "…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Carry out a text with a planner.
    Run {
        /// Task and settings of the run.
        order: RunOrder,
    },
    /// Call one skill.
    Skill {
        /// Name of the skill.
        skill: String,
        /// Arguments, an object.
        args: Value,
    },
    /// Rehearse calls of skills in a copy of the world, one after the other until one fails.
    /// Nothing moves.
    Check {
        /// The calls.
        calls: Vec<SkillCall>,
    },
    /// Move the tool on a straight line.
    Teleoperate {
        /// Displacement in World, m; at most 0.1 along each axis.
        by_m: [f64; 3],
        /// Rotation about World's z axis, rad; at most 0.5.
        #[serde(default)]
        turn_rad: f64,
    },
    /// Open or close the gripper.
    Gripper {
        /// True to open, false to close on the object between the fingers.
        open: bool,
        /// Distance between the fingers to open to, m; default: all the way.
        width_m: Option<f64>,
        /// Force of closing, N; default: that of the gripper.
        force_n: Option<f64>,
    },
    /// Follow a motion that another program has planned and checked; never from a browser.
    #[serde(skip)]
    Follow {
        /// The motion.
        trajectory: Trajectory,
    },
    /// Pause time.
    Pause,
    /// Resume time.
    Resume,
    /// Resume time until the next step of the plan begins.
    Step,
    /// Stop the current job; the arm holds its position.
    Stop,
    /// Start over in a scene or a task's scene.
    Reset {
        /// Name of the scene or the task.
        scene: String,
        /// Seed of everything random.
        #[serde(default)]
        seed: u64,
    },
    /// Answer a question of the session.
    Answer {
        /// Number of the question.
        id: u64,
        /// True to approve, if the question is an approval.
        #[serde(default)]
        approve: bool,
        /// Answer in words, or the reason of a refusal.
        text: Option<String>,
    },
    /// Cause a fault: in the world from now on, elsewhere in the next run.
    Fault {
        /// The fault.
        fault: Fault,
    },
    /// End all mechanical faults, and cancel the faults of the next run.
    Repair,
    /// Move an object onto whatever is at the new place.
    Move {
        /// The object.
        object: ObjectId,
        /// New position of the object's origin, in World, m.
        xy: [f64; 2],
        /// Rotation about the vertical, rad.
        #[serde(default)]
        turn_rad: f64,
    },
    /// Set the speed of time relative to real time; 0 is as fast as the machine can.
    Speed {
        /// Factor: 0, or from 0.05 to 100.
        times: f64,
    },
    /// Switch recording of positions on or off, for runs that begin from now on.
    Record {
        /// True to record.
        on: bool,
    },
}

/// Order of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOrder {
    /// The task.
    pub text: String,
    /// Name of the planner; default: the first in the catalogue.
    pub planner: Option<String>,
    /// Name of the perception; default: the first in the catalogue.
    pub perception: Option<String>,
    /// Steps that wait for approval; default: those in the settings.
    pub approve: Option<ApprovalMode>,
    /// True to pause before every step.
    #[serde(default)]
    pub step_by_step: bool,
}

impl Command {
    /// Returns name and text if the order is a job. Jobs move the robot or make a new world, so
    /// only one can run at a time.
    pub fn job(&self) -> Option<(&'static str, String)> {
        Some(match self {
            Self::Run { order } => ("run", order.text.clone()),
            Self::Skill { skill, args } => {
                ("skill", SkillCall::new(skill, args.clone()).to_string())
            }
            Self::Check { calls } => ("check", format!("rehearse {} calls", calls.len())),
            Self::Teleoperate {
                by_m: [x, y, z], ..
            } => (
                "teleoperate",
                format!("move the tool by x={x:.3} y={y:.3} z={z:.3}"),
            ),
            Self::Gripper { open: true, .. } => ("gripper", "open the gripper".into()),
            Self::Gripper { open: false, .. } => ("gripper", "close the gripper".into()),
            Self::Follow { trajectory } => {
                let secs = trajectory.duration_secs();
                ("follow", format!("follow a motion of {secs:.2} s"))
            }
            Self::Reset { scene, seed } => ("reset", format!("reset to {scene}, seed {seed}")),
            _ => return None,
        })
    }
}
