//! Benchmark of one 640x480 picture with colour, depth and instances: a Panda, a table and twelve
//! objects.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::Vector3;
use regrasp_api::{CameraView, Intrinsics, Pose, Shape, looking_at};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_render::{
    Body, Detail, Finish, Look, Mesh, RobotLooks, SequenceRenderer, SoftwareRenderer, Stage,
};
use regrasp_scene::builtin_robot;

/// Stages of a robot whose first joint is turned from home by each of `turns`, rad.
fn stages(turns: &[f64]) -> Vec<Stage> {
    let file = builtin_robot().expect("the built-in robot");
    let text = file.urdf_text.as_deref().expect("its URDF");
    let meshes = MeshSearch {
        built_in: regrasp_assets::FILES,
        ..MeshSearch::default()
    };
    let model = RobotModel::from_urdf_str(text, "robots/panda", &meshes);
    let model = model.expect("a robot");
    let (arm, fingers) = (&file.arm_joints, &file.gripper.finger_joints);
    let looks = RobotLooks::new(&model, &file.base_link, arm, fingers, 0.0);
    let looks = looks.expect("its looks");
    let mut stage = Stage {
        floor_z: Some(0.0),
        ..Stage::default()
    };
    let mut add = |shape: Shape, at: [f64; 3], finish| {
        let instance = stage.instance("thing");
        stage.bodies.push(Body {
            instance,
            mesh: Arc::new(Mesh::from_shape(&shape)),
            look: Look {
                finish,
                ..Look::plain([0.6, 0.3, 0.2])
            },
            world_from_body: Pose::translation(at[0], at[1], at[2]),
        });
    };
    let table = Shape::cuboid([0.65, 0.6, 0.02]);
    add(table, [0.75, 0.0, 0.02], Finish::Wood);
    for i in 0..12 {
        let shape = match i % 3 {
            0 => Shape::cuboid([0.02; 3]),
            1 => Shape::cylinder(0.02, 0.02),
            _ => Shape::Sphere { radius: 0.02 },
        };
        let (x, y) = (f64::from(i / 4), f64::from(i % 4));
        let at = [0.3 + 0.08 * x, -0.15 + 0.1 * y, 0.06];
        add(shape, at, Finish::Plain);
    }
    let base = Pose::translation(-0.3, 0.0, 0.0);
    let turned = turns.iter().map(|turn| {
        let mut joint_positions = file.home.clone();
        joint_positions[0] += turn;
        let links = looks.world_from_links(&base, &joint_positions, 0.08);
        let mut stage = stage.clone();
        looks.add_to(&mut stage, &links);
        stage
    });
    turned.collect()
}

fn frame(criterion: &mut Criterion) {
    // Frames of a video, at 30 per second, of an arm that turns back and forth at 1 rad/s.
    let turns = (0..60_i32).map(|i| f64::from((i - 30).abs()) / 30.0);
    let turns: Vec<f64> = turns.collect();
    let stages = stages(&turns);
    let stage = &stages[30];
    let n: usize = stage.bodies.iter().map(|b| b.mesh.n_triangles()).sum();
    let view = CameraView {
        name: "scene".into(),
        intrinsics: Intrinsics::from_vertical_fov(640, 480, 0.84),
        world_from_camera: looking_at(
            &Vector3::new(1.24, -0.68, 0.72),
            &Vector3::new(0.1, 0.02, 0.28),
            &Vector3::z(),
        )
        .expect("two different points"),
    };
    let mut renderer = SoftwareRenderer::default();
    criterion.bench_function(&format!("picture of {n} triangles"), |b| {
        b.iter(|| renderer.render(black_box(stage), std::slice::from_ref(&view)));
    });
    criterion.bench_function("picture in reused memory", |b| {
        b.iter(|| {
            let pictures = renderer.render(black_box(stage), std::slice::from_ref(&view));
            let pictures = black_box(pictures).into_iter();
            pictures.for_each(|picture| renderer.recycle(picture));
        });
    });
    let mut of_sequence = SequenceRenderer::default();
    let mut next = stages.iter().cycle();
    criterion.bench_function("next picture of a sequence", |b| {
        b.iter(|| {
            let stage = black_box(next.next().unwrap_or(stage));
            black_box(of_sequence.next(stage, &view));
        });
    });
    let mut fine = SoftwareRenderer::new(Detail::Fine);
    criterion.bench_function("picture in fine detail", |b| {
        b.iter(|| fine.render(black_box(stage), std::slice::from_ref(&view)));
    });
    criterion.bench_function("depth alone", |b| {
        b.iter(|| renderer.depth(black_box(stage), &view));
    });
}

criterion_group!(benches, frame);
criterion_main!(benches);
