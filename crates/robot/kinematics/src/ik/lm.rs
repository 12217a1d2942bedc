//! Levenberg–Marquardt within joint limits, from several starts.
//!
//! Each iteration solves (J Jᵀ + λI) x = e for six unknowns and steps by dq = Jᵀ x, where e is the
//! remaining twist and λ grows with |e|²: a careful gradient step far away, Newton's close by. (T.
//! Sugihara, "Solvability-Unconcerned Inverse Kinematics by the Levenberg–Marquardt Method", IEEE
//! T-RO 27(5), 2011. This 6 x 6 form is the same step, since Jᵀ(JJᵀ + λI)⁻¹ = (JᵀJ + λI)⁻¹Jᵀ.) When
//! a descent makes no progress, the next start is tried. Nothing is allocated until the result is
//! returned.
//!
//! The constants were chosen on random poses of the Panda; halving or doubling any of them changes
//! the mean number of iterations by less than a tenth.

use nalgebra::Isometry3;

use super::{
    IkOptions, IkOutcome, IkTarget, PandaIk,
    problem::{Candidate, Problem, Q},
    reach,
    rng::Rng,
    target::Task,
};
use crate::{Chain, JointLimits, chain::MAX_DOF};

/// λ = `DAMPING_PER_COST` |e|² + `MIN_DAMPING`, where e is scaled to radians.
const DAMPING_PER_COST: f64 = 0.02;
/// Least damping: it keeps the step finite at singularities.
const MIN_DAMPING: f64 = 1e-5;

/// Number of iterations before the progress of a descent is checked: the first ones may increase
/// the error.
const WARM_UP: usize = 5;
/// Ratio of |e|² to its best value so far above which an iteration counts as idle.
const PROGRESS: f64 = 0.8;
/// Number of consecutive idle iterations that ends a descent.
const MAX_IDLE: usize = 2;

/// Squared distance beyond the limits whose removal hardly changes the error, rad².
const NEGLIGIBLE: f64 = 1e-6;

/// Number of iterations that follow the closed form: if it finds no exact solution, there may still
/// be one within the tolerances, but random starts hardly ever find it.
const AFTER_CLOSED_FORM: usize = 60;

/// Number of configurations drawn for each random start, the nearest of which is used.
const DRAWS_PER_START: usize = 4;

/// Solves as [`super::solve`]. A closed form, if given, is used before the random starts.
pub(super) fn solve(
    chain: &Chain,
    target: &IkTarget,
    seed_q: &[f64],
    options: &IkOptions,
    closed_form: Option<&PandaIk>,
) -> IkOutcome {
    let n = chain.dof();
    assert_eq!(seed_q.len(), n, "one position per joint of the chain");
    let problem = Problem {
        chain,
        task: Task::new(target),
        options,
    };
    let mut search = Search {
        nearest: problem.evaluate(start_from(chain, seed_q)),
        problem,
        iterations: 0,
        max_iterations: options.max_iterations,
    };
    if !search.problem.task.is_finite() {
        search.nearest.miss.pos_err_m = f64::INFINITY;
        search.nearest.miss.rot_err_rad = f64::INFINITY;
        return search.not_converged();
    }
    let is_beyond_reach = reach::is_beyond(chain, target, options, closed_form);
    let closed_form = match target {
        IkTarget::Pose(base_from_tool) => closed_form.map(|ik| (ik, base_from_tool)),
        IkTarget::Position(_) | IkTarget::ToolAxis { .. } => None,
    };
    match search.run(closed_form, is_beyond_reach) {
        Some(found) => IkOutcome::Solved {
            q: found.q[..chain.dof()].to_vec(),
            pos_err_m: found.miss.pos_err_m,
            rot_err_rad: found.miss.rot_err_rad,
            iterations: search.iterations,
        },
        None => search.not_converged(),
    }
}

/// The seed moved to within the limits; entries that are not finite become the middle of the range.
fn start_from(chain: &Chain, seed_q: &[f64]) -> Q {
    let mut q = [0.0; MAX_DOF];
    for ((q, &seed), limits) in q.iter_mut().zip(seed_q).zip(chain.limits()) {
        *q = if seed.is_finite() {
            seed
        } else {
            middle(limits)
        };
    }
    chain.clamp(&mut q[..chain.dof()]);
    q
}

fn middle(limits: &JointLimits) -> f64 {
    let middle = 0.5 * (limits.lower + limits.upper);
    if middle.is_finite() { middle } else { 0.0 }
}

struct Search<'a> {
    problem: Problem<'a>,
    nearest: Candidate,
    iterations: usize,
    max_iterations: usize,
}

impl Search<'_> {
    fn run(
        &mut self,
        closed_form: Option<(&PandaIk, &Isometry3<f64>)>,
        is_beyond_reach: bool,
    ) -> Option<Candidate> {
        let options = self.problem.options;
        let mut rng = Rng(options.seed);
        // A target beyond the arm's length stays so from any start. The descent from the seed gives
        // the nearest approach, which is all there is to find.
        let restarts = if is_beyond_reach { 0 } else { options.restarts };
        let seed_q = self.nearest.q;
        let mut found = self.descend(seed_q);
        if restarts > 0 && found.is_none() && !self.is_out_of_time() {
            found = closed_form.and_then(|(ik, goal)| self.jump(ik, goal, &seed_q));
            if closed_form.is_some() {
                self.max_iterations =
                    (self.iterations + AFTER_CLOSED_FORM).min(self.max_iterations);
            }
        }
        // If the closed form finds no solution, random starts still find the nearest approach,
        // which may be within the tolerances.
        for restart in 1..=restarts {
            if found.is_some() || self.is_out_of_time() {
                return found;
            }
            let mut start = self.draw_start(&mut rng);
            if restart % 2 == 0 {
                start = self.relax(start);
            }
            found = self.descend(start);
        }
        found
    }

    /// Descends from the solution of the closed form that is nearest to the seed, if any.
    fn jump(&mut self, ik: &PandaIk, goal: &Isometry3<f64>, seed_q: &Q) -> Option<Candidate> {
        let seed_q = seed_q.first_chunk()?;
        let mut q = [0.0; MAX_DOF];
        *q.first_chunk_mut()? = ik.find_nearest(goal, seed_q)?;
        self.descend(q)
    }

    /// Descends from one start to the target, or until it makes no progress.
    fn descend(&mut self, start: Q) -> Option<Candidate> {
        let mut at = self.problem.evaluate(start);
        let mut progress = Progress::default();
        loop {
            if self.problem.is_met(&at.miss) {
                return Some(at);
            }
            let is_last = progress.is_stuck(at.cost) || self.is_out_of_time();
            let next = (!is_last).then(|| self.problem.step(&at, damping(at.cost)));
            if at.cost < self.nearest.cost {
                self.nearest = at;
            }
            at = self.problem.evaluate(next?);
            self.iterations += 1;
        }
    }

    fn is_out_of_time(&self) -> bool {
        self.iterations >= self.max_iterations
    }

    /// Improves a random start by a descent that may leave the limits, and moves its end back
    /// inside.
    ///
    /// A redundant arm may reach the target within its limits only on a short piece of a long curve
    /// of configurations. Descents that respect the limits get stuck all around it; this one finds
    /// the curve, then slides along it.
    fn relax(&mut self, start: Q) -> Q {
        let mut at = self.problem.evaluate(start);
        let mut progress = Progress::default();
        loop {
            let back_inside = self.problem.clamped(&at.q);
            let beyond_limits = squared_distance(&back_inside, &at.q);
            let is_found = self.problem.is_met(&at.miss) && beyond_limits < NEGLIGIBLE;
            if is_found || progress.is_stuck(at.cost + beyond_limits) || self.is_out_of_time() {
                return back_inside;
            }
            self.iterations += 1;
            at = self
                .problem
                .evaluate(self.problem.relaxed_step(&at, damping(at.cost)));
        }
    }

    /// A random start: the nearest to the target among several draws.
    fn draw_start(&self, rng: &mut Rng) -> Q {
        let limits = self.problem.chain.limits();
        let mut best_q = self.nearest.q;
        let mut best_cost = f64::INFINITY;
        for _ in 0..DRAWS_PER_START {
            let mut q = [0.0; MAX_DOF];
            for (q, limits) in q.iter_mut().zip(limits) {
                *q = rng.position(limits);
            }
            let cost = self.problem.evaluate(q).cost;
            if cost < best_cost {
                (best_q, best_cost) = (q, cost);
            }
        }
        best_q
    }

    fn not_converged(&self) -> IkOutcome {
        let Problem { chain, options, .. } = self.problem;
        let nearest_q = self.nearest.q[..chain.dof()].to_vec();
        IkOutcome::NotConverged {
            nearest_base_from_tool: chain.forward(&nearest_q),
            nearest_q,
            pos_err_m: self.nearest.miss.pos_err_m,
            rot_err_rad: self.nearest.miss.rot_err_rad,
            iterations: self.iterations,
            pos_tol_m: options.pos_tol_m,
            rot_tol_rad: options.rot_tol_rad,
        }
    }
}

#[derive(smart_default::SmartDefault)]
struct Progress {
    iteration: usize,
    n_idle: usize,
    #[default(f64::INFINITY)]
    best_cost: f64,
}

impl Progress {
    fn is_stuck(&mut self, cost: f64) -> bool {
        let is_idle = cost > self.best_cost * PROGRESS;
        self.n_idle = if is_idle { self.n_idle + 1 } else { 0 };
        self.best_cost = self.best_cost.min(cost);
        self.iteration += 1;
        self.iteration > WARM_UP && self.n_idle >= MAX_IDLE
    }
}

fn damping(cost: f64) -> f64 {
    DAMPING_PER_COST * cost + MIN_DAMPING
}

fn squared_distance(a: &Q, b: &Q) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
