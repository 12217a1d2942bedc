//! Inverse kinematics for tool targets in World.

use nalgebra::{Point3, Unit, Vector3};
use regrasp_api::{MotionFailure, Pose, ToolTarget};
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};

use crate::cause;

pub(crate) struct Miss {
    world_from_base: Pose,
    /// Target in Base.
    target: IkTarget,
    outcome: IkOutcome,
    pub(crate) pos_err_m: f64,
    tol_m: f64,
}

impl Miss {
    /// Returns the failure with its cause. Finding the cause costs about as much as the inverse
    /// kinematics did: call this only for the one miss that is reported.
    pub(crate) fn failure(&self, chain: &Chain) -> MotionFailure {
        let outcome = &self.outcome;
        let why = cause::why(chain, &self.world_from_base, &self.target, outcome);
        MotionFailure::Unreachable {
            detail: format!("{why}; {outcome}"),
            pos_err_m: self.pos_err_m,
            tol_m: self.tol_m,
        }
    }
}

pub(crate) fn solve(
    chain: &Chain,
    world_from_base: &Pose,
    target: &ToolTarget,
    seed: &[f64],
    options: &IkOptions,
) -> Result<Vec<f64>, Box<Miss>> {
    let base_from_world = world_from_base.inverse();
    let point = |p: [f64; 3]| base_from_world * Point3::from(p);
    let target = match target {
        ToolTarget::Pose(world_from_tool) => IkTarget::Pose(base_from_world * world_from_tool),
        ToolTarget::Position(p) => IkTarget::Position(point(*p)),
        ToolTarget::Axis {
            position,
            axis_in_world,
        } => IkTarget::ToolAxis {
            position: point(*position),
            axis: Unit::new_normalize(base_from_world * Vector3::from(*axis_in_world)),
        },
    };
    match ik::solve(chain, &target, seed, options) {
        IkOutcome::Solved { q, .. } => Ok(q),
        outcome @ IkOutcome::NotConverged { pos_err_m, .. } => Err(Box::new(Miss {
            world_from_base: *world_from_base,
            target,
            outcome,
            pos_err_m,
            tol_m: options.pos_tol_m,
        })),
    }
}
