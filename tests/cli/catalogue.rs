//! Models of objects for perception from pixels.

use crate::Shell;

#[test]
fn the_models_of_a_scene_name_its_objects_in_pictures() {
    let shell = Shell::new();
    let models = shell.check("models-of stack_two", 0, "stack_two; red_cube");
    shell.write("models.yaml", &models);
    shell.write("more.yaml", format!("{models}  kitchen: all\n"));
    let look = |more: &str| {
        let rows = shell.asked(&format!(
            "perceive --tasks stack_two --rows 0-1 --json {more}"
        ));
        rows[0].clone()
    };
    let [plain, known] = ["", "--models models.yaml"].map(look);
    assert_eq!(known["n_objects"], plain["n_objects"]);
    assert_eq!(known["n_missed"], 0, "{known}");
    assert_eq!(known["n_misnamed"], 0, "{known}");
    assert_ne!(known, plain, "the models changed nothing");
    let more = look("--models more.yaml");
    assert_eq!(more["n_ghosts"], 0, "objects that are not there: {more}");
}

#[test]
fn wrong_models_are_refused_with_a_line() {
    let shell = Shell::new();
    let look = "perceive --tasks pick_cube --seeds 1 --models m.yaml";
    for (text, words) in [
        ("scenes:\n  tabletop: [red_cub]\n", "m.yaml:2; red_cube"),
        ("scenes:\n  tabeltop: all\n", "m.yaml:2; tabletop"),
        ("things: []\n", "m.yaml:1; objects"),
        ("objects:\n- {id: a, kind: cube}\n", "m.yaml:2; size"),
    ] {
        shell.write("m.yaml", text);
        shell.check(look, 12, words);
    }
    shell.check(&look.replace("m.yaml", "none.yaml"), 12, "none.yaml");
    let cases = "
        run --task pick_cube --models m.yaml     | 2  | --models; uses cameras
        run --task pick_cube --camera-noise real | 2  | --camera-noise; uses cameras
        perceive --seeds 1                       | 2  | --tasks
        perceive --suite recovery                | 2  | recovery; not tasks
        models-of tabeltop                       | 12 | tabletop";
    shell.check_all("", cases);
}

#[test]
fn a_thing_that_the_hand_hid_while_it_was_pushed_is_still_one() {
    let shell = Shell::new();
    let models = shell.check("models-of tabletop", 0, "blue_cylinder");
    shell.write("models.yaml", &models);
    let said = "'push the blue cylinder 6 cm away from the plate'";
    let run = format!("run {said} --perception rgbd --models models.yaml");
    shell.check(&run, 0, "EXECUTE: push; success:      true");
}
