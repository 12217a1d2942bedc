//! Tasks whose words are drawn, and draws that leave room.

use crate::common::write;
use regrasp_scene::{SceneError, Task, builtin_robot, load_task};
use regrasp_testkit::says;

/// A cube of 4 cm and a wall, on a table of 0.6 m by 0.6 m.
fn task(more: &str) -> Result<Task, SceneError> {
    let scene = "objects:
  - {id: table, kind: table, size: [0.6, 0.6], top_z: 0.0, xy: [0.5, 0.0], color: beige}
  - {id: red_cube, kind: cube, half_extents: 0.02, mass_kg: 0.05, on: table, xy: [0.5, 0.0]}
  - {id: wall, kind: box, half_extents: [0.1, 0.01, 0.05], fixed: true, on: table, xy: [0.5, 0.14]}
";
    let text = format!(
        "name: words
draw: {{what: [red_cube], way: [right, left], cm: [\"5\", \"10\"]}}
prompt: push the {{what}} {{cm}} cm
scene: scene.yaml
success:
  - displaced_by: {{object: =what, by_m: {{by: way, right: [0, =-0.01*cm], left: [0, =0.01*cm]}}, tolerance_m: 0.01}}
{more}"
    );
    let (_folder, path) = write("task.yaml", &text, &[("scene.yaml", scene)]);
    load_task(path, &builtin_robot().unwrap())
}

#[test]
fn drawn_words_stand_in_the_prompt_and_in_conditions() {
    let task = task("").unwrap();
    let mut texts = vec![];
    for seed in 0..12 {
        let drawn = task.instantiate(seed).unwrap();
        texts.push((drawn.prompt, drawn.success.to_string()));
    }
    texts.sort();
    texts.dedup();
    let prompts: Vec<&str> = texts.iter().map(|(prompt, _)| prompt.as_str()).collect();
    let (five, ten) = ("push the red cube 5 cm", "push the red cube 10 cm");
    assert_eq!(prompts, [ten, ten, five, five]);
    for ((_, expected), by) in texts.iter().zip(["-0.100", "0.100", "-0.050", "0.050"]) {
        says(expected, &[&format!("by 0.000, {by}")]);
    }
}

#[test]
fn draws_leave_room_or_say_what_is_in_the_way() {
    // 14 cm to the wall's middle, 1 cm of it and 2 cm of the cube: 11 cm are free.
    let room =
        |by: &str, more: &str| task(&format!("room:\n  - {{object: =what, by_m: {by}{more}}}\n"));
    let wall = Some("`wall` is in the way");
    let reach = ", reach_m: [0.3, 0.65]";
    for (by, more, expected) in [
        ("[0.0, 0.1]", "", None),
        ("[0.0, 0.1]", ", clearance_m: 0.02", wall),
        ("[0.0, 0.12]", "", wall),
        ("[0.0, -0.27]", "", None),
        ("[0.0, -0.29]", "", Some("it would leave `table`")),
        ("[0.1, 0.0]", reach, None),
        (
            "[0.2, 0.0]",
            reach,
            Some("0.700 m from the arm, not 0.3 to 0.65"),
        ),
        ("[0.2, 0.0]", ", reach_m: [0.65, 0.3]", Some("reach_m")),
    ] {
        // If no draw fits, the error gives the cause of the last one.
        let found = room(by, more);
        match (found, expected) {
            (Ok(_), None) => {}
            (Err(error), Some(expected)) => {
                assert!(error.to_string().contains(expected), "{by}{more}: {error}");
            }
            (found, expected) => panic!("{by}{more}: {expected:?} is expected, not {found:?}"),
        }
    }
    // One of two lengths is free: every draw has that one.
    let task = room("[0.0, =0.011*cm+0.005]", "").unwrap();
    for seed in 1..8 {
        let drawn = task.instantiate(seed).unwrap();
        assert_eq!(drawn.prompt, "push the red cube 5 cm", "seed {seed}");
    }
    let error = crate::words::task("room:\n  - {object: red_cub}\n").unwrap_err();
    says(&error.to_string(), &["did you mean `red_cube`"]);
}
