//! `regrasp plan`: planning problems from a file, solved and timed.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use nalgebra::Matrix4;
use regrasp::LoadedRobot;
use regrasp::api::Pose;
use regrasp::motion::AllowedContacts;
use regrasp::motion::search::{
    Search, SearchBudget, SearchFailure, SearchOptions, SearchProblem, Waypoints, path_length,
};
use serde::Serialize;
use serde_json::json;

use crate::arguments::PlanArguments;
use crate::plan_file::{Costs, Problem, ProblemFile};
use crate::plan_paths::{PathsFile, Unsolved};
use crate::{ExitCode, Result, complain, say, say_json};

/// Resolution of the final collision check, per rad: ten times that of the search.
const RECHECKS_PER_RAD: f64 = 320.0;

#[derive(Default)]
struct Family {
    n: usize,
    n_valid: usize,
    n_colliding: usize,
    solved: Vec<Measured>,
    failures: Vec<Unsolved>,
    /// Times of the [`yardstick`], one per problem, µs.
    yardstick: Vec<f64>,
}

/// Times, costs and sizes of a solved problem.
#[derive(Serialize)]
struct Measured {
    index: u64,
    valid: bool,
    n_obstacles: usize,
    n_goals: usize,
    /// Median times over the repetitions, µs.
    plan_us: f64,
    simplify_us: f64,
    /// Path lengths before and after simplification, rad, and numbers of waypoints.
    raw_cost: f64,
    cost: f64,
    n_raw_waypoints: usize,
    n_waypoints: usize,
    reference: Option<Costs>,
}

/// Solves the problems of a file and reports quality and times.
pub(super) fn plan(arguments: &PlanArguments) -> Result<ExitCode> {
    let loaded = LoadedRobot::new(arguments.robot.load()?)?;
    let dof = loaded.info(&Pose::identity()).home.len();
    let open_m = 0.5 * loaded.file().gripper.max_width_m;
    let file = ProblemFile::read(&arguments.problems, dof, open_m)?;
    let paths = arguments.paths.as_ref();
    let mut paths = paths
        .map(|out| PathsFile::create(out, &loaded, &arguments.problems, &file))
        .transpose()?;
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    for problem in &file.problems {
        if arguments.only.as_ref().is_none_or(|f| *f == problem.family) {
            let family = families.entry(&problem.family).or_default();
            family.yardstick.push(micros(yardstick()));
            solve(&loaded, &file, problem, arguments, family, &mut paths);
        }
    }
    if let Some(paths) = paths {
        paths.finish()?;
    }
    if arguments.json {
        let all = families.iter().map(|(n, f)| ((*n).to_owned(), f.json()));
        say_json(all.collect())?;
    } else {
        for (name, family) in &families {
            say(&format!("{name}: {}", family.line()));
        }
    }
    Ok(ExitCode::Ok)
}

/// Solves one problem, and adds the result to its family and to the file of paths.
fn solve(
    loaded: &LoadedRobot,
    file: &ProblemFile,
    problem: &Problem,
    arguments: &PlanArguments,
    family: &mut Family,
    paths: &mut Option<PathsFile>,
) {
    let question = SearchProblem {
        world_from_base: Pose::identity(),
        obstacles: &problem.obstacles,
        gripper_width_m: 2.0 * file.finger_m,
        start: &problem.start,
        goals: &problem.goals,
        allowed: AllowedContacts::default(),
        bounds: file.bounds.as_deref(),
    };
    let search = Search::new(loaded.arm_planner(), &question);
    family.n += 1;
    family.n_valid += usize::from(problem.valid);
    let [raw, path] = match measure(problem, &search, arguments) {
        Ok((found, measured)) => {
            family.solved.push(measured);
            found
        }
        Err(failure) => {
            complain(&format!("{} {}: {failure}", problem.family, problem.index));
            let failure = Unsolved::new(problem, &failure);
            family.failures.push(failure.clone());
            if let Some(paths) = paths {
                paths.add_failure(failure);
            }
            return;
        }
    };
    let touches = search.contact_along(&path, RECHECKS_PER_RAD);
    if let Some((at, pair)) = &touches {
        family.n_colliding += 1;
        complain(&format!(
            "{} {}: {} touches {} {at:.3} rad along the path",
            problem.family, problem.index, pair.link, pair.other
        ));
    }
    if let Some(paths) = paths {
        let timed = search.time(&path);
        paths.add(problem, [raw, path], touches, &timed);
    }
}

/// Time of a fixed workload, 2000 products of 4 x 4 matrices, which fit into the L1 cache. Times
/// from different or busy machines can be compared as multiples of it.
fn yardstick() -> Duration {
    let turn = Matrix4::from_euler_angles(0.1, 0.2, 0.3);
    let began = Instant::now();
    let mut product = Matrix4::<f64>::identity();
    for _ in 0..2000 {
        product = black_box(product * turn);
    }
    began.elapsed()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Quantiles of the values; zeros if there are none.
fn quantiles<const N: usize>(values: impl Iterator<Item = f64>, shares: [f64; N]) -> [f64; N] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    let at = |share: f64| values.get((share * last).round() as usize);
    shares.map(|share| at(share).copied().unwrap_or_default())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let [median] = quantiles(values, [0.5]);
    median
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0_usize), |(sum, n), value| (sum + value, n + 1));
    sum / n.max(1) as f64
}

/// Found path and simplified path, with median times over the requested repetitions.
fn measure(
    problem: &Problem,
    search: &Search<'_>,
    arguments: &PlanArguments,
) -> Result<([Waypoints; 2], Measured), SearchFailure> {
    let options = SearchOptions {
        budget: SearchBudget {
            samples: arguments.max_samples,
            time: arguments.max_secs,
        },
        ..SearchOptions::default()
    };
    let (mut plan, mut simplify) = (vec![], vec![]);
    let mut once = || {
        let began = Instant::now();
        let raw = search.solve(&options)?;
        plan.push(micros(began.elapsed()));
        let began = Instant::now();
        let path = search.simplify(&raw, &options)?;
        simplify.push(micros(began.elapsed()));
        Ok([raw, path])
    };
    let mut found = once()?;
    for _ in 1..arguments.repeat {
        found = once()?;
    }
    let [raw, path] = &found;
    let measured = Measured {
        index: problem.index,
        valid: problem.valid,
        n_obstacles: problem.obstacles.len(),
        n_goals: problem.goals.len(),
        plan_us: median(plan.into_iter()),
        simplify_us: median(simplify.into_iter()),
        raw_cost: path_length(raw),
        cost: path_length(path),
        n_raw_waypoints: raw.len(),
        n_waypoints: path.len(),
        reference: problem.reference,
    };
    Ok((found, measured))
}

impl Family {
    /// One quantity of each solved problem.
    fn each(&self, figure: impl Fn(&Measured) -> f64) -> impl Iterator<Item = f64> {
        self.solved.iter().map(figure)
    }

    /// Median, 95th percentile and maximum.
    fn spread(&self, figure: impl Fn(&Measured) -> f64) -> [f64; 3] {
        quantiles(self.each(figure), [0.5, 0.95, 1.0])
    }

    fn reference_mean(&self, cost: impl Fn(Costs) -> f64) -> f64 {
        mean(self.solved.iter().filter_map(|m| m.reference).map(cost))
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "n": self.n,
            "n_valid": self.n_valid,
            "n_solved": self.solved.len(),
            "n_colliding": self.n_colliding,
            "solved": self.solved,
            "failures": self.failures,
            "plan_us_median_p95_max": self.spread(|m| m.plan_us),
            "simplify_us_median_p95_max": self.spread(|m| m.simplify_us),
            "yardstick_us_median": median(self.yardstick.iter().copied()),
            "raw_cost_mean": mean(self.each(|m| m.raw_cost)),
            "cost_mean": mean(self.each(|m| m.cost)),
            "reference_raw_cost_mean": self.reference_mean(|costs| costs.raw_cost),
            "reference_cost_mean": self.reference_mean(|costs| costs.simplified_cost),
        })
    }

    fn line(&self) -> String {
        let (raw, cost) = (
            self.reference_mean(|costs| costs.raw_cost),
            self.reference_mean(|costs| costs.simplified_cost),
        );
        let reference = (cost > 0.0).then(|| format!(" (reference {raw:.3} -> {cost:.3})"));
        let times = |[median, p95, max]: [f64; 3]| format!("{median:.0} / {p95:.0} / {max:.0} us");
        format!(
            "solved {}/{} valid ({}/{} in all), {} collide on re-check\n  \
             plan {}, simplify {} (median / p95 / max)\n  \
             speed of the machine: 2000 products of 4 x 4 matrices in {:.0} us (median)\n  \
             cost {:.3} -> {:.3} rad{}",
            self.solved.iter().filter(|m| m.valid).count(),
            self.n_valid,
            self.solved.len(),
            self.n,
            self.n_colliding,
            times(self.spread(|m| m.plan_us)),
            times(self.spread(|m| m.simplify_us)),
            median(self.yardstick.iter().copied()),
            mean(self.each(|m| m.raw_cost)),
            mean(self.each(|m| m.cost)),
            reference.unwrap_or_default(),
        )
    }
}
