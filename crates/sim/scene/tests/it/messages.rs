//! A wrong file gives a message that a newcomer can act on: file, line, what is
//! wrong, what is allowed.

use crate::common::{refused, task};
use regrasp_scene::{builtin_robot, load_robot, load_scene};
use regrasp_testkit::rows;

const TASK: &str = "\
name: t
prompt: pick up the cube
scene:
  arm: {position: [-0.3, 0.0, 0.0]}
  objects:
    - {id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0]}
    - {id: cube, kind: cube, size: 0.04, mass_kg: 0.1, on: table, xy: [0.4, 0.0]}
    - {id: other, kind: ball, radius: 0.02, mass_kg: 0.1, on: table, xy: [0.4, 0.2]}
success:
  lifted: {object: cube, min_height_m: 0.05}
";

#[test]
fn the_task_itself_is_fine() {
    task(TASK).unwrap();
}

#[test]
fn unknown_keys_and_words_get_the_nearest_spelling() {
    refused(
        TASK,
        r"
            prompt:                                    | promt: | 2 | unknown key `promt` in the task; did you mean `prompt`?
            mass_kg: 0.1, on                           | mas_kg: 0.1, on | 7 | did you mean `mass_kg`?
            kind: cube                                 | kind: cueb | 7 | unknown kind of object `cueb`; did you mean `cube`? (known: box, cube
            size: 0.04                                 | radius: 0.04 | 7 | unknown key `radius` in an object of the kind cube
            lifted:                                    | lited: | 10 | unknown condition `lited`; did you mean `lifted`?
            lifted: {object: cube, min_height_m: 0.05} | joint_at: {object: cube, min: 0.05} | 10 | must be something that a joint moves
            size: 0.04                                 | size: 0.04, color: rde | 7 | unknown colour `rde`; did you mean `red`?
            pick up the cube                           | hold it at ({goal}) | 2 | unknown prompt parameter `goal` (there is none)
            success:                                   | expected_failure: unreachabel\nsuccess: | 9 | did you mean `unreachable`?
            arm: {                                     | arm: {start_joints_rad: redy,  | 4 | did you mean `ready`?
        ",
    );
}

#[test]
fn misspelt_object_ids_are_found_everywhere() {
    refused(
        TASK,
        r"
            object: cube                                 | object: cubee | 10 | unknown object `cubee`; did you mean `cube`? (known: table, cube, other)
            on: table                                    | on: tabel | 7 | unknown object `tabel`; did you mean `table`?
            success:                                     | placement:\n  - object: cub\n    yaw_rad: any\nsuccess: | 10 | did you mean `cube`?
              lifted: {object: cube, min_height_m: 0.05} |   - lifted: {object: cube, min_height_m: 0.05}\n  - not:\n      any:\n        - on: {object: cube, target: othr} | 13 | unknown object `othr`; did you mean `other`?
        ",
    );
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    refused(
        TASK,
        r"
            size: 0.04         | size: -0.04                      | 7  | `size` is -0.04, but must be a length greater than 0
            size: 0.04         | size: [0.04, 0.0, 0.04]          | 7  | `size` is 0, but must be
            mass_kg: 0.1       | mass_kg: 0                       | 7  | `mass_kg` is 0, but must be a number greater than 0
            mass_kg: 0.1       | mass_kg: heavy                   | 7  | `mass_kg` must be a number greater than 0, but is the text `heavy`
            mass_kg: 0.1       | mass_kg: .nan                    | 7  | non-finite float
            mass_kg: 0.1,      |                                  | 7  | needs one of mass_kg, density_kg_per_m3, fixed: true, found none
            xy: [0.6, 0.0]     | xy: [0.6]                        | 6  | `xy` is a list of 1, but must be a list of 2 numbers
            min_height_m: 0.05 | min_height_m: 0                  | 10 | greater than 0
            arm: {             | arm: {start_joints_rad: [0, 1],  | 4  | a named pose, or a list of 7
            arm: {             | arm: {start_width_m: 0.2,        | 4  | from 0 to 0.08, the gripper's range
        ",
    );
}

#[test]
fn ids_are_unique_and_supports_are_there() {
    refused(
        TASK,
        r"
            id: other                   | id: cube                  | 8 | the object `cube` is already defined in line 7
            on: table, xy: [0.4, 0.0]   | on: table, xy: [3.4, 0.0] | 7 | `table` spans x 0.100 … 1.100
            on: table, xy: [0.4, 0.0]   | on: cube                  | 7 | `cube` stands on itself: cube on cube
            , on: table, xy: [0.4, 0.0] |                           | 7 | needs one of position, on, found none
        ",
    );
}

#[test]
fn objects_that_start_inside_each_other_are_refused() {
    refused(
        TASK,
        r"
        xy: [0.4, 0.2]            | xy: [0.4, 0.03]             | 8 | `cube` and `other` overlap by 10.0 mm at the start
        on: table, xy: [0.4, 0.0] | position: [0.4, 0.0, 0.05]  | 7 | `table` and `cube` overlap by 10.0 mm
    ",
    );
}

#[test]
fn goals_that_hold_at_the_start_are_refused() {
    let already = "already holds at the start; an agent that does nothing would pass";
    for [goal, message] in rows(
        &r"
        on: {object: cube, target: table}                                | ALREADY
        unmoved: {objects: others, tolerance_m: 0.01}                    | ALREADY
        joints_at_home: {tolerance_rad: 0.1}                             | ALREADY
        not: {at: {object: cube, point: [0, 0, 0], tolerance_m: 0.1}}    | ALREADY
        at: {object: cube, point: goal, tolerance_m: 0.1}                | the task has no `goal`
        []                                                               | at least one condition
    "
        .replace("ALREADY", already),
    ) {
        let lifted = "lifted: {object: cube, min_height_m: 0.05}";
        refused(TASK, &format!("{lifted} | {goal} | 10 | {message}"));
    }
}

#[test]
fn placements_that_cannot_be_satisfied_say_so() {
    refused(
        TASK,
        r"
        success: | placement:\n  - objects: [cube, other]\n    xy_jitter_m: 0.01\n    min_separation_m: 0.5\nsuccess: | 10 | none of 1000 random placements for seed 0 fits; the last one failed because `cube` and `other` are
    ",
    );
}

#[test]
fn ground_and_clouds_that_are_wrong_say_where() {
    for [shape, line, message] in rows(
        r"
        height_field, size: [0.1, 0.1], heights:\n      [[0, 0],\n      [0, 0, 0]]   | 10 | a row of 3, but must be 2 heights, like the first row
        height_field, size: [0.1, 0.1], heights: [[0, 0]]                         | 8  | the height field: 1 by 2 heights span no cell
        height_field, size: [0.1, 0.1], bottom: 0.1, heights: [[0, 1], [1, 1]]    | 8  | a height of 0 m is not above the underside at 0.1 m
        point_cloud, radius: 0.01, points: []                                     | 8  | the point cloud: it holds no points
        point_cloud, radius: 0.01, points: [[0, 0, 0]], mass_kg: 1                | 8  | left out for a point cloud, which never moves
        point_cloud, radius: 0.01, file: gone.ply                                 | 8  | the file of points `
        point_cloud, radius: 0.01, file: gone.ply                                 | 8  | /gone.ply` cannot be used
    ",
    ) {
        let ball = "kind: ball, radius: 0.02, mass_kg: 0.1";
        refused(
            TASK,
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
        TASK,
        r"
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | the mesh file `
        kind: cube, size: 0.04 | kind: decomposition, mesh: no.stl | 7 | /no.stl` cannot be used: there is no such file; paths are relative to this file's folder
    ",
    );
    let error = task("name: t\nprompt: p\nscene: gone.yaml\nsuccess: {released: {}}\n");
    let error = error.unwrap_err();
    assert_eq!(error.line(), Some(3));
    assert!(error.to_string().contains("the scene file"), "{error}");
    let error = load_scene("no/such/folder/x.yaml", &builtin_robot().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("read `"), "{error}");
}

#[test]
fn robot_files_are_checked_too() {
    let folder = tempfile::tempdir().unwrap();
    let panda =
        std::fs::read_to_string(regrasp_assets::folder().join("robots/panda/panda.yaml")).unwrap();
    let check = |from: &str, to: &str, message: &str| {
        assert!(panda.contains(from), "{from} is not in the robot file");
        let path = folder.path().join("r.yaml");
        std::fs::write(&path, panda.replacen(from, to, 1)).unwrap();
        let error = load_robot(&path).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\ndoes not say\n{message}");
    };
    check("urdf: panda.urdf", "urdf: gone.urdf", "the URDF `");
    std::fs::write(folder.path().join("panda.urdf"), "<robot/>").unwrap();
    for [from, to, message] in rows(
        r"
        max_width_m: 0.08       | max_width_m: 0.0       | greater than 0
        min_width_m: 0.0        | min_width_m: 0.1       | greater than `min_width_m`, which is 0.1
        default_force_n: 20.0   | default_force_n: 200.0 | at most `max_force_n`, which is 70
        kp_nm_per_rad: [4500.0, | kp_nm_per_rad: [       | a list of 7, one for each of `arm.joints`
        kp_n_per_m: 1000.0      | kp_n_per_m: -1000.0    | greater than 0
        hand: panda_hand        | hnad: panda_hand       | did you mean `hand`?
    ",
    ) {
        check(&from, &to, &message);
    }
}

#[test]
fn a_wrong_camera_is_told_with_what_would_be_right() {
    for [camera, message] in rows(
        r"
            {name: a, position: [1, 0, 1]}                                     | needs one of look_at, quat_xyzw
            {name: a b, position: [1, 0, 1], look_at: [0, 0, 0]}               | a word of letters
            {name: a, position: [1, 0, 1], look_at: [1, 0, 1]}                 | another point than `position`
            {name: a, on: head, position: [1, 0, 1], look_at: [0, 0, 0]}       | hand, flange, tool, base
            {name: a, position: [1, 0, 1], look_at: [0, 0, 0], fov_deg: 179}   | from 5 to 150
            {name: a, position: [1, 0, 1], look_at: [0, 0, 0], size: [0.5, 9]} | whole numbers from 16
            {name: a, position: [1, 0, 1], lookat: [0, 0, 0]}                  | did you mean `look_at`?
            {name: a, position: [1, 0, 1], quat_xyzw: [1, 1, 0, 0]}            | a unit quaternion
        ",
    ) {
        let last = "xy: [0.4, 0.2]}";
        let cameras = format!(r"{last}\n  cameras:\n    - {camera}");
        refused(TASK, &format!("{last} | {cameras} | 10 | {message}"));
    }
}

#[test]
fn a_declared_camera_takes_the_place_of_the_usual_one() {
    let robot = builtin_robot().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.yaml");
    let text = "\
objects:
  - {id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0]}
cameras:
  - {name: top, position: [0.5, 0.0, 2.0], look_at: [0.5, 0.0, 0.0], size: [320, 200]}
  - {name: palm, on: hand, position: [0.0, 0.0, 0.05], quat_xyzw: [0, 0, 0, 1]}
";
    std::fs::write(&path, text).unwrap();
    let scene = load_scene(&path, &robot).unwrap();
    let cameras = scene.all_cameras(&robot);
    let names: Vec<_> = cameras.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["scene", "wrist", "top", "palm"]);
    assert_eq!(cameras[2].intrinsics.width, 320);
    assert_eq!(cameras[3].link.as_deref(), Some("panda_hand"));
}
