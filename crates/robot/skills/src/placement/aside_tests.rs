//! Tests of places out of the way.

use super::tests::{asked, held, scene, thing};
use super::*;
use crate::lookahead::StatedGoal;
use regrasp_api::{Aabb, Goal, ObjectId, Percept, Pose};
use regrasp_robot::Result;

/// Former place of a cube, on a table from x = 0.1 to 0.9 and y = -0.4 to 0.4.
const NEAR: [f64; 2] = [0.5, 0.0];
const WORKSPACE: Aabb = Aabb {
    min: [-0.8, -0.9, -0.1],
    max: [1.5, 0.9, 1.2],
};

fn found(
    percept: &Percept,
    near: [f64; 2],
    keeping: &[&str],
) -> Result<Vec<(Placement, [f64; 2])>> {
    found_within(percept, near, keeping, |_| true)
}

fn found_within(
    percept: &Percept,
    near: [f64; 2],
    keeping: &[&str],
    reaches: fn([f64; 3]) -> bool,
) -> Result<Vec<(Placement, [f64; 2])>> {
    let goals = keeping.iter().map(|text| (*text).to_owned().try_into());
    let goals: Vec<StatedGoal> = goals.collect::<Result<_, String>>().expect("goals");
    let goals: Vec<&Goal> = goals.iter().map(|stated| &stated.0).collect();
    let raised = Pose::translation(near[0], near[1], 0.4);
    let places = asked(percept, &held(), raised).aside(near, &goals, &WORKSPACE, reaches)?;
    let at = |place: &Placement| [place.position().x, place.position().y];
    Ok(places
        .into_iter()
        .map(|place| (place.clone(), at(&place)))
        .collect())
}

/// Objects, goals to keep, and the expected place, as a predicate and its description.
type Case<'a> = (
    Vec<PerceivedObject>,
    &'a [&'a str],
    fn(&[f64; 2]) -> bool,
    &'a str,
);

fn away_m([x, y]: &[f64; 2], [from_x, from_y]: [f64; 2]) -> f64 {
    (x - from_x).hypot(y - from_y)
}

#[test]
fn it_goes_as_near_as_it_is_out_of_the_way_of_what_is_still_to_be_done() {
    let cube = |id, y| thing(id, [0.02; 3], [0.5, y, 0.22], true);
    let cases: [Case<'_>; 6] = [
        (
            vec![],
            &[],
            |at| (0.16..0.2).contains(&away_m(at, NEAR)),
            "near, but out of the way of an arm",
        ),
        (
            vec![cube("mug", 0.2), cube("cup", -0.2)],
            &[],
            |at| away_m(at, [0.5, 0.2]).min(away_m(at, [0.5, -0.2])) > 0.1,
            "with room for a hand between",
        ),
        (
            vec![cube("mug", 0.0)],
            &["at(mug, 0.5, 0.17)"],
            |at| away_m(at, [0.5, 0.17]) > 0.05,
            "not at the goal of the mug",
        ),
        (
            vec![cube("mug", -0.05)],
            &["at(mug, 0.5, 0.3)"],
            |[x, y]| (x - 0.5).abs() > 0.05 || *y < -0.1,
            "not on the path of the mug to its goal",
        ),
        (
            vec![thing("mug", [0.02; 3], [0.62, 0.1, 0.22], true)],
            &["left_of(mug, held)"],
            |[x, y]| 0.1 - y > 1.7 * (x - 0.62).abs(),
            "where the mug stays on the left of it",
        ),
        (
            vec![
                thing("mug", [0.02; 3], [0.8, 0.3, 0.22], true),
                thing("box", [0.05; 3], [0.34, 0.08, 0.25], true),
            ],
            &["right_of(mug, box)"],
            |at| away_m(at, [0.34, -0.02]) > 0.06,
            "not where the mug goes beside the box",
        ),
    ];
    for (things, keeping, is_wanted, why) in cases {
        let percept = scene(things);
        let places = found(&percept, NEAR, keeping).expect(why);
        let (place, at) = &places[0];
        assert!(is_wanted(at), "{why}: {at:?}");
        assert_eq!(place.support.as_str(), "table");
        let stands_m = place.world_from_object.translation.z;
        assert!((stands_m - 0.22).abs() < 1e-9, "{stands_m}");
    }
}

#[test]
fn it_goes_where_the_arm_reaches_and_off_what_it_is_taken_off() {
    let reaches = |[x, ..]: [f64; 3]| x < 0.3;
    let near = found_within(&scene(vec![]), NEAR, &[], reaches).expect("there is room");
    assert!(near.iter().all(|(_, [x, _])| *x < 0.3), "{near:?}");
    let podium = thing("podium", [0.2, 0.2, 0.02], [0.5, 0.0, 0.22], false);
    let room = scene(vec![
        podium,
        thing("shelf", [0.2; 3], [0.5, 0.8, 0.0], false),
    ]);
    for (keeping, support) in [
        (&["not on(held, table)"][..], "podium"),
        (&["not on(held, podium)", "not on(held, table)"], "shelf"),
    ] {
        let places = found(&room, NEAR, keeping).expect(support);
        assert_eq!(places[0].0.support.as_str(), support);
    }
}

#[test]
fn it_is_not_put_where_a_drawer_opens() {
    let drawer = thing("drawer", [0.05; 3], [0.75, 0.0, 0.25], false);
    let mut percept = scene(vec![drawer]);
    let joint = serde_json::json!({
        "id": "slide", "parent": "table", "child": "drawer", "kind": "prismatic",
        "axis_in_world": [-1.0, 0.0, 0.0], "opening": 0.0, "travel": 0.4,
    });
    percept.joints = vec![serde_json::from_value(joint).expect("a joint")];
    let places = found(&percept, [0.5, 0.03], &[]).expect("there is room");
    let at = places[0].1;
    let is_before_it = (0.27..0.83).contains(&at[0]) && at[1].abs() < 0.075;
    assert!(!is_before_it, "{at:?}");
}

#[test]
fn what_hung_over_the_edge_is_put_on_the_table() {
    let percept = scene(vec![]);
    let places = found(&percept, [0.5, 0.41], &[]).expect("there is room");
    assert!(places.iter().all(|(_, at)| at[1] <= 0.38), "{places:?}");
}

#[test]
fn what_stood_on_something_small_goes_to_the_table_below() {
    let stand = thing("stand", [0.05, 0.05, 0.05], [0.5, 0.0, 0.25], false);
    let percept = scene(vec![stand]);
    let places = found(&percept, NEAR, &[]).expect("there is room");
    assert_eq!(places[0].0.support.as_str(), "table");
}

#[test]
fn a_full_table_names_what_stands_there() {
    let slab = thing("slab", [0.4, 0.4, 0.01], [0.5, 0.0, 0.21], true);
    let full = found(&scene(vec![slab]), NEAR, &[]).expect_err("nothing is free");
    assert_eq!(full.reason, Reason::TargetOccupied);
    assert_eq!(full.entities, [ObjectId::new("slab")]);
    let nowhere = regrasp_testkit::percept(vec![]);
    let nowhere = found(&nowhere, NEAR, &[]).expect_err("there is no table");
    assert_eq!(nowhere.reason, Reason::PlacementUnstable);
}
