//! `regrasp new robot URDF`: a first robot file, with what it guessed.
//!
//! The URDF's tree tells the arm from the hand: the arm is the only path of moving joints from the
//! root, and the hand is where the path divides. Everything else is tried: the pads, the tool frame
//! and the widths are the first that the loader accepts.

use std::cmp::Ordering;
use std::f64::consts::PI;
use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use regrasp::SetupError;
use regrasp::kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};
use regrasp::kinematics::{
    Chain, GripperLinks, Joint, JointKind, JointLimits, MeshSearch, RobotModel,
};
use serde_json::{Value, json};

use crate::check::check_robot;
use crate::{CliError, ExitCode, Result, say};

/// Time in which a joint reaches its largest speed, and its largest acceleration, s.
const RAMP_SECS: [f64; 2] = [0.2, 0.01];
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
/// Number of random configurations from which a home is searched.
const N_HOMES: u64 = 200;
/// Words in the names of a hand with one moving jaw, whose joint would otherwise be the arm's last.
const JAW: [&str; 4] = ["jaw", "gripper", "finger", "moving_side"];

/// Name of the tool link that is added if the URDF has none.
const TOOL: &str = "regrasp_tool";

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

/// Indices of links and joints of a robot.
struct Parts {
    base: usize,
    arm: Vec<usize>,
    hand: usize,
    /// First joint, moving or fixed, of each branch beyond the hand that has a moving joint.
    branches: Vec<usize>,
    /// The last moving joint, if it seems to move a jaw.
    jaw: Option<usize>,
}

impl Parts {
    fn find(model: &RobotModel, hand: Option<&str>) -> Result<Self> {
        let joints = model.joints();
        let children = |link: usize| {
            let all = 0..joints.len();
            all.filter(move |&j| joints[j].parent_link_idx == link)
        };
        let n_moving = |joint: &usize| {
            let all = below(model, joints[*joint].child_link_idx).into_iter();
            all.chain([*joint])
                .filter(|j| joints[*j].kind.is_movable())
                .count()
        };
        let mut path = Vec::new();
        let mut link = 0;
        if let Some(name) = hand {
            let unknown = || refusal(format_args!("no link `{name}` in the URDF"));
            link = model.link_idx(name).ok_or_else(unknown)?;
            let above = |&joint: &usize| model.parent_joint_idx(joints[joint].parent_link_idx);
            path = std::iter::successors(model.parent_joint_idx(link), above).collect();
            path.reverse();
        }
        let moving = |link: usize| -> Vec<usize> {
            children(link).filter(|joint| n_moving(joint) > 0).collect()
        };
        while let ([next], None) = (&moving(link)[..], hand) {
            path.push(*next);
            link = joints[*next].child_link_idx;
        }
        let is_movable = |j: &usize| joints[*j].kind.is_movable();
        let mut arm: Vec<usize> = path.into_iter().filter(is_movable).collect();
        let branches: Vec<usize> = moving(link);
        let is_jaw = |j: &usize| {
            let names = [
                &joints[*j].name,
                &model.links()[joints[*j].child_link_idx].name,
            ];
            let is_named = |word: &&str| names.iter().any(|n| n.to_lowercase().contains(*word));
            branches.is_empty() && JAW.iter().any(is_named)
        };
        let jaw = arm.last().copied().filter(is_jaw);
        if let Some(jaw) = jaw {
            arm.pop();
            link = joints[jaw].parent_link_idx;
        }
        if arm.is_empty() && (branches.is_empty() || hand.is_some()) {
            let why = "no joint moves between the root of the URDF and the hand";
            return Err(refusal(why));
        }
        let several = hand.is_none() && branches.iter().filter(|j| n_moving(j) > 4).count() > 1;
        let Some(first) = arm.first().filter(|_| !several) else {
            let ways: Vec<_> = branches.iter().map(|j| joints[*j].name.as_str()).collect();
            let ways = ways.join("`, `");
            return Err(refusal(format_args!(
                "several paths of moving joints lead from the root, through the joints `{ways}`: \
                 name the link that carries the fingers or the tool, with --hand"
            )));
        };
        Ok(Self {
            base: joints[*first].parent_link_idx,
            hand: link,
            arm,
            branches,
            jaw,
        })
    }
}

fn refusal(why: impl Display) -> CliError {
    CliError::usage(format_args!("write a robot file: {why}"))
}

/// Joints beyond a link.
fn below(model: &RobotModel, link: usize) -> Vec<usize> {
    let mut links = vec![link];
    let mut found = vec![];
    for (idx, joint) in model.joints().iter().enumerate() {
        if links.contains(&joint.parent_link_idx) {
            links.push(joint.child_link_idx);
            found.push(idx);
        }
    }
    found
}

/// A hand that the loader accepts.
struct Hand {
    finger_joints: [String; 2],
    finger_links: [String; 2],
    width_m: [f64; 2],
    force_n: f64,
    speed_m_per_s: f64,
    tool: Tool,
}

#[derive(Clone)]
struct Tool {
    link: String,
    /// Pose in the frame of the hand; `None` for a link of the URDF.
    in_hand: Option<Isometry3<f64>>,
}

/// Tries all pairs of links on two branches as pads.
///
/// The error says why the first pair cannot be used; it is empty if there is no pair.
fn find_hand(model: &RobotModel, parts: &Parts) -> std::result::Result<Hand, String> {
    let root_from_link = model.link_poses(&vec![0.0; model.joints().len()]);
    let at = |link: usize| root_from_link[link].translation.vector;
    let away_m = |link: usize| (at(link) - at(parts.hand)).norm();
    let shaped = |&branch: &usize| {
        let first = model.joints()[branch].child_link_idx;
        let further = below(model, first).into_iter();
        let links = further.map(|j| model.joints()[j].child_link_idx);
        let links = links.chain([first]);
        links
            .filter(|link| !model.links()[*link].collisions.is_empty())
            .collect::<Vec<_>>()
    };
    let fingers: Vec<_> = parts.branches.iter().map(shaped).collect();
    let pairs = fingers.iter().enumerate().flat_map(|(i, a)| {
        let others = fingers[i + 1..].iter().flatten();
        others.flat_map(move |b| a.iter().map(move |a| [*a, *b]))
    });
    let mut pairs: Vec<[usize; 2]> = pairs.collect();
    // The pads are at the same distance from the hand, and are the outermost links of a linkage.
    pairs.sort_by(|a, b| {
        let key = |pair: &[usize; 2]| {
            let [a, b] = pair.map(away_m);
            ((a - b).abs() > 1e-3, -a - b)
        };
        key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal)
    });
    let mut why = String::new();
    for pads in pairs {
        for (roots, tool) in tools(model, parts, pads).into_iter().flatten() {
            match Hand::new(model, parts.hand, pads, roots, tool) {
                Ok(hand) => return Ok(hand),
                Err(error) if why.is_empty() => why = error.to_string(),
                Err(_) => {}
            }
        }
    }
    Err(why)
}

/// Candidates for the tool frame, links of the URDF first, each with the moving joints of the two
/// fingers that are nearest to the hand. `None` if a pad does not move.
fn tools(model: &RobotModel, parts: &Parts, pads: [usize; 2]) -> Option<Vec<([usize; 2], Tool)>> {
    let joints = model.joints();
    let root = |pad: usize| {
        let mut link = pad;
        let mut root = None;
        while link != parts.hand {
            let joint = model.parent_joint_idx(link)?;
            if joints[joint].kind.is_movable() {
                root = Some(joint);
            }
            link = joints[joint].parent_link_idx;
        }
        root
    };
    let roots = [root(pads[0])?, root(pads[1])?];
    let bare = below(model, parts.hand);
    let of_urdf = bare.iter().map(|j| &joints[*j]).filter(|joint| {
        let link = &model.links()[joint.child_link_idx];
        let is_frame = link.collisions.is_empty() && link.visuals.is_empty();
        joint.kind == JointKind::Fixed && joint.parent_link_idx == parts.hand && is_frame
    });
    let of_urdf = of_urdf.map(|joint| Tool {
        link: model.links()[joint.child_link_idx].name.clone(),
        in_hand: None,
    });
    let own = (0..2).filter_map(|way| tool_frame(model, parts, pads, roots, way));
    let own = own.map(|in_hand| Tool {
        link: TOOL.to_owned(),
        in_hand: Some(in_hand),
    });
    let tools = of_urdf.chain(own).map(|tool| (roots, tool));
    Some(tools.collect())
}

impl Hand {
    fn new(
        model: &RobotModel,
        hand: usize,
        pads: [usize; 2],
        roots: [usize; 2],
        tool: Tool,
    ) -> std::result::Result<Self, SetupError> {
        let finger_joints = roots.map(|joint| model.joints()[joint].name.clone());
        let finger_links = pads.map(|pad| model.links()[pad].name.clone());
        let hand = &model.links()[hand].name;
        let model = match tool.in_hand {
            None => model.clone(),
            Some(pose) => model.clone().with_frame(&tool.link, hand, pose)?,
        };
        let mut names = GripperLinks {
            robot: model.name(),
            tool: &tool.link,
            hand,
            fingers: &finger_links,
            finger_joints: &finger_joints,
            width_m: [0.0; 2],
        };
        let [least, most] = model.pad_distances_m(&names)?;
        // Rounded to 0.1 mm, towards the inside of the range.
        names.width_m = [
            (least.max(0.0) * 1e4).ceil() / 1e4,
            (most * 1e4).floor() / 1e4,
        ];
        let width_m = names.width_m;
        let sliding = model.clone().with_sliding_fingers(&names)?;
        sliding.gripper_geometry(&names)?;
        let finger = sliding
            .joints()
            .iter()
            .find(|joint| joint.name == finger_joints[0]);
        let limits = finger.map_or_else(JointLimits::default, |joint| joint.limits);
        Ok(Self {
            width_m,
            force_n: sliding
                .linkage()
                .map_or(limits.effort, |linkage| linkage.force_n),
            speed_m_per_s: 2.0 * limits.velocity,
            finger_joints,
            finger_links,
            tool,
        })
    }
}

/// Frame between two pads, in that of the hand: y along their opening (reversed for `side` 1), z out
/// of the hand.
fn tool_frame(
    model: &RobotModel,
    parts: &Parts,
    pads: [usize; 2],
    roots: [usize; 2],
    side: usize,
) -> Option<Isometry3<f64>> {
    let drive = model.source(roots[0]).source_joint_idx;
    let limits = &model.joints()[drive].limits;
    // Points on the surface of each pad at a position of the drive, in the frame of the hand.
    let at = |position: f64| {
        let mut q_by_joint = vec![0.0; model.joints().len()];
        q_by_joint[drive] = position;
        if model.source(roots[1]).source_joint_idx != drive {
            q_by_joint[roots[1]] = position;
        }
        let root_from_link = model.link_poses(&q_by_joint);
        pads.map(|pad| {
            let hand_from_pad = root_from_link[parts.hand].inverse() * root_from_link[pad];
            let collisions = model.links()[pad].collisions.iter();
            let points = collisions.flat_map(|collision| {
                let hand_from_shape = hand_from_pad * collision.link_from_geometry;
                let points = collision.geometry.surface_points(0.005).into_iter();
                points.map(move |point| hand_from_shape * point)
            });
            points.collect::<Vec<Point3<f64>>>()
        })
    };
    let ends = [limits.lower, limits.upper].map(at);
    let middle = |points: &[Point3<f64>]| {
        let sum: Vector3<f64> = points.iter().map(|p| p.coords).sum();
        sum / points.len().max(1) as f64
    };
    let apart = ends.each_ref().map(|[a, b]| middle(a) - middle(b));
    let opening = apart[1] - apart[0];
    let y = snapped(opening.try_normalize(1e-6)?) * [1.0, -1.0][side];
    let [a, b] = ends[1].each_ref().map(|points| middle(points));
    let ahead = 0.5 * (a + b);
    let z = snapped((ahead - y * y.dot(&ahead)).try_normalize(1e-6)?);
    let x = y.cross(&z).try_normalize(1e-6)?;
    let tips = ends.iter().flatten().map(|points| {
        let along = points.iter().map(|p| p.coords.dot(&z));
        along.fold(f64::NEG_INFINITY, f64::max)
    });
    let tip_m = tips.fold(f64::INFINITY, f64::min);
    let [along_x, along_y] = [x, y].map(|axis| 0.5 * (faces(&ends[1], &axis)));
    let rotation = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    let rotation = Rotation3::from_matrix_unchecked(rotation);
    Some(Isometry3::from_parts(
        Translation3::from(x * along_x + y * along_y + z * (tip_m - 0.005)),
        UnitQuaternion::from_rotation_matrix(&rotation),
    ))
}

/// Sum of the least and greatest coordinate of two pads along an axis: twice that of their middle.
fn faces(pads: &[Vec<Point3<f64>>; 2], axis: &Vector3<f64>) -> f64 {
    let along = || pads.iter().flatten().map(|p| p.coords.dot(axis));
    along().fold(f64::INFINITY, f64::min) + along().fold(f64::NEG_INFINITY, f64::max)
}

/// The nearest coordinate axis if it is within 15 degrees, else the direction itself.
fn snapped(direction: Vector3<f64>) -> Vector3<f64> {
    let largest = direction.iamax();
    let mut axis = Vector3::zeros();
    axis[largest] = direction[largest].signum();
    if axis.dot(&direction) > 15_f64.to_radians().cos() {
        axis
    } else {
        direction
    }
}

/// Searches a configuration with the tool in front of the base, pointing down, with the arm above
/// the table, far from the ends of the joints and from singular configurations.
fn find_home(model: &RobotModel, chain: &Chain, parts: &Parts) -> Option<Vec<f64>> {
    let (shoulder, reach_m) = (chain.shoulder_in_base(), chain.reach_m());
    let score = |q: &[f64]| {
        let names = chain.joint_names().iter().map(String::as_str);
        let q_by_joint = model.joint_positions(names.zip(q.iter().copied())).ok()?;
        let root_from_link = model.link_poses(&q_by_joint);
        let base_from_root = root_from_link[parts.base].inverse();
        // The third joint is the elbow, or near it: high above the table, the arm has room.
        let elbow = parts
            .arm
            .get(2)
            .map_or(parts.hand, |j| model.joints()[*j].child_link_idx);
        let height_m = (base_from_root * root_from_link[elbow]).translation.z;
        let height = (height_m / (HIGH * reach_m)).min(1.0);
        let margin = chain.limit_margin(q).min(WIDE_MARGIN_RAD);
        // Manipulability is zero for fewer than six joints.
        let ease = if chain.dof() < 6 {
            1.0
        } else {
            chain.manipulability(q)
        };
        let turned: f64 = q.iter().map(|q| q.abs()).sum();
        Some(margin * ease * height / (1.0 + TURNED * turned))
    };
    let tries = (0..N_HOMES).filter_map(|seed| {
        // An additive sequence with square roots covers the ranges evenly.
        let between = |i: usize, low: f64, high: f64| {
            low + (high - low) * (seed as f64 * (i as f64 + 0.5).sqrt()).fract()
        };
        let [ahead_m, up_m] = [(0, [0.4, 0.6]), (1, [0.2, 0.5])]
            .map(|(i, [low, high])| reach_m * between(i, low, high));
        let start = chain.limits().iter().enumerate().map(|(i, limits)| {
            let [low, high] = [limits.lower.max(-PI), limits.upper.min(PI)];
            between(i + 2, low, high)
        });
        let start: Vec<f64> = start.collect();
        let target = IkTarget::ToolAxis {
            position: Point3::new(shoulder.x + ahead_m, shoulder.y, up_m),
            axis: -Vector3::z_axis(),
        };
        let options = IkOptions {
            restarts: 3,
            seed,
            ..IkOptions::default()
        };
        match ik::solve(chain, &target, &start, &options) {
            IkOutcome::Solved { q, .. } => Some((score(&q).filter(|score| *score > 0.0)?, q)),
            IkOutcome::NotConverged { .. } => None,
        }
    });
    let best = tries.max_by(|a, b| a.0.total_cmp(&b.0));
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
    let chain = model.chain(link(parts.base), &tool.link);
    let chain = chain.map_err(SetupError::from)?;
    let absolute = |path: &Path| std::path::absolute(path).map_err(CliError::reading(path));
    let (urdf, out) = (absolute(&arguments.urdf)?, absolute(out)?);
    let beside = out
        .parent()
        .and_then(|folder| urdf.strip_prefix(folder).ok());
    let joints: Vec<_> = parts
        .arm
        .iter()
        .map(|joint| &model.joints()[*joint])
        .collect();
    let last = joints
        .last()
        .map_or(parts.base, |joint| joint.child_link_idx);
    let home = find_home(&model, &chain, parts);
    let mut guesses = vec![
        format!(
            "the arm: {} joints from `{}` to `{}`, which carries {}",
            joints.len(),
            link(parts.base),
            link(parts.hand),
            carried(&model, &hand, parts.jaw)
        ),
        home_guess(home.is_some()).to_owned(),
        "accelerations, jerks and motors, from the URDF's speeds and efforts".to_owned(),
    ];
    let (reach_m, far_m) = (chain.reach_m(), rounded(1.5 * chain.reach_m()));
    let mut file = json!({
        "name": model.name(),
        "urdf": beside.unwrap_or(&urdf),
        "package_paths": arguments.package_path,
        "links": {
            "base": link(parts.base),
            "flange": link(last),
            "hand": link(carrier),
            "tool": tool.link,
        },
        "arm": arm_in_file(&joints, home),
        "workspace_in_base_m": {
            "min": [-far_m, -far_m, -0.1],
            "max": [far_m, far_m, far_m],
        },
    });
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

fn home_guess(is_found: bool) -> &'static str {
    match is_found {
        true => "`home_rad`: the tool points down in front of the base",
        false => {
            "`home_rad`: the middle of each joint's range; no configuration was found with z of \
             the tool pointing down in front of the base"
        }
    }
}

/// Part of the file about the arm; without `home`, with the middle of each joint's range.
fn arm_in_file(joints: &[&Joint], home: Option<Vec<f64>>) -> Value {
    let each = |value: &dyn Fn(&Joint) -> f64| -> Vec<f64> {
        joints.iter().map(|joint| rounded(value(joint))).collect()
    };
    let acceleration = |joint: &Joint| joint.limits.velocity / RAMP_SECS[0];
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

/// Description of the fingers or the jaw that the arm carries.
fn carried(
    model: &RobotModel,
    hand: &std::result::Result<Hand, String>,
    jaw: Option<usize>,
) -> String {
    match (hand, jaw) {
        (Ok(hand), _) => format!("the pads `{}`", hand.finger_links.join("` and `")),
        (Err(_), Some(jaw)) => format!(
            "one moving jaw (`{}`), which cannot be used: the arm has no gripper",
            model.joints()[jaw].name
        ),
        (Err(why), None) if why.is_empty() => "no fingers".to_owned(),
        (Err(why), None) => format!("fingers that cannot be used ({why}): the arm has no gripper"),
    }
}

impl Hand {
    fn in_file(&self, payload_kg: f64) -> Value {
        let [min_width_m, max_width_m] = self.width_m;
        json!({
            "finger_joints": self.finger_joints,
            "finger_links": self.finger_links,
            "min_width_m": min_width_m,
            "max_width_m": max_width_m,
            "max_force_n": rounded(self.force_n),
            "default_force_n": rounded(0.5 * self.force_n),
            "default_speed_m_per_s": rounded(self.speed_m_per_s),
            "max_speed_m_per_s": rounded(self.speed_m_per_s),
            "max_payload_kg": rounded(payload_kg),
            "pad_friction": 0.8,
            "motors": {
                "kp_n_per_m": 1000.0,
                "kd_n_s_per_m": 50.0,
                "armature_kg": 0.1,
                "damping_n_s_per_m": 1.0,
            },
        })
    }

    fn described(&self, payload_kg: &Value) -> String {
        let [least_mm, most_mm] = self.width_m.map(|m| 1e3 * m);
        format!(
            "`gripper`: pads from {least_mm:.1} to {most_mm:.1} mm apart, with up to {:.0} N, from \
             the URDF's limits; `max_payload_kg`: {payload_kg}, a quarter of what the strongest \
             joint holds with the arm stretched",
            self.force_n
        )
    }
}

/// Link and tool frame of an arm without a gripper. The link is the last one with a shape, fixed to
/// the hand or the hand itself; the frame is the last of the links fixed to it or, without one, at
/// its tip, z out of it.
fn bare_tool(model: &RobotModel, parts: &Parts) -> (usize, Tool) {
    let mut rigid = vec![parts.hand];
    for joint in model
        .joints()
        .iter()
        .filter(|joint| joint.kind == JointKind::Fixed)
    {
        if rigid.contains(&joint.parent_link_idx) {
            rigid.push(joint.child_link_idx);
        }
    }
    let shapes = |link: &usize| &model.links()[*link].collisions;
    let has_shape = |link: &usize| !shapes(link).is_empty();
    let carrier = rigid.iter().copied().rfind(has_shape).unwrap_or(parts.hand);
    let end = rigid.last().copied().unwrap_or(parts.hand);
    let points = shapes(&end).iter().flat_map(|shape| {
        let points = shape.geometry.surface_points(0.005).into_iter();
        points.map(|point| shape.link_from_geometry * point)
    });
    let points: Vec<Vector3<f64>> = points.map(|point| point.coords).collect();
    let middle = points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    let tip = middle.try_normalize(1e-3).map(snapped).and_then(|z| {
        let along = points.iter().map(|point| point.dot(&z));
        let rotation = UnitQuaternion::rotation_between(&Vector3::z(), &z)?;
        let point = z * along.fold(0.0, f64::max);
        Some(Isometry3::from_parts(point.into(), rotation))
    });
    let own = &model.links()[end].name;
    let link = tip.map_or(own.as_str(), |_| TOOL).to_owned();
    (carrier, Tool { link, in_hand: tip })
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

/// The number with at most five digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5 + 0.0
}
