//! Tests of point clouds and height fields as obstacles.

use crate::common::{HOME, LEFT, RIGHT, even_panda, obstacle, problem, request, scene};
use regrasp_api::{HeightField, MotionFailure, MotionGoal, MotionPlanner, Obstacle, Pose, Shape};
use regrasp_motion::Proximity;
use regrasp_motion::search::Search;

/// The face of a wall between `LEFT` and `RIGHT`, as a point cloud.
fn seen_wall() -> Obstacle {
    let row = |i: u32| (0..60u32).map(move |k| [0.015 * f64::from(i), 0.0, 0.015 * f64::from(k)]);
    let cloud = Shape::PointCloud {
        points: (0..34).flat_map(row).collect(),
        radius: 0.012,
    };
    obstacle("scan", cloud, Pose::translation(0.35, 0.0, 0.0))
}

/// A ridge along x between `LEFT` and `RIGHT`: 0.45 m high, 0.3 m wide at its foot.
fn ridge() -> Obstacle {
    let across = (0..=12i32).map(|j| 0.45 * (1.0 - f64::from((j - 6).abs()) / 6.0));
    let profile: Vec<f64> = across.collect();
    let field = HeightField::new([0.5, 0.3], vec![profile; 9], -0.1);
    let field = Shape::HeightField(field);
    obstacle("ridge", field, Pose::translation(0.6, 0.0, 0.0))
}

#[test]
fn the_arm_finds_its_way_around_what_a_camera_saw_and_over_a_ridge() {
    let arm = even_panda();
    for wall in [seen_wall(), ridge()] {
        let name = wall.id.to_string();
        let scene = scene(vec![wall]);
        let goals = [RIGHT.to_vec()];
        let request = request(&scene, &LEFT, MotionGoal::Joints(RIGHT.to_vec()));
        let plan = arm.plan(&request).expect(&name);
        let knots = plan.trajectory.knots().iter();
        let path: Vec<_> = knots.map(|k| k.position.clone()).collect();
        let exact = Search::new(&arm, &problem(&scene.obstacles, &LEFT, &goals));
        assert_eq!(exact.contact_along(&path, 500.0), None, "{name}");
        let straight = [LEFT.to_vec(), RIGHT.to_vec()];
        let (_, pair) = exact.contact_along(&straight, 32.0).expect(&name);
        assert_eq!(pair.other, name, "the obstacle is on the straight line");
    }
}

#[test]
fn a_goal_inside_a_cloud_or_under_ground_is_refused_with_its_name() {
    let arm = even_panda();
    let inside: Vec<f64> = LEFT.iter().zip(RIGHT).map(|(a, b)| 0.5 * (a + b)).collect();
    for wall in [seen_wall(), ridge()] {
        let name = wall.id.to_string();
        let scene = scene(vec![wall]);
        let request = request(&scene, &LEFT, MotionGoal::Joints(inside.clone()));
        match arm.plan(&request) {
            Err(MotionFailure::GoalInCollision { pairs }) => assert_eq!(pairs[0].other, name),
            other => panic!("the forearm is inside the {name}: {other:?}"),
        }
    }
}

fn configurations() -> impl Iterator<Item = Vec<f64>> {
    (0..120u32).map(|i| {
        let around = |j: usize| (f64::from(i * 7 + j as u32) * 0.618_034).fract() * 2.4 - 1.2;
        let joints = HOME.iter().enumerate();
        joints.map(|(j, q)| q + around(j)).collect()
    })
}

/// Distance of the nearest obstacle by the exact shapes, and the link.
fn nearest(near: &[Proximity], names: &[String]) -> Option<(f64, String)> {
    let foreign = near.iter().find(|p| names.contains(&p.pair.other))?;
    Some((foreign.distance_m, foreign.pair.link.clone()))
}

#[test]
fn a_cloud_is_as_near_and_as_deep_as_its_balls() {
    let arm = even_panda();
    let points: Vec<[f64; 3]> = (0..300u32)
        .map(|i| {
            let spread = |k: f64| (f64::from(i) * k).fract();
            let [x, y, z] = [0.754_877, 0.569_84, 0.317_9].map(spread);
            [0.1 + 0.7 * x, y - 0.5, z]
        })
        .collect();
    let world_from_cloud = Pose::new([0.05, -0.1, 0.1].into(), [0.2, -0.1, 0.5].into());
    let balls = points.iter().enumerate().map(|(i, p)| {
        let at = world_from_cloud * nalgebra::Point3::from(*p);
        let (id, ball) = (format!("ball_{i}"), Shape::Sphere { radius: 0.02 });
        obstacle(&id, ball, Pose::translation(at.x, at.y, at.z))
    });
    let balls: Vec<_> = balls.collect();
    let names: Vec<_> = balls.iter().map(|b| b.id.to_string()).collect();
    let radius = 0.02;
    let cloud = Shape::PointCloud { points, radius };
    let cloud = [obstacle("cloud", cloud, world_from_cloud)];
    let goals = [HOME.to_vec()];
    let one = Search::new(&arm, &problem(&cloud, &HOME, &goals));
    let many = Search::new(&arm, &problem(&balls, &HOME, &goals));
    let (mut n_deep, mut n_clear) = (0, 0);
    for q in configurations() {
        let of_cloud = nearest(&one.proximities(&q, 0.03), &["cloud".to_owned()]);
        let of_balls = nearest(&many.proximities(&q, 0.03), &names);
        match (of_cloud, of_balls) {
            (Some((a, link)), Some((b, other))) => {
                assert!((a - b).abs() < 1e-9, "{a} m and {b} m at {q:?}");
                assert_eq!(link, other, "the same link is nearest");
                n_deep += u32::from(a < 0.0);
            }
            (None, None) => {}
            other => panic!("only one of cloud and balls is near: {other:?}"),
        }
        let [of_cloud, of_balls] = [&one, &many].map(|search| search.is_clear(&q));
        assert_eq!(of_cloud, of_balls, "spheres differ at {q:?}");
        n_clear += u32::from(of_cloud);
    }
    assert!(n_deep > 20 && n_clear > 5, "{n_deep} deep, {n_clear} clear");
}

#[test]
fn level_ground_is_as_near_and_as_deep_as_a_box() {
    let arm = even_panda();
    let level = Shape::HeightField(HeightField::new([0.8, 1.2], vec![vec![0.1; 17]; 9], -0.1));
    let slab = Shape::cuboid([0.4, 0.6, 0.1]);
    let at = Pose::new([0.55, 0.1, 0.15].into(), [0.0, 0.0, 0.4].into());
    let (ground, block) = ([obstacle("it", level, at)], [obstacle("it", slab, at)]);
    let goals = [HOME.to_vec()];
    let one = Search::new(&arm, &problem(&ground, &HOME, &goals));
    let other = Search::new(&arm, &problem(&block, &HOME, &goals));
    let name = ["it".to_owned()];
    let (mut n_deep, mut n_off) = (0, 0);
    for q in configurations() {
        let of_ground = nearest(&one.proximities(&q, 0.1), &name);
        let of_block = nearest(&other.proximities(&q, 0.1), &name);
        let (Some((a, _)), Some((b, _))) = (&of_ground, &of_block) else {
            assert_eq!(of_ground, of_block, "ground and block at {q:?}");
            continue;
        };
        assert_eq!(*a < 0.0, *b < 0.0, "{a} m and {b} m at {q:?}");
        if *b > 0.0 {
            assert!((a - b).abs() < 1e-5, "{a} m and {b} m at {q:?}");
            n_off += 1;
        } else if *b > -0.01 {
            assert!((a - b).abs() < 1e-3, "{a} m and {b} m deep at {q:?}");
            n_deep += 1;
        }
        let [of_ground, of_block] = [&one, &other].map(|search| search.is_clear(&q));
        assert_eq!(of_ground, of_block, "spheres differ at {q:?}");
    }
    assert!(n_deep > 0 && n_off > 5, "{n_deep} deep, {n_off} off");
}
