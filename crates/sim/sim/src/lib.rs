//! Simulated world: a robot arm in a scene, on rapier.
//!
//! **What it does.** [`SimWorld`] builds the robot of a URDF and a robot file into a scene, lets
//! the scene settle, and then implements [`regrasp_api::World`]: it follows trajectories under
//! monitors, commands the gripper, waits, and saves and restores its state bit for bit.
//! [`SimGroundTruth`] reads the true state; [`SimFaults`] injects faults; [`SimObserver`] shows the
//! world while it runs. These are separate capabilities: a `World` gives access to none of them.
//!
//! **What it does not do.** It reads no files, renders no images, plans no motions, and does not
//! judge success. It is the only crate that knows rapier; no type of rapier is public.
//!
//! **Where to enter.** [`SimWorld::new`]; inside, `simulation` (the step), `actuate` (servos and
//! gripper), `build_robot` (URDF to multibody).
//!
//! # How it simulates
//!
//! The arm is one multibody in reduced coordinates, so joints cannot come apart; links joined by
//! fixed joints are one body. Every joint has the servo of the robot file,
//! `kp (q_d - q) + kd (v_d - v)` clipped to the URDF's effort and solved implicitly; trajectories
//! feed their velocity forward. The fingers share one setpoint, which lies `F / kp` below their
//! mean position while they press with `F`: a mimic joint in software. A step is divided while a
//! light object that is round or compound is pressed hard (`substeps`). A motion may ask for soft
//! servos and for a limit on their contact force (`compliance`). The torques of an
//! operational-space controller can drive the arm in place of its servos (`tool_servo`). Friction
//! at a pad is the greater of the pad's and the object's; between all other bodies it is the mean
//! of the two.
//!
//! # Invariants
//!
//! - The same robot, scene, options and calls give the same bits, on any thread. Time is counted in
//!   steps. Nothing is random.
//! - A snapshot holds everything that determines the future, including scheduled disturbances. It
//!   is refused unless it is undamaged and of the same world.
//! - Observers have no influence on the state. Without observers a step costs one more comparison.
//! - After the physics diverged, nothing moves until an earlier snapshot is restored.
//! - This crate allocates nothing in a step, except for contacts, buttons, and an arm that is
//!   compliant or driven by torques. (rapier allocates the factors of its mass matrix.)
//!
//! # Limitations
//!
//! - Contacts are a little soft, softer the lighter the object: at 20 N a pad sinks 0.06 mm into a
//!   cube of 26 g and 0.5 mm into one of 5 g. A held object slips about 0.15 mm when it is lifted
//!   and 0.3 mm in a fast motion, in proportion to the step.
//! - Friction answers a sudden force one step late: until then a held object moves by F / m dt^2
//!   (0.4 mm for 26 g under 2 N), even if friction could hold it. A steady force of that size moves
//!   it no further.
//! - Friction is Coulomb's, the same for sticking and sliding. Round objects also resist spinning
//!   and rolling, with contact patches of a fixed size (`soft_contact`); the other body does not
//!   feel that moment. A can that lies between the pads may still turn about its own axis when it
//!   is gripped on the table.
//! - No restitution: nothing bounces.
//! - There is no floor: an object that falls two metres below the base and all objects of the scene
//!   is stopped there and no longer simulated (`simulation`).
//! - Servos have no friction, backlash, flexibility or delay; gravity compensation is perfect for
//!   the robot's own links and absent for the held object.
//! - Neighbouring links, the two fingers, and links that overlap in the home configuration do not
//!   collide with each other. A mesh collides as its convex hull.
//! - Discs (cylinders lower than half their width) are six boxes with their corners on the rim. A
//!   face with more than four corners, such as a prism's, touches at the four that span the largest
//!   area, so an object tips a little too easily over the corners between them.
//! - The parts of a compound object are taken as solid and of one density; where they overlap, mass
//!   counts twice before the whole is scaled to the object's mass. An object read from a mesh has
//!   the mass distribution of the mesh; its convex parts are used for contacts only.
//! - Objects connected by a scene joint do not collide with each other, unless the joint has
//!   `collides` set.
//! - Finger joints must be prismatic, and open in the positive direction. Fingers that turn are
//!   replaced by prismatic ones when a robot is loaded (`RobotModel::with_sliding_fingers` of
//!   kinematics).
//! - Monitors read exact sensors: contact forces at every link (a real arm estimates them from its
//!   joints' torques), shear at the pads, encoders; none has noise, delay or a filter. The
//!   counterpart of each on hardware is documented at [`regrasp_api::Monitor`].
//! - Contact forces are normal forces of one step (an impulse over 2.5 ms), so an impact reads as a
//!   short high peak. Efforts are the servos' commands.
//! - Bodies faster than 2 m/s hit others a step late; only fixed objects are protected against
//!   tunnelling.
//!
//! # The libraries behind it
//!
//! - `rapier3d-f64` 0.36 simulates. It is the only engine in Rust with multibodies, motors with
//!   force limits and a serialisable state; in double precision a held object creeps ten times
//!   less. Its `enhanced-determinism` gives the same bits on every machine.
//! - `postcard` writes snapshots: a stable, compact serde format (a Panda with a cube takes 50 kB
//!   and 40 µs).
//! - `xxhash-rust` (XXH3) hashes states and guards snapshots; speed matters, forgery does not.

mod actuate;
mod apply_disturbance;
mod assembly;
mod bearing_points;
mod brake;
mod build;
mod build_objects;
mod build_robot;
mod compliance;
mod contact_log;
mod contacts;
mod error;
mod fault_state;
mod follow;
mod gripping;
mod layout;
mod monitors;
mod observers;
mod options;
mod presses;
mod reading;
mod rest;
mod robot_checks;
mod schedule_disturbance;
mod self_contact;
mod simulation;
mod snapshot;
mod soft_contact;
mod state;
mod substeps;
mod tactile;
mod tool_servo;
mod truth;
mod world;

pub(crate) use error::Result;
pub use error::{Diverged, SimError};
pub use options::SimOptions;
pub use regrasp_faults::{DisturbError, Disturbance, When};
pub use rest::Unrest;
pub use world::{BadRate, SimFaults, SimGroundTruth, SimObserver, SimWorld};
