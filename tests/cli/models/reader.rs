//! Interpretation by a model of commands that the grammar does not understand.

use regrasp_chat::testing::{Received, Reply, Server};
use serde_json::{Value, json};

use super::{planner_at, regrasp, uncovers};
use crate::Shell;

/// Command that the grammar does not understand.
const REWORDED: &str = "my red cube wants serving upon yonder plate";

fn step(step: &str) -> Value {
    json!({ "1": { "part": REWORDED, "step": step } })
}

fn none(why: &str) -> Value {
    json!({ "1": { "part": REWORDED, "step": "nothing" }, "why": why })
}

fn is_reading(request: &Received) -> bool {
    request.body["response_format"]["json_schema"]["name"] == "goal"
}

/// Model that answers its first request with `first`, and its second with `second`.
fn reader(first: Value, second: Value) -> Server {
    Server::scripted(vec![
        Reply::words(&first.to_string()),
        Reply::words(&second.to_string()),
    ])
}

/// Runs a command in the scene `covered`, with this server as planner. Returns the output.
#[track_caller]
fn run(text: &str, url: &str, more: &str, code: i32, words: &str) -> String {
    let line = format!("run --scene covered '{text}' {} {more}", planner_at(url));
    regrasp(&Shell::new(), &line, code, words)
}

/// The model gives only the goal. The task planner finds the calls, which first uncover the cube.
#[test]
fn a_text_is_read_as_a_goal_and_carried_out() {
    let on_plate = || step("put red_cube on plate");
    let server = reader(on_plate(), on_plate());
    let words = "GOAL: on(red_cube, plate)";
    run(REWORDED, &server.url(), "--plan-by goal", 0, words);
    assert_eq!(server.received().len(), 2);
}

/// The model plans its calls for the goal that it read.
#[test]
fn a_model_that_plans_calls_reads_first() {
    let server = Server::new(|n, request| match is_reading(request) {
        true => Reply::words(&step("put red_cube on plate").to_string()),
        false => uncovers(n, request),
    });
    run(REWORDED, &server.url(), "", 0, "GOAL: on(red_cube, plate)");
    let n_readings = server.received().iter().filter(|it| is_reading(it)).count();
    assert_eq!(n_readings, 2);
    // The model is not asked about a command that the grammar understands.
    let server = super::uncovering_server();
    run("put the red cube on the plate", &server.url(), "", 0, "");
    assert!(!server.received().iter().any(is_reading));
    // With `--reader grammar`, the model plans from the text without an interpretation.
    let server = super::uncovering_server();
    run(REWORDED, &server.url(), "--reader grammar", 0, "");
    assert!(!server.received().iter().any(is_reading));
}

#[test]
fn what_gives_no_one_goal_moves_nothing() {
    let ends = |first: Value, second: Value, words: &str| {
        let server = reader(first, second);
        let said = run(REWORDED, &server.url(), "--plan-by goal", 10, words);
        assert!(!said.contains("EXECUTE"), "{said}");
    };
    let (on, beside) = ("put red_cube on plate", "put red_cube beside plate");
    let asked = "is `on(red_cube, plate)` meant, or `beside(red_cube, plate)`?";
    let words = format!("ambiguous_command; {asked}");
    ends(step(on), step(beside), &words);
    let always = |answer: Value, words: &str| ends(answer.clone(), answer, words);
    let words = "ambiguous_command; is blue_cube meant, or red_cube?";
    always(step("put blue_cube on plate"), words);
    always(step("put teapot on plate"), "unrecognized_prompt; teapot");
    for why in ["cubes are not served", "which plate?"] {
        always(none(why), &format!("unrecognized_prompt; {why}"));
    }
}

#[test]
fn a_model_that_cannot_be_reached_is_no_misreading() {
    for plan_by in ["goal", "calls"] {
        let more = format!("--plan-by {plan_by} --model-tries 1");
        let said = run(REWORDED, &Server::nowhere(), &more, 11, "vlm_transport");
        assert!(!said.contains("unrecognized_prompt"), "{said}");
    }
}

#[test]
fn planning_by_goal_needs_a_reader() {
    let (url, more) = ("http://localhost:1/v1", "--plan-by goal --reader grammar");
    run("x", url, more, 2, "--reader grammar");
}

/// A model that puts three steps in order may plan calls; any other gives goals.
#[test]
fn models_says_how_a_model_should_plan() {
    let in_order = [
        ("open", json!({ "object": "cabinet_middle_drawer" })),
        ("pick", json!({ "object": "red_cube" })),
        ("place_on", json!({ "target": "cabinet_middle_drawer" })),
    ];
    let [open, pick, place] = in_order.clone();
    for (calls, plan_by) in [
        ([open.clone(), pick.clone(), place.clone()], "calls"),
        ([pick, place, open], "goal"),
    ] {
        let server = Server::new(move |_, request| {
            let tools = request.body["tools"].to_string();
            match tools.contains("report_number") {
                true => Reply::calls(&[("report_number", json!({ "number": 7351 }))]),
                false => Reply::calls(&calls),
            }
        });
        let line = format!("models {}", planner_at(&server.url()));
        let words = format!("plan by:      {plan_by}");
        regrasp(&Shell::new(), &line, 0, &words);
    }
}
