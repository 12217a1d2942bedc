//! Every mistake in a success condition is reported with its line.

use crate::common::{CUBE, task};
use regrasp_testkit::{rows, says, wrong_facts};

fn refusal(condition: &str) -> (usize, String) {
    let (task_without, _) = CUBE.split_once("  lifted").unwrap();
    let error = task(&format!("{task_without}  {condition}\n")).unwrap_err();
    (error.line().unwrap(), error.problem().unwrap().to_string())
}

#[test]
fn what_is_wrong_is_reported_with_what_is_allowed() {
    for [condition, message] in rows(include_str!("../data/refused/conditions.txt")) {
        assert_eq!(refusal(&condition), (10, message), "{condition}");
    }
}

#[test]
fn a_condition_has_one_name() {
    let (_, unknown) = refusal("liftet: {object: cube, min_height_m: 0.1}");
    let part = "unknown condition `liftet`; did you mean `lifted`? (known: all, any, not, ";
    assert!(unknown.starts_with(part), "{unknown}");
    let (_, two) = refusal("{released: , not: {released: }}");
    let (first, last) = (
        "a condition needs exactly one of all, any, ",
        "(several go into a list), found released and not",
    );
    assert!(two.starts_with(first) && two.ends_with(last), "{two}");
}

#[test]
fn the_line_is_that_of_the_culprit() {
    let wrong = include_str!("../data/nested.yaml").trim();
    for [from, to, at, expected] in rows(
        r"
        axis: w | axis: w | 20 | unknown axis `w`
        axis: w | axis: x | 17 | unknown object `tabel`; did you mean `table`?
        axis: w | axes: x | 20 | did you mean `axis`?
    ",
    ) {
        let (line, text) = refusal(&wrong.replace(&from, &to));
        assert_eq!(line.to_string(), at, "{to}: {text}");
        says(&text, &[&expected]);
    }
}

/// A wrong fact, written as the condition of the same name, refers to itself, lacks a key, has one
/// too many, or does not exist as a condition.
#[test]
fn a_wrong_fact_is_no_condition() {
    for (fact, why) in wrong_facts(["cube", "other", "table"]) {
        let (name, of) = fact.split_once('(').unwrap();
        let of = of.trim_end_matches(')').split(", ");
        let keys = ["object", "target", "also"].into_iter().zip(of);
        let keys: Vec<_> = keys.map(|(key, id)| format!("{key}: {id}")).collect();
        let (line, problem) = refusal(&format!("{name}: {{{}}}", keys.join(", ")));
        let allowed = match (name, why) {
            // Conditions do not refer to named places of objects.
            _ if fact.contains('.') => "",
            ("on" | "in", "itself") => "must be different from",
            _ => "",
        };
        assert!(line == 10 && problem.contains(allowed), "{fact}: {problem}");
    }
}
