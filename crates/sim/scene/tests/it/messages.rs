//! Errors in files give useful messages: file, line, the mistake, the allowed values.

use crate::common::{ALONE, CUBE, refused, scene, task, write};
use regrasp_scene::{builtin_robot, load_robot, load_scene};
use regrasp_testkit::{rows, says};

#[test]
fn the_task_itself_is_fine() {
    task(CUBE).unwrap();
}

#[test]
fn unknown_keys_and_words_get_the_nearest_spelling() {
    refused(CUBE, include_str!("../data/refused/spelling.txt"));
}

#[test]
fn misspelt_object_ids_are_found_everywhere() {
    refused(CUBE, include_str!("../data/refused/ids.txt"));
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    refused(CUBE, include_str!("../data/refused/numbers.txt"));
}

#[test]
fn ids_are_unique_and_supports_are_there() {
    refused(CUBE, include_str!("../data/refused/places.txt"));
}

#[test]
fn objects_that_start_inside_each_other_are_refused() {
    refused(
        CUBE,
        r"
        xy: [0.4, 0.2]            | xy: [0.4, 0.03]             | 8 | `cube` and `other` overlap by 10.0 mm at the start
        on: table, xy: [0.4, 0.0] | position: [0.4, 0.0, 0.05]  | 7 | `table` and `cube` overlap by 10.0 mm
    ",
    );
}

#[test]
fn goals_that_hold_at_the_start_are_refused() {
    let already = "already holds at the start; an agent that does nothing would pass";
    for [goal, message] in
        rows(&include_str!("../data/refused/goals.txt").replace("ALREADY", already))
    {
        let lifted = "lifted: {object: cube, min_height_m: 0.05}";
        refused(CUBE, &format!("{lifted} | {goal} | 10 | {message}"));
    }
}

#[test]
fn placements_that_cannot_be_satisfied_say_so() {
    refused(
        CUBE,
        r"
        success: | placement:\n  - objects: [cube, other]\n    xy_jitter_m: 0.01\n    min_separation_m: 0.5\nsuccess: | 10 | none of 1000 random placements for seed 0 is valid; widen the ranges or lower the separation (last failure: `cube` and `other` are
    ",
    );
}

#[test]
fn ground_and_clouds_that_are_wrong_say_where() {
    for [shape, line, message] in rows(include_str!("../data/refused/grounds.txt")) {
        let ball = "kind: ball, radius: 0.02, mass_kg: 0.1";
        refused(
            CUBE,
            &format!(
                "{ball} | kind: {} | {line} | {message}",
                shape.replace('\n', "\\n")
            ),
        );
    }
}

#[test]
fn references_to_missing_files_name_the_path() {
    refused(
        CUBE,
        r"
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | the mesh file `
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | /no.stl` cannot be used: there is no such file; paths are relative to this file's folder
    ",
    );
    let error = task("name: t\nprompt: p\nscene: gone.yaml\nsuccess: {released: {}}\n");
    let error = error.unwrap_err();
    assert_eq!(error.line(), Some(3));
    says(&error.to_string(), &["the scene file"]);
    let error = load_scene("no/such/folder/x.yaml", &builtin_robot().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("read `"), "{error}");
}

#[test]
fn robot_files_are_checked_too() {
    let panda = regrasp_assets::text("robots/panda/panda.yaml");
    let check = |from: &str, to: &str, message: &str| {
        assert!(panda.contains(from), "{from} is not in the robot file");
        let text = panda.replacen(from, to, 1);
        let (_folder, path) = write("r.yaml", &text, &[("panda.urdf", "<robot/>")]);
        let error = load_robot(&path).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\ndoes not say\n{message}");
    };
    check("urdf: panda.urdf", "urdf: gone.urdf", "the URDF `");
    for [from, to, message] in rows(include_str!("../data/refused/robots.txt")) {
        check(&from, &to, &message);
    }
}

#[test]
fn a_wrong_camera_is_reported_with_what_would_be_right() {
    for [camera, message] in rows(include_str!("../data/refused/cameras.txt")) {
        let last = "xy: [0.4, 0.2]}";
        let cameras = format!(r"{last}\n  cameras:\n    - {camera}");
        refused(CUBE, &format!("{last} | {cameras} | 10 | {message}"));
    }
}

#[test]
fn a_declared_camera_takes_the_place_of_the_usual_one() {
    let robot = builtin_robot().unwrap();
    let scene = scene(ALONE, include_str!("../data/cameras.yaml")).unwrap();
    let cameras = scene.all_cameras(&robot);
    let names: Vec<_> = cameras.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["scene", "wrist", "top", "palm"]);
    assert_eq!(cameras[2].intrinsics.width, 320);
    assert_eq!(cameras[3].link.as_deref(), Some("panda_hand"));
}
