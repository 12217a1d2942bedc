//! Control of the arm, also after its controller has left.

use std::time::Duration;

use regrasp_session::Flow;
use serde_json::json;

use crate::common::{met, run, teleoperate};

const UP: [f64; 3] = [0.0, 0.0, 0.02];

#[tokio::test]
async fn of_two_browsers_one_moves_the_arm() {
    let (live, mut first) = met("pick_cube", 0.0).await;
    let mut second = live.connect().await;
    let before = live.digest().await;
    for order in [
        teleoperate(UP),
        json!({"do": "gripper", "open": false}),
        json!({"do": "reset", "scene": "tabletop"}),
        json!({"do": "move", "object": "red_cube", "xy": [0.5, 0.1]}),
        json!({"do": "repair"}),
        json!({"do": "speed", "times": 2.0}),
        run("pick up the red cube"),
    ] {
        let answer = second.order(order.clone()).await;
        assert_eq!(answer["kind"], "not_in_control", "{order}: {answer}");
    }
    let taken = second.ask(json!({"control": "take"})).await;
    assert_eq!(taken["kind"], "not_in_control", "{taken}");
    assert_eq!(live.digest().await, before, "nothing was moved");

    first.succeeds(teleoperate(UP)).await;
    assert_ne!(live.digest().await, before, "the arm moved");
    first.ask(json!({"control": "release"})).await;
    let taken = second.ask(json!({"control": "take"})).await;
    assert_eq!(taken["type"], "reply", "{taken}");
    second.succeeds(teleoperate(UP)).await;
    let refused = first.order(teleoperate(UP)).await;
    assert_eq!(refused["kind"], "not_in_control", "{refused}");
}

#[tokio::test]
async fn when_the_controller_is_gone_time_stands_still_until_somebody_takes_over() {
    let (live, mut first) = met("covered", 1.0).await;
    let mut second = live.connect().await;
    first.order(run("put the red cube on the plate")).await;
    second.phase("").await;
    first.close().await;
    second
        .until(|m| m["type"] == "control" && m["controller"].is_null())
        .await;
    while live.session.status().flow != Flow::Paused {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // A frame may still be in transit.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let at = live.session.status().sim_secs;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let now = live.session.status().sim_secs;
    assert!((now - at).abs() < 1e-9, "time passed: {at} to {now} s");
    second.ask(json!({"control": "take"})).await;
    second.accepted(json!({"do": "stop"})).await;
    live.digest().await;
    assert_eq!(live.session.status().doing, None);
}

#[tokio::test]
async fn whoever_watches_may_stop_but_not_answer() {
    let (live, mut first) = met("covered", 0.0).await;
    let mut second = live.connect().await;
    let order = json!({"text": "put the red cube on the plate", "approve": "always"});
    let order = json!({"do": "run", "order": order});
    let id = first.tell(json!({"order": order})).await;
    let question = second.question().await["id"].clone();
    let answer = json!({"do": "answer", "id": question, "approve": true});
    let refused = second.order(answer.clone()).await;
    assert_eq!(refused["kind"], "not_in_control", "{refused}");
    first.accepted(answer.clone()).await;
    let again = first.order(answer).await;
    assert_eq!(
        again["type"], "error",
        "a second answer is accepted: {again}"
    );
    second
        .status(|status| status["pending"]["id"].as_u64() > question.as_u64())
        .await;
    second.accepted(json!({"do": "stop"})).await;
    let ended = first.outcome(id).await;
    assert_eq!(ended["result"]["success"], false, "{ended}");
}

#[tokio::test]
async fn stopping_the_server_stops_the_arm() {
    let (live, mut client) = met("covered", 1.0).await;
    client.order(run("put the red cube on the plate")).await;
    client.phase("approach").await;
    live.stopper.stop();
    live.served.await.expect("the server ends");
    assert_eq!(live.session.status().doing, None, "nothing is under way");
    let at = live.session.status().sim_secs;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let now = live.session.status().sim_secs;
    assert!((now - at).abs() < 1e-9, "simulated time still passes");
}
