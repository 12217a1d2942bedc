//! Faults as data: what can be made to go wrong in an episode, on purpose.
//!
//! This is the vocabulary alone; files and command lines are read by `regrasp-scene`.

use serde::{Deserialize, Serialize};

use regrasp_api::{ObjectId, Reason};

/// Something that goes wrong in an episode. Times are simulated seconds after the episode
/// began; what is random about a fault comes from the episode's seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// The pads lose their grip right after they next closed on something.
    SlipAtLift {
        /// Friction that is left, 0 to 1.
        #[serde(default)]
        factor: f64,
        /// Time after the fingers closed, s.
        #[serde(default = "default_delay")]
        delay_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The pads lose their grip while the object is carried: some time after it rose by
    /// 8 cm.
    SlipInTransport {
        /// The carried object.
        object: ObjectId,
        /// Friction that is left, 0 to 1.
        #[serde(default)]
        factor: f64,
        /// Time after it rose, s.
        #[serde(default = "default_delay")]
        delay_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The object is shifted a little, in a direction that the seed decides.
    Nudged {
        /// Its id.
        object: ObjectId,
        /// Distance, m.
        #[serde(default = "default_nudge")]
        distance_m: f64,
        /// Time, s; as the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// The object is somewhere else.
    Moved {
        /// Its id.
        object: ObjectId,
        /// By how much, in World, m.
        by_m: [f64; 2],
        /// Time, s; as the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// The object is gone for good.
    Removed {
        /// Its id.
        object: ObjectId,
        /// Time, s; as the fingers close if left out.
        at_secs: Option<f64>,
    },
    /// An object of the scene is not there at first, and then it is.
    ObstacleAppears {
        /// Its id.
        object: ObjectId,
        /// Its place in World, at the height that the scene gives it, m.
        xy: [f64; 2],
        /// Time, s.
        at_secs: f64,
    },
    /// The object is not seen for a while.
    SightMisses {
        /// Its id.
        object: ObjectId,
        /// Time at which it begins, s.
        #[serde(default)]
        from_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// Two objects are taken for each other for a while.
    SightMislabels {
        /// One.
        object: ObjectId,
        /// The other.
        other: ObjectId,
        /// Time at which it begins, s.
        #[serde(default)]
        from_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The object is seen beside where it is for a while.
    SightIsOff {
        /// Its id.
        object: ObjectId,
        /// By how much, in World, m.
        offset_m: [f64; 3],
        /// Time at which it begins, s.
        #[serde(default)]
        from_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The fingers freeze as they are next told to close.
    GripperStuck {
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The gripper presses with a fraction of the force that it is told.
    GripperWeak {
        /// The fraction, 0 to 1.
        factor: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// A joint of the arm does not get any faster than this.
    JointSlow {
        /// Its name in the URDF.
        joint: String,
        /// Its greatest speed, rad/s.
        max_speed: f64,
        /// Time, s.
        #[serde(default)]
        at_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// A joint of the arm freezes.
    JointBlocked {
        /// Its name in the URDF.
        joint: String,
        /// Time, s.
        #[serde(default)]
        at_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// What slides on a joint, such as a drawer, is stuck where it is.
    DrawerJams {
        /// The sliding object.
        object: ObjectId,
        /// Time, s.
        #[serde(default)]
        at_secs: f64,
        /// Time for which it lasts, s; for good if left out.
        for_secs: Option<f64>,
    },
    /// The physics of an object break.
    Diverges {
        /// Its id.
        object: ObjectId,
        /// Time, s.
        #[serde(default)]
        at_secs: f64,
    },
    /// Skills fail now and then.
    SkillFails {
        /// Its name; any if left out.
        skill: Option<String>,
        /// Probability, 0 to 1.
        probability: f64,
        /// Set if its work is done when it fails: the skill only says that it failed.
        #[serde(default)]
        after_work: bool,
        /// Its reason.
        #[serde(default = "default_reason")]
        reason: Reason,
    },
    /// Something is wrong with the planner's answers.
    Planner {
        /// The trouble.
        trouble: PlannerTrouble,
        /// Number of answers that are spoilt; all if left out.
        first: Option<usize>,
    },
    /// The store of the run does not take any more.
    Store {
        /// The trouble.
        trouble: StoreTrouble,
        /// Checkpoints that it still takes.
        #[serde(default)]
        after_saves: usize,
    },
}

/// Troubles with a planner's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerTrouble {
    /// A call of a skill that there is not, with arguments that make no sense.
    Garbage,
    /// Neither steps nor a word about being done.
    Nothing,
    /// Its first answer again.
    Same,
    /// Far more steps than an episode may have.
    TooMuch,
    /// No answer for as long as anybody waits.
    TooLate,
    /// The model cannot be reached.
    Error,
    /// The claim that all is done, without a step.
    Done,
}

/// Troubles of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreTrouble {
    /// There is no space left.
    Full,
    /// Somebody else holds the lock.
    Locked,
}

fn default_delay() -> f64 {
    0.1
}

fn default_nudge() -> f64 {
    0.06
}

fn default_reason() -> Reason {
    Reason::VerificationFailed
}
