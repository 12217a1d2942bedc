//! `regrasp new robot URDF`: a first robot file, with what it guessed.
//!
//! The URDF's tree tells the arm from the hand: the arm is the only path of moving joints from the
//! root, and the hand is where the path divides. Everything else is tried: the pads, the tool frame
//! and the widths are the first that the loader accepts.

use std::f64::consts::PI;
use std::fmt::{Display, Write};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use regrasp::SetupError;
use regrasp::kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};
use regrasp::kinematics::{Chain, GripperLinks, Joint, JointKind, MeshSearch, RobotModel};

use crate::check::check_robot;
use crate::error::{CliError, Result};
use crate::exit::ExitCode;
use crate::output::say;

/// Time in which a joint reaches its largest speed, and its largest acceleration, s.
const RAMP_SECS: [f64; 2] = [0.2, 0.01];
/// Stiffness of a servo per torque, 1/rad: the whole torque at an error of 0.02 rad.
const STIFFNESS_PER_NM: f64 = 50.0;
/// Part of the weight that the shoulder could hold with the arm stretched, for the payload.
const PAYLOAD_PART: f64 = 0.25;
/// Angle between the home configurations that are tried and their joints' ends, rad.
const WIDE_MARGIN_RAD: f64 = 0.5;
/// Height of the arm above its base at which home is not low, as a fraction of the reach.
const LEAST_HEIGHT: f64 = 0.15;
/// Preference for joints near zero, 1/rad: turns about the base and of the wrist are free.
const TURNED: f64 = 0.1;
/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Number of random configurations from which a home is searched.
const N_HOMES: u64 = 200;
/// Words in the names of a hand with one moving jaw, whose joint would otherwise be the arm's last.
const JAW: [&str; 4] = ["jaw", "gripper", "finger", "moving_side"];

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
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| urdf.with_extension("yaml"));
    let (text, guesses) = write_file(&model, &parts, arguments, &out)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&out)
        .map_err(CliError::writing(&out))?;
    file.write_all(text.as_bytes())
        .map_err(CliError::writing(&out))?;
    say(&format!(
        "wrote {}; guessed, so correct it there:",
        out.display()
    ));
    for guess in guesses {
        say(&format!("- {guess}"));
    }
    check_robot(&out)?;
    Ok(ExitCode::Ok)
}

/// Indices of links and joints of a robot.
struct Parts {
    base: usize,
    arm: Vec<usize>,
    hand: usize,
    /// First moving joint of each branch beyond the hand.
    branches: Vec<usize>,
    /// A joint at the end that seems to move a jaw.
    jaw: Option<usize>,
}

impl Parts {
    fn find(model: &RobotModel, hand: Option<&str>) -> Result<Self> {
        let joints = model.joints();
        let children = |link: usize| {
            let all = 0..joints.len();
            all.filter(move |&j| joints[j].parent_link_idx == link)
        };
        let moves = |joint: usize| below(model, joints[joint].child_link_idx, true);
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
            let is_moving = |j: &usize| joints[*j].kind.is_movable() || !moves(*j).is_empty();
            children(link).filter(is_moving).collect()
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
            branches.is_empty() && JAW.iter().any(|word| is_named(&word))
        };
        let jaw = arm.last().copied().filter(is_jaw);
        if let Some(jaw) = jaw {
            arm.pop();
            link = joints[jaw].parent_link_idx;
        }
        let is_arm = |j: &&usize| below(model, joints[**j].child_link_idx, true).len() > 3;
        let several = hand.is_none() && branches.iter().filter(is_arm).count() > 1;
        let Some(first) = arm.first().filter(|_| !several) else {
            let ways: Vec<_> = branches.iter().map(|j| joints[*j].name.as_str()).collect();
            let ways = ways.join("`, `");
            return Err(refusal(format_args!(
                "several paths of moving joints lead from the root, through the joints `{ways}`: name the link that carries the fingers or the tool, with --hand"
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

/// Joints below a link; only those that move if `movable`.
fn below(model: &RobotModel, link: usize, movable: bool) -> Vec<usize> {
    let mut links = vec![false; model.links().len()];
    links[link] = true;
    let mut found = Vec::new();
    for (idx, joint) in model.joints().iter().enumerate() {
        if links[joint.parent_link_idx] {
            links[joint.child_link_idx] = true;
            if !movable || joint.kind.is_movable() {
                found.push(idx);
            }
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
    /// Pose of a link that is not in the URDF.
    in_hand: Option<Isometry3<f64>>,
}

/// Tries all pairs of links on two branches as pads, those furthest from the hand first.
///
/// The error says why the first pair cannot be used; it is empty if there is none.
fn find_hand(model: &RobotModel, parts: &Parts) -> std::result::Result<Hand, String> {
    let root_from_link = model.link_poses(&vec![0.0; model.joints().len()]);
    let at_hand = root_from_link[parts.hand].translation.vector;
    let mut pads = Vec::new();
    for (i, &branch) in parts.branches.iter().enumerate() {
        let first = model.joints()[branch].child_link_idx;
        let further = below(model, first, false).into_iter();
        let links = further.map(|j| model.joints()[j].child_link_idx);
        for link in std::iter::once(first).chain(links) {
            if !model.links()[link].collisions.is_empty() {
                let away_m = (root_from_link[link].translation.vector - at_hand).norm();
                pads.push((away_m, i, link));
            }
        }
    }
    pads.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    let pairs = pads.iter().enumerate();
    let pairs = pairs.flat_map(|(k, a)| pads[k + 1..].iter().map(move |b| (a, b)));
    let pairs = pairs.filter(|(a, b)| a.1 != b.1);
    let mut pairs: Vec<[usize; 2]> = pairs.map(|(a, b)| [a.2, b.2]).collect();
    // Both pads of a hand are alike: of a linkage's links, those at one distance belong together.
    let uneven = |[a, b]: &[usize; 2]| {
        let [a, b] = [*a, *b].map(|l| (root_from_link[l].translation.vector - at_hand).norm());
        (a - b).abs() > 1e-3
    };
    pairs.sort_by_key(uneven);
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

/// First joints of two fingers, from the hand, with each frame that may be between their pads: those
/// of the URDF first. `None` if a pad does not move.
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
    let bare = below(model, parts.hand, false);
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
        link: unused_name(model),
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
        // To the tenth of a millimetre, inside the range.
        names.width_m = [
            (least.max(0.0) * 1e4).ceil() / 1e4,
            (most * 1e4).floor() / 1e4,
        ];
        let width_m = names.width_m;
        let sliding = model.clone().with_sliding_fingers(&names)?;
        sliding.gripper_geometry(&names)?;
        let named = |joint: &&Joint| joint.name == finger_joints[0];
        let limits = sliding
            .joints()
            .iter()
            .find(named)
            .map(|joint| joint.limits);
        let limits = limits.unwrap_or_default();
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

fn unused_name(model: &RobotModel) -> String {
    let names = ["tool", "grasp_tool", "regrasp_tool"];
    let is_free = |name: &&str| model.link_idx(name).or(model.joint_idx(name)).is_none();
    names
        .into_iter()
        .find(is_free)
        .unwrap_or(names[2])
        .to_owned()
}

/// Frame between two pads, in that of the hand: y where they open, z out of the hand. The first or
/// the second pad may lie on the side of y.
fn tool_frame(
    model: &RobotModel,
    parts: &Parts,
    pads: [usize; 2],
    roots: [usize; 2],
    side: usize,
) -> Option<Isometry3<f64>> {
    let drive = model.source(roots[0]).source_joint_idx;
    let limits = &model.joints()[drive].limits;
    // Middle, and points on the surface, of each pad at one end of the drive.
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

/// Sum of the outer ends of two pads along an axis: twice the place of their middle.
fn faces(pads: &[Vec<Point3<f64>>; 2], axis: &Vector3<f64>) -> f64 {
    let along = || pads.iter().flatten().map(|p| p.coords.dot(axis));
    along().fold(f64::INFINITY, f64::min) + along().fold(f64::NEG_INFINITY, f64::max)
}

/// The nearest axis of the frame, if it is within 15 degrees.
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
        let base = root_from_link[parts.base].translation.z;
        let beyond = parts
            .arm
            .iter()
            .skip(2)
            .map(|j| model.joints()[*j].child_link_idx);
        let heights = beyond.map(|link| root_from_link[link].translation.z - base);
        let height = heights.fold(f64::INFINITY, f64::min) / (LEAST_HEIGHT * reach_m);
        let margin = chain.limit_margin(q).min(WIDE_MARGIN_RAD);
        // Manipulability is zero for fewer than six joints.
        let ease = if chain.dof() < 6 {
            1.0
        } else {
            chain.manipulability(q)
        };
        let turned: f64 = q.iter().map(|q| q.abs()).sum();
        Some(margin * ease * height.min(1.0) / (1.0 + TURNED * turned))
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

/// Text of the robot file, and its guesses.
fn write_file(
    model: &RobotModel,
    parts: &Parts,
    arguments: &RobotFileArguments,
    out: &Path,
) -> Result<(String, Vec<String>)> {
    let mut guesses = Vec::new();
    let link = |idx: usize| model.links()[idx].name.as_str();
    let hand = find_hand(model, parts);
    let tool = match &hand {
        Ok(hand) => hand.tool.clone(),
        Err(_) => bare_tool(model, parts),
    };
    let model = match tool.in_hand {
        None => model.clone(),
        Some(pose) => {
            let added = model.clone().with_frame(&tool.link, link(parts.hand), pose);
            added.map_err(SetupError::from)?
        }
    };
    let chain = model
        .chain(link(parts.base), &tool.link)
        .map_err(SetupError::from)?;
    let joints: Vec<_> = parts
        .arm
        .iter()
        .map(|joint| &model.joints()[*joint])
        .collect();
    let reach_m = chain.reach_m();
    guesses.push(format!(
        "the arm: {} joints from `{}` to `{}`, which carries {}",
        joints.len(),
        link(parts.base),
        link(parts.hand),
        match (&hand, parts.jaw) {
            (Ok(hand), _) => format!("the pads `{}`", hand.finger_links.join("` and `")),
            (Err(_), Some(jaw)) => format!(
                "one moving jaw (`{}`), which cannot be used: the arm has no gripper",
                model.joints()[jaw].name
            ),
            (Err(why), None) if why.is_empty() => "no fingers".to_owned(),
            (Err(why), None) =>
                format!("fingers that cannot be used ({why}): the arm has no gripper"),
        }
    ));
    if tool.in_hand.is_some() {
        guesses.push("`links.tool_in_hand`: the middle between the fingertips".to_owned());
    }
    let home = find_home(&model, &chain, parts);
    guesses.push(match home {
        Some(_) => "`home_rad`: the tool points down in front of the base".to_owned(),
        None => "`home_rad`: the middle of each joint; none was found with z of the tool pointing \
                 down in front of the base"
            .to_owned(),
    });
    let home = home.unwrap_or_else(|| {
        joints
            .iter()
            .map(|joint| 0.5 * (joint.limits.lower + joint.limits.upper))
            .collect()
    });
    guesses.push("accelerations, jerks and motors, from the URDF's speeds and efforts".to_owned());
    let per_joint = |value: &dyn Fn(usize) -> f64| list((0..joints.len()).map(value));
    let speed = |i: usize| joints[i].limits.velocity;
    let kp = |i: usize| STIFFNESS_PER_NM * joints[i].limits.effort;
    let names: Vec<_> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let absolute = |path: &Path| std::path::absolute(path).map_err(CliError::reading(path));
    let (urdf, here) = (absolute(&arguments.urdf)?, absolute(out)?);
    let beside = here
        .parent()
        .and_then(|folder| urdf.strip_prefix(folder).ok());
    let urdf = beside.unwrap_or(&urdf).display().to_string();
    let mut text = String::new();
    let mut line = |words: &dyn Display| {
        writeln!(text, "{words}").expect("a string takes all text");
    };
    line(
        &"# Written by `regrasp new robot`; m, rad, N, kg. Lists are in the order of `arm.joints`.",
    );
    line(&format_args!("name: {}", quoted(model.name())));
    line(&format_args!("urdf: {}", quoted(&urdf)));
    if !arguments.package_path.is_empty() {
        let paths = arguments.package_path.iter();
        let paths: Vec<_> = paths.map(|p| quoted(&p.display().to_string())).collect();
        line(&format_args!("package_paths: [{}]", paths.join(", ")));
    }
    line(&"links:");
    line(&format_args!("  base: {}", quoted(link(parts.base))));
    let last = joints
        .last()
        .map_or(parts.base, |joint| joint.child_link_idx);
    line(&format_args!("  flange: {}", quoted(link(last))));
    line(&format_args!("  hand: {}", quoted(link(parts.hand))));
    line(&format_args!("  tool: {}", quoted(&tool.link)));
    if let Some(pose) = tool.in_hand {
        let rotation = pose.rotation.coords;
        line(&format_args!(
            "  tool_in_hand: {{position: {}, quat_xyzw: {}}}",
            list(pose.translation.vector.iter().copied()),
            list(rotation.iter().copied())
        ));
    }
    line(&"arm:");
    let names: Vec<_> = names.into_iter().map(quoted).collect();
    line(&format_args!("  joints: [{}]", names.join(", ")));
    line(&format_args!("  home_rad: {}", list(home)));
    let acceleration = |i: usize| speed(i) / RAMP_SECS[0];
    let jerk = |i: usize| acceleration(i) / RAMP_SECS[1];
    line(&format_args!(
        "  max_acceleration_rad_per_s2: {}",
        per_joint(&acceleration)
    ));
    line(&format_args!("  max_jerk_rad_per_s3: {}", per_joint(&jerk)));
    line(&"  motors:");
    line(&format_args!("    kp_nm_per_rad: {}", per_joint(&kp)));
    line(&format_args!(
        "    kd_nm_s_per_rad: {}",
        per_joint(&|i| 0.1 * kp(i))
    ));
    line(&format_args!("    armature_kg_m2: {}", per_joint(&|_| 0.1)));
    line(&format_args!(
        "    damping_nm_s_per_rad: {}",
        per_joint(&|_| 1.0)
    ));
    if let Ok(hand) = hand {
        let efforts = joints
            .iter()
            .map(|joint| joint.limits.effort)
            .fold(0.0, f64::max);
        let payload_kg = PAYLOAD_PART * efforts / (GRAVITY * reach_m);
        guesses.push(format!(
            "`max_payload_kg`: {payload_kg:.1}, a quarter of what the strongest joint holds with the \
             arm stretched; the data sheet knows better"
        ));
        guesses.push(format!(
            "pads from {:.1} to {:.1} mm apart, with up to {:.0} N, from the URDF's limits",
            1e3 * hand.width_m[0],
            1e3 * hand.width_m[1],
            hand.force_n
        ));
        line(&"gripper:");
        for (key, names) in [
            ("finger_joints", &hand.finger_joints),
            ("finger_links", &hand.finger_links),
        ] {
            line(&format_args!(
                "  {key}: [{}, {}]",
                quoted(&names[0]),
                quoted(&names[1])
            ));
        }
        let numbers = [
            ("min_width_m", hand.width_m[0]),
            ("max_width_m", hand.width_m[1]),
            ("max_force_n", hand.force_n),
            ("default_force_n", 0.5 * hand.force_n),
            ("default_speed_m_per_s", hand.speed_m_per_s),
            ("max_speed_m_per_s", hand.speed_m_per_s),
            ("max_payload_kg", payload_kg),
            ("pad_friction", 0.8),
        ];
        for (key, value) in numbers {
            line(&format_args!("  {key}: {}", number(value)));
        }
        line(
            &"  motors: {kp_n_per_m: 1000.0, kd_n_s_per_m: 50.0, armature_kg: 0.1, damping_n_s_per_m: 1.0}",
        );
    }
    let far = number(1.5 * reach_m);
    line(&"workspace_in_base_m:");
    line(&format_args!("  min: [-{far}, -{far}, -0.1]"));
    line(&format_args!("  max: [{far}, {far}, {far}]"));
    Ok((text, guesses))
}

/// Tool of an arm without a gripper: the last of the links fixed to the hand, or the hand itself.
fn bare_tool(model: &RobotModel, parts: &Parts) -> Tool {
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
    let end = rigid.last().copied().unwrap_or(parts.hand);
    Tool {
        link: model.links()[end].name.clone(),
        in_hand: None,
    }
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

fn list(numbers: impl IntoIterator<Item = f64>) -> String {
    let numbers: Vec<_> = numbers.into_iter().map(number).collect();
    format!("[{}]", numbers.join(", "))
}

/// A number with at most five digits after the point.
fn number(value: f64) -> String {
    format!("{:?}", (value * 1e5).round() / 1e5 + 0.0)
}
