//! The vocabulary of Regrasp and the seams between its crates.
//!
//! Everything here is plain data or a trait: no IO, no clock, no randomness, no
//! async runtime. Crates above depend on this one instead of on each other, so a
//! simulator, a planner or a perception can be swapped by the binary alone.
//!
//! Where to enter:
//! - [`Skill`] and [`Robot`]: what a skill is and what it may command;
//! - [`World`]: the seam to a simulator or to a real arm;
//! - [`Perception`], [`MotionPlanner`], [`Planner`]: the other three seams;
//! - [`SkillResult`], [`Reason`], [`FinalReason`]: how things end.
//!
//! # Frames
//!
//! A rigid transform is named `a_from_b` and maps coordinates in `b` to
//! coordinates in `a`; neighbouring names must match when transforms are
//! multiplied (`world_from_tool = world_from_base * base_from_tool`).
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
//! Units are SI and radians throughout. Twists are linear then angular; a
//! Jacobian is 6 x n with rows `[v; w]`.
//!
//! # Invariants
//!
//! A skill's success is claimed only after the skill verified it with the
//! robot's own senses. Ground truth passes through exactly one door,
//! [`TruthSource`], which no skill and no planner is ever handed.

mod cancel;
mod episode;
mod event;
mod goal;
mod ids;
mod motion;
mod naming;
mod perception;
mod planner;
mod reason;
mod relations;
mod robot;
mod shape;
mod skill;
mod skill_set;
mod trajectory;
mod truth;
mod world;

pub use cancel::CancelToken;
pub use episode::{EpisodeResult, FinalReason};
pub use event::{Event, EventSink, NullSink, StampedEvent};
pub use goal::{Goal, GoalStatus};
pub use ids::ObjectId;
pub use motion::{
    Attachment, CollisionPair, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, Obstacle,
    PlannedMotion, PlanningScene, ToolTarget,
};
pub use naming::{Resolution, closest_name, resolve};
pub use perception::{PerceivedObject, Percept, Perception, PerceptionError};
pub use planner::{CompletedStep, Plan, PlanRequest, Planner, PlannerError, PriorAttempt};
pub use reason::Reason;
pub use relations::{SUPPORT_GAP_M, footprints_overlap, is_supported_by, objects_on};
pub use robot::{CARRY_SPEED, FREE_SPEED, GripperInfo, Held, Robot, RobotInfo, grip_lost_below};
pub use shape::{Aabb, Part, Shape};
pub use skill::{Failure, Measured, Phase, Skill, SkillCall, SkillResult, StateAfter, Success};
pub use skill_set::{AnySkill, SkillSet, SkillSpec};
pub use trajectory::{Knot, Trajectory};
pub use truth::{RobotContact, Toucher, TrueObject, TruthSource, WorldTruth};
pub use world::{
    ContactForce, Diverged, GripperCommand, GripperEnd, GripperReport, GripperState, Monitor,
    MotionEnd, MotionReport, Observation, Snapshot, SnapshotError, Watch, World,
};

/// A rigid transform. Name every value `a_from_b`; see the crate's frame glossary.
pub type Pose = nalgebra::Isometry3<f64>;
