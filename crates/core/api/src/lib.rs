//! Vocabulary of Regrasp and the interfaces between its crates.
//!
//! Everything here is plain data or a trait: no IO, no clock, no randomness, no async runtime.
//! Crates above depend on this one instead of on each other, so that only the binary decides which
//! simulator, planner or perception is used.
//!
//! Entry points:
//! - [`SkillCall`], [`SkillResult`], [`Reason`], [`FinalReason`]: requests and their results;
//! - [`World`]: interface to a simulator or a real arm, with its errors ([`RobotError`]), senses
//!   ([`Capabilities`]) and optional abilities: [`Rewind`] (simulators only) and [`TorqueControl`]
//!   (few arms);
//! - [`Perception`], [`MotionPlanner`], [`Planner`], [`ReferenceResolver`]: the other interfaces;
//! - [`Policy`]: direct control of the robot, instead of a planner with skills;
//! - [`ImageSource`]: pictures for planners that can look at them;
//! - [`Cameras`] and [`RgbdFrame`]: input of a perception from pixels.
//!
//! # Frames
//!
//! A rigid transform is named `a_from_b` and maps coordinates in `b` to coordinates in `a`;
//! neighbouring names must match when transforms are multiplied
//! (`world_from_tool = world_from_base * base_from_tool`).
//!
//! | frame | origin and axes |
//! |---|---|
//! | World | fixed; z up, x forward, y left; metres, gravity along -z |
//! | Base | first link of the arm |
//! | Flange | mounting plate of the arm, z outwards |
//! | Tool | point between the fingertips; z out of the hand (approach), y along the finger opening |
//! | Camera | +z forward, +x right, +y down |
//! | Object | the origin of an object's shape |
//!
//! Units are SI and radians throughout. Twists are linear then angular; a Jacobian is 6 x n with
//! rows `[v; w]`.
//!
//! # Dependencies
//!
//! `smart-default` states default values at their fields, and `derive_more` derives plain texts and
//! conversions. Crates above also use `delegate`, with which wrappers of an interface forward the
//! calls that they do not change. All three are widely used and expand at compile time.
//!
//! # Invariants
//!
//! A skill claims success only after it has verified the result with the robot's own senses. Ground
//! truth is available only through `GroundTruthSource` in `regrasp-ground-truth`, a crate on which
//! no code under test depends.

mod articulation;
mod camera;
mod capabilities;
mod color;
mod episode;
mod event;
mod exclusion;
mod fact;
mod goal;
mod ids;
mod info;
mod monitor;
mod monitor_checks;
mod motion;
mod motion_failure;
mod object;
mod observation;
mod perception;
mod person;
mod plan;
mod planner;
mod policy;
mod port;
mod reason;
mod relation;
mod remark;
mod robot_error;
mod skill;
mod skill_spec;
mod store;
mod text;
mod trajectory;
mod viewpoint;
mod world;
mod zone;

pub use articulation::{ObjectJoint, Presses};
pub use camera::{CameraView, Cameras, ImageSource, Intrinsics, RgbdFrame, SceneImage, looking_at};
pub use capabilities::{Capabilities, Sense, senses_named};
pub use color::{color_name, hue_deg};
pub use episode::{EpisodeResult, FinalReason};
pub use event::{Event, EventSink, LastFailure, NullSink, StampedEvent};
pub use exclusion::{GoalLiteral, clash};
pub use fact::Fact;
pub use goal::{Goal, GoalStatus, Point};
pub use ids::ObjectId;
pub use info::{Finger, GripperInfo, Held, RobotInfo};
pub use monitor::{CancelToken, Monitor, MonitorLimits, MonitorStop, Watch};
pub use monitor_checks::{FiredMonitor, JointReadings, MonitorChecks};
pub use motion::{
    Attachment, KeepUp, MotionGoal, MotionPlanner, MotionRequest, Obstacle, PlannedMotion,
    PlanningScene, ToolTarget,
};
pub use motion_failure::{CollisionPair, MotionFailure, WeighedGrasp};
pub use object::{Known, PerceivedGroup, PerceivedObject};
pub use observation::{ContactForce, GripperState, Observation};
pub use perception::{
    ExactNames, Percept, Perception, PerceptionError, ReferenceResolver, Resolution, Unseen,
};
pub use person::{
    Approval, ApprovalMode, ApprovalPolicy, ApprovalRequest, Nobody, Person, RiskRules,
};
pub use plan::{
    Expectation, ExpectedFigure, Plan, PlanStep, PlanVersion, Reflection, Scope, Trigger,
    merged_args,
};
pub use planner::{
    Attempt, CompletedStep, PlanRequest, Planner, PlannerError, PriorAttempt, RepairPlan,
};
pub use policy::{
    Action, GripperAction, Policy, PolicyDeadlines, PolicyError, PolicyInput, PolicyStart,
};
pub use port::{Connection, Mating, ObjectPort, PortKind, Section};
pub use reason::{Category, Decision, Reason, Route, Severity};
pub use relation::{Heading, Order, Relation, Side};
pub use remark::{Remark, RemarkLevel};
pub use robot_error::{RobotError, RobotErrorKind};
pub use skill::{
    Advice, Failure, HandUse, Measured, Moment, Phase, Resource, SkillCall, SkillResult,
    StateAfter, Success, arguments_in_words,
};
pub use skill_spec::{Bound, Kind, Literal, NAMES_OBJECT, NEXT_CALL, Operator, RARELY, SkillSpec};
pub use store::{
    ApprovalLog, Case, CaseQuery, Checkpoint, Claim, FailureMemory, PastCase, RunStore, StoreError,
};
pub use text::{hidden_in, is_invisible, visible};
pub use trajectory::{Compliance, Knot, Trajectory};
pub use viewpoint::Viewpoint;
pub use world::{
    GripperCommand, GripperEnd, GripperReport, MotionEnd, MotionReport, Rewind, ServoLink,
    Snapshot, SnapshotError, ToolServo, TorqueControl, World,
};
pub use zone::{KnownZone, Zone};

pub use regrasp_geometry::{
    Aabb, Cavity, HeightField, JointKind, JointRole, NoAxis, Part, Pose, Rod, Shape, Upright,
    joint_position, solids,
};
