//! From tool targets in World to configurations.

use nalgebra::{Point3, Unit, Vector3};
use regrasp_api::{MotionFailure, Pose, ToolTarget};
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};

/// Solves for one target; a miss tells how far off and how far the arm reaches.
pub(crate) fn solve(
    chain: &Chain,
    world_from_base: &Pose,
    target: &ToolTarget,
    seed: &[f64],
    options: &IkOptions,
) -> Result<Vec<f64>, MotionFailure> {
    let base_from_world = world_from_base.inverse();
    let point = |p: [f64; 3]| base_from_world * Point3::from(p);
    let (target_in_base, position) = match target {
        ToolTarget::Pose(world_from_tool) => {
            let base_from_tool = base_from_world * world_from_tool;
            (
                IkTarget::Pose(base_from_tool),
                base_from_tool.translation.vector.into(),
            )
        }
        ToolTarget::Position(p) => (IkTarget::Position(point(*p)), point(*p)),
        ToolTarget::Axis {
            position,
            axis_in_world,
        } => {
            let axis = Unit::new_normalize(base_from_world * Vector3::from(*axis_in_world));
            (
                IkTarget::ToolAxis {
                    position: point(*position),
                    axis,
                },
                point(*position),
            )
        }
    };
    let outcome = ik::solve(chain, &target_in_base, seed, options);
    match &outcome {
        IkOutcome::Solved { q, .. } => Ok(q.clone()),
        IkOutcome::NotConverged { pos_err_m, .. } => {
            let shoulder = chain.shoulder_in_base();
            let away_m = (position - shoulder).norm();
            Err(MotionFailure::Unreachable {
                detail: format!(
                    "{outcome}; the target is {away_m:.3} m from the shoulder, the arm reaches \
                     at most {:.3} m",
                    chain.reach_m()
                ),
                pos_err_m: *pos_err_m,
                tol_m: options.pos_tol_m,
            })
        }
    }
}
