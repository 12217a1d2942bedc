//! Commands that the grammar does not read are read by a model before anything moves.

use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_testkit::says;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cli::regrasp;
use super::uncovers;

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

/// Model that answers with `first`, and with `second` when it is asked again.
fn reader(first: Value, second: Value) -> Server {
    Server::scripted(vec![
        Reply::words(&first.to_string()),
        Reply::words(&second.to_string()),
    ])
}

/// Output of a run in the scene of a covered cube.
fn run(text: &str, url: &str, more: &str, code: i32) -> String {
    let dir = TempDir::new().unwrap();
    let line =
        format!("run --scene covered '{text}' --planner custom --model m --base-url {url} {more}");
    regrasp(dir.path(), &line, code)
}

/// The task planner finds that the red cube is covered, and clears it.
#[test]
fn a_text_is_read_as_a_goal_and_carried_out() {
    let on_plate = || step("put red_cube on plate");
    let server = reader(on_plate(), on_plate());
    let said = run(REWORDED, &server.url(), "--plan-by goal", 0);
    says(&said, &["GOAL: on(red_cube, plate)"]);
    assert_eq!(server.received().len(), 2);
}

/// The model plans its calls for the goal that it read.
#[test]
fn a_model_that_plans_calls_reads_first() {
    let server = Server::new(|n, request| match is_reading(request) {
        true => Reply::words(&step("put red_cube on plate").to_string()),
        false => uncovers(n, request),
    });
    let said = run(REWORDED, &server.url(), "", 0);
    says(&said, &["GOAL: on(red_cube, plate)"]);
    let n_readings = server.received().iter().filter(|it| is_reading(it)).count();
    assert_eq!(n_readings, 2);
    // The grammar's own reading is never asked for.
    let server = super::uncovering_server();
    run("put the red cube on the plate", &server.url(), "", 0);
    assert!(!server.received().iter().any(is_reading));
    // Without a reader the text reaches the model's planning as it stands.
    let server = super::uncovering_server();
    run(REWORDED, &server.url(), "--reader grammar", 0);
    assert!(!server.received().iter().any(is_reading));
}

#[test]
fn what_gives_no_one_goal_moves_nothing() {
    let red = || step("put red_cube on plate");
    for (first, second, told) in [
        (
            red(),
            step("put red_cube beside plate"),
            [
                "ambiguous_command",
                "is `on(red_cube, plate)` meant, or `beside(red_cube, plate)`?",
            ],
        ),
        (
            step("put blue_cube on plate"),
            step("put blue_cube on plate"),
            ["ambiguous_command", "is blue_cube meant, or red_cube?"],
        ),
        (
            step("put teapot on plate"),
            step("put teapot on plate"),
            ["unrecognized_prompt", "teapot"],
        ),
        (
            none("cubes are not served"),
            none("cubes are not served"),
            ["unrecognized_prompt", "cubes are not served"],
        ),
        (
            none("which plate?"),
            none("which plate?"),
            ["unrecognized_prompt", "which plate?"],
        ),
    ] {
        let server = reader(first, second);
        let said = run(REWORDED, &server.url(), "--plan-by goal", 10);
        says(&said, &told);
        assert!(!said.contains("EXECUTE"), "{said}");
    }
}

#[test]
fn a_model_that_cannot_be_reached_is_no_misreading() {
    for plan_by in ["goal", "calls"] {
        let more = format!("--plan-by {plan_by} --model-tries 1");
        let said = run(REWORDED, &Server::nowhere(), &more, 11);
        says(&said, &["vlm_transport"]);
        assert!(!said.contains("unrecognized_prompt"), "{said}");
    }
}

#[test]
fn planning_by_goal_needs_a_reader() {
    let said = run(
        "x",
        "http://localhost:1/v1",
        "--plan-by goal --reader grammar",
        2,
    );
    says(&said, &["--reader grammar"]);
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
        let dir = TempDir::new().unwrap();
        let line = format!(
            "models --planner custom --model m --base-url {}",
            server.url()
        );
        let said = regrasp(dir.path(), &line, 0);
        says(&said, &[&format!("plan by:      {plan_by}")]);
    }
}
