//! Correct answers become correct plans, whatever their format.

use nalgebra::Vector3;
use regrasp_api::{
    CameraView, CompletedStep, Failure, Goal, ImageSource, Intrinsics, Observation, PastCase,
    Percept, PerceptionError, Phase, PriorAttempt, Reason, RepairPlan, SceneImage, SkillCall,
    SkillResult, Trigger, looking_at,
};
use regrasp_chat::Provider;
use regrasp_chat::testing::{Reply, Server};
use regrasp_llm_planner::{PlanningStyle, VlmOptions, VlmPlanner};
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::scene::Situation;
use crate::{
    ask, ask_with, calls, data, good, good_calls, plan, planner, request_in, system, user, usual,
};

fn completion(tool_calls: Vec<Value>, finish_reason: &str) -> Reply {
    Reply::ok(json!({ "choices": [{
        "finish_reason": finish_reason,
        "message": { "role": "assistant", "content": "", "tool_calls": tool_calls },
    }] }))
}

/// The same plan in the formats of seven servers.
fn shapes() -> Vec<(&'static str, Provider, Reply)> {
    let each = |shape: fn(usize, &str, &Value) -> Value| -> Vec<Value> {
        let calls = good_calls();
        let calls = calls.iter().enumerate();
        calls
            .map(|(idx, (name, args))| shape(idx, name, args))
            .collect()
    };
    fn called(idx: usize, name: &str, args: &Value) -> Value {
        json!({ "id": format!("call_{idx}"), "type": "function",
                "function": { "name": name, "arguments": args.to_string() } })
    }
    let with_string = each(called);
    let with_object =
        each(|_, name, args| json!({ "function": { "name": name, "arguments": args } }));
    let without_ids = each(|_, name, args| {
        json!({ "id": "", "type": "function", "extra_content": { "google": { "x": 1 } },
                "function": { "name": name, "arguments": args.to_string() } })
    });
    let blocks = each(
        |idx, name, args| json!({ "type": "tool_use", "id": format!("toolu_{idx}"), "name": name, "input": args }),
    );
    let strict = each(|idx, name, args| {
        let mut args = args.clone();
        if name == "pick" {
            args["force_n"] = Value::Null;
            args["then"] = Value::Null;
        }
        called(idx, name, &args)
    });
    let router = Reply::ok(json!({ "provider": "Somebody", "choices": [{
        "finish_reason": "tool_calls", "native_finish_reason": "STOP",
        "message": { "content": null, "refusal": null, "reasoning": "hm", "tool_calls": with_string },
    }], "usage": { "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.001 } }));
    let messages = Reply::ok(json!({ "type": "message", "stop_reason": "tool_use",
        "content": blocks, "usage": { "input_tokens": 10, "output_tokens": 5 } }));
    let vllm = completion(with_string.clone(), "stop");
    let llama = completion(with_string, "tool_calls");
    vec![
        ("OpenAI", Provider::OpenAi, completion(strict, "tool_calls")),
        ("Ollama", Provider::Ollama, completion(with_object, "stop")),
        ("vLLM", Provider::Custom, vllm),
        ("llama.cpp", Provider::Custom, llama),
        ("Gemini", Provider::Custom, completion(without_ids, "stop")),
        ("OpenRouter", Provider::Custom, router),
        ("Anthropic", Provider::Anthropic, messages),
    ]
}

fn on_the_plate() -> Goal {
    Goal::On {
        object: "blue_cube".into(),
        target: "plate".into(),
    }
}

#[test]
fn every_servers_shape_gives_the_same_plan() {
    for (name, provider, reply) in shapes() {
        let server = Server::scripted(vec![reply]);
        let mut planner = planner(&server, provider, VlmOptions::default());
        let plan = plan(&mut planner, &Situation::new()).unwrap();
        let expected = [
            r#"pick({"object":"blue_cube"})"#,
            r#"place_on({"target":"plate"})"#,
        ];
        assert_eq!(calls(&plan), expected, "{name}");
        assert!(plan.done && plan.achievable, "{name}");
        let answer = plan.final_answer.as_deref();
        assert_eq!(answer, Some("the blue cube is on the plate"));
        assert_eq!(plan.goals, [on_the_plate()], "{name}");
        assert!(plan.tokens > 0, "{name}");
    }
}

#[test]
fn the_three_ways_to_end() {
    let answer = |name: &str, args: Value| {
        let reply = Reply::calls(&[(name, args)]);
        ask(vec![reply]).0.unwrap()
    };
    let plan = answer("infeasible", json!({ "explanation": "0.2 m out of reach" }));
    assert!(!plan.achievable);
    assert_eq!(plan.explanation.as_deref(), Some("0.2 m out of reach"));
    let plan = answer("ask_user", json!({ "question": "Which cube?" }));
    assert_eq!(plan.question.as_deref(), Some("Which cube?"));
    let plan = answer("done", json!({ "answer": "it was done before" }));
    assert!(plan.done && plan.steps.is_empty());
}

#[test]
fn a_round_is_a_plan_that_is_not_done() {
    let reply = Reply::calls(&good_calls()[..1]);
    let options = VlmOptions {
        style: PlanningStyle::Rounds,
        ..VlmOptions::default()
    };
    let (plan, received) = ask_with(vec![reply], options, &Situation::new());
    let plan = plan.unwrap();
    assert_eq!((plan.steps.len(), plan.done), (1, false));
    assert!(system(&received[0]).contains("only the next calls"));
    let whole = request_in(&Situation::new());
    let words = "everything that is left of the task in one answer";
    assert!(system(&whole).contains(words));
}

/// A pick that failed because an object lies on the cube.
fn covered() -> PriorAttempt {
    let call = SkillCall::new("pick", json!({ "object": "red_cube" }));
    let failure = Failure::new(
        Reason::ObjectCovered,
        "blue_cube on top of red_cube; take it off first",
    )
    .in_phase(Phase::Precondition)
    .about(["blue_cube".into()])
    .measured("overlap", 0.031, Some(0.0), "m")
    .hint("take blue_cube off first");
    let mut attempt = PriorAttempt::new(0, &call, SkillResult::from(failure));
    attempt.reflection.root_cause = "something lies on it".into();
    attempt
}

#[test]
fn a_request_holds_everything_that_is_known() {
    let mut situation = Situation::new();
    situation.trigger = Trigger::StepFailed {
        step_idx: 0,
        reason: Reason::ObjectCovered,
    };
    situation.attempts = vec![covered()];
    let done = SkillCall::new("home", json!({}));
    let mut result = SkillResult::from(Failure::new(Reason::Cancelled, "at home within 0.001 rad"));
    result.success = true;
    situation.completed = vec![CompletedStep {
        step_idx: 0,
        call: done,
        result,
    }];
    situation.past_cases = vec![PastCase {
        reason: Reason::ObjectCovered,
        skill: "pick".into(),
        task: "put the green cube on the plate".into(),
        fix: "pick red_cube, place_at".into(),
        n_tried: 4,
        n_worked: 3,
    }];
    situation.answers = vec![("Which plate?".into(), "the only one there is".into())];
    let request = request_in(&situation);
    let text = user(&request);
    let task = "put the blue cube on the plate";
    let rule = "Do not make it again unchanged";
    says(text, &[task, "the only one there is", rule]);
    let data = data(&request);
    let failure = json!({
        "skill": "pick",
        "arguments": { "object": "red_cube" },
        "reason": "object_covered",
        "detail": "blue_cube on top of red_cube; take it off first",
        "measured": [{ "name": "overlap", "value": 0.031, "limit": 0.0, "unit": "m" }],
        "hints": ["take blue_cube off first"],
        "about": ["blue_cube"],
        "cause": "something lies on it",
    });
    assert_eq!(data["failures"][0], failure);
    assert_eq!(data["completed"][0]["result"], "at home within 0.001 rad");
    assert_eq!(data["similar_cases"][0]["times_it_helped"], 3);
    let blue = &data["objects"][2];
    assert_eq!(blue["at"], json!([0.4, 0.1, 0.06]));
    assert_eq!(blue["size"], json!([0.04, 0.04, 0.04]));
    assert_eq!(blue["on"], json!(["red_cube"]));
    assert_eq!(blue.get("carries"), None);
    assert_eq!(data["objects"][1]["carries"], json!(["blue_cube"]));
    assert_eq!(data["robot"]["holding"], Value::Null);
}

#[test]
fn the_goal_so_far_is_told_with_whether_it_holds() {
    let server = Server::scripted(vec![good()]);
    let mut planner = usual(&server);
    let mut situation = Situation::new();
    situation.task = "sort this out as we agreed".into();
    plan(&mut planner, &situation).unwrap();
    situation.trigger = Trigger::NextRound;
    plan(&mut planner, &situation).unwrap();
    // A saved run continues in another process.
    let mut other = usual(&server);
    regrasp_api::Planner::restore(&mut other, &regrasp_api::Planner::save(&planner));
    plan(&mut other, &situation).unwrap();
    situation.trigger = Trigger::Start;
    plan(&mut other, &situation).unwrap();
    let received = server.received();
    let goal = |n: usize| data(&received[n]).get("goal").cloned();
    assert_eq!(goal(0), None, "no goal is known yet");
    for request in &received[1..3] {
        let goal = &data(request)["goal"][0];
        assert_eq!(goal["goal"], "on(blue_cube, plate)");
        assert_eq!(goal["holds"], false);
        let why_not = goal["why_not"].as_str().unwrap();
        let begins = "blue_cube does not rest on plate: ";
        assert!(why_not.starts_with(begins), "{why_not}");
    }
    assert_eq!(goal(3), None, "another episode has another goal");
}

/// A camera 0.8 m above a point, rotated by 90 degrees about the vertical.
fn top() -> CameraView {
    let (from, to) = (Vector3::new(0.5, 0.1, 0.8), Vector3::new(0.5, 0.1, 0.0));
    CameraView {
        name: "top".into(),
        intrinsics: Intrinsics::from_vertical_fov(640, 480, 0.8),
        world_from_camera: looking_at(&from, &to, &Vector3::y()).unwrap(),
    }
}

struct Picture(Vec<u8>);

impl ImageSource for Picture {
    fn images(&mut self, _: &Observation, _: &Percept) -> Result<Vec<SceneImage>, PerceptionError> {
        Ok(vec![SceneImage {
            view: top(),
            png: self.0.clone(),
            marks: [(7, "plate".into())].into(),
        }])
    }
}

#[test]
fn the_picture_arrives_and_its_marks_are_told() {
    use base64::Engine;
    // Not every byte is valid text, and none may be lost.
    let png: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let server = Server::scripted(vec![good()]);
    let mut planner = usual(&server).with_images(Box::new(Picture(png.clone())));
    plan(&mut planner, &Situation::new()).unwrap();
    let received = &server.received()[0];
    let parts = &received.body["messages"][1]["content"];
    let caption = parts[1]["text"].as_str().unwrap();
    says(caption, &["`top`", "mark"]);
    let url = parts[2]["image_url"]["url"].as_str().unwrap();
    let part = url.strip_prefix("data:image/png;base64,").unwrap();
    let arrived = base64::engine::general_purpose::STANDARD.decode(part);
    assert_eq!(arrived.unwrap(), png);
    let data = data(received);
    assert_eq!(data["objects"][3]["mark"], 7);
    let camera = &data["cameras"][0];
    assert_eq!(camera["name"], "top");
    assert_eq!(camera["width"], 640);
    assert_eq!(camera["cx"], 319.5);
    // Right in the picture is forward in World, and down is to the right of the robot.
    let rows = json!([
        [1.0, 0.0, 0.0, 0.5],
        [0.0, -1.0, 0.0, 0.1],
        [0.0, 0.0, -1.0, 0.8]
    ]);
    assert_eq!(camera["world_from_camera"], rows);
    assert!(data["camera_convention"].is_string());
}

fn with_picture(server: &Server, options: VlmOptions) -> VlmPlanner {
    let picture = Box::new(Picture(vec![1, 2, 3]));
    planner(server, Provider::Custom, options).with_images(picture)
}

fn needs_images() -> VlmOptions {
    VlmOptions {
        needs_images: true,
        ..VlmOptions::default()
    }
}

#[test]
fn a_model_without_eyes_is_asked_in_words_unless_eyes_are_needed() {
    let blind = || {
        let said = "image input is not supported - you may need to provide the mmproj";
        Server::new(
            move |_, request| match request.body["messages"][1]["content"].is_array() {
                true => Reply::error(500, said),
                false => good(),
            },
        )
    };
    let server = blind();
    let mut asked = with_picture(&server, VlmOptions::default());
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert!(plan(&mut asked, &Situation::new()).is_ok());
    assert_eq!(server.received().len(), 3, "only one try with a picture");
    let server = blind();
    let made = plan(
        &mut with_picture(&server, needs_images()),
        &Situation::new(),
    );
    let error = made.unwrap_err().to_string();
    assert!(error.contains("use images with this model"), "{error}");
    assert_eq!(server.received().len(), 1);
}

/// The window of a local server may have room for the text but not for a picture.
#[test]
fn a_picture_for_which_the_window_has_no_room_is_left_out_with_its_caption() {
    for (window, n_images) in [(1_600, 0), (4_000, 1)] {
        let server = Server::scripted(vec![good()]).with_window(window);
        let mut asked = with_picture(&server, VlmOptions::default());
        plan(&mut asked, &Situation::new()).unwrap();
        let received = &server.received()[0];
        let content = &received.body["messages"][1]["content"];
        let parts = content.as_array().map_or(0, Vec::len);
        assert_eq!(parts, 3 * n_images, "{window}: words, caption, picture");
        let told = data(received);
        assert_eq!(told["cameras"].is_array(), n_images > 0, "{window}");
    }
    let server = Server::scripted(vec![good()]).with_window(1_600);
    let mut asked = with_picture(&server, needs_images());
    let error = plan(&mut asked, &Situation::new()).unwrap_err();
    assert!(error.to_string().contains("window has 1600"), "{error}");
}

/// The grammar reads the task before the model does. The grammar's goals are in every request, and
/// are checked whatever the model answers.
#[test]
fn a_task_that_the_grammar_understands_has_its_goal_from_there() {
    let without = Reply::calls(&[("done", json!({ "answer": "all is done" }))]);
    let (made, received) = ask(vec![without]);
    let made = made.unwrap();
    assert_eq!(made.goals, [on_the_plate()]);
    assert_eq!(made.interpretation[0], "on(blue_cube, plate)");
    assert_eq!(data(&received[0])["goal"][0]["holds"], false);
}

#[test]
fn a_goal_instead_of_calls_is_planned_for() {
    let answer = Reply::calls(&[("achieve", json!({ "goal": "on(blue_cube, plate)" }))]);
    let made = ask(vec![answer]).0.unwrap();
    let calls = calls(&made);
    assert!(calls[0].starts_with("pick("), "{calls:?}");
    assert!(calls[1].starts_with("place_on("), "{calls:?}");
    assert!(made.done && made.achievable);
}

/// At temperature 0, the same request gives the same answer.
#[test]
fn nothing_is_asked_twice_in_the_same_words() {
    let server = Server::scripted(vec![good()]);
    let mut planner = usual(&server);
    let mut situation = Situation::new();
    plan(&mut planner, &situation).unwrap();
    situation.trigger = Trigger::NextRound;
    for _ in 0..3 {
        plan(&mut planner, &situation).unwrap();
    }
    let received = server.received();
    let asked: std::collections::BTreeSet<_> = received.iter().map(user).collect();
    assert_eq!(asked.len(), 4);
    // Small models follow the last lines.
    let ends: std::collections::BTreeSet<_> =
        asked.iter().map(|text| text.lines().last()).collect();
    // Rewording must not change the last lines.
    assert_eq!(ends.len(), 2, "{ends:?}");
}

#[test]
fn what_mends_a_failure_stands_in_the_last_lines() {
    let mut situation = Situation::new();
    situation.trigger = Trigger::StepFailed {
        step_idx: 0,
        reason: Reason::ObjectCovered,
    };
    situation.attempts = vec![covered()];
    situation.repair = Some(RepairPlan {
        calls: vec![
            SkillCall::new("pick", json!({ "object": "blue_cube" })),
            SkillCall::new("place_on", json!({ "target": "table" })),
            SkillCall::new("pick", json!({ "object": "red_cube" })),
        ],
        because: "blue_cube rests on red_cube".into(),
    });
    let request = request_in(&situation);
    let last: Vec<&str> = user(&request).lines().rev().take(6).collect();
    let expected = [
        "So call this first: pick({\"object\":\"blue_cube\"})",
        "By itself this fails again: pick({\"object\":\"red_cube\"})",
        "pick({\"object\":\"red_cube\"})",
        "place_on({\"target\":\"table\"})",
        "pick({\"object\":\"blue_cube\"})",
        "What mends it, in this order:",
    ];
    assert_eq!(last, expected);
    // The skills of a repair are available even if the user restricts the skills.
    let few = VlmOptions {
        skills: Some(vec!["pick".into()]),
        ..VlmOptions::default()
    };
    let (_, received) = ask_with(vec![good()], few, &situation);
    let tools = received[0].body["tools"].as_array().unwrap();
    assert!(tools.iter().any(|t| t["function"]["name"] == "place_on"));
    // Without progress nothing failed, so no failed call is quoted.
    situation.trigger = Trigger::NoProgress { rounds: 1 };
    let request = request_in(&situation);
    let text = user(&request);
    assert!(text.contains("What leads on, in this order:\npick"));
    assert!(!text.contains("By itself this fails again"));
    situation.repair = Some(RepairPlan {
        calls: vec![],
        because: "nothing reaches it".into(),
    });
    let request = request_in(&situation);
    let text = user(&request);
    assert!(text.ends_with("So call infeasible."), "{text}");
}
