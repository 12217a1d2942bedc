//! Goals to which the tool moves on a straight line.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{MotionFailure, Pose, ToolTarget};

use crate::line::{follow, n_steps, tool_line};
use crate::path::Path;
use crate::route::Task;
use crate::untimed::UntimedMotion;

/// Path on which the tool moves along a straight line and rotates at a constant rate; `None` if it
/// is there already.
pub(crate) fn to_pose(
    task: &Task<'_>,
    world_from_goal: &Pose,
) -> Result<Option<UntimedMotion>, MotionFailure> {
    let (from, start) = (task.world_from_base(), task.request.start);
    let points = tool_line(task.arm, from, start, world_from_goal)?;
    free_way(task, &points)
}

/// Straight path of the tool to a point and a direction of its z axis, free to rotate about that
/// axis.
pub(crate) fn to_axis(
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
