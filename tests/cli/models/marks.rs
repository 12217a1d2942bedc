//! Numbered marks on pictures are on their objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use regrasp::api::{Cameras, ImageSource, PerceivedObject, Percept, Perception};
use regrasp::ground_truth_perception::GroundTruthPerception;
use regrasp::render::{Picture, SoftwareRenderer, Stage};
use regrasp::rgbd_perception::spots;
use regrasp::scene::{Scene, builtin_scene};
use regrasp::{Cell, LoadedRobot, PictureOptions, SceneView, SightOptions, SimCameras};

use crate::common::{cell, instance, within};

/// Number of visible pixels from which an object must be marked.
const SEEN_PIXELS: usize = 120;

fn scenes() -> Vec<(String, Scene)> {
    let of_task = |(name, seed)| (format!("{name} {seed}"), instance(name, seed).scene);
    let mut scenes = vec![
        ("tabletop".into(), builtin_scene("tabletop").unwrap()),
        ("covered".into(), builtin_scene("covered").unwrap()),
    ];
    scenes.extend((0..3).map(|seed| of_task(("clutter_pick", seed))));
    scenes.extend([("shelf_pick", 0), ("open_drawer", 1), ("over_wall", 2)].map(of_task));
    scenes
}

/// Renders the pictures of all cameras with instance masks, which perception does not get.
fn pictures(loaded: &LoadedRobot, scene: &Scene, cell: &Cell) -> (Stage, Vec<Picture>) {
    let view = SceneView::new(loaded, scene).unwrap();
    let truth = cell.sim().unwrap().truth.truth();
    let stage = view.stage(&truth);
    let views = view.views(&truth.joint_positions, truth.gripper_width_m);
    let pictures = SoftwareRenderer::default().render(&stage, &views);
    (stage, pictures)
}

/// Checks all marks of all cameras against the instance masks. Returns the number of marks.
fn check(
    name: &str,
    percept: &Percept,
    stage: &Stage,
    pictures: &[Picture],
    is_it: impl Fn(&PerceivedObject, &str) -> bool,
) -> usize {
    let mut n = 0;
    for picture in pictures {
        let camera = &picture.view.name;
        let width = picture.view.intrinsics.width;
        let spots = spots(&picture.clone().into_frame(), &percept.objects);
        for (idx, [x, y]) in &spots {
            let object = &percept.objects[*idx];
            let instance = picture.instances[(y * width + x) as usize];
            let seen = stage.name_of(instance).unwrap_or("the floor");
            let id = &object.id;
            let is_there = is_it(object, seen);
            assert!(is_there, "{name}, {camera}: the mark of {id} is on {seen}");
            n += 1;
        }
        let mut sizes = BTreeMap::<&str, usize>::new();
        for seen in picture.instances.iter().filter_map(|i| stage.name_of(*i)) {
            *sizes.entry(seen).or_default() += 1;
        }
        for (idx, object) in percept.objects.iter().enumerate() {
            let is_large = |(seen, n): (&&str, &usize)| *n >= SEEN_PIXELS && is_it(object, seen);
            let is_marked = spots.iter().any(|(marked, _)| *marked == idx);
            let is_small = !sizes.iter().any(is_large);
            let id = &object.id;
            assert!(is_marked || is_small, "{name}, {camera}: {id} has no mark");
        }
    }
    n
}

#[test]
fn a_mark_is_on_its_object_in_every_camera() {
    let loaded = LoadedRobot::panda().unwrap();
    for (name, scene) in scenes() {
        let mut cell = cell(&scene);
        let mut eyes = GroundTruthPerception::exact(Arc::clone(&cell.sim().unwrap().truth));
        let percept = eyes.perceive(&cell.robot.observe().unwrap()).unwrap();
        let (stage, pictures) = pictures(&loaded, &scene, &cell);
        let n = check(&name, &percept, &stage, &pictures, |o, seen| {
            o.id.as_str() == seen
        });
        assert!(n >= 5, "{name}: only {n} marks");
    }
}

#[test]
fn what_was_perceived_from_pixels_is_marked_as_well() {
    let loaded = LoadedRobot::panda().unwrap();
    for (name, scene) in scenes().into_iter().take(3) {
        let mut cell = cell(&scene);
        let truth = Arc::clone(&cell.sim().unwrap().truth);
        let eyes = loaded.rgbd(&scene, truth, &SightOptions::default(), 0);
        let mut eyes = eyes.unwrap();
        let percept = eyes.perceive(&cell.robot.observe().unwrap()).unwrap();
        let (stage, pictures) = pictures(&loaded, &scene, &cell);
        let truth = cell.sim().unwrap().truth.truth();
        let apart = |object: &PerceivedObject, id: &str| {
            let there = truth.objects.iter().find(|o| o.id.as_str() == id);
            let there = there.map(|o| o.shape.aabb(&o.world_from_object).center());
            there.map_or(f64::INFINITY, |p| {
                (p - object.aabb_in_world().center()).norm()
            })
        };
        // Perceived names differ from those of the scene, so that objects are compared by position,
        // except for the table, whose edges are not all in view.
        let is_it = |object: &PerceivedObject, seen: &str| match object.id.as_str() {
            "table" => seen == "table",
            _ => apart(object, seen) < 0.01,
        };
        check(&name, &percept, &stage, &pictures, is_it);
    }
}

#[test]
fn numbers_are_drawn_at_the_marks_and_nowhere_else() {
    let loaded = LoadedRobot::panda().unwrap();
    let scene = builtin_scene("tabletop").unwrap();
    let mut cell = cell(&scene);
    let observation = cell.robot.observe().unwrap();
    let percept = cell.robot.perception.perceive(&observation).unwrap();
    let images = |marks: bool| {
        let options = PictureOptions {
            cameras: vec!["top".into(), "scene".into()],
            marks,
        };
        let pictures = loaded.pictures(&scene, Arc::clone(&cell.sim().unwrap().truth), &options);
        pictures.unwrap().images(&observation, &percept).unwrap()
    };
    let (plain, marked) = (images(false), images(true));
    let view = SceneView::new(&loaded, &scene).unwrap();
    let cameras = SimCameras::new(view, Arc::clone(&cell.sim().unwrap().truth));
    let names = ["top".to_owned(), "scene".to_owned()];
    let frames = cameras.only(&names).unwrap().look(&observation).unwrap();
    for ((plain, marked), frame) in plain.iter().zip(&marked).zip(&frames) {
        assert_eq!(marked.view, frame.view);
        assert!(plain.marks.is_empty());
        let spots = spots(frame, &percept.objects);
        let expected = spots.iter().map(|(idx, _)| {
            let number = *idx as u32 + 1;
            (number, percept.objects[*idx].id.clone())
        });
        assert_eq!(marked.marks, expected.collect());
        let (a, b) = (decoded(&plain.png), decoded(&marked.png));
        let width = frame.view.intrinsics.width as usize;
        let changed = a.chunks(3).zip(b.chunks(3)).enumerate();
        let changed = changed.filter(|(_, (a, b))| a != b).map(|(at, _)| at);
        let mut n_drawn = vec![0; spots.len()];
        for at in changed {
            let (x, y) = ((at % width) as f64, (at / width) as f64);
            let away = |[u, v]: [u32; 2]| (x - f64::from(u)).hypot(y - f64::from(v));
            let near = spots.iter().map(|(_, p)| away(*p)).enumerate();
            let (nearest, away) = near.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            within("drawn pixel off the nearest mark, pixels", away, ..14.0);
            n_drawn[nearest] += 1;
        }
        let are_seen = n_drawn.iter().all(|n| *n > 20);
        assert!(are_seen, "a mark has no visible number: {n_drawn:?} pixels");
    }
}

pub(crate) fn decoded(png: &[u8]) -> Vec<u8> {
    let decoder = png::Decoder::new(std::io::Cursor::new(png));
    let mut reader = decoder.read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    rgb
}
