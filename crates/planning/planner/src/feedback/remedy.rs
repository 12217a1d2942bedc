//! Table from reasons to remedies.

use regrasp_api::Reason;

/// Remedy of [`FeedbackPlanner`](crate::FeedbackPlanner) for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Take objects off the target object, topmost first, and put them out of the way.
    Unstack,
    /// Put down the held object: at its place, or out of the way.
    PlaceFirst,
    /// Pick the object (again) before anything else.
    PickFirst,
    /// Let the words of the task decide; if they do not, give up.
    Disambiguate,
    /// Look once more. An object that is then still not seen counts as absent.
    LookAgain,
    /// Move away objects at the target.
    ClearTarget,
    /// Move obstacles aside, and close drawers and doors in the way.
    ClearPath,
    /// Push the object, move its neighbours away, or give up if it is wider than the hand.
    CheckWidth,
    /// Plan again from the current percept, at most twice for the same failure. If the scene has
    /// not changed, plan again only once, because the result will likely be the same.
    Retry,
    /// Report that the task is infeasible: the planner knows no way to bring the object nearer.
    OutOfReach,
    /// Report that the task is infeasible, with the skill's own message.
    GiveUp,
}

/// Returns the remedy for a reason.
///
/// | reason | remedy |
/// |---|---|
/// | `object_covered` | unstack |
/// | `gripper_occupied`, `wrong_object_grasped` | place first |
/// | `gripper_empty` | pick first |
/// | `ambiguous_object`, `ambiguous_command` | the task's own words |
/// | `object_not_found`, `point_outside_image`, `point_without_depth`, `point_on_table`, `point_on_robot` | look again |
/// | `target_occupied` | clear the target |
/// | `path_blocked`, `goal_in_collision` | clear the path |
/// | `no_grasp_found` | check the width |
/// | `unreachable` | out of reach |
/// | `object_out_of_workspace`, `no_gripper`, `unsupported`, `bad_arguments`, `upright_unknown`, `approval_denied`, `cancelled`, `sim_diverged`, `emergency_stop`, `link_lost`, `perception_unavailable`, `container_closed`, `joint_not_moved`, `nothing_to_pour`, `spilled` | give up |
/// | all others, including reasons that users define | retry |
pub fn remedy_for(reason: &Reason) -> Remedy {
    match reason {
        Reason::ObjectCovered => Remedy::Unstack,
        Reason::GripperOccupied | Reason::WrongObjectGrasped => Remedy::PlaceFirst,
        Reason::GripperEmpty => Remedy::PickFirst,
        Reason::AmbiguousObject | Reason::AmbiguousCommand => Remedy::Disambiguate,
        Reason::ObjectNotFound
        | Reason::PointOutsideImage
        | Reason::PointWithoutDepth
        | Reason::PointOnTable
        | Reason::PointOnRobot => Remedy::LookAgain,
        Reason::TargetOccupied => Remedy::ClearTarget,
        Reason::PathBlocked | Reason::GoalInCollision => Remedy::ClearPath,
        Reason::NoGraspFound => Remedy::CheckWidth,
        Reason::Unreachable => Remedy::OutOfReach,
        Reason::ObjectOutOfWorkspace
        | Reason::NoGripper
        | Reason::Unsupported
        | Reason::BadArguments
        | Reason::UprightUnknown
        | Reason::ApprovalDenied
        | Reason::Cancelled
        | Reason::SimDiverged
        | Reason::EmergencyStop
        | Reason::LinkLost
        | Reason::PerceptionUnavailable
        // No known skill unlocks a joint.
        | Reason::JointNotMoved
        | Reason::NothingToPour
        // Spilled pieces cannot be picked up again.
        | Reason::Spilled
        | Reason::ContainerClosed => Remedy::GiveUp,
        _ => Remedy::Retry,
    }
}
