//! Orders that a session can be given.

use regrasp_api::{ApprovalMode, ObjectId, SkillCall};
use regrasp_faults::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An order. As JSON, `{"do": "run", "text": "…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Carry out a text, with a planner.
    Run {
        /// The task, and how it is carried out.
        order: RunOrder,
    },
    /// Call one skill.
    Skill {
        /// Its name.
        skill: String,
        /// Its arguments, an object.
        args: Value,
    },
    /// Rehearse calls of skills, one after the other until one fails, in a copy of the world:
    /// nothing moves.
    Check {
        /// The calls.
        calls: Vec<SkillCall>,
    },
    /// Move the tool on a straight line.
    Teleoperate {
        /// By how much, in World, m; at most 0.1 along each axis.
        by_m: [f64; 3],
        /// By how much about World's z axis, rad; at most 0.5.
        #[serde(default)]
        turn_rad: f64,
    },
    /// Open or close the gripper.
    Gripper {
        /// True if it is opened.
        open: bool,
    },
    /// Hold time still.
    Pause,
    /// Let time go on.
    Resume,
    /// Let time go on until the next step of the plan begins.
    Step,
    /// Stop what runs, and hold.
    Stop,
    /// Begin anew in a scene or a task's scene.
    Reset {
        /// The scene or the task.
        scene: String,
        /// Seed of everything random.
        #[serde(default)]
        seed: u64,
    },
    /// Answer what the session asks.
    Answer {
        /// Number of the question.
        id: u64,
        /// True if the step may be made, if that is the question.
        #[serde(default)]
        approve: bool,
        /// Words to say, if words are wanted, or why not.
        text: Option<String>,
    },
    /// Let something go wrong: in the world from now on, elsewhere in the next run.
    Fault {
        /// The fault.
        fault: Fault,
    },
    /// Make everything mechanical whole again, and forget faults of the next run.
    Repair,
    /// Put an object somewhere else, on top of whatever is there.
    Move {
        /// The object.
        object: ObjectId,
        /// New place of its origin, in World, m.
        xy: [f64; 2],
        /// Turn about the vertical on the way, rad.
        #[serde(default)]
        turn_rad: f64,
    },
    /// Set the pace of time: so many times as fast as real time, 0 as fast as the machine can.
    Speed {
        /// 0, or from 0.05 to 100.
        times: f64,
    },
    /// Keep runs that begin from now on with all positions, or no longer.
    Record {
        /// True to keep them.
        on: bool,
    },
}

/// A run that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOrder {
    /// The task.
    pub text: String,
    /// Name of the planner; the first that there is if left out.
    pub planner: Option<String>,
    /// Name of the perception; the first that there is if left out.
    pub perception: Option<String>,
    /// Steps that wait for approval; those that the settings say if left out.
    pub approve: Option<ApprovalMode>,
    /// True if it stops before every step.
    #[serde(default)]
    pub step_by_step: bool,
}

impl Command {
    /// Name and text of a job: an order that moves the robot or makes a new world, so that only one
    /// can be under way.
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
            Self::Gripper { open: true } => ("gripper", "open the gripper".into()),
            Self::Gripper { open: false } => ("gripper", "close the gripper".into()),
            Self::Reset { scene, seed } => ("reset", format!("reset to {scene}, seed {seed}")),
            _ => return None,
        })
    }
}
