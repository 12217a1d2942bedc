//! Texts that the grammar does not understand are read as goals by a model.

use std::sync::Arc;

use regrasp_api::{PerceivedObject, Plan, PlanRequest, Planner, PlannerError, Reason, Viewpoint};
use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_chat::{AnswerMode, Provider, Scales};
use regrasp_llm_planner::{GoalReader, VlmOptions, VlmPlanner};
use regrasp_testkit::{rows, says};
use serde_json::{Value, json};

use crate::scene::{Situation, object};
use crate::{Asked, calls, data, good, model, plan, plan_for, refused, system, user};

fn situation(text: &str) -> Situation {
    let mut situation = Situation::new();
    text.clone_into(&mut situation.task);
    let small = object("red_box", "cube", [0.02; 3], [0.3, -0.3, 0.02]);
    situation.percept.objects.push(small);
    situation
}

/// Plans in a situation with these replies. Returns the plan and the received requests.
fn read_in(situation: &Situation, replies: Vec<Reply>) -> Asked {
    let server = Server::scripted(replies);
    let model = model(&server, Provider::Custom);
    let mut reader = GoalReader::new(model, VlmOptions::default());
    (plan(&mut reader, situation), server.received())
}

/// Plans for a text with both readings of a model. Returns the plan and the received requests.
fn read(text: &str, readings: &str) -> Asked {
    read_in(&situation(text), replies(readings))
}

/// Returns the replies for two readings separated by `or`, or twice the reply for one reading.
fn replies(readings: &str) -> Vec<Reply> {
    let (first, second) = readings.split_once(" or ").unwrap_or((readings, readings));
    vec![reply(first), reply(second)]
}

/// Returns a reply with steps, separated by semicolons, and with the reason after `because`.
fn reply(said: &str) -> Reply {
    let (steps, why) = said.split_once(" because ").unwrap_or((said, ""));
    let steps = steps.split("; ").zip(1_u32..).map(|(step, n)| {
        let part = json!({ "part": "", "step": step });
        (n.to_string(), part)
    });
    let why = ("why".to_owned(), json!(why));
    Reply::words(&Value::from_iter(steps.chain([why])).to_string())
}

fn schema_of(request: &Received) -> &Value {
    &request.body["response_format"]["json_schema"]["schema"]
}

/// Adds a vase to a scene, far from everything else.
fn with_vase(mut scene: Situation) -> Situation {
    let vase = object("vase", "vase", [0.03; 3], [0.5, 0.4, 0.03]);
    scene.percept.objects.push(vase);
    scene
}

#[track_caller]
fn means(plan: Result<Plan, PlannerError>, goal: &str) {
    says(&plan.unwrap().interpretation.join("\n"), &[goal]);
}

#[track_caller]
fn asks(plan: Result<Plan, PlannerError>, question: &str) {
    let plan = plan.unwrap();
    assert_eq!(plan.question.as_deref(), Some(question));
    assert_eq!(plan.unclear, Some(Reason::AmbiguousCommand));
    assert!(plan.steps.is_empty());
}

const REWORDED: &str = "kindly have yonder azure die rest upon the dish";
/// Step and goal of [`REWORDED`].
const STEP: &str = "put blue_cube on plate";
const GOAL: &str = "on(blue_cube, plate)";

#[test]
fn two_equal_goals_are_planned_for() {
    let (plan, requests) = read(REWORDED, STEP);
    let plan = plan.unwrap();
    assert_eq!(calls(&plan)[0], r#"pick({"object":"blue_cube"})"#);
    assert_eq!((plan.tokens, requests.len()), (240, 2));
    means(Ok(plan), GOAL);
    let listed = requests.iter().map(|request| {
        let text = user(request);
        text.find("blue_cube").unwrap() < text.find("red_box").unwrap()
    });
    let is_turned = listed.eq([true, false]);
    assert!(is_turned, "the second request has the reverse order");
    let portion = &schema_of(&requests[0])["properties"]["1"]["properties"];
    assert_eq!(portion["part"]["const"], REWORDED);
    let pattern = portion["step"]["pattern"].as_str().unwrap();
    says(pattern, &["plate", "left of"]);
    // Servers keep the common beginning of consecutive requests in their cache.
    assert_eq!(system(&requests[0]), system(&requests[1]));
}

/// The words of the text decide between two readings. Steps that only one reading has are dropped,
/// unless the text names their objects.
#[test]
fn what_both_readings_have_counts_or_the_one_that_fits_the_words() {
    for readings in [
        "put blue_cube on plate or put red_cube on plate",
        "hold blue_cube; put blue_cube on plate or put blue_cube on plate",
        "put red_cube on plate or put blue_cube on plate",
        "put blue_cube on plate; put red_box on table or put blue_cube on plate",
        "put blue_cube on plate; lift red_cube or put blue_cube on plate; put plate on red_box",
        "put blue_cube on plate; nothing or put blue_cube on plate; put blue_cube beside plate",
        "put blue_cube and red_box on plate or put blue_cube on plate",
    ] {
        let plan = read(REWORDED, readings).0.unwrap();
        assert_eq!(plan.interpretation, [GOAL], "{readings}");
    }
    // The text names the vase, so the reading without it is incomplete; only one reading has it.
    let scene = with_vase(situation(
        "have yonder azure die rest upon the dish, and the vase",
    ));
    let readings = "put blue_cube on plate or put blue_cube and vase on plate";
    let question =
        "is `on(blue_cube, plate)` meant, or `on(blue_cube, plate) then on(vase, plate)`?";
    asks(read_in(&scene, replies(readings)).0, question);
}

/// Each portion of a command has one step, in the command's order.
#[test]
fn portions_of_the_command_are_asked_for_one_by_one() {
    let text =
        "yonder azure die, pray, upon the dish and then the carmine box beside it. Thanks a bunch!";
    let portions = |text: &str| {
        let (_, requests) = read(text, "nothing because no");
        let schema = schema_of(&requests[0]);
        let keys = schema["required"].as_array().unwrap().iter();
        let parts = keys.map(|n| &schema["properties"][n.as_str().unwrap()]["properties"]["part"]);
        let parts = parts.map(|part| part["const"].as_str().unwrap().to_owned());
        parts.collect::<Vec<_>>()
    };
    let cut = [
        "yonder azure die",
        "pray, upon the dish and",
        "then the carmine box beside it",
        "Thanks a bunch",
    ];
    assert_eq!(portions(text), cut);
    let long = portions(&"pray move it, ".repeat(20));
    assert_eq!(long.len(), 9);
    assert_eq!(long[8].matches("move it").count(), 12);
}

#[test]
fn what_the_grammar_reads_is_not_asked() {
    let situation = situation("put the blue cube on the plate");
    let (plan, requests) = read_in(&situation, vec![]);
    assert!(!plan.unwrap().steps.is_empty());
    assert_eq!(requests.len(), 0);
}

#[test]
fn doubts_are_asked_and_what_is_no_goal_is_refused() {
    let questions = "\
        kindly have yonder azure die rest upon the dish
        put blue_cube on plate or put blue_cube beside plate
        is `on(blue_cube, plate)` meant, or `beside(blue_cube, plate)`?

        have the red box rest upon yonder dish
        put blue_cube on plate
        is blue_cube meant, or red_box?

        kindly have yonder azure die rest upon the dish
        put blue_cube on plate or nothing because which dish?
        is `on(blue_cube, plate)` meant?

        make me a cup of tea
        put blue_cube on plate
        is `on(blue_cube, plate)` meant? No word of the command means blue_cube

        have yonder azure die beside the carmine box rest upon the dish
        put blue_cube beside red_box; put blue_cube on plate
        is `beside(blue_cube, red_box) then on(blue_cube, plate)` meant? It brings blue_cube to two places

        have yonder azure die rest upon the dish and the dish upon it
        put blue_cube on plate; put plate on blue_cube
        is `on(blue_cube, plate) then on(plate, blue_cube)` meant? It puts both blue_cube and plate relative to each other

        put yonder azure die left of the dish, pray
        put blue_cube on plate
        is `on(blue_cube, plate)` meant? The command says `left`

        yonder azure die upon the dish, then hold it, pray
        put blue_cube on plate; hold blue_cube
        is `on(blue_cube, plate) then holding(blue_cube)` meant? It brings blue_cube to two places

        let the dish rest on yonder table
        put plate on table
        is `on(plate, table)` meant? It holds already";
    for case in questions.split("\n\n") {
        let lines: Vec<&str> = case.lines().map(str::trim).collect();
        let [text, readings, question] = lines[..] else {
            panic!("expected three lines: {case}");
        };
        asks(read(text, readings).0, question);
    }
    for [reading, told] in rows(
        "nothing because which dish?  | which dish?
         put blue_cube on blue_cube   | itself
         put blue_cube on vase        | vase
         put plate on                 | `put plate on`, but
         destroy plate                | `destroy plate`, but
         nothing                      | no goal
         nothing because no arm can   | no arm can",
    ) {
        let plan = read(REWORDED, &reading).0;
        says(&refused(plan, "Unrecognized"), &[&told]);
    }
    let no_answer = vec![Reply::words("\"put it there\""); 2];
    let plan = read_in(&situation(REWORDED), no_answer).0;
    says(&refused(plan, "Unrecognized"), &["not a goal"]);
}

/// A model that knows no schema may answer in words of its own. If they are ambiguous to the
/// grammar, the person is asked.
#[test]
fn steps_in_other_words_are_read_by_the_grammar() {
    let plain = "put the blue cube on the plate or put blue_cube on plate";
    means(read(REWORDED, plain).0, GOAL);
    let plan = read(REWORDED, "put the cube on the plate").0.unwrap();
    let question = plan.question.as_deref().unwrap();
    says(question, &["red_cube", "blue_cube"]);
}

#[test]
fn steps_keep_their_order_and_what_holds_already_is_none() {
    let more = "put plate on table; put blue_cube on plate or put blue_cube on plate";
    means(read(REWORDED, more).0, GOAL);
    let text = "yonder azure die upon the dish, pray, and the carmine box beside the former";
    let both = "put blue_cube on plate; put red_box beside blue_cube";
    let goal = "on(blue_cube, plate) then beside(red_box, blue_cube)";
    means(read(text, both).0, goal);
}

#[test]
fn an_object_that_the_model_leaves_out_is_asked_about() {
    let text = "yonder azure die upon the dish, pray, and the vase beside it";
    let question = "is `on(blue_cube, plate)` all of it? The command names vase, too";
    asks(
        read_in(&with_vase(situation(text)), replies(STEP)).0,
        question,
    );
}

/// The model may not choose between two objects of one name, unless the text tells them apart by
/// what they stand on or near.
#[test]
fn twins_are_told_apart_by_their_surroundings_and_not_by_the_model() {
    let which = "is mug_1 meant, or mug_2?";
    for (text, question) in [
        ("let yonder mug repose upon the dish", Some(which)),
        ("let yonder mug by the dish repose upon it", Some(which)),
        ("let yonder mug by the vase repose upon the dish", None),
    ] {
        let mut scene = situation(text);
        for (id, kind, y) in [
            ("mug_1", "mug", 0.35),
            ("vase", "vase", 0.42),
            ("mug_2", "mug", -0.4),
        ] {
            let thing = object(id, kind, [0.03; 3], [0.5, y, 0.03]);
            scene.percept.objects.push(thing);
        }
        let plan = read_in(&scene, replies("put mug_1 on plate")).0;
        match question {
            Some(question) => asks(plan, question),
            None => means(plan, "on(mug_1, plate)"),
        }
    }
}

#[test]
fn sides_are_those_of_the_speaker() {
    let server = Server::scripted(replies("put blue_cube left of plate"));
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
    means(
        plan_for(&mut reader, &request),
        "right_of(blue_cube, plate)",
    );
}

#[test]
fn a_person_who_is_asked_can_say_it_plainly() {
    let mut situation = situation(REWORDED);
    let question = "is `on(blue_cube, plate)` meant, or `on(red_cube, plate)`?";
    let only = "is `on(blue_cube, plate)` meant? It holds already";
    for (question, answer, goal) in [
        (question, "put the blue cube on the plate", GOAL),
        (question, "the second one, please", "on(red_cube, plate)"),
        (question, "das erste", GOAL),
        (only, "Yes, that's it.", GOAL),
        (only, "ja genau", GOAL),
        (only, "ok", GOAL),
    ] {
        situation.answers = vec![(question.into(), answer.into())];
        let (plan, requests) = read_in(&situation, vec![]);
        means(plan, goal);
        assert_eq!(requests.len(), 0, "{answer}");
    }
    // Any other answer goes to the model, together with the question.
    situation.answers = vec![(question.into(), "the blue one".into())];
    let (plan, requests) = read_in(&situation, replies(STEP));
    means(plan, GOAL);
    says(user(&requests[0]), &[question, "the blue one"]);
    // An answer after which the same question would follow ends the dialogue.
    let question = "is `on(blue_cube, plate)` meant, or `beside(blue_cube, plate)`?";
    situation.answers = vec![(question.into(), "no".into())];
    let readings = "put blue_cube on plate or put blue_cube beside plate";
    let (plan, _) = read_in(&situation, replies(readings));
    says(&refused(plan, "Unrecognized"), &["answer `no`"]);
}

#[test]
fn what_is_not_seen_is_looked_for_where_the_model_has_no_goal() {
    let (plan, requests) = read("pick up the mug", "nothing because there is no mug");
    assert_eq!(calls(&plan.unwrap()), [r#"pick({"object":"mug"})"#]);
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_server_without_schemas_is_asked_without_one() {
    let no_schema = Reply::error(400, "response_format json_schema is not supported");
    let answers = vec![no_schema.clone(), reply(STEP), reply(STEP)];
    let (plan, requests) = read_in(&situation(REWORDED), answers);
    assert!(!plan.unwrap().steps.is_empty());
    let mut formats = requests.iter().map(|it| it.body.get("response_format"));
    let with_schema = [(); 3].map(|()| formats.next().unwrap().is_some());
    assert_eq!(with_schema, [true, false, false]);
    let in_mode = |mode, replies| {
        let options = VlmOptions {
            mode: Some(mode),
            ..VlmOptions::default()
        };
        let server = Server::scripted(replies);
        let mut reader = GoalReader::new(model(&server, Provider::Custom), options);
        (plan_of(&mut reader), server.received())
    };
    let (plan, requests) = in_mode(AnswerMode::Text, replies(STEP));
    assert!(plan.is_ok());
    assert_eq!(requests[0].body.get("response_format"), None);
    // A mode that the user chose is not changed.
    refused(in_mode(AnswerMode::Schema, vec![no_schema]).0, "Refused");
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
    let refusal = Reply::ok(json!({ "choices": [{ "finish_reason": "stop",
        "message": { "content": null, "refusal": "I cannot help with cubes." } }] }));
    let detail = refused(read_in(&situation(REWORDED), vec![refusal]).0, "Unusable");
    says(&detail, &["cannot help with cubes"]);
    let mut poor = situation(REWORDED);
    poor.tokens_left = Some(100);
    refused(read_in(&poor, vec![]).0, "OverBudget");
}

/// A planner that is a model and plans by calls gets the text as a goal, which is then checked.
#[test]
fn a_model_that_plans_by_calls_is_told_the_goal() {
    let server = Server::scripted(vec![reply(STEP), reply(STEP), good()]);
    let inner = VlmPlanner::new(model(&server, Provider::Custom), VlmOptions::default());
    let name = inner.name().to_owned();
    let reader = GoalReader::new(model(&server, Provider::Custom), VlmOptions::default());
    let mut reader = reader.with_planner(Box::new(inner));
    assert_eq!(reader.name(), name);
    let plan = plan_of(&mut reader).unwrap();
    assert_eq!(calls(&plan).len(), 2);
    means(Ok(plan), GOAL);
    let asked = data(&server.received()[2]);
    assert_eq!(asked["goal"][0]["goal"], GOAL);
}

/// Tokens by our estimate, which includes the schema, unlike the count of servers that enforce it.
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
        let mut reader = GoalReader::new(Arc::new(scales.clone()), VlmOptions::default());
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
