//! Texts that the grammar does not understand are read as goals by a model.

use regrasp_api::{PerceivedObject, Plan, PlanRequest, Planner, PlannerError, Reason, Viewpoint};
use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_chat::{AnswerMode, Provider, Scales};
use regrasp_llm_planner::{GoalReader, VlmOptions, VlmPlanner};
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::scene::{Situation, object};
use crate::{calls, data, good, model, plan, refused, system, user};

fn situation(text: &str) -> Situation {
    let mut situation = Situation::new();
    text.clone_into(&mut situation.task);
    let small = object("red_box", "cube", [0.02; 3], [0.3, -0.3, 0.02]);
    situation.percept.objects.push(small);
    situation
}

fn words(answers: &[Value]) -> Vec<Reply> {
    let answers = answers
        .iter()
        .map(|answer| Reply::words(&answer.to_string()));
    answers.collect()
}

/// Plans in a situation with these replies. Returns the plan and the requests that the server
/// received.
fn read_in(
    situation: &Situation,
    replies: Vec<Reply>,
) -> (Result<Plan, PlannerError>, Vec<Received>) {
    let server = Server::scripted(replies);
    let model = model(&server, Provider::Custom);
    let mut reader = GoalReader::new(model, VlmOptions::default());
    (plan(&mut reader, situation), server.received())
}

/// Plans for a text with these answers. Returns the plan and the requests that the server received.
fn read(text: &str, answers: &[Value]) -> (Result<Plan, PlannerError>, Vec<Received>) {
    read_in(&situation(text), words(answers))
}

fn goal(facts: Value) -> Value {
    json!({ "outcome": "goal", "facts": facts, "why": "" })
}

fn on(a: &str, b: &str) -> Value {
    goal(json!([format!("on({a}, {b})")]))
}

/// Answer with facts, and the command in plain words.
fn in_words(command: &str, facts: Value) -> Value {
    json!({ "command": command, "facts": facts, "outcome": "goal" })
}

#[track_caller]
fn asks(plan: Result<Plan, PlannerError>, question: &str) {
    let plan = plan.unwrap();
    assert_eq!(plan.question.as_deref(), Some(question));
    assert_eq!(plan.unclear, Some(Reason::AmbiguousCommand));
    assert!(plan.steps.is_empty());
}

const REWORDED: &str = "kindly have yonder azure die rest upon the dish";

#[test]
fn two_equal_goals_are_planned_for() {
    let fact = || on("blue_cube", "plate");
    let (plan, requests) = read(REWORDED, &[fact(), fact()]);
    let plan = plan.unwrap();
    assert_eq!(calls(&plan)[0], r#"pick({"object":"blue_cube"})"#);
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
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
    let fact = format["properties"]["facts"]["items"]["pattern"].as_str();
    says(fact.unwrap(), &["plate", "left_of"]);
    // What servers keep of a request for the next one is what they have in common.
    assert_eq!(system(&requests[0]), system(&requests[1]));
}

#[test]
fn what_the_grammar_reads_is_not_asked() {
    let (plan, requests) = read("put the blue cube on the plate", &[]);
    assert!(!plan.unwrap().steps.is_empty());
    assert_eq!(requests.len(), 0);
}

#[test]
fn doubts_are_asked_and_what_is_no_goal_is_refused() {
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
        (
            REWORDED,
            [on("blue_cube", "plate"), unclear.clone()],
            "is `on(blue_cube, plate)` meant?",
        ),
        (
            "make me a cup of tea",
            [on("blue_cube", "plate"), on("blue_cube", "plate")],
            "is `on(blue_cube, plate)` meant? No word of the command is for blue_cube",
        ),
    ] {
        asks(read(text, &answers).0, asked);
    }
    for (answer, told) in [
        (unclear, "which dish?"),
        (on("blue_cube", "blue_cube"), "itself"),
        (on("blue_cube", "vase"), "vase"),
        (goal(json!(["on(plate)"])), "takes 2 objects"),
        (goal(json!(["destroyed(plate)"])), "is not a relation"),
        (goal(json!([])), "no goal"),
        (json!("put it there"), "no goal"),
        (
            json!({ "outcome": "impossible", "facts": [], "why": "no arm can" }),
            "no arm can",
        ),
    ] {
        let plan = read(REWORDED, &[answer.clone(), answer]).0;
        says(&refused(plan, "Unrecognized"), &[told]);
    }
}

/// A goal that the grammar reads in the plain words of both answers counts, whatever their facts
/// are. If the words are ambiguous to the grammar, the person is asked.
#[test]
fn plain_words_are_read_by_the_grammar() {
    let plain = "put the blue cube on the plate";
    let answers = [
        in_words(plain, json!(["on(plate, blue_cube)"])),
        in_words(plain, json!(["on(blue_cube, table)"])),
    ];
    let plan = read(REWORDED, &answers).0.unwrap();
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
    let vague = in_words("put the cube on the plate", json!(["on(blue_cube, plate)"]));
    let plan = read(REWORDED, &[vague.clone(), vague]).0.unwrap();
    says(
        plan.question.as_deref().unwrap(),
        &["red_cube", "blue_cube"],
    );
}

#[test]
fn what_is_so_already_is_no_change() {
    let more = goal(json!(["on(plate, table)", "on(blue_cube, plate)"]));
    let plan = read(REWORDED, &[more, on("blue_cube", "plate")]).0.unwrap();
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
    let plan = read(
        "let the dish rest on yonder table",
        &[on("plate", "table"), on("plate", "table")],
    );
    says(
        &plan.0.unwrap().interpretation.join("\n"),
        &["on(plate, table)"],
    );
}

/// The model may not choose between two objects of one name.
#[test]
fn twins_are_told_apart_by_words_and_not_by_the_model() {
    let text = "let yonder mug by the plate repose upon the dish";
    let mut scene = situation(text);
    for (id, y) in [("mug_1", -0.35), ("mug_2", 0.4)] {
        let mug = object(id, "mug", [0.03; 3], [0.5, y, 0.03]);
        scene.percept.objects.push(mug);
    }
    let by_name = || in_words("put mug_1 on the plate", json!(["on(mug_1, plate)"]));
    let (plan, _) = read_in(&scene, words(&[by_name(), by_name()]));
    asks(plan, "is mug_1 meant, or mug_2?");
    let command = "put the mug next to the plate on the plate";
    let by_words = || in_words(command, json!(["on(mug_1, plate)"]));
    let (plan, _) = read_in(&scene, words(&[by_words(), by_words()]));
    says(
        &plan.unwrap().interpretation.join("\n"),
        &["on(mug_1, plate)"],
    );
}

#[test]
fn sides_are_those_of_the_speaker() {
    let answer = goal(json!(["left_of(blue_cube, plate)"]));
    let server = Server::scripted(words(&[answer.clone(), answer]));
    let model = model(&server, Provider::Custom);
    let mut reader = GoalReader::new(model, VlmOptions::default());
    let situation = situation("the azure die, might it go to the dish's left?");
    let request = PlanRequest {
        viewpoint: Viewpoint::From {
            position: [1.5, 0.0],
            look_at: [0.5, 0.0],
        },
        ..situation.request()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let plan = runtime.unwrap().block_on(reader.plan(&request)).unwrap();
    says(
        &plan.interpretation.join("\n"),
        &["right_of(blue_cube, plate)"],
    );
}

#[test]
fn a_person_who_is_asked_can_say_it_plainly() {
    let mut situation = situation(REWORDED);
    let question = "is `on(blue_cube, plate)` meant, or `on(red_cube, plate)`?";
    let answer = "put the blue cube on the plate";
    situation.answers = vec![(question.into(), answer.into())];
    let (plan, requests) = read_in(&situation, vec![]);
    says(
        &plan.unwrap().interpretation.join("\n"),
        &["on(blue_cube, plate)"],
    );
    assert_eq!(requests.len(), 0);
    // Anything else goes to the model, with the question.
    situation.answers[0].1 = "the blue one".into();
    let (plan, requests) = read_in(
        &situation,
        words(&[on("blue_cube", "plate"), on("blue_cube", "plate")]),
    );
    says(
        &plan.unwrap().interpretation.join("\n"),
        &["on(blue_cube, plate)"],
    );
    says(user(&requests[0]), &[question, "the blue one"]);
    // An answer after which the same is to be asked ends it.
    situation.answers[0].1 = "no".into();
    let (plan, _) = read_in(
        &situation,
        words(&[on("blue_cube", "plate"), on("red_cube", "plate")]),
    );
    says(&refused(plan, "Unrecognized"), &["answer `no`"]);
}

#[test]
fn what_is_not_seen_is_looked_for_where_the_model_has_no_goal() {
    let none = json!({ "outcome": "impossible", "facts": [], "why": "there is no mug" });
    let (plan, requests) = read("pick up the mug", &[none.clone(), none]);
    assert_eq!(calls(&plan.unwrap()), [r#"pick({"object":"mug"})"#]);
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_server_without_schemas_is_asked_without_one() {
    let refusal = Reply::error(400, "response_format json_schema is not supported");
    let answer = Reply::words(&on("blue_cube", "plate").to_string());
    let (plan, requests) = read_in(&situation(REWORDED), vec![refusal, answer.clone(), answer]);
    assert!(!plan.unwrap().steps.is_empty());
    let with_schema = requests
        .iter()
        .map(|it| it.body.get("response_format").is_some());
    assert_eq!(with_schema.collect::<Vec<_>>(), [true, false, false]);
    let options = VlmOptions {
        mode: Some(AnswerMode::Text),
        ..VlmOptions::default()
    };
    let server = Server::scripted(words(&[on("blue_cube", "plate"), on("blue_cube", "plate")]));
    let mut reader = GoalReader::new(model(&server, Provider::Custom), options);
    assert!(plan_of(&mut reader).is_ok());
    assert_eq!(server.received()[0].body.get("response_format"), None);
}

fn plan_of(reader: &mut GoalReader) -> Result<Plan, PlannerError> {
    plan(reader, &situation(REWORDED))
}

#[test]
fn a_model_that_is_not_there_is_no_misreading() {
    let (plan, _) = read_in(&situation(REWORDED), vec![Reply::error(500, "overloaded")]);
    refused(plan, "Transport");
    let (plan, _) = read_in(&situation(REWORDED), vec![Reply::error(401, "no such key")]);
    refused(plan, "Refused");
    let mut poor = situation(REWORDED);
    poor.tokens_left = Some(100);
    refused(read_in(&poor, vec![]).0, "OverBudget");
}

/// If the other planner is a model that plans by calls, it gets the text as a goal, which is then
/// checked.
#[test]
fn a_model_that_plans_by_calls_is_told_the_goal() {
    let answer = || Reply::words(&on("blue_cube", "plate").to_string());
    let server = Server::scripted(vec![answer(), answer(), good()]);
    let inner = VlmPlanner::new(model(&server, Provider::Custom), VlmOptions::default());
    let name = inner.name().to_owned();
    let reader = GoalReader::new(model(&server, Provider::Custom), VlmOptions::default());
    let mut reader = reader.with_planner(Box::new(inner));
    assert_eq!(reader.name(), name);
    let plan = plan_of(&mut reader).unwrap();
    assert_eq!(calls(&plan).len(), 2);
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
    let asked = data(&server.received()[2]);
    assert_eq!(asked["goal"][0]["goal"], "on(blue_cube, plate)");
}

/// Measured by our estimate, which includes the schema, although servers that enforce it do not
/// count it.
#[test]
fn a_request_is_short() {
    let colors = ["red", "green", "blue", "yellow", "white", "black"];
    let kinds = ["cube", "mug", "bowl", "bottle", "carton"];
    for (n_objects, most) in [(10, 700), (30, 1_200)] {
        let mut situation = situation(REWORDED);
        situation.percept.objects.truncate(1);
        let things = (1..n_objects).map(|i| {
            let (color, kind) = (colors[i % colors.len()], kinds[i % kinds.len()]);
            let at = [0.3 + 0.1 * (i % 6) as f64, 0.1 * (i / 6) as f64, 0.03];
            let thing = object(&format!("{color}_{kind}"), kind, [0.03; 3], at);
            PerceivedObject {
                color: Some(color.into()),
                ..thing
            }
        });
        situation.percept.objects.extend(things);
        assert_eq!(situation.percept.objects.len(), n_objects);
        let scales = Scales::default();
        let mut reader = GoalReader::new(Box::new(scales.clone()), VlmOptions::default());
        refused(plan(&mut reader, &situation), "Refused");
        let request = scales.take().unwrap();
        let tokens = request.estimated_tokens();
        assert!(
            tokens <= most,
            "{tokens} tokens for {n_objects} objects:\n{}",
            request.user
        );
    }
}
