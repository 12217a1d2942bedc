//! Cycles of the fake arm: it sends a state, receives a command and checks it.

use std::net::UdpSocket;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::arm::{Arm, IDLE, Mishap, USER_STOPPED};
use super::link::Shared;
use super::wire::{decode_command, encode};

/// Timeout for the answer to a state; the command counts as lost afterwards.
const PATIENCE: Duration = Duration::from_millis(400);
/// Number of commands lost in a row after which the arm stops.
const MOST_LOST: u32 = 20;

pub(super) fn run(shared: &Shared<Arm>) {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_millis(5)))
        .unwrap();
    while !shared.quit.load(Ordering::Relaxed) {
        let client = *shared.client.lock().unwrap();
        let mut arm = shared.body.lock().unwrap();
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
        let bytes = encode(&arm);
        drop(arm);
        if let Some(client) = client {
            let _ = udp.send_to(&bytes, client);
        }
        let short = Duration::from_millis(1);
        let patience = if waits { PATIENCE } else { short };
        let command = receive(&udp, id, patience, shared);
        let mut arm = shared.body.lock().unwrap();
        if arm.moving.is_some() && (waits || command.is_some()) {
            let is_lost = arm.lose_commands > 0;
            arm.lose_commands = arm.lose_commands.saturating_sub(1);
            go_on(shared, &mut arm, command.filter(|_| !is_lost));
        }
    }
}

fn receive(
    udp: &UdpSocket,
    id: u64,
    patience: Duration,
    shared: &Shared<Arm>,
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
        if shared.body.lock().unwrap().moving.is_none()
            && began.elapsed() >= Duration::from_millis(1)
        {
            return None;
        }
    }
    None
}

fn happen(shared: &Shared<Arm>, arm: &mut Arm) {
    let Some(cycle) = arm.moving.as_ref().map(|moving| moving.cycle) else {
        return;
    };
    let motion = arm.n_motions;
    let is_due = |(m, c, _): &(usize, u64, Mishap)| (*m, *c) == (motion, cycle);
    let Some(due) = arm.script.iter().position(is_due) else {
        return;
    };
    let (_, _, mishap) = arm.script.remove(due);
    arm.mishap_at = Some(cycle);
    match mishap {
        Mishap::Reflex => {
            arm.external_torque[3] = -31.0;
            arm.wrench[2] = 44.0;
            shared.reflex(arm, "cartesian_reflex");
        }
        Mishap::EmergencyStop => {
            arm.mode = USER_STOPPED;
            arm.dq_d = [0.0; 7];
            shared.end_motion(arm, 9);
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

/// Advances one cycle of a motion, with a command or without.
fn go_on(shared: &Shared<Arm>, arm: &mut Arm, command: Option<([f64; 7], bool)>) {
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
            // Constant acceleration.
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
    let broken = judge(arm.version, arm, &jerk);
    let still = arm.dq_d.iter().all(|v| v.abs() < 1e-6);
    if still && arm.mishap_at.is_some() && arm.stood_after.is_none() {
        arm.stood_after = arm.mishap_at.map(|at| cycle - at);
    }
    if arm.lost_in_row >= MOST_LOST {
        shared.reflex(arm, "communication_constraints_violation");
    } else if let Some(name) = broken {
        shared.reflex(arm, name);
    } else if finished {
        assert!(still, "the motion was finished at {:?} rad/s", arm.dq_d);
        arm.mode = IDLE;
        arm.holds = false;
        arm.q = arm.q_d;
        shared.end_motion(arm, 0);
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
        let speeds = [2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26];
        (speeds, [10.0; 7], [5000.0; 7])
    };
    let part = |values: &[f64; 7], most: &[f64; 7]| {
        let parts = values.iter().zip(most).map(|(v, m)| v.abs() / m);
        parts.fold(0.0, f64::max)
    };
    let (dq, ddq) = (part(&arm.dq_d, &speeds), part(&arm.ddq_d, &accelerations));
    let used = [dq, ddq, part(jerk, &jerks)];
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
