//! Fake of the arm's controller.

use std::sync::MutexGuard;
use std::time::Duration;

use franka::Errors;

use super::cycles::run;
use super::link::{Body, Fake, Shared};

pub(crate) enum Mishap {
    /// The arm reports a collision.
    Reflex,
    EmergencyStop,
    Die,
    LoseCommands(u32),
    LoseStates(u32),
    /// Sends no state for this time; the arm's clock stands meanwhile.
    Silence(Duration),
    /// Lets a joint feel this external torque.
    Push(usize, f64),
    Hold,
    Call(Box<dyn FnMut() + Send>),
}

/// State of the fake arm. Commands are recorded as they arrive.
#[derive(Default)]
pub(crate) struct Arm {
    pub(super) version: u16,
    pub(crate) time_ms: u64,
    pub(crate) q: [f64; 7],
    pub(crate) dq: [f64; 7],
    pub(crate) q_d: [f64; 7],
    pub(crate) dq_d: [f64; 7],
    pub(crate) ddq_d: [f64; 7],
    pub(crate) mode: u8,
    pub(crate) reflex: Option<usize>,
    pub(crate) success_rate: f64,
    pub(crate) external_torque: [f64; 7],
    pub(crate) wrench: [f64; 6],
    /// Scheduled faults: motion (from 0), cycle, fault.
    pub(crate) script: Vec<(usize, u64, Mishap)>,
    pub(crate) n_motions: usize,
    pub(crate) n_connections: usize,
    pub(crate) n_recoveries: usize,
    pub(crate) thresholds: Option<Vec<f64>>,
    pub(crate) n_cycles: u64,
    pub(crate) n_lost: u64,
    /// Largest part of the arm's limits that was used: speed, acceleration, jerk.
    pub(crate) peak_use: [f64; 3],
    pub(crate) dead: bool,
    /// Offset of the commanded position at the start of a motion, rad.
    pub(crate) sagged: f64,
    pub(super) moving: Option<Moving>,
    pub(crate) mishap_at: Option<u64>,
    pub(crate) stood_after: Option<u64>,
    pub(super) lose_commands: u32,
    pub(super) lose_states: u32,
    pub(super) lost_in_row: u32,
    pub(super) silence: Option<Duration>,
    pub(super) holds: bool,
}

pub(super) struct Moving {
    pub(super) move_id: u32,
    pub(super) cycle: u64,
    pub(super) began: bool,
}

pub(crate) type FakeArm = Fake<Arm>;

/// URDF of an FR3, reduced to its speed limits.
const FR3_URDF: &[u8] = include_bytes!("../../data/fr3.urdf");

pub(super) const IDLE: u8 = 1;
pub(super) const MOVE: u8 = 2;
pub(super) const REFLEX: u8 = 4;
pub(super) const USER_STOPPED: u8 = 5;

impl Fake<Arm> {
    /// Starts an arm that speaks this protocol version and stands with these joints.
    pub(crate) fn start(version: u16, joints: [f64; 7]) -> Self {
        Self::of(Arm {
            version,
            time_ms: 1000,
            q: joints,
            q_d: joints,
            mode: IDLE,
            success_rate: 1.0,
            ..Arm::default()
        })
    }

    pub(crate) fn arm(&self) -> MutexGuard<'_, Arm> {
        self.shared.body.lock().unwrap()
    }

    pub(crate) fn plan(&self, cycle: u64, mishap: Mishap) {
        let mut arm = self.arm();
        let motion = arm.n_motions;
        arm.script.push((motion, cycle, mishap));
    }

    pub(crate) fn revive(&self) {
        let mut arm = self.arm();
        arm.dead = false;
        arm.time_ms = 0;
        arm.mode = IDLE;
        arm.moving = None;
        (arm.dq, arm.dq_d, arm.ddq_d) = ([0.0; 7], [0.0; 7], [0.0; 7]);
    }
}

impl Shared<Arm> {
    /// Ends the running motion with this status of protocol version 10.
    pub(super) fn end_motion(&self, arm: &mut Arm, status: u8) {
        let Some(moving) = arm.moving.take() else {
            return;
        };
        arm.n_motions += 1;
        // Version 5 has no statuses of safety functions.
        let status = match (arm.version, status) {
            (5, 8..) => status - 2,
            _ => status,
        };
        self.respond(1, moving.move_id, &[status]);
    }

    pub(super) fn reflex(&self, arm: &mut Arm, name: &str) {
        arm.mode = REFLEX;
        arm.reflex = Errors::index_of(name);
        arm.dq_d = [0.0; 7];
        arm.dq = [0.0; 7];
        self.end_motion(arm, 8);
    }
}

impl Body for Arm {
    const COMMAND_BYTES: usize = 4;

    /// Answers a command. The versions differ in the numbers of thresholds and recovery.
    fn answer(shared: &Shared<Self>, command: u32, id: u32, payload: &[u8]) {
        let mut arm = shared.body.lock().unwrap();
        let v5 = arm.version == 5;
        let (collision, recovery) = if v5 { (4, 12) } else { (3, 10) };
        match command {
            0 => {
                let asked = u16::from_le_bytes([payload[0], payload[1]]);
                let port = u16::from_le_bytes([payload[2], payload[3]]);
                let status = u8::from(asked != arm.version);
                let mut response = vec![status];
                response.extend(arm.version.to_le_bytes());
                shared.respond(command, id, &response);
                if status == 0 {
                    *shared.client.lock().unwrap() = Some(([127, 0, 0, 1], port).into());
                }
            }
            1 if arm.mode == IDLE => {
                arm.mode = MOVE;
                arm.moving = Some(Moving {
                    move_id: id,
                    cycle: 0,
                    began: false,
                });
                (arm.mishap_at, arm.stood_after) = (None, None);
                (arm.dq_d, arm.ddq_d) = ([0.0; 7], [0.0; 7]);
                arm.q_d[6] += arm.sagged;
                shared.respond(command, id, &[1]);
            }
            1 => shared.respond(command, id, &[if v5 { 3 } else { 5 }]),
            2 => {
                shared.respond(command, id, &[0]);
                arm.dq_d = [0.0; 7];
                arm.mode = if arm.mode == MOVE { IDLE } else { arm.mode };
                shared.end_motion(&mut arm, 2);
            }
            11 if !v5 => {
                let mut response = vec![0];
                response.extend(FR3_URDF);
                shared.respond(command, id, &response);
            }
            c if c == collision => {
                let refused = arm.mode == REFLEX || arm.mode == USER_STOPPED;
                if !refused {
                    let numbers = payload.chunks_exact(8);
                    let number = |b: &[u8]| f64::from_le_bytes(b.try_into().unwrap());
                    arm.thresholds = Some(numbers.map(number).collect());
                }
                shared.respond(command, id, &[u8::from(refused)]);
            }
            c if c == recovery => {
                arm.n_recoveries += 1;
                let by_hand = arm.mode == USER_STOPPED;
                if !by_hand {
                    arm.mode = IDLE;
                    arm.reflex = None;
                    arm.lost_in_row = 0;
                    arm.external_torque = [0.0; 7];
                }
                shared.respond(command, id, &[u8::from(by_hand)]);
            }
            _ => shared.respond(command, id, &[0]),
        }
    }

    fn run(shared: &Shared<Self>) {
        run(shared);
    }

    fn is_dead(&self) -> bool {
        self.dead
    }

    fn connected(&mut self) {
        self.n_connections += 1;
    }
}
