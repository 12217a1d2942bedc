//! Both directions on loopback: an arm that is offered to ROS, and a world that drives it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use regrasp_api::{
    Aabb, CameraView, GripperCommand, GripperEnd, GripperInfo, Knot, MotionEnd, MotionReport,
    RobotErrorKind, Trajectory, Watch, World,
};
use regrasp_testkit::near;
use tokio::sync::Notify;

use crate::{
    ArmJoint, ArmSettings, Body, ConnectError, FingerJoints, NodeSettings, OfferedRobot, Order,
    Outcome, Pending, RobotFacts, RosArm, RosFrame, ServerSettings, Snapshot, serve,
};

/// Width of the object between the fingers, m.
const THING_M: f64 = 0.03;
/// Force of the only grasp, N.
const FORCE_N: f64 = 30.0;

/// Behaviours of a controller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    Right,
    /// Reports its joints at 2 Hz only.
    Slow,
    /// Ends every motion half-way.
    Aborts,
    /// Never moves and never ends, unless it is stopped.
    Hangs,
}

/// Two joints and a gripper that follow their commands exactly.
struct Arm {
    facts: RobotFacts,
    manner: Manner,
    state: Mutex<State>,
    began: Instant,
}

#[derive(Clone)]
struct State {
    from: Vec<f64>,
    motion: Option<(Trajectory, Instant)>,
    width_m: f64,
    stop: Arc<Notify>,
}

impl Arm {
    fn joints(&self) -> Vec<f64> {
        let state = self.state.lock().clone();
        let Some((motion, since)) = state.motion else {
            return state.from;
        };
        let (mut q, mut v) = (vec![0.0; 2], vec![0.0; 2]);
        motion.sample(since.elapsed().as_secs_f64(), &mut q, &mut v);
        q
    }

    fn rest(&self) {
        let now = self.joints();
        let state = &mut *self.state.lock();
        (state.from, state.motion) = (now, None);
    }
}

/// Arm that the server shares with the test.
struct Shared(Arc<Arm>);

impl OfferedRobot for Shared {
    fn facts(&self) -> &RobotFacts {
        &self.0.facts
    }

    fn snapshot(&self) -> Option<Snapshot> {
        Some(Snapshot {
            world: 1,
            time_secs: self.0.began.elapsed().as_secs_f64(),
            is_simulated: true,
            joint_positions: self.0.joints(),
            joint_velocities: vec![0.0; 2],
            gripper_width_m: self.0.state.lock().width_m,
            frames: vec![RosFrame {
                parent: "world".into(),
                name: "base".into(),
                parent_from_frame: regrasp_api::Pose::identity(),
                is_fixed: false,
            }],
        })
    }

    fn bodies(&self) -> Vec<Body> {
        vec![]
    }

    fn cameras(&self) -> Vec<CameraView> {
        vec![]
    }

    fn picture(&self, _: &str) -> Option<(CameraView, Vec<u8>)> {
        None
    }

    fn begin(&self, order: Order) -> Result<Pending, String> {
        let arm = Arc::clone(&self.0);
        let stop = Arc::new(Notify::new());
        self.0.state.lock().stop = Arc::clone(&stop);
        let of = |success, reason: &str| Outcome {
            success,
            reason: reason.into(),
            detail: String::new(),
        };
        let secs = match order {
            Order::Run(_) => return Err("this arm runs no texts".into()),
            Order::Grip(command) => {
                arm.state.lock().width_m = match command {
                    GripperCommand::MoveTo { width_m, .. } => width_m,
                    GripperCommand::Grasp { force_n, .. } => {
                        assert!((force_n - FORCE_N).abs() < 1e-9, "{force_n} N");
                        THING_M
                    }
                };
                0.05
            }
            Order::Follow(motion) => {
                let secs = motion.duration_secs();
                if arm.manner != Manner::Hangs {
                    arm.state.lock().motion = Some((motion, Instant::now()));
                }
                match arm.manner {
                    Manner::Right | Manner::Slow => secs,
                    Manner::Aborts => 0.5 * secs,
                    Manner::Hangs => 1e6,
                }
            }
        };
        let aborts = arm.manner == Manner::Aborts;
        Ok(Box::pin(async move {
            let was_stopped = tokio::select! {
                () = tokio::time::sleep(Duration::from_secs_f64(secs)) => false,
                () = stop.notified() => true,
            };
            arm.rest();
            match (was_stopped, aborts) {
                (true, _) => of(false, "cancelled"),
                (false, true) => of(false, "unexpected_contact"),
                (false, false) => of(true, "success"),
            }
        }))
    }

    fn progress(&self) -> String {
        String::new()
    }

    fn stop(&self) {
        self.0.state.lock().stop.notify_one();
    }
}

fn facts(upper: f64) -> RobotFacts {
    let joint = |name: &str| ArmJoint {
        name: name.into(),
        lower: -2.0,
        upper,
        velocity: 2.0,
    };
    RobotFacts {
        description: "<robot name='two'/>".into(),
        arm: vec![joint("shoulder"), joint("elbow")],
        // A linkage that closes at half a radian.
        fingers: FingerJoints {
            names: vec!["drive".into()],
            position_by_width: vec![[0.0, 0.5], [0.04, 0.2], [0.08, 0.0]],
        },
        gripper: GripperInfo {
            max_width_m: 0.08,
            max_force_n: 70.0,
            default_speed_m_per_s: 0.1,
            ..regrasp_testkit::gripper_info()
        },
    }
}

/// A served arm, on a domain of its own.
struct Bench {
    arm: Arc<Arm>,
    settings: ArmSettings,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Bench {
    fn new(manner: Manner, upper: f64) -> Self {
        /// Counter of ROS domains, so that tests that run at the same time do not share one.
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let domain = (std::process::id() % 200) as u16 + NEXT.fetch_add(1, Ordering::Relaxed);
        let node = NodeSettings {
            domain: domain % 230,
            ..NodeSettings::default()
        };
        let arm = Arc::new(Arm {
            facts: facts(upper),
            manner,
            state: Mutex::new(State {
                from: vec![0.0; 2],
                motion: None,
                width_m: 0.08,
                stop: Arc::default(),
            }),
            began: Instant::now(),
        });
        let offered: Arc<dyn OfferedRobot> = Arc::new(Shared(Arc::clone(&arm)));
        let server = ServerSettings {
            node: node.clone(),
            rate_hz: if manner == Manner::Slow { 2.0 } else { 100.0 },
            camera_hz: 1.0,
        };
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let served = serve(
                &offered,
                &server,
                || (),
                async move { stopped.notified().await },
            );
            served.expect("the server runs until it is stopped");
        });
        let settings = ArmSettings {
            node,
            speed: 1.0,
            approve_first_motion: false,
            connect_secs: 20.0,
            workspace_in_base_m: Aabb::new([-1.0; 3], [1.0; 3]),
            ..ArmSettings::default()
        };
        Self {
            arm,
            settings,
            stop,
            thread: Some(thread),
        }
    }

    /// Connects to the arm with the facts that it has.
    fn arm(&self) -> RosArm {
        self.connect(facts(2.0)).expect("the arm connects")
    }

    /// Returns the error of a connection with other facts.
    fn refusal(&self, facts: RobotFacts) -> String {
        let error = self.connect(facts).err().map(|error| error.to_string());
        error.unwrap_or_default()
    }

    fn connect(&self, facts: RobotFacts) -> Result<RosArm, ConnectError> {
        let tool = Box::new(|q: &[f64]| [0.2 * q[0], 0.0, 0.0]);
        RosArm::connect(facts, self.settings.clone(), tool, Box::new(|_| false))
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn motion(to: [f64; 2], secs: f64) -> Trajectory {
    Trajectory::new(vec![Knot::at_rest(0.0, [0.0; 2]), Knot::at_rest(secs, to)])
}

/// Follows a motion that is cancelled after this time.
#[track_caller]
fn cancelled(arm: &mut RosArm, motion: &Trajectory, after_ms: u64) -> MotionReport {
    let watch = Watch::default();
    let token = watch.cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(after_ms));
        token.cancel();
    });
    let report = arm
        .follow(motion, &watch)
        .expect("the motion can be cancelled");
    drop(stopper.join());
    let is_cancelled = matches!(report.end, MotionEnd::Cancelled { .. });
    assert!(is_cancelled, "{:?}", report.end);
    report
}

#[test]
fn a_motion_is_followed_and_what_is_between_the_fingers_is_felt() {
    let bench = Bench::new(Manner::Right, 2.0);
    let mut arm = bench.arm();
    let report = arm.follow(&motion([0.4, -0.3], 0.8), &Watch::default());
    let report = report.expect("the motion can be followed");
    assert_eq!(report.end, MotionEnd::Completed);
    assert!((report.after.joint_positions[1] + 0.3).abs() < 1e-6);
    let speed_m_per_s = 0.1;
    let grasp = GripperCommand::grasp(FORCE_N, speed_m_per_s);
    let mut grip = |command| {
        let report = arm.command_gripper(command, &Watch::default());
        report.expect("the gripper answers")
    };
    let held = grip(grasp);
    assert_eq!(held.end, GripperEnd::Stalled);
    let gripper = held.after.gripper;
    near("the width, m", gripper.width_m, THING_M, 1e-9);
    assert!(gripper.holds(0.02), "{gripper:?}");
    let open = GripperCommand::move_to(0.06, speed_m_per_s);
    let opened = grip(open);
    assert_eq!(opened.end, GripperEnd::Reached);
    assert!(!opened.after.gripper.holds(0.02));
}

#[test]
fn a_stop_reaches_the_controller_and_the_arm_holds_where_it_is() {
    let bench = Bench::new(Manner::Right, 2.0);
    let mut arm = bench.arm();
    let report = cancelled(&mut arm, &motion([0.8, 0.0], 3.0), 600);
    let stopped_at = report.after.joint_positions[0];
    std::thread::sleep(Duration::from_millis(100));
    assert!(stopped_at < 0.7 && (bench.arm.joints()[0] - stopped_at).abs() < 0.05);
}

#[test]
fn what_a_controller_does_wrong_is_an_error_with_its_kind() {
    use Manner::{Aborts, Right, Slow};
    use RobotErrorKind::{LimitViolated, Reflex, StaleState, StartMismatch};
    let far = motion([0.4, 0.0], 0.5);
    let beyond = motion([6.0, 0.0], 9.0);
    let mut elsewhere = motion([0.4, 0.0], 0.5).knots().to_vec();
    elsewhere
        .iter_mut()
        .for_each(|knot| knot.position[0] += 0.3);
    let elsewhere = Trajectory::new(elsewhere);
    for (manner, upper, motion, kind, word) in [
        (Aborts, 2.0, &far, Reflex, "unexpected_contact"),
        (Right, 0.2, &far, LimitViolated, "rejected"),
        (Slow, 2.0, &far, StaleState, "old"),
        (Right, 2.0, &elsewhere, StartMismatch, "shoulder is at"),
        (Right, 9.0, &beyond, LimitViolated, "workspace at 1."),
    ] {
        let bench = Bench::new(manner, upper);
        let mut arm = match bench.connect(facts(9.0)) {
            Ok(arm) => arm,
            // A state may be old at once.
            Err(error) if kind == StaleState => {
                assert!(error.to_string().contains(word), "{error}");
                continue;
            }
            Err(error) => panic!("{manner:?}: {error}"),
        };
        let outcome = arm.follow(motion, &Watch::default());
        let error = outcome.expect_err(word);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.detail.contains(word), "{error}");
    }
}

#[test]
fn a_controller_that_never_ends_is_cancelled_and_nothing_moves_without_approval() {
    let mut bench = Bench::new(Manner::Hangs, 2.0);
    bench.settings.approve_first_motion = true;
    let mut arm = bench.arm();
    let refused = arm.follow(&motion([0.4, 0.0], 0.5), &Watch::default());
    let refused = refused.expect_err("nobody approves");
    assert_eq!(refused.kind, RobotErrorKind::NotApproved);
    drop(arm);
    bench.settings.approve_first_motion = false;
    let mut arm = bench.arm();
    cancelled(&mut arm, &motion([0.4, 0.0], 0.5), 300);
}

#[test]
fn joints_of_another_arm_and_an_empty_domain_are_told() {
    let bench = Bench::new(Manner::Right, 2.0);
    let mut other = facts(2.0);
    other.arm[1].name = "wrist".into();
    let error = bench.refusal(other);
    assert!(error.contains("no position of wrist"), "{error}");
    let mut nobody = Bench::new(Manner::Right, 2.0);
    nobody.settings.node.domain = 231;
    nobody.settings.connect_secs = 0.3;
    let error = nobody.refusal(facts(2.0));
    assert!(error.contains("no message on /joint_states"), "{error}");
}

#[test]
fn joints_of_a_linkage_are_commanded_by_width_and_force() {
    let fingers = facts(2.0).fingers;
    for (width_m, position, effort) in [
        // The first 40 mm of width take 0.3 rad, the next 40 mm 0.2 rad; both lines continue
        // beyond the ends.
        (0.02, 0.35, 0.04 / 0.3),
        (0.04, 0.2, 0.04 / 0.3),
        (0.06, 0.1, 0.04 / 0.2),
        (0.09, -0.05, 0.04 / 0.2),
    ] {
        let found = fingers.position(width_m);
        near("the position, rad", found, position, 1e-12);
        near("the width, m", fingers.width_m(position), width_m, 1e-12);
        let found = fingers.effort_by_force(width_m);
        near("the torque by force, m", found, effort, 1e-12);
    }
    let sliding = FingerJoints::sliding(vec!["left".into(), "right".into()], 0.08);
    near("half of the width, m", sliding.position(0.03), 0.015, 1e-12);
    let by_force = sliding.effort_by_force(0.03);
    near("the force by force", by_force, 1.0, 1e-12);
}
