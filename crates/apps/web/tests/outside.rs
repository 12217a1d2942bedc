//! Every message of a page is executed or rejected; `tests/outside` describes the method.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../../../../tests/outside/harness.rs"]
mod harness;

use regrasp::LoadedRobot;
use regrasp_session::{Command, Session, SimBackend, StationOptions};
use regrasp_web::protocol::{ClientMessage, MAX_MESSAGE_BYTES};

use harness::{Target, target};

const SAMPLES: &[&str] = &[
    r#"{"id":7,"order":{"do":"run","order":{"text":"put the red cube on the plate","planner":"feedback","approve":"never","step_by_step":true}}}"#,
    r#"{"id":8,"order":{"do":"skill","skill":"pick","args":{"object":"red_cube"}}}"#,
    r#"{"id":8,"order":{"do":"check","calls":[{"skill":"pick","args":{"object":"red_cube"}}]}}"#,
    r#"{"id":3,"order":{"do":"teleoperate","by_m":[0.01,0,0],"turn_rad":0.1}}"#,
    r#"{"id":3,"order":{"do":"answer","id":1,"approve":true,"text":"yes"}}"#,
    r#"{"id":3,"order":{"do":"fault","fault":{"nudged":{"object":"red_cube","distance_m":0.05}}}}"#,
    r#"{"id":3,"order":{"do":"move","object":"red_cube","xy":[0.5,0.1],"turn_rad":0.3}}"#,
    r#"{"id":3,"order":{"do":"speed","times":0.5}}"#,
    r#"{"id":3,"order":{"do":"record","on":false}}"#,
    r#"{"id":3,"order":{"do":"reset","scene":"tabletop","seed":4}}"#,
    r#"{"id":9,"control":"take"}"#,
];
const PIECES: &str = "\"order\":|\"control\":\"release\"|\"do\":\"stop\"|\"do\":\"pause\"|\"do\":\"step\"|\
 \"do\":\"repair\"|\"do\":\"gripper\",\"open\":true|\"object\":|\
 \"xy\":[1e308,-1e308]|\"times\":|red_cube|plate";

/// Only parses orders that move the robot; carries the others out in a world at rest.
fn page() -> Target {
    let backend = SimBackend::new(LoadedRobot::panda().unwrap(), StationOptions::default());
    let session = Session::start(Box::new(backend), "tabletop", 0, 0.0).unwrap();
    target("page", SAMPLES, PIECES, 20, move |input| {
        let text = String::from_utf8_lossy(input);
        if text.len() > MAX_MESSAGE_BYTES {
            return false;
        }
        let Ok(message) = serde_json::from_str::<ClientMessage>(&text) else {
            return false;
        };
        match message.order {
            Some(order) if order.job().is_none() => {
                let is_done = session.command(order).is_ok();
                if is_done {
                    // Faults would accumulate otherwise.
                    let _ = session.command(Command::Repair);
                }
                is_done
            }
            _ => true,
        }
    })
}

#[test]
fn what_a_page_says_is_done_or_refused() {
    harness::try_all([page()]);
}
