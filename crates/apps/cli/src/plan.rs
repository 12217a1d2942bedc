//! `regrasp plan`: planning problems from a file, solved and timed.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::exit::ExitCode;
use nalgebra::Matrix4;
use regrasp::LoadedRobot;
use regrasp::api::Pose;
use regrasp::motion::AllowedContacts;
use regrasp::motion::search::{
    Search, SearchBudget, SearchFailure, SearchOptions, SearchProblem, Waypoints, path_length,
};
use serde_json::json;

use crate::arguments::PlanArguments;
use crate::error::CliError;
use crate::output::{complain, say, say_json};
use crate::plan_file::{Problem, ProblemFile};
use crate::plan_paths::{PathsFile, Solved, Unsolved};

/// Resolution of the final collision check, per rad: ten times that of the search.
const RECHECKS_PER_RAD: f64 = 320.0;

#[derive(Default)]
struct Family {
    n: usize,
    n_valid: usize,
    n_solved: usize,
    n_colliding: usize,
    plan: Vec<Duration>,
    simplify: Vec<Duration>,
    raw_costs: Vec<f64>,
    costs: Vec<f64>,
    reference_raw: Vec<f64>,
    reference: Vec<f64>,
    failures: Vec<Unsolved>,
    /// Times of the machine's yardstick, one per problem.
    yardstick: Vec<Duration>,
}

/// Solves the problems of a file and reports quality and times.
pub(super) fn plan(arguments: &PlanArguments) -> Result<ExitCode, CliError> {
    let loaded = LoadedRobot::new(arguments.robot.load()?)?;
    let file = ProblemFile::read(
        &arguments.problems,
        loaded.info(&Pose::identity()).home.len(),
    )?;
    let paths = arguments.paths.as_ref();
    let mut paths = paths
        .map(|out| PathsFile::create(out, &loaded, &arguments.problems, &file))
        .transpose()?;
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    for problem in &file.problems {
        if arguments.only.as_ref().is_none_or(|f| *f == problem.family) {
            let family = families.entry(&problem.family).or_default();
            family.yardstick.push(yardstick());
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
        bounds: Some(&file.bounds),
    };
    let search = Search::new(loaded.arm_planner(), &question);
    family.n += 1;
    family.n_valid += usize::from(problem.valid);
    let [raw, path] = match family.measure(&search, arguments) {
        Ok(found) => found,
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
    family.add_costs(problem, &raw, &path);
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
        let solved = Solved { raw, path, touches };
        paths.add(problem, solved, &timed);
    }
}

/// Time of a fixed piece of work: 2000 products of 4 x 4 matrices, which fit into the innermost
/// cache. Times of other or busy machines compare as multiples of it.
fn yardstick() -> Duration {
    let turn = Matrix4::from_euler_angles(0.1, 0.2, 0.3);
    let began = Instant::now();
    let mut product = Matrix4::<f64>::identity();
    for _ in 0..2000 {
        product = black_box(product * turn);
    }
    began.elapsed()
}

/// Quantile of the durations; zero if there are none.
fn quantile(durations: &mut [Duration], share: f64) -> Duration {
    durations.sort();
    let idx = (share * durations.len().saturating_sub(1) as f64).round() as usize;
    durations.get(idx).copied().unwrap_or_default()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Family {
    /// Found path and simplified path, with median times over the requested repetitions.
    fn measure(
        &mut self,
        search: &Search<'_>,
        arguments: &PlanArguments,
    ) -> Result<[Waypoints; 2], SearchFailure> {
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
            plan.push(began.elapsed());
            let began = Instant::now();
            let path = search.simplify(&raw, &options)?;
            simplify.push(began.elapsed());
            Ok([raw, path])
        };
        let mut found = once()?;
        for _ in 1..arguments.repeat {
            found = once()?;
        }
        self.plan.push(quantile(&mut plan, 0.5));
        self.simplify.push(quantile(&mut simplify, 0.5));
        Ok(found)
    }

    fn add_costs(&mut self, problem: &Problem, raw: &Waypoints, path: &Waypoints) {
        self.n_solved += 1;
        self.raw_costs.push(path_length(raw));
        self.costs.push(path_length(path));
        if let Some(reference) = problem.reference {
            self.reference_raw.push(reference.raw_cost);
            self.reference.push(reference.simplified_cost);
        }
    }

    fn quantiles_us(durations: &[Duration]) -> [f64; 3] {
        let mut sorted = durations.to_vec();
        [0.5, 0.95, 1.0].map(|share| quantile(&mut sorted, share).as_secs_f64() * 1e6)
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "n": self.n,
            "n_valid": self.n_valid,
            "n_solved": self.n_solved,
            "n_colliding": self.n_colliding,
            "failures": self.failures,
            "plan_us_median_p95_max": Self::quantiles_us(&self.plan),
            "simplify_us_median_p95_max": Self::quantiles_us(&self.simplify),
            "yardstick_us_median": Self::quantiles_us(&self.yardstick)[0],
            "raw_cost_mean": mean(&self.raw_costs),
            "cost_mean": mean(&self.costs),
            "reference_raw_cost_mean": mean(&self.reference_raw),
            "reference_cost_mean": mean(&self.reference),
        })
    }

    fn line(&self) -> String {
        let times = |d: &[Duration]| {
            let [median, p95, max] = Self::quantiles_us(d);
            format!("{median:.0} / {p95:.0} / {max:.0} us")
        };
        format!(
            "solved {}/{} valid ({} in all), {} collide on re-check\n  \
             plan {}, simplify {} (median / p95 / max)\n  \
             2000 products of 4 x 4 matrices in {:.0} us (median, between the problems)\n  \
             cost {:.3} -> {:.3} rad (reference {:.3} -> {:.3})",
            self.n_solved,
            self.n_valid,
            self.n,
            self.n_colliding,
            times(&self.plan),
            times(&self.simplify),
            Self::quantiles_us(&self.yardstick)[0],
            mean(&self.raw_costs),
            mean(&self.costs),
            mean(&self.reference_raw),
            mean(&self.reference),
        )
    }
}
