//! Tests of bodies against closed forms: falling, sliding, swinging.

use std::f64::consts::PI;

use crate::common::{
    at, block, cube, disturb, drawer, find, fixed, id, joint, object, place, pushed, scene, table,
    unsettled, world_of,
};
use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{HeightField, JointKind, Part, Pose, Shape, World};
use regrasp_scene::{Gear, Scene, SceneJoint};
use regrasp_sim::{SimGroundTruth, SimWorld, When};
use regrasp_testkit::{cylinder, near, within};

const G: f64 = 9.81;

#[test]
fn a_ball_falls_g_t_squared_over_two() {
    let ball = Shape::Sphere { radius: 0.02 };
    let ball = object("ball", ball, Some(0.1), at(0.3, -0.2, 2.0, 0.0));
    let (mut world, truth) = world_of(scene(vec![ball]), unsettled());
    let t = 0.5;
    world.wait(t).expect("the physics must not diverge");
    let ball = find(&truth, "ball");
    let fallen = 2.0 - ball.world_from_object.translation.z;
    // Stepping by h with the new velocity falls g t h / 2 farther than the exact parabola.
    let stepped = 0.5 * G * t * (t + world.dt_secs());
    near("fallen, m", fallen, stepped, 1e-9);
    near("it fell at, m/s", -ball.linear_velocity[2], G * t, 1e-9);
}

/// A 5 cm block on a plane that is tilted by `angle` rad, both with friction 0.5.
fn block_on_incline(angle: f64) -> (SimWorld, SimGroundTruth, Vector3<f64>) {
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let world_from_plane = at(0.4, 0.3, 0.5, 0.7) * Pose::from_parts(Vector3::zeros().into(), lean);
    let plane_from_block = at(-0.4, 0.0, 0.05 + 0.025, 0.0);
    let plane = fixed("plane", [1.0, 0.4, 0.05], world_from_plane);
    let world_from_block = world_from_plane * plane_from_block;
    let block = block("block", [0.025; 3], 0.2, world_from_block);
    let (world, truth) = world_of(scene(vec![plane, block]), unsettled());
    let downhill = world_from_plane.rotation * Vector3::x();
    (world, truth, downhill)
}

#[test]
fn a_block_starts_to_slide_at_the_friction_angle() {
    let friction_angle = 0.5_f64.atan();
    for off_degrees in [-1.0_f64, 1.0] {
        let angle = friction_angle + off_degrees.to_radians();
        let (mut world, truth, downhill) = block_on_incline(angle);
        world.wait(0.2).expect("the physics must not diverge");
        let before = find(&truth, "block");
        world.wait(1.0).expect("the physics must not diverge");
        let after = find(&truth, "block");
        let [from, to] = [&before, &after].map(|o| o.world_from_object.translation.vector);
        let slid = (to - from).dot(&downhill);
        let degrees = angle.to_degrees();
        if off_degrees < 0.0 {
            within(&format!("crept at {degrees}, m"), slid.abs(), ..5e-4);
            continue;
        }
        let speed = Vector3::from(before.linear_velocity).dot(&downhill);
        let expected = speed + 0.5 * G * (angle.sin() - 0.5 * angle.cos());
        let what = format!("slid on {degrees:.1} degrees, m");
        near(&what, slid, expected, 0.02 * expected + 0.001);
    }
}

/// Pushes along the edges and at 45 degrees to them, where a friction pyramid would differ from a
/// cone.
#[test]
fn a_pushed_box_slides_v_squared_over_two_mu_g() {
    for yaw in [0.0, PI / 4.0] {
        let floor = fixed("floor", [3.0, 3.0, 0.05], at(0.0, 0.0, -0.05, 0.0));
        let slid = block("box", [0.05, 0.04, 0.02], 0.3, at(0.2, 0.1, 0.02, yaw));
        let (mut world, truth) = world_of(scene(vec![floor, slid]), Default::default());
        let push = pushed("box", [6.0, 0.0, 0.0], 0.1);
        disturb(&world, When::Now, push);
        world.wait(0.1).expect("the physics must not diverge");
        let start = find(&truth, "box");
        world.wait(2.0).expect("the physics must not diverge");
        let end = find(&truth, "box");
        let speed = Vector3::from(start.linear_velocity).norm();
        assert!(speed > 1.0, "the push gave it {speed:.2} m/s");
        let [from, to] = [&start, &end].map(|o| o.world_from_object.translation.vector);
        let slid = (to - from).norm();
        let expected = speed * speed / (2.0 * 0.5 * G);
        near("slid, m, by Coulomb", slid, expected, 0.02 * expected);
    }
}

const ROD_M: f64 = 0.4;
const BOB_R: f64 = 0.03;
const START_RAD: f64 = 0.2;
/// Moment of inertia of the bob about the hinge per mass, m^2.
const INERTIA_PER_KG: f64 = ROD_M * ROD_M + 0.4 * BOB_R * BOB_R;

/// A ball on a massless rod that hangs from a hinge along a horizontal axis.
fn pendulum() -> Scene {
    let world_from_mount = at(0.1, 0.2, 1.0, 0.5);
    let mount = Shape::Sphere { radius: 0.01 };
    let mount = object("mount", mount, None, world_from_mount);
    let bob = ball_at(0.0, -ROD_M);
    let swing = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), START_RAD);
    let world_from_bob = world_from_mount * Pose::from_parts(Vector3::zeros().into(), swing);
    let mut scene = scene(vec![mount, object("bob", bob, Some(0.5), world_from_bob)]);
    scene.joints.push(hinge("hinge", "bob", [0.0, 1.0, 0.0]));
    scene
}

fn ball_at(x: f64, z: f64) -> Shape {
    let ball = Shape::Sphere { radius: BOB_R };
    let parts = vec![Part::new(at(x, 0.0, z, 0.0), ball)];
    Shape::Compound { parts }
}

fn hinge(name: &str, child: &str, axis: [f64; 3]) -> SceneJoint {
    let ids = ["mount", child];
    joint(name, ids, JointKind::Revolute, axis, [-3.0, 3.0])
}

/// Asserts that the period of a swing, whose angle is `angle()` after every step, agrees with the
/// closed form for small angles and its first correction, up to the relative `tolerance`.
fn check_period(
    world: &mut SimWorld,
    mut angle: impl FnMut() -> f64,
    inertia: f64,
    tolerance: f64,
) {
    let dt = world.dt_secs();
    let (mut before, mut crossings) = (angle(), Vec::new());
    for k in 1..=5000 {
        world.wait(dt).expect("the physics must not diverge");
        let now = angle();
        if before.signum() != now.signum() {
            crossings.push((k as f64 - now / (now - before)) * dt);
        }
        before = now;
    }
    let n = crossings.len() - 1;
    let period = 2.0 * (crossings[n] - crossings[0]) / n as f64;
    let small = 2.0 * PI * (inertia / (G * ROD_M)).sqrt();
    let expected = small * (1.0 + START_RAD * START_RAD / 16.0);
    near("period, s", period, expected, tolerance * expected);
}

#[test]
fn a_pendulum_keeps_its_period_and_its_energy() {
    let (mut world, truth) = world_of(pendulum(), unsettled());
    let axis = at(0.0, 0.0, 0.0, 0.5).rotation * Vector3::y();
    let swing = || {
        let bob = find(&truth, "bob");
        let hang = bob.world_from_object.rotation * -Vector3::z();
        let rate = Vector3::from(bob.angular_velocity).dot(&axis);
        let energy = 0.5 * INERTIA_PER_KG * rate * rate + G * ROD_M * (1.0 + hang.z);
        let sideways = axis.cross(&Vector3::z()).dot(&-hang);
        (sideways, energy)
    };
    let (_, energy_at_start) = swing();
    check_period(&mut world, || swing().0, INERTIA_PER_KG, 0.002);
    let drift = (swing().1 - energy_at_start) / energy_at_start;
    within("change of the energy in 10 s", drift.abs(), ..0.02);
}

/// The wheel turns twice as far as the pendulum, so its inertia counts four times at the hinge.
#[test]
fn a_wheel_that_is_geared_to_a_pendulum_makes_it_slower() {
    let mut scene = pendulum();
    let pose = scene.objects[0].world_from_object;
    let rim = ball_at(ROD_M, 0.0);
    scene.objects.push(object("wheel", rim, Some(0.5), pose));
    let mut axle = hinge("axle", "wheel", [0.0, 0.0, 1.0]);
    axle.geared = Some(Gear {
        to: id("hinge"),
        ratio: 2.0,
        offset: 0.0,
    });
    scene.joints.push(axle);
    let (mut world, truth) = world_of(scene, unsettled());
    let swing = || {
        let [bob, wheel] = ["bob", "wheel"].map(|id| {
            let turn = pose.rotation.inverse() * find(&truth, id).world_from_object.rotation;
            turn.scaled_axis()
        });
        let geared = 2.0 * (bob.y - START_RAD);
        near("turn of the wheel, rad", wheel.z, geared, 0.01);
        bob.y
    };
    check_period(&mut world, swing, 5.0 * INERTIA_PER_KG, 0.01);
}

/// Pulls with 2 N against a damping of 4 N s/m, which gives 0.5 m/s until the limit.
#[test]
fn a_drawer_runs_at_force_over_damping_and_stops_at_its_limit() {
    let (scene, world_from_cabinet, inside) = drawer();
    let (mut world, truth) = world_of(scene, Default::default());
    let in_cabinet =
        |truth: &SimGroundTruth| inside.inverse() * find(truth, "drawer").world_from_object;
    let shut = in_cabinet(&truth).translation.vector.norm();
    assert!(shut < 1e-4, "a shut drawer stays shut, moved {shut} m");
    let outwards = world_from_cabinet.rotation * Vector3::new(-2.0, 0.0, 0.0);
    let pull = pushed("drawer", outwards.into(), 2.0);
    disturb(&world, When::Now, pull);
    // Five time constants of m / c = 0.1 s.
    world.wait(0.5).expect("the physics must not diverge");
    let speed = Vector3::from(find(&truth, "drawer").linear_velocity).norm();
    near("the drawer opens, m/s", speed, 0.5, 0.01);
    world.wait(1.0).expect("the physics must not diverge");
    let open = in_cabinet(&truth).translation.vector.norm();
    near("the drawer is open, m", open, 0.3, 1e-3);
    let turned = in_cabinet(&truth).rotation.angle();
    assert!(turned < 1e-9, "the drawer turned {turned} rad");
}

/// Stacks four cubes, each rotated and shifted relative to the cube below.
#[test]
fn a_stack_stands() {
    let sizes = [0.05, 0.04, 0.04, 0.03];
    let mut objects = vec![table()];
    let mut top = 0.0;
    for (i, size) in sizes.into_iter().enumerate() {
        let (id, k) = (format!("cube{i}"), i as f64);
        let mut next = cube(&id, size, 0.45 + 0.004 * k, 0.1, 0.2 * k);
        next.world_from_object.translation.z = top + 0.5 * size;
        top += size;
        objects.push(next);
    }
    let (mut world, truth) = world_of(scene(objects), Default::default());
    let poses = |truth: &SimGroundTruth| {
        let pose = |i: usize| find(truth, &format!("cube{i}")).world_from_object;
        [0, 1, 2, 3].map(pose)
    };
    let before = poses(&truth);
    world.wait(10.0).expect("the physics must not diverge");
    for (i, (before, after)) in before.iter().zip(poses(&truth)).enumerate() {
        let moved = before.inverse() * after;
        let walked = 1000.0 * moved.translation.vector.norm();
        within(&format!("cube {i} walked, mm"), walked, ..0.02);
    }
}

#[test]
fn round_things_stay_where_they_are_on_a_table() {
    let lying = nalgebra::UnitQuaternion::from_euler_angles(0.0, std::f64::consts::FRAC_PI_2, 0.4);
    let can = cylinder(0.025, 0.03);
    let mut can = object("can", can, Some(0.1), at(0.42, -0.12, 0.025, 0.0));
    can.world_from_object.rotation = lying;
    let ball = Shape::Sphere { radius: 0.03 };
    let ball = object("ball", ball, Some(0.06), at(0.42, 0.12, 0.03, 0.0));
    let ring = |radius: f64, z: f64| {
        let angles = (0..24).map(|i| f64::from(i) * PI / 12.0);
        angles.map(move |a| [radius * a.cos(), radius * a.sin(), z])
    };
    let points = ring(0.028, -0.095).chain(ring(0.012, 0.095)).collect();
    let bottle = Shape::Convex { points };
    let bottle = object("bottle", bottle, Some(0.4), at(0.5, 0.0, 0.095, 0.0));
    let objects = vec![table(), can, ball, bottle];
    let (mut world, truth) = world_of(scene(objects), Default::default());
    let ids = ["can", "ball", "bottle"];
    let before = ids.map(|id| place(&truth, id));
    world.wait(10.0).expect("the physics must not diverge");
    for (id, before) in ids.iter().zip(before) {
        let moved = 1000.0 * (place(&truth, id) - before).norm();
        assert!(moved < 0.5, "the {id} moved by {moved:.2} mm within 10 s");
    }
}

#[test]
fn things_rest_on_ground_and_on_what_a_camera_saw() {
    // A plateau in one quarter of the field; elsewhere the ground is level.
    let height = |i: usize, j: usize| if i >= 3 && j >= 3 { 0.1 } else { 0.0 };
    let heights = (0..5).map(|i| (0..5).map(|j| height(i, j)).collect());
    let field = HeightField::new([0.4, 0.4], heights.collect(), -0.1);
    let world_from_ground = at(0.4, -0.3, 0.2, 0.5);
    let ground = object("ground", Shape::HeightField(field), None, world_from_ground);
    let points = (0..400).map(|i| [0.005 * f64::from(i % 20), 0.005 * f64::from(i / 20), 0.0]);
    let cloud = Shape::PointCloud {
        points: points.collect(),
        radius: 0.005,
    };
    let cloud = object("cloud", cloud, None, at(0.4, 0.5, 0.3, 0.2));
    let mut objects = vec![ground, cloud];
    let places = [[0.15, 0.15], [0.15, -0.15], [-0.15, 0.15], [-0.15, -0.15]];
    for (i, [x, y]) in places.into_iter().enumerate() {
        let pose = world_from_ground * at(x, y, 0.15, 0.0);
        objects.push(block(&format!("cube_{i}"), [0.015; 3], 0.1, pose));
    }
    let over_cloud = at(0.4, 0.5, 0.3, 0.2) * at(0.05, 0.05, 0.03, 0.0);
    objects.push(block("cube_4", [0.015; 3], 0.1, over_cloud));
    let (mut world, truth) = world_of(scene(objects), unsettled());
    world.wait(1.0).expect("the physics must not diverge");
    let surfaces = [0.3, 0.2, 0.2, 0.2, 0.305];
    for (i, surface) in surfaces.into_iter().enumerate() {
        let z = place(&truth, &format!("cube_{i}")).z;
        let what = format!("cube_{i} over its ground, m");
        near(&what, z - surface, 0.015, 1.5e-3);
    }
}

/// Puts cubes on a plate, in its middle and over its rim, with the plate on a table.
#[test]
fn what_stands_on_a_plate_comes_to_rest() {
    for mass_kg in [None, Some(0.2)] {
        let plate = cylinder(0.07, 0.004);
        let plate = object("plate", plate, mass_kg, at(0.45, 0.1, 0.004, 0.0));
        let mut objects = vec![table(), plate];
        let places = [[0.0, 0.0], [0.05, 0.01], [-0.035, 0.04], [-0.01, -0.06]];
        for (i, [x, y]) in places.iter().enumerate() {
            let id = format!("cube{i}");
            let mut next = cube(&id, 0.03, 0.45 + x, 0.1 + y, 0.3 + 0.4 * i as f64);
            next.world_from_object.translation.z = 0.008 + 0.015;
            objects.push(next);
        }
        let (mut world, truth) = world_of(scene(objects), Default::default());
        let before: Vec<_> = (0..4).map(|i| find(&truth, &format!("cube{i}"))).collect();
        world.wait(3.0).expect("the physics must not diverge");
        for before in before {
            let after = find(&truth, before.id.as_str());
            let [speed, spin] =
                [after.linear_velocity, after.angular_velocity].map(|v| Vector3::from(v).norm());
            let moved = before.world_from_object.inverse() * after.world_from_object;
            let moved_mm = 1000.0 * moved.translation.vector.norm();
            let is_still = speed < 2e-4 && spin < 2e-3 && moved_mm < 0.02;
            let id = &before.id;
            assert!(is_still, "{id}: {speed:.1e} {spin:.1e} {moved_mm:.3} mm");
        }
    }
}
