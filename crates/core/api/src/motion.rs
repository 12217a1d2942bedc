//! Requests to a motion planner and its answers.

use serde::{Deserialize, Serialize};

use crate::{Knot, MotionFailure, ObjectId, Percept, Pose, Shape, Trajectory};

/// Solid that the arm must not touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// Id of the object.
    pub id: ObjectId,
    /// Shape.
    pub shape: Shape,
    /// Pose in World.
    pub world_from_object: Pose,
}

/// Object in the hand, which moves with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Id of the object.
    pub id: ObjectId,
    /// Shape.
    pub shape: Shape,
    /// Pose in the tool frame.
    pub tool_from_object: Pose,
}

/// World of a motion planner, built from perception.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningScene {
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Held object.
    pub attached: Option<Attachment>,
    /// Obstacles that fingers and held object may touch: a grasp's target, a placement's surface.
    pub may_touch: Vec<ObjectId>,
    /// Direction to keep upright while the hand moves, for an open container with something in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_up: Option<KeepUp>,
}

impl PlanningScene {
    /// Creates a scene from everything that was perceived, except `held`.
    pub fn from_percept(percept: &Percept, held: Option<&ObjectId>) -> Self {
        let seen = percept.objects.iter().filter(|o| Some(&o.id) != held);
        let obstacles = seen.map(|o| Obstacle {
            id: o.id.clone(),
            shape: o.shape.clone(),
            world_from_object: o.world_from_object,
        });
        Self {
            obstacles: obstacles.collect(),
            ..Self::default()
        }
    }

    /// Allows the fingers and the held object to touch `id`.
    pub fn touching(mut self, id: ObjectId) -> Self {
        self.may_touch.push(id);
        self
    }
}

/// Target of inverse kinematics, in World.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolTarget {
    /// Position and orientation of the tool frame.
    Pose(Pose),
    /// Position of the tool point only, m.
    Position([f64; 3]),
    /// Position, with the tool's z axis along `axis_in_world` (unit length) and free rotation about
    /// it.
    Axis {
        /// Position of the tool point, m.
        position: [f64; 3],
        /// Direction of the tool's z axis.
        axis_in_world: [f64; 3],
    },
}

/// End of a planned motion.
#[derive(Clone, Debug)]
pub enum MotionGoal {
    /// A joint configuration.
    Joints(Vec<f64>),
    /// Any of several joint configurations: the one reached soonest without collision.
    AnyJoints(Vec<Vec<f64>>),
    /// Any of several tool poses in World: the one reached soonest without collision.
    AnyPose(Vec<Pose>),
    /// Straight line of the tool to this pose in World. The orientation turns at a constant rate
    /// along the line.
    Line(Pose),
    /// Straight line of the tool to this point in World. The tool's z axis turns at a constant rate
    /// to `axis_in_world` (unit length); rotation about it is free.
    AxisLine {
        /// Final position of the tool's origin in World, m.
        position: [f64; 3],
        /// Final direction of the tool's z axis.
        axis_in_world: [f64; 3],
    },
}

/// Constraint that a direction fixed in the tool stays near World's up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeepUp {
    /// Direction in the tool frame (unit length): for a held cup, the cup's own axis.
    pub axis_in_tool: [f64; 3],
    /// Largest angle to World's up, rad.
    pub within_rad: f64,
}

impl KeepUp {
    /// Largest tilt of a carried container, rad: well below the angle at which objects on its floor
    /// begin to slide.
    const CARRIED_RAD: f64 = 0.3;

    /// Creates the constraint for an open container whose axis in the tool frame is given.
    pub fn carried(axis_in_tool: [f64; 3]) -> Self {
        Self {
            axis_in_tool,
            within_rad: Self::CARRIED_RAD,
        }
    }
}

/// Request to a [`MotionPlanner`].
#[derive(Clone, Debug)]
pub struct MotionRequest<'a> {
    /// Pose of the arm's base.
    pub world_from_base: Pose,
    /// Present joint positions.
    pub start: &'a [f64],
    /// Distance between the finger pads during the motion, m.
    pub gripper_width_m: f64,
    /// Goal of the motion.
    pub goal: MotionGoal,
    /// Obstacles and held object.
    pub scene: &'a PlanningScene,
    /// Fraction of the robot's limits to use, in (0, 1].
    pub speed_scale: f64,
    /// Direction to keep upright, if any.
    pub keep_up: Option<KeepUp>,
}

/// Result of motion planning.
#[derive(Clone, Debug)]
pub struct PlannedMotion {
    /// Timed motion.
    pub trajectory: Trajectory,
    /// Index of the goal that the motion reaches (0 if there is only one).
    pub goal_idx: usize,
}

/// Finds collision-free, timed motions for one robot. Calls have no side effects.
pub trait MotionPlanner: Send + Sync {
    /// Returns the tool pose of a configuration, in Base.
    fn base_from_tool(&self, joints: &[f64]) -> Pose;

    /// Returns true if the arm reaches the target, obstacles ignored. Unlike
    /// [`MotionPlanner::inverse`], it does not report by how far the arm misses the target.
    fn reaches(&self, world_from_base: &Pose, target: &ToolTarget, seed: &[f64]) -> bool {
        self.inverse(world_from_base, target, seed).is_ok()
    }

    /// Finds a configuration that reaches the target, obstacles ignored.
    ///
    /// # Errors
    ///
    /// [`MotionFailure::Unreachable`].
    fn inverse(
        &self,
        world_from_base: &Pose,
        target: &ToolTarget,
        seed: &[f64],
    ) -> Result<Vec<f64>, MotionFailure>;

    /// Finds several configurations for a tool pose, obstacles ignored: the closest to `near`, and
    /// others. A redundant arm has many, and the motion after the pose may be possible from few of
    /// them. Default: one configuration, near `near`.
    ///
    /// # Errors
    ///
    /// [`MotionFailure::Unreachable`].
    fn configurations(
        &self,
        world_from_base: &Pose,
        world_from_tool: &Pose,
        near: &[f64],
    ) -> Result<Vec<Vec<f64>>, MotionFailure> {
        let target = ToolTarget::Pose(*world_from_tool);
        Ok(vec![self.inverse(world_from_base, &target, near)?])
    }

    /// Returns the distance of the joints from their limits: 1 if each is in the middle of its
    /// range, 0 if one is at its limit.
    fn limit_margin(&self, joints: &[f64]) -> f64;

    /// Plans a timed motion without forbidden contacts.
    ///
    /// # Errors
    ///
    /// See [`MotionFailure`].
    fn plan(&self, request: &MotionRequest<'_>) -> Result<PlannedMotion, MotionFailure>;

    /// Returns the first `for_secs` seconds of the fastest motion within the limits that comes to
    /// rest at the joint positions `toward`. If it takes longer, the result ends on the way, and
    /// the next call continues from its last knot. Positions beyond the joints' limits are clamped.
    /// Obstacles are ignored: monitors have to detect contact.
    ///
    /// # Errors
    ///
    /// [`MotionFailure::BadTarget`] if numbers are not finite, too few or too many, or no motion
    /// within the limits exists.
    fn steer(
        &self,
        from: &Knot,
        toward: &[f64],
        for_secs: f64,
        speed_scale: f64,
    ) -> Result<Trajectory, MotionFailure>;
}
