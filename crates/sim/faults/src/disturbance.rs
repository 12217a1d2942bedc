//! Disturbances of a simulated world, and their triggers.

use regrasp_api::{ObjectId, Pose};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Change that is forced on a simulated world or its robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbance {
    /// Puts the object at a pose, at rest. A removed object comes back. To make an obstacle appear,
    /// put it in the scene, remove it, and move it to the place where it should appear. The physics
    /// separates overlapping objects.
    MoveObject {
        /// Id of the object.
        object: ObjectId,
        /// New pose.
        world_from_object: Pose,
    },
    /// Shifts the object horizontally in a direction that the seed decides, and rotates it about
    /// the vertical in either sense.
    NudgeObject {
        /// Id of the object.
        object: ObjectId,
        /// Distance, m.
        distance_m: f64,
        /// Angle, rad.
        turn_rad: f64,
        /// Seed of the direction and of the sense of rotation.
        seed: u64,
    },
    /// Removes the object until [`Disturbance::MoveObject`] puts it back.
    RemoveObject {
        /// Id of the object.
        object: ObjectId,
    },
    /// Applies a force to the object's centre of mass for a while.
    PushObject {
        /// Id of the object.
        object: ObjectId,
        /// Force in World, N.
        force_in_world: [f64; 3],
        /// Duration, s.
        duration_secs: f64,
    },
    /// Applies a force to the centre of mass of a link of the arm (and of all links fixed to it)
    /// for a while, like a hand that pushes or holds. The robot feels it like a contact there.
    PushLink {
        /// Name of a moving link in the URDF.
        link: String,
        /// Force in World, N.
        force_in_world: [f64; 3],
        /// Duration, s.
        duration_secs: f64,
    },
    /// Reduces the friction of the pads as if they were oiled: to at most this fraction of their
    /// own, whatever the object's friction.
    SlipperyPads {
        /// Factor from 0 to 1; 1 restores the pads.
        factor: f64,
    },
    /// Reduces the gripping force to this fraction of the commanded force.
    WeakGripper {
        /// Factor from 0 to 1; 1 restores the force.
        factor: f64,
    },
    /// Freezes the fingers; they ignore all commands.
    StuckGripper,
    /// Freezes a joint of the arm against its servo.
    BlockJoint {
        /// Name of the joint in the URDF.
        joint: String,
    },
    /// Limits the speed at which a joint of the arm follows its command.
    SlowJoint {
        /// Name of the joint in the URDF.
        joint: String,
        /// Largest speed, rad/s or m/s.
        max_speed: f64,
    },
    /// Freezes a joint between objects (a drawer's, a door's).
    JamJoint {
        /// Id of the joint in the scene.
        joint: ObjectId,
    },
    /// Repairs pads, gripper, joints of the arm and joints between objects, and ends all forces.
    Repair,
    /// Repairs only what one disturbance did to pads, gripper, a joint of the arm or a joint
    /// between objects.
    End {
        /// Disturbance that ends.
        disturbance: Box<Disturbance>,
    },
    /// Sets the object's velocity to NaN, as a diverging solver does.
    PoisonObject {
        /// Id of the object.
        object: ObjectId,
    },
}

/// Time of a disturbance.
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
    /// Some time after the next grasp command: between perceiving and holding.
    AfterClosing {
        /// Delay, s.
        delay_secs: f64,
    },
    /// Some time after the gripper next closed on an object, by a command that was waited for.
    AfterGrasp {
        /// Delay, s.
        delay_secs: f64,
    },
    /// Some time after the object has risen by a distance from its height at scheduling: while it
    /// is lifted or carried.
    AfterRise {
        /// Id of the object.
        object: ObjectId,
        /// Distance, m.
        rise_m: f64,
        /// Delay, s.
        delay_secs: f64,
    },
}

/// A disturbance that is impossible in this world.
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
