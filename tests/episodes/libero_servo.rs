//! Servo control by LIBERO's actions: the arm moves as with robosuite's controller.
//!
//! The reference values are from robosuite 1.4.1 with MuJoCo 2.3.7: the environment `Lift` with a
//! Panda and `OSC_POSE` at 20 Hz, LIBERO's initial pose and its ten steps of waiting. `cargo test
//! -p regrasp-tests --test episodes libero_servo -- --nocapture` shows them beside ours.

#![expect(clippy::print_stdout, reason = "its table is a result")]

use std::sync::{Arc, Mutex};

use crate::common::instance;
use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp::api::{Action, GripperAction, Policy, PolicyError, PolicyInput, Pose};
use regrasp::policy::DriveOptions;
use regrasp::{EpisodeOptions, LoadedRobot, PolicyOptions};
use regrasp_libero::{START_RAD, terms};
use regrasp_testkit::{near, rows, within};

/// Policy that plays a list of actions. Before each one, it records the pose of the point that the
/// servo controls, and the distance between the fingers, m.
struct Constant {
    actions: Vec<[f64; 7]>,
    seen: Arc<Mutex<Vec<(Pose, f64)>>>,
}

impl Policy for Constant {
    fn name(&self) -> String {
        "constant".into()
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        let here = input.world_from_tool;
        let width_m = input.gripper.width_m;
        self.seen.lock().unwrap().push((here, width_m));
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

/// Plays actions. Returns the pose of the controlled point and the distance between the fingers, m,
/// after LIBERO's waiting time and after each action.
fn run(actions: Vec<[f64; 7]>) -> Vec<(Pose, f64)> {
    let loaded = LoadedRobot::panda().unwrap();
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
    loaded.episode(&scene, "nothing", options).unwrap();
    std::mem::take(&mut *seen.lock().unwrap())
}

/// Name, sent actions (number, fraction of the largest step, axis), displacement of the controlled
/// point in robosuite after one action, five actions and all of them, mm, and its final rotation,
/// rad.
const CASES: &str = "
    x               | 20 1 x                               |  4.7 0 -0.4 | 44.5 0 -9.5    | 226.5 0 -24.9     | 0.013
    x, then still   | 8 1 x, 8 0 x                         |  4.7 0 -0.4 | 44.5 0 -9.5    | 102.9 0 -3.4      | 0.024
    y               | 20 1 y                               |  0 5.8 0    | -1.4 54.5 -0.5 | -13.5 249.5 -7.1  | 0.011
    down            | 12 -1 z                              |  0.2 0 -6   | 1.2 0 -55.6    | -3 0 -149.2       | 0.006
    up              | 12 1 z                               | -0.2 0 6    | -4.2 0 54.8    | -11.7 0 142.8     | 0.013
    half x          | 12 0.5 x                             |  2.5 0 -0.4 | 21.8 0 -5.3    | 63.7 0 -9.3       | 0.008
    about x         | 10 0.3 rx                            |  0 2.3 0    | -0.2 6.4 0.1   | -1.8 7.2 -0.9     | 0.342
    a fifth about y | 10 0.2 ry                            | -2 0 -1.5   | -9.3 0 -6.6    | -13 0 -8.7        | 0.193
    a tenth about z | 10 0.1 rz                            |  0 0.3 0    | 0 0.8 0        | 0 0.9 0           | 0.113
    half about z    | 10 0.5 rz                            |  0 2 0      | 0.1 6 0.1      | 0.5 6.4 0.4       | 0.457
    a square        | 6 0.6 x, 6 0.6 y, 6 -0.6 x, 6 -0.6 y |  3 0 -0.4   | 26.2 0 -6.2    | 2.6 8.2 1.9       | 0.012
";

fn actions(sent: &str) -> Vec<[f64; 7]> {
    let repeated = sent.split(", ").flat_map(|sent| {
        let words: Vec<&str> = sent.split(' ').collect();
        let axis = ["x", "y", "z", "rx", "ry", "rz"].map(|axis| axis == words[2]);
        let mut action = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0];
        action[axis.iter().position(|is| *is).unwrap()] = words[1].parse().unwrap();
        std::iter::repeat_n(action, words[0].parse().unwrap())
    });
    repeated.collect()
}

fn vector(words: &str) -> Vector3<f64> {
    Vector3::from_iterator(words.split(' ').map(|word| word.parse().unwrap()))
}

#[test]
fn the_arm_lags_behind_as_liberos_does() {
    /// Tolerance as a fraction of the displacement in robosuite, with a minimum in mm.
    const OFF: f64 = 0.03;
    const LEAST_MM: f64 = 3.0;
    const OFF_RAD: f64 = 0.01;
    println!("| sent | step | robosuite, mm | ours, mm | turned, rad: robosuite | ours |");
    println!("|---|---|---|---|---|---|");
    let mut wrong = vec![];
    for [name, sent, one, five, all, robosuite_rad] in rows(CASES) {
        let robosuite_rad: f64 = robosuite_rad.parse().unwrap();
        let sent = actions(&sent);
        let steps = [(1, &one), (5, &five), (sent.len(), &all)];
        let seen = run(sent);
        let (start, _) = seen[0];
        let end = seen.last().unwrap().0;
        let turned = start.rotation.angle_to(&end.rotation);
        for (step, theirs) in steps {
            let ours = (seen[step].0.translation.vector - start.translation.vector) * 1e3;
            let theirs = vector(theirs);
            println!(
                "| {name} | {step} | {:.1} {:.1} {:.1} | {:.1} {:.1} {:.1} | {robosuite_rad:.3} | {turned:.3} |",
                theirs.x, theirs.y, theirs.z, ours.x, ours.y, ours.z,
            );
            let off = (ours - theirs).norm();
            if off > LEAST_MM.max(OFF * theirs.norm()) {
                let told = format!("{off:.1} mm from robosuite");
                wrong.push(format!("{name}: after {step} steps, {told}"));
            }
        }
        // Without air resistance, our hand may turn up to 35 % further. In robosuite, air brakes it
        // with 6 N m at 1 rad/s, because MuJoCo computes the drag of a box of 1 m, which has the
        // moments of inertia of the hand.
        let in_air = turned - 0.35 * robosuite_rad;
        if turned < robosuite_rad - OFF_RAD || in_air > robosuite_rad + OFF_RAD {
            wrong.push(format!("{name}: turned by {turned:.3} rad"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the initial pose of the hand in the arm's base frame against LIBERO's observation.
#[test]
fn the_observation_begins_as_liberos_does() {
    let seen = run(vec![[0.0; 7]]);
    let scene = instance("pick_cube", 0).scene;
    let base_from_point = scene.world_from_base.inverse() * seen[0].0;
    let at = base_from_point.translation.vector;
    let off_m = (at - Vector3::new(0.4515, 0.0, 0.2613)).norm();
    within("error of the hand's position, m", off_m, ..2e-3);
    let q = base_from_point.rotation.coords;
    let q = if q.x < 0.0 { -q } else { q };
    near("x of the hand's quaternion", q.x, 0.9996, 1e-3);
    near("z of the hand's quaternion", q.z, -0.0284, 3e-3);
    within("the gripper's width after ten steps, m", seen[0].1, 0.07..);
}
