//! Tests of the errors of building a world.

use crate::common::{at, block, id, joint, object, one_joint_urdf, panda, scene, table};
use regrasp_api::{JointKind, Shape};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_scene::{Gear, RobotFile, Scene, SceneJoint};
use regrasp_sim::{SimOptions, SimWorld};
use regrasp_testkit::says;

type Change = fn(&mut RobotFile, &mut Scene, &mut SimOptions);

fn check(change: impl FnOnce(&mut RobotFile, &mut Scene, &mut SimOptions), expected: &str) {
    let mut panda = panda();
    let small = block("box", [0.02; 3], 0.1, at(0.4, 0.0, 0.02, 0.0));
    let mut scene = scene(vec![table(), small]);
    let mut options = SimOptions::default();
    change(&mut panda.file, &mut scene, &mut options);
    match SimWorld::new(&panda.model, &panda.file, &scene, options) {
        Ok(_) => panic!("a world was built, expected an error with: {expected}"),
        Err(error) => says(&error.to_string(), &[expected]),
    }
}

#[test]
fn robot_files_that_do_not_fit_the_urdf_are_refused() {
    let elbow: Change = |f, _, _| f.arm_joints[2] = "elbow".to_owned();
    check(elbow, "no joint `elbow`");
    let tcp: Change = |f, _, _| f.tool_link = "tcp".to_owned();
    check(tcp, "no link `tcp` (known: panda_link0");
    let six: Change = |f, _, _| f.motors.truncate(6);
    check(six, "`arm.motors` has 6 entries, expected 7");
    let gain: Change = |f, _, _| f.motors[0].kp = f64::NAN;
    check(gain, "`panda_joint1` has a servo gain");
    let fingerless: Change = |f, _, _| f.gripper.finger_joints.clear();
    check(fingerless, "neither a joint of the arm nor of a finger");
    let carried: Change = |f, _, _| f.base_link = "panda_link3".to_owned();
    check(carried, "a movable joint carries it");
    let palm: Change = |f, _, _| f.gripper.finger_links.push("panda_hand".to_owned());
    check(palm, "`panda_hand` is listed as a finger");
    check(|_, s, _| s.start_joints = Some(vec![0.0; 6]), "expected 7");
    let nan: Change = |_, s, _| s.start_joints = Some(vec![f64::NAN; 7]);
    check(nan, "`scene.start_joints` contains NaN");
    check(|_, _, o| o.dt_secs = 0.0, "`dt_secs` is 0");
    check(|_, _, o| o.gravity[2] = f64::NAN, "`gravity` is NaN");
}

#[test]
fn objects_that_cannot_be_simulated_are_named() {
    let flat = Shape::Convex {
        points: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.0]],
    };
    let shaped = |shape: Shape| object("odd", shape, Some(0.1), at(0.4, 0.2, 0.1, 0.0));
    let odd = |shape, expected| check(|_, s, _| s.objects.push(shaped(shape)), expected);
    odd(flat, "object `odd`: its 4 points");
    odd(Shape::Sphere { radius: -0.1 }, "expected a positive length");
    let massless: Change = |_, s, _| s.objects[1].mass_kg = Some(0.0);
    check(massless, "its mass is 0 kg");
    let twice: Change = |_, s, _| s.objects[1].id = id("table");
    check(twice, "its id is used twice");
    let joint = |parent, child| {
        let (kind, axis) = (JointKind::Prismatic, [1.0, 0.0, 0.0]);
        joint("joint", [parent, child], kind, axis, [0.0, 0.1])
    };
    let hung = |joints: Vec<SceneJoint>, expected| check(|_, s, _| s.joints = joints, expected);
    hung(vec![joint("box", "table")], "`table` is fixed");
    hung(vec![joint("shelf", "box")], "there is no object `shelf`");
    let both = vec![joint("table", "box"), joint("table", "box")];
    hung(both, "already held by another joint");
    let mut geared = joint("table", "box");
    geared.geared = Some(Gear {
        to: "none".into(),
        ratio: 1.0,
        offset: 0.0,
    });
    hung(vec![geared], "`none` is not a joint of the same object");
}

#[test]
fn a_moving_link_without_mass_is_refused() {
    let urdf = one_joint_urdf(1.0, 0.3, 10.0);
    let (start, end) = (urdf.find("<inertial>"), urdf.find("</inertial>"));
    let (Some(start), Some(end)) = (start, end) else {
        panic!("the rod must have an <inertial>");
    };
    let massless = format!("{}{}", &urdf[..start], &urdf[end + "</inertial>".len()..]);
    let model = RobotModel::from_urdf_str(&massless, ".", &MeshSearch::default()).expect("a rod");
    let motor = panda().file.motors[0];
    let file = crate::common::bare_file(&["hinge"], "tip", motor);
    let built = SimWorld::new(&model, &file, &scene(vec![]), SimOptions::default());
    let error = built.err().map(|e| e.to_string()).unwrap_or_default();
    says(&error, &["link `rod` moves but has no mass"]);
}
