//! Tests of the spheres: they cover the Panda, and their queries err on the safe side.

use regrasp_kinematics::{MeshSearch, RobotModel};

use regrasp_api::{HeightField, ObjectId, Obstacle, Pose, Shape};

use super::corners::directions;
use super::lanes::Vectors;
use super::{SceneOptions, SphereModel, SphereScene, Tree};
use crate::collision::{OwnPairs, RobotGeometry};

fn panda() -> RobotGeometry {
    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    let chain = model.chain("panda_link0", "panda_tool").unwrap();
    let fingers = ["panda_leftfinger".into(), "panda_rightfinger".into()];
    RobotGeometry::new(&model, &chain, &["panda_finger_joint1".into()], &fingers).unwrap()
}

#[test]
fn spheres_cover_the_panda_and_leave_it_by_no_more_than_three_centimetres() {
    let geometry = panda();
    let model = SphereModel::new(&geometry);
    let n: usize = model.links.iter().map(|l| l.spheres.len()).sum();
    let each: Vec<_> = model.links.iter().map(|l| l.spheres.len()).collect();
    assert!((30..600).contains(&n), "{n} spheres: {each:?}");
    for link in &model.links {
        let solids = || {
            let all = geometry.fixed_solids.iter().chain(&geometry.solids);
            all.filter(|s| s.link_idx == link.link_idx)
        };
        for solid in solids() {
            let aabb = solid.shape.compute_local_aabb();
            let reach = 2.0 * aabb.half_extents().length();
            for direction in directions(2000) {
                let outside = aabb.center() + direction * reach;
                let on_surface = solid.shape.project_local_point(outside, true).point;
                let point = solid.link_from_solid.transform_point(on_surface);
                let is_in =
                    |s: &super::cover::Cover| (point - s.centre).length() <= s.radius + 1e-9;
                let is_covered = link.spheres.iter().any(is_in);
                let idx = link.link_idx;
                assert!(is_covered, "no sphere covers {point} of link {idx}");
            }
        }
        for sphere in &link.spheres {
            for direction in directions(200) {
                let point = sphere.centre + direction * sphere.radius;
                let distance = solids()
                    .map(|s| s.shape.distance_to_point(&s.link_from_solid, point, true))
                    .fold(f64::INFINITY, f64::min);
                assert!(distance <= 0.03, "{distance} m off link {}", link.link_idx);
            }
        }
    }
}

#[test]
fn the_link_of_a_large_arm_is_covered_although_its_samples_are_far_apart() {
    let shape = parry3d_f64::shape::SharedShape::cylinder(0.45, 0.24);
    let spheres = super::cover::cover(&shape, super::cover::EXCESS_M);
    for direction in directions(500) {
        let on_surface = shape.project_local_point(direction * 2.0, true).point;
        let is_covered = |s: &super::cover::Cover| (on_surface - s.centre).length() <= s.radius;
        assert!(
            spheres.iter().any(is_covered),
            "{on_surface} is not covered"
        );
    }
}

/// The Panda among three boxes (aligned, standing, tilted), an upright and a tilted cylinder, a
/// ball, a hull, a point cloud and a height field.
fn scene(geometry: &RobotGeometry) -> SphereScene {
    let model = SphereModel::new(geometry);
    let rest = geometry.positions(&[0.0; 7], 0.04);
    let tree = Tree::new(&geometry.model, &geometry.arm_joints, &rest);
    let at = |x: f64, y: f64, z: f64, [roll, pitch, yaw]: [f64; 3]| {
        let turn = nalgebra::UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        Pose::from_parts([x, y, z].into(), turn)
    };
    let block = Shape::cuboid([0.1, 0.05, 0.2]);
    let size = |radius, half_height| Shape::cylinder(radius, half_height);
    let corner = |i: u32, bit: u32| if i >> bit & 1 == 1 { 0.1 } else { -0.1 };
    let points = (0..8).map(|i| [corner(i, 0), corner(i, 1), corner(i, 2)]);
    let hull = Shape::Convex {
        points: points.collect(),
    };
    let cloud = Shape::PointCloud {
        points: (0..40).map(|i| [0.01 * f64::from(i), 0.0, 0.0]).collect(),
        radius: 0.02,
    };
    let ground = Shape::HeightField(HeightField {
        size: [1.0, 0.6],
        heights: vec![vec![0.0, 0.1], vec![0.05, 0.0], vec![0.2, 0.1]],
        bottom: -0.1,
    });
    let shapes = [
        (block.clone(), at(0.5, 0.3, 0.2, [0.0; 3])),
        (block.clone(), at(0.5, -0.3, 0.3, [0.0, 0.0, 0.7])),
        (block, at(-0.4, 0.2, 0.5, [0.3, 0.5, 0.2])),
        (size(0.06, 0.3), at(-0.3, -0.4, 0.3, [0.0; 3])),
        (size(0.06, 0.3), at(0.3, 0.5, 0.7, [1.0, 0.0, 0.0])),
        (Shape::Sphere { radius: 0.1 }, at(0.4, 0.0, 0.9, [0.0; 3])),
        (hull, at(0.6, 0.1, 0.6, [0.1, 0.2, 0.3])),
        (cloud, at(0.1, -0.6, 0.3, [0.1, 0.2, 0.3])),
        (ground, at(0.5, 0.0, -0.2, [0.0, 0.1, 0.5])),
    ];
    let obstacles: Vec<_> = shapes
        .into_iter()
        .enumerate()
        .map(|(i, (shape, world_from_object))| Obstacle {
            id: ObjectId::new(format!("o{i}")),
            shape,
            world_from_object,
        })
        .collect();
    let options = SceneOptions {
        obstacles: &obstacles,
        ..SceneOptions::default()
    };
    let links = [(0, 8), (1, 9)].map(|(a, b)| (model.links[a].link_idx, model.links[b].link_idx));
    let own = OwnPairs {
        links: links.to_vec(),
        ..OwnPairs::default()
    };
    SphereScene::new(&model, tree, &own, &options)
}

#[test]
fn looks_agree_on_any_processor_and_err_on_the_safe_side_only() {
    let geometry = panda();
    let wide = scene(&geometry);
    let portable = wide.clone().with_vectors(Vectors::Portable);
    let (mut n_clear, mut n_hit) = (0, 0);
    for i in 0..400u32 {
        let q = (0..7).map(|j| (f64::from(i * 7 + j) * 0.618_034).fract() * 4.0 - 2.0);
        let q: Vec<f64> = q.collect();
        let end: Vec<f64> = q.iter().map(|x| x + 0.4).collect();
        let eighths = std::array::from_fn(|lane| lane as f64 / 8.0);
        let verdict = wide.look(&q, &end, eighths, 0.0);
        assert_eq!(verdict, portable.look(&q, &end, eighths, 0.0));
        let clear = wide.are_clear(&q, &end, 4, 0..4, 0.0);
        assert_eq!(clear, portable.are_clear(&q, &end, 4, 0..4, 0.0));
        n_clear += usize::from(verdict.perhaps == 0);
        n_hit += usize::from(verdict.surely != 0);
        let only_surely = verdict.surely & !verdict.perhaps;
        assert_eq!(
            only_surely, 0,
            "a configuration touches by inscribed spheres, but not by covering ones"
        );
    }
    assert!(n_clear > 20 && n_hit > 20, "{n_clear} clear, {n_hit} hit");
}

#[test]
fn checks_of_a_line_allocate_nothing() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(Box::new(1))));
    assert_eq!(counted.count_total, 1, "the counter misses an allocation");
    let scene = scene(&panda());
    let from = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let to = from.map(|q| q + 0.3);
    let eighths = std::array::from_fn(|lane| lane as f64 / 8.0);
    let allocated = allocation_counter::measure(|| {
        let clear = scene.are_clear(&from, &to, 4, 0..4, 0.0);
        let verdict = scene.look(&from, &to, eighths, 0.0);
        std::hint::black_box((clear, verdict));
    });
    assert_eq!(allocated.count_total, 0, "{allocated:?}");
}
