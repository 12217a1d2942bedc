//! Benchmarks of the timing of Panda motions.

#![expect(clippy::unwrap_used, reason = "a panic is how a bench fails")]

#[path = "../tests/it/common/mod.rs"]
#[expect(dead_code, reason = "a bench uses its own part of this")]
mod common;

use std::hint::black_box;

use common::{HOME, limits, panda, random_q, request};
use criterion::{Criterion, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use regrasp_api::{MotionGoal, MotionPlanner, PlanningScene};

fn through_points(criterion: &mut Criterion) {
    let (arm, limits) = (panda(), limits());
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for n_points in [2, 3, 8] {
        let paths = (0..50).map(|_| (0..n_points).map(|_| random_q(&limits, &mut rng)).collect());
        let paths: Vec<Vec<Vec<f64>>> = paths.collect();
        let mut next = paths.iter().cycle();
        criterion.bench_function(&format!("time_through_{n_points}"), |bencher| {
            bencher.iter(|| arm.time_through(black_box(next.next().unwrap()), 1.0));
        });
    }
}

/// Moves the hand straight down by 12 cm: inverse kinematics, checks and timing together.
fn tool_line(criterion: &mut Criterion) {
    let arm = panda();
    let scene = PlanningScene::default();
    let mut goal = arm.base_from_tool(&HOME);
    goal.translation.z -= 0.12;
    let request = request(&scene, &HOME, MotionGoal::Line(goal));
    criterion.bench_function("plan_tool_line", |bencher| {
        bencher.iter(|| arm.plan(black_box(&request)).unwrap());
    });
}

criterion_group!(benches, through_points, tool_line);
criterion_main!(benches);
