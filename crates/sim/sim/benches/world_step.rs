//! Benchmarks of one simulated step: the arm with a cube, among objects, and holding.

#[path = "../tests/it/common/mod.rs"]
#[expect(dead_code, reason = "a benchmark uses only some of the helpers")]
mod common;

use common::{Lab, cube, down, table};
use criterion::{Criterion, criterion_group, criterion_main};
use regrasp_api::Rewind;
use regrasp_api::World;

/// Number of steps per measured call, so that the overhead of the call is negligible.
const STEPS: u32 = 100;

fn step(criterion: &mut Criterion, name: &str, lab: &mut Lab) {
    let secs = f64::from(STEPS) * lab.world.dt_secs();
    criterion.bench_function(&format!("{STEPS} steps, {name}"), |bencher| {
        bencher.iter(|| lab.world.wait(secs));
    });
}

fn world_step(criterion: &mut Criterion) {
    let one = || vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)];
    step(criterion, "arm, table and a cube", &mut Lab::new(one()));

    let mut many = one();
    for i in 0..10 {
        let (row, column) = (f64::from(i / 5), f64::from(i % 5));
        let (x, y) = (0.3 + 0.1 * column, 0.1 + 0.1 * row);
        many.push(cube(&format!("cube{i}"), 0.05, x, y, 0.3 * column));
    }
    step(criterion, "and ten objects", &mut Lab::new(many));

    let mut holding = Lab::new(one());
    holding.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    holding.go(&down(0.42, -0.12, 0.2, 0.3), 1.0);
    step(criterion, "the cube in the hand", &mut holding);

    let snapshot = holding.world.snapshot().expect("a snapshot");
    let size = snapshot.bytes.len();
    criterion.bench_function(&format!("snapshot of {size} bytes"), |bencher| {
        bencher.iter(|| holding.world.snapshot());
    });
    criterion.bench_function("restore", |bencher| {
        bencher.iter(|| holding.world.restore(&snapshot));
    });
    criterion.bench_function("observe", |bencher| {
        bencher.iter(|| holding.world.observe().expect("the world must not fail"))
    });
}

criterion_group!(benches, world_step);
criterion_main!(benches);
