//! Success that skills and agent claim is true at the time of the claim.

use std::f64::consts::FRAC_PI_2;
use std::sync::{Arc, OnceLock};

use crate::common::*;
use nalgebra::{UnitQuaternion, Vector3};
use regrasp::agent::AgentOptions;
use regrasp::api::{Event, FinalReason, JointKind, Part, Pose, Shape, StampedEvent};
use regrasp::bench::{Verdict, judge};
use regrasp::scene::{Scene, SceneJoint, SceneObject};
use regrasp::sim::{Disturbance, SimFaults, When};
use regrasp::{Episode, EpisodeOptions};

/// Runs a command with disturbances at given times after step `step_idx` has succeeded, s.
fn disturbed(
    scene: &Scene,
    command: &str,
    step_idx: usize,
    script: Vec<(f64, Disturbance)>,
    max_replans: usize,
) -> Episode {
    let faults = Arc::new(OnceLock::<SimFaults>::new());
    let posted = Arc::clone(&faults);
    let after = move |event: &StampedEvent| {
        let Event::StepFinished {
            step_idx: idx,
            result,
        } = &event.event
        else {
            return;
        };
        if *idx != step_idx {
            return;
        }
        let detail = &result.reason_detail;
        assert!(result.success, "an undisturbed step failed: {detail}");
        for (secs, disturbance) in &script {
            let time_secs = event.sim_secs + secs;
            let when = When::At { time_secs };
            posted.get().unwrap().post(when, disturbance.clone());
        }
    };
    let mut agent = AgentOptions::default();
    agent.budgets.max_replans = max_replans;
    let options = EpisodeOptions {
        agent,
        sink: Box::new(after),
        prepare: Some(Box::new(move |_, _, cell| {
            faults.get_or_init(|| cell.sim().unwrap().faults.clone());
            Ok(cell)
        })),
        ..EpisodeOptions::default()
    };
    played(scene, command, options)
}

fn oiled() -> Disturbance {
    Disturbance::SlipperyPads { factor: 0.0 }
}

fn carton() -> SceneObject {
    let half_extents = [0.025, 0.03, 0.09];
    let at = [0.4, 0.05, TABLE_Z + 0.09];
    object("red_carton", cuboid(half_extents), at, Some(0.2))
}

#[test]
fn what_fell_out_of_the_hand_after_the_pick_is_not_held() {
    for thing in [cube("red_cube", 0.02, 0.4, 0.05), carton()] {
        let id = thing.id.clone();
        let command = format!("pick up the {}", id.as_str().replace('_', " "));
        let episode = disturbed(&scene([thing]), &command, 0, vec![(0.0, oiled())], 0);
        let result = &episode.result;
        let is_claimed = result.success || result.goal_met;
        assert!(!is_claimed, "the lost {id} is claimed to be held");
        assert_eq!(result.final_reason, FinalReason::GoalNotMet);
        let told = format!("{id} is not in the hand any more");
        says(&result.final_detail, &[&told]);
    }
}

#[test]
fn what_fell_out_of_the_hand_is_picked_up_again() {
    let script = vec![(0.0, oiled()), (0.6, Disturbance::Repair)];
    let scene = scene([cube("red_cube", 0.02, 0.4, 0.05)]);
    let episode = disturbed(&scene, "pick up the red cube", 0, script, 3);
    let result = &episode.result;
    assert!(result.success, "{}", result.final_detail);
    assert_eq!(result.steps, 2, "picks until the cube was held");
    let [from, to] = [&episode.first, &episode.last].map(|truth| truth.position("red_cube").z);
    within("rise of the cube, m", to - from, 0.05..);
}

#[test]
fn what_still_rolls_is_not_placed() {
    let at = [0.4, 0.1, TABLE_Z + 0.08 + 0.035];
    let bottle = object("blue_bottle", cylinder(0.035, 0.05), at, Some(0.1));
    let bottle = turned(bottle, Vector3::x_axis(), FRAC_PI_2);
    let high = [0.44, 0.16, TABLE_Z + 0.08];
    let pedestal = fixed("pedestal", [0.36, 0.04, TABLE_Z], high);
    // The bottle lies on the pedestal and rolls on the table once it is released.
    let command = "put the blue bottle on the table";
    let episode = episode(&scene([pedestal, bottle]), command);
    let last = episode.last.object(&id("blue_bottle")).unwrap();
    let rad_per_s = Vector3::from(last.angular_velocity).norm();
    if episode.result.success {
        within("turning of the placed bottle, rad/s", rad_per_s, ..0.2);
    } else {
        let detail = &episode.result.final_detail;
        assert!(!detail.is_empty(), "a failure has no detail");
    }
}

fn toppling() -> SceneObject {
    let half_extents = [0.02, 0.03, 0.1];
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.2);
    let corner = lean * Vector3::new(0.02, 0.0, -0.1);
    let at = [0.5, -0.2, TABLE_Z - corner.z];
    let mut carton = object("red_carton", cuboid(half_extents), at, Some(0.2));
    carton.world_from_object.rotation = lean;
    carton
}

/// A capsule that stands on its end, which is unstable.
fn balanced() -> SceneObject {
    let shape = Shape::capsule(0.02, 0.06);
    let at = [0.5, -0.2, TABLE_Z + 0.08];
    object("red_capsule", shape, at, Some(0.1))
}

#[test]
fn the_clock_starts_when_what_is_unstable_has_fallen_over() {
    for thing in [toppling(), balanced()] {
        let id = thing.id.to_string();
        let mut cell = cell(&scene([thing]));
        let unrest = &cell.sim().unwrap().unrest;
        assert_eq!(*unrest, None, "{id} did not come to rest");
        let first = cell.position(&id);
        cell.robot.wait(6.0).unwrap();
        let off_m = (cell.position(&id) - first).z;
        near(&format!("vertical motion of {id}, m"), off_m, 0.0, 0.001);
    }
}

/// A scene with a pendulum without friction, which never comes to rest.
fn restless() -> Scene {
    let mount = fixed("mount", [0.79, 0.39, 0.69], [0.81, 0.41, 0.71]);
    let world_from_mount = mount.world_from_object;
    let bob = Shape::Compound {
        parts: vec![Part {
            object_from_part: Pose::translation(0.0, 0.0, -0.3),
            shape: Shape::Sphere { radius: 0.03 },
        }],
    };
    let swing = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.7);
    let mut bob = object("bob", bob, [0.0; 3], Some(0.2));
    bob.world_from_object = world_from_mount * Pose::from_parts(Vector3::zeros().into(), swing);
    let mut scene = scene([mount, bob, cube("red_cube", 0.02, 0.4, 0.05)]);
    scene.joints.push(SceneJoint {
        damping: 0.0,
        ..SceneJoint::new(
            id("hinge"),
            [id("mount"), id("bob")],
            JointKind::Revolute,
            [0.0, 1.0, 0.0],
            [-3.0, 3.0],
        )
    });
    scene
}

#[test]
fn a_scene_that_never_comes_to_rest_is_told_and_not_scored() {
    let scene = restless();
    let episode = episode(&scene, "pick up the red cube");
    let result = &episode.result;
    assert_eq!(result.final_reason, FinalReason::SceneNotAtRest);
    assert!(!result.success && result.steps == 0);
    let detail = &result.final_detail;
    says(detail, &["not come to rest after 10 s: `bob` moves at"]);
    let mut instance = instance("pick_cube", 0);
    instance.scene = scene;
    assert_eq!(judge(&instance, &episode), Verdict::Infrastructure);
}
