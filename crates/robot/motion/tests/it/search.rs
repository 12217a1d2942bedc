//! Tests of scenes that only a search can pass.

use std::time::Duration;

use crate::common::{self, HOME, LEFT, RIGHT, even_panda, scene, slab};
use regrasp_api::{
    CollisionPair, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlanningScene,
};
use regrasp_motion::search::{
    RanOut, Search, SearchBudget, SearchFailure, SearchOptions, SearchProblem, TimedAlong,
    path_length,
};

/// A wall in front of the arm, higher than detours rise.
fn wall() -> PlanningScene {
    scene(vec![slab("wall", [0.25, 0.02, 0.45], [0.6, 0.0, 0.45])])
}

/// A wall in front of the arm and one behind it, which leave a path only over the top.
fn shut() -> PlanningScene {
    let barrier = slab("barrier", [1.0, 0.02, 2.0], [1.12, 0.0, 0.0]);
    let rear = slab("rear", [1.0, 0.02, 2.0], [-1.2, 0.0, 0.0]);
    scene(vec![barrier, rear])
}

fn request<'a>(scene: &'a PlanningScene, goal: &[f64]) -> MotionRequest<'a> {
    crate::common::request(scene, &LEFT, MotionGoal::Joints(goal.to_vec()))
}

fn budget(samples: usize, time: Option<Duration>) -> SearchOptions {
    SearchOptions {
        budget: SearchBudget { samples, time },
        ..SearchOptions::default()
    }
}

fn problem<'a>(scene: &'a PlanningScene, goals: &'a [Vec<f64>]) -> SearchProblem<'a> {
    common::problem(&scene.obstacles, &LEFT, goals)
}

#[test]
fn the_arm_finds_its_way_around_a_wall() {
    let (arm, scene) = (even_panda(), wall());
    let plan = arm.plan(&request(&scene, &RIGHT)).unwrap();
    let goals = [RIGHT.to_vec()];
    let exact = Search::new(&arm, &problem(&scene, &goals));
    let knots = plan.trajectory.knots().iter();
    let knots: Vec<_> = knots.map(|k| k.position.clone()).collect();
    assert!(knots.len() > 10);
    assert_eq!(exact.contact_along(&knots, 500.0), None);
    let straight = [LEFT.to_vec(), RIGHT.to_vec()];
    let contact = exact.contact_along(&straight, 32.0);
    assert!(contact.is_some(), "the wall is in the way");
    let again = arm.plan(&request(&scene, &RIGHT)).unwrap();
    let same = plan.trajectory == again.trajectory;
    assert!(same, "the same request gave another trajectory");
}

#[test]
fn what_cannot_be_passed_is_named() {
    let arm = even_panda();
    let mut scene = shut();
    // Without this lid the upper arm could swing over the top, between the walls.
    let lid = slab("lid", [0.2, 0.02, 0.7], [-0.04, 0.0, 1.3]);
    scene.obstacles.push(lid);
    let blockers = match arm.plan(&request(&scene, &RIGHT)) {
        Err(MotionFailure::PathBlocked { blockers }) => blockers,
        other => panic!("two walls and a lid leave no path: {other:?}"),
    };
    let is_named = blockers.iter().any(|pair| pair.other == "barrier");
    assert!(is_named, "{blockers:?}");
}

#[test]
fn simplification_shortens_and_stays_free() {
    let (arm, scene) = (even_panda(), wall());
    let goals = [RIGHT.to_vec(), HOME.to_vec()];
    let search = Search::new(&arm, &problem(&scene, &goals[..1]));
    let options = SearchOptions::default();
    let raw = search.solve(&options).unwrap();
    let short = search.simplify(&raw, &options).unwrap();
    assert!(path_length(&short) <= path_length(&raw));
    assert_eq!(search.contact_along(&short, 640.0), None);
    let either = Search::new(&arm, &problem(&scene, &goals));
    let path = either.solve(&options).unwrap();
    assert!(goals.contains(&path[path.len() - 1]), "{path:?}");
}

#[test]
fn a_joint_outside_its_limits_is_named_with_the_excess() {
    let (arm, scene) = (even_panda(), wall());
    let ask = |start: &[f64], goal: &[f64]| {
        let goals = [goal.to_vec()];
        let problem = SearchProblem {
            start,
            ..problem(&scene, &goals)
        };
        Search::new(&arm, &problem).solve(&SearchOptions::default())
    };
    let mut turned = RIGHT.to_vec();
    turned[0] = -3.1973;
    for (outcome, word) in [
        (ask(&LEFT, &turned), "goal"),
        (ask(&turned, &RIGHT), "start"),
    ] {
        let failure = outcome.expect_err(word).to_string();
        let expected = "is 0.3000 past its limit -2.8973";
        for part in [word, expected, "joint1"] {
            assert!(failure.contains(part), "{failure}");
        }
    }
}

#[test]
fn each_failure_says_what_it_is() {
    let (arm, scene) = (even_panda(), wall());
    // Halfway between the two sides the forearm is inside the wall.
    let inside: Vec<f64> = LEFT.iter().zip(RIGHT).map(|(a, b)| 0.5 * (a + b)).collect();
    let options = budget(20, None);
    let ask = |scene: &PlanningScene, start: &[f64], goals: &[Vec<f64>]| {
        let problem = SearchProblem {
            start,
            ..problem(scene, goals)
        };
        Search::new(&arm, &problem).solve(&options)
    };
    let by_wall = |pair: &CollisionPair| pair.other == "wall";
    match ask(&scene, &inside, &[RIGHT.to_vec()]) {
        Err(failure @ SearchFailure::StartInCollision { .. }) => {
            let words = failure.to_string();
            assert!(words.contains("touches wall at the start, 0.0"), "{words}");
        }
        other => panic!("the forearm starts inside the wall: {other:?}"),
    }
    match ask(&scene, &LEFT, &[inside.clone(), inside.clone()]) {
        Err(SearchFailure::GoalInCollision { pairs, depths_m }) => {
            assert!(depths_m.iter().all(|depth| depth.is_some_and(|m| m > 0.0)));
            assert_eq!(pairs.len(), 2, "one pair for each goal");
            assert!(pairs.iter().all(by_wall), "{pairs:?}");
        }
        other => panic!("both goals are inside the wall: {other:?}"),
    }
    let mut shut = shut();
    let shelf = slab("shelf", [0.1, 0.1, 0.02], [-0.5, 0.5, 0.4]);
    shut.obstacles.push(shelf);
    match ask(&shut, &LEFT, &[RIGHT.to_vec()]) {
        Err(SearchFailure::PathBlocked { objects, .. }) => {
            let names: Vec<_> = objects.iter().map(ToString::to_string).collect();
            assert_eq!(names, ["barrier"], "objects on the straight line");
        }
        other => panic!("two walls leave no path: {other:?}"),
    }
    // Only the arm itself is in the way, so no object is reported.
    let empty = PlanningScene::default();
    let nothing = budget(0, None);
    let failures = PAST_ITSELF.chunks(2).map(|ends| {
        let goals = [ends[1].to_vec()];
        let problem = common::problem(&empty.obstacles, &ends[0], &goals);
        Search::new(&arm, &problem).solve(&nothing)
    });
    let failures: Vec<_> = failures.collect();
    let ran_out = RanOut::Samples(0);
    let is_budget = |f: &Result<_, _>| *f == Err(SearchFailure::Budget { ran_out });
    let has_run_out = failures.iter().any(is_budget);
    assert!(has_run_out, "no line meets the arm itself: {failures:?}");
}

/// Configurations with the hand alternately on one side of the arm's column and on the other.
const PAST_ITSELF: [[f64; 7]; 8] = [
    [0.0, -1.0, 1.4, -3.05, 0.0, 0.3, 0.785],
    [0.0, -1.0, -1.4, -3.05, 0.0, 0.3, 0.785],
    [0.0, -1.0, 0.0, -3.05, 1.6, 0.3, 0.785],
    [0.0, -1.0, 0.0, -3.05, -1.6, 0.3, 0.785],
    [0.0, -1.0, 0.0, -3.05, 1.6, 1.2, 0.785],
    [0.0, -1.0, 0.0, -3.05, -1.6, -0.0, 0.785],
    [0.0, -0.5, 1.8, -2.9, 0.0, 0.2, 0.785],
    [0.0, -1.5, -1.8, -2.9, 0.0, 0.2, 0.785],
];

#[test]
fn what_is_proven_free_is_free_however_closely_one_looks() {
    let arm = even_panda();
    let mut scene = wall();
    for [x, y] in [[0.75, 0.25], [0.3, -0.45], [-0.3, 0.4]] {
        let post = slab(&format!("post_{x}"), [0.004, 0.004, 0.4], [x, y, 0.4]);
        scene.obstacles.push(post);
    }
    let mut solved = 0;
    for i in 0..12 {
        let turn = 0.15 * f64::from(i) - 0.8;
        let mut goal = RIGHT;
        (goal[0], goal[3]) = (turn, -2.4 + 0.05 * f64::from(i));
        let goals = [goal.to_vec()];
        let search = Search::new(&arm, &problem(&scene, &goals));
        let options = budget(4000, None);
        let Ok(raw) = search.solve(&options) else {
            continue;
        };
        let Ok(path) = search.simplify(&raw, &options) else {
            continue;
        };
        solved += 1;
        let contact = search.contact_along(&path, 1500.0);
        assert_eq!(contact, None, "a thin post on the way to {goal:?}");
    }
    assert!(solved >= 4, "only {solved} of 12 goals were reached");
}

#[test]
fn a_search_says_whether_samples_or_time_ran_out() {
    let (arm, scene) = (even_panda(), shut());
    let goals = [RIGHT.to_vec()];
    let search = Search::new(&arm, &problem(&scene, &goals));
    let no_time = RanOut::Time(Duration::ZERO);
    for (time, ran_out) in [
        (None, RanOut::Samples(50)),
        // The time is over before the first sample.
        (Some(Duration::ZERO), no_time),
        (Some(Duration::MAX), RanOut::Samples(50)),
    ] {
        let failure = search.solve(&budget(50, time)).unwrap_err();
        assert_eq!(failure.ran_out(), Some(ran_out), "{time:?}");
    }
}

#[test]
fn a_path_in_time_is_free_and_stays_within_the_limits() {
    let (arm, scene) = (even_panda(), wall());
    let goals = [RIGHT.to_vec()];
    let search = Search::new(&arm, &problem(&scene, &goals));
    let options = SearchOptions::default();
    let path = search.solve(&options).unwrap();
    let path = search.simplify(&path, &options).unwrap();
    assert!(path.len() > 2, "the wall is in the way");
    let trajectory = search.time(&path).trajectory;
    let (mut q, mut v) = ([0.0; 7], [0.0; 7]);
    let n = (trajectory.duration_secs() / 0.001) as usize;
    let points: Vec<Vec<f64>> = (0..=n)
        .map(|i| {
            trajectory.sample(0.001 * i as f64, &mut q, &mut v);
            assert!(v.iter().all(|v| v.abs() < 2.62), "{v:?} is too fast");
            q.to_vec()
        })
        .collect();
    assert_eq!(search.contact_along(&points, 640.0), None);
    for (at, end) in [
        (&points[0][..], &path[0]),
        (trajectory.last_position(), &goals[0]),
    ] {
        assert!(off(at, end) < 1e-9, "{at:?} instead of {end:?}");
    }
    let stays = search.time(&path[..1]).trajectory;
    assert_eq!(stays.last_position(), path[0]);
}

#[test]
fn a_path_whose_corners_cannot_be_cut_is_followed_edge_by_edge() {
    // The bounds leave no room beside the corner: a curve through it would exceed them.
    let (arm, scene) = (even_panda(), PlanningScene::default());
    let mut corner = HOME.to_vec();
    corner[0] = 0.3;
    let mut beyond = corner.clone();
    beyond[1] += 0.4;
    let path = [HOME.to_vec(), corner, beyond];
    let mut bounds = [[-4.0, 4.0]; 7];
    bounds[0] = [0.0, 0.3];
    let goals = [path[2].clone()];
    let mut problem = problem(&scene, &goals);
    problem.start = &path[0];
    problem.bounds = Some(&bounds);
    let timed = Search::new(&arm, &problem).time(&path);
    assert_eq!(timed.along, TimedAlong::Edges);
    let knots = timed.trajectory.knots();
    let stop = knots.iter().find(|k| off(&k.position, &path[1]) < 1e-9);
    let stop = stop.unwrap_or_else(|| panic!("the motion has no knot at the corner"));
    assert!(stop.velocity.iter().all(|v| v.abs() < 1e-9), "{stop:?}");
    assert!(off(timed.trajectory.last_position(), &path[2]) < 1e-9);
}

/// Largest difference of a joint between two configurations, rad.
fn off(a: &[f64], b: &[f64]) -> f64 {
    let joints = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    joints.fold(0.0, f64::max)
}
