//! What is said to a policy's process, and what it may answer: JSON, one object a line.
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
//! After `done`, `give_up` or the end of the time, the next thing said is a `reset` for another
//! episode, or the input ends: then the process should end too. Quaternions are x, y, z, w;
//! everything else is in the units and frames of `regrasp-api`. What the process writes to its
//! standard error is for people.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regrasp_api::{
    Action, GripperAction, GripperState, PerceivedObject, PolicyInput, PolicyStart, Pose, Shape,
};
use serde::{Deserialize, Serialize};

/// The version of what is said here.
pub const PROTOCOL: u32 = 1;

/// A line to the process.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum PolicyRequest<'a> {
    /// An episode begins.
    Reset {
        /// [`PROTOCOL`].
        protocol: u32,
        /// What was asked for.
        task: &'a str,
        /// Seed of everything random in the episode.
        seed: u64,
        /// Actions a second of simulated time.
        rate_hz: f64,
        /// `world_from_base`: where the arm stands.
        base: Placed,
        /// Arm joints in chain order.
        joint_names: &'a [String],
        /// The home configuration, rad.
        home: &'a [f64],
        /// Smallest and largest finger distance, m.
        gripper_width_m: [f64; 2],
        /// Largest grip force, N.
        gripper_max_force_n: f64,
    },
    /// What the robot senses; an action is waited for.
    Observe(Box<Observed<'a>>),
}

/// What the robot senses before an action.
#[derive(Debug, Serialize)]
pub struct Observed<'a> {
    /// Counts the actions, from 0.
    step: u64,
    /// Simulated seconds since the episode began.
    time_s: f64,
    /// Chain order, rad or m.
    joint_positions: &'a [f64],
    /// Chain order, rad/s or m/s.
    joint_velocities: &'a [f64],
    gripper: &'a GripperState,
    /// `world_from_tool`.
    tool: Placed,
    /// What perception reports, if it was asked for.
    objects: Vec<ObservedObject<'a>>,
    /// Pictures of the cameras that were chosen.
    images: Vec<Picture<'a>>,
    /// Why the motion before was ended early, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped<'a>>,
}

/// A pose in World.
#[derive(Debug, Serialize)]
pub struct Placed {
    /// Metres.
    position: [f64; 3],
    /// Unit length.
    quaternion_xyzw: [f64; 4],
}

#[derive(Debug, Serialize)]
struct ObservedObject<'a> {
    id: &'a str,
    category: &'a str,
    color: Option<&'a str>,
    shape: &'a Shape,
    /// `world_from_object`.
    #[serde(flatten)]
    at: Placed,
    movable: bool,
}

#[derive(Debug, Serialize)]
struct Picture<'a> {
    camera: &'a str,
    /// A PNG in base64.
    png: String,
}

#[derive(Debug, Serialize)]
struct Stopped<'a> {
    reason: &'a str,
    detail: &'a str,
}

/// A line from the process.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", deny_unknown_fields)]
pub enum Answer {
    /// The answer to `reset`.
    Ready {
        /// True if observations should hold what perception reports.
        #[serde(default)]
        wants_objects: bool,
    },
    /// The answer to `observe`: see [`Action::Move`].
    Move {
        /// The step it answers.
        step: u64,
        /// Chain order, rad or m; absent keeps the ones before.
        joint_positions: Option<Vec<f64>>,
        /// `{"width_m": 0.04}` or `{"force_n": 20}`; absent keeps what the gripper does.
        gripper: Option<GripperAction>,
    },
    /// The task is held to be done.
    Done {
        /// The step it answers.
        step: u64,
    },
    /// The process gives up.
    GiveUp {
        /// The step it answers.
        step: u64,
        /// Why, for people.
        why: String,
    },
}

impl Answer {
    /// The step that is answered, and the action; `None` for `ready`.
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
    /// The line that begins an episode.
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

    /// The line that asks for an action.
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
