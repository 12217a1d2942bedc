//! Tests of the monitors under the limits that robots use, provoked in the physics: reason,
//! location, latency, the arm's reaction, and the absence of false alarms.

use crate::common::{
    Lab, at, block, blocked, cube, down, fixed, joint_move, min_jerk, moved, object, push_link,
    pushed, removed, table, world_from_base,
};
use regrasp_api::{
    Capabilities, GripperCommand, GripperEnd, Monitor, MonitorLimits, MonitorStop, MotionEnd,
    Shape, Trajectory, Watch,
};
use regrasp_robot::UsualMonitors;
use regrasp_scene::SceneObject;
use regrasp_sim::{Disturbance, When};
use regrasp_testkit::{cylinder, near, within};

/// Largest delay between a cause and the end of the motion, s.
const LATENCY_SECS: f64 = 0.02;
const X: f64 = 0.42;
const Y: f64 = -0.12;
const OPEN: GripperCommand = GripperCommand::move_to(0.08, 0.1);

/// The usual monitors of a Panda in a world with all of the simulator's sensors.
fn monitors() -> UsualMonitors {
    UsualMonitors {
        limits: MonitorLimits::default(),
        can: Capabilities {
            finger_contacts: true,
            shear: true,
            contact_forces: true,
            ..Capabilities::default()
        },
    }
}

fn usual(held_width_m: Option<f64>) -> Watch {
    let grip = held_width_m.map(|width_m| monitors().of_grip(width_m));
    Watch::of(grip.into_iter().flatten().chain(monitors().of_arm(vec![])))
}

fn first_touch() -> Watch {
    Watch::of([Monitor::UnexpectedContact {
        max_force_n: 0.0,
        allowed_links: vec![],
    }])
}

fn stop_of(end: &MotionEnd) -> &MonitorStop {
    match end {
        MotionEnd::Stopped(stop) => stop,
        end => panic!("a monitor must end the motion, but it ended as {end:?}"),
    }
}

fn push(id: &str, force_in_world: [f64; 3]) -> Disturbance {
    pushed(id, force_in_world, 0.01)
}

/// Follows a trajectory with a fault some time after its start, and checks the properties of every
/// stop: it comes soon, and leaves the arm standing within its limits and the gripper at its
/// command.
fn provoked(
    lab: &mut Lab,
    trajectory: &Trajectory,
    watch: &Watch,
    cause_secs: f64,
) -> (MonitorStop, f64) {
    let before = lab.observe();
    let report = lab.follow(trajectory, watch);
    let stop = stop_of(&report.end).clone();
    let latency = stop.at_secs - cause_secs;
    let is_soon = latency > 0.0 && latency <= LATENCY_SECS + 1e-9;
    assert!(is_soon, "noticed after {latency} s: {stop:?}");
    let stopping = report.duration_secs - stop.at_secs;
    let mut velocity = lab.observe().joint_velocities;
    let mut position = velocity.clone();
    trajectory.sample(stop.at_secs, &mut position, &mut velocity);
    let limits = lab.panda.file.max_acceleration.iter();
    let gentle = velocity.iter().zip(limits).map(|(v, a)| v.abs() / a);
    let (at_least, at_most) = match stop.monitor {
        // These monitors stop the arm along its path, within the acceleration limits of the joints
        // and not much longer than that takes.
        Monitor::GripLost { .. }
        | Monitor::PadsEmpty { .. }
        | Monitor::HeldSlips { .. }
        | Monitor::HeldTurns { .. } => {
            let secs = gentle.fold(0.0, f64::max);
            (secs, 1.5 * secs + 0.03)
        }
        _ => (0.0, 0.05),
    };
    within("stopping, s", stopping, at_least..=at_most);
    stands(lab);
    let force_n = report.after.gripper.grip_force_n;
    assert_eq!(force_n, before.gripper.grip_force_n, "the grip force");
    (stop, latency)
}

fn stands(lab: &mut Lab) {
    // The servos' time constant is 0.1 s: a pushed arm comes back.
    let stopped = lab.wait(0.5);
    let later = lab.wait(0.5);
    let limits = lab.panda.chain.limits();
    for (i, limit) in limits.iter().enumerate() {
        let q = later.joint_positions[i];
        let crept = (q - stopped.joint_positions[i]).abs();
        assert!(crept < 2e-3, "joint {i} went on for {crept:.5} rad");
        let room = limit.lower - 1e-3..=limit.upper + 1e-3;
        within(&format!("joint {i}, rad"), q, room);
        let speed = later.joint_velocities[i].abs();
        assert!(speed < 5e-3, "joint {i} still turns at {speed:.4} rad/s");
    }
}

fn lab_with(held: SceneObject) -> Lab {
    Lab::new(vec![table(), held])
}

fn small() -> SceneObject {
    cube("cube", 0.04, X, Y, 0.3)
}

/// Disturbs a cube in the hand during a motion, and checks the report.
fn grip_fails(in_transport: bool, disturbance: Disturbance, may_be: fn(&Monitor) -> bool) {
    let mut lab = lab_with(small());
    lab.pick_up_at(X, Y, 0.02, 0.3, 20.0);
    let motion = if in_transport {
        lab.go(&down(X, Y, 0.25, 0.3), 1.0);
        lab.straight(&down(X, Y + 0.35, 0.25, 0.3), 1.2)
    } else {
        lab.straight(&down(X, Y, 0.25, 0.3), 1.2)
    };
    let calm = lab.snapshot();
    let report = lab.follow(&motion, &usual(Some(0.04)));
    assert_eq!(report.end, MotionEnd::Completed, "undisturbed");
    let slip_mm = 1e3 * report.after.gripper.slip_m.expect("pads");
    assert!(slip_mm < 1.0, "a firmly held cube slid by {slip_mm:.2} mm");
    lab.restore(&calm);

    let cause_secs = 0.5;
    lab.disturb_in(cause_secs, disturbance);
    let (stop, _) = provoked(&mut lab, &motion, &usual(Some(0.04)), cause_secs);
    assert!(may_be(&stop.monitor), "{stop:?}");
}

fn is_slip(monitor: &Monitor) -> bool {
    matches!(monitor, Monitor::HeldSlips { .. })
}

fn is_empty(monitor: &Monitor) -> bool {
    matches!(monitor, Monitor::PadsEmpty { .. })
}
#[test]
fn what_is_pulled_out_of_the_hand_is_felt_at_once() {
    // Two pads hold 40 N: 42 N pull the cube out slowly, 80 N tear it out.
    for in_transport in [false, true] {
        for force in [42.0, 80.0] {
            grip_fails(in_transport, push("cube", [0.0, 0.0, -force]), is_slip);
        }
        grip_fails(in_transport, push("cube", [30.0, -40.0, 0.0]), is_slip);
    }
}

#[test]
fn what_falls_between_oiled_pads_is_felt_at_once() {
    for in_transport in [false, true] {
        let oil = Disturbance::SlipperyPads { factor: 0.0 };
        grip_fails(in_transport, oil, is_slip);
    }
}

#[test]
fn a_grip_without_force_is_felt_at_once() {
    for in_transport in [false, true] {
        let weak = Disturbance::WeakGripper { factor: 0.0 };
        grip_fails(in_transport, weak, |m| is_slip(m) || is_empty(m));
        grip_fails(in_transport, removed("cube"), is_empty);
    }
}

/// A wall appears in the path of a fast swing, or a heavy ball falls on the hand.
#[test]
fn an_obstacle_in_the_path_is_felt_and_placed() {
    let wall = fixed("wall", [0.02, 0.3, 0.4], at(3.0, 3.0, 0.4, 0.0));
    let ball = Shape::Sphere { radius: 0.06 };
    let ball = object("ball", ball, Some(4.0), at(0.9, 0.5, 0.06, 0.0));
    let mut lab = Lab::new(vec![table(), wall, ball]);
    let calm = lab.snapshot();
    // The ball falls from 0.2 s on, from 0.78 m above the position of the hand at 0.6 s.
    let mut q = lab.observe().joint_positions;
    q[0] += 1.6 * min_jerk(0.6 / 1.6);
    let world_from_tool = world_from_base() * lab.panda.chain.forward(&q);
    let under = world_from_tool.translation.vector;
    let above = at(under.x, under.y, under.z + 0.95, 0.0);
    for (id, to) in [("wall", at(0.1, 0.6, 0.4, 0.0)), ("ball", above)] {
        lab.restore(&calm);
        let turn = lab.swing(0, 1.6, 1.6);
        let report = lab.follow(&turn, &usual(None));
        assert_eq!(report.end, MotionEnd::Completed, "without an obstacle");
        lab.restore(&calm);
        let appears = moved(id, to);
        lab.disturb_in(0.2, appears);
        let waiting = lab.snapshot();
        let touched = lab.follow(&turn, &first_touch());
        let cause_secs = stop_of(&touched.end).at_secs - lab.world.dt_secs();
        lab.restore(&waiting);
        let before = lab.observe().time_secs;
        let report = lab.follow(&turn, &usual(None));
        let truth = lab.object(id);
        let stop = stop_of(&report.end).clone();
        let contact = stop.contact.clone();
        let contact = contact.expect("the stop must contain the contact");
        assert!(before < report.after.time_secs && !contact.through_held);
        let apart =
            truth.world_from_object.inverse() * nalgebra::Point3::from(contact.point_in_world);
        let reach = truth.shape.aabb(&regrasp_api::Pose::identity()).max;
        for i in 0..3 {
            let beyond_m = apart[i].abs() - reach[i];
            within(&format!("contact beside the {id}, m"), beyond_m, ..0.02);
        }
        lab.restore(&waiting);
        let (again, _) = provoked(&mut lab, &turn, &usual(None), cause_secs);
        assert_eq!(again, stop, "the same run gave another stop");
    }
}

#[test]
fn what_is_held_feels_obstacles_too() {
    let wall = fixed("wall", [0.3, 0.02, 0.1], at(0.45, 0.25, 0.1, 0.0));
    let bar = block("bar", [0.015, 0.015, 0.08], 0.1, at(X, Y, 0.08, 0.3));
    let mut lab = Lab::new(vec![table(), wall, bar]);
    lab.pick_up_at(X, Y, 0.13, 0.3, 40.0);
    lab.go(&down(X, Y, 0.25, 0.3), 1.0);
    // The wall is 0.2 m high: the lower end of the bar hits it, far below the fingers.
    let across = lab.straight(&down(X, Y + 0.6, 0.25, 0.3), 1.5);
    let strict = Watch::of([Monitor::UnexpectedContact {
        max_force_n: 5.0,
        allowed_links: vec![],
    }]);
    let ready = lab.snapshot();
    let touched = lab.follow(&across, &first_touch());
    let cause_secs = stop_of(&touched.end).at_secs - lab.world.dt_secs();
    lab.restore(&ready);
    let (stop, _) = provoked(&mut lab, &across, &strict, cause_secs);
    let contact = stop.contact.expect("the stop must contain the contact");
    let is_felt = contact.through_held && contact.link == "panda_hand";
    assert!(is_felt, "felt through the bar: {contact:?}");
    lab.restore(&ready);
    // Under the usual limits the bar turns or slides before the contact force reaches its limit.
    provoked(&mut lab, &across, &usual(Some(0.03)), cause_secs);
}

#[test]
fn a_joint_that_is_held_is_named() {
    for joint in [0, 3, 5] {
        let name = format!("panda_joint{}", joint + 1);
        let mut lab = lab_with(small());
        let turn = lab.swing(joint, 0.8, 1.2);
        lab.disturb_in(0.4, blocked(&name));
        let (stop, _) = provoked(&mut lab, &turn, &usual(None), 0.4);
        assert_eq!(stop.joint.as_ref(), Some(&name), "{stop:?}");
        let is_speed = matches!(stop.monitor, Monitor::SpeedError { .. });
        let is_lag = matches!(stop.monitor, Monitor::TrackingError { .. });
        assert!(is_speed || is_lag, "{stop:?}");
    }
}

#[test]
fn an_arm_that_is_held_by_force_feels_it() {
    let mut lab = lab_with(small());
    let turn = lab.swing(0, 1.0, 1.2);
    let time_secs = lab.observe().time_secs + 0.4;
    // The hand swings towards +y.
    let hold = |force_n: f64| push_link("panda_link7", [0.0, -force_n, 0.0], 0.05);
    let calm = lab.snapshot();
    lab.disturb(When::At { time_secs }, hold(60.0));
    let (stop, _) = provoked(&mut lab, &turn, &usual(None), 0.4);
    let contact = stop.contact.expect("the stop must contain the contact");
    assert_eq!(contact.link, "panda_link7");
    assert_eq!(contact.force_n, 60.0);
    // An arm without contact sensors notices only a force that the servo cannot overcome.
    lab.restore(&calm);
    lab.disturb(When::At { time_secs }, hold(250.0));
    let [error, speed] = monitors().of_lags(1.0);
    let (stop, _) = provoked(&mut lab, &turn, &Watch::of([error, speed]), 0.4);
    assert!(stop.joint.is_some(), "{stop:?}");
}

/// Opens the hand under the usual monitor until something stops a finger.
fn blocked_finger(lab: &mut Lab, watch: &Watch) -> (MonitorStop, f64) {
    let before = lab.observe().time_secs;
    let report = lab.command_gripper(OPEN, watch);
    let GripperEnd::Stopped(stop) = report.end else {
        panic!("the fingers must be stopped, but ended as {:?}", report.end);
    };
    assert!((report.after.time_secs - before - stop.at_secs).abs() < 1e-9);
    (stop, report.after.gripper.width_m)
}

#[test]
fn fingers_that_are_stopped_while_opening_say_which_and_by_what() {
    let post = fixed("post", [0.03, 0.03, 0.04], at(3.0, 3.0, 0.2, 0.0));
    let mut lab = Lab::new(vec![table(), small(), post]);
    lab.reach(&down(X, 0.2, 0.2, 0.0), 2.0);
    lab.open(0.01);
    let calm = lab.snapshot();
    let finger = Watch::of([monitors().of_fingers()]);
    let free = lab.command_gripper(OPEN, &finger);
    assert_eq!(free.end, GripperEnd::Reached, "without an obstacle");
    lab.restore(&calm);
    // The near side of the post is 4 cm from the middle of the hand: between the positions of the
    // finger's outer side when closed and when open.
    let beside = moved("post", at(X, 0.2 + 0.04 + 0.03, 0.18, 0.0));
    lab.disturb(When::Now, beside);
    lab.wait(0.01);
    let ready = lab.snapshot();
    let (touch, _) = blocked_finger(&mut lab, &first_touch());
    let cause_secs = touch.at_secs - lab.world.dt_secs();
    lab.restore(&ready);
    let (stop, width) = blocked_finger(&mut lab, &finger);
    let latency = stop.at_secs - cause_secs;
    within("noticed after, s", latency, ..=LATENCY_SECS);
    let contact = stop.contact.clone();
    let contact = contact.expect("the stop must contain the contact");
    assert!(contact.link.contains("finger"), "{contact:?}");
    let joint = stop.joint.clone().expect("the stop must name the joint");
    let touching = lab.object("post").touches_links;
    assert_eq!(touching, [contact.link], "{joint} is blocked by the post");
    let later = lab.wait(0.5).gripper;
    near("where the fingers stopped, m", later.width_m, width, 5e-4);

    lab.restore(&calm);
    lab.disturb_in(0.3, Disturbance::StuckGripper);
    let (stop, _) = blocked_finger(&mut lab, &finger);
    let latency = stop.at_secs - 0.3;
    assert!(latency > 0.0 && latency <= LATENCY_SECS, "{stop:?}");
    assert!(stop.contact.is_none() && stop.joint.is_some(), "{stop:?}");
}

struct HeldCase {
    name: &'static str,
    object: SceneObject,
    z: f64,
    force_n: f64,
}

fn case(name: &'static str, object: SceneObject, z: f64, force_n: f64) -> HeldCase {
    HeldCase {
        name,
        object,
        z,
        force_n,
    }
}

fn held_block(half_extents: [f64; 3], mass_kg: f64) -> SceneObject {
    let pose = at(X, Y, half_extents[2], 0.3);
    block("held", half_extents, mass_kg, pose)
}

fn ball(radius: f64, mass_kg: f64) -> SceneObject {
    let shape = Shape::Sphere { radius };
    object("held", shape, Some(mass_kg), at(X, Y, radius, 0.3))
}

fn can(radius: f64, mass_kg: f64) -> SceneObject {
    let half_height = 0.04;
    let shape = cylinder(radius, half_height);
    object("held", shape, Some(mass_kg), at(X, Y, half_height, 0.3))
}

/// Motion of all joints in the least time that keeps them within a share of their limits. A
/// minimum-jerk motion over a distance d in a time T has the peak speed 15/8 d/T and the peak
/// acceleration 10/sqrt(3) d/T^2.
fn at_limits(lab: &mut Lab, shift: [f64; 7], part: f64) -> Trajectory {
    let from = lab.observe().joint_positions;
    let to: Vec<f64> = from.iter().zip(shift).map(|(q, shift)| q + shift).collect();
    let speeds = lab.panda.chain.limits().iter().map(|l| part * l.velocity);
    let accelerations = lab.panda.file.max_acceleration.iter().map(|a| part * a);
    let needed = shift.iter().zip(speeds.zip(accelerations));
    let secs = needed.map(|(shift, (v, a))| {
        let d = shift.abs();
        (1.875 * d / v).max((10.0 / 3f64.sqrt() * d / a).sqrt())
    });
    joint_move(&from, &to, secs.fold(0.0, f64::max))
}

/// Lifts an object, swings it back and forth, and moves it up and down. Returns the end of each
/// motion, and the displacement of the object in the hand, m and rad.
fn carried(lab: &mut Lab, case: Option<&HeldCase>) -> Vec<(MotionEnd, f64, f64)> {
    let away = [0.9, 0.3, -0.2, 0.4, 0.3, -0.3, 0.8];
    let up = [0.0, -0.2, 0.0, -0.3, 0.0, -0.1, 0.0];
    let z = case.map_or(0.14, |case| case.z);
    let width = case.map(|_| lab.observe().gripper.width_m);
    let in_hand = |lab: &Lab| case.map_or(at(0.0, 0.0, 0.0, 0.0), |_| lab.in_hand("held"));
    let mut ends = Vec::new();
    let mut check = |lab: &mut Lab, motion: Trajectory| {
        let before = in_hand(lab);
        let report = lab.follow(&motion, &usual(width));
        let after = in_hand(lab);
        let moved = after.translation.vector - before.translation.vector;
        let turned = after.rotation.angle_to(&before.rotation);
        ends.push((report.end.clone(), moved.norm(), turned));
        report.end == MotionEnd::Completed
    };
    let lift = lab.straight(&down(X, Y, z + 0.2, 0.3), 0.8);
    let mut goes_on = check(lab, lift);
    for part in [0.6, 0.9] {
        for (shift, sign) in [(away, 1.0), (away, -1.0), (up, -1.0), (up, 1.0)] {
            if goes_on {
                let motion = at_limits(lab, shift.map(|shift| sign * shift), part);
                goes_on = check(lab, motion);
            }
        }
    }
    ends
}

#[test]
fn nothing_fires_when_nothing_is_wrong() {
    let cases = [
        case("a cube of 6 g", cube("held", 0.024, X, Y, 0.3), 0.012, 20.0),
        case("a cube of 26 g", cube("held", 0.04, X, Y, 0.3), 0.02, 20.0),
        case("300 g", held_block([0.025, 0.025, 0.04], 0.3), 0.05, 20.0),
        case("a bar", held_block([0.1, 0.015, 0.015], 0.2), 0.015, 20.0),
        case("1 kg", held_block([0.03, 0.03, 0.04], 1.0), 0.045, 40.0),
        case("3 kg", held_block([0.03, 0.03, 0.04], 3.0), 0.045, 70.0),
    ];
    for case in std::iter::once(None).chain(cases.iter().map(Some)) {
        let name = case.map_or("nothing", |case| case.name);
        let objects = case.map(|case| case.object.clone());
        let mut lab = Lab::new(std::iter::once(table()).chain(objects).collect());
        match case {
            Some(case) => lab.pick_up_at(X, Y, case.z, 0.3, case.force_n),
            None => lab.reach(&down(X, Y, 0.14, 0.3), 2.0),
        }
        for (i, (end, ..)) in carried(&mut lab, case).iter().enumerate() {
            assert_eq!(end, &MotionEnd::Completed, "{name}, move {i}");
        }
    }
}

/// Balls and cans touch the pads only in a point or along a line. The monitors must be right about
/// them: an object reported as slipping has moved in the hand, and one that is not reported has
/// not.
#[test]
fn what_is_said_to_slip_has_slipped() {
    let mut cases = vec![
        case("a ball of 30 g", ball(0.02, 0.03), 0.02, 20.0),
        case("a ball of 150 g", ball(0.033, 0.15), 0.033, 20.0),
    ];
    for radius in [0.012, 0.02, 0.033] {
        for mass_kg in [0.05, 0.1, 0.4] {
            for (name, z) in [("a can across", 0.045), ("a can near its top", 0.07)] {
                cases.push(case(name, can(radius, mass_kg), z, 20.0));
            }
        }
    }
    for case in cases {
        let (shape, mass) = (&case.object.shape, case.object.mass_kg);
        let name = format!("{}, {shape:?}, {mass:?} kg", case.name);
        let mut lab = lab_with(case.object.clone());
        lab.pick_up_at(X, Y, case.z, 0.3, case.force_n);
        for (i, (end, moved, turned)) in carried(&mut lab, Some(&case)).iter().enumerate() {
            let how = format!("{name} went {moved:.5} m and {turned:.3} rad in move {i}");
            if end == &MotionEnd::Completed {
                assert!(*moved < 8e-3, "{how}, unnoticed");
            } else {
                let stop = stop_of(end);
                assert!(is_grip(&stop.monitor), "{how}: {stop:?}");
                assert!(*moved > 3e-4 || *turned > 0.15, "{how}: {stop:?}");
            }
        }
    }
}

fn is_grip(monitor: &Monitor) -> bool {
    matches!(
        monitor,
        Monitor::HeldSlips { .. } | Monitor::HeldTurns { .. } | Monitor::PadsEmpty { .. }
    )
}

/// Pushes down on a bar that is held off its middle, so that it rotates between the pads.
#[test]
fn what_turns_in_the_hand_is_felt_at_once() {
    let yaw = 0.3_f64;
    let beside = at(X + 0.05 * yaw.cos(), Y + 0.05 * yaw.sin(), 0.015, yaw);
    let bar = block("bar", [0.1, 0.015, 0.015], 0.2, beside);
    let mut lab = lab_with(bar);
    lab.pick_up_at(X, Y, 0.015, yaw, 40.0);
    lab.go(&down(X, Y, 0.2, yaw), 1.0);
    let motion = lab.straight(&down(X, Y + 0.2, 0.25, yaw), 1.2);
    let turns = Watch::of(monitors().of_grip(0.03).into_iter().filter(is_turn));
    let calm = lab.snapshot();
    let report = lab.follow(&motion, &turns);
    assert_eq!(report.end, MotionEnd::Completed, "without a disturbance");
    lab.restore(&calm);
    lab.disturb_in(0.5, push("bar", [0.0, 0.0, -70.0]));
    let (stop, _) = provoked(&mut lab, &motion, &turns, 0.5);
    assert!(is_turn(&stop.monitor) && stop.measured > 0.2, "{stop:?}");
}

fn is_turn(monitor: &Monitor) -> bool {
    matches!(monitor, Monitor::HeldTurns { .. })
}

/// Fingers that close on nothing take some time, but passing the limit must be reported in the same
/// step.
#[test]
fn fingers_that_close_too_far_are_reported_in_the_same_step() {
    let mut lab = lab_with(small());
    lab.pick_up_at(X, Y, 0.02, 0.3, 20.0);
    lab.go(&down(X, Y, 0.2, 0.3), 1.0);
    let lost = Watch::of(monitors().of_grip(0.04).into_iter().filter(is_lost));
    let gone = removed("cube");
    lab.disturb(When::Now, gone);
    let q = lab.observe().joint_positions;
    let standing = joint_move(&q, &q, 1.0);
    let calm = lab.snapshot();
    let dt = lab.world.dt_secs();
    let mut passed_secs = 0.0;
    while lab.observe().gripper.width_m >= 0.7 * 0.04 {
        lab.wait(dt);
        passed_secs += dt;
        assert!(passed_secs < 1.0, "the limit is not passed within 1 s");
    }
    lab.restore(&calm);
    let report = lab.follow(&standing, &lost);
    let stop = stop_of(&report.end);
    let late = stop.at_secs - passed_secs;
    assert!(late.abs() < 1e-9, "reported {:.1} ms late", 1e3 * late);
    // Both fingers close at 0.1 m/s, 12 mm take 0.12 s, and the start takes 60 ms.
    assert!(passed_secs < 0.2, "they took {passed_secs:.3} s");
}

fn is_lost(monitor: &Monitor) -> bool {
    matches!(monitor, Monitor::GripLost { .. })
}

/// A joint slower than the speed monitor detects is noticed when it lags by the position limit.
#[test]
fn a_slow_joint_that_is_held_is_reported_as_soon_as_it_is_off() {
    let mut lab = lab_with(small());
    let (shift, secs) = (0.1, 2.0);
    let turn = lab.swing(0, shift, secs);
    lab.disturb_in(0.6, blocked("panda_joint1"));
    let travelled = |t: f64| shift * (min_jerk(t / secs) - min_jerk(0.6 / secs));
    let mut off_secs = 0.6;
    while travelled(off_secs) < 0.01 {
        off_secs += 1e-3;
    }
    let report = lab.follow(&turn, &usual(None));
    let stop = stop_of(&report.end);
    let late = stop.at_secs - off_secs;
    let what = "reported after the limit was passed, s";
    within(what, late, -0.02..=LATENCY_SECS);
    assert_eq!(stop.joint.as_deref(), Some("panda_joint1"));
}
