//! Scripted disturbances: how tests and fault injection make things go wrong.

use regrasp_api::{GripperCommand, ObjectId, Pose};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Something that goes wrong. What is "random" about one comes from its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// The object is suddenly there, at rest. One that was removed comes back: that is
    /// how an obstacle appears (put it in the scene, remove it, move it where it should
    /// appear). Whatever it then overlaps, the physics pushes apart.
    MoveObject {
        /// Which.
        object: ObjectId,
        /// Where it is put.
        world_from_object: Pose,
    },
    /// The object is shifted along the ground, in a direction that the seed decides, and
    /// turned about its vertical, either way.
    NudgeObject {
        /// Which.
        object: ObjectId,
        /// How far, m.
        distance_m: f64,
        /// By how much, rad.
        turn_rad: f64,
        /// Decides the direction and the sense of the turn.
        seed: u64,
    },
    /// The object is gone, until it is moved somewhere.
    RemoveObject {
        /// Which.
        object: ObjectId,
    },
    /// A force acts on the object's centre of mass for a while.
    PushObject {
        /// Which.
        object: ObjectId,
        /// The force in World, N.
        force_in_world: [f64; 3],
        /// How long, s.
        duration_secs: f64,
    },
    /// A force acts on the centre of mass of a link of the arm (and of all that is fixed
    /// to it) for a while, like a hand that pushes or holds. The robot feels it as it
    /// would feel a contact there.
    PushLink {
        /// The link's name in the URDF; a link that moves.
        link: String,
        /// The force in World, N.
        force_in_world: [f64; 3],
        /// How long, s.
        duration_secs: f64,
    },
    /// The pads lose grip, as if oiled: friction between them and anything is this
    /// fraction of the robot file's pad friction, whatever the object's own.
    SlipperyPads {
        /// 0 to 1; 1 gives the pads back as they were.
        factor: f64,
    },
    /// The gripper presses with this fraction of the commanded force.
    WeakGripper {
        /// 0 to 1; 1 makes it whole again.
        factor: f64,
    },
    /// The fingers freeze where they are and ignore all commands.
    StuckGripper,
    /// A joint of the arm freezes where it is, whatever its servo wants.
    BlockJoint {
        /// Its name in the URDF.
        joint: String,
    },
    /// A joint of the arm follows its command, but never faster than this.
    SlowJoint {
        /// Its name in the URDF.
        joint: String,
        /// Its greatest speed, rad/s or m/s.
        max_speed: f64,
    },
    /// A joint between objects (a drawer's, a door's) freezes where it is.
    JamJoint {
        /// Its id in the scene.
        joint: ObjectId,
    },
    /// Everything mechanical is whole again: pads, gripper, the arm's joints and those
    /// between objects. Forces end.
    Repair,
    /// The object's velocity becomes NaN, as when a solver breaks.
    PoisonObject {
        /// Which.
        object: ObjectId,
    },
}

/// When a disturbance happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Before the next step.
    Now,
    /// At a simulated time; before the next step if that has passed.
    At {
        /// Simulated time, s.
        time_secs: f64,
    },
    /// Some time after the gripper is next told to grasp: between looking and holding.
    AfterClosing {
        /// Delay, s.
        delay_secs: f64,
    },
    /// Some time after the gripper next closed on something.
    AfterGrasp {
        /// Delay, s.
        delay_secs: f64,
    },
    /// Some time after the object has risen so far above where it was when this was
    /// scheduled: while it is lifted or carried.
    AfterRise {
        /// Which.
        object: ObjectId,
        /// How far, m.
        rise_m: f64,
        /// Delay, s.
        delay_secs: f64,
    },
}

/// A disturbance that cannot happen in this world.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(
    missing_docs,
    reason = "the message of each variant says what its fields are"
)]
pub enum DisturbError {
    #[error("schedule a disturbance: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        object: ObjectId,
        known: Vec<String>,
    },
    #[error("schedule a disturbance: object `{object}` {problem}")]
    CannotDisturb { object: ObjectId, problem: String },
    #[error("schedule a disturbance: there is no arm joint `{joint}` (known joints: {})", known.join(", "))]
    UnknownJoint { joint: String, known: Vec<String> },
    #[error("schedule a disturbance: there is no joint `{joint}` between objects (known joints: {})", known.join(", "))]
    UnknownSceneJoint { joint: String, known: Vec<String> },
    #[error("schedule a disturbance: there is no moving link `{link}` (known links: {})", known.join(", "))]
    UnknownLink { link: String, known: Vec<String> },
    #[error("schedule a disturbance: {figure} is {value}, but must be {expected}")]
    BadFigure {
        figure: &'static str,
        value: f64,
        expected: &'static str,
    },
}

/// Everything about disturbances that a snapshot must keep. (Slippery pads and jammed
/// joints are kept by rapier.)
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct FaultState {
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) pushes: Vec<Push>,
    pub(crate) link_pushes: Vec<LinkPush>,
    pub(crate) grip_factor: Option<f64>,
    /// Finger positions at which the gripper is stuck.
    pub(crate) stuck_fingers: Option<[f64; 2]>,
    /// By arm joint: where it is blocked.
    pub(crate) blocked: Vec<Option<f64>>,
    /// By arm joint: how it lags behind.
    pub(crate) slow: Vec<Option<Slow>>,
}

/// A disturbance that has not happened yet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(crate) trigger: Trigger,
    pub(crate) disturbance: Disturbance,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Trigger {
    AtStep(u64),
    /// So many steps after the fingers next begin to close.
    AfterClosing(u64),
    /// So many steps after the next grasp.
    AfterGrasp(u64),
    /// So many steps after the object is higher than this.
    AfterRise {
        object_idx: usize,
        above_z: f64,
        delay: u64,
    },
}

/// A force that is acting on an object.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) object_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

/// A force that is acting on a moving body of the robot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LinkPush {
    pub(crate) body_idx: usize,
    pub(crate) force_in_world: [f64; 3],
    pub(crate) until_step: u64,
}

/// A joint that follows its command no faster than it can.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Slow {
    pub(crate) max_speed: f64,
    /// Where its servo goes instead.
    pub(crate) position: f64,
    pub(crate) speed: f64,
}

impl FaultState {
    /// The force that the gripper really presses with.
    pub(crate) fn real_force(&self, force_n: f64) -> f64 {
        force_n * self.grip_factor.unwrap_or(1.0)
    }

    /// Starts the clock of everything that waits for the fingers to close.
    pub(crate) fn closing(&mut self, step: u64, command: &GripperCommand) {
        self.start_clocks(step, command, |trigger| match trigger {
            Trigger::AfterClosing(delay) => Some(delay),
            _ => None,
        });
    }

    /// Starts the clock of everything that waits for a grasp.
    pub(crate) fn grasped(&mut self, step: u64, command: &GripperCommand) {
        self.start_clocks(step, command, |trigger| match trigger {
            Trigger::AfterGrasp(delay) => Some(delay),
            _ => None,
        });
    }

    fn start_clocks(
        &mut self,
        step: u64,
        command: &GripperCommand,
        delay: impl Fn(Trigger) -> Option<u64>,
    ) {
        if !matches!(command, GripperCommand::Grasp { .. }) {
            return;
        }
        for waiting in &mut self.waiting {
            if let Some(delay) = delay(waiting.trigger) {
                waiting.trigger = Trigger::AtStep(step + delay);
            }
        }
    }
}
