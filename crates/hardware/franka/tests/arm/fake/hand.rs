//! Fake of the hand: its fingers move at the commanded speed until something is between them.

use std::net::UdpSocket;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::Duration;

use franka::wire::gripper::GripperState;
use zerocopy::IntoBytes;

use super::link::{Body, Fake, Shared};

const TICK: Duration = Duration::from_millis(4);
/// Number of ticks without motion after which the fingers have stalled.
const STALLED: u32 = 25;

#[derive(Default)]
pub(crate) struct Hand {
    pub(crate) width: f64,
    /// Width of the object between the fingers, m.
    pub(crate) thing: Option<f64>,
    pub(crate) stuck: bool,
    pub(crate) mute: bool,
    /// Statuses of the next grasps that meet something, last one first; success when empty.
    pub(crate) answers: Vec<u16>,
    /// Set to report a grip while the fingers are as far apart as the object is wide.
    pub(crate) grips: bool,
    pub(crate) max_width: f64,
    pub(crate) n_commands: usize,
    pub(crate) force: f64,
    work: Option<PendingCommand>,
    message_id: u32,
}

struct PendingCommand {
    command: u32,
    id: u32,
    goal: f64,
    speed: f64,
    still: u32,
}

pub(crate) type FakeHand = Fake<Hand>;

impl Fake<Hand> {
    pub(crate) fn start() -> Self {
        Self::of(Hand {
            width: 0.08,
            grips: true,
            max_width: 0.08,
            ..Hand::default()
        })
    }

    pub(crate) fn hand(&self) -> MutexGuard<'_, Hand> {
        self.shared.body.lock().unwrap()
    }
}

impl Body for Hand {
    const COMMAND_BYTES: usize = 2;

    fn answer(shared: &Shared<Self>, command: u32, id: u32, payload: &[u8]) {
        let number = |i: usize| f64::from_le_bytes(payload[8 * i..8 * i + 8].try_into().unwrap());
        let mut hand = shared.body.lock().unwrap();
        match command {
            0 => {
                let port = u16::from_le_bytes([payload[2], payload[3]]);
                *shared.client.lock().unwrap() = Some(([127, 0, 0, 1], port).into());
                shared.respond(command, id, &[0, 0, 3, 0]);
            }
            2 | 3 => {
                hand.n_commands += 1;
                let (goal, speed) = (number(0), number(if command == 2 { 3 } else { 1 }));
                if command == 2 {
                    hand.force = number(4);
                }
                hand.work = Some(PendingCommand {
                    command,
                    id,
                    goal,
                    speed,
                    still: 0,
                });
            }
            _ => {
                if let Some(work) = hand.work.take() {
                    shared.respond(work.command, work.id, &3_u16.to_le_bytes());
                }
                shared.respond(command, id, &[0, 0]);
            }
        }
    }

    fn run(shared: &Shared<Self>) {
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        while !shared.quit.load(Ordering::Relaxed) {
            std::thread::sleep(TICK);
            let client = *shared.client.lock().unwrap();
            let mut hand = shared.body.lock().unwrap();
            if hand.mute {
                continue;
            }
            tick(shared, &mut hand);
            hand.message_id += 4;
            let holds = hand.thing.is_some_and(|w| hand.width <= w + 1e-6);
            let state = GripperState {
                message_id: hand.message_id.into(),
                width: hand.width.into(),
                max_width: hand.max_width.into(),
                is_grasped: u8::from(hand.grips && hand.force > 0.0 && holds),
                temperature: 31.into(),
            };
            if let Some(client) = client {
                let _ = udp.send_to(state.as_bytes(), client);
            }
        }
    }
}

fn tick(shared: &Shared<Hand>, hand: &mut Hand) {
    let planned = hand.answers.last().copied();
    let least = hand.thing.unwrap_or(0.0);
    let (width, stuck) = (hand.width, hand.stuck);
    let Some(work) = hand.work.as_mut() else {
        return;
    };
    let most = work.speed * TICK.as_secs_f64();
    let goal = work.goal.max(least.min(width));
    let most = if stuck { 0.0 } else { most };
    let travel = (goal - width).clamp(-most, most);
    let is_still = travel.abs() < 1e-9;
    work.still = if is_still { work.still + 1 } else { 0 };
    let is_there = (width + travel - work.goal).abs() < 1e-9;
    let status: Option<u16> = match (is_there, work.still >= STALLED, work.command) {
        // A grasp that is blocked succeeds unless the test says otherwise; a blocked motion fails.
        (true, _, 2) | (false, true, 2) => planned.or(Some(0)),
        (true, ..) => Some(0),
        (false, true, _) => Some(2),
        (false, false, _) => None,
    };
    hand.width = width + travel;
    if status.is_some() && status == planned {
        hand.answers.pop();
    }
    if let Some(status) = status
        && let Some(work) = hand.work.take()
    {
        shared.respond(work.command, work.id, &status.to_le_bytes());
    }
}
