//! The [`regrasp_api::MotionPlanner`] implementation for one arm.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{
    Knot, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlannedMotion, Pose, ToolTarget,
    Trajectory,
};
use regrasp_kinematics::ik::IkOptions;

use crate::arm::ArmPlanner;
use crate::collision::{CARRY_MARGIN_M, HAND_MARGIN_M};
use crate::line::{follow, n_steps, tool_line};
use crate::path::Path;
use crate::route::Task;
use crate::untimed::UntimedMotion;
use crate::{goals, inverse, timing};

/// Number of iterations after which a pose counts as unreachable for an arm with a closed form. If
/// the closed form has no solution, more restarts hardly ever find one.
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
        let options = IkOptions::default();
        let found = inverse::solve(&self.chain, world_from_base, target, seed, &options);
        found.map_err(|miss| miss.failure(&self.chain))
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
        let is_line = matches!(
            request.goal,
            MotionGoal::Line(_) | MotionGoal::AxisLine { .. }
        );
        let carries = request.scene.attached.is_some() && !is_line;
        let roomy = carries.then(|| motion(&Task::new(self, request, CARRY_MARGIN_M)));
        let (motion, goal_idx) = match roomy {
            Some(Ok(found)) => found,
            _ => motion(&Task::new(self, request, HAND_MARGIN_M))?,
        };
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
    let start = task.request.start;
    if let Some(pair) = task.touching(start) {
        return Err(MotionFailure::StartInCollision { pair });
    }
    if let Some(failure) = task.leaning("start", start) {
        return Err(failure);
    }
    match &task.request.goal {
        MotionGoal::Joints(goal) => goals::to_any_joints(task, std::slice::from_ref(goal)),
        MotionGoal::Line(world_from_tool) => Ok((to_pose(task, world_from_tool)?, 0)),
        MotionGoal::AxisLine {
            position,
            axis_in_world,
        } => Ok((to_axis(task, *position, *axis_in_world)?, 0)),
        MotionGoal::AnyJoints(configurations) => goals::to_any_joints(task, configurations),
        MotionGoal::AnyPose(poses) => goals::to_any_pose(task, poses),
    }
}

/// Path on which the tool moves along a straight line and rotates at a constant rate; `None` if the
/// tool is at the goal already.
fn to_pose(
    task: &Task<'_>,
    world_from_goal: &Pose,
) -> Result<Option<UntimedMotion>, MotionFailure> {
    let (from, start) = (task.world_from_base(), task.request.start);
    let points = tool_line(task.arm, from, start, world_from_goal)?;
    free_way(task, &points)
}

/// Straight path of the tool to a point and a direction of its z axis, free to rotate about that
/// axis.
fn to_axis(
    task: &Task<'_>,
    position: [f64; 3],
    axis_in_world: [f64; 3],
) -> Result<Option<UntimedMotion>, MotionFailure> {
    let world_from_start = task.world_from_base() * task.arm.chain.forward(task.request.start);
    let axis_at_start = world_from_start * Vector3::z();
    let axis_at_goal = Vector3::from(axis_in_world);
    // Half a turn has no shortest rotation; any perpendicular axis works.
    let turn =
        UnitQuaternion::rotation_between(&axis_at_start, &axis_at_goal).unwrap_or_else(|| {
            UnitQuaternion::new(world_from_start * Vector3::x() * std::f64::consts::PI)
        });
    let displacement = Vector3::from(position) - world_from_start.translation.vector;
    let n_steps = n_steps(displacement.norm(), turn.angle());
    let target = |f: f64| ToolTarget::Axis {
        position: (world_from_start.translation.vector + displacement * f).into(),
        axis_in_world: (turn.powf(f) * axis_at_start).into(),
    };
    let start = task.request.start;
    let base = task.world_from_base();
    let points = follow(task.arm, base, start, n_steps, displacement.norm(), &target)?;
    free_way(task, &points)
}

fn free_way(task: &Task<'_>, points: &[Vec<f64>]) -> Result<Option<UntimedMotion>, MotionFailure> {
    let Some(path) = Path::through(points) else {
        return Ok(None);
    };
    if let Some(goal) = points.last() {
        if let Some(failure) = task.leaning("goal", goal) {
            return Err(failure);
        }
        if let Some(pair) = task.touching(goal) {
            return Err(MotionFailure::GoalInCollision { pairs: vec![pair] });
        }
    }
    let free = task.first_free([UntimedMotion::Path(path)]);
    let free = free.map_err(|blockers| MotionFailure::PathBlocked { blockers })?;
    Ok(Some(free))
}
