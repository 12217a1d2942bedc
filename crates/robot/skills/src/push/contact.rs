//! Contact of a push: place, force and speed.

use nalgebra::Vector3;
use regrasp_api::{PlanningScene, Pose, Trajectory};

/// The hand never pushes harder, N: below what a Panda's fingers may press with for long
/// (70 N, data sheet).
pub(super) const MOST_FORCE_N: f64 = 60.0;
/// Part of the limits used until the hand is at the object: it should not be hit.
pub(super) const TOUCH_SPEED: f64 = 0.15;
/// Distance between hand and object where the push begins, m.
pub(super) const GAP_M: f64 = 0.008;

/// Where the hand is at the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// Behind it, which it pushes.
    Back,
    /// On top of it, which it presses down and takes along.
    Top,
}

/// Where the hand is when it begins, and how far it goes.
pub(super) struct Stand {
    /// From where the arm is to above that place.
    pub(super) travel: Trajectory,
    pub(super) at: At,
    /// Behind the object at the height of the push, or just above where it presses.
    pub(super) world_from_tool: Pose,
    /// The way of the tool, in World.
    pub(super) way: Vector3<f64>,
    pub(super) scenes: Scenes,
}

/// What is in the way on which part of the work.
pub(super) struct Scenes {
    /// On the way there: everything.
    pub(super) free: PlanningScene,
    /// Down behind the object, and away from it: it and what it stands on may be touched.
    pub(super) touching: PlanningScene,
    /// While it is pushed: the object moves with the hand.
    pub(super) pushing: PlanningScene,
}
