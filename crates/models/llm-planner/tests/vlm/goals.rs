//! Texts that the grammar does not understand are read as goals by a model.

use regrasp_api::{Plan, PlannerError, Reason};
use regrasp_chat::Provider;
use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_llm_planner::{GoalReader, VlmOptions};
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::scene::{Situation, object};
use crate::{calls, model, plan, user};

fn read(text: &str, answers: &[Value]) -> (Result<Plan, PlannerError>, Vec<Received>) {
    let replies = answers
        .iter()
        .map(|answer| Reply::words(&answer.to_string()));
    let server = Server::scripted(replies.collect());
    let model = model(&server, Provider::Custom);
    let mut reader = GoalReader::new(model, VlmOptions::default());
    let mut situation = Situation::new();
    text.clone_into(&mut situation.task);
    let small = object("red_box", "cube", [0.02; 3], [0.3, -0.3, 0.02]);
    situation.percept.objects.push(small);
    (plan(&mut reader, &situation), server.received())
}

fn goal(facts: Value) -> Value {
    json!({ "outcome": "goal", "facts": facts, "why": "" })
}

const REWORDED: &str = "kindly have yonder azure die rest upon the dish";

#[test]
fn two_equal_goals_are_planned_for() {
    let fact = || goal(json!([{ "is": "on", "of": ["blue_cube", "plate"] }]));
    let (plan, requests) = read(REWORDED, &[fact(), fact()]);
    let plan = plan.unwrap();
    assert_eq!(calls(&plan)[0], r#"pick({"object":"blue_cube"})"#);
    says(&plan.heard.join("\n"), &["on(blue_cube, plate)"]);
    assert_eq!((plan.tokens, requests.len()), (240, 2));
    let listed = requests.iter().map(|request| {
        let text = user(request);
        text.find("blue_cube").unwrap() < text.find("red_box").unwrap()
    });
    assert_eq!(
        listed.collect::<Vec<_>>(),
        [true, false],
        "the order is turned round"
    );
    let format = &requests[0].body["response_format"]["json_schema"]["schema"];
    let names = &format["properties"]["facts"]["items"]["properties"]["of"]["items"]["enum"];
    assert!(
        names.as_array().unwrap().contains(&json!("plate")),
        "{format}"
    );
}

#[test]
fn what_the_grammar_reads_is_not_asked() {
    let (plan, requests) = read("put the blue cube on the plate", &[]);
    assert!(!plan.unwrap().steps.is_empty());
    assert_eq!(requests.len(), 0);
}

#[test]
fn doubts_are_asked_and_what_is_no_goal_is_refused() {
    let on = |a: &str, b: &str| goal(json!([{ "is": "on", "of": [a, b] }]));
    let unclear = json!({ "outcome": "unclear", "facts": [], "why": "which dish?" });
    for (text, answers, asked) in [
        (
            REWORDED,
            [on("blue_cube", "plate"), on("red_cube", "plate")],
            "is `on(blue_cube, plate)` meant, or `on(red_cube, plate)`?",
        ),
        (
            "have the red box rest upon yonder dish",
            [on("blue_cube", "plate"), on("blue_cube", "plate")],
            "is blue_cube meant, or red_box?",
        ),
    ] {
        let plan = read(text, &answers).0.unwrap();
        assert_eq!(plan.question.as_deref(), Some(asked));
        assert_eq!(plan.unclear, Some(Reason::AmbiguousCommand));
        assert!(plan.steps.is_empty());
    }
    for (answer, told) in [
        (unclear, "which dish?"),
        (on("blue_cube", "blue_cube"), "itself"),
        (on("blue_cube", "vase"), "vase"),
        (
            goal(json!([{ "is": "on", "of": ["plate"] }])),
            "`on` of 1 things",
        ),
        (
            goal(json!([{ "is": "destroyed", "of": ["plate"] }])),
            "`destroyed` of 1 things",
        ),
        (goal(json!([])), "no goal"),
        (json!("put it there"), "no goal"),
    ] {
        let refused = read(REWORDED, &[answer.clone(), answer]).0;
        let Err(error @ PlannerError::Unrecognized { .. }) = refused else {
            panic!("{told}: {refused:?}");
        };
        says(&error.to_string(), &[told]);
    }
}
