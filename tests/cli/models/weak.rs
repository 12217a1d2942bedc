//! Recovery with a simulated weak model. Like a real model with 1.5 billion parameters, it repeats
//! its plan regardless of feedback, unless the last line of a request states which skill to call.

use std::sync::Arc;

use regrasp::EpisodeOptions;
use regrasp::api::SkillSpec;
use regrasp::bench::recovery::RecoveryReport;
use regrasp::planner::FeedbackLevel;
use regrasp::recovery::{Measured, Strategy};
use regrasp_chat::testing::{Received, Reply, Server};
use regrasp_chat::{ChatRequest, Tool};
use regrasp_llm_planner::{VlmOptions, VlmPlanner};
use serde_json::{Value, json};

use super::{data, http, planner_at, regrasp};
use crate::Shell;
use crate::common::{instance, played, recovery_suite};

fn words(request: &Received) -> &str {
    let content = &request.body["messages"][1]["content"];
    content.as_str().unwrap_or_default()
}

/// Parses `name({…})` as a call.
fn call_in(line: &str) -> Option<(String, Value)> {
    let (before, args) = line.split_once("({")?;
    let name = before.rsplit(' ').next()?;
    let args = format!("{{{}", args.strip_suffix(')')?);
    Some((name.to_owned(), serde_json::from_str(&args).ok()?))
}

/// Plan that the model always makes: puts one object on the other, as the goal states.
fn usual_plan(request: &Received) -> Vec<(String, Value)> {
    let data = data(request);
    let goal = data["goal"][0]["goal"].as_str().unwrap_or_default();
    let names = goal.split_once('(').map_or("", |(_, rest)| rest);
    let names: Vec<&str> = names.trim_end_matches(')').split(", ").collect();
    let mut plan = vec![("pick".to_owned(), json!({ "object": names[0] }))];
    if let Some(target) = names.get(1) {
        plan.push(("place_on".to_owned(), json!({ "target": target })));
    }
    plan
}

fn weak(_: usize, request: &Received) -> Reply {
    let text = words(request);
    let last = text.lines().last().unwrap_or_default();
    let mut calls = match call_in(last) {
        // Copies the calls that the request lists.
        Some(first) => {
            let mut lines = text.lines();
            lines.find(|line| line.starts_with("What mends it"));
            let listed: Vec<_> = lines.map_while(call_in).collect();
            if listed.is_empty() {
                vec![first]
            } else {
                listed
            }
        }
        None if last == "So call infeasible." => {
            let why = json!({ "explanation": "I was told so." });
            return Reply::calls(&[("infeasible", why)]);
        }
        None => usual_plan(request),
    };
    // Steps that are listed as completed are not repeated.
    let data = data(request);
    let completed = data["completed"].as_array().into_iter().flatten();
    let completed: Vec<_> = completed.collect();
    let is_done = |(name, args): &(String, Value)| {
        let mut same = completed.iter().filter(|c| c["skill"] == *name);
        same.any(|c| c["arguments"] == *args)
    };
    if call_in(last).is_none() {
        calls.retain(|call| !is_done(call));
    }
    if calls.is_empty() {
        calls.push(("done".to_owned(), json!({ "answer": "It is done." })));
    }
    let calls = calls.iter();
    let calls = calls.map(|(name, args)| (name.as_str(), args.clone()));
    let calls: Vec<_> = calls.collect();
    Reply::calls(&calls)
}

fn ablated(names: &[&str], n_seeds: u64) -> RecoveryReport {
    let server = Server::new(weak);
    let url = server.url();
    let plain = || Box::new(VlmPlanner::new(Arc::new(http(&url)), VlmOptions::default())) as _;
    let measured = Measured {
        name: "weak".into(),
        plain: &plain,
        feedback: FeedbackLevel::Remedies,
        is_quick: false,
    };
    recovery_suite(names, &measured, &Strategy::REASONS, n_seeds, 2)
}

#[test]
fn a_weak_model_recovers_by_remedies_and_by_nothing_less() {
    let report = ablated(&["covered"], 3);
    println!("{}", report.table());
    let right: Vec<usize> = report.all.iter().map(|totals| totals.right_ends).collect();
    // Information about a failure: slug, detail and remedies; slug and detail; slug; none.
    assert_eq!(right, [3, 0, 0, 0], "correct ends");
    let pairs = &report.pairs[0];
    assert_eq!((pairs.only_first, pairs.only_second), (3, 0));
    assert!(report.all.iter().all(|totals| totals.mean_tokens > 0.0));
}

/// Checks that `--planner` selects the planner that the suite measures.
#[test]
fn the_suite_measures_the_planner_that_it_is_asked_for() {
    let server = Server::new(weak);
    let shell = Shell::new();
    let planner = planner_at(&server.url());
    let bench = "bench --suite recovery --classes covered --seed 0 --ablate reasons --out here";
    let run = format!("{bench} {planner}");
    regrasp(&shell, &run, 0, "slug + detail + remedies");
    let n_asked = server.received().len();
    // Four episodes, with requests in each.
    assert!(n_asked >= 8, "{n_asked}");
    let summary = shell.json("here/summary.json");
    assert_eq!(summary["planner"], "vlm:by-hand");
    assert_eq!(summary["pairs"].as_array().map(Vec::len), Some(3));
    regrasp(&shell, &format!("{run} --resume"), 0, "");
    // Finished episodes are not repeated.
    assert_eq!(server.received().len(), n_asked);
}

fn first_request(task: &str, most_objects: usize, skills: Option<Vec<String>>) -> ChatRequest {
    let mut task = instance(task, 0);
    task.scene.objects.truncate(most_objects);
    let scales = regrasp_chat::Scales::default();
    let options = VlmOptions {
        skills,
        ..VlmOptions::default()
    };
    let planner = Box::new(VlmPlanner::new(Arc::new(scales.clone()), options));
    let options = EpisodeOptions {
        planner,
        ..EpisodeOptions::default()
    };
    played(&task.scene, &task.prompt, options);
    scales.take().unwrap()
}

/// Returns the request with the complete schemas of all skills.
fn with_whole_schemas(request: &ChatRequest) -> ChatRequest {
    let whole = |spec: SkillSpec| Tool {
        name: spec.name,
        description: spec.description,
        schema: spec.args_schema,
    };
    let skills = regrasp::skills::standard().specs();
    ChatRequest {
        tools: skills.into_iter().map(whole).collect(),
        ..request.clone()
    }
}

/// Checks the estimated lengths of requests, in tokens.
#[test]
fn requests_are_short() {
    let all = regrasp::skills::standard().specs();
    let all: Vec<String> = all.into_iter().map(|spec| spec.name).collect();
    let cases = [
        ("pick_cube", None, 1_200),
        ("unstack_to_plate", None, 1_200),
        ("robosuite/pick_place_can", None, 1_200),
        ("clutter_pick", Some(all), 2_000),
    ];
    println!("{:26} {:>7} {:>7}", "first request of", "whole", "sent");
    for (task, skills, most) in cases {
        let name = match &skills {
            Some(_) => format!("{task}, all skills"),
            None => task.to_owned(),
        };
        let request = first_request(task, 10, skills);
        let before = with_whole_schemas(&request).estimated_tokens();
        let now = request.estimated_tokens();
        println!("{name:26} {before:>7} {now:>7}");
        assert!(now <= most, "{name}: {now} tokens, expected at most {most}");
        assert!(before > 2 * now, "{name}: {before} tokens with all schemas");
    }
}
