//! `regrasp scene`, `check` of scenes, and the gallery.

use std::fs;

use regrasp_testkit::{rows, says};

use crate::shell::expect;
use crate::{Shell, text};

#[test]
fn a_scene_that_was_made_is_printed_checked_drawn_and_run_in() {
    let shell = Shell::new();
    let make = "scene clutter --n 5 --seed 3";
    shell.check(&format!("{make} -o c.yaml"), 0, "scene: c.yaml");
    let printed = shell.run(make);
    let kept = shell.read("c.yaml");
    assert_eq!(text(&printed.stdout), kept);
    says(&kept, &["regrasp scene clutter --n 5 --seed 3"]);
    shell.check("check c.yaml", 0, "scene `clutter`; red_cube: ");
    let render = "render c.yaml --size 64 48 --out c.png";
    shell.check(render, 0, "c.png");
    let run = "run 'pick up the red cube' --scene c.yaml";
    shell.check(run, 0, "GOAL: holds");
}

#[test]
fn a_scene_for_which_there_is_no_room_is_refused() {
    let shell = Shell::new();
    let cases = "
        clutter --n 400                | 2  | 400 objects; 1 to 36; arm reaches
        clutter --n 0                  | 2  | 1 to 36
        clutter --n -3                 | 2  | -3
        wall --n 3                     | 2  | the number of objects is fixed
        heap                           | 2  | heap; clutter; shelf; wall; bin
        bin -o bin.txt                 | 2  | ends in .yaml
        bin -o no/such/folder/bin.yaml | 12 | write no/such/folder/bin.yaml";
    shell.check_all("scene", cases);
}

#[test]
fn a_gallery_is_the_same_twice_and_knows_its_suites() {
    let shell = Shell::new();
    let of = |out: &str| {
        let gallery = format!("gallery --suite clutter -o {out} --size 96 72 --columns 2");
        shell.check(&gallery, 0, "gallery of 3 tasks");
        shell.bytes(out)
    };
    let first = of("a.png");
    assert!(first.starts_with(b"\x89PNG"));
    assert_eq!(of("b.png"), first);
    let words = "recovery suite; classes of faults, not tasks";
    shell.check("gallery --suite recovery", 2, words);
    shell.check("gallery --tasks pick_cub", 12, "pick_cub; pick_cube");
}

#[test]
fn the_cache_folder_is_no_setting_of_the_agent() {
    let shell = Shell::new();
    let cube = "o c\nv 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0.1 0.1 0\nv 0 0 0.03\nv 0.03 0.03 0.01\n\
                f 1 3 2\nf 2 3 4\nf 1 2 6\nf 1 6 5\nf 1 5 3\nf 2 4 6\nf 3 6 4\nf 3 5 6\n";
    shell.write("thing.obj", cube);
    let scene = "objects:\n  - {id: table, kind: table, size: [1.3, 1.2], top_z: 0.0, xy: [0.75, 0.0]}\n  \
                 - {id: thing, kind: mesh, file: thing.obj, mass_kg: 0.1, on: table, xy: [0.5, 0.0]}\n";
    shell.write("s.yaml", scene);
    let check = |line: &str, words: &str| {
        let mut command = shell.command(line);
        let output = command.env("REGRASP_CACHE_DIR", "kept").output();
        expect(&output.unwrap(), 0, words);
    };
    check("config", "");
    for _ in 0..2 {
        let words = "thing: mesh of 8 triangles, closed, 100 x 100 x 30 mm";
        check("check s.yaml", words);
        assert_eq!(fs::read_dir(shell.path().join("kept")).unwrap().count(), 1);
    }
}

#[test]
fn check_says_what_the_arm_stands_on_and_what_it_is_inside_of() {
    let shell = Shell::new();
    let cases = "
        {on: table, let_in_m: 0.05}  | 0  | arm: fixed to table; red_cube: reachable
        {position: [0, 0, 0.36]}     | 0  | warning: panda_link0 is; mm inside table; on: table
        {on: table, let_in_m: 0.3}   | 12 | panda_link1 is; inside table at the start; cannot move
        {position: [0.5, 0.1, 0.4]}  | 12 | panda_link0 is; inside red_cube at the start; push red_cube away";
    for [arm, code, words] in rows(cases) {
        let scene = format!(
            "arm: {arm}\nobjects:\n  \
             - {{id: table, kind: table, size: [1.4, 1.0], top_z: 0.4, xy: [0.3, 0.0]}}\n  \
             - {{id: red_cube, kind: cube, half_extents: 0.02, mass_kg: 0.05, on: table, xy: [0.5, 0.1]}}\n"
        );
        shell.write("s.yaml", scene);
        shell.check("check s.yaml", code.parse().unwrap(), &words);
    }
}
