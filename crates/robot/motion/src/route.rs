//! Paths from one configuration to another.

use regrasp_api::{CollisionPair, MotionFailure, MotionRequest, Pose};

use crate::arm::ArmPlanner;
use crate::collision::Surroundings;
use crate::line::tool_line;
use crate::path::{POINT_STEPS_RAD, Path, between, densely, distance};
use crate::search::{Search, SearchBudget, SearchOptions};
use crate::spheres::LANES;
use crate::untimed::UntimedMotion;
use crate::upright::{self, Upright};

/// Largest joint step between two collision checks along a path, rad: 1.5 cm at the end of a
/// stretched arm.
const CHECK_STEP_RAD: f64 = 0.02;
/// Heights by which a detour rises above the higher of its two ends, m.
const DETOUR_RISES_M: [f64; 3] = [0.08, 0.16, 0.28];
/// Distance between points of a line that is projected onto the upright constraint, rad.
const UPRIGHT_STEP_RAD: f64 = 0.1;
/// Budget of a search before a path counts as blocked: tens of times the samples that a shelf or a
/// cage takes. It has no time limit, so that an episode is the same on every machine.
const SEARCH_BUDGET: SearchBudget = SearchBudget {
    samples: 2000,
    time: None,
};
pub(crate) struct Task<'a> {
    pub(crate) arm: &'a ArmPlanner,
    pub(crate) request: &'a MotionRequest<'a>,
    pub(crate) around: Surroundings,
    pub(crate) upright: Option<Upright<'a>>,
}

impl<'a> Task<'a> {
    pub(crate) fn new(
        arm: &'a ArmPlanner,
        request: &'a MotionRequest<'a>,
        hand_margin_m: f64,
    ) -> Self {
        let upright = |keep| Upright::new(&arm.chain, &arm.limits, &request.world_from_base, keep);
        let upright = request.keep_up.as_ref().map(upright);
        Self {
            arm,
            request,
            around: arm.surroundings(request, hand_margin_m),
            upright,
        }
    }

    pub(crate) fn world_from_base(&self) -> &Pose {
        &self.request.world_from_base
    }

    pub(crate) fn touching(&self, q: &[f64]) -> Option<CollisionPair> {
        self.arm.geometry.first_contact(q, &self.around)
    }

    /// Returns a failure if the object to be kept upright leans too far at `q`; `end` says whether
    /// `q` is the start or the goal.
    pub(crate) fn leaning(&self, end: &'static str, q: &[f64]) -> Option<MotionFailure> {
        let upright = self.upright.as_ref().filter(|upright| !upright.holds(q))?;
        Some(MotionFailure::Leaning {
            end,
            lean_rad: upright.lean_rad(q),
            within_rad: upright.within_rad,
        })
    }

    /// The first violation along a path, ends included: a contact, a limit, or an object that leans
    /// too far.
    pub(crate) fn first_obstacle(&self, motion: &UntimedMotion) -> Option<CollisionPair> {
        let points = motion.points(CHECK_STEP_RAD);
        let mut batches = points.chunks(LANES);
        batches.find_map(|batch| {
            let clear = self.around.clear(batch);
            let mut lanes = batch.iter().enumerate();
            lanes.find_map(|(lane, q)| self.obstacle_at(q, clear >> lane & 1 == 1))
        })
    }

    /// The first violation in a configuration. If `is_clear` is set, contacts are not checked.
    fn obstacle_at(&self, q: &[f64], is_clear: bool) -> Option<CollisionPair> {
        if let Some(joint_idx) = self.arm.outside_limits(q) {
            return Some(CollisionPair {
                link: self.arm.chain.joint_names()[joint_idx].clone(),
                other: "its limit".into(),
            });
        }
        if self
            .upright
            .as_ref()
            .is_some_and(|upright| !upright.holds(q))
        {
            return Some(CollisionPair {
                link: "the upright object".into(),
                other: "its tilt limit".into(),
            });
        }
        if is_clear {
            return None;
        }
        self.arm.geometry.first_exact_contact(q, &self.around)
    }

    /// Returns the first free path, or the first violation on each path.
    pub(crate) fn first_free(
        &self,
        motions: impl IntoIterator<Item = UntimedMotion>,
    ) -> Result<UntimedMotion, Vec<CollisionPair>> {
        let mut blockers = vec![];
        for motion in motions {
            match self.first_obstacle(&motion) {
                None => return Ok(motion),
                Some(pair) => blockers.push(pair),
            }
        }
        blockers.dedup();
        Err(blockers)
    }

    /// Direct paths to a configuration, best first; none if the arm is there already.
    pub(crate) fn direct(&self, goal: &[f64]) -> Vec<UntimedMotion> {
        let start = self.request.start;
        let mut motions = UntimedMotion::direct(start, goal, &self.arm.limits);
        if motions.is_empty() {
            return motions;
        }
        let upright = self.upright.as_ref();
        let drawn = upright.and_then(|u| u.line(start, goal, UPRIGHT_STEP_RAD));
        let drawn = drawn.and_then(|points| Path::through(&points));
        motions.extend(drawn.map(UntimedMotion::Path));
        motions
    }

    /// Paths that rise above both ends by each of [`DETOUR_RISES_M`], lowest first.
    pub(crate) fn detours(&self, goal: &[f64]) -> impl Iterator<Item = UntimedMotion> {
        DETOUR_RISES_M
            .into_iter()
            .filter_map(|rise_m| self.detour(goal, rise_m))
    }

    /// Searches for a path to one of several free goals, and returns it with the index of the goal.
    /// The curve that the arm follows is checked like every other path.
    pub(crate) fn search(&self, goals: &[Vec<f64>]) -> Option<(UntimedMotion, usize)> {
        if goals.is_empty() {
            return None;
        }
        if let Some(upright) = &self.upright {
            let (start, bounds) = (self.request.start, self.arm.bounds());
            let is_free = |q: &[f64]| self.touching(q).is_none();
            let points = upright::search(start, goals, &bounds, upright, &is_free)?;
            return self.smooth(&points, goals);
        }
        let around = self.around.clone();
        let search = Search::for_request(self.arm, self.request, around, goals.to_vec());
        let options = SearchOptions {
            budget: SEARCH_BUDGET,
            ..SearchOptions::default()
        };
        let raw = search.solve(&options).ok()?;
        let short = search.simplify(&raw, &options).ok()?;
        [short, raw]
            .iter()
            .find_map(|points| self.smooth(points, goals))
    }

    /// Finds a free curve along a polygon, and returns it with the index of the goal at its end.
    fn smooth(&self, points: &[Vec<f64>], goals: &[Vec<f64>]) -> Option<(UntimedMotion, usize)> {
        let reached = goals.iter().position(|g| points.last() == Some(g))?;
        POINT_STEPS_RAD.into_iter().find_map(|step_rad| {
            let motion = UntimedMotion::Path(Path::through(&densely(points, step_rad))?);
            self.first_obstacle(&motion)
                .is_none()
                .then_some((motion, reached))
        })
    }

    /// Moves up from the start, across, and down to the goal, with the corners cut so that the arm
    /// need not stop in them.
    fn detour(&self, goal: &[f64], rise_m: f64) -> Option<UntimedMotion> {
        let start = self.request.start;
        let world_from_tool = |q: &[f64]| self.world_from_base() * self.arm.chain.forward(q);
        let (from, to) = (world_from_tool(start), world_from_tool(goal));
        let height = from.translation.z.max(to.translation.z) + rise_m;
        let above = |pose: &Pose, q: &[f64]| {
            let mut raised = *pose;
            raised.translation.z = height;
            tool_line(self.arm, self.world_from_base(), q, &raised).ok()
        };
        let up = above(&from, start)?;
        let mut down = above(&to, goal)?;
        down.reverse();
        let (a, b) = (up.last()?, down.first()?);
        let across = match &self.upright {
            Some(upright) => upright.line(a, b, UPRIGHT_STEP_RAD)?,
            None => subdivide(a, b),
        };
        let legs = [up, across, down];
        let mut points = vec![start.to_vec()];
        for leg in &legs {
            let inner = leg.len().saturating_sub(2);
            points.extend(leg.iter().skip(1).take(inner).cloned());
        }
        points.push(goal.to_vec());
        Path::through(&points).map(UntimedMotion::Path)
    }
}

fn subdivide(a: &[f64], b: &[f64]) -> Vec<Vec<f64>> {
    let n = (distance(a, b) / 0.1).ceil().max(2.0) as usize;
    let at = |i: usize| between(a, b, i as f64 / n as f64);
    (0..=n).map(at).collect()
}
