//! What motion planning is asked and answers.

use serde::{Deserialize, Serialize};

use crate::{Knot, MotionFailure, ObjectId, Percept, Pose, Shape, Trajectory};

/// A solid that the arm must not touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// What it is.
    pub id: ObjectId,
    /// Its shape.
    pub shape: Shape,
    /// Where it is.
    pub world_from_object: Pose,
}

/// Something in the hand, which moves with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// What it is.
    pub id: ObjectId,
    /// Its shape.
    pub shape: Shape,
    /// Where it sits in the hand.
    pub tool_from_object: Pose,
}

/// The world as a motion planner sees it, built from perception.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanningScene {
    /// What is in the way.
    pub obstacles: Vec<Obstacle>,
    /// What is held.
    pub attached: Option<Attachment>,
    /// Obstacles that the fingers (and what they hold) may touch: the target of a
    /// grasp, the surface under a placement.
    pub may_touch: Vec<ObjectId>,
    /// What has to stay upright while the hand moves: an open container with something in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_up: Option<KeepUp>,
}

impl PlanningScene {
    /// Everything that was seen, except `held`.
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

    /// Also allows the fingers to touch `id`.
    pub fn touching(mut self, id: ObjectId) -> Self {
        self.may_touch.push(id);
        self
    }
}

/// What inverse kinematics should reach, in World.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolTarget {
    /// Position and orientation of the tool frame.
    Pose(Pose),
    /// Position only.
    Position([f64; 3]),
    /// Position, and the tool's z axis along `axis_in_world` (unit length); free
    /// to turn about it.
    Axis {
        /// Position of the tool point.
        position: [f64; 3],
        /// Direction of the tool's z axis.
        axis_in_world: [f64; 3],
    },
}

/// Where a motion should end.
#[derive(Clone, Debug)]
pub enum MotionGoal {
    /// A joint configuration.
    Joints(Vec<f64>),
    /// Any of several joint configurations: the one that is reached soonest without touching
    /// anything.
    AnyJoints(Vec<Vec<f64>>),
    /// Any of several tool poses in World, in any of the configurations that reach it: the
    /// one that is reached soonest without touching anything.
    AnyPose(Vec<Pose>),
    /// The tool moves on a straight line to this pose in World, its orientation turning
    /// evenly (and not at all if it is that of the start).
    Line(Pose),
    /// The tool moves on a straight line to this point in World, its z axis turning evenly
    /// into `axis_in_world` (unit length); it may turn about that axis as it likes.
    AxisLine {
        /// Where the tool's origin ends.
        position: [f64; 3],
        /// Where the tool's z axis points in the end.
        axis_in_world: [f64; 3],
    },
}

/// "Keep it upright": a direction fixed in the tool that stays near World's up all the way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeepUp {
    /// The direction (unit length) in the axes of the tool: for a cup in the hand, the cup's
    /// own axis.
    pub axis_in_tool: [f64; 3],
    /// The most by which it may lean, rad.
    pub within_rad: f64,
}

impl KeepUp {
    /// How far a container with something in it may lean while it is carried, rad. What lies
    /// on its floor stays there far beyond this; more would only let it slide about.
    const CARRIED_RAD: f64 = 0.3;

    /// For an open container with something in it, whose axis this is in the axes of the tool.
    pub fn carried(axis_in_tool: [f64; 3]) -> Self {
        Self {
            axis_in_tool,
            within_rad: Self::CARRIED_RAD,
        }
    }
}

/// One question to a [`MotionPlanner`].
#[derive(Clone, Debug)]
pub struct MotionRequest<'a> {
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// Present joint positions.
    pub start: &'a [f64],
    /// Distance between the finger pads during the motion, m.
    pub gripper_width_m: f64,
    /// Where to go.
    pub goal: MotionGoal,
    /// What is in the way.
    pub scene: &'a PlanningScene,
    /// Fraction of the robot's limits to use, in (0, 1].
    pub speed_scale: f64,
    /// What has to stay upright on the way, if anything.
    pub keep_up: Option<KeepUp>,
}

/// A motion that was found.
#[derive(Clone, Debug)]
pub struct PlannedMotion {
    /// The timed motion.
    pub trajectory: Trajectory,
    /// Which of the goals it reaches (0 if there is only one).
    pub goal_idx: usize,
}

/// Finds collision-free, timed motions for one robot. Pure: nothing is mutated.
pub trait MotionPlanner: Send + Sync {
    /// Where the tool is for a configuration, in Base.
    fn base_from_tool(&self, joints: &[f64]) -> Pose;

    /// Whether the arm reaches the target, obstacles aside: as [`MotionPlanner::inverse`], but
    /// it need not find out how far off a miss is.
    fn reaches(&self, world_from_base: &Pose, target: &ToolTarget, seed: &[f64]) -> bool {
        self.inverse(world_from_base, target, seed).is_ok()
    }

    /// A configuration that reaches the target, obstacles aside.
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

    /// Some of the configurations that bring the tool to a pose, obstacles aside: those `near`
    /// a configuration and others that differ. An arm with a joint to spare has many, and
    /// what comes after the pose may only work from a few.
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

    /// How far the joints are from their limits: 1 if each is in the middle of its
    /// range, 0 if one is at its limit.
    fn limit_margin(&self, joints: &[f64]) -> f64;

    /// A timed motion that touches nothing it may not touch.
    ///
    /// # Errors
    ///
    /// See [`MotionFailure`].
    fn plan(&self, request: &MotionRequest<'_>) -> Result<PlannedMotion, MotionFailure>;

    /// The motion of the next `for_secs` from a state towards joint positions, at which it
    /// would come to rest as soon as the limits allow. It ends on the way if they are
    /// further, and its last knot is the state from which to go on. Positions beyond the
    /// joints' limits mean the limits. Nothing is looked at but the limits: whatever is in
    /// the way has to be noticed by monitors.
    ///
    /// # Errors
    ///
    /// [`MotionFailure::BadTarget`] if numbers are not finite, too few or too many, or no
    /// motion within the limits exists.
    fn steer(
        &self,
        from: &Knot,
        toward: &[f64],
        for_secs: f64,
        speed_scale: f64,
    ) -> Result<Trajectory, MotionFailure>;
}
