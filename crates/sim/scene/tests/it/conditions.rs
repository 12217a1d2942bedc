//! Every condition, in states that meet it and in states that do not.

use nalgebra::Vector3;
use regrasp_api::ObjectId;
use regrasp_ground_truth::{
    GroundTruth, GroundTruthObject, RobotContact, Success, Toucher, stray_contacts,
};
use regrasp_scene::{builtin_robot, builtin_task};

use crate::common::{condition, id, object_mut, two_cubes};

fn red(truth: &mut GroundTruth) -> &mut GroundTruthObject {
    object_mut(truth, "red_cube")
}

/// Returns the start with the red cube on the green one, `dx` m off its middle and `gap` m above
/// it.
fn stacked(dx: f64, gap: f64) -> GroundTruth {
    let mut truth = two_cubes();
    let green = truth.object(&id("green_cube")).unwrap().world_from_object;
    let red = red(&mut truth);
    let off = Vector3::new(dx, 0.0, 0.027 + gap);
    red.world_from_object.translation.vector = green.translation.vector + off;
    red.touches = vec![id("green_cube")];
    truth
}

#[track_caller]
fn check(success: &Success, last: &GroundTruth, found: Option<&str>) {
    let unmet = success.unmet(&two_cubes(), last);
    match found {
        None => assert!(unmet.is_empty(), "{unmet:?}"),
        Some(found) => {
            let text: String = unmet.iter().map(|u| format!("{u}; ")).collect();
            assert!(text.contains(found), "`{text}` does not say `{found}`");
        }
    }
}

#[test]
fn on_means_resting_there() {
    let on = |more: &str| {
        condition(&format!(
            "on: {{object: red_cube, target: green_cube{more}}}"
        ))
    };
    let near = ", xy_tolerance_m: 0.02";
    let level = ", xy_tolerance_m: 0.02, dz_tolerance_m: 0.005";
    let too_high = Some("its height over green_cube is 5.1 mm off");
    for (more, dx, gap, found) in [
        (near, 0.019, 0.0, None),
        (near, 0.021, 0.0, Some("21.0 mm apart horizontally")),
        ("", 0.1, 0.0, Some("it is not above green_cube")),
        ("", 0.0, 0.01, Some("10.0 mm above the top of green_cube")),
        (level, 0.0, 0.0049, None),
        (level, 0.0, 0.0051, too_high),
    ] {
        check(&on(more), &stacked(dx, gap), found);
    }
    let mut held = stacked(0.0, 0.0);
    red(&mut held).touches.clear();
    check(&on(""), &held, Some("does not touch"));
}

#[test]
fn released_means_not_touched_at_all() {
    let released = condition("released: {object: red_cube}");
    check(&released, &stacked(0.0, 0.0), None);
    let mut held = stacked(0.0, 0.0);
    red(&mut held).grasped = true;
    check(&released, &held, Some("red_cube is in the hand"));
    let mut touched = stacked(0.0, 0.0);
    red(&mut touched).touches_links = vec!["panda_leftfinger".into()];
    let found = Some("touched by panda_leftfinger");
    check(&condition("released: {}"), &touched, found);
}

#[test]
fn lifted_and_unmoved_are_measured_from_the_start() {
    let mut raised = two_cubes();
    red(&mut raised).world_from_object.translation.vector.z += 0.06;
    let lifted = |m: f64| condition(&format!("lifted: {{object: red_cube, min_height_m: {m}}}"));
    check(&lifted(0.05), &raised, None);
    check(&lifted(0.07), &raised, Some("it rose by 60.0 mm"));
    let unmoved = condition("unmoved: {objects: [green_cube, red_cube], tolerance_m: 0.005}");
    check(&unmoved, &two_cubes(), None);
    check(&unmoved, &raised, Some("red_cube moved by 60.0 mm"));
}

fn at_home(tolerance_rad: f64) -> Success {
    let home = builtin_robot().unwrap().home;
    condition(&format!(
        "joints_at_home: {{home: {home:?}, tolerance_rad: {tolerance_rad}}}"
    ))
}

#[test]
fn rest_and_home_are_about_the_last_moment() {
    let at_rest = condition(
        "static: {object: red_cube, max_linear_m_per_s: 0.01, max_angular_rad_per_s: 0.5}",
    );
    let mut moving = two_cubes();
    red(&mut moving).angular_velocity = [0.0, 0.6, 0.0];
    check(&at_rest, &two_cubes(), None);
    check(&at_rest, &moving, Some("0.6000 rad/s"));
    moving.joint_velocities[3] = -0.3;
    moving.joint_positions[2] += 0.1;
    let arm_at_rest = condition("robot_static: {max_rad_per_s: 0.2}");
    check(&arm_at_rest, &moving, Some("joint 4: 0.3000 rad/s"));
    check(&at_home(0.02), &two_cubes(), None);
    check(&at_home(0.02), &moving, Some("joint 3: 0.1000 rad off"));
}

#[test]
fn conditions_compose() {
    let yes = "at: {object: table, point: [0.75, 0.0, 0.02], tolerance_m: 0.01}";
    let no = "at: {object: table, point: [0.0, 0.0, 0.02], tolerance_m: 0.01}";
    let off = Some("750.0 mm off");
    for (text, found) in [
        (yes.to_owned(), None),
        (format!("any: [{{{no}}}, {{{yes}}}]"), None),
        (format!("any: [{{{no}}}, {{{no}}}]"), off),
        (format!("all: [{{{no}}}, {{{yes}}}]"), off),
        (format!("not: {{{no}}}"), None),
        (format!("not: {{{yes}}}"), Some("the condition holds")),
    ] {
        check(&condition(&text), &two_cubes(), found);
    }
}

#[test]
fn what_is_not_a_number_holds_nowhere() {
    let mut broken = two_cubes();
    red(&mut broken).world_from_object.translation.vector.z = f64::NAN;
    red(&mut broken).linear_velocity[0] = f64::NAN;
    broken.joint_positions[0] = f64::NAN;
    broken.joint_velocities[0] = f64::NAN;
    let of_red = [
        "lifted: {object: red_cube, min_height_m: 0.0}",
        "at: {object: red_cube, point: [0.0, 0.0, 0.0], tolerance_m: 10.0}",
        "unmoved: {objects: [red_cube], tolerance_m: 10.0}",
        "static: {object: red_cube, max_linear_m_per_s: 9.0, max_angular_rad_per_s: 9.0}",
        "robot_static: {max_rad_per_s: 9.0}",
    ];
    for success in of_red.map(condition).into_iter().chain([at_home(9.0)]) {
        let unmet = success.unmet(&two_cubes(), &broken);
        assert!(!unmet.is_empty(), "{success} must not hold");
    }
}

fn touch(by: Toucher, with: &str) -> RobotContact {
    RobotContact {
        by,
        with: id(with),
        first_secs: 1.5,
        duration_secs: 0.01,
        peak_force_n: 3.0,
    }
}

#[test]
fn what_a_task_wants_pushed_may_be_touched_and_nothing_else() {
    let pushed = condition(
        "[{displaced: {object: red_cube, min_m: 0.03}},
          {unmoved: {objects: [green_cube], tolerance_m: 0.01}}]",
    );
    assert_eq!(pushed.moved(), [&id("red_cube")]);
    let finger = || Toucher::Finger("finger".into());
    let mut last = two_cubes();
    last.contacts = vec![
        touch(finger(), "red_cube"),
        touch(finger(), "green_cube"),
        touch(Toucher::Arm("elbow".into()), "red_cube"),
    ];
    let first = two_cubes();
    let n_strays = |moved: &[_]| stray_contacts(&first, &last, moved).len();
    assert_eq!(n_strays(&pushed.moved()), 2);
    assert_eq!(n_strays(&[]), 3);
}

#[test]
fn untouched_tells_the_grasp_from_the_brush() {
    let finger = || Toucher::Finger("finger".into());
    let held = || Toucher::Held(id("red_cube"));
    let untouched = condition("untouched: {except: [red_cube]}");
    let after = |contacts| {
        let mut truth = stacked(0.0, 0.0);
        truth.was_held = vec![id("red_cube")];
        truth.contacts = contacts;
        truth
    };
    let grasp = vec![
        touch(finger(), "red_cube"),
        touch(held(), "table"),
        touch(held(), "green_cube"),
    ];
    check(&untouched, &after(grasp), None);
    let elbow = Toucher::Arm("elbow".into());
    let brushed = "finger touched green_cube at 1.50 s";
    for (by, with, expected) in [
        (finger(), "green_cube", brushed),
        (finger(), "table", "finger touched table"),
        (elbow, "red_cube", "elbow touched red_cube"),
    ] {
        check(&untouched, &after(vec![touch(by, with)]), Some(expected));
    }
    let mut beside = two_cubes();
    beside.contacts = vec![touch(held(), "green_cube")];
    check(&untouched, &beside, Some("red_cube touched green_cube"));
}

#[test]
fn a_drawer_is_as_far_open_as_it_has_slid() {
    let instance = builtin_task("open_drawer").unwrap().instantiate(1).unwrap();
    let first = instance.scene.initial_truth(&builtin_robot().unwrap());
    assert!(!instance.success.unmet(&first, &first).is_empty());
    let [joint] = instance.scene.joints.as_slice() else {
        panic!("one drawer, one joint");
    };
    let pose = |id: &ObjectId| first.object(id).unwrap().world_from_object;
    let (cabinet, closed) = (pose(&joint.parent), pose(&joint.child));
    let moved = |x: f64| {
        let mut last = first.clone();
        let slid = closed * nalgebra::Translation3::new(x, 0.0, 0.0);
        last.joints = vec![joint.at(&(cabinet.inverse() * closed), &cabinet, &slid)];
        last
    };
    let (open, pressed, without) = (moved(0.07), moved(-0.0002), two_cubes());
    let travel = joint.upper - joint.lower;
    let beyond = moved(travel + 0.0002);
    for (min, max, last, found) in [
        (0.0, 0.001, &first, &[][..]),
        (0.0699, 0.0701, &open, &[]),
        (0.08, 0.12, &open, &["it is open by 70.0 mm"]),
        // Contact may push a door slightly past an end; it still counts as closed or open.
        (0.0, 0.001, &pressed, &[]),
        (0.08, travel, &beyond, &[]),
        (0.001, 0.12, &pressed, &["it is open by 0.0 mm"]),
        (0.0, 1.0, &without, &["no joint moves drawer"]),
    ] {
        let within = format!("min: {min}, max: {max}");
        let success = condition(&format!("joint_at: {{object: drawer, {within}}}"));
        let unmet = success.unmet(&first, last).into_iter();
        let told: Vec<_> = unmet.map(|unmet| unmet.found).collect();
        assert_eq!(told, found, "{within}");
    }
}

#[test]
fn displacement_counts_from_the_start() {
    let moved = |x: f64, y: f64| {
        let mut truth = two_cubes();
        red(&mut truth).world_from_object.translation.vector += Vector3::new(x, y, 0.5);
        truth
    };
    let displaced =
        condition("displaced_by: {object: red_cube, by_m: [0.2, -0.1], tolerance_m: 0.05}");
    check(&displaced, &moved(0.23, -0.07), None);
    check(&displaced, &moved(0.2, -0.16), Some("60.0 mm off"));
    let along = condition("displaced: {object: red_cube, direction: [0.6, 0.8, 0.0], min_m: 0.05}");
    check(&along, &moved(0.03, 0.05), None);
    check(&along, &moved(0.05, -0.02), Some("it moved by 14.0 mm"));
}
