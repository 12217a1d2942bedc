//! Messages that are too many, too long or invalid.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::common::{Client, live, met, teleoperate};

const AT_ONCE: usize = 80;

/// Invalid messages of all kinds, a different one for each number.
fn nonsense(n: usize) -> String {
    let good = r#"{"id": 1, "order": {"do": "teleoperate", "by_m": [0.05, 0.0, 0.05]}}"#;
    match n % 16 {
        0 => good[..1 + n % (good.len() - 1)].to_owned(),
        1 => good.replace("teleoperate", "fly"),
        2 => good.replace("[0.05, 0.0, 0.05]", "[0.05, 0.0]"),
        3 => good.replace("0.05", "1e999"),
        4 => good.replace("0.05", "\"far\""),
        5 => good.replace("\"id\": 1", "\"id\": -1"),
        6 => good.replace("}}", ", \"gentle\": true}}"),
        7 => "[".repeat(1 + n),
        8 => format!("{{\"id\": {n}}}"),
        9 => format!("{{\"id\": {n}, \"order\": null, \"control\": \"seize\"}}"),
        10 => "\u{0}\u{7f}\u{fffd}".repeat(1 + n % 100),
        11 => r#"{"id": 1, "order": {"do": "run", "order": {"text": 3}}}"#.into(),
        12 => r#"{"id": 1, "order": {"do": "fault", "fault": {"quake": {}}}}"#.into(),
        13 => format!(
            "{{\"id\": 1, \"order\": {{\"do\": \"skill\", \"args\": \"{}\"}}}}",
            "x".repeat(n)
        ),
        14 => r#"{"id": 1, "id": 2, "order": {"do": "gripper", "open": true}}"#.into(),
        _ => String::new(),
    }
}

#[tokio::test]
async fn a_thousand_malformed_messages_change_nothing() {
    let live = live("covered", 0.0).await;
    let mut watcher = live.connect().await;
    let (digest, status) = (live.digest().await, live.session.status());
    let mut n = 0;
    while n < 1000 {
        let mut client = live.connect().await;
        for _ in 0..AT_ONCE {
            client.send_text(&nonsense(n)).await;
            let answer = client.until(|m| m["type"] == "error").await;
            assert_eq!(answer["kind"], "malformed", "{}: {answer}", nonsense(n));
            n += 1;
        }
        client.close().await;
    }
    assert_eq!(live.digest().await, digest, "the world is as it was");
    assert_eq!(live.session.status(), status);
    // The flood does not change who is in control.
    watcher.succeeds(teleoperate([0.0, 0.0, 0.02])).await;
}

#[tokio::test]
async fn orders_that_make_no_sense_are_refused_with_what_is_wrong() {
    let (live, mut client) = met("covered", 0.0).await;
    let before = live.digest().await;
    let refused = async |client: &mut Client, order: Value, kind: &str, words: &str| {
        let answer = client.carry_out(order.clone()).await;
        let is_kind = answer["type"] == kind || answer["outcome"] == kind;
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(is_kind && message.contains(words), "{order}: {answer}");
    };
    let moved = |object: &str, x: f64| json!({"do": "move", "object": object, "xy": [x, 0.0]});
    let fault = |fault: Value| json!({"do": "fault", "fault": fault});
    for (order, words) in [
        (json!({"do": "speed", "times": 1e9}), "0.05 to 100"),
        (json!({"do": "speed", "times": -1.0}), "0.05 to 100"),
        (moved("green_cube", 0.5), "red_cube"),
        (moved("table", 0.5), "red_cube"),
        (moved("red_cube", 9.0), "no support at"),
        (fault(json!({"removed": {"object": "mug"}})), "mug"),
        (fault(json!({"joint_blocked": {"joint": "elbow"}})), "elbow"),
        (fault(json!({"sight_misses": {"object": "mug"}})), "mug"),
        (json!({"do": "pause"}), "no command is running"),
        (json!({"do": "stop"}), "no command is running"),
        (
            json!({"do": "answer", "id": 1, "approve": true}),
            "not open",
        ),
    ] {
        refused(&mut client, order, "error", words).await;
    }
    let with = |key: &str, name: &str| json!({"do": "run", "order": {"text": "x", key: name}});
    for (order, words) in [
        (json!({"do": "reset", "scene": "../secret"}), "secret"),
        (json!({"do": "reset", "scene": "/etc/passwd"}), "passwd"),
        (with("planner", "oracle"), "stub"),
        (with("perception", "sixth"), "rgbd"),
    ] {
        refused(&mut client, order, "trouble", words).await;
    }
    for order in [
        json!({"do": "teleoperate", "by_m": [0.5, 0.0, 0.0]}),
        json!({"do": "teleoperate", "by_m": [0.0, 0.0, 0.0], "turn_rad": 3.0}),
        json!({"do": "skill", "skill": "pick", "args": {"thing": 1}}),
    ] {
        let answer = client.carry_out(order.clone()).await;
        let reason = &answer["result"]["reason"];
        assert_eq!(reason, "bad_arguments", "{order}: {answer}");
    }
    assert_eq!(live.digest().await, before, "the world is as it was");
}

#[tokio::test]
async fn ten_times_the_rate_is_refused_and_a_flood_is_cut_off() {
    let (live, mut client) = met("pick_cube", 0.0).await;
    let n = 400;
    for id in 0..n {
        let order = json!({"id": id, "order": {"do": "record", "on": id % 2 == 0}});
        let sent = client.send(Message::text(order.to_string())).await;
        sent.expect("the server still listens");
    }
    let (mut done, mut refused) = (0, 0);
    while done + refused < n {
        let answer = client.until(|m| m["type"] == "reply" || m["type"] == "error");
        let answer = answer.await;
        match answer["kind"].as_str() {
            None => done += 1,
            Some(kind) => {
                assert_eq!(kind, "too_fast", "{answer}");
                refused += 1;
            }
        }
    }
    assert!(done >= AT_ONCE, "{done} of {n} were taken");
    assert!(refused > n / 4, "{refused} of {n} were refused");
    // A client that does not slow down is disconnected.
    let mut is_open = true;
    for _ in 0..100_000 {
        is_open = client.send(Message::text("{}")).await.is_ok();
        if !is_open {
            break;
        }
        tokio::task::yield_now().await;
    }
    while is_open {
        is_open = client.next().await.is_some();
    }
    let mut other = live.connect().await;
    let taken = other.ask(json!({"control": "take"})).await;
    assert_eq!(taken["type"], "reply", "others are served: {taken}");
}

#[tokio::test]
async fn what_is_too_long_ends_the_connection_and_nothing_else() {
    let live = live("pick_cube", 0.0).await;
    let before = live.digest().await;
    let mut client = live.connect().await;
    let long = json!({"id": 1, "order": {"do": "run", "order": {"text": "x".repeat(20_000)}}});
    client.send_text(&long.to_string()).await;
    let mut last = Some(Value::Null);
    while last.is_some() {
        last = client.next().await;
        let text = last.as_ref().map(Value::to_string).unwrap_or_default();
        assert!(!text.contains("\"begun\":true"), "it was taken: {text}");
    }
    assert_eq!(live.digest().await, before);
    live.connect().await;
}
