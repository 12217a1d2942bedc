//! Telling the consumers of events which motions begin, and which were not found.

use nalgebra::{Translation3, UnitQuaternion, Vector3};

use crate::Robot;
use regrasp_api::{
    Event, Failure, MotionFailure, MotionGoal, MotionRequest, Observation, PlannedMotion,
    PlanningScene, Pose, ToolTarget, Trajectory,
};

/// Between two points of a path that is told, s; a long motion has fewer.
const EVERY_SECS: f64 = 0.05;
/// Most points of a path that is told.
const MOST_POINTS: f64 = 100.0;
/// Paths are told to this part of a metre: 0.01 mm.
const PER_M: f64 = 1e5;

impl Robot {
    /// A motion from joint positions with the fingers so wide, at the usual speed, as the base
    /// stands `now`. Nothing moves.
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

    /// The same at a part of the limits, and which of several goals it leads to.
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

    /// Returns true if the arm gets to a tool pose in World, obstacles aside.
    pub fn reaches(&self, now: &Observation, world_from_tool: &Pose) -> bool {
        let target = ToolTarget::Pose(*world_from_tool);
        self.motion
            .reaches(&now.world_from_base, &target, &now.joint_positions)
    }

    /// The joint positions at which the arm is at a tool pose in World, obstacles aside.
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

    /// Tells where a motion that begins now will lead the tool.
    pub(crate) fn tell_motion(&mut self, trajectory: &Trajectory) -> Result<(), Failure> {
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

    /// Tells that there is no motion to a goal, and why.
    pub fn tell_no_motion(&mut self, failure: &MotionFailure, goal: &MotionGoal) {
        let goals_in_world = self.tool_poses(goal);
        self.emit(Event::NoMotion {
            reason: failure.reason(),
            detail: failure.to_string(),
            goals_in_world,
            pairs: failure.pairs().to_vec(),
        });
    }

    /// The tool poses in World that a goal means.
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
                // There is none between opposite directions, where any half turn will do.
                let half_turn =
                    || UnitQuaternion::from_euler_angles(std::f64::consts::PI, 0.0, 0.0);
                let place = Translation3::from(Vector3::from(*position));
                vec![Pose::from_parts(place, turn.unwrap_or_else(half_turn))]
            }
        }
    }

    /// The tool poses in World at those configurations that are whole.
    fn tool_poses_at(&mut self, configurations: &[Vec<f64>]) -> Vec<Pose> {
        // What cannot be asked where it stands is told without.
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
