//! The table from reasons to remedies.

use regrasp_api::Reason;

/// What [`FeedbackPlanner`](crate::FeedbackPlanner) does about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Take what rests on the object off it, topmost first, and out of the way.
    Unstack,
    /// Put down what is in the hand: where it should go, or out of the way.
    PlaceFirst,
    /// Pick the object (again) before anything else.
    PickFirst,
    /// Let the words of the task decide; if they do not, nobody here can.
    Disambiguate,
    /// Trust one more look; what is still not seen then is not there.
    LookAgain,
    /// Move what stands at the target away.
    ClearTarget,
    /// Move what is in the way aside, once for each thing.
    ClearPath,
    /// Give up if the object is wider than the hand; else move what is beside it.
    CheckWidth,
    /// Plan anew from what is seen now, at most twice for the same failure; not at all if
    /// the step failed alike before and left everything where it is, since the same scene
    /// will likely give the same answer.
    Retry,
    /// Nothing can bring it nearer: infeasible, with distances.
    OutOfReach,
    /// Infeasible, with the skill's own words.
    GiveUp,
}

/// The one table from reasons to remedies.
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
/// | `object_out_of_workspace`, `no_gripper`, `unsupported`, `bad_arguments`, `upright_unknown`, `approval_denied`, `cancelled`, `sim_diverged`, `perception_unavailable`, `container_closed`, `joint_not_moved`, `nothing_to_pour`, `spilled` | give up |
/// | everything else, users' own reasons too | retry |
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
        // None of the known skills unlocks anything.
        | Reason::JointNotMoved
        // What lies about in small pieces cannot be picked up again.
        | Reason::NothingToPour
        | Reason::Spilled
        | Reason::ContainerClosed => Remedy::GiveUp,
        _ => Remedy::Retry,
    }
}
