//! Reasons for the end of a skill call, as slugs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $slug:literal,)*) => {
        /// Reason for the failure of a skill, as a short machine-readable slug.
        ///
        /// Serialised as the slug. Users' skills may add their own with [`Reason::Custom`].
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, derive_more::Display)]
        #[display("{}", self.slug())]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
            /// Reason defined by a user's skill.
            Custom(Box<str>),
        }

        impl Reason {
            /// All built-in reasons, in declaration order.
            pub const BUILT_IN: &[Reason] = &[$(Reason::$variant),*];

            /// Returns the slug that logs, files and planners see.
            pub fn slug(&self) -> &str {
                match self {
                    $(Reason::$variant => $slug,)*
                    Reason::Custom(slug) => slug,
                }
            }

            /// Returns the reason for a slug; an unknown slug becomes [`Reason::Custom`].
            pub fn from_slug(slug: &str) -> Self {
                match slug {
                    $($slug => Reason::$variant,)*
                    other => Reason::Custom(other.into()),
                }
            }
        }
    };
}

reasons! {
    /// No perceived object matches the name; the detail lists what is known.
    ObjectNotFound = "object_not_found",
    /// Several objects match the name; the detail lists them.
    AmbiguousObject = "ambiguous_object",
    /// A command has several possible meanings.
    AmbiguousCommand = "ambiguous_command",
    /// No joint configuration reaches the target, even without obstacles.
    Unreachable = "unreachable",
    /// Every configuration that reaches the goal is in collision.
    GoalInCollision = "goal_in_collision",
    /// The goal is free but no collision-free path was found.
    PathBlocked = "path_blocked",
    /// The arm is in collision at the start.
    StartInCollision = "start_in_collision",
    /// Every grasp candidate was rejected; the detail counts them by cause.
    NoGraspFound = "no_grasp_found",
    /// The arm has no gripper, and the skill needs one.
    NoGripper = "no_gripper",
    /// The robot has no interface for the request.
    Unsupported = "unsupported",
    /// The fingers closed on nothing.
    GraspMissed = "grasp_missed",
    /// Another object is in the hand.
    WrongObjectGrasped = "wrong_object_grasped",
    /// The object left the hand while it was lifted.
    GraspSlipped = "grasp_slipped",
    /// The object left the hand during transport.
    ObjectDropped = "object_dropped",
    /// The object is not where it was when the plan was made.
    ObjectMoved = "object_moved",
    /// Another object rests on the object.
    ObjectCovered = "object_covered",
    /// The object lies outside the workspace.
    ObjectOutOfWorkspace = "object_out_of_workspace",
    /// The hand already holds something.
    GripperOccupied = "gripper_occupied",
    /// The hand holds nothing.
    GripperEmpty = "gripper_empty",
    /// The object is inside something closed.
    ContainerClosed = "container_closed",
    /// Another object stands in the target place.
    TargetOccupied = "target_occupied",
    /// The released object did not stay.
    PlacementUnstable = "placement_unstable",
    /// Neither a declaration nor the shape gives the object's upright direction.
    UprightUnknown = "upright_unknown",
    /// The object rests outside the tolerance of its target.
    PlacedOffTarget = "placed_off_target",
    /// Another object was moved.
    DisturbedOther = "disturbed_other",
    /// The handle left the hand.
    HandleSlipped = "handle_slipped",
    /// The joint did not move.
    JointNotMoved = "joint_not_moved",
    /// The push moved nothing.
    PushNoMotion = "push_no_motion",
    /// The pushed or pulled object left its line or did not reach its target.
    PushDeviated = "push_deviated",
    /// The hand holds nothing that can be poured.
    NothingToPour = "nothing_to_pour",
    /// Part of the poured content landed beside the target.
    Spilled = "spilled",
    /// The post-condition does not hold, and no more specific reason applies.
    VerificationFailed = "verification_failed",
    /// The arm did not follow its trajectory.
    TrackingError = "tracking_error",
    /// The skill's budget of simulated time ran out.
    SkillTimeout = "skill_timeout",
    /// A stop was requested.
    Cancelled = "cancelled",
    /// The simulation diverged; never the robot's failure.
    SimDiverged = "sim_diverged",
    /// The controller stopped the arm because of a suspected collision.
    Reflex = "reflex",
    /// The emergency stop is active; never the robot's failure.
    EmergencyStop = "emergency_stop",
    /// The robot does not answer; never the robot's failure.
    LinkLost = "link_lost",
    /// A command exceeds a limit of the arm.
    LimitViolated = "limit_violated",
    /// The last state from the robot is too old to act on.
    StaleState = "stale_state",
    /// The motion does not begin at the arm's present position.
    StartMismatch = "start_mismatch",
    /// The arguments do not fit the skill; the detail gives field, expected and actual value.
    BadArguments = "bad_arguments",
    /// No skill has that name; the detail lists the known ones.
    UnknownSkill = "unknown_skill",
    /// A person refused the approval.
    ApprovalDenied = "approval_denied",
    /// A model pointed at a place outside the picture.
    PointOutsideImage = "point_outside_image",
    /// A model pointed at a place without measured depth.
    PointWithoutDepth = "point_without_depth",
    /// A model pointed at the bare table.
    PointOnTable = "point_on_table",
    /// A model pointed at the robot itself.
    PointOnRobot = "point_on_robot",
    /// A dependency of perception does not answer; never the robot's failure.
    PerceptionUnavailable = "perception_unavailable",
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.slug())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_slug(&String::deserialize(deserializer)?))
    }
}

/// Severity of a failure for the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The result can be used as it is.
    Low,
    /// Another try of the same step may succeed.
    Medium,
    /// The plan has to change.
    High,
    /// The episode cannot go on.
    Critical,
}

/// Cause of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    /// The scene differs from what the plan needs.
    Environment,
    /// Another step should have come first.
    Dependency,
    /// The call itself is invalid.
    Validation,
    /// The step did not have its intended effect.
    Logic,
    /// The step took too long.
    Timeout,
    /// The robot cannot do this: reach, width, strength.
    Resource,
    /// The infrastructure failed, not the robot.
    Infrastructure,
    /// The cause is not known.
    Unknown,
}

impl Category {
    /// Returns the category as files write it.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Reaction to the outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// Go on with the next step.
    Continue,
    /// Repeat the call, changed if the failure suggests it.
    Retry,
    /// Plan this step again.
    Substitute,
    /// Plan all remaining steps again.
    Replan,
    /// Plan from scratch.
    FullReplan,
    /// Ask a person.
    Ask,
    /// End the episode.
    Abort,
}

/// Decision about the outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Reaction.
    pub route: Route,
    /// Severity of the failure.
    pub severity: Severity,
    /// Cause of the failure.
    pub category: Category,
    /// Grounds, in one sentence.
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slug_comes_back_as_its_reason() {
        for reason in Reason::BUILT_IN {
            assert_eq!(&Reason::from_slug(reason.slug()), reason);
        }
        assert_eq!(
            Reason::from_slug("tea_cold"),
            Reason::Custom("tea_cold".into())
        );
    }
}
