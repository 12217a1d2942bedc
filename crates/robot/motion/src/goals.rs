//! Goals that many configurations satisfy.

use regrasp_api::{CollisionPair, MotionFailure, Pose, ToolTarget};
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{DEFAULT_SAMPLES, IkOptions};

use crate::arm::ArmPlanner;
use crate::inverse::{self, Miss};
use crate::path::distance;
use crate::route::Task;
use crate::untimed::UntimedMotion;

/// Largest number of closed-form configurations considered for one pose.
const PER_POSE: usize = 8;
/// Distance below which two configurations count as the same, rad.
const ALIKE_RAD: f64 = 0.4;
/// Distance to a joint limit below which a configuration is used only if there is no other, rad:
/// the next motion would hardly have room there.
const LIMIT_ROOM_RAD: f64 = 0.05;
/// Number of goals for which detours are tried, nearest in time first.
const N_DETOURS: usize = 4;
const N_SEARCHED: usize = 16;

struct Goal {
    q: Vec<f64>,
    idx: usize,
    is_cramped: bool,
    /// Lower bound of the time to reach the configuration, by each joint's speed limit, s.
    away_secs: f64,
}

/// Finds a free path to a configuration of one of the poses, preferring one that is reached soon,
/// and returns it with the index of its pose; no path if the arm is there already.
pub(crate) fn to_any_pose(
    task: &Task<'_>,
    poses: &[Pose],
) -> Result<(Option<UntimedMotion>, usize), MotionFailure> {
    let mut refused = Refused::default();
    let mut goals: Vec<Goal> = vec![];
    for (idx, pose) in poses.iter().enumerate() {
        match configurations(task.arm, task.world_from_base(), pose, task.request.start) {
            Ok(found) => goals.extend(found.into_iter().map(|q| Goal::new(task, q, idx))),
            Err(miss) => refused.missed = nearer(refused.missed.take(), miss),
        }
    }
    to_any(task, goals, refused)
}

/// Finds a free path to one of the configurations as [`to_any_pose`] does.
pub(crate) fn to_any_joints(
    task: &Task<'_>,
    configurations: &[Vec<f64>],
) -> Result<(Option<UntimedMotion>, usize), MotionFailure> {
    let goals = configurations.iter().enumerate();
    let goals = goals.map(|(idx, q)| Goal::new(task, q.clone(), idx));
    to_any(task, goals.collect(), Refused::default())
}

/// Tries direct paths to all goals first, then detours to some, then a search for a path to any of
/// several goals.
fn to_any(
    task: &Task<'_>,
    goals: Vec<Goal>,
    mut refused: Refused,
) -> Result<(Option<UntimedMotion>, usize), MotionFailure> {
    let goals = free(task, goals, &mut refused);
    for goal in &goals {
        let motions = task.direct(&goal.q);
        if motions.is_empty() {
            return Ok((None, goal.idx));
        }
        match task.first_free(motions) {
            Ok(motion) => return Ok((Some(motion), goal.idx)),
            Err(blockers) => refused.blocked.extend(blockers),
        }
    }
    for goal in goals.iter().take(N_DETOURS) {
        match task.first_free(task.detours(&goal.q)) {
            Ok(motion) => return Ok((Some(motion), goal.idx)),
            Err(blockers) => refused.blocked.extend(blockers),
        }
    }
    let searched: Vec<_> = goals.iter().take(N_SEARCHED).map(|g| g.q.clone()).collect();
    match task.search(&searched) {
        Some((motion, reached)) => Ok((Some(motion), goals[reached].idx)),
        None => Err(refused.failure(&task.arm.chain)),
    }
}

/// Returns the goals without contact and, if required, upright: those with room to all joint limits
/// first, and of these the soonest.
fn free(task: &Task<'_>, mut goals: Vec<Goal>, refused: &mut Refused) -> Vec<Goal> {
    goals.sort_by(|a, b| {
        let cramped = a.is_cramped.cmp(&b.is_cramped);
        cramped.then(a.away_secs.total_cmp(&b.away_secs))
    });
    goals.retain(|goal| {
        if let Some(failure) = task.leaning("goal", &goal.q) {
            refused.leaning.get_or_insert(failure);
            return false;
        }
        let pair = task.touching(&goal.q);
        let is_free = pair.is_none();
        refused.touching.extend(pair);
        is_free
    });
    goals
}

impl Goal {
    fn new(task: &Task<'_>, q: Vec<f64>, idx: usize) -> Self {
        let joints = q.iter().zip(task.request.start).zip(&task.arm.limits);
        let away_secs = joints.map(|((q, start), limit)| (q - start).abs() / limit.velocity);
        Self {
            away_secs: away_secs.fold(0.0, f64::max),
            is_cramped: task.arm.chain.limit_margin(&q) < LIMIT_ROOM_RAD,
            idx,
            q,
        }
    }
}

/// Configurations that bring the tool to a pose: those found numerically from `near` and from home,
/// then, if the arm has a closed form, some of its solutions, nearest to `near` first.
pub(crate) fn configurations(
    arm: &ArmPlanner,
    world_from_base: &Pose,
    pose: &Pose,
    near: &[f64],
) -> Result<Vec<Vec<f64>>, Box<Miss>> {
    let mut found: Vec<Vec<f64>> = vec![];
    let target = ToolTarget::Pose(*pose);
    for seed in [near, &arm.home] {
        let options = IkOptions::default();
        let q = inverse::solve(&arm.chain, world_from_base, &target, seed, &options)?;
        found.push(q);
    }
    if let Some(closed_form) = arm.chain.panda_ik() {
        let (mut all, base_from_tool) = (vec![], world_from_base.inverse() * pose);
        closed_form.all(&base_from_tool, DEFAULT_SAMPLES, &mut all);
        all.sort_by(|a, b| distance(a, near).total_cmp(&distance(b, near)));
        for q in all {
            if found.len() >= 2 + PER_POSE {
                break;
            }
            if found.iter().all(|known| distance(known, &q) > ALIKE_RAD) {
                found.push(q.to_vec());
            }
        }
    }
    Ok(found)
}

#[derive(Default)]
struct Refused {
    missed: Option<Box<Miss>>,
    leaning: Option<MotionFailure>,
    touching: Vec<CollisionPair>,
    blocked: Vec<CollisionPair>,
}

impl Refused {
    /// The failure of the goal that came closest to success.
    fn failure(mut self, chain: &Chain) -> MotionFailure {
        self.touching.dedup();
        self.blocked.dedup();
        if !self.blocked.is_empty() {
            return MotionFailure::PathBlocked {
                blockers: self.blocked,
            };
        }
        if !self.touching.is_empty() {
            return MotionFailure::GoalInCollision {
                pairs: self.touching,
            };
        }
        let missed = || self.missed.map(|miss| miss.failure(chain));
        self.leaning.or_else(missed).unwrap_or_else(no_goal)
    }
}

fn no_goal() -> MotionFailure {
    MotionFailure::Unreachable {
        detail: "no goal was given".into(),
        pos_err_m: f64::INFINITY,
        tol_m: 0.0,
    }
}

/// The unreachable goal with the smaller error.
fn nearer(known: Option<Box<Miss>>, new: Box<Miss>) -> Option<Box<Miss>> {
    match known {
        Some(known) if known.pos_err_m <= new.pos_err_m => Some(known),
        _ => Some(new),
    }
}
