//! The controller of the arm.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use franka::Errors;

use super::wire::{Said, decode_command, fr3_urdf, read_all};

/// So long the fake waits for the answer to a state, before it counts as lost.
const PATIENCE: Duration = Duration::from_millis(400);
/// The arm stops after so many commands lost in a row.
const MOST_LOST: u32 = 20;

/// Something that goes wrong in a motion.
pub(crate) enum Mishap {
    /// The arm takes something for a collision.
    Reflex,
    /// Somebody presses the stop button.
    EmergencyStop,
    /// The controller loses its power.
    Die,
    /// So many commands get lost on their way.
    LoseCommands(u32),
    /// So many states get lost on their way.
    LoseStates(u32),
    /// Nothing comes for so long; the clock of the arm stands meanwhile.
    Silence(Duration),
    /// From now on a joint feels this torque from outside.
    Push(usize, f64),
    /// From now on the joints stay where they are.
    Hold,
    /// Something happens on this side.
    Call(Box<dyn FnMut() + Send>),
}

/// What the arm is and remembers. Commands are recorded as it got them.
#[derive(Default)]
pub(crate) struct Arm {
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
    /// In which motion (from 0) and cycle what goes wrong.
    pub(crate) script: Vec<(usize, u64, Mishap)>,
    pub(crate) n_motions: usize,
    pub(crate) n_connections: usize,
    pub(crate) n_recoveries: usize,
    /// The thresholds that were set, as they came.
    pub(crate) thresholds: Option<Vec<f64>>,
    /// Cycles that passed in motions.
    pub(crate) n_cycles: u64,
    pub(crate) n_lost: u64,
    /// Largest part of the arm's limits that was used: speed, acceleration, jerk.
    pub(crate) peak_use: [f64; 3],
    pub(crate) dead: bool,
    moving: Option<Moving>,
    /// In which cycle the last mishap happened, and how many passed until it stood.
    pub(crate) mishap_at: Option<u64>,
    pub(crate) stood_after: Option<u64>,
    lose_commands: u32,
    lose_states: u32,
    lost_in_row: u32,
    silence: Option<Duration>,
    holds: bool,
}

struct Moving {
    move_id: u32,
    cycle: u64,
    began: bool,
}

struct Shared {
    version: u16,
    arm: Mutex<Arm>,
    stream: Mutex<Option<TcpStream>>,
    client: Mutex<Option<SocketAddr>>,
    quit: AtomicBool,
}

/// A running fake.
pub(crate) struct FakeArm {
    shared: Arc<Shared>,
    pub(crate) host: String,
    threads: Vec<JoinHandle<()>>,
}

const IDLE: u8 = 1;
const MOVE: u8 = 2;
const REFLEX: u8 = 4;
const USER_STOPPED: u8 = 5;

impl FakeArm {
    /// An arm that speaks this version of the protocol and stands with these joints.
    pub(crate) fn start(version: u16, joints: [f64; 7]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            version,
            arm: Mutex::new(Arm {
                time_ms: 1000,
                q: joints,
                q_d: joints,
                mode: IDLE,
                success_rate: 1.0,
                ..Arm::default()
            }),
            stream: Mutex::new(None),
            client: Mutex::new(None),
            quit: AtomicBool::new(false),
        });
        let tcp = Arc::clone(&shared);
        let cycles = Arc::clone(&shared);
        let threads = vec![
            std::thread::spawn(move || accept(&tcp, listener, address)),
            std::thread::spawn(move || run(&cycles)),
        ];
        Self {
            shared,
            host: address.to_string(),
            threads,
        }
    }

    pub(crate) fn arm(&self) -> MutexGuard<'_, Arm> {
        self.shared.arm.lock().unwrap()
    }

    /// Lets this happen in the next motion, at this cycle.
    pub(crate) fn plan(&self, cycle: u64, mishap: Mishap) {
        let mut arm = self.arm();
        let motion = arm.n_motions;
        arm.script.push((motion, cycle, mishap));
    }

    /// The controller has its power back.
    pub(crate) fn revive(&self) {
        let mut arm = self.arm();
        arm.dead = false;
        arm.time_ms = 0;
        arm.mode = IDLE;
        arm.moving = None;
        (arm.dq, arm.dq_d, arm.ddq_d) = ([0.0; 7], [0.0; 7], [0.0; 7]);
    }
}

impl Drop for FakeArm {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn respond(&self, command: u32, id: u32, payload: &[u8]) {
        let size = 12 + payload.len() as u32;
        let mut message = [command, id, size].map(u32::to_le_bytes).concat();
        message.extend_from_slice(payload);
        if let Some(stream) = self.stream.lock().unwrap().as_mut() {
            let _ = stream.write_all(&message);
        }
    }

    /// Ends the running motion with this status of version 10.
    fn end_motion(&self, arm: &mut Arm, status: u8) {
        let Some(moving) = arm.moving.take() else {
            return;
        };
        // Version 5 has no statuses of safety functions.
        let status = match (self.version, status) {
            (5, 8..) => status - 2,
            _ => status,
        };
        self.respond(1, moving.move_id, &[status]);
    }

    fn reflex(&self, arm: &mut Arm, name: &str) {
        arm.mode = REFLEX;
        arm.reflex = Errors::index_of(name);
        arm.dq_d = [0.0; 7];
        arm.dq = [0.0; 7];
        self.end_motion(arm, 8);
    }
}

fn accept(shared: &Arc<Shared>, listener: TcpListener, address: SocketAddr) {
    let mut listener = Some(listener);
    while !shared.quit.load(Ordering::Relaxed) {
        if shared.arm.lock().unwrap().dead {
            listener = None;
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        let open = listener.get_or_insert_with(|| TcpListener::bind(address).unwrap());
        open.set_nonblocking(true).unwrap();
        match open.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                shared.arm.lock().unwrap().n_connections += 1;
                serve(shared, stream);
                *shared.client.lock().unwrap() = None;
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn serve(shared: &Arc<Shared>, mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    *shared.stream.lock().unwrap() = Some(stream.try_clone().unwrap());
    let mut header = [0; 12];
    while read_all(&mut stream, &mut header, &shared.quit) {
        let word = |i: usize| u32::from_le_bytes(header[4 * i..4 * i + 4].try_into().unwrap());
        let (command, id, size) = (word(0), word(1), word(2));
        let mut payload = vec![0; size as usize - 12];
        if !read_all(&mut stream, &mut payload, &shared.quit) {
            break;
        }
        answer(shared, command, id, &payload);
    }
    *shared.stream.lock().unwrap() = None;
}

/// Numbers of the commands that differ between the versions: thresholds, recovery.
fn answer(shared: &Shared, command: u32, id: u32, payload: &[u8]) {
    let v5 = shared.version == 5;
    let (collision, recovery) = if v5 { (4, 12) } else { (3, 10) };
    let mut arm = shared.arm.lock().unwrap();
    match command {
        0 => {
            let asked = u16::from_le_bytes([payload[0], payload[1]]);
            let port = u16::from_le_bytes([payload[2], payload[3]]);
            let status = u8::from(asked != shared.version);
            let mut response = vec![status];
            response.extend(shared.version.to_le_bytes());
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
            shared.respond(command, id, &[1]);
        }
        1 => shared.respond(command, id, &[if v5 { 3 } else { 5 }]),
        2 => {
            shared.respond(command, id, &[0]);
            arm.dq_d = [0.0; 7];
            arm.mode = if arm.mode == MOVE { IDLE } else { arm.mode };
            shared.end_motion(&mut arm, 2);
            arm.n_motions += 1;
        }
        11 if !v5 => {
            let mut response = vec![0];
            response.extend(fr3_urdf().bytes());
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

/// The arm's cycles.
fn run(shared: &Arc<Shared>) {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_millis(5)))
        .unwrap();
    while !shared.quit.load(Ordering::Relaxed) {
        let client = *shared.client.lock().unwrap();
        let mut arm = shared.arm.lock().unwrap();
        if arm.dead {
            if let Some(stream) = shared.stream.lock().unwrap().as_ref() {
                let _ = stream.shutdown(std::net::Shutdown::Both);
            }
            drop(arm);
            std::thread::sleep(Duration::from_millis(2));
            continue;
        }
        arm.time_ms += 1;
        happen(shared, &mut arm);
        if let Some(silence) = arm.silence.take() {
            drop(arm);
            std::thread::sleep(silence);
            continue;
        }
        let id = arm.time_ms;
        let waits = arm.moving.as_ref().is_some_and(|moving| moving.began);
        if arm.lose_states > 0 {
            arm.lose_states -= 1;
            go_on(shared, &mut arm, None);
            continue;
        }
        let bytes = said(&arm).encode(shared.version);
        drop(arm);
        if let Some(client) = client {
            let _ = udp.send_to(&bytes, client);
        }
        let patience = if waits {
            PATIENCE
        } else {
            Duration::from_millis(1)
        };
        let command = receive(&udp, id, patience, shared);
        let mut arm = shared.arm.lock().unwrap();
        if arm.moving.is_some() && (waits || command.is_some()) {
            let is_lost = arm.lose_commands > 0;
            arm.lose_commands = arm.lose_commands.saturating_sub(1);
            go_on(shared, &mut arm, command.filter(|_| !is_lost));
        }
    }
}

/// The answer to this state, if it comes.
fn receive(
    udp: &UdpSocket,
    id: u64,
    patience: Duration,
    shared: &Shared,
) -> Option<([f64; 7], bool)> {
    let began = Instant::now();
    let mut buffer = [0; 512];
    udp.set_read_timeout(Some(Duration::from_millis(1)))
        .unwrap();
    while began.elapsed() < patience && !shared.quit.load(Ordering::Relaxed) {
        if let Ok(n) = udp.recv(&mut buffer)
            && let Some((answers, position, finished)) = decode_command(&buffer[..n])
            && answers == id
        {
            return Some((position, finished));
        }
        if shared.arm.lock().unwrap().moving.is_none()
            && began.elapsed() >= Duration::from_millis(1)
        {
            return None;
        }
    }
    None
}

fn said(arm: &Arm) -> Said {
    Said {
        message_id: arm.time_ms,
        q: arm.q,
        dq: arm.dq,
        q_d: arm.q_d,
        dq_d: arm.dq_d,
        ddq_d: arm.ddq_d,
        external_torque: arm.external_torque,
        wrench: arm.wrench,
        is_moving: arm.moving.is_some(),
        mode: arm.mode,
        reflex: arm.reflex,
        success_rate: arm.success_rate,
    }
}

/// What the script has for this cycle.
fn happen(shared: &Shared, arm: &mut Arm) {
    let Some(cycle) = arm.moving.as_ref().map(|moving| moving.cycle) else {
        return;
    };
    let motion = arm.n_motions;
    let due = arm
        .script
        .iter()
        .position(|(m, c, _)| (*m, *c) == (motion, cycle));
    let Some(due) = due else { return };
    let (_, _, mishap) = arm.script.remove(due);
    arm.mishap_at = Some(cycle);
    match mishap {
        Mishap::Reflex => {
            arm.external_torque[3] = -31.0;
            arm.wrench[2] = 44.0;
            shared.reflex(arm, "cartesian_reflex");
            arm.n_motions += 1;
        }
        Mishap::EmergencyStop => {
            arm.mode = USER_STOPPED;
            arm.dq_d = [0.0; 7];
            shared.end_motion(arm, 9);
            arm.n_motions += 1;
        }
        Mishap::Die => {
            arm.dead = true;
            arm.moving = None;
            arm.n_motions += 1;
        }
        Mishap::LoseCommands(n) => arm.lose_commands = n,
        Mishap::LoseStates(n) => arm.lose_states = n,
        Mishap::Silence(time) => arm.silence = Some(time),
        Mishap::Push(joint, torque) => arm.external_torque[joint] = torque,
        Mishap::Hold => arm.holds = true,
        Mishap::Call(mut call) => call(),
    }
}

/// One cycle of a motion, with the command that came or without.
fn go_on(shared: &Shared, arm: &mut Arm, command: Option<([f64; 7], bool)>) {
    let Some(moving) = arm.moving.as_mut() else {
        return;
    };
    moving.began = true;
    moving.cycle += 1;
    let cycle = moving.cycle;
    arm.n_cycles += 1;
    let mut finished = false;
    let position = match command {
        Some((position, last)) => {
            arm.lost_in_row = 0;
            finished = last;
            position
        }
        None => {
            arm.n_lost += 1;
            arm.lost_in_row += 1;
            // With constant acceleration.
            std::array::from_fn(|i| arm.q_d[i] + (arm.dq_d[i] + arm.ddq_d[i] * 1e-3) * 1e-3)
        }
    };
    arm.success_rate = 0.99 * arm.success_rate + if command.is_some() { 0.01 } else { 0.0 };
    let (old_v, old_a) = (arm.dq_d, arm.ddq_d);
    for i in 0..7 {
        arm.dq_d[i] = (position[i] - arm.q_d[i]) / 1e-3;
        arm.ddq_d[i] = (arm.dq_d[i] - old_v[i]) / 1e-3;
    }
    arm.q_d = position;
    if !arm.holds {
        (arm.q, arm.dq) = (position, arm.dq_d);
    } else {
        arm.dq = [0.0; 7];
    }
    let jerk: [f64; 7] = std::array::from_fn(|i| (arm.ddq_d[i] - old_a[i]) / 1e-3);
    let broken = judge(shared.version, arm, &jerk);
    let still = arm.dq_d.iter().all(|v| v.abs() < 1e-6);
    if still && arm.mishap_at.is_some() && arm.stood_after.is_none() {
        arm.stood_after = arm.mishap_at.map(|at| cycle - at);
    }
    if arm.lost_in_row >= MOST_LOST {
        shared.reflex(arm, "communication_constraints_violation");
        arm.n_motions += 1;
    } else if let Some(name) = broken {
        shared.reflex(arm, name);
        arm.n_motions += 1;
    } else if finished {
        assert!(still, "the motion was finished at {:?} rad/s", arm.dq_d);
        arm.mode = IDLE;
        arm.holds = false;
        arm.q = arm.q_d;
        shared.end_motion(arm, 0);
        arm.n_motions += 1;
    }
}

/// Checks a command as the arm does: by differences from cycle to cycle.
fn judge(version: u16, arm: &mut Arm, jerk: &[f64; 7]) -> Option<&'static str> {
    let (speeds, accelerations, jerks) = if version == 5 {
        (
            [2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61],
            [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0],
            [7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0],
        )
    } else {
        (
            [2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26],
            [10.0; 7],
            [5000.0; 7],
        )
    };
    let part = |values: &[f64; 7], most: &[f64; 7]| {
        let parts = values.iter().zip(most).map(|(v, m)| v.abs() / m);
        parts.fold(0.0, f64::max)
    };
    let used = [
        part(&arm.dq_d, &speeds),
        part(&arm.ddq_d, &accelerations),
        part(jerk, &jerks),
    ];
    for (peak, used) in arm.peak_use.iter_mut().zip(used) {
        *peak = peak.max(used);
    }
    let names = [
        "joint_motion_generator_velocity_limits_violation",
        "joint_motion_generator_velocity_discontinuity",
        "joint_motion_generator_acceleration_discontinuity",
    ];
    let broken = used.iter().position(|used| *used > 1.0);
    broken.map(|i| names[i])
}
