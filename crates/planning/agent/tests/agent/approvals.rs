//! Steps that wait for a person's approval.

use crate::common::{Nodder, Rig, act, check, lock, plan, stack};
use regrasp_api::{
    Aabb, ApprovalMode, ApprovalPolicy, Event, FinalReason, Reason, RiskRules, SkillCall,
};
use regrasp_testkit::says;
use serde_json::json;

fn fragile() -> ApprovalPolicy {
    ApprovalPolicy {
        mode: ApprovalMode::Critical,
        risks: RiskRules {
            fragile: vec!["red_cube".into()],
            ..RiskRules::default()
        },
        trust_after: Some(2),
    }
}

fn asked(rig: &Rig) -> usize {
    let events = lock(&rig.events);
    let asked = |e: &&regrasp_api::StampedEvent| matches!(e.event, Event::ApprovalAsked { .. });
    events.iter().filter(asked).count()
}

#[test]
fn a_critical_step_that_is_refused_is_a_reason_like_any_other() {
    let mut rig = Rig::new();
    rig.options.approval = Some(fragile());
    let result = check(&rig, [plan([stack()])], FinalReason::ApprovalDenied);
    assert_eq!(asked(&rig), 1, "a refused step must not be asked for again");
    says(&result.final_detail, &["red_cube is fragile"]);
    let told = lock(&rig.asked);
    assert_eq!(told[1].attempts[0].reason, Reason::ApprovalDenied);
}

#[test]
fn a_kind_of_step_that_went_well_twice_is_trusted() {
    let mut rig = Rig::new();
    rig.options.approval = Some(fragile());
    let step = |secs: f64| act(json!({"takes_secs": secs}));
    let steps = vec![step(0.1), step(0.2), step(0.3), step(0.4), stack()];
    let mut agent = rig.agent([plan(steps)]).with_person(Box::new(Nodder));
    assert_eq!(agent.run("stack").final_reason, FinalReason::PlanComplete);
    assert_eq!(asked(&rig), 2);
}

/// Risks of a step that is refused because of a zone; `None` if nobody was asked.
fn risk_in(zone: Aabb, step: SkillCall) -> Option<String> {
    let mut rig = Rig::new();
    rig.options.budgets.max_replans = 0;
    rig.options.approval = Some(ApprovalPolicy {
        risks: RiskRules {
            person_zones_in_base_m: vec![zone],
            ..RiskRules::default()
        },
        ..ApprovalPolicy::default()
    });
    rig.run([plan([step])]);
    let events = lock(&rig.events);
    events.iter().find_map(|e| match &e.event {
        Event::ApprovalAsked { request, .. } => Some(request.risks.join("; ")),
        _ => None,
    })
}

#[test]
fn zones_where_people_may_be_stand_with_the_base() {
    // The base stands at (-0.3, 0.1), so the red cube at (0.4, -0.1) is at (0.7, -0.2) in Base.
    let around = |x: f64, y: f64| Aabb::new([x - 0.05, y - 0.05, 0.0], [x + 0.05, y + 0.05, 1.0]);
    let red = risk_in(around(0.7, -0.2), stack());
    assert_eq!(red.as_deref(), Some("people may be at red_cube"));
    assert_eq!(
        risk_in(around(0.4, -0.1), stack()),
        None,
        "zones are in Base"
    );

    // A point without a height is in every zone that is above or below it, too.
    let high = Aabb::new([0.85, 0.15, 1.0], [0.95, 0.25, 2.0]);
    let put = |at| risk_in(high, act(at));
    let place = put(json!({"object": "green_cube", "x": 0.6, "y": 0.3}));
    let expected = "people may be at x=0.600 y=0.300";
    assert_eq!(place.as_deref(), Some(expected));
    let below = put(json!({"object": "green_cube", "x": 0.6, "y": 0.3, "z": 0.1}));
    assert_eq!(below, None, "the point is below the zone");
}
