//! Disturbances of a simulated world, and their times.

use regrasp_api::{ObjectId, Pose};
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
        /// Its id.
        object: ObjectId,
        /// Its new pose.
        world_from_object: Pose,
    },
    /// The object is shifted along the ground, in a direction that the seed decides, and
    /// turned about its vertical, either way.
    NudgeObject {
        /// Its id.
        object: ObjectId,
        /// Distance, m.
        distance_m: f64,
        /// Angle, rad.
        turn_rad: f64,
        /// Decides the direction and the sense of the turn.
        seed: u64,
    },
    /// The object is gone, until it is moved somewhere.
    RemoveObject {
        /// Its id.
        object: ObjectId,
    },
    /// A force acts on the object's centre of mass for a while.
    PushObject {
        /// Its id.
        object: ObjectId,
        /// The force in World, N.
        force_in_world: [f64; 3],
        /// Time for which it acts, s.
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
        /// Time for which it acts, s.
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
        /// Its id.
        object: ObjectId,
    },
}

/// The time of a disturbance.
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
        /// Its id.
        object: ObjectId,
        /// Distance, m.
        rise_m: f64,
        /// Delay, s.
        delay_secs: f64,
    },
}

/// A disturbance that cannot happen in this world.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message says what its fields are")]
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
