//! A world that cannot be built says why.

use crate::common::{at, block, object, one_joint_urdf, panda, scene, table};
use regrasp_api::{JointKind, ObjectId, Shape};
use regrasp_kinematics::{MeshSearch, RobotModel};
use regrasp_scene::{RobotFile, Scene, SceneJoint};
use regrasp_sim::{SimOptions, SimWorld};

fn check(change: impl FnOnce(&mut RobotFile, &mut Scene, &mut SimOptions), expected: &str) {
    let mut panda = panda();
    let mut scene = scene(vec![
        table(),
        block("box", [0.02; 3], 0.1, at(0.4, 0.0, 0.02, 0.0)),
    ]);
    let mut options = SimOptions::default();
    change(&mut panda.file, &mut scene, &mut options);
    match SimWorld::new(&panda.model, &panda.file, &scene, options) {
        Ok(_) => panic!("a world was built, expected: {expected}"),
        Err(error) => assert!(
            error.to_string().contains(expected),
            "`{error}` does not say `{expected}`"
        ),
    }
}

#[test]
fn robot_files_that_do_not_fit_the_urdf_are_refused() {
    check(
        |f, _, _| f.arm_joints[2] = "elbow".to_owned(),
        "no joint `elbow`",
    );
    check(
        |f, _, _| f.tool_link = "tcp".to_owned(),
        "no link `tcp` (known: panda_link0",
    );
    check(
        |f, _, _| f.motors.truncate(6),
        "`arm.motors` has 6 entries, expected 7",
    );
    check(
        |f, _, _| f.motors[0].kp = f64::NAN,
        "`panda_joint1` has a servo gain",
    );
    check(
        |f, _, _| f.gripper.finger_joints.clear(),
        "neither a joint of the arm nor of a finger",
    );
    check(
        |f, _, _| f.base_link = "panda_link3".to_owned(),
        "a movable joint carries it",
    );
    check(
        |f, _, _| f.gripper.finger_links.push("panda_hand".to_owned()),
        "`panda_hand` is listed as a finger",
    );
    check(|_, s, _| s.start_joints = Some(vec![0.0; 6]), "expected 7");
    check(|_, _, o| o.dt_secs = 0.0, "`dt_secs`");
}

#[test]
fn objects_that_cannot_be_simulated_are_named() {
    let flat = Shape::Convex {
        points: vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.0]],
    };
    let shaped = |shape: Shape| object("odd", shape, Some(0.1), at(0.4, 0.2, 0.1, 0.0));
    check(
        |_, s, _| s.objects.push(shaped(flat)),
        "object `odd`: 4 points",
    );
    let sphere = Shape::Sphere { radius: -0.1 };
    check(
        |_, s, _| s.objects.push(shaped(sphere)),
        "not a positive length",
    );
    check(
        |_, s, _| s.objects[1].mass_kg = Some(0.0),
        "its mass is 0 kg",
    );
    check(
        |_, s, _| s.objects[1].id = ObjectId::new("table"),
        "its id is used twice",
    );
    check(
        |_, s, _| s.joints.push(joint("box", "table")),
        "`table` is fixed",
    );
    check(
        |_, s, _| s.joints.push(joint("shelf", "box")),
        "there is no object `shelf`",
    );
    check(
        |_, s, _| {
            s.joints
                .extend([joint("table", "box"), joint("table", "box")])
        },
        "already held by another joint",
    );
}

fn joint(parent: &str, child: &str) -> SceneJoint {
    SceneJoint {
        damping: 1.0,
        ..SceneJoint::new(
            ObjectId::new("joint"),
            [ObjectId::new(parent), ObjectId::new(child)],
            JointKind::Prismatic,
            [1.0, 0.0, 0.0],
            [0.0, 0.1],
        )
    }
}

#[test]
fn a_moving_link_without_mass_is_refused() {
    let urdf = one_joint_urdf(1.0, 0.3, 10.0);
    let (start, end) = (urdf.find("<inertial>"), urdf.find("</inertial>"));
    let (Some(start), Some(end)) = (start, end) else {
        panic!("the rod has an inertial");
    };
    let massless = format!("{}{}", &urdf[..start], &urdf[end + "</inertial>".len()..]);
    let model = RobotModel::from_urdf_str(&massless, ".", &MeshSearch::default()).expect("a rod");
    let motor = panda().file.motors[0];
    let file = crate::common::bare_file(&["hinge"], "tip", motor);
    let built = SimWorld::new(&model, &file, &scene(vec![]), SimOptions::default());
    let error = built
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default();
    assert!(
        error.contains("link `rod` moves but has no mass"),
        "{error}"
    );
}
