//! Forward kinematics, Jacobian and inverse kinematics of the Panda.

#![expect(clippy::unwrap_used, reason = "a panic is how a bench fails")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Isometry3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_kinematics::{
    Chain, MeshSearch, RobotModel,
    ik::{DEFAULT_SAMPLES, IkOptions, IkTarget, solve},
};

const HOME: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];

fn panda() -> RobotModel {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    RobotModel::load(urdf, &MeshSearch::default()).unwrap()
}

fn random_configurations(chain: &Chain, n: usize) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    (0..n)
        .map(|_| {
            let limits = chain.limits().iter();
            limits.map(|l| rng.random_range(l.lower..l.upper)).collect()
        })
        .collect()
}

fn closed_form(criterion: &mut Criterion) {
    let chain = panda().chain("panda_link0", "panda_tool").unwrap();
    let ik = chain.panda_ik().unwrap();
    let configurations = random_configurations(&chain, 1000);
    let poses: Vec<_> = configurations.iter().map(|q| chain.forward(q)).collect();
    let mut next = poses.iter().cycle();
    let mut all = Vec::new();
    criterion.bench_function("panda_all_of_60", |bencher| {
        bencher.iter(|| ik.all(black_box(next.next().unwrap()), DEFAULT_SAMPLES, &mut all));
    });
    criterion.bench_function("panda_nearest_of_60", |bencher| {
        bencher.iter(|| ik.find_nearest(black_box(next.next().unwrap()), &HOME));
    });
    let backwards = nalgebra::Vector3::y() * -std::f64::consts::FRAC_PI_2;
    let out_of_reach = Isometry3::new([0.8, 0.0, 0.333].into(), backwards);
    criterion.bench_function("panda_nearest_unreachable", |bencher| {
        bencher.iter(|| ik.find_nearest(black_box(&out_of_reach), &HOME));
    });
}

fn kinematics(criterion: &mut Criterion) {
    let model = panda();
    let chain = model.chain("panda_link0", "panda_tool").unwrap();
    let configurations = random_configurations(&chain, 1000);
    let target = |q: &Vec<f64>| IkTarget::Pose(chain.forward(q));
    let targets: Vec<IkTarget> = configurations.iter().map(target).collect();
    let mut next_q = configurations.iter().cycle();
    criterion.bench_function("forward", |bencher| {
        bencher.iter(|| chain.forward(black_box(next_q.next().unwrap())));
    });
    criterion.bench_function("jacobian", |bencher| {
        bencher.iter(|| chain.jacobian(black_box(next_q.next().unwrap())));
    });
    let q_by_joint = vec![0.1; model.joints().len()];
    criterion.bench_function("all_link_poses", |bencher| {
        bencher.iter(|| model.link_poses(black_box(&q_by_joint)));
    });
    let options = IkOptions::default();
    let mut next_target = targets.iter().cycle();
    criterion.bench_function("ik_random_pose", |bencher| {
        bencher.iter(|| {
            let target = black_box(next_target.next().unwrap());
            solve(&chain, target, &HOME, &options)
        });
    });
    // The first target is beyond the arm's length. The second is within it, but not for a wrist in
    // its orientation.
    let too_far = IkTarget::Pose(Isometry3::translation(1.2, 0.3, 0.4));
    criterion.bench_function("ik_beyond_reach", |bencher| {
        bencher.iter(|| solve(&chain, black_box(&too_far), &HOME, &options));
    });
    let looking_back = nalgebra::Vector3::y() * -std::f64::consts::FRAC_PI_2;
    let looking_back = Isometry3::new([0.8, 0.0, 0.333].into(), looking_back);
    let looking_back = IkTarget::Pose(looking_back);
    criterion.bench_function("ik_unreachable_pose", |bencher| {
        bencher.iter(|| solve(&chain, black_box(&looking_back), &HOME, &options));
    });
}

criterion_group!(benches, kinematics, closed_form);
criterion_main!(benches);
