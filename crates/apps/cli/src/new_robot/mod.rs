//! `regrasp new robot URDF`: a first robot file, with what it guessed.
//!
//! The URDF's tree tells the arm from the hand: the arm is the only path of moving joints from the
//! root, and the hand is where the path divides. Everything else is tried: the pads, the tool frame
//! and the widths are the first that the loader accepts.

mod hand;
mod parts;

use std::f64::consts::PI;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use nalgebra::{Isometry3, Point3, Vector3};
use regrasp::SetupError;
use regrasp::kinematics::ik::{self, IkOptions, IkTarget};
use regrasp::kinematics::{Chain, Joint, JointKind, MeshSearch, RobotModel};
use serde_json::{Value, json};

use self::hand::{Hand, bare_tool, find_hand};
use self::parts::{Parts, rounded};
use crate::check::check_robot;
use crate::{CliError, ExitCode, Result, say};

/// Time in which a joint reaches its largest speed, and its largest acceleration, s.
const RAMP_SECS: [f64; 2] = [0.2, 0.01];
/// Part of its effort with which a joint accelerates the arm at full stretch.
const ARM_PART: f64 = 0.5;
/// Stiffness of a servo per torque, 1/rad: the whole torque at an error of 0.02 rad.
const STIFFNESS_PER_NM: f64 = 50.0;
/// Largest part of its effort that a motor needs for its own inertia, or for its own damping.
const MOTOR_PART: f64 = 0.2;
/// Payload as a fraction of the mass that the strongest joint can hold with the arm stretched.
const PAYLOAD_PART: f64 = 0.25;
/// Distance to the joint limits above which a home configuration scores no better, rad.
const WIDE_MARGIN_RAD: f64 = 0.5;
/// Height of the elbow above the base that is high enough, as a fraction of the reach.
const HIGH: f64 = 0.4;
/// Penalty on joint angles in the score, 1/rad: it decides between equal turns of base and wrist.
const TURNED: f64 = 0.1;
const GRAVITY: f64 = 9.81;
/// Number of configurations from which a home is searched in front of the base, or else around it.
const N_HOMES: u64 = 200;

#[derive(Args, Debug)]
pub(super) struct RobotFileArguments {
    /// URDF of the robot.
    urdf: PathBuf,
    /// The robot file to write. Default: beside the URDF, with its name.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Link that carries the fingers or the tool. Default: the link where the only path of moving
    /// joints divides or ends.
    #[arg(long, value_name = "LINK")]
    hand: Option<String>,
    /// Folders to search for `package://` paths.
    #[arg(long, value_name = "FOLDER")]
    package_path: Vec<PathBuf>,
}

/// Writes a robot file and says what it guessed. Nothing is overwritten.
pub(super) fn new_robot(arguments: &RobotFileArguments) -> Result<ExitCode> {
    let urdf = &arguments.urdf;
    let meshes = MeshSearch {
        package_paths: arguments.package_path.clone(),
        ..MeshSearch::default()
    };
    let model = RobotModel::load(urdf, &meshes).map_err(SetupError::from)?;
    let parts = Parts::find(&model, arguments.hand.as_deref())?;
    let arm = parts.arm.iter().map(|j| model.joints()[*j].name.clone());
    let arm: Vec<String> = arm.collect();
    model.check_arm(&arm, urdf).map_err(SetupError::from)?;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| urdf.with_extension("yaml"));
    let (file, guesses) = guessed(&model, &parts, arguments, &out)?;
    let head = "# Written by `regrasp new robot`. Lists are in the order of `arm.joints`.";
    let text = format!("{head}{}", yaml(&file, ""));
    let written = File::create_new(&out).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(CliError::writing(&out))?;
    let (out_name, guesses) = (out.display(), guesses.join("\n- "));
    say(&format!(
        "wrote {out_name}; check these guesses and correct them there:\n- {guesses}"
    ));
    if let Err(error) = check_robot(&out) {
        // Nobody can use it: the URDF has to be corrected first.
        std::fs::remove_file(&out).map_err(CliError::writing(&out))?;
        say(&format!("removed {out_name}, which would be refused:"));
        return Err(error);
    }
    Ok(ExitCode::Ok)
}

/// Searches a configuration with the tool pointing down, if possible in front of the base, with the
/// arm above the table, far from the ends of the joints and from singular configurations.
fn find_home(
    model: &RobotModel,
    chain: &Chain,
    parts: &Parts,
    mount: &Isometry3<f64>,
) -> Option<Vec<f64>> {
    let (shoulder, reach_m) = (chain.shoulder_in_base(), chain.reach_m());
    let hangs = (mount.rotation * Vector3::z()).z < -0.5;
    let score = |q: &[f64]| {
        let names = chain.joint_names().iter().map(String::as_str);
        let q_by_joint = model.joint_positions(names.zip(q.iter().copied())).ok()?;
        let root_from_link = model.link_poses(&q_by_joint);
        // The third joint is the elbow, or near it: high above the table, the arm has room. The
        // least score is not zero, since the elbow of some arms cannot rise.
        let elbow = parts.arm.get(2);
        let elbow = elbow.map_or(parts.hand, |j| model.joints()[*j].child_link_idx);
        let height_m = root_from_link[elbow].translation.z - mount.translation.z;
        let height = (height_m / (HIGH * reach_m)).clamp(0.01, 1.0);
        let margin = chain.limit_margin(q).min(WIDE_MARGIN_RAD);
        // Manipulability is zero for fewer than six joints.
        let ease = [chain.manipulability(q), 1.0][usize::from(chain.dof() < 6)];
        let turned: f64 = q.iter().map(|q| q.abs()).sum();
        Some(margin * ease * height / (1.0 + TURNED * turned))
    };
    let solved = |seed: u64| {
        // An additive sequence with square roots covers the ranges evenly.
        let between = |i: usize, low: f64, high: f64| {
            low + (high - low) * (seed as f64 * (i as f64 + 0.5).sqrt()).fract()
        };
        let (ahead, up, yaw) = match seed < N_HOMES {
            true => ([0.4, 0.6], [0.2, 0.5], 0.0),
            false => ([0.1, 0.9], [0.0, 0.5], between(chain.dof() + 2, -PI, PI)),
        };
        let [ahead_m, up_m] =
            [(0, ahead), (1, up)].map(|(i, [low, high])| reach_m * between(i, low, high));
        let start = chain.limits().iter().enumerate().map(|(i, limits)| {
            let [low, high] = [limits.lower.max(-PI), limits.upper.min(PI)];
            between(i + 2, low, high)
        });
        let start: Vec<f64> = start.collect();
        let target = IkTarget::ToolAxis {
            position: Point3::new(
                shoulder.x + ahead_m * yaw.cos(),
                shoulder.y + ahead_m * yaw.sin(),
                mount.translation.z + if hangs { -up_m } else { up_m },
            ),
            axis: -Vector3::z_axis(),
        };
        let options = IkOptions {
            restarts: 3,
            seed,
            ..IkOptions::default()
        };
        let solved = ik::solve(chain, &target, &start, &options);
        let q = solved.solution()?.to_vec();
        Some((score(&q).filter(|score| *score > 0.0)?, q))
    };
    let best = |seeds: Range<u64>| seeds.filter_map(solved).max_by(|a, b| a.0.total_cmp(&b.0));
    let best = best(0..N_HOMES).or_else(|| best(N_HOMES..2 * N_HOMES));
    best.map(|(_, q)| q.iter().map(|q| (q * 1e4).round() / 1e4).collect())
}

/// Contents of the robot file, and the guesses in it.
fn guessed(
    model: &RobotModel,
    parts: &Parts,
    arguments: &RobotFileArguments,
    out: &Path,
) -> Result<(Value, Vec<String>)> {
    let link = |idx: usize| model.links()[idx].name.as_str();
    let hand = find_hand(model, parts);
    let (carrier, tool) = match &hand {
        Ok(hand) => (parts.hand, hand.tool.clone()),
        Err(_) => bare_tool(model, parts),
    };
    let added = match tool.in_hand {
        None => Ok(model.clone()),
        Some(pose) => model.clone().with_frame(&tool.link, link(carrier), pose),
    };
    let model = added.map_err(SetupError::from)?;
    let chain = (model.chain(link(0), &tool.link)).map_err(SetupError::from)?;
    let absolute = |path: &Path| std::path::absolute(path).map_err(CliError::reading(path));
    let (urdf, out) = (absolute(&arguments.urdf)?, absolute(out)?);
    let beside = out.parent().and_then(|at| urdf.strip_prefix(at).ok());
    let joints: Vec<_> = parts.arm.iter().map(|j| &model.joints()[*j]).collect();
    let last = joints.last().map_or(0, |joint| joint.child_link_idx);
    let first = joints.first().map_or(0, |joint| joint.parent_link_idx);
    let mount = model.link_poses(&vec![0.0; model.joints().len()])[first];
    let home = find_home(&model, &chain, parts, &mount);
    let home_guess = match home.is_some() {
        true => "the tool points down, if possible in front of the base",
        false => "the middle of each joint's range: none was found with the tool pointing down",
    };
    let mut guesses = vec![
        format!(
            "the arm: {} joints from `{}` to `{}`, which carries {}",
            joints.len(),
            link(first),
            link(parts.hand),
            carried(&model, &hand, parts)
        ),
        format!("`home_rad`: {home_guess}"),
        "accelerations, jerks and motors, from the URDF's speeds and efforts".to_owned(),
    ];
    let (reach_m, shoulder) = (chain.reach_m(), chain.shoulder_in_base());
    let far_m = rounded(1.5 * reach_m);
    let mut file = json!({
        "name": model.name(),
        "urdf": beside.unwrap_or(&urdf),
        "package_paths": arguments.package_path,
        "links": {
            "base": link(0),
            "flange": link(last),
            "hand": link(carrier),
            "tool": tool.link,
        },
        "arm": arm_in_file(&model, &joints, home),
        "workspace_in_base_m": {
            "min": [rounded(shoulder.x - far_m), rounded(shoulder.y - far_m), -0.1],
            "max": (shoulder.coords.add_scalar(far_m)).map(rounded).as_slice(),
        },
    });
    guesses.extend(mounted(link(first), &mount));
    if let Some(pose) = tool.in_hand {
        let point = match hand {
            Ok(_) => "the middle between the fingertips",
            Err(_) => "the tip of the tool that the arm carries",
        };
        guesses.push(format!("`links.tool_in_hand`: {point}"));
        file["links"]["tool_in_hand"] = json!({
            "position": pose.translation.vector.map(rounded).as_slice(),
            "quat_xyzw": pose.rotation.coords.map(rounded).as_slice(),
        });
    }
    if let Ok(hand) = hand {
        file["gripper"] = hand.in_file(payload_kg(&joints, reach_m));
        guesses.push(hand.described(&file["gripper"]["max_payload_kg"]));
    }
    Ok((file, guesses))
}

/// Guess of the payload, from the strongest joint.
fn payload_kg(joints: &[&Joint], reach_m: f64) -> f64 {
    let force_n = joints.iter().map(|joint| match joint.kind {
        JointKind::Prismatic => joint.limits.effort,
        _ => joint.limits.effort / reach_m,
    });
    PAYLOAD_PART * force_n.fold(0.0, f64::max) / GRAVITY
}

/// Part of the file about the arm; without `home`, with the middle of each joint's range.
fn arm_in_file(model: &RobotModel, joints: &[&Joint], home: Option<Vec<f64>>) -> Value {
    let each = |value: &dyn Fn(&Joint) -> f64| -> Vec<f64> {
        joints.iter().map(|joint| rounded(value(joint))).collect()
    };
    let acceleration = |joint: &Joint| {
        let power = if joint.kind == JointKind::Prismatic {
            0
        } else {
            2
        };
        let inertia = moved(model, joint.child_link_idx, 0.0, power);
        (ARM_PART * joint.limits.effort / inertia).min(joint.limits.velocity / RAMP_SECS[0])
    };
    let kp = |joint: &Joint| STIFFNESS_PER_NM * joint.limits.effort;
    let share = |joint: &Joint| MOTOR_PART * joint.limits.effort;
    let damping = |joint: &Joint| match joint.dynamics.damping {
        damping if damping > 0.0 => damping,
        _ => 1.0_f64.min(share(joint) / joint.limits.velocity),
    };
    let middle = |joint: &Joint| 0.5 * (joint.limits.lower + joint.limits.upper);
    json!({
        "joints": joints.iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>(),
        "home_rad": home.unwrap_or_else(|| each(&middle)),
        "max_acceleration_rad_per_s2": each(&acceleration),
        "max_jerk_rad_per_s3": each(&|joint| acceleration(joint) / RAMP_SECS[1]),
        "motors": {
            "kp_nm_per_rad": each(&kp),
            "kd_nm_s_per_rad": each(&|joint| 0.1 * kp(joint)),
            "armature_kg_m2": each(&|joint| 0.1_f64.min(share(joint) / acceleration(joint))),
            "damping_nm_s_per_rad": each(&damping),
        },
    })
}

/// Description of the base, unless the first moving joint is on the root of the URDF.
fn mounted(link: &str, mount: &Isometry3<f64>) -> Option<String> {
    let (at, turn_deg) = (
        mount.translation.vector,
        mount.rotation.angle().to_degrees(),
    );
    let text = format!(
        "`links.base`: the root of the URDF, in which `{link}` is at {:.3?} m, turned by \
         {turn_deg:.0} degrees; name that link to place it instead",
        at.as_slice()
    );
    (*mount != Isometry3::identity()).then_some(text)
}

/// Description of the fingers or the jaw that the arm carries.
fn carried(model: &RobotModel, hand: &std::result::Result<Hand, String>, parts: &Parts) -> String {
    match (hand, parts.jaw) {
        (Ok(hand), _) => format!("the pads `{}`", hand.finger_links.join("` and `")),
        (Err(_), Some(jaw)) => format!(
            "one moving jaw (`{}`), which cannot be used: the arm has no gripper",
            model.joints()[jaw].name
        ),
        (Err(_), None) if parts.branches.is_empty() => "no fingers".to_owned(),
        (Err(why), None) => format!(
            "fingers that cannot be used ({why}; if another link carries just two fingers, name it \
             with --hand): the arm has no gripper"
        ),
    }
}

/// Sum over a link and those beyond it, at full stretch, of the mass times a power of its distance
/// from a joint: the moment of inertia about the joint, or the mass that a prismatic one moves.
fn moved(model: &RobotModel, link: usize, out_m: f64, power: i32) -> f64 {
    let own = model.links()[link].inertial.as_ref().map_or(0.0, |own| {
        let out_m = out_m + own.link_from_com.translation.vector.norm();
        own.mass_kg * out_m.powi(power)
    });
    let joints = model.joints().iter();
    let further = joints.filter(|j| j.parent_link_idx == link).map(|j| {
        let out_m = out_m + j.parent_from_joint.translation.vector.norm();
        moved(model, j.child_link_idx, out_m, power)
    });
    own + further.sum::<f64>()
}

/// Writes nested keys on lines of their own, and everything else as JSON, which is YAML, too.
fn yaml(value: &Value, indent: &str) -> String {
    let Value::Object(entries) = value else {
        return format!(" {value}\n");
    };
    let entries = entries.iter().map(|(key, value)| {
        let inner = yaml(value, &format!("{indent}  "));
        format!("{indent}{key}:{inner}")
    });
    format!("\n{}", entries.collect::<String>())
}
