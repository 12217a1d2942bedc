//! `regrasp ik`: configurations for a pose of the tool.

use std::cmp::Ordering;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use regrasp::kinematics::Chain;
use regrasp::kinematics::ik::{self, DEFAULT_SAMPLES, IkOptions, IkOutcome, IkTarget, PandaQ};
use regrasp::scene::RobotFile;
use regrasp::{SetupError, load_model};
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::IkArguments;
use crate::{ExitCode, Result, RobotArguments, say, say_json};

/// Prints the configurations that bring the tool to a pose in the frame of the base.
pub(super) fn ik(arguments: &IkArguments) -> Result<ExitCode> {
    let (file, chain) = arm(&arguments.robot)?;
    let [x, y, z] = arguments.xyz[..] else {
        return Ok(ExitCode::Usage);
    };
    let [roll, pitch, yaw] = arguments.rpy[..] else {
        return Ok(ExitCode::Usage);
    };
    let base_from_tool = Isometry3::from_parts(
        Translation3::new(x, y, z),
        UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    );
    let found = IkReport::search(&chain, &base_from_tool, &file.home);
    if arguments.json {
        let report = found.to_json(&file.name, &base_from_tool);
        say_json(report)?;
    } else {
        found.print(&file.name);
    }
    Ok(match found.miss {
        None => ExitCode::Ok,
        Some(_) => ExitCode::TaskFailed,
    })
}

/// Chain of a robot file, base to tool.
pub(super) fn arm(robot: &RobotArguments) -> Result<(RobotFile, Chain)> {
    let file = robot.load()?;
    let model = load_model(&file)?;
    let chain = model.chain(&file.base_link, &file.tool_link);
    Ok((file, chain.map_err(SetupError::from)?))
}

/// Configuration with its distance to joint limits and its manipulability.
#[derive(Serialize)]
struct Solution {
    q: Vec<f64>,
    limit_margin_rad: f64,
    manipulability: f64,
}

impl Solution {
    fn new(chain: &Chain, q: &[f64]) -> Self {
        Self {
            q: q.to_vec(),
            limit_margin_rad: chain.limit_margin(q),
            manipulability: chain.manipulability(q),
        }
    }
}

struct IkReport {
    /// Solutions, those with the largest limit margin first.
    solutions: Vec<Solution>,
    is_closed_form: bool,
    /// Result of the numerical solver if there is no solution.
    miss: Option<IkOutcome>,
}

impl IkReport {
    fn search(chain: &Chain, base_from_tool: &Isometry3<f64>, home: &[f64]) -> Self {
        let of_sweep = closed_form(chain, base_from_tool);
        let is_closed_form = !of_sweep.is_empty();
        let mut solutions: Vec<Solution> =
            of_sweep.iter().map(|q| Solution::new(chain, q)).collect();
        let mut miss = None;
        if !is_closed_form {
            let target = IkTarget::Pose(*base_from_tool);
            match ik::solve(chain, &target, home, &IkOptions::default()) {
                IkOutcome::Solved { q, .. } => solutions.push(Solution::new(chain, &q)),
                outcome @ IkOutcome::NotConverged { .. } => miss = Some(outcome),
            }
        }
        solutions.sort_by(|a, b| {
            let order = b.limit_margin_rad.partial_cmp(&a.limit_margin_rad);
            order.unwrap_or(Ordering::Equal)
        });
        Self {
            solutions,
            is_closed_form,
            miss,
        }
    }

    fn print(&self, robot: &str) {
        if let Some(IkOutcome::NotConverged {
            nearest_q,
            pos_err_m,
            rot_err_rad,
            ..
        }) = &self.miss
        {
            say(&format!(
                "robot `{robot}`: unreachable: the nearest pose found is {pos_err_m:.4} m and \
                 {rot_err_rad:.4} rad away, at {nearest_q:.4?}"
            ));
            return;
        }
        let how = if self.is_closed_form {
            format!("in closed form, at {DEFAULT_SAMPLES} positions of joint 7")
        } else {
            "numerically; there may be more".to_owned()
        };
        let n = self.solutions.len();
        say(&format!("robot `{robot}`: {n} solution(s), {how}"));
        say("margin/rad  manipulability  joints/rad");
        for solution in &self.solutions {
            let joints: Vec<String> = solution.q.iter().map(|q| format!("{q:8.4}")).collect();
            say(&format!(
                "{:10.4}  {:14.4}  {}",
                solution.limit_margin_rad,
                solution.manipulability,
                joints.join(" ")
            ));
        }
    }

    fn to_json(&self, robot: &str, base_from_tool: &Isometry3<f64>) -> Value {
        let mut report = json!({
            "robot": robot,
            "base_from_tool": {
                "xyz": base_from_tool.translation.vector.as_slice(),
                "quat_xyzw": base_from_tool.rotation.coords.as_slice(),
            },
            "reachable": self.miss.is_none(),
            "closed_form": self.is_closed_form,
            "solutions": self.solutions,
        });
        if let Some(IkOutcome::NotConverged {
            nearest_q,
            pos_err_m,
            rot_err_rad,
            ..
        }) = &self.miss
        {
            report["nearest"] = json!({
                "q": nearest_q,
                "pos_err_m": pos_err_m,
                "rot_err_rad": rot_err_rad,
            });
        }
        report
    }
}

/// All closed-form solutions of a sweep over the redundant joint; if it finds none, of finer
/// sweeps. Empty for an arm without a closed form.
pub(super) fn closed_form(chain: &Chain, base_from_tool: &Isometry3<f64>) -> Vec<PandaQ> {
    let mut all = Vec::new();
    if let Some(closed_form) = chain.panda_ik() {
        closed_form.all(base_from_tool, DEFAULT_SAMPLES, &mut all);
    }
    all
}
