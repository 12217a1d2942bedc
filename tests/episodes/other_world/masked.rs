//! A hand without tactile pads, in the simulator.

use regrasp::api::{
    Capabilities, GripperCommand, GripperReport, MotionReport, Observation, Reason, RobotError,
    Sense, Trajectory, Watch, World,
};
use regrasp::robot::Robot;
use regrasp::sim::When;
use serde_json::json;

use crate::common::{at, call, cell, cube, of, on, remove, scene};
use regrasp_testkit::says;

type Result<T, E = RobotError> = std::result::Result<T, E>;

/// World that hides the sensors of fingers and contacts, and that cannot be rewound.
struct Masked(Box<dyn World>);

fn masked(mut observation: Observation) -> Observation {
    observation.gripper.finger_contact = None;
    observation.gripper.slip_m = None;
    observation.contacts.clear();
    observation
}

impl World for Masked {
    fn time_secs(&self) -> f64 {
        self.0.time_secs()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            finger_contacts: false,
            shear: false,
            contact_forces: false,
            ..self.0.capabilities()
        }
    }

    fn observe(&mut self) -> Result<Observation> {
        self.0.observe().map(masked)
    }

    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        let report = self.0.follow(trajectory, watch)?;
        Ok(MotionReport {
            after: masked(report.after),
            ..report
        })
    }

    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> Result<GripperReport> {
        let report = self.0.command_gripper(command, watch)?;
        Ok(GripperReport {
            after: masked(report.after),
            ..report
        })
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        self.0.wait(duration_secs).map(masked)
    }
}

pub(crate) fn blinded(mut robot: Robot) -> Robot {
    robot.world = Box::new(Masked(robot.world));
    robot
}

#[test]
fn a_hand_without_pads_picks_places_and_notices_what_is_lost() {
    let things = || {
        let green = cube("green_cube", 0.025, 0.42, 0.15);
        scene([cube("red_cube", 0.02, 0.42, -0.12), green])
    };
    let mut robot = blinded(cell(&things()).robot);
    for (skill, args) in [("pick", of("red cube")), ("place_on", on("green cube"))] {
        let result = call(&mut robot, skill, args);
        assert!(result.success, "{skill}: {}", result.reason_detail);
        assert!(!result.verified_by.contains(&Sense::FingerContacts));
    }

    let cell = cell(&things());
    let faults = cell.sim().unwrap().faults.clone();
    let mut robot = blinded(cell.robot);
    assert!(call(&mut robot, "pick", of("red cube")).success);
    let soon = at(robot.time_secs() + 0.2);
    faults.disturb(soon, remove("red_cube")).unwrap();
    let place = json!({"x": 0.4, "y": 0.2, "z": 0.35});
    let carried = call(&mut robot, "carry_to", place);
    assert_eq!(carried.reason, Some(Reason::ObjectDropped), "{carried:?}");
    says(&carried.reason_detail, &["finger distance"]);
    assert_eq!(robot.held, None);
}

#[test]
fn fingers_without_pads_that_close_on_nothing_say_so() {
    let cell = cell(&scene([cube("red_cube", 0.02, 0.42, -0.12)]));
    let faults = cell.sim().unwrap().faults.clone();
    let mut robot = blinded(cell.robot);
    let closed = When::AfterClosing { delay_secs: 0.0 };
    faults.disturb(closed, remove("red_cube")).unwrap();
    let result = call(&mut robot, "pick", of("red cube"));
    assert_eq!(result.reason, Some(Reason::GraspMissed), "{result:?}");
}
