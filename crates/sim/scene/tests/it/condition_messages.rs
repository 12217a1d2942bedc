//! Every way in which a success condition can be wrong is told with its line.

use crate::common::task;
use regrasp_testkit::{rows, wrong_facts};

/// A task whose condition stands in line 10.
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
";

/// What is told of a condition, with its line.
fn told(condition: &str) -> (usize, String) {
    let error = task(&format!("{TASK}  {condition}\n")).unwrap_err();
    (error.line().unwrap(), error.problem().unwrap().to_string())
}

#[test]
fn what_is_wrong_is_told_with_what_is_allowed() {
    for [condition, message] in rows(
        r"
            word                                                      | `success` must be a mapping, but is the text `word`
            []                                                        | `success` is empty, but must be a list of at least one condition
            any: cube                                                 | `any` must be a list, but is the text `cube`
            lifted: 3                                                 | `lifted` must be a mapping with the keys object, min_height_m, but is the number 3
            lifted: {object: cube}                                    | lifted lacks the key `min_height_m`
            lifted: {object: 3, min_height_m: 0.1}                    | `object` must be a word or text, but is the number 3
            lifted: {object: cube, min_height_m: high}                | `min_height_m` must be a number, but is the text `high`
            lifted: {object: cube, min_height_m: 0}                   | `min_height_m` is 0, but must be a number greater than 0
            lifted: {object: cube, min_hight_m: 0.1}                  | unknown key `min_hight_m` in lifted; did you mean `min_height_m`? (known: object, min_height_m)
            at: {object: cube, point: goal, tolerance_m: 0.1}         | `point` is `goal`, but must be a point [x, y, z]: the task has no `goal`
            at: {object: cube, point: gaol, tolerance_m: 0.1}         | `point` must be a point [x, y, z], or the word `goal`, but is the text `gaol`
            at: {object: cube, point: [1, 2, 3, 4], tolerance_m: 0.1} | `point` is a list of 4, but must be a list of 3 numbers
            in: {object: cube}                                        | in needs one of target, region, found none
            in: {object: cube, region: {x: [1, 0]}}                   | `x` is [1, 0], but must be [lowest, highest]
            in: {object: cube, region: {x: [1, 300]}}                 | `x` is 300, but must be a place within 100 m
            upright: {object: cube, axis: w, max_tilt_rad: 0.1}       | unknown axis `w` (known: x, y, z, -x, -y, -z, either x, either y, either z)
            apart: {object: cube, target: other, xy_m: [0, 1, 2]}     | `xy_m` is a list of 3, but must be a list of 2 numbers
            displaced: {object: cube, direction: up, min_m: 0.1}      | `direction` must be a list, but is the text `up`
            inserted: {object: cube, target: other, min_depth_m: 0.1} | inserted lacks the key `max_aside_m`
            pressed: {object: cube, times: 2.5}                       | `times` is 2.5, but must be a whole number, 0 or greater
            joint_at: {object: cube}                                  | `object` is `cube`, but must be something that a joint moves, such as a drawer: this scene has none
            joints_at_home: {tolerance_rad: 0.1, home: [1]}           | `home` is a list of 1, but must be a list of 7 numbers, one for each joint of the arm
        ",
    ) {
        assert_eq!(told(&condition), (10, message), "{condition}");
    }
}

#[test]
fn a_condition_has_one_name() {
    let (_, unknown) = told("liftet: {object: cube, min_height_m: 0.1}");
    let said = "unknown condition `liftet`; did you mean `lifted`? (known: all, any, not, lifted, ";
    assert!(unknown.starts_with(said), "{unknown}");
    let (_, two) = told("{released: , not: {released: }}");
    assert!(
        two.starts_with("a condition needs exactly one of all, any, "),
        "{two}"
    );
    assert!(
        two.ends_with("(several go into a list), found released and not"),
        "{two}"
    );
}

#[test]
fn the_line_is_that_of_the_culprit() {
    let wrong = "- lifted: {object: cube, min_height_m: 0.1}
  - not:
      any:
        - visited:
            object: cube
            targets:
              - table
              - tabel
        - upright:
            object: cube
            axis: w
            max_tilt_rad: 0.1";
    let (line, text) = told(wrong);
    assert_eq!(
        (line, text.contains("unknown axis `w`")),
        (20, true),
        "{text}"
    );
    let (line, text) = told(&wrong.replace("axis: w", "axis: x"));
    let nearest = text.contains("unknown object `tabel`; did you mean `table`?");
    assert_eq!((line, nearest), (17, true), "{text}");
    let (line, text) = told(&wrong.replace("            axis: w\n", "            axes: x\n"));
    assert_eq!(
        (line, text.contains("did you mean `axis`?")),
        (20, true),
        "{text}"
    );
}

/// As a condition of the same name, a wrong fact has a target that is itself, lacks a key, has one too
/// many, or has no such condition.
#[test]
fn a_wrong_fact_is_no_condition() {
    for (fact, why) in wrong_facts(["cube", "other", "table"]) {
        let (name, of) = fact.split_once('(').unwrap();
        let of = of.trim_end_matches(')').split(", ");
        let keys = ["object", "target", "also"].into_iter().zip(of);
        let keys: Vec<_> = keys.map(|(key, id)| format!("{key}: {id}")).collect();
        let (line, problem) = told(&format!("{name}: {{{}}}", keys.join(", ")));
        let allowed = match (name, why) {
            // There are no places of things in conditions.
            _ if fact.contains('.') => "",
            ("on" | "in", "itself") => "must be another thing than",
            _ => "",
        };
        assert!(line == 10 && problem.contains(allowed), "{fact}: {problem}");
    }
}
