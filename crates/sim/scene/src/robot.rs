//! Robot files.

use std::path::{Path, PathBuf};

use regrasp_api::{ApprovalMode, ApprovalPolicy, MonitorLimits, RiskRules};
use serde_json::json;

use crate::fields::{Field, Fields, Located, Sign};
use crate::formats::keys;
use crate::keys::{bounds, posed};
use crate::source::Source;
use crate::{ArmRange, GripperFile, Motor, Problem, Result, RobotFile, SceneError, yaml};

/// Reads a robot file (YAML). Its URDF must exist; its links and joints are checked when the robot
/// is built.
///
/// # Errors
///
/// [`SceneError`] with file and line: unknown or missing keys, lists that do not agree in length,
/// implausible gains, forces or widths, a missing URDF.
pub fn load_robot(path: impl AsRef<Path>) -> Result<RobotFile, SceneError> {
    load(&Source::file(path.as_ref()))
}

pub(crate) fn load(source: &Source) -> Result<RobotFile> {
    let file = source.name();
    let root = yaml::parse(&file, &source.read()?)?;
    let robot = Fields::new(&file, &root, "the robot file", keys("robot"))?;
    let (urdf, urdf_text) = read_urdf(source, &robot)?;
    let links = robot.need("links")?.fields(keys("links"))?;
    let arm = robot.need("arm")?.fields(keys("robot_arm"))?;
    let joints = arm.need("joints")?;
    let arm_joints = names(&joints, 1..=usize::MAX)?;
    let n = arm_joints.len();
    let pose = |pose: Field<'_>| Ok((pose.key.to_owned(), list(&pose, Sign::Any, n)?));
    let named_poses = robot.maybe("named_poses_rad", |f| f.entries()?.map(pose).collect());
    Ok(RobotFile {
        name: robot.text("name")?,
        joints_at: (file.clone(), joints.node.line),
        urdf,
        urdf_text,
        package_paths: package_paths(source, &robot)?,
        base_link: links.text("base")?,
        flange_link: links.text("flange")?,
        hand_link: links.text("hand")?,
        tool_link: links.text("tool")?,
        hand_from_tool: links.maybe("tool_in_hand", |f| posed(&f.fields(keys("frame"))?))?,
        home: list(&arm.need("home_rad")?, Sign::Any, n)?,
        named_poses: named_poses?.unwrap_or_default(),
        range: range(&arm, n)?,
        motors: arm_motors(&arm.need("motors")?, n)?,
        max_acceleration: list(&arm.need("max_acceleration_rad_per_s2")?, Sign::Positive, n)?,
        max_jerk: list(&arm.need("max_jerk_rad_per_s3")?, Sign::Positive, n)?,
        gripper: robot.maybe("gripper", gripper)?.unwrap_or_default(),
        workspace_in_base: bounds(&robot.need("workspace_in_base_m")?)?,
        monitors: robot.maybe("monitors", monitors)?.unwrap_or_default(),
        approval: (robot.maybe("approval", policy)?).unwrap_or_default(),
        arm_joints,
    })
}

fn read_urdf(source: &Source, robot: &Fields<'_>) -> Result<(PathBuf, Option<String>)> {
    let field = robot.need("urdf")?;
    let urdf = source.join(field.text()?);
    match &urdf {
        Source::Builtin(_) => match urdf.read() {
            Ok(text) => Ok((PathBuf::from(urdf.name()), Some(text))),
            Err(_) => Err(missing(&field, &urdf)),
        },
        Source::File(path) if path.is_file() => Ok((path.clone(), None)),
        Source::File(_) => Err(missing(&field, &urdf)),
    }
}

fn missing(field: &Field<'_>, urdf: &Source) -> SceneError {
    let why = "there is no such file";
    field.error(Problem::bad_reference("the URDF", &urdf.name(), why))
}

fn package_paths(source: &Source, robot: &Fields<'_>) -> Result<Vec<PathBuf>> {
    let words = robot.maybe("package_paths", |field| field.words())?;
    let words = words.into_iter().flatten();
    let path = |word: Located<String>| PathBuf::from(source.join(&word.value).name());
    Ok(words.map(path).collect())
}

/// Reads joint limits and speeds that replace those of the URDF.
fn range(arm: &Fields<'_>, n: usize) -> Result<ArmRange> {
    let optional = |key, sign| arm.maybe(key, |field| list(&field, sign, n));
    let lower_rad = optional("lower_rad", Sign::Any)?;
    let upper_rad = optional("upper_rad", Sign::Any)?;
    if let (Some(lower), Some(upper)) = (&lower_rad, &upper_rad)
        && let Some((lower, upper)) = lower.iter().zip(upper).find(|(low, up)| low >= up)
    {
        let wanted = format!("greater than the joint's `lower_rad`, which is {lower}");
        return arm.refuse("upper_rad", upper, wanted);
    }
    Ok(ArmRange {
        lower_rad,
        upper_rad,
        max_velocity_rad_per_s: optional("max_velocity_rad_per_s", Sign::Positive)?,
    })
}

fn arm_motors(field: &Field<'_>, n: usize) -> Result<Vec<Motor>> {
    let motors = field.fields(keys("arm_motors"))?;
    let list = |key, sign| list(&motors.need(key)?, sign, n);
    let kp = list("kp_nm_per_rad", Sign::Positive)?;
    let kd = list("kd_nm_s_per_rad", Sign::Positive)?;
    let armature = list("armature_kg_m2", Sign::NotNegative)?;
    let damping = list("damping_nm_s_per_rad", Sign::NotNegative)?;
    let motor = |i| Motor {
        kp: kp[i],
        kd: kd[i],
        armature: armature[i],
        damping: damping[i],
    };
    Ok((0..n).map(motor).collect())
}

fn gripper(field: Field<'_>) -> Result<GripperFile> {
    let gripper = field.fields(keys("gripper"))?;
    let motor = gripper.need("motors")?.fields(keys("finger_motors"))?;
    let min_width_m = gripper.number("min_width_m", Sign::NotNegative)?;
    let max_width_m = gripper.number("max_width_m", Sign::Positive)?;
    if min_width_m >= max_width_m {
        let allowed = format!("greater than `min_width_m`, which is {min_width_m}");
        return gripper.refuse("max_width_m", max_width_m, allowed);
    }
    let at_most = |key, limit_key: &str, limit| {
        let allowed = format!("at most `{limit_key}`, which is {limit}");
        (gripper.need(key)?).number_if(Sign::Positive, |value| value <= limit, allowed)
    };
    let max_force_n = gripper.number("max_force_n", Sign::Positive)?;
    let max_speed_m_per_s = gripper.number("max_speed_m_per_s", Sign::Positive)?;
    Ok(GripperFile {
        // A hand with a fixed jaw has one joint. It is rejected only once the URDF has been read,
        // since the message states the widths that the URDF allows.
        finger_joints: names(&gripper.need("finger_joints")?, 1..=2)?,
        finger_links: names(&gripper.need("finger_links")?, 2..=usize::MAX)?,
        min_width_m,
        max_width_m,
        max_force_n,
        default_force_n: at_most("default_force_n", "max_force_n", max_force_n)?,
        default_speed_m_per_s: at_most(
            "default_speed_m_per_s",
            "max_speed_m_per_s",
            max_speed_m_per_s,
        )?,
        max_speed_m_per_s,
        max_payload_kg: gripper.number("max_payload_kg", Sign::Positive)?,
        motor: Motor {
            kp: motor.number("kp_n_per_m", Sign::Positive)?,
            kd: motor.number("kd_n_s_per_m", Sign::Positive)?,
            armature: motor.number("armature_kg", Sign::NotNegative)?,
            damping: motor.number("damping_n_s_per_m", Sign::NotNegative)?,
        },
        pad_friction: gripper.number("pad_friction", Sign::Positive)?,
    })
}

/// Reads the limits that the file gives; the others keep their defaults.
fn monitors(field: Field<'_>) -> Result<MonitorLimits> {
    let given = field.fields(keys("monitors"))?;
    let mut limits = json!(MonitorLimits::default());
    for key in keys("monitors") {
        if let Some(limit) = given.get(key) {
            limits[key] = json!(limit.number(Sign::Positive)?);
        }
    }
    serde_json::from_value(limits).map_err(|error| field.error(error.to_string()))
}

fn names(field: &Field<'_>, allowed: std::ops::RangeInclusive<usize>) -> Result<Vec<String>> {
    let words: Vec<String> = field.words()?.into_iter().map(|w| w.value).collect();
    let distinct = (1..words.len()).all(|i| !words[..i].contains(&words[i]));
    if distinct && allowed.contains(&words.len()) {
        return Ok(words);
    }
    let wanted = match (allowed.start(), allowed.end()) {
        (low, high) if low == high => format!("{low} distinct names"),
        (low, &high) if high < usize::MAX => format!("{low} or {high} distinct names"),
        (low, _) => format!("at least {low} distinct names"),
    };
    Err(field.not_allowed(words.join(", "), wanted))
}

/// Reads one number for each of the `n` arm joints.
fn list(field: &Field<'_>, sign: Sign, n: usize) -> Result<Vec<f64>> {
    let numbers = field.numbers(sign)?;
    if numbers.len() == n {
        return Ok(numbers);
    }
    let allowed = format!("a list of {n}, one for each of `arm.joints`");
    Err(field.not_allowed(format!("a list of {}", numbers.len()), allowed))
}

/// Reads `approval:`; its keys are those of the agent's settings.
fn policy(field: Field<'_>) -> Result<ApprovalPolicy> {
    let policy = field.fields(keys("approval"))?;
    Ok(ApprovalPolicy {
        mode: policy.maybe("mode", mode)?.unwrap_or_default(),
        risks: policy.maybe("risks", risks)?.unwrap_or_default(),
        trust_after: policy.maybe("trust_after", times)?,
    })
}

fn mode(field: Field<'_>) -> Result<ApprovalMode> {
    let modes = [
        ("always", ApprovalMode::Always),
        ("never", ApprovalMode::Never),
        ("critical", ApprovalMode::Critical),
    ];
    field.choice("approval mode", &modes)
}

fn risks(field: Field<'_>) -> Result<RiskRules> {
    let risks = field.fields(keys("risks"))?;
    Ok(RiskRules {
        speed_over: risks.maybe("speed_over", part_of_limits)?,
        person_zones_in_base_m: risks.each("person_zones_in_base_m", |zone| bounds(&zone))?,
        fragile: words(&risks, "fragile")?,
        irreversible: words(&risks, "irreversible")?,
    })
}

fn part_of_limits(field: Field<'_>) -> Result<f64> {
    let allowed = "greater than 0 and at most 1, as a fraction of the arm's limits";
    field.number_if(Sign::Positive, |part| part <= 1.0, allowed)
}

fn times(field: Field<'_>) -> Result<u32> {
    let is_count = |n: f64| n.fract() == 0.0 && n <= f64::from(u32::MAX);
    let times = field.number_if(Sign::Positive, is_count, "a whole number, 1 or greater")?;
    Ok(times as u32)
}

fn words<'a>(fields: &Fields<'a>, key: &'a str) -> Result<Vec<String>> {
    let words = fields.maybe(key, |field| field.words())?;
    Ok(words.into_iter().flatten().map(|word| word.value).collect())
}
