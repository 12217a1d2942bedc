//! Comparison of pictures with ray casting by parry, on exact shapes.

use std::sync::Arc;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::math::Vector;
use parry3d_f64::query::Ray;
use parry3d_f64::shape::SharedShape;
use regrasp_api::{CameraView, Intrinsics, Pose, Shape, looking_at};
use regrasp_render::{Body, Look, Mesh, Picture, SoftwareRenderer, Stage};
use regrasp_testkit::{cuboid, cylinder};

fn objects() -> Vec<(Shape, Pose)> {
    let corners = vec![
        [-0.05, -0.04, -0.03],
        [0.06, -0.03, -0.03],
        [0.0, 0.07, -0.03],
        [0.01, 0.0, 0.08],
    ];
    let ball = Shape::Sphere { radius: 0.04 };
    let pill = Shape::capsule(0.02, 0.05);
    let block = cuboid([0.02, 0.03, 0.04]);
    let pointed = Shape::Convex { points: corners };
    let objects = [
        (cuboid([0.65, 0.6, 0.02]), [0.75, 0.0, 0.02], [0.0; 3]),
        (block, [0.36, -0.05, 0.09], [0.3, 0.2, 0.7]),
        (ball, [0.46, 0.08, 0.08], [0.0; 3]),
        (cylinder(0.03, 0.05), [0.40, 0.2, 0.09], [0.4, 0.0, 0.0]),
        (pill, [0.5, -0.2, 0.1], [0.0, 1.1, 0.3]),
        (pointed, [0.3, -0.2, 0.08], [0.0, 0.0, 1.0]),
    ];
    let turned = |at: [f64; 3], turn: [f64; 3]| Pose::new(at.into(), turn.into());
    let objects = objects.map(|(shape, at, turn)| (shape, turned(at, turn)));
    objects.into()
}

fn stage(objects: &[(Shape, Pose)]) -> Stage {
    let mut stage = Stage::default();
    for (i, (shape, world_from_body)) in objects.iter().enumerate() {
        let instance = stage.instance(format!("thing_{i}"));
        stage.bodies.push(Body {
            instance,
            mesh: Arc::new(Mesh::from_shape(shape)),
            look: Look::plain([0.5, 0.2, 0.1]),
            world_from_body: *world_from_body,
        });
    }
    stage
}

fn view(from: [f64; 3], to: [f64; 3], fov_rad: f64) -> CameraView {
    CameraView {
        name: "test".into(),
        intrinsics: Intrinsics::from_vertical_fov(320, 240, fov_rad),
        world_from_camera: looking_at(&from.into(), &to.into(), &Vector3::z())
            .expect("two different points"),
    }
}

fn solid(shape: &Shape) -> SharedShape {
    match shape {
        Shape::Box { half_extents: h } => SharedShape::cuboid(h[0], h[1], h[2]),
        Shape::Sphere { radius } => SharedShape::ball(*radius),
        Shape::Cylinder(rod) => SharedShape::cylinder(rod.half_height, rod.radius),
        Shape::Capsule(rod) => SharedShape::capsule_z(rod.half_height, rod.radius),
        Shape::Convex { points } => {
            let points: Vec<_> = points.iter().map(|p| Vector::from(*p)).collect();
            SharedShape::convex_hull(&points).expect("a hull")
        }
        Shape::Compound { .. } | Shape::HeightField(_) | Shape::PointCloud { .. } => {
            panic!("not used here")
        }
    }
}

fn vector(v: Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Instance and depth of the first hit of a ray through each pixel's centre.
fn cast(objects: &[(Shape, Pose)], view: &CameraView) -> (Vec<u16>, Vec<f64>) {
    let solids: Vec<_> = objects
        .iter()
        .map(|(shape, pose)| {
            let (p, q) = (pose.translation.vector, pose.rotation);
            // parry's cylinder stands along y.
            let upright = matches!(shape, Shape::Cylinder(_));
            let quarter = std::f64::consts::FRAC_PI_2;
            let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), quarter);
            let turn = if upright { q * lying } else { q };
            let pose = ParryPose::new(vector(p), vector(turn.scaled_axis()));
            (solid(shape), pose)
        })
        .collect();
    let eye = view.world_from_camera.translation.vector;
    let (mut ids, mut depths) = (Vec::new(), Vec::new());
    for v in 0..view.intrinsics.height {
        for u in 0..view.intrinsics.width {
            let there: Point3<f64> = view.point_in_world(f64::from(u), f64::from(v), 1.0);
            let along = there.coords - eye;
            let ray = Ray::new(vector(eye), vector(along));
            let hits = solids.iter().enumerate().filter_map(|(i, (shape, pose))| {
                let depth = shape.cast_ray(pose, &ray, 30.0, true)?;
                Some((i as u16 + 1, depth))
            });
            let first = hits.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
            ids.push(first.0);
            depths.push(first.1);
        }
    }
    (ids, depths)
}

/// Returns true if all neighbours show the same instance.
fn is_inner(ids: &[u16], at: usize, width: usize, height: usize) -> bool {
    let (x, y) = (at % width, at / width);
    if x == 0 || y == 0 || x + 1 == width || y + 1 == height {
        return false;
    }
    let rows = [at - width, at, at + width];
    rows.iter()
        .all(|r| ids[r - 1..=r + 1].iter().all(|id| *id == ids[at]))
}

#[test]
fn instances_and_depth_are_those_that_rays_meet() {
    let objects = objects();
    let stage = stage(&objects);
    let views = [
        view([1.1, -0.5, 0.7], [0.4, 0.0, 0.05], 0.8),
        view([0.4, 0.0, 0.9], [0.4, 0.0, 0.0], 0.9),
        // Close to the table, so that triangles cross the near plane.
        view([0.2, 0.02, 0.055], [0.6, 0.0, 0.06], 1.0),
    ];
    let pictures = SoftwareRenderer::default().render(&stage, &views);
    for (picture, view) in pictures.iter().zip(&views) {
        let (ids, depths) = cast(&objects, view);
        let inner = (0..ids.len()).filter(|at| is_inner(&ids, *at, 320, 240));
        let inner: Vec<usize> = inner.collect();
        let same = inner.iter();
        let same = same.filter(|at| ids[**at] == picture.instances[**at]);
        let same: Vec<_> = same.collect();
        let (n, n_same) = (inner.len() as f64, same.len() as f64);
        assert!(
            n_same >= 0.999 * n,
            "only {n_same} of {n} pixels show the object that a ray hits"
        );
        let off_m = |at: usize| (f64::from(picture.depth_m[at]) - depths[at]).abs();
        let off = same.iter().filter(|at| off_m(***at) > 0.001).count();
        let most_off = 0.005 * n_same;
        assert!(
            off as f64 <= most_off,
            "the depth of {off} of {n_same} pixels is more than 1 mm off"
        );
    }
}

fn one_picture(stage: &Stage) -> Picture {
    let view = view([1.1, -0.5, 0.7], [0.4, 0.0, 0.05], 0.8);
    let mut pictures = SoftwareRenderer::default().render(stage, &[view]);
    pictures.pop().expect("one view")
}

#[test]
fn the_same_stage_gives_the_same_bits_and_a_moved_thing_does_not() {
    let mut objects = objects();
    let first = one_picture(&stage(&objects)).digest();
    assert_eq!(first, one_picture(&stage(&objects)).digest());
    objects[2].1.translation.x += 0.002;
    assert_ne!(first, one_picture(&stage(&objects)).digest());
}

#[test]
fn the_floor_has_a_depth_and_the_sky_has_none() {
    let mut stage = stage(&[]);
    stage.floor_z = Some(0.0);
    let view = view([2.0, 0.0, 0.5], [0.0, 0.0, 0.5], 1.0);
    let pictures = SoftwareRenderer::default().render(&stage, std::slice::from_ref(&view));
    let picture = &pictures[0];
    assert_eq!(picture.depth_m[0], 0.0, "the sky must have no depth");
    let at = 239 * 320 + 10;
    let there = view.point_in_world(10.0, 239.0, f64::from(picture.depth_m[at]));
    assert!(there.z.abs() < 1e-3, "the floor is seen at z = {}", there.z);
    assert_eq!(picture.instances[at], 0);
}
