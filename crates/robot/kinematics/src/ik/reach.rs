//! Targets that are out of reach for any joint positions.

use nalgebra::{Isometry3, Vector3};

use super::{IkOptions, IkTarget, PandaIk};
use crate::Chain;

/// Returns true if the lengths of the arm alone rule a target out, tolerances included.
///
/// The tip lies within [`Chain::reach_m`] of the shoulder. A pose also fixes the origin of the last
/// joint's frame and, with a closed form, bounds the distance from the wrist to the shoulder.
pub(super) fn is_beyond(
    chain: &Chain,
    target: &IkTarget,
    options: &IkOptions,
    closed_form: Option<&PandaIk>,
) -> bool {
    let is_far = |point: Vector3<f64>, reach_m: f64| {
        (point - chain.shoulder_in_base().coords).norm() > reach_m
    };
    let tip_reach_m = chain.reach_m() + options.pos_tol_m;
    let base_from_tool = match target {
        IkTarget::Position(at) | IkTarget::ToolAxis { position: at, .. } => {
            return is_far(at.coords, tip_reach_m);
        }
        IkTarget::Pose(base_from_tool) => base_from_tool,
    };
    let (_, end) = chain.parts();
    let last_m = end.translation.vector.norm();
    // A rotation of the tool within the tolerance moves the joint's origin about it.
    let slack_m = |lever_m: f64| options.pos_tol_m + options.rot_tol_rad * lever_m;
    let last_joint = last_joint(base_from_tool, &end.inverse().translation.vector);
    is_far(base_from_tool.translation.vector, tip_reach_m)
        || is_far(last_joint, chain.reach_m() - last_m + slack_m(last_m))
        || closed_form.is_some_and(|ik| {
            let slack_m = slack_m(ik.wrist_from_tool_m());
            ik.wrist_is_out_of_reach(base_from_tool, slack_m)
        })
}

/// Origin of the last joint's frame, in the base.
fn last_joint(base_from_tool: &Isometry3<f64>, in_tool: &Vector3<f64>) -> Vector3<f64> {
    base_from_tool.translation.vector + base_from_tool.rotation * in_tool
}
