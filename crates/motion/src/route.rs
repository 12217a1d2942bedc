//! Ways from one configuration to another.

use regrasp_api::{CollisionPair, MotionFailure, MotionRequest, Pose, ToolTarget};
use regrasp_kinematics::ik::IkOptions;

use crate::arm::ArmPlanner;
use crate::collision::Surroundings;
use crate::inverse;
use crate::path::{Path, distance};
use crate::search::{Search, SearchOptions};

/// Largest joint step between two collision checks along a path, rad: 1.5 cm at the
/// end of a stretched arm.
const CHECK_STEP_RAD: f64 = 0.02;
/// Heights by which a detour rises above the higher of its two ends, m.
const DETOUR_RISES_M: [f64; 3] = [0.08, 0.16, 0.28];
/// Distance between points along a straight line of the tool, m.
const LINE_STEP_M: f64 = 0.01;
/// Rotation between points along a straight line of the tool, rad.
const LINE_STEP_RAD: f64 = 0.05;
/// A joint that turns further than this within one step of a line has jumped to
/// another branch, rad.
const JUMP_RAD: f64 = 0.35;

/// A free path between two configurations: straight, or up, across and down.
pub(crate) fn between(
    arm: &ArmPlanner,
    around: &Surroundings,
    world_from_base: &Pose,
    start: &[f64],
    goal: &[f64],
) -> Result<Option<Path>, MotionFailure> {
    let Some(straight) = Path::through(&[start.to_vec(), goal.to_vec()]) else {
        return Ok(None);
    };
    let mut blockers = vec![];
    match first_contact(arm, around, &straight) {
        None => return Ok(Some(straight)),
        Some(pair) => blockers.push(pair),
    }
    for rise_m in DETOUR_RISES_M {
        let Some(path) = detour(arm, world_from_base, start, goal, rise_m) else {
            continue;
        };
        match first_contact(arm, around, &path) {
            None => return Ok(Some(path)),
            Some(pair) => blockers.push(pair),
        }
    }
    blockers.dedup();
    Err(MotionFailure::PathBlocked { blockers })
}

/// Samples of a search before a path counts as blocked: tens of times what a shelf or
/// a cage takes.
const SEARCH_ITERATIONS: usize = 2000;
/// Distance between points along a searched path, rad, coarse first. The curve through
/// them cuts corners by less, the closer they are; the last is nearly the polygon.
const POINT_STEPS_RAD: [f64; 4] = [0.4, 0.2, 0.1, 0.05];

/// A searched path to one of several free goals, and to which. The curve that the arm
/// follows is checked by the exact shapes, like any other.
pub(crate) fn search(
    arm: &ArmPlanner,
    request: &MotionRequest<'_>,
    around: &Surroundings,
    goals: &[Vec<f64>],
) -> Option<(Path, usize)> {
    if goals.is_empty() {
        return None;
    }
    let search = Search::for_request(arm, request, around.clone(), goals.to_vec());
    let options = SearchOptions {
        max_iterations: SEARCH_ITERATIONS,
        ..SearchOptions::default()
    };
    let raw = search.solve(&options).ok()?;
    let reached = goals.iter().position(|g| raw.last() == Some(g))?;
    let short = search.simplify(&raw, &options).ok()?;
    [&short, &raw].into_iter().find_map(|points| {
        POINT_STEPS_RAD.into_iter().find_map(|step_rad| {
            let path = Path::through(&densely(points, step_rad))?;
            first_contact(arm, around, &path)
                .is_none()
                .then_some((path, reached))
        })
    })
}

/// Points along a polygon at most `step_rad` apart, its corners included.
fn densely(points: &[Vec<f64>], step_rad: f64) -> Vec<Vec<f64>> {
    let mut dense = vec![points[0].clone()];
    for edge in points.windows(2) {
        let n = (distance(&edge[0], &edge[1]) / step_rad).ceil().max(1.0) as usize;
        for i in 1..=n {
            let f = i as f64 / n as f64;
            let at = edge[0].iter().zip(&edge[1]).map(|(a, b)| a + f * (b - a));
            dense.push(at.collect());
        }
    }
    dense
}

/// The tool moves on a straight line, its orientation turning evenly. `None` when it
/// is there already.
pub(crate) fn line(
    arm: &ArmPlanner,
    around: &Surroundings,
    world_from_base: &Pose,
    start: &[f64],
    world_from_goal: &Pose,
) -> Result<Option<Path>, MotionFailure> {
    let points = line_points(arm, world_from_base, start, world_from_goal)?;
    let Some(path) = Path::through(&points) else {
        return Ok(None);
    };
    let end = points
        .last()
        .and_then(|q| arm.geometry().first_contact(q, around));
    if let Some(pair) = end {
        return Err(MotionFailure::GoalInCollision { pairs: vec![pair] });
    }
    match first_contact(arm, around, &path) {
        None => Ok(Some(path)),
        Some(pair) => Err(MotionFailure::PathBlocked {
            blockers: vec![pair],
        }),
    }
}

fn line_points(
    arm: &ArmPlanner,
    world_from_base: &Pose,
    start: &[f64],
    world_from_goal: &Pose,
) -> Result<Vec<Vec<f64>>, MotionFailure> {
    let world_from_start = world_from_base * arm.chain().forward(start);
    let step = world_from_start.inverse() * world_from_goal;
    let n = (step.translation.vector.norm() / LINE_STEP_M)
        .max(step.rotation.angle() / LINE_STEP_RAD)
        .ceil()
        .max(1.0) as usize;
    // Each point continues from the one before: no restarts, so no other branch. The
    // tolerances are far below what matters for the place of the tool, since every
    // scatter of neighbouring points is curvature that costs time.
    let options = IkOptions {
        restarts: 0,
        max_iterations: 60,
        pos_tol_m: 1e-8,
        rot_tol_rad: 1e-7,
        ..IkOptions::default()
    };
    let mut points = vec![start.to_vec()];
    for i in 1..=n {
        let world_from_tool = interpolate(&world_from_start, world_from_goal, i as f64 / n as f64);
        let last = &points[points.len() - 1];
        let target = ToolTarget::Pose(world_from_tool);
        let q = inverse::solve(arm.chain(), world_from_base, &target, last, &options)?;
        let jump = q
            .iter()
            .zip(last)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        if jump > JUMP_RAD {
            let left_m = (1.0 - i as f64 / n as f64) * step.translation.vector.norm();
            return Err(MotionFailure::Unreachable {
                detail: format!(
                    "the straight line passes a singularity {left_m:.3} m before its end (a joint \
                     would jump by {jump:.2} rad)"
                ),
                pos_err_m: left_m,
                tol_m: options.pos_tol_m,
            });
        }
        points.push(q);
    }
    Ok(points)
}

/// Straight line and shortest turn between two poses. Half a turn has no shortest
/// way; then the first half is taken about the start's own axis.
fn interpolate(a: &Pose, b: &Pose, fraction: f64) -> Pose {
    let translation = a.translation.vector.lerp(&b.translation.vector, fraction);
    let rotation = a
        .rotation
        .try_slerp(&b.rotation, fraction, 1e-9)
        .unwrap_or(if fraction < 0.5 {
            a.rotation
        } else {
            b.rotation
        });
    Pose::from_parts(translation.into(), rotation)
}

/// Up from the start, across, and down to the goal, with the corners cut so that the
/// arm need not stop in them.
fn detour(
    arm: &ArmPlanner,
    world_from_base: &Pose,
    start: &[f64],
    goal: &[f64],
    rise_m: f64,
) -> Option<Path> {
    let world_from_tool = |q: &[f64]| world_from_base * arm.chain().forward(q);
    let (from, to) = (world_from_tool(start), world_from_tool(goal));
    let height = from.translation.z.max(to.translation.z) + rise_m;
    let above = |pose: &Pose, q: &[f64]| {
        let mut raised = *pose;
        raised.translation.z = height;
        line_points(arm, world_from_base, q, &raised).ok()
    };
    let up = above(&from, start)?;
    let mut down = above(&to, goal)?;
    down.reverse();
    let across = subdivide(up.last()?, down.first()?);
    let legs = [up, across, down];
    let mut points = vec![start.to_vec()];
    for leg in &legs {
        points.extend(
            leg.iter()
                .skip(1)
                .take(leg.len().saturating_sub(2))
                .cloned(),
        );
    }
    points.push(goal.to_vec());
    Path::through(&points)
}

/// Points on the straight line in joint space, ends included.
fn subdivide(a: &[f64], b: &[f64]) -> Vec<Vec<f64>> {
    let n = (distance(a, b) / 0.1).ceil().max(2.0) as usize;
    let at = |f: f64| a.iter().zip(b).map(|(x, y)| x + f * (y - x)).collect();
    (0..=n).map(|i| at(i as f64 / n as f64)).collect()
}

/// The first contact along a path, ends included.
fn first_contact(arm: &ArmPlanner, around: &Surroundings, path: &Path) -> Option<CollisionPair> {
    let n = (path.length() / CHECK_STEP_RAD).ceil().max(2.0) as usize;
    (0..=n).find_map(|i| {
        let q = path.at(path.length() * i as f64 / n as f64).position;
        if let Some(joint_idx) = arm.outside_limits(&q) {
            return Some(CollisionPair {
                link: arm.chain().joint_names()[joint_idx].clone(),
                other: "its limit".into(),
            });
        }
        arm.geometry().first_contact(&q, around)
    })
}
