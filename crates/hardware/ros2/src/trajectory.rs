//! Conversion of joint trajectories from and to ROS, with checks.

use regrasp_api::{Knot, Trajectory};

use crate::messages::{Duration, JointTrajectory, JointTrajectoryPoint};

/// Joint of an arm, with its limits: rad and rad/s, or m and m/s.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmJoint {
    /// Name in the robot description.
    pub name: String,
    /// Lowest position.
    pub lower: f64,
    /// Highest position.
    pub upper: f64,
    /// Largest speed.
    pub velocity: f64,
}

/// `error_code` of a `FollowJointTrajectory` result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowCode {
    Successful = 0,
    InvalidGoal = -1,
    InvalidJoints = -2,
    PathToleranceViolated = -4,
    GoalToleranceViolated = -5,
}

impl FollowCode {
    /// Returns the meaning of a code that a controller sent.
    pub(crate) fn words(code: i32) -> &'static str {
        match code {
            0 => "successful",
            -1 => "invalid goal",
            -2 => "invalid joints",
            -3 => "old header timestamp",
            -4 => "path tolerance violated",
            -5 => "goal tolerance violated",
            _ => "an unknown error",
        }
    }
}

/// Largest distance of a trajectory's first point at time 0 from the arm, rad.
const START_RAD: f64 = 0.02;
/// Maximum interval at which positions and speeds are checked, s, and minimum number of intervals
/// of a segment: a quintic is fastest in its middle.
const CHECK_SECS: f64 = 0.01;
const CHECKS: f64 = 4.0;
/// Longest motion that is accepted, s.
const MOST_SECS: f64 = 600.0;
/// Allowed excess over a speed limit, as a factor, and over the range, rad: other programs round.
const SPARE: f64 = 1.001;
const SPARE_RAD: f64 = 1e-4;

/// Converts a trajectory from ROS for an arm that is at `now`.
///
/// The arm's position is the first knot unless the trajectory has a point at time 0. Missing
/// velocities are those of a parabola through three neighbouring points, and zero at the ends and
/// at turning points.
///
/// # Errors
///
/// The code and the reason why the arm cannot follow it.
pub(crate) fn read(
    sent: &JointTrajectory,
    arm: &[ArmJoint],
    now: &[f64],
) -> Result<Trajectory, (FollowCode, String)> {
    let order = order(&sent.joint_names, arm).map_err(|text| (FollowCode::InvalidJoints, text))?;
    let trajectory = followable(sent, &order, arm, now);
    trajectory.map_err(|text| (FollowCode::InvalidGoal, text))
}

/// Converts a trajectory whose values of joint `i` are at place `order[i]`.
fn followable(
    sent: &JointTrajectory,
    order: &[usize],
    arm: &[ArmJoint],
    now: &[f64],
) -> Result<Trajectory, String> {
    let mut knots: Vec<Knot> = Vec::with_capacity(sent.points.len() + 1);
    for (i, point) in sent.points.iter().enumerate() {
        let sorted = |values: &[f64]| order.iter().map(|j| values[*j]).collect::<Vec<f64>>();
        let lists = [&point.positions, &point.velocities, &point.accelerations];
        let wrong = |list: &&Vec<f64>| !list.is_empty() && list.len() != arm.len();
        if point.positions.is_empty() || lists.iter().any(wrong) {
            let n = arm.len();
            return Err(format!(
                "point {i} must have positions, and {n} values in each list that is given"
            ));
        }
        if lists.iter().any(|list| list.iter().any(|x| !x.is_finite())) {
            return Err(format!("point {i} has a value that is not finite"));
        }
        let time_secs = point.time_from_start.secs();
        if knots.last().is_some_and(|last| last.time_secs >= time_secs) || time_secs < 0.0 {
            return Err(format!(
                "point {i} is not later than the one before it, or before time 0"
            ));
        }
        let given = |list: &[f64]| match list.is_empty() {
            true => vec![],
            false => sorted(list),
        };
        knots.push(Knot {
            time_secs,
            position: sorted(&point.positions),
            velocity: given(&point.velocities),
            acceleration: given(&point.accelerations),
        });
    }
    let Some(first) = knots.first() else {
        return Err("the trajectory has no points".into());
    };
    if first.time_secs > 0.0 {
        knots.insert(0, Knot::at_rest(0.0, now));
    } else {
        check_start(first, arm, now)?;
        if knots.len() == 1 {
            return Err("the trajectory has no point after its start".into());
        }
    }
    fill(&mut knots);
    let trajectory = Trajectory::new(knots);
    check_limits(&trajectory, arm)?;
    Ok(trajectory)
}

/// Converts a trajectory for ROS, with all its knots.
pub(crate) fn write(trajectory: &Trajectory, joint_names: &[String]) -> JointTrajectory {
    let first_secs = trajectory.knots()[0].time_secs;
    let points = trajectory.knots().iter().map(|knot| JointTrajectoryPoint {
        positions: knot.position.clone(),
        velocities: knot.velocity.clone(),
        accelerations: knot.acceleration.clone(),
        effort: vec![],
        time_from_start: Duration::of(knot.time_secs - first_secs),
    });
    JointTrajectory {
        joint_names: joint_names.to_vec(),
        points: points.collect(),
        ..JointTrajectory::default()
    }
}

/// Returns for each joint of the arm its place in `names`.
pub(crate) fn order(names: &[String], arm: &[ArmJoint]) -> Result<Vec<usize>, String> {
    let place = |joint: &ArmJoint| names.iter().position(|name| *name == joint.name);
    let order: Option<Vec<usize>> = arm.iter().map(place).collect();
    match order {
        Some(order) if names.len() == arm.len() => Ok(order),
        _ => {
            let own: Vec<_> = arm.iter().map(|joint| joint.name.as_str()).collect();
            Err(format!(
                "the joints are {}, but must be {}",
                names.join(", "),
                own.join(", ")
            ))
        }
    }
}

fn check_start(first: &Knot, arm: &[ArmJoint], now: &[f64]) -> Result<(), String> {
    let joints = arm.iter().zip(&first.position).zip(now);
    for ((joint, begins), is) in joints {
        if (begins - is).abs() > START_RAD {
            return Err(format!(
                "{} is at {is:.3} rad, but the trajectory begins at {begins:.3} rad",
                joint.name
            ));
        }
    }
    Ok(())
}

/// Fills in missing velocities and accelerations.
fn fill(knots: &mut [Knot]) {
    let n_joints = knots[0].position.len();
    for i in 0..knots.len() {
        if knots[i].velocity.is_empty() {
            let is_inner = i > 0 && i + 1 < knots.len();
            let slope = |j: usize| match is_inner {
                true => slope([&knots[i - 1], &knots[i], &knots[i + 1]], j),
                false => 0.0,
            };
            knots[i].velocity = (0..n_joints).map(slope).collect();
        }
        if knots[i].acceleration.is_empty() {
            knots[i].acceleration = vec![0.0; n_joints];
        }
    }
}

/// Derivative of the parabola through three knots at the middle one; zero at a turning point, so
/// that the joint does not overshoot it.
fn slope([a, b, c]: [&Knot; 3], joint: usize) -> f64 {
    let (before, after) = (b.time_secs - a.time_secs, c.time_secs - b.time_secs);
    let first = (b.position[joint] - a.position[joint]) / before;
    let second = (c.position[joint] - b.position[joint]) / after;
    match first * second > 0.0 {
        true => (first * after + second * before) / (before + after),
        false => 0.0,
    }
}

/// Checks the whole course of a trajectory, however short its segments are.
fn check_limits(trajectory: &Trajectory, arm: &[ArmJoint]) -> Result<(), String> {
    let duration_secs = trajectory.duration_secs();
    if duration_secs > MOST_SECS {
        return Err(format!(
            "the trajectory takes {duration_secs:.0} s, but may take at most {MOST_SECS} s"
        ));
    }
    let first_secs = trajectory.knots()[0].time_secs;
    for segment in trajectory.knots().windows(2) {
        let [from, to] = [&segment[0], &segment[1]].map(|knot| knot.time_secs - first_secs);
        let n = ((to - from) / CHECK_SECS).max(CHECKS).ceil();
        for k in 0..=n as usize {
            check_instant(trajectory, arm, from + (to - from) * k as f64 / n)?;
        }
    }
    Ok(())
}

fn check_instant(trajectory: &Trajectory, arm: &[ArmJoint], at_secs: f64) -> Result<(), String> {
    let (mut position, mut velocity) = (vec![0.0; arm.len()], vec![0.0; arm.len()]);
    trajectory.sample(at_secs, &mut position, &mut velocity);
    for (joint, (q, v)) in arm.iter().zip(position.iter().zip(&velocity)) {
        let (name, limit) = (&joint.name, joint.velocity);
        let range = joint.lower - SPARE_RAD..=joint.upper + SPARE_RAD;
        if !range.contains(q) {
            let (lower, upper) = (joint.lower, joint.upper);
            return Err(format!(
                "{name} would be at {q:.3} rad after {at_secs:.2} s; its range is {lower:.3} to \
                 {upper:.3} rad"
            ));
        }
        if v.abs() > SPARE * limit {
            let speed = v.abs();
            return Err(format!(
                "{name} would move at {speed:.2} rad/s at {at_secs:.2} s; its limit is {limit:.2}"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Vec<ArmJoint> {
        let joint = |name: &str| ArmJoint {
            name: name.into(),
            lower: -2.0,
            upper: 2.0,
            velocity: 1.0,
        };
        vec![joint("a"), joint("b")]
    }

    fn sent(names: [&str; 2], points: &[(f64, [f64; 2])]) -> JointTrajectory {
        let point = |(secs, positions): &(f64, [f64; 2])| JointTrajectoryPoint {
            positions: positions.to_vec(),
            time_from_start: Duration::of(*secs),
            ..JointTrajectoryPoint::default()
        };
        JointTrajectory {
            joint_names: names.map(str::to_owned).to_vec(),
            points: points.iter().map(point).collect(),
            ..JointTrajectory::default()
        }
    }

    #[test]
    fn joints_come_in_any_order_and_the_arm_begins_where_it_is() {
        let goal = sent(["b", "a"], &[(1.0, [0.3, -0.2]), (2.0, [0.6, -0.4])]);
        let read = read(&goal, &arm(), &[0.0, 0.0]).expect("the arm can follow it");
        assert_eq!(read.knots().len(), 3);
        assert_eq!(read.last_position(), [-0.4, 0.6]);
        // A straight line in time: the velocity in its middle is that of the line.
        assert!((read.knots()[1].velocity[1] - 0.3).abs() < 1e-12);
        assert_eq!(read.knots()[2].velocity, [0.0, 0.0]);
        let back = write(&read, &["a".to_owned(), "b".to_owned()]);
        assert_eq!(back.points[2].positions, [-0.4, 0.6]);
        assert_eq!(back.points[2].time_from_start, Duration::of(2.0));
    }

    #[test]
    fn a_turning_point_is_not_passed() {
        let goal = sent(["a", "b"], &[(1.0, [0.5, 0.0]), (2.0, [0.0, 0.0])]);
        let read = read(&goal, &arm(), &[0.0, 0.0]).expect("the arm can follow it");
        let (mut q, mut v) = ([0.0; 2], [0.0; 2]);
        for k in 0..=200 {
            read.sample(f64::from(k) * 0.01, &mut q, &mut v);
            assert!(q[0] <= 0.5 + 1e-9);
        }
    }

    #[test]
    fn a_goal_that_cannot_be_followed_is_refused_with_the_joint_and_the_figure() {
        use FollowCode::{InvalidGoal, InvalidJoints};
        let far = [(6.0, [2.5, 0.0])];
        let fast = [(0.5, [1.0, 0.0])];
        let back = [(1.0, [0.1, 0.0]), (0.5, [0.2, 0.0])];
        let jump = [(1.0, [0.1, 0.0]), (1.000_000_001, [0.9, 0.0])];
        let long = [(1e6, [0.1, 0.0])];
        let away = [(0.0, [0.4, 0.0]), (1.0, [0.5, 0.0])];
        let (ab, ac) = (["a", "b"], ["a", "c"]);
        let none = [(1.0, [f64::NAN, 0.0])];
        for (names, points, code, word) in [
            (ac, &far[..], InvalidJoints, "a, c, but must be a, b"),
            (ab, &far, InvalidGoal, "a would be at 2.0"),
            (ab, &fast, InvalidGoal, "its limit is 1.00"),
            (ab, &jump, InvalidGoal, "a would "),
            (ab, &long, InvalidGoal, "at most 600 s"),
            (ab, &back, InvalidGoal, "point 1 is not later"),
            (ab, &away, InvalidGoal, "begins at 0.400"),
            (ab, &[], InvalidGoal, "no points"),
            (ab, &none, InvalidGoal, "not finite"),
        ] {
            let refused = read(&sent(names, points), &arm(), &[0.0, 0.0]);
            let (got, text) = refused.expect_err(word);
            assert_eq!(got, code, "{text}");
            assert!(text.contains(word), "{text}");
        }
    }
}
