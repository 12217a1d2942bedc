//! Planning without motion, and events about planned motions.

use nalgebra::{Translation3, UnitQuaternion, Vector3};

use crate::Robot;
use regrasp_api::{
    Event, Failure, MotionFailure, MotionGoal, MotionRequest, Observation, PlannedMotion,
    PlanningScene, Pose, ToolTarget, Trajectory,
};

/// Time between two points of an emitted path, s; longer for long motions.
const EVERY_SECS: f64 = 0.05;
/// Largest number of intervals of an emitted path.
const MOST_POINTS: f64 = 100.0;
/// Inverse resolution of emitted paths, 1/m: 0.01 mm.
const PER_M: f64 = 1e5;

impl Robot {
    /// Plans a motion from joint positions and a finger distance at the usual speed, with the base
    /// as observed `now`. Nothing moves.
    ///
    /// # Errors
    ///
    /// Those of the motion planner.
    pub fn motion_from(
        &self,
        now: &Observation,
        start: &[f64],
        gripper_width_m: f64,
        goal: MotionGoal,
        scene: &PlanningScene,
    ) -> Result<Trajectory, MotionFailure> {
        let speed = self.usual_speed();
        let planned = self.plan_from(now, start, gripper_width_m, goal, scene, speed);
        planned.map(|planned| planned.trajectory)
    }

    /// Plans a motion at a fraction of the limits, and returns which of several goals it reaches.
    /// Nothing moves.
    ///
    /// # Errors
    ///
    /// Those of the motion planner.
    pub fn plan_from(
        &self,
        now: &Observation,
        start: &[f64],
        gripper_width_m: f64,
        goal: MotionGoal,
        scene: &PlanningScene,
        speed_scale: f64,
    ) -> Result<PlannedMotion, MotionFailure> {
        self.motion.plan(&MotionRequest {
            world_from_base: now.world_from_base,
            start,
            gripper_width_m,
            goal,
            scene,
            speed_scale,
            keep_up: scene.keep_up,
        })
    }

    /// Returns true if the arm reaches a tool pose in World, ignoring obstacles.
    pub fn reaches(&self, now: &Observation, world_from_tool: &Pose) -> bool {
        let target = ToolTarget::Pose(*world_from_tool);
        self.motion
            .reaches(&now.world_from_base, &target, &now.joint_positions)
    }

    /// Joint positions for a tool pose in World, ignoring obstacles.
    ///
    /// # Errors
    ///
    /// Those of the motion planner.
    pub fn inverse(
        &self,
        now: &Observation,
        world_from_tool: &Pose,
    ) -> Result<Vec<f64>, MotionFailure> {
        let target = ToolTarget::Pose(*world_from_tool);
        self.motion
            .inverse(&now.world_from_base, &target, &now.joint_positions)
    }

    /// Emits the tool path of a motion that starts now.
    pub(crate) fn emit_motion(&mut self, trajectory: &Trajectory) -> Result<(), Failure> {
        let world_from_base = self.observe()?.world_from_base;
        let duration_secs = trajectory.duration_secs();
        let n_steps = (duration_secs / EVERY_SECS).ceil().clamp(1.0, MOST_POINTS);
        let mut q = vec![0.0; trajectory.n_joints()];
        let mut v = vec![0.0; trajectory.n_joints()];
        let points = (0..=n_steps as usize).map(|k| {
            trajectory.sample(duration_secs * k as f64 / n_steps, &mut q, &mut v);
            let tool = world_from_base * self.motion.base_from_tool(&q);
            let tool = tool.translation.vector;
            [tool.x, tool.y, tool.z].map(|v| (v * PER_M).round() / PER_M)
        });
        let tool_in_world = points.collect();
        self.emit(Event::MotionStarted {
            tool_in_world,
            duration_secs,
        });
        Ok(())
    }

    /// Emits that no motion to a goal exists, and why.
    pub fn emit_no_motion(&mut self, failure: &MotionFailure, goal: &MotionGoal) {
        let goals_in_world = self.tool_poses(goal);
        self.emit(Event::NoMotion {
            reason: failure.reason(),
            detail: failure.to_string(),
            goals_in_world,
            pairs: failure.pairs().to_vec(),
        });
    }

    fn tool_poses(&mut self, goal: &MotionGoal) -> Vec<Pose> {
        match goal {
            MotionGoal::Joints(joints) => self.tool_poses_at(std::slice::from_ref(joints)),
            MotionGoal::AnyJoints(configurations) => self.tool_poses_at(configurations),
            MotionGoal::AnyPose(poses) => poses.clone(),
            MotionGoal::Line(pose) => vec![*pose],
            MotionGoal::AxisLine {
                position,
                axis_in_world,
            } => {
                let axis = Vector3::from(*axis_in_world);
                let turn = UnitQuaternion::rotation_between(&Vector3::z(), &axis);
                // Undefined for opposite directions, where any half turn is valid.
                let half_turn =
                    || UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.0);
                let place = Translation3::from(Vector3::from(*position));
                vec![Pose::from_parts(place, turn.unwrap_or_else(half_turn))]
            }
        }
    }

    /// Tool poses in World of the configurations that have the right number of joints.
    fn tool_poses_at(&mut self, configurations: &[Vec<f64>]) -> Vec<Pose> {
        // Without an observation of the base, the event has no poses.
        let Ok(now) = self.observe() else {
            return vec![];
        };
        let whole = configurations
            .iter()
            .filter(|joints| joints.len() == now.joint_positions.len());
        whole
            .map(|joints| now.world_from_base * self.motion.base_from_tool(joints))
            .collect()
    }
}
