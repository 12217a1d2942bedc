//! The reason of a failure is sent to the model, and its next plan depends on it.

use regrasp::api::FinalReason;
use regrasp::bench::{Verdict, judge};
use regrasp_chat::testing::{Reply, Server};
use serde_json::json;

use super::{COVERED, data, done, http, play, uncovering_server};
use crate::common::instance;
use regrasp_testkit::says;

#[test]
fn a_model_that_gets_the_reason_recovers() {
    let server = uncovering_server();
    let (episode, events) = play(COVERED, http(&server.url()));
    let reason = &episode.result.final_reason;
    assert_eq!(*reason, FinalReason::PlanComplete, "{events}");
    let task = instance(COVERED, 0);
    let verdict = judge(&task, &episode);
    assert_eq!(verdict, Verdict::Success, "verdict from the ground truth");
    let received = server.received();
    assert_eq!(received.len(), 2);
    let failure = &data(&received[1])["failures"][0];
    assert_eq!(failure["reason"], "object_covered");
    assert_eq!(failure["about"][0], "blue_cube");
    assert_eq!(episode.result.tokens, 240, "tokens of both answers");
    let answer = episode.result.final_answer.as_deref();
    assert_eq!(answer, Some("The red cube is on the plate."));
}

#[test]
fn a_model_that_does_not_read_why_does_not_recover() {
    let pick = ("pick", json!({ "object": "red_cube" }));
    let onto_plate = [pick, ("place_on", json!({ "target": "plate" })), done()];
    let server = Server::scripted(vec![Reply::calls(&onto_plate)]);
    let (episode, _) = play(COVERED, http(&server.url()));
    assert!(!episode.result.success);
    let n_asked = server.received().len();
    assert!(n_asked <= 4, "{n_asked} requests, more than replans allow");
    says(&episode.result.final_detail, &["blue_cube"]);
}
