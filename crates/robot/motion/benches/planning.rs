//! Benchmarks of checks, lines and planning problems of the Panda.

#![expect(clippy::unwrap_used, reason = "a missing file must fail the bench")]

#[path = "../tests/it/common/mod.rs"]
#[expect(dead_code, reason = "a bench uses its own part of this")]
mod common;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use regrasp_api::{HeightField, Obstacle, Pose, Shape};
use regrasp_motion::search::{Search, SearchOptions};

use common::{HOME, LEFT, RIGHT, even_panda, obstacle, problem, slab};

/// A table, a wall across it, and a row of boxes behind: ten obstacles.
fn scene() -> Vec<Obstacle> {
    let mut scene = vec![
        slab("table", [0.5, 0.8, 0.02], [0.6, 0.0, -0.04]),
        slab("wall", [0.2, 0.02, 0.3], [0.6, 0.0, 0.3]),
    ];
    scene.extend((0..8).map(|i| {
        let y = 0.15 * f64::from(i) - 0.5;
        slab(&format!("box_{i}"), [0.03, 0.03, 0.1], [0.85, y, 0.1])
    }));
    scene
}

fn planning(criterion: &mut Criterion) {
    let (arm, obstacles) = (even_panda(), scene());
    let goals = [RIGHT.to_vec()];
    let search = Search::new(&arm, &problem(&obstacles, &LEFT, &goals));
    let across: Vec<f64> = LEFT.iter().zip(RIGHT).map(|(a, b)| 0.5 * (a + b)).collect();
    let options = SearchOptions::default();
    let raw = search.solve(&options).unwrap();
    criterion.bench_function("8 free configurations", |b| {
        b.iter(|| search.is_clear(black_box(&HOME)));
    });
    criterion.bench_function("8 configurations in the wall", |b| {
        b.iter(|| search.is_clear(black_box(&across)));
    });
    criterion.bench_function("a free line of 1.9 rad", |b| {
        b.iter(|| search.line_is_clear(black_box(&HOME), black_box(&LEFT)));
    });
    criterion.bench_function("a line through the wall", |b| {
        b.iter(|| search.line_is_clear(black_box(&LEFT), black_box(&RIGHT)));
    });
    criterion.bench_function("solve", |b| {
        b.iter(|| search.solve(black_box(&options)));
    });
    criterion.bench_function("simplify", |b| {
        b.iter(|| search.simplify(black_box(&raw), &options));
    });
}

/// The wall as a point cloud of 5,000 points.
fn seen() -> Obstacle {
    let row = |i: u32| (0..100u32).map(move |k| [0.008 * f64::from(i), 0.0, 0.006 * f64::from(k)]);
    let cloud = Shape::PointCloud {
        points: (0..50).flat_map(row).collect(),
        radius: 0.006,
    };
    obstacle("scan", cloud, Pose::translation(0.4, 0.0, 0.0))
}

/// A height field of 64 by 64 cells in front of the arm.
fn hills() -> Obstacle {
    let height = |i: i32, j: i32| 0.05 * (0.3 * f64::from(i)).sin() * (0.2 * f64::from(j)).cos();
    let row = |i: i32| (0..=64).map(|j| height(i, j)).collect();
    let field = Shape::HeightField(HeightField {
        size: [0.8, 1.6],
        heights: (0..=64).map(row).collect(),
        bottom: -0.2,
    });
    obstacle("hills", field, Pose::translation(0.6, 0.0, 0.0))
}

fn surroundings(criterion: &mut Criterion) {
    let arm = even_panda();
    let goals = [RIGHT.to_vec()];
    for (name, obstacle) in [("5,000 points", seen()), ("8,192 triangles", hills())] {
        let obstacles = [obstacle];
        let problem = problem(&obstacles, &LEFT, &goals);
        let search = Search::new(&arm, &problem);
        let options = SearchOptions::default();
        criterion.bench_function(&format!("prepare {name}"), |b| {
            b.iter(|| Search::new(&arm, black_box(&problem)));
        });
        criterion.bench_function(&format!("8 configurations over {name}"), |b| {
            b.iter(|| search.is_clear(black_box(&LEFT)));
        });
        criterion.bench_function(&format!("a free line of 1.9 rad beside {name}"), |b| {
            b.iter(|| search.line_is_clear(black_box(&HOME), black_box(&LEFT)));
        });
        criterion.bench_function(&format!("solve around {name}"), |b| {
            b.iter(|| search.solve(black_box(&options)));
        });
    }
}

criterion_group!(benches, planning, surroundings);
criterion_main!(benches);
