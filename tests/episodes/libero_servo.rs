//! The controller that policies of LIBERO meet moves our arm as robosuite's moves its own.
//!
//! The figures are robosuite's: version 1.4.1 with MuJoCo 2.3.7, the environment `Lift` with a Panda
//! and `OSC_POSE` at 20 Hz, LIBERO's start and its ten steps of waiting. Shown beside ours with
//! `cargo test -p regrasp-tests --test episodes libero_servo -- --nocapture`.

#![expect(clippy::print_stdout, reason = "its table is a result")]

use std::sync::{Arc, Mutex};

use crate::common::instance;
use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp::api::{Action, GripperAction, Policy, PolicyError, PolicyInput, PolicyStart, Pose};
use regrasp::policy::DriveOptions;
use regrasp::{EpisodeOptions, Kit, PolicyOptions};
use regrasp_libero::{START_RAD, terms};

/// Sends the same action again and again, then another one.
struct Constant {
    actions: Vec<[f64; 7]>,
    seen: Arc<Mutex<Vec<(Pose, f64)>>>,
}

impl Policy for Constant {
    fn name(&self) -> String {
        "constant".into()
    }

    fn reset(&mut self, _: &PolicyStart<'_>) -> Result<(), PolicyError> {
        Ok(())
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        let here = input.world_from_tool;
        self.seen
            .lock()
            .unwrap()
            .push((here, input.gripper.width_m));
        let Some(action) = self.actions.get(input.step as usize) else {
            return Ok(Some(Action::Done));
        };
        let by = Vector3::from_column_slice(&action[..3]) * 0.05;
        let turn = Vector3::from_column_slice(&action[3..6]) * 0.5;
        Ok(Some(Action::MoveTool {
            world_from_tool: Pose::from_parts(
                Translation3::from(here.translation.vector + by),
                UnitQuaternion::from_scaled_axis(turn) * here.rotation,
            ),
            gripper: Some(match action[6] < 0.0 {
                true => GripperAction::WidthM(0.08),
                false => GripperAction::ForceN(20.0),
            }),
        }))
    }
}

/// Where the servo's point is and how far the gripper is open: after waiting, and after each action.
fn run(actions: Vec<[f64; 7]>) -> Vec<(Pose, f64)> {
    let kit = Kit::panda().unwrap();
    let mut scene = instance("pick_cube", 0).scene;
    scene.objects.retain(|object| !object.is_movable());
    scene.start_joints = Some(START_RAD.to_vec());
    let terms = terms("libero_goal", &START_RAD);
    let seen = Arc::new(Mutex::new(vec![]));
    let policy = Constant {
        actions,
        seen: Arc::clone(&seen),
    };
    let options = EpisodeOptions {
        policy: Some(PolicyOptions {
            policy: Box::new(policy),
            drive: DriveOptions {
                servo: Some(terms.servo),
                settle_secs: terms.n_settling as f64 / terms.rate_hz,
                ..DriveOptions::default()
            },
            cameras: vec![],
        }),
        ..EpisodeOptions::default()
    };
    kit.episode(&scene, "nothing", options).unwrap();
    std::mem::take(&mut *seen.lock().unwrap())
}

/// What was sent, and what robosuite made of it.
struct Case {
    name: &'static str,
    /// Actions of the arm, and how often each.
    sent: &'static [([f64; 6], usize)],
    /// After so many steps: how far the point had moved, mm.
    steps: [usize; 3],
    moved_mm: [[f64; 3]; 3],
    /// How far it was turned at the end, rad.
    turned_rad: f64,
}

const X: [f64; 6] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
const STILL: [f64; 6] = [0.0; 6];

const fn case(
    name: &'static str,
    sent: &'static [([f64; 6], usize)],
    steps: [usize; 3],
    moved_mm: [[f64; 3]; 3],
    turned_rad: f64,
) -> Case {
    Case {
        name,
        sent,
        steps,
        moved_mm,
        turned_rad,
    }
}

const CASES: [Case; 11] = [
    case(
        "x",
        &[(X, 20)],
        [1, 5, 20],
        [[4.7, 0.0, -0.4], [44.5, 0.0, -9.5], [226.5, 0.0, -24.9]],
        0.013,
    ),
    case(
        "x, then still",
        &[(X, 8), (STILL, 8)],
        [1, 5, 16],
        [[4.7, 0.0, -0.4], [44.5, 0.0, -9.5], [102.9, 0.0, -3.4]],
        0.024,
    ),
    case(
        "y",
        &[([0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 20)],
        [1, 5, 20],
        [[0.0, 5.8, 0.0], [-1.4, 54.5, -0.5], [-13.5, 249.5, -7.1]],
        0.011,
    ),
    case(
        "down",
        &[([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], 12)],
        [1, 5, 12],
        [[0.2, 0.0, -6.0], [1.2, 0.0, -55.6], [-3.0, 0.0, -149.2]],
        0.006,
    ),
    case(
        "up",
        &[([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 12)],
        [1, 5, 12],
        [[-0.2, 0.0, 6.0], [-4.2, 0.0, 54.8], [-11.7, 0.0, 142.8]],
        0.013,
    ),
    case(
        "half x",
        &[([0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 12)],
        [1, 5, 12],
        [[2.5, 0.0, -0.4], [21.8, 0.0, -5.3], [63.7, 0.0, -9.3]],
        0.008,
    ),
    case(
        "about x",
        &[([0.0, 0.0, 0.0, 0.3, 0.0, 0.0], 10)],
        [1, 5, 10],
        [[0.0, 2.3, 0.0], [-0.2, 6.4, 0.1], [-1.8, 7.2, -0.9]],
        0.342,
    ),
    case(
        "a fifth about y",
        &[([0.0, 0.0, 0.0, 0.0, 0.2, 0.0], 10)],
        [1, 5, 10],
        [[-2.0, 0.0, -1.5], [-9.3, 0.0, -6.6], [-13.0, 0.0, -8.7]],
        0.193,
    ),
    case(
        "a tenth about z",
        &[([0.0, 0.0, 0.0, 0.0, 0.0, 0.1], 10)],
        [1, 5, 10],
        [[0.0, 0.3, 0.0], [0.0, 0.8, 0.0], [0.0, 0.9, 0.0]],
        0.113,
    ),
    case(
        "half about z",
        &[([0.0, 0.0, 0.0, 0.0, 0.0, 0.5], 10)],
        [1, 5, 10],
        [[0.0, 2.0, 0.0], [0.1, 6.0, 0.1], [0.5, 6.4, 0.4]],
        0.457,
    ),
    case(
        "a square",
        &[
            ([0.6, 0.0, 0.0, 0.0, 0.0, 0.0], 6),
            ([0.0, 0.6, 0.0, 0.0, 0.0, 0.0], 6),
            ([-0.6, 0.0, 0.0, 0.0, 0.0, 0.0], 6),
            ([0.0, -0.6, 0.0, 0.0, 0.0, 0.0], 6),
        ],
        [1, 5, 24],
        [[3.0, 0.0, -0.4], [26.2, 0.0, -6.2], [2.6, 8.2, 1.9]],
        0.012,
    ),
];

fn actions(case: &Case) -> Vec<[f64; 7]> {
    let sent = case.sent.iter();
    let repeated = sent.flat_map(|(arm, n)| std::iter::repeat_n(arm, *n));
    let whole = repeated.map(|arm| {
        let mut whole = [-1.0; 7];
        whole[..6].copy_from_slice(arm);
        whole
    });
    whole.collect()
}

#[test]
fn the_arm_lags_behind_as_liberos_does() {
    /// Of the way that robosuite's arm has made, and at least so much, mm.
    const OFF: f64 = 0.03;
    const LEAST_MM: f64 = 3.0;
    const OFF_RAD: f64 = 0.01;
    println!("| sent | step | robosuite, mm | ours, mm | turned, rad: robosuite | ours |");
    println!("|---|---|---|---|---|---|");
    let mut wrong = vec![];
    for case in &CASES {
        let seen = run(actions(case));
        let (start, _) = seen[0];
        let end = seen.last().unwrap().0;
        let turned = start.rotation.angle_to(&end.rotation);
        for (step, theirs) in case.steps.into_iter().zip(case.moved_mm) {
            let ours = (seen[step].0.translation.vector - start.translation.vector) * 1e3;
            let theirs = Vector3::from(theirs);
            println!(
                "| {} | {step} | {:.1} {:.1} {:.1} | {:.1} {:.1} {:.1} | {:.3} | {turned:.3} |",
                case.name, theirs.x, theirs.y, theirs.z, ours.x, ours.y, ours.z, case.turned_rad,
            );
            let off = (ours - theirs).norm();
            if off > LEAST_MM.max(OFF * theirs.norm()) {
                wrong.push(format!("{} after {step} steps: {off:.1} mm off", case.name));
            }
        }
        // Air brakes robosuite's hand with 6 N m at 1 rad/s: MuJoCo takes it for a box of a metre,
        // from its moments of inertia. There is no air here.
        let in_air = turned - 0.35 * case.turned_rad;
        if turned < case.turned_rad - OFF_RAD || in_air > case.turned_rad + OFF_RAD {
            wrong.push(format!("{}: turned by {turned:.3} rad", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// LIBERO's hand at the start, as its observation says it, from the arm's base.
#[test]
fn the_observation_begins_as_liberos_does() {
    let seen = run(vec![[0.0; 7]]);
    let scene = instance("pick_cube", 0).scene;
    let base_from_point = scene.world_from_base.inverse() * seen[0].0;
    let at = base_from_point.translation.vector;
    assert!(
        (at - Vector3::new(0.4515, 0.0, 0.2613)).norm() < 2e-3,
        "{at}"
    );
    let q = base_from_point.rotation.coords;
    let q = if q.x < 0.0 { -q } else { q };
    assert!(
        (q.x - 0.9996).abs() < 1e-3 && (q.z + 0.0284).abs() < 3e-3,
        "{q}"
    );
    assert!(
        seen[0].1 > 0.07,
        "the gripper is open after ten steps: {}",
        seen[0].1
    );
}
