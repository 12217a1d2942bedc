//! Times of complete plans for goals without a given order: `cargo bench -p regrasp-planner`.

#![expect(
    clippy::expect_used,
    reason = "a benchmark that cannot be set up must fail"
)]

#[path = "../tests/it/common/mod.rs"]
mod common;
#[path = "../tests/it/puzzles/mod.rs"]
mod puzzles;

use criterion::{Criterion, criterion_group, criterion_main};
use puzzles::{drawn, goal_of, hanoi, stacked};
use regrasp_planner::FeedbackPlanner;

fn plans(c: &mut Criterion) {
    let mut group = c.benchmark_group("plan");
    for n in [3, 4] {
        let (scene, goal) = hanoi(n);
        group.bench_function(format!("hanoi_{n}"), |b| {
            b.iter(|| scene.plan(&mut FeedbackPlanner::new(), &goal));
        });
    }
    for n in [4, 6, 8] {
        let (scene, goal) = (stacked(&drawn(n, 1)), goal_of(&drawn(n, 101)));
        group.bench_function(format!("blocks_{n}"), |b| {
            b.iter(|| scene.plan(&mut FeedbackPlanner::new(), &goal));
        });
    }
}

criterion_group!(benches, plans);
criterion_main!(benches);
