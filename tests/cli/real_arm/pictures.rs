//! A complete task through the command line and the arm's protocol, with colour and depth pictures
//! in a folder.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use nalgebra::Isometry3;
use regrasp::api::{ObjectId, Pose, RgbdFrame, solids};
use regrasp::ground_truth::{Frame, FrameObject};
use regrasp::render::SoftwareRenderer;
use regrasp::{LoadedRobot, SceneView};

use super::fake::chain;
use super::pick::{BOWL_AT, BOWL_RADIUS_M, FLOOR_M, HALF_M, Table, check_in_bowl};
use super::{Bench, common};
use crate::common::camera_files::{rig, save};
use crate::common::detector::repeated;

struct Photographer {
    view: SceneView,
    bowl: Pose,
}

impl Photographer {
    fn new() -> Self {
        let mut scene = common::scene([]);
        scene.world_from_base = Pose::identity();
        let table = common::cuboid([0.65, 0.6, 0.05]);
        let mut table = common::object("table", table, [0.75, 0.0, -0.05], None);
        table.rgba = [0.75, 0.75, 0.72, 1.0];
        let mut cube = common::cube("red_cube", HALF_M, 0.45, -0.1);
        cube.rgba = [0.8, 0.1, 0.1, 1.0];
        let [x, y] = BOWL_AT;
        let bowl = solids::bowl(BOWL_RADIUS_M, 0.05, FLOOR_M);
        let mut bowl = common::object("blue_bowl", bowl, [x, y, 0.025], Some(0.1));
        bowl.rgba = [0.1, 0.2, 0.8, 1.0];
        let at = bowl.world_from_object;
        scene.objects = vec![table, cube, bowl];
        Self {
            view: SceneView::new(&LoadedRobot::panda().unwrap(), &scene).unwrap(),
            bowl: at,
        }
    }

    fn look(&self, bench: &Bench, cube: &Isometry3<f64>) -> Vec<RgbdFrame> {
        let mut frame = Frame::default();
        frame.joints.position = bench.arm.arm().q.to_vec();
        frame.gripper.width_m = bench.hand.hand().width;
        let object = |id: &str, world_from_object: Pose| FrameObject {
            id: ObjectId::new(id),
            world_from_object,
        };
        frame.objects = vec![
            object("table", Pose::translation(0.75, 0.0, -0.05)),
            object("red_cube", *cube),
            object("blue_bowl", self.bowl),
        ];
        let joints = &frame.joints.position;
        let views = self.view.views(joints, frame.gripper.width_m);
        let fixed = |name: &str| name == "scene" || name == "top";
        let views: Vec<_> = views.into_iter().filter(|view| fixed(&view.name)).collect();
        let stage = self.view.stage_from_frame(&frame);
        let pictures = SoftwareRenderer::default().render(&stage, &views);
        pictures.into_iter().map(|p| p.into_frame()).collect()
    }
}

#[test]
fn a_cube_gets_into_a_bowl_through_the_protocol_and_pictures_in_a_folder() {
    let bench = Arc::new(Bench::new());
    let photographer = Photographer::new();
    let table = Arc::new(Mutex::new(Table::begin()));
    let first = photographer.look(&bench, &Table::begin().base_from_cube);
    save(bench.path(), 0, &first, SystemTime::now());
    rig(bench.path(), &first, "base_from_camera", 120.0);

    // The cube follows the hand at a higher rate than pictures are taken, in a separate thread.
    let (moved, chain, arm) = (Arc::clone(&table), chain(), Arc::clone(&bench));
    let world = repeated(Duration::from_millis(4), move || {
        Table::followed(&moved, &arm, &chain);
    });
    let (seen, arm, mut number) = (Arc::clone(&table), Arc::clone(&bench), 0);
    let pictures = repeated(Duration::ZERO, move || {
        number += 1;
        let at = seen.lock().unwrap().base_from_cube;
        let shutter = SystemTime::now();
        save(arm.path(), number, &photographer.look(&arm, &at), shutter);
    });
    let run = "run 'put the red cube in the bowl' --approve-motion --rgbd rig.yaml";
    bench.check(run, 0, "success:      true");
    drop((world, pictures));
    check_in_bowl(&table.lock().unwrap());
}
