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

/// Answer with these steps.
fn steps(steps: &[&str]) -> Value {
    let steps = steps.iter().map(|step| json!({ "part": "", "step": step }));
    let steps = steps.zip(1_u32..).map(|(step, n)| (n.to_string(), step));
    Value::Object(steps.collect())
}

fn on(a: &str, b: &str) -> Value {
    steps(&[&format!("put {a} on {b}")])
}

fn beside(a: &str, b: &str) -> Value {
    steps(&[&format!("put {a} beside {b}")])
}

/// Answer without a goal.
fn none(why: &str) -> Value {
    json!({ "1": { "part": "", "step": "nothing" }, "why": why })
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
    let schema = &requests[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(
        schema["properties"]["1"]["properties"]["part"]["const"],
        REWORDED
    );
    let step = &schema["properties"]["1"]["properties"]["step"];
    says(step["pattern"].as_str().unwrap(), &["plate", "left of"]);
    // What servers keep of a request for the next one is what they have in common.
    assert_eq!(system(&requests[0]), system(&requests[1]));
}

/// Words decide between two readings, and what only one of them adds is dropped, unless the text
/// names it.
#[test]
fn what_both_readings_have_counts_or_the_one_that_fits_the_words() {
    let more = |step: &str| steps(&["put blue_cube on plate", step]);
    let blue = || on("blue_cube", "plate");
    for (answers, goal) in [
        ([blue(), on("red_cube", "plate")], "on(blue_cube, plate)"),
        (
            [steps(&["hold blue_cube", "put blue_cube on plate"]), blue()],
            "on(blue_cube, plate)",
        ),
        ([on("red_cube", "plate"), blue()], "on(blue_cube, plate)"),
        (
            [more("put red_box on table"), blue()],
            "on(blue_cube, plate)",
        ),
        (
            [more("lift red_cube"), more("put plate on red_box")],
            "on(blue_cube, plate)",
        ),
        (
            [more("nothing"), more("put blue_cube beside plate")],
            "on(blue_cube, plate)",
        ),
        (
            [steps(&["put blue_cube and red_box on plate"]), blue()],
            "on(blue_cube, plate)",
        ),
    ] {
        let plan = read(REWORDED, &answers).0.unwrap();
        assert_eq!(plan.interpretation, [goal], "{answers:?}");
    }
    // The text names the vase, so the reading without it is not all, and the other one is not agreed.
    let mut scene = situation("have yonder azure die rest upon the dish, and the vase");
    let vase = object("vase", "vase", [0.03; 3], [0.5, 0.4, 0.03]);
    scene.percept.objects.push(vase);
    let both = steps(&["put blue_cube and vase on plate"]);
    let question =
        "is `on(blue_cube, plate)` meant, or `on(blue_cube, plate) then on(vase, plate)`?";
    asks(read_in(&scene, words(&[blue(), both])).0, question);
}

/// Each portion of a command has one step, in the command's order.
#[test]
fn portions_of_the_command_are_asked_for_one_by_one() {
    let text =
        "yonder azure die, pray, upon the dish and then the carmine box beside it. Thanks a bunch!";
    let (_, requests) = read(text, &[none("no"), none("no")]);
    let schema = &requests[0].body["response_format"]["json_schema"]["schema"];
    let portions = schema["required"].as_array().unwrap();
    let part =
        |n: &Value| &schema["properties"][n.as_str().unwrap()]["properties"]["part"]["const"];
    let portions: Vec<_> = portions.iter().map(part).collect();
    let cut = [
        "yonder azure die",
        "pray, upon the dish and",
        "then the carmine box beside it",
        "Thanks a bunch",
    ];
    assert_eq!(portions, cut);
    let long = "pray move it, ".repeat(20);
    let (_, requests) = read(&long, &[none("no"), none("no")]);
    let schema = &requests[0].body["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["required"].as_array().unwrap().len(), 9);
    let last = schema["properties"]["9"]["properties"]["part"]["const"]
        .as_str()
        .unwrap();
    assert_eq!(last.matches("move it").count(), 12);
}

#[test]
fn what_the_grammar_reads_is_not_asked() {
    let (plan, requests) = read("put the blue cube on the plate", &[]);
    assert!(!plan.unwrap().steps.is_empty());
    assert_eq!(requests.len(), 0);
}

#[test]
fn doubts_are_asked_and_what_is_no_goal_is_refused() {
    let unclear = none("which dish?");
    let held_after = || steps(&["put blue_cube on plate", "hold blue_cube"]);
    let around = || steps(&["put blue_cube on plate", "put plate on blue_cube"]);
    let twice = || steps(&["put blue_cube beside red_box", "put blue_cube on plate"]);
    for (text, answers, asked) in [
        (
            REWORDED,
            [on("blue_cube", "plate"), beside("blue_cube", "plate")],
            "is `on(blue_cube, plate)` meant, or `beside(blue_cube, plate)`?",
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
        (
            "have yonder azure die beside the carmine box rest upon the dish",
            [twice(), twice()],
            "is `beside(blue_cube, red_box) then on(blue_cube, plate)` meant? It brings blue_cube to two places",
        ),
        (
            "have yonder azure die rest upon the dish and the dish upon it",
            [around(), around()],
            "is `on(blue_cube, plate) then on(plate, blue_cube)` meant? blue_cube and plate would each be put by the other",
        ),
        (
            "put yonder azure die left of the dish, pray",
            [on("blue_cube", "plate"), on("blue_cube", "plate")],
            "is `on(blue_cube, plate)` meant? The command says `left`",
        ),
        (
            "yonder azure die upon the dish, then hold it, pray",
            [held_after(), held_after()],
            "is `on(blue_cube, plate) then holding(blue_cube)` meant? It brings blue_cube to two places",
        ),
        (
            "let the dish rest on yonder table",
            [on("plate", "table"), on("plate", "table")],
            "is `on(plate, table)` meant? It holds already",
        ),
    ] {
        asks(read(text, &answers).0, asked);
    }
    for (answer, told) in [
        (unclear, "which dish?"),
        (on("blue_cube", "blue_cube"), "itself"),
        (on("blue_cube", "vase"), "vase"),
        (steps(&["put plate on"]), "`put plate on`, but"),
        (steps(&["destroy plate"]), "`destroy plate`, but"),
        (none(""), "no goal"),
        (json!("put it there"), "no goal"),
        (none("no arm can"), "no arm can"),
    ] {
        let plan = read(REWORDED, &[answer.clone(), answer]).0;
        says(&refused(plan, "Unrecognized"), &[told]);
    }
}

/// A model that knows no schema may answer in words of its own. If they are ambiguous to the
/// grammar, the person is asked.
#[test]
fn steps_in_other_words_are_read_by_the_grammar() {
    let plain = || steps(&["put the blue cube on the plate"]);
    let plan = read(REWORDED, &[plain(), on("blue_cube", "plate")])
        .0
        .unwrap();
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
    let vague = || steps(&["put the cube on the plate"]);
    let plan = read(REWORDED, &[vague(), vague()]).0.unwrap();
    says(
        plan.question.as_deref().unwrap(),
        &["red_cube", "blue_cube"],
    );
}

#[test]
fn steps_keep_their_order_and_what_holds_already_is_none() {
    let more = steps(&["put plate on table", "put blue_cube on plate"]);
    let plan = read(REWORDED, &[more, on("blue_cube", "plate")]).0.unwrap();
    says(&plan.interpretation.join("\n"), &["on(blue_cube, plate)"]);
    let text = "yonder azure die upon the dish, pray, and the carmine box beside the former";
    let both = || steps(&["put blue_cube on plate", "put red_box beside blue_cube"]);
    let plan = read(text, &[both(), both()]).0.unwrap();
    let goal = "on(blue_cube, plate) then beside(red_box, blue_cube)";
    says(&plan.interpretation.join("\n"), &[goal]);
}

#[test]
fn an_object_that_the_model_leaves_out_is_asked_about() {
    let mut scene = situation("yonder azure die upon the dish, pray, and the vase beside it");
    let vase = object("vase", "vase", [0.03; 3], [0.5, 0.4, 0.03]);
    scene.percept.objects.push(vase);
    let answer = || on("blue_cube", "plate");
    let question = "is `on(blue_cube, plate)` all? The command names vase, too";
    asks(read_in(&scene, words(&[answer(), answer()])).0, question);
}

/// The model may not choose between two objects of one name, unless the text tells them apart by
/// what they stand on or near.
#[test]
fn twins_are_told_apart_by_their_surroundings_and_not_by_the_model() {
    for (text, question) in [
        (
            "let yonder mug repose upon the dish",
            Some("is mug_1 meant, or mug_2?"),
        ),
        (
            "let yonder mug by the dish repose upon it",
            Some("is mug_1 meant, or mug_2?"),
        ),
        ("let yonder mug by the vase repose upon the dish", None),
    ] {
        let mut scene = situation(text);
        let things = [
            ("mug_1", "mug", 0.35),
            ("vase", "vase", 0.42),
            ("mug_2", "mug", -0.4),
        ];
        for (id, kind, y) in things {
            let thing = object(id, kind, [0.03; 3], [0.5, y, 0.03]);
            scene.percept.objects.push(thing);
        }
        let plan = read_in(&scene, words(&[on("mug_1", "plate"), on("mug_1", "plate")])).0;
        match question {
            Some(question) => asks(plan, question),
            None => says(
                &plan.unwrap().interpretation.join("\n"),
                &["on(mug_1, plate)"],
            ),
        }
    }
}

#[test]
fn sides_are_those_of_the_speaker() {
    let answer = steps(&["put blue_cube left of plate"]);
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
    let only = "is `on(blue_cube, plate)` meant? It holds already";
    for (question, answer, goal) in [
        (
            question,
            "put the blue cube on the plate",
            "on(blue_cube, plate)",
        ),
        (question, "the second one, please", "on(red_cube, plate)"),
        (question, "das erste", "on(blue_cube, plate)"),
        (only, "Yes, that's it.", "on(blue_cube, plate)"),
        (only, "ja genau", "on(blue_cube, plate)"),
        (only, "ok", "on(blue_cube, plate)"),
    ] {
        situation.answers = vec![(question.into(), answer.into())];
        let (plan, requests) = read_in(&situation, vec![]);
        says(&plan.unwrap().interpretation.join("\n"), &[goal]);
        assert_eq!(requests.len(), 0, "{answer}");
    }
    situation.answers = vec![(question.into(), String::new())];
    // Anything else goes to the model, with the question; also `yes` to one of two.
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
    let question = "is `on(blue_cube, plate)` meant, or `beside(blue_cube, plate)`?";
    situation.answers = vec![(question.into(), "no".into())];
    let (plan, _) = read_in(
        &situation,
        words(&[on("blue_cube", "plate"), beside("blue_cube", "plate")]),
    );
    says(&refused(plan, "Unrecognized"), &["answer `no`"]);
}

#[test]
fn what_is_not_seen_is_looked_for_where_the_model_has_no_goal() {
    let none = || none("there is no mug");
    let (plan, requests) = read("pick up the mug", &[none(), none()]);
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
