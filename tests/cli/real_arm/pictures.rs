//! A complete task through the command line and the arm's protocol, with colour and depth pictures
//! in a folder.

#[path = "../../common/camera_files.rs"]
mod camera_files;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::SystemTime;

use nalgebra::Isometry3;
use regrasp::api::{ObjectId, Pose, RgbdFrame, Shape, solids};
use regrasp::ground_truth::{Frame, FrameObject};
use regrasp::render::{Renderer, SoftwareRenderer, png_bytes};
use regrasp::{LoadedRobot, SceneView};
use serde_json::{Value, json};

use camera_files::{camera_entry, depth_png, put};

use super::fake::chain;
use super::pick::{BOWL_AT, BOWL_RADIUS_M, FLOOR_M, HALF_M, Table, check_in_bowl};
use super::{Bench, common, expect};

struct Photographer {
    view: SceneView,
    bowl: Pose,
}

impl Photographer {
    fn new() -> Self {
        let mut scene = common::scene([]);
        scene.world_from_base = Pose::identity();
        let table = Shape::Box {
            half_extents: [0.65, 0.6, 0.05],
        };
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
        let views = self
            .view
            .views(&frame.joints.position, frame.gripper.width_m);
        let fixed = |name: &str| name == "scene" || name == "top";
        let views: Vec<_> = views.into_iter().filter(|view| fixed(&view.name)).collect();
        let stage = self.view.stage_from_frame(&frame);
        let pictures = SoftwareRenderer::default().render(&stage, &views);
        pictures.into_iter().map(|p| p.into_frame()).collect()
    }
}

fn save(folder: &Path, number: usize, frames: &[RgbdFrame], shutter: SystemTime) {
    for frame in frames {
        let (name, i) = (&frame.view.name, frame.view.intrinsics);
        let rgb = png_bytes(i.width, i.height, &frame.rgb).unwrap();
        let keep = |kind: &str, png: &[u8]| {
            put(folder, &format!("{name}_{kind}_{number}.png"), png, shutter);
        };
        keep("color", &rgb);
        keep("depth", &depth_png(frame));
        if number > 20 {
            for kind in ["color", "depth"] {
                let old = format!("{name}_{kind}_{}.png", number - 20);
                fs::remove_file(folder.join(old)).unwrap();
            }
        }
    }
}

#[test]
fn a_cube_gets_into_a_bowl_through_the_protocol_and_pictures_in_a_folder() {
    let bench = Bench::new();
    let folder = bench.folder.path();
    let photographer = Photographer::new();
    let mut table = Table::begin();
    let first = photographer.look(&bench, &table.base_from_cube);
    save(folder, 0, &first, SystemTime::now());
    let entries: Vec<Value> = first
        .iter()
        .map(|frame| camera_entry(frame, "base_from_camera"))
        .collect();
    let rig = json!({ "cameras": entries, "latency_s": 0.0, "wait_s": 120.0 });
    fs::write(folder.join("rig.yaml"), rig.to_string()).unwrap();
    let is_over = AtomicBool::new(false);
    let cube = std::sync::Mutex::new(table.base_from_cube);
    let (output, table) = thread::scope(|scope| {
        // The cube moves at the speed of the hand; pictures take longer.
        let world = scope.spawn(|| {
            let chain = chain();
            while !is_over.load(Ordering::SeqCst) {
                let joints = bench.arm.arm().q;
                table.follow(&bench, &chain.forward(&joints));
                *cube.lock().unwrap() = table.base_from_cube;
                thread::sleep(std::time::Duration::from_millis(4));
            }
            table
        });
        scope.spawn(|| {
            for number in 1.. {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let at = *cube.lock().unwrap();
                let shutter = SystemTime::now();
                save(folder, number, &photographer.look(&bench, &at), shutter);
            }
        });
        let run = "run 'put the red cube in the bowl' --approve-motion --rgbd rig.yaml";
        let output = bench.regrasp(run);
        is_over.store(true, Ordering::SeqCst);
        (output, world.join().unwrap())
    });
    expect(&output, 0, &["success:      true"]);
    check_in_bowl(&table);
}
