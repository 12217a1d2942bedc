//! Perception from pictures in a folder, and calibration of their camera.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp::api::{Cameras, MotionPlanner, Pose, RgbdFrame, Shape, looking_at, solids};
use regrasp::render::{Body, Look, Mesh, SoftwareRenderer, Stage};
use regrasp::{LoadedRobot, SceneView, SimCameras};
use regrasp_external_perception::{
    FrameCameras, Mounting, SightingEntry, SightingsFile, calibrate,
};

use super::masked::blinded;
use crate::common::camera_files::{rig, save};
use crate::common::detector::repeated;
use crate::common::{self, Truth as _, agent, within};

/// A thread writes pictures as fast as possible, in the place of a separate process.
#[test]
fn a_cube_gets_into_a_bowl_by_pictures_in_a_folder() {
    let loaded = LoadedRobot::panda().unwrap();
    let mut bowl = common::cube("blue_bowl", 0.025, 0.42, 0.15);
    bowl.shape = solids::bowl(0.07, 0.05, 0.004);
    bowl.rgba = [0.1, 0.2, 0.8, 1.0];
    let mut cube = common::cube("red_cube", 0.02, 0.42, -0.12);
    cube.rgba = [0.8, 0.1, 0.1, 1.0];
    let mut scene = common::scene([cube, bowl]);
    scene.objects[0].rgba = [0.75, 0.75, 0.72, 1.0];
    let mut cell = common::cell(&scene);
    let truth = Arc::clone(&cell.sim().unwrap().truth);

    // The wrist camera is not used: its pose would have to be known at the shutter time.
    let view = SceneView::new(&loaded, &scene).unwrap();
    let mut cameras = SimCameras::new(view, Arc::clone(&truth));
    cameras = cameras.only(&["scene".into(), "top".into()]).unwrap();
    let world_from_base = scene.world_from_base;
    let now = cell.robot.world.observe().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let first = cameras.look(&now).unwrap();
    let rig = rig(folder.path(), &first, "world_from_camera", 60.0);
    let (place, mut number) = (folder.path().to_owned(), 0);
    let photographer = repeated(Duration::ZERO, move || {
        let shutter = SystemTime::now();
        save(&place, number, &cameras.look(&now).unwrap(), shutter);
        number += 1;
    });

    let eyes = FrameCameras::open(&rig, Box::new(loaded.world_from_tool())).unwrap();
    let eyes = loaded.rgbd_through(Box::new(eyes), &world_from_base, 0);
    let eyes = eyes.unwrap();
    let mut robot = blinded(cell.robot);
    robot.perception = Box::new(eyes);
    let result = agent(robot).run("put the red cube in the bowl");
    drop(photographer);
    assert!(result.success && result.goal_met, "{}", result.final_detail);
    let now = truth.truth();
    let off = now.position("red_cube") - now.position("blue_bowl");
    assert!(off.xy().norm() < 0.07 && off.z < 0.025, "{off:?}");
}

/// Estimates the centre of a green ball of known radius from colour and depth, in the camera frame,
/// m. `None` if too little of the ball is visible.
fn ball_in_camera(frame: &RgbdFrame, radius_m: f64) -> Option<Vector3<f64>> {
    let width = frame.view.intrinsics.width as usize;
    let is_green = |p: &[u8]| {
        let [r, g, b] = [p[0], p[1], p[2]].map(f64::from);
        g > 40.0 && g > 2.0 * r && g > 2.0 * b
    };
    let points: Vec<Point3<f64>> = frame
        .rgb
        .chunks_exact(3)
        .zip(&frame.depth_m)
        .enumerate()
        .filter(|(_, (rgb, depth_m))| is_green(rgb) && **depth_m > 0.0)
        .map(|(idx, (_, depth_m))| {
            let (u, v) = ((idx % width) as f64, (idx / width) as f64);
            let intrinsics = &frame.view.intrinsics;
            intrinsics.point_in_camera(u, v, f64::from(*depth_m))
        })
        .collect();
    if points.len() < 60 {
        return None;
    }
    // Gauss-Newton fit of a sphere through the points. The initial centre is behind the surface.
    let mean = points.iter().map(|p| p.coords).sum::<Vector3<f64>>() / points.len() as f64;
    let mut middle = mean + mean.normalize() * 0.6 * radius_m;
    for _ in 0..20 {
        let mut normal = nalgebra::Matrix3::zeros();
        let mut right = Vector3::zeros();
        for p in &points {
            let out = p.coords - middle;
            let direction = out.normalize();
            normal += direction * direction.transpose();
            right += direction * (out.norm() - radius_m);
        }
        middle += normal.lu().solve(&right)?;
    }
    Some(middle)
}

/// Measures the error of a camera's pose that is calibrated from pictures of a ball in the hand.
#[test]
#[expect(clippy::print_stderr, reason = "the docs quote these figures")]
fn a_camera_is_located_by_pictures_of_a_ball_in_the_hand() {
    const RADIUS_M: f64 = 0.02;
    let loaded = LoadedRobot::panda().unwrap();
    let (eye, target) = (Vector3::new(1.3, -0.5, 0.9), Vector3::new(0.45, 0.0, 0.3));
    let base_from_camera = looking_at(&eye, &target, &Vector3::z()).unwrap();
    let world_from_base = Pose::new(Vector3::new(-0.3, 0.02, 0.0), Vector3::z() * 0.1);
    // The ball is near the tool point. The calibration does not know its exact position.
    let tool_from_ball = Pose::translation(0.012, -0.006, 0.025);
    let mut looks: Vec<(f64, f64, f64)> = Vec::new();
    for seed in 0..5 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut seen = Vec::new();
        let mut renderer = SoftwareRenderer::default();
        while seen.len() < 15 {
            let mut joints = loaded.file().home.clone();
            for joint in &mut joints {
                *joint += rng.random_range(-0.35..0.35);
            }
            let base_from_tool = loaded.arm_planner().base_from_tool(&joints);
            let ball = world_from_base * base_from_tool * tool_from_ball;
            let mut stage = Stage {
                floor_z: Some(0.0),
                ..Stage::default()
            };
            let looks = loaded.looks().unwrap();
            let links = looks.world_from_links(&world_from_base, &joints, 0.04);
            looks.add_to(&mut stage, &links);
            let instance = stage.instance("ball");
            stage.bodies.push(Body {
                instance,
                mesh: Arc::new(Mesh::from_shape(&Shape::Sphere { radius: RADIUS_M })),
                look: Look::plain([0.05, 0.7, 0.1]),
                world_from_body: ball,
            });
            let view = regrasp::api::CameraView {
                name: "front".into(),
                intrinsics: regrasp::api::Intrinsics::from_vertical_fov(640, 480, 0.8),
                world_from_camera: world_from_base * base_from_camera,
            };
            let picture = renderer.render(&stage, &[view]).remove(0);
            let mut frame = picture.into_frame();
            noisy(&mut frame, &mut rng);
            let Some(point) = ball_in_camera(&frame, RADIUS_M) else {
                continue;
            };
            seen.push(SightingEntry {
                base_from_tool: base_from_tool.into(),
                camera_from_marker: None,
                point_in_camera: Some(point.into()),
            });
        }
        let file = SightingsFile {
            camera: "front".into(),
            mounting: Mounting::EyeToHand,
            point: None,
            seen,
        };
        let found = calibrate(&file).unwrap();
        let at = found.base_from_camera.unwrap();
        let [i, j, k, w] = at.quat_xyzw;
        let rotation = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, i, j, k));
        let found_pose = Pose::from_parts(Translation3::from(at.position), rotation);
        let off = found_pose.translation.vector - base_from_camera.translation.vector;
        let turned = found_pose.rotation.angle_to(&base_from_camera.rotation);
        // The error that matters is that of a point in the workspace.
        let middle = base_from_camera.inverse_transform_point(&Point3::new(0.45, 0.0, 0.1));
        let moved = found_pose * middle - base_from_camera * middle;
        eprintln!(
            "seed {seed}: {:.2} mm, {:.3} deg, {:.2} mm in the workspace; rms {:.2} mm, std {:.2} \
             mm, dropped {}",
            1e3 * off.norm(),
            turned.to_degrees(),
            1e3 * moved.norm(),
            1e3 * found.rms_position_m,
            1e3 * found.std_position_m,
            found.dropped.len()
        );
        looks.push((off.norm(), turned, moved.norm()));
    }
    for (off_m, turned_rad, moved_m) in looks {
        within("error of the position, m", off_m, ..0.008);
        within("angle error, rad", turned_rad, ..0.5_f64.to_radians());
        within("error in the workspace, m", moved_m, ..0.004);
    }
}

/// Adds depth noise like that of a stereo camera: a standard deviation of 2 mm at 1 m, which grows
/// with the square of the depth.
fn noisy(frame: &mut RgbdFrame, rng: &mut ChaCha8Rng) {
    for depth in &mut frame.depth_m {
        let d = f64::from(*depth);
        // The sum of twelve uniform numbers is approximately normal.
        let drawn: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0;
        *depth = (d + drawn * 0.002 * d * d) as f32;
    }
}
