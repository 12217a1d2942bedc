//! Construction and settling of a world.

use rapier3d_f64::prelude::{
    ColliderHandle, IntegrationParameters, PhysicsWorld, SpringCoefficients,
};
use regrasp_api::GripperCommand;
use regrasp_kinematics::RobotModel;
use regrasp_scene::{RobotFile, Scene};

use crate::build_objects::build_objects;
use crate::build_robot::{build_robot, place_joints};
use crate::contact_log::ContactLog;
use crate::fault_state::FaultState;
use crate::layout::{Layout, ObjectLayout, Owner, Owners, RobotLayout};
use crate::observers::Observers;
use crate::presses::PressCount;
use crate::rest::{Unrest, come_to_rest};
use crate::simulation::{Simulation, floor_z};
use crate::snapshot::identity;
use crate::soft_contact::is_curved;
use crate::state::{GripState, JointState, State, Targets};
use crate::tactile::Shear;
use crate::{Result, SimError, SimOptions};

/// Builds a world and lets it settle; returns it with the objects that have not come to rest.
pub(crate) fn build(
    model: &RobotModel,
    file: &RobotFile,
    scene: &Scene,
    options: SimOptions,
) -> Result<(Simulation, Option<Unrest>)> {
    options.check()?;
    let mut physics = new_physics(&options);
    let mut owners = Owners::default();
    let base = &scene.world_from_base;
    let file = &with_pads_of(file, scene);
    let mut robot = build_robot(&mut physics, &mut owners, model, file, base, &options)?;
    robot.pads = pads(&physics, &owners, &robot);
    let (objects, joints) = build_objects(&mut physics, &mut owners, scene)?;
    let start = start_joints(file, scene)?;
    within_limits(&robot, &start)?;
    let round = round_objects(&objects);
    let state = start_state(&robot, &start, scene, [objects.len(), round.len()]);
    let finger_q = state.grip.setpoint;
    let arm = robot.arm.iter().zip(start);
    let fingers = robot.fingers.iter().map(|j| (j, j.lower + finger_q));
    place_joints(&mut physics, &robot, arm.chain(fingers));
    let mut names: Vec<String> = robot.links.clone();
    names.extend(objects.iter().map(|object| object.scene.id.to_string()));
    let identity = identity(&physics, &names, &options)?;
    let n_joints = robot.arm.len();
    let mut simulation = Simulation {
        options,
        physics,
        layout: Layout {
            robot,
            joints,
            ports: scene.ports.clone(),
            objects,
            round,
            owners,
            floor_z: floor_z(scene),
            identity,
        },
        state,
        joints: JointState {
            arm_q: vec![0.0; n_joints],
            arm_v: vec![0.0; n_joints],
            ..JointState::default()
        },
        compliance: None,
        pull: None,
        observers: Observers::default(),
        queue: Default::default(),
    };
    let robot = &simulation.layout.robot;
    simulation.joints.read(&simulation.physics, robot);
    let unrest = come_to_rest(&mut simulation)?;
    // The clock starts here.
    simulation.state.step = 0;
    simulation.state.contacts = ContactLog::default();
    simulation.state.presses.fill(PressCount::default());
    Ok((simulation, unrest))
}

/// Returns the robot file with the pad friction of the scene, if the scene gives one.
fn with_pads_of(file: &RobotFile, scene: &Scene) -> RobotFile {
    let mut file = file.clone();
    if let Some(friction) = scene.pad_friction {
        file.gripper.pad_friction = friction;
    }
    file
}

/// Physics settings for grasping, each of them measured. rapier's defaults are made for games.
fn new_physics(options: &SimOptions) -> PhysicsWorld {
    // rapier's contact frequency of 30 Hz lets 20 N press a pad millimetres into a light cube. At
    // 1000 Hz, four solver iterations do not converge on the distribution of the load along a line
    // contact: the load wanders from one end to the other, and a can held across turns by 15
    // degrees and jumps by 7 mm in a fast motion. Up to 600 Hz, cans stay in place; at 400 Hz, a
    // pad sinks 0.06 mm into a cube of 26 g.
    let between_things = SpringCoefficients::new(400.0, 5.0);
    // Contacts with fixed objects have the same problem for an object held in a hole by its tip. A
    // plug in a socket, with its mass 2 cm in front of the socket, works loose and falls out at 300
    // Hz and above, and stays at 200 Hz and below. At 150 Hz objects on a full table tremble. (With
    // two velocity iterations the plug stays up to 500 Hz, but then a cube of 6 g slips in a fast
    // motion.)
    let on_fixed_things = SpringCoefficients::new(200.0, 5.0);
    let mut physics = PhysicsWorld::new();
    physics.gravity = options.gravity.into();
    physics.integration_parameters = IntegrationParameters {
        dt: options.dt_secs,
        num_solver_iterations: 1,
        num_internal_pgs_iterations: 4,
        contact_softness: between_things,
        static_contact_softness: on_fixed_things,
        // Recycled contacts go stale and block fingers that descend past an object.
        contact_recycling: false,
        // Friction that also resists the correction of depth makes stacks creep: the top of four
        // cubes moves 8 mm within 10 s, against 1 µm without. For held objects it brings no
        // benefit.
        friction_in_bias_pass: false,
        // Contact prediction distance, m: the way within a step at 2 m/s. rapier's 2 cm also finds
        // every neighbour on a full table, at a third more cost.
        normalized_prediction_distance: 0.005,
        ..IntegrationParameters::default()
    };
    physics.physics_pipeline.counters.disable();
    physics
}

/// The finger shapes, in the order of insertion.
fn pads(
    physics: &PhysicsWorld,
    owners: &Owners,
    robot: &RobotLayout,
) -> Vec<(usize, ColliderHandle)> {
    let finger = |handle| match owners.get(handle)? {
        Owner::Link(link) => robot.finger_of_link[link],
        Owner::Object(_) => None,
    };
    let shapes = physics.colliders.iter();
    let of_fingers = shapes.filter_map(|(handle, _)| Some((finger(handle)?, handle)));
    of_fingers.collect()
}

fn start_joints(file: &RobotFile, scene: &Scene) -> Result<Vec<f64>> {
    let start = scene.start_joints.clone().unwrap_or(file.home.clone());
    let n_joints = file.arm_joints.len();
    if start.len() != n_joints {
        return Err(SimError::count("scene.start_joints", start.len(), n_joints));
    }
    match start.iter().find(|q| !q.is_finite()) {
        Some(q) => Err(SimError::robot(format_args!(
            "`scene.start_joints` contains {q}"
        ))),
        None => Ok(start),
    }
}

/// Distance past a limit at which a joint may start, rad: an arm that was sent to a limit settles
/// slightly past it.
const PAST_LIMIT_RAD: f64 = 0.02;

/// Rejects a start outside the joint limits, such as one written for another arm: the limits would
/// push the arm back violently.
fn within_limits(robot: &RobotLayout, start: &[f64]) -> Result<()> {
    let mut joints = robot.arm.iter().zip(start);
    let outside = joints.find(|(joint, q)| {
        **q < joint.lower - PAST_LIMIT_RAD || **q > joint.upper + PAST_LIMIT_RAD
    });
    outside.map_or(Ok(()), |(joint, q)| {
        Err(SimError(format!(
            "start the arm: joint `{}` is at {q:.3}, outside its limits {:.3} to {:.3}; the \
             start may be meant for another arm",
            joint.name, joint.lower, joint.upper
        )))
    })
}

/// Objects that can roll or spin. Objects on joints are excluded, since the joint determines their
/// rotation.
fn round_objects(objects: &[ObjectLayout]) -> Vec<usize> {
    let round = objects.iter().enumerate().filter(|(_, object)| {
        object.scene.is_movable() && !object.jointed && is_curved(&object.scene.shape)
    });
    round.map(|(object_idx, _)| object_idx).collect()
}

fn start_state(
    robot: &RobotLayout,
    start: &[f64],
    scene: &Scene,
    [n_objects, n_round]: [usize; 2],
) -> State {
    State {
        step: 0,
        arm: Targets {
            position: start.to_vec(),
            velocity: vec![0.0; start.len()],
        },
        grip: GripState {
            command: GripperCommand::MoveTo {
                width_m: scene.start_width_m,
                speed_m_per_s: robot.gripper.default_speed_m_per_s,
            },
            setpoint: robot.travel(scene.start_width_m),
            speed: 0.0,
            arrived: true,
            shear: Shear::default(),
        },
        faults: FaultState {
            blocked: vec![None; start.len()],
            slow: vec![None; start.len()],
            ..FaultState::default()
        },
        contacts: ContactLog::default(),
        turning: vec![[0.0; 3]; n_round],
        presses: vec![PressCount::default(); scene.joints.len()],
        removed: vec![false; n_objects],
        diverged: None,
    }
}
