//! The monitors under the limits that robots use, provoked in the physics: why, where,
//! how soon after the cause, what the arm then does, and that nothing else fires them.

mod common;

use common::{Lab, at, block, cube, down, joint_move, object, table};
use regrasp_api::{
    GripperCommand, GripperEnd, Monitor, MonitorStop, MotionEnd, ObjectId, Shape, Trajectory,
    Watch, World, usual_arm_monitors, usual_finger_monitor, usual_grip_monitors,
};
use regrasp_scene::SceneObject;
use regrasp_sim::{Disturbance, When};

/// A monitor must end a motion this soon after the cause, s.
const LATENCY_SECS: f64 = 0.02;
/// Where things are picked up in these tests.
const X: f64 = 0.42;
const Y: f64 = -0.12;

fn watch(monitors: impl IntoIterator<Item = Monitor>) -> Watch {
    Watch {
        monitors: monitors.into_iter().collect(),
        ..Watch::default()
    }
}

fn usual(held_width_m: Option<f64>) -> Watch {
    let grip = held_width_m.map(usual_grip_monitors).into_iter().flatten();
    watch(grip.chain(usual_arm_monitors(vec![])))
}

/// Any touch at all.
fn first_touch() -> Watch {
    watch([Monitor::UnexpectedContact {
        max_force_n: 0.0,
        allowed_links: vec![],
    }])
}

fn stop_of(end: &MotionEnd) -> &MonitorStop {
    match end {
        MotionEnd::Stopped(stop) => stop,
        end => panic!("a monitor ended the motion, not {end:?}"),
    }
}

fn swing(lab: &mut Lab, joint: usize, way: f64, secs: f64) -> Trajectory {
    let from = lab.world.observe().joint_positions;
    let mut to = from.clone();
    to[joint] += way;
    joint_move(&from, &to, secs)
}

fn disturb(lab: &Lab, when: When, disturbance: Disturbance) {
    let scheduled = lab.world.faults().disturb(when, disturbance);
    scheduled.expect("it can be disturbed so");
}

fn push(id: &str, force_in_world: [f64; 3]) -> Disturbance {
    Disturbance::PushObject {
        object: ObjectId::new(id),
        force_in_world,
        duration_secs: 0.01,
    }
}

/// Follows a trajectory in which something goes wrong some time after its start, and
/// checks what holds for every stop: it comes soon, and leaves the arm standing within
/// its limits, and the gripper doing what it did.
fn provoked(
    lab: &mut Lab,
    trajectory: &Trajectory,
    watch: &Watch,
    cause_secs: f64,
) -> (MonitorStop, f64) {
    let before = lab.world.observe();
    let report = lab.world.follow(trajectory, watch);
    let stop = stop_of(&report.end).clone();
    let latency = stop.at_secs - cause_secs;
    assert!(
        latency > 0.0 && latency <= LATENCY_SECS + 1e-9,
        "noticed {:.1} ms after the cause: {stop:?}",
        1e3 * latency
    );
    let stopping = report.duration_secs - stop.at_secs;
    assert!(stopping <= 0.05, "stopping took {stopping:.3} s");
    stands(lab);
    let force_n = report.after.gripper.grip_force_n;
    assert_eq!(force_n, before.gripper.grip_force_n, "the grip is kept");
    (stop, latency)
}

fn stands(lab: &mut Lab) {
    // The servos' time constant is 0.1 s: what was pushed comes back.
    let stopped = lab.world.wait(0.5).expect("nothing breaks");
    let later = lab.world.wait(0.5).expect("nothing breaks");
    let limits = lab.panda.chain.limits();
    for (i, limit) in limits.iter().enumerate() {
        let (q, crept) = (
            later.joint_positions[i],
            (later.joint_positions[i] - stopped.joint_positions[i]).abs(),
        );
        assert!(crept < 2e-3, "joint {i} went on for {crept:.5} rad");
        assert!(
            q >= limit.lower - 1e-3 && q <= limit.upper + 1e-3,
            "joint {i} is within its limits at {q:.3}"
        );
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

/// Pulls at or oils a cube in the hand, in a motion, and checks what is told.
fn grip_fails(in_transport: bool, disturbance: Disturbance, may_be: fn(&Monitor) -> bool) {
    let mut lab = lab_with(small());
    lab.pick_up_at(X, Y, 0.02, 0.3, 20.0);
    let motion = if in_transport {
        lab.go(&down(X, Y, 0.25, 0.3), 1.0);
        lab.straight(&down(X, Y + 0.35, 0.25, 0.3), 1.2)
    } else {
        lab.straight(&down(X, Y, 0.25, 0.3), 1.2)
    };
    let calm = lab.world.snapshot().expect("a snapshot");
    let report = lab.world.follow(&motion, &usual(Some(0.04)));
    assert_eq!(
        report.end,
        MotionEnd::Completed,
        "undisturbed, it goes well"
    );
    let slip_mm = 1e3 * report.after.gripper.slip_m;
    assert!(slip_mm < 1.0, "well held, it slides {slip_mm:.2} mm");
    lab.world.restore(&calm).expect("it restores");

    let cause_secs = 0.5;
    let time_secs = lab.world.observe().time_secs + cause_secs;
    disturb(&lab, When::At { time_secs }, disturbance);
    let (stop, _) = provoked(&mut lab, &motion, &usual(Some(0.04)), cause_secs);
    assert!(may_be(&stop.monitor), "{stop:?}");
}

fn is_slip(monitor: &Monitor) -> bool {
    matches!(monitor, Monitor::HeldSlips { .. })
}

#[test]
fn what_is_pulled_out_of_the_hand_is_felt_at_once() {
    // Two pads hold 40 N: 42 N pull slowly, 80 N tear it out.
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
        grip_fails(in_transport, weak, |monitor| {
            matches!(
                monitor,
                Monitor::PadsEmpty { .. } | Monitor::HeldSlips { .. }
            )
        });
        let gone = Disturbance::RemoveObject {
            object: ObjectId::new("cube"),
        };
        grip_fails(in_transport, gone, |monitor| {
            matches!(monitor, Monitor::PadsEmpty { .. })
        });
    }
}

/// A wall appears in the way of a fast swing, or a heavy ball falls on the elbow.
#[test]
fn an_obstacle_in_the_path_is_felt_and_placed() {
    let half_extents = [0.02, 0.3, 0.4];
    let far = at(3.0, 3.0, 0.4, 0.0);
    let wall = object("wall", Shape::Box { half_extents }, None, far);
    let ball = object(
        "ball",
        Shape::Sphere { radius: 0.06 },
        Some(4.0),
        at(0.9, 0.5, 0.06, 0.0),
    );
    let mut lab = Lab::new(vec![table(), wall, ball]);
    let calm = lab.world.snapshot().expect("a snapshot");
    // Falls from 0.2 s on onto where the hand is at 0.6 s, 0.78 m below.
    let mut q = lab.world.observe().joint_positions;
    q[0] += 1.6 * common::min_jerk(0.6 / 1.6);
    let world_from_tool = common::world_from_base() * lab.panda.chain.forward(&q);
    let under = world_from_tool.translation.vector;
    let above = at(under.x, under.y, under.z + 0.95, 0.0);
    for (id, to) in [("wall", at(0.1, 0.6, 0.4, 0.0)), ("ball", above)] {
        lab.world.restore(&calm).expect("it restores");
        let turn = swing(&mut lab, 0, 1.6, 1.6);
        let report = lab.world.follow(&turn, &usual(None));
        assert_eq!(report.end, MotionEnd::Completed, "the way is free");
        lab.world.restore(&calm).expect("it restores");
        let appears = Disturbance::MoveObject {
            object: ObjectId::new(id),
            world_from_object: to,
        };
        let time_secs = lab.world.observe().time_secs + 0.2;
        disturb(&lab, When::At { time_secs }, appears);
        let waiting = lab.world.snapshot().expect("a snapshot");
        let touched = lab.world.follow(&turn, &first_touch());
        let cause_secs = stop_of(&touched.end).at_secs - lab.world.dt_secs();
        lab.world.restore(&waiting).expect("it restores");
        let before = lab.world.observe().time_secs;
        let report = lab.world.follow(&turn, &usual(None));
        let truth = lab.object(id);
        let stop = stop_of(&report.end).clone();
        let contact = stop.contact.clone().expect("the contact is told");
        assert!(before < report.after.time_secs && !contact.through_held);
        let apart = truth.world_from_object.inverse() * nalgebra::Point3::from(contact.point());
        let reach = truth.shape.aabb(&regrasp_api::Pose::identity()).max;
        for i in 0..3 {
            let beyond = apart[i].abs() - reach[i];
            assert!(
                beyond < 0.02,
                "the contact is at the {id}, not {beyond:.3} m beside it"
            );
        }
        lab.world.restore(&waiting).expect("it restores");
        let (again, _) = provoked(&mut lab, &turn, &usual(None), cause_secs);
        assert_eq!(again, stop, "the same again");
    }
}

#[test]
fn what_is_held_feels_obstacles_too() {
    let half_extents = [0.3, 0.02, 0.1];
    let wall = object(
        "wall",
        Shape::Box { half_extents },
        None,
        at(0.45, 0.25, 0.1, 0.0),
    );
    let bar = block("bar", [0.015, 0.015, 0.08], 0.1, at(X, Y, 0.08, 0.3));
    let mut lab = Lab::new(vec![table(), wall, bar]);
    lab.pick_up_at(X, Y, 0.13, 0.3, 40.0);
    lab.go(&down(X, Y, 0.25, 0.3), 1.0);
    // The wall is 0.2 m high: the bar's lower end meets it, far below the fingers.
    let across = lab.straight(&down(X, Y + 0.6, 0.25, 0.3), 1.5);
    let strict = watch([Monitor::UnexpectedContact {
        max_force_n: 5.0,
        allowed_links: vec![],
    }]);
    let ready = lab.world.snapshot().expect("a snapshot");
    let touched = lab.world.follow(&across, &first_touch());
    let cause_secs = stop_of(&touched.end).at_secs - lab.world.dt_secs();
    lab.world.restore(&ready).expect("it restores");
    let (stop, _) = provoked(&mut lab, &across, &strict, cause_secs);
    let contact = stop.contact.expect("the contact is told");
    assert!(
        contact.through_held && contact.link == "panda_hand",
        "felt through the bar: {contact:?}"
    );
    lab.world.restore(&ready).expect("it restores");
    // Under the usual limits the bar turns or slides before the force gets there.
    provoked(&mut lab, &across, &usual(Some(0.03)), cause_secs);
}

#[test]
fn a_joint_that_is_held_is_named() {
    for (joint, name) in [
        (0, "panda_joint1"),
        (3, "panda_joint4"),
        (5, "panda_joint6"),
    ] {
        let mut lab = lab_with(small());
        let turn = swing(&mut lab, joint, 0.8, 1.2);
        let blocked = Disturbance::BlockJoint {
            joint: name.to_owned(),
        };
        let time_secs = lab.world.observe().time_secs + 0.4;
        disturb(&lab, When::At { time_secs }, blocked);
        let (stop, _) = provoked(&mut lab, &turn, &usual(None), 0.4);
        assert_eq!(stop.joint.as_deref(), Some(name), "{stop:?}");
        assert!(matches!(
            stop.monitor,
            Monitor::SpeedError { .. } | Monitor::TrackingError { .. }
        ));
    }
}

#[test]
fn an_arm_that_is_held_by_force_feels_it() {
    let mut lab = lab_with(small());
    let turn = swing(&mut lab, 0, 1.0, 1.2);
    let time_secs = lab.world.observe().time_secs + 0.4;
    // The hand swings towards +y.
    let hold = |force_n: f64| Disturbance::PushLink {
        link: "panda_link7".to_owned(),
        force_in_world: [0.0, -force_n, 0.0],
        duration_secs: 0.05,
    };
    let calm = lab.world.snapshot().expect("a snapshot");
    disturb(&lab, When::At { time_secs }, hold(60.0));
    let (stop, _) = provoked(&mut lab, &turn, &usual(None), 0.4);
    let contact = stop.contact.expect("the touch is told");
    assert_eq!(
        (contact.link.as_str(), contact.force_n),
        ("panda_link7", 60.0)
    );
    // An arm that only knows its joints notices what the servo cannot overcome.
    lab.world.restore(&calm).expect("it restores");
    disturb(&lab, When::At { time_secs }, hold(250.0));
    let [_, error, speed] = usual_arm_monitors(vec![]);
    let (stop, _) = provoked(&mut lab, &turn, &watch([error, speed]), 0.4);
    assert!(stop.joint.is_some(), "{stop:?}");
}

/// Opens the hand under the usual monitor until something stops a finger.
fn blocked_finger(lab: &mut Lab, watch: &Watch) -> (MonitorStop, f64) {
    let before = lab.world.observe().time_secs;
    let command = GripperCommand::MoveTo {
        width_m: 0.08,
        speed_m_per_s: 0.1,
    };
    let report = lab.world.command_gripper(command, watch);
    let GripperEnd::Stopped(stop) = report.end else {
        panic!("the fingers were stopped, not {:?}", report.end);
    };
    assert!((report.after.time_secs - before - stop.at_secs).abs() < 1e-9);
    (stop, report.after.gripper.width_m)
}

#[test]
fn fingers_that_are_stopped_while_opening_say_which_and_by_what() {
    let post = object(
        "post",
        Shape::Box {
            half_extents: [0.03, 0.03, 0.04],
        },
        None,
        at(3.0, 3.0, 0.2, 0.0),
    );
    let mut lab = Lab::new(vec![table(), small(), post]);
    lab.reach(&down(X, 0.2, 0.2, 0.0), 2.0);
    lab.open(0.01);
    let calm = lab.world.snapshot().expect("a snapshot");
    let finger = watch([usual_finger_monitor()]);
    let command = GripperCommand::MoveTo {
        width_m: 0.08,
        speed_m_per_s: 0.1,
    };
    let free = lab.world.command_gripper(command, &finger);
    assert_eq!(free.end, GripperEnd::Reached, "nothing is in the way");
    lab.world.restore(&calm).expect("it restores");
    // Its near side is 4 cm from the middle of the hand: between the finger's outer
    // side when it is closed and when it is open.
    let beside = Disturbance::MoveObject {
        object: ObjectId::new("post"),
        world_from_object: at(X, 0.2 + 0.04 + 0.03, 0.18, 0.0),
    };
    disturb(&lab, When::Now, beside);
    lab.world.wait(0.01).expect("nothing breaks");
    let ready = lab.world.snapshot().expect("a snapshot");
    let (touch, _) = blocked_finger(&mut lab, &first_touch());
    let cause_secs = touch.at_secs - lab.world.dt_secs();
    lab.world.restore(&ready).expect("it restores");
    let (stop, width) = blocked_finger(&mut lab, &finger);
    let latency = stop.at_secs - cause_secs;
    assert!(
        latency <= LATENCY_SECS,
        "noticed after {:.1} ms",
        1e3 * latency
    );
    let contact = stop.contact.clone().expect("the contact is told");
    assert!(contact.link.contains("finger"), "{contact:?}");
    let joint = stop.joint.clone().expect("the joint is told");
    let touching = lab.object("post").touches_links;
    assert_eq!(touching, [contact.link], "{joint} is blocked by the post");
    let later = lab.world.wait(0.5).expect("nothing breaks").gripper;
    assert!((later.width_m - width).abs() < 5e-4, "the fingers stay");

    lab.world.restore(&calm).expect("it restores");
    let time_secs = lab.world.observe().time_secs + 0.3;
    disturb(&lab, When::At { time_secs }, Disturbance::StuckGripper);
    let (stop, _) = blocked_finger(&mut lab, &finger);
    let latency = stop.at_secs - 0.3;
    assert!(latency > 0.0 && latency <= LATENCY_SECS, "{stop:?}");
    assert!(stop.contact.is_none() && stop.joint.is_some(), "{stop:?}");
}

/// Fast moves with an empty hand and with things of flat sides in it. (Cans, held along
/// a line, tilt in the hand by more than the limit as they are lifted.)
#[test]
fn nothing_fires_when_nothing_is_wrong() {
    let things: Vec<(&str, Option<(SceneObject, f64, f64)>)> = vec![
        ("nothing", None),
        (
            "a cube of 6 g",
            Some((cube("held", 0.024, X, Y, 0.3), 0.012, 0.024)),
        ),
        (
            "a cube of 26 g",
            Some((cube("held", 0.04, X, Y, 0.3), 0.02, 0.04)),
        ),
        (
            "a block of 300 g",
            Some((
                block("held", [0.025, 0.025, 0.04], 0.3, at(X, Y, 0.04, 0.3)),
                0.05,
                0.05,
            )),
        ),
        (
            "a long bar of 200 g",
            Some((
                block("held", [0.1, 0.015, 0.015], 0.2, at(X, Y, 0.015, 0.3)),
                0.015,
                0.03,
            )),
        ),
    ];
    for (name, thing) in things {
        let mut lab = match &thing {
            Some((object, ..)) => lab_with(object.clone()),
            None => Lab::new(vec![table()]),
        };
        let width = thing.as_ref().map(|(_, _, width)| *width);
        match &thing {
            Some((_, z, _)) => lab.pick_up_at(X, Y, *z, 0.3, 20.0),
            None => lab.reach(&down(X, Y, 0.14, 0.3), 2.0),
        }
        let mut moves: Vec<Box<dyn Fn(&mut Lab) -> Trajectory>> = vec![
            Box::new(|lab| lab.straight(&down(X, Y, 0.35, 0.3), 0.8)),
            Box::new(|lab| swing(lab, 0, 1.6, 1.6)),
            Box::new(|lab| swing(lab, 0, -1.6, 1.6)),
            Box::new(|lab| swing(lab, 6, 1.5, 1.2)),
        ];
        moves.push(Box::new(|lab| lab.straight(&down(X, Y, 0.2, 0.3), 0.8)));
        for (i, plan) in moves.iter().enumerate() {
            let motion = plan(&mut lab);
            let report = lab.world.follow(&motion, &usual(width));
            assert_eq!(report.end, MotionEnd::Completed, "{name}, move {i}");
        }
    }
}
