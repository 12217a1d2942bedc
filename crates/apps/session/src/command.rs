//! What a session can be told to do.

use regrasp_api::{ObjectId, SkillCall};
use regrasp_faults::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An order. As JSON, `{"do": "run", "text": "…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Carry out a text, with a planner.
    Run {
        /// What, how, and with which planner.
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
        /// Which question.
        id: u64,
        /// True if the step may be made, if that is the question.
        #[serde(default)]
        approve: bool,
        /// What to say, if words are wanted, or why not.
        text: Option<String>,
    },
    /// Let something go wrong: in the world from now on, elsewhere in the next run.
    Fault {
        /// What.
        fault: Fault,
    },
    /// Make everything mechanical whole again, and forget faults of the next run.
    Repair,
    /// Put an object somewhere else, on top of whatever is there.
    Move {
        /// Which.
        object: ObjectId,
        /// Where its origin goes, in World, m.
        xy: [f64; 2],
        /// How it is turned about the vertical on the way, rad.
        #[serde(default)]
        turn_rad: f64,
    },
    /// How fast time passes: so many times as fast as real time, 0 as fast as the machine can.
    Speed {
        /// 0, or from 0.05 to 100.
        times: f64,
    },
    /// Whether runs that begin from now on are kept with all positions.
    Record {
        /// Whether.
        on: bool,
    },
}

/// A run that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOrder {
    /// What to do.
    pub text: String,
    /// Which planner; the first that there is if left out.
    pub planner: Option<String>,
    /// Which perception; the first that there is if left out.
    pub perception: Option<String>,
    /// Which steps wait for approval; what the settings say if left out.
    pub approve: Option<ApproveMode>,
    /// True if it stops before every step.
    #[serde(default)]
    pub step_by_step: bool,
}

/// Which steps wait for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApproveMode {
    /// Every step.
    Always,
    /// Those that the robot file or the settings call critical.
    Critical,
    /// None.
    Never,
}

impl From<ApproveMode> for regrasp_api::ApprovalMode {
    fn from(mode: ApproveMode) -> Self {
        match mode {
            ApproveMode::Always => Self::Always,
            ApproveMode::Critical => Self::Critical,
            ApproveMode::Never => Self::Never,
        }
    }
}

impl Command {
    /// Returns true if it moves the robot or makes a new world, so that only one can be under way.
    pub fn is_job(&self) -> bool {
        matches!(
            self,
            Self::Run { .. }
                | Self::Skill { .. }
                | Self::Check { .. }
                | Self::Teleoperate { .. }
                | Self::Gripper { .. }
                | Self::Reset { .. }
        )
    }
}
