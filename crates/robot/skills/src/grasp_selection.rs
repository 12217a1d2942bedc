//! Selection of a grasp: by the object's shape first, then by its neighbours, then by the arm.

use regrasp_api::{
    Event, MotionFailure, MotionGoal, ObjectId, PerceivedObject, Percept, Phase, PlanningScene,
    Reason, Trajectory, WeighedGrasp,
};
use regrasp_robot::{Result, Robot};

use crate::arm::Arm;
use crate::grasp::{
    Candidates, Grasp, Neighbours, Rejection, Rejections, SPACES_M, clearance_cost, group_order,
    is_from_side,
};
use crate::lookahead::{Feasibility, Lifted, Lookahead};
use crate::params::{APPROACH_M, MAX_PLANNED, N_INSTEAD};
use crate::poses::raised;

pub(crate) struct Chosen {
    pub(crate) grasp: Grasp,
    pub(crate) opening_m: f64,
    pub(crate) travel: Trajectory,
    feasibility: Feasibility,
}

struct Fitting {
    grasp: Grasp,
    opening_m: f64,
    suits: bool,
    cost: f64,
}

/// Lift heights, m; the first that the arm can reach is used.
pub(crate) const LIFTS_M: [f64; 4] = [0.10, 0.08, 0.06, 0.04];
/// Number of grasps with room and within reach that are ranked before motions are planned.
const N_RANKED: usize = 8;
/// Number of shares of the planning budget; each of the first groups adds one.
const N_SHARES: usize = 3;
/// Difference below which two finger distances count as equal, m.
const SAME_WIDTH_M: f64 = 0.001;
/// Margin to the joint limits beyond which more brings no benefit, as a fraction of half the range.
const AMPLE_MARGIN: f64 = 0.15;

/// Returns the best grasp of a target for which motions are found, preferring one that suits the
/// next call.
///
/// # Errors
///
/// `no_grasp_found` with the reasons for rejection and the obstacles; `unreachable` if only the
/// arm's reach is too short; `start_in_collision` if the arm cannot leave its current place.
pub(crate) fn select(
    robot: &mut Robot,
    percept: &Percept,
    target: &PerceivedObject,
    next: Option<&Lookahead<'_>>,
) -> Result<Chosen> {
    let now = robot.observe()?;
    let arm = Arm::new(robot, &now);
    let candidates = Candidates::of(&arm, percept, target);
    let mut selector = GraspSelector::new(arm, percept, &candidates, next);
    let chosen = selector.select(percept);
    let mut grasps = selector.weighed;
    if let Ok(Chosen { grasp, .. }) = &chosen {
        grasps.push(weighed(grasp, WeighedGrasp::TAKEN, &[]));
    }
    robot.emit(Event::GraspsWeighed {
        object: target.id.clone(),
        grasps,
    });
    chosen
}

fn weighed(grasp: &Grasp, verdict: &str, touches: &[ObjectId]) -> WeighedGrasp {
    WeighedGrasp {
        world_from_tool: grasp.world_from_tool,
        verdict: verdict.to_owned(),
        touches: touches.to_vec(),
    }
}

/// Returns true if a target in a hypothetical pose has a grasp for which the hand has room, that
/// the arm reaches, and that suits the next call. If `with_motions`, there are also motions to it
/// from the arm's current state, and from it to the next call.
pub(crate) fn has_grasp(
    robot: &mut Robot,
    percept: &Percept,
    target: &PerceivedObject,
    next: &Lookahead<'_>,
    with_motions: bool,
) -> Result<bool> {
    if with_motions {
        return match select(robot, percept, target, Some(next)) {
            Ok(chosen) => Ok(chosen.feasibility > Feasibility::Blocked),
            // The hand will have left its current place by then.
            Err(failure) => Ok(failure.reason == Reason::StartInCollision),
        };
    }
    let now = robot.observe()?;
    let arm = Arm::new(robot, &now);
    let candidates = Candidates::of(&arm, percept, target);
    let selector = GraspSelector::new(arm, percept, &candidates, Some(next));
    Ok(group_order(&[]).any(|group| {
        let grasps = candidates.group(group, &mut Rejections::default());
        let mut fitting = grasps.into_iter().filter_map(|g| selector.fit(&g).ok());
        fitting.any(|fitting| fitting.suits)
    }))
}

struct GraspSelector<'a> {
    arm: Arm<'a>,
    candidates: &'a Candidates<'a>,
    neighbours: Neighbours,
    free: PlanningScene,
    touching: PlanningScene,
    next: Option<&'a Lookahead<'a>>,
    /// Mass of the target, kg, if known.
    mass_kg: Option<f64>,
    rejections: Rejections,
    /// Grasps for which objects leave no room; whether the arm reaches them matters only at the end.
    blocked: Vec<(Grasp, Rejection)>,
    /// Verdicts on the grasps that were rejected or kept as second best.
    weighed: Vec<WeighedGrasp>,
    n_planned: usize,
    /// Best grasp that works but does not suit the next call well; the first among equals.
    second_best: Option<Chosen>,
    n_roundabout: usize,
}

impl<'a> GraspSelector<'a> {
    fn new(
        arm: Arm<'a>,
        percept: &Percept,
        candidates: &'a Candidates<'a>,
        next: Option<&'a Lookahead<'a>>,
    ) -> Self {
        let target = candidates.object;
        let free = arm.robot.planning_scene(percept);
        Self {
            arm,
            candidates,
            neighbours: Neighbours::new(percept, target),
            touching: free.clone().touching(target.id.clone()),
            free,
            next,
            mass_kg: percept.known(&target.id).and_then(|known| known.mass_kg),
            rejections: Rejections::default(),
            blocked: vec![],
            weighed: vec![],
            n_planned: 0,
            second_best: None,
            n_roundabout: 0,
        }
    }

    fn select(&mut self, percept: &Percept) -> Result<Chosen> {
        let first = self.next.map_or(&[][..], Lookahead::first_groups);
        let mut left = vec![];
        for (rank, group) in group_order(first).enumerate() {
            let mut grasps = self.candidates.group(group, &mut self.rejections);
            grasps.sort_by(|a, b| self.cost(a).total_cmp(&self.cost(b)));
            // The first groups leave plans for the others: in a shelf, grasps from above may fail.
            let most = MAX_PLANNED * (rank + 1).min(N_SHARES) / N_SHARES;
            let mut grasps = grasps.into_iter();
            if let Some(chosen) = self.best_of(&mut grasps, most)? {
                return Ok(chosen);
            }
            left.extend(grasps);
        }
        let mut left = left.into_iter();
        if let Some(chosen) = self.best_of(&mut left, MAX_PLANNED)? {
            return Ok(chosen);
        }
        self.rejections.n_untried = left.count();
        let supports = self.neighbours.supports();
        let is_own = |id: &ObjectId| *id == self.candidates.object.id || supports.contains(id);
        for (grasp, blocked) in std::mem::take(&mut self.blocked) {
            // A neighbour of what is out of reach is not to blame.
            let is_hemmed = !blocked.blockers().iter().all(is_own);
            let unreached = is_hemmed.then(|| self.joints(&grasp).err()).flatten();
            self.rejections.add(unreached.unwrap_or(blocked));
        }
        // What rises highest is the easiest to grasp.
        let mut movable: Vec<_> = percept.objects.iter().filter(|o| o.movable).collect();
        let top_z = |o: &PerceivedObject| o.aabb_in_world().max[2];
        movable.sort_by(|a, b| top_z(b).total_cmp(&top_z(a)));
        let movable: Vec<_> = movable.iter().map(|o| o.id.clone()).collect();
        self.second_best.take().ok_or_else(|| {
            let (rejections, of) = (&self.rejections, self.candidates);
            let failure = rejections.failure(of.object, &movable, &supports, &of.gripper);
            failure.in_phase(Phase::Plan)
        })
    }

    fn drop(&mut self, grasp: &Grasp, why: Rejection) {
        let dropped = weighed(grasp, why.cause(), why.blockers());
        self.weighed.push(dropped);
        match why.blockers().is_empty() {
            true => self.rejections.add(why),
            false => self.blocked.push((grasp.clone(), why)),
        }
    }

    /// Keeps a grasp that does not suit the next call well, unless one at least as good is known.
    fn keep(&mut self, chosen: Chosen, feasibility: Feasibility) {
        self.n_roundabout += usize::from(feasibility == Feasibility::Barely);
        let spare = weighed(&chosen.grasp, WeighedGrasp::SPARE, &[]);
        self.weighed.push(spare);
        let known = self.second_best.as_ref().map(|known| known.feasibility);
        if known.is_none_or(|known| known < feasibility) {
            self.second_best = Some(Chosen {
                feasibility,
                ..chosen
            });
        }
    }

    /// Returns the best of grasps that are sorted by cost, if one suits the next call. Stops after
    /// `most` plans in all.
    fn best_of(
        &mut self,
        grasps: &mut impl Iterator<Item = Grasp>,
        most: usize,
    ) -> Result<Option<Chosen>> {
        while self.n_planned < most {
            let mut ranked: Vec<Fitting> = vec![];
            while ranked.len() < N_RANKED
                && let Some(grasp) = grasps.next()
            {
                match self.fit(&grasp) {
                    Ok(fitting) => ranked.push(fitting),
                    Err(dropped) => self.drop(&grasp, dropped),
                }
            }
            if ranked.is_empty() {
                return Ok(None);
            }
            ranked.sort_by(|a, b| b.suits.cmp(&a.suits).then(a.cost.total_cmp(&b.cost)));
            if let Some(chosen) = self.first_possible(ranked)? {
                return Ok(Some(chosen));
            }
        }
        Ok(None)
    }

    fn cost(&self, grasp: &Grasp) -> f64 {
        grasp.cost() + self.next.map_or(0.0, |next| next.cost(grasp))
    }

    /// Checks that the hand has room and that the arm reaches the grasp. If an obstacle is behind a
    /// horizontal hand, the hand may approach from above, provided that it clears the target.
    fn fit(&self, grasp: &Grasp) -> Result<Fitting, Rejection> {
        match self.fit_as_it_is(grasp) {
            Err(blocked @ Rejection::BlockedApproach(_))
                if is_from_side(&grasp.world_from_tool) =>
            {
                let from_above = Grasp {
                    world_from_before: raised(&grasp.world_from_tool, APPROACH_M),
                    ..grasp.clone()
                };
                self.fit_as_it_is(&from_above).map_err(|_| blocked)
            }
            fitting => fitting,
        }
    }

    fn fit_as_it_is(&self, grasp: &Grasp) -> Result<Fitting, Rejection> {
        let (opening_m, clearance_m) = self.opening(grasp)?;
        let joints = self.joints(grasp)?;
        let margin = self.arm.robot.motion.limit_margin(&joints);
        let at_limit = 0.3 * (1.0 - margin / AMPLE_MARGIN).clamp(0.0, 1.0);
        let gripper = &self.arm.robot.info.gripper;
        let is_level = |kg| gripper.keeps_level(kg, grasp.off_center_m);
        let is_level = self.mass_kg.is_none_or(is_level);
        let suits = |next: &Lookahead<'_>| is_level && next.is_reachable(self.arm.robot, grasp);
        Ok(Fitting {
            cost: self.cost(grasp) + clearance_cost(clearance_m) + at_limit,
            suits: self.next.is_none_or(suits),
            grasp: grasp.clone(),
            opening_m,
        })
    }

    /// Arm configuration at a grasp whose approach is within reach, too.
    fn joints(&self, grasp: &Grasp) -> Result<Vec<f64>, Rejection> {
        let reach = |pose| self.arm.inverse(pose).map_err(Rejection::Unreachable);
        reach(&grasp.world_from_before)?;
        reach(&grasp.world_from_tool)
    }

    /// Returns the widest useful finger distance with which the hand has room, and its clearance,
    /// m. The candidates are the current opening if wide enough, the object's usual one, a tight
    /// one, and the least if the object's position is known well enough.
    fn opening(&self, grasp: &Grasp) -> Result<(f64, f64), Rejection> {
        let max_m = self.arm.robot.info.gripper.max_width_m;
        let with_space = |space_m: f64| (grasp.width_m + 2.0 * space_m).min(max_m);
        let [usual_m, tight_m, least_m] = SPACES_M.map(with_space);
        let now_m = self.arm.width_m;
        let wide_enough = now_m > usual_m - SAME_WIDTH_M;
        let mut openings = vec![usual_m, tight_m];
        if 3.0 * self.candidates.object.position_std_m + SAME_WIDTH_M < SPACES_M[2] {
            openings.push(least_m);
        }
        if wide_enough {
            openings.insert(0, now_m);
        }
        openings.dedup_by(|a, b| (*a - *b).abs() < SAME_WIDTH_M);
        self.neighbours
            .first_clear(&self.candidates.hand, grasp, &openings)
    }

    /// Returns the first grasp with a travel, a straight approach and a lift that suits the next
    /// call well. After too many roundabout ones, returns the best of them.
    fn first_possible(&mut self, mut ranked: Vec<Fitting>) -> Result<Option<Chosen>> {
        while let Some(first) = ranked.first() {
            // Grasps that are alike share one planning query, so a search then has several goals.
            let (opening_m, suits) = (first.opening_m, first.suits);
            if !suits && self.second_best.is_some() {
                return Ok(None);
            }
            let alike =
                |f: &Fitting| f.suits == suits && (f.opening_m - opening_m).abs() < SAME_WIDTH_M;
            let (mut group, rest): (Vec<_>, Vec<_>) = ranked.into_iter().partition(alike);
            ranked = rest;
            while !group.is_empty() {
                match self.plan(&group, opening_m) {
                    Ok((idx, travel)) => {
                        let chosen = Chosen {
                            grasp: group.remove(idx).grasp,
                            opening_m,
                            travel,
                            feasibility: Feasibility::Good,
                        };
                        let line = self.line(&chosen);
                        self.n_planned += 1;
                        match line {
                            Err(failure) => self.drop(&chosen.grasp, dropped(failure)),
                            Ok(lifted) if suits => match self.feasibility(&chosen, &lifted) {
                                Feasibility::Good => return Ok(Some(chosen)),
                                feasibility => {
                                    self.keep(chosen, feasibility);
                                    if self.n_roundabout > N_INSTEAD {
                                        return Ok(self.second_best.take());
                                    }
                                }
                            },
                            Ok(_) => {
                                self.keep(chosen, Feasibility::Blocked);
                                break;
                            }
                        }
                    }
                    Err(failure @ MotionFailure::StartInCollision { .. }) => {
                        return Err(failure.into());
                    }
                    Err(failure) => {
                        self.n_planned += group.len();
                        for fitting in group.drain(..) {
                            self.drop(&fitting.grasp, dropped(failure.clone()));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn plan(
        &self,
        group: &[Fitting],
        opening_m: f64,
    ) -> Result<(usize, Trajectory), MotionFailure> {
        let poses = group.iter().map(|f| f.grasp.world_from_before).collect();
        let opened = self.opened(opening_m);
        let planned = opened.plan(opened.start, MotionGoal::AnyPose(poses), &self.free)?;
        Ok((planned.goal_idx, planned.trajectory))
    }

    fn opened(&self, width_m: f64) -> Arm<'a> {
        Arm {
            width_m,
            ..self.arm
        }
    }

    fn feasibility(&self, chosen: &Chosen, lifted: &Lifted) -> Feasibility {
        let feasibility = |next: &Lookahead<'_>| {
            next.feasibility(self.arm.robot, &self.free, &chosen.grasp, lifted)
        };
        self.next.map_or(Feasibility::Good, feasibility)
    }

    /// Returns the arm's state after the straight approach and the lift, if both are possible.
    fn line(&self, chosen: &Chosen) -> Result<Lifted, MotionFailure> {
        let grasp = &chosen.grasp;
        let start = chosen.travel.last_position();
        let goal = MotionGoal::Line(grasp.world_from_tool);
        let motion = |start: &[f64], width_m: f64, goal: MotionGoal| {
            let planned = self.opened(width_m).plan(start, goal, &self.touching)?;
            Ok(planned.trajectory)
        };
        let there: Trajectory = motion(start, chosen.opening_m, goal)?;
        let lift = |height_m: f64| {
            let world_from_tool = raised(&grasp.world_from_tool, height_m);
            let up = MotionGoal::Line(world_from_tool);
            let lift = motion(there.last_position(), grasp.width_m, up)?;
            Ok(Lifted {
                world_from_tool,
                joints: lift.last_position().to_vec(),
            })
        };
        let [first, others @ ..] = LIFTS_M;
        let others = others.into_iter();
        others.fold(lift(first), |lifted, height_m| {
            lifted.or_else(|_: MotionFailure| lift(height_m))
        })
    }
}

/// Rejection of a candidate that the arm cannot reach, or from which it cannot leave.
pub(crate) fn dropped(failure: MotionFailure) -> Rejection {
    match failure {
        MotionFailure::GoalInCollision { .. } => Rejection::InCollision(failure.blockers()),
        MotionFailure::PathBlocked { .. } => Rejection::BlockedApproach(failure.blockers()),
        other => Rejection::Unreachable(other),
    }
}
