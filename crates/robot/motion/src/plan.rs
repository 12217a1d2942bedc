//! The [`regrasp_api::MotionPlanner`] implementation for one arm.

use regrasp_api::{
    Knot, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlannedMotion, Pose, ToolTarget,
    Trajectory,
};
use regrasp_kinematics::ik::IkOptions;

use crate::arm::ArmPlanner;
use crate::route::Task;
use crate::untimed::UntimedMotion;
use crate::{goals, inverse, straight, timing};

/// Number of iterations after which a pose counts as unreachable for an arm with a closed form. If
/// the closed form has no solution, further starts hardly ever find one.
const AFTER_CLOSED_FORM: usize = 60;

impl MotionPlanner for ArmPlanner {
    fn base_from_tool(&self, joints: &[f64]) -> Pose {
        self.chain.forward(joints)
    }

    fn inverse(
        &self,
        world_from_base: &Pose,
        target: &ToolTarget,
        seed: &[f64],
    ) -> Result<Vec<f64>, MotionFailure> {
        inverse::solve(
            &self.chain,
            world_from_base,
            target,
            seed,
            &IkOptions::default(),
        )
        .map_err(|miss| miss.failure(&self.chain))
    }

    fn reaches(&self, world_from_base: &Pose, target: &ToolTarget, seed: &[f64]) -> bool {
        let mut options = IkOptions::default();
        if self.chain.panda_ik().is_some() {
            options.max_iterations = AFTER_CLOSED_FORM;
        }
        inverse::solve(&self.chain, world_from_base, target, seed, &options).is_ok()
    }

    fn configurations(
        &self,
        world_from_base: &Pose,
        world_from_tool: &Pose,
        near: &[f64],
    ) -> Result<Vec<Vec<f64>>, MotionFailure> {
        goals::configurations(self, world_from_base, world_from_tool, near)
            .map_err(|miss| miss.failure(&self.chain))
    }

    fn limit_margin(&self, joints: &[f64]) -> f64 {
        let bounds = self.bounds();
        let margins = joints.iter().zip(&bounds).map(|(q, [low, high])| {
            let half = 0.5 * (high - low);
            (q - low).min(high - q) / half
        });
        margins.fold(1.0, f64::min).max(0.0)
    }

    fn plan(&self, request: &MotionRequest<'_>) -> Result<PlannedMotion, MotionFailure> {
        let task = Task::new(self, request);
        if let Some(pair) = task.touching(request.start) {
            return Err(MotionFailure::StartInCollision { pair });
        }
        if let Some(failure) = task.leaning("start", request.start) {
            return Err(failure);
        }
        let (motion, goal_idx) = motion(&task)?;
        let trajectory = match motion {
            Some(motion) => motion.time(&self.limits, request.speed_scale),
            None => timing::stay(request.start),
        };
        Ok(PlannedMotion {
            trajectory,
            goal_idx,
        })
    }

    fn steer(
        &self,
        from: &Knot,
        toward: &[f64],
        for_secs: f64,
        speed_scale: f64,
    ) -> Result<Trajectory, MotionFailure> {
        timing::steer(from, toward, for_secs, speed_scale, &self.limits)
    }
}

/// Returns the path that a request asks for (`None` if the arm is there already) and the index of
/// the goal that it reaches.
fn motion(task: &Task<'_>) -> Result<(Option<UntimedMotion>, usize), MotionFailure> {
    match &task.request.goal {
        MotionGoal::Joints(goal) => goals::to_any_joints(task, std::slice::from_ref(goal)),
        MotionGoal::Line(world_from_tool) => Ok((straight::to_pose(task, world_from_tool)?, 0)),
        MotionGoal::AxisLine {
            position,
            axis_in_world,
        } => Ok((straight::to_axis(task, *position, *axis_in_world)?, 0)),
        MotionGoal::AnyJoints(configurations) => goals::to_any_joints(task, configurations),
        MotionGoal::AnyPose(poses) => goals::to_any_pose(task, poses),
    }
}
