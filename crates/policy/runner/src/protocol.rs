//! Messages to and from a policy's process: JSON, one object per line.
//!
//! ```text
//! -> {"type":"reset","protocol":1,"task":"pick up the red cube","seed":0,"rate_hz":20, …}
//! <- {"type":"ready","wants_objects":true}
//! -> {"type":"observe","step":0,"time_s":0.0,"joint_positions":[…],"gripper":{…}, …}
//! <- {"type":"move","step":0,"joint_positions":[…],"gripper":{"width_m":0.08}}
//!    …
//! <- {"type":"done","step":417}
//! ```
//!
//! After `done`, `give_up` or the time limit, either a `reset` for another episode follows, or the
//! process is killed. Quaternions are x, y, z, w; everything else has the units and frames of
//! `regrasp-api`. The process may write messages for people to its standard error.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regrasp_api::{
    Action, GripperAction, GripperState, PerceivedObject, PolicyInput, PolicyStart, Pose, Shape,
};
use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// A line that is sent to the process.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum PolicyRequest<'a> {
    /// Start of an episode.
    Reset {
        /// Version: [`PROTOCOL`].
        protocol: u32,
        /// Text of the task.
        task: &'a str,
        /// Seed of all random values in the episode.
        seed: u64,
        /// Actions per second of simulated time.
        rate_hz: f64,
        /// `world_from_base`: pose of the arm's base.
        base: Placed,
        /// Names of the arm's joints in chain order.
        joint_names: &'a [String],
        /// Home configuration, rad.
        home: &'a [f64],
        /// Minimum and maximum distance of the fingers, m.
        gripper_width_m: [f64; 2],
        /// Maximum grip force, N.
        gripper_max_force_n: f64,
    },
    /// Observation that requests an action.
    Observe(Box<Observed<'a>>),
}

/// Observation before an action.
#[derive(Debug, Serialize)]
pub struct Observed<'a> {
    /// Number of the action, from 0.
    step: u64,
    /// Simulated time since the start of the episode, s.
    time_s: f64,
    /// Joint positions in chain order, rad or m.
    joint_positions: &'a [f64],
    /// Joint velocities in chain order, rad/s or m/s.
    joint_velocities: &'a [f64],
    gripper: &'a GripperState,
    tool: Placed,
    /// Perceived objects, if requested.
    objects: Vec<ObservedObject<'a>>,
    images: Vec<Picture<'a>>,
    /// Reason for which the previous motion was stopped early, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped<'a>>,
}

/// Pose in World.
#[derive(Debug, Serialize)]
pub struct Placed {
    /// Position, m.
    position: [f64; 3],
    /// Unit quaternion.
    quaternion_xyzw: [f64; 4],
}

#[derive(Debug, Serialize)]
struct ObservedObject<'a> {
    id: &'a str,
    category: &'a str,
    color: Option<&'a str>,
    shape: &'a Shape,
    #[serde(flatten)]
    at: Placed,
    movable: bool,
}

#[derive(Debug, Serialize)]
struct Picture<'a> {
    camera: &'a str,
    /// PNG in base64.
    png: String,
}

#[derive(Debug, Serialize)]
struct Stopped<'a> {
    reason: &'a str,
    detail: &'a str,
}

/// A line that the process sends.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", deny_unknown_fields)]
pub enum Answer {
    /// Answer to `reset`.
    Ready {
        /// Set if observations should include perceived objects.
        #[serde(default)]
        wants_objects: bool,
    },
    /// Answer to `observe`: see [`Action::Move`].
    Move {
        /// Step that is answered.
        step: u64,
        /// Joint positions in chain order, rad or m; `None` keeps the previous target.
        joint_positions: Option<Vec<f64>>,
        /// `{"width_m": 0.04}` or `{"force_n": 20}`; `None` keeps the previous command.
        gripper: Option<GripperAction>,
    },
    /// Claim that the task is done.
    Done {
        /// Step that is answered.
        step: u64,
    },
    /// The policy gives up.
    GiveUp {
        /// Step that is answered.
        step: u64,
        /// Reason, as text.
        why: String,
    },
}

impl Answer {
    /// Step that is answered, and action; `None` for `ready`.
    pub(crate) fn action(self) -> Option<(u64, Action)> {
        match self {
            Self::Ready { .. } => None,
            Self::Move {
                step,
                joint_positions,
                gripper,
            } => {
                let action = Action::Move {
                    joint_positions,
                    gripper,
                };
                Some((step, action))
            }
            Self::Done { step } => Some((step, Action::Done)),
            Self::GiveUp { step, why } => Some((step, Action::GiveUp { why })),
        }
    }
}

impl<'a> PolicyRequest<'a> {
    /// Creates the line that starts an episode.
    pub fn reset(start: &PolicyStart<'a>) -> Self {
        let gripper = &start.robot.gripper;
        Self::Reset {
            protocol: PROTOCOL,
            task: start.task,
            seed: start.seed,
            rate_hz: start.rate_hz,
            base: Placed::new(&start.world_from_base),
            joint_names: &start.robot.joint_names,
            home: &start.robot.home,
            gripper_width_m: [gripper.min_width_m, gripper.max_width_m],
            gripper_max_force_n: gripper.max_force_n,
        }
    }

    /// Creates the line that requests an action.
    pub fn observe(input: &'a PolicyInput) -> Self {
        let picture = |image: &'a regrasp_api::SceneImage| Picture {
            camera: &image.view.name,
            png: STANDARD.encode(&image.png),
        };
        let stopped = input.stopped.as_ref().map(|failure| Stopped {
            reason: failure.reason.slug(),
            detail: &failure.detail,
        });
        Self::Observe(Box::new(Observed {
            step: input.step,
            time_s: input.time_secs,
            joint_positions: &input.joint_positions,
            joint_velocities: &input.joint_velocities,
            gripper: &input.gripper,
            tool: Placed::new(&input.world_from_tool),
            objects: input.objects.iter().map(ObservedObject::new).collect(),
            images: input.images.iter().map(picture).collect(),
            stopped,
        }))
    }
}

impl Placed {
    fn new(pose: &Pose) -> Self {
        let q = pose.rotation.coords;
        Self {
            position: pose.translation.vector.into(),
            quaternion_xyzw: [q.x, q.y, q.z, q.w],
        }
    }
}

impl<'a> ObservedObject<'a> {
    fn new(object: &'a PerceivedObject) -> Self {
        Self {
            id: object.id.as_str(),
            category: &object.category,
            color: object.color.as_deref(),
            shape: &object.shape,
            at: Placed::new(&object.world_from_object),
            movable: object.movable,
        }
    }
}
