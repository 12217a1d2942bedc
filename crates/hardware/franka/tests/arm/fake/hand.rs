//! The hand: fingers that move at the commanded speed until something is between them.

use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use franka::wire::gripper::GripperState;
use zerocopy::IntoBytes;

use super::wire::read_all;

/// A tick of the fake's fingers.
const TICK: Duration = Duration::from_millis(4);
/// Fingers that do not move for so many ticks have stalled.
const STALLED: u32 = 25;

/// What the hand is.
pub(crate) struct Hand {
    pub(crate) width: f64,
    /// How wide the thing between the fingers is, if one is.
    pub(crate) thing: Option<f64>,
    /// The fingers do not move, whatever is commanded.
    pub(crate) stuck: bool,
    /// Sends no states and answers nothing.
    pub(crate) mute: bool,
    /// Status answered to a grasp that meets something, in order; success when none is left.
    pub(crate) answers: Vec<u16>,
    /// The hand says that it grips, if the fingers are as far apart as the thing is wide.
    pub(crate) grips: bool,
    pub(crate) max_width: f64,
    pub(crate) n_commands: usize,
    /// The force of the last grasp, N.
    pub(crate) force: f64,
    work: Option<Work>,
    message_id: u32,
}

struct Work {
    command: u16,
    id: u32,
    goal: f64,
    speed: f64,
    still: u32,
}

struct Shared {
    hand: Mutex<Hand>,
    stream: Mutex<Option<TcpStream>>,
    client: Mutex<Option<SocketAddr>>,
    quit: AtomicBool,
}

/// A running fake.
pub(crate) struct FakeHand {
    shared: Arc<Shared>,
    pub(crate) host: String,
    threads: Vec<JoinHandle<()>>,
}

impl FakeHand {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Shared {
            hand: Mutex::new(Hand {
                width: 0.08,
                thing: None,
                stuck: false,
                mute: false,
                answers: vec![],
                grips: true,
                max_width: 0.08,
                n_commands: 0,
                force: 0.0,
                work: None,
                message_id: 0,
            }),
            stream: Mutex::new(None),
            client: Mutex::new(None),
            quit: AtomicBool::new(false),
        });
        let (tcp, ticks) = (Arc::clone(&shared), Arc::clone(&shared));
        let threads = vec![
            std::thread::spawn(move || accept(&tcp, &listener)),
            std::thread::spawn(move || run(&ticks)),
        ];
        Self {
            shared,
            host,
            threads,
        }
    }

    pub(crate) fn hand(&self) -> MutexGuard<'_, Hand> {
        self.shared.hand.lock().unwrap()
    }
}

impl Drop for FakeHand {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn respond(&self, command: u16, id: u32, payload: &[u8]) {
        let mut message = command.to_le_bytes().to_vec();
        message.extend(id.to_le_bytes());
        message.extend((10 + payload.len() as u32).to_le_bytes());
        message.extend_from_slice(payload);
        if let Some(stream) = self.stream.lock().unwrap().as_mut() {
            let _ = stream.write_all(&message);
        }
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    listener.set_nonblocking(true).unwrap();
    while !shared.quit.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                serve(shared, stream);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn serve(shared: &Arc<Shared>, mut stream: TcpStream) {
    stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    *shared.stream.lock().unwrap() = Some(stream.try_clone().unwrap());
    let mut header = [0; 10];
    while read_all(&mut stream, &mut header, &shared.quit) {
        let command = u16::from_le_bytes([header[0], header[1]]);
        let id = u32::from_le_bytes(header[2..6].try_into().unwrap());
        let size = u32::from_le_bytes(header[6..].try_into().unwrap());
        let mut payload = vec![0; size as usize - 10];
        if !read_all(&mut stream, &mut payload, &shared.quit) {
            break;
        }
        answer(shared, command, id, &payload);
    }
}

fn answer(shared: &Shared, command: u16, id: u32, payload: &[u8]) {
    let number = |i: usize| f64::from_le_bytes(payload[8 * i..8 * i + 8].try_into().unwrap());
    let mut hand = shared.hand.lock().unwrap();
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
            hand.work = Some(Work {
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

fn run(shared: &Arc<Shared>) {
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    while !shared.quit.load(Ordering::Relaxed) {
        std::thread::sleep(TICK);
        let client = *shared.client.lock().unwrap();
        let mut hand = shared.hand.lock().unwrap();
        if hand.mute {
            continue;
        }
        tick(shared, &mut hand);
        hand.message_id += 4;
        let state = GripperState {
            message_id: hand.message_id.into(),
            width: hand.width.into(),
            max_width: hand.max_width.into(),
            is_grasped: u8::from(
                hand.grips
                    && hand.force > 0.0
                    && hand.thing.is_some_and(|w| hand.width <= w + 1e-6),
            ),
            temperature: 31.into(),
        };
        if let Some(client) = client {
            let _ = udp.send_to(state.as_bytes(), client);
        }
    }
}

fn tick(shared: &Shared, hand: &mut Hand) {
    let planned = hand.answers.last().copied();
    let least = hand.thing.unwrap_or(0.0);
    let (width, stuck) = (hand.width, hand.stuck);
    let Some(work) = hand.work.as_mut() else {
        return;
    };
    let most = work.speed * TICK.as_secs_f64();
    let goal = work.goal.max(least.min(width));
    let travel = if stuck {
        0.0
    } else {
        (goal - width).clamp(-most, most)
    };
    work.still = if travel.abs() < 1e-9 {
        work.still + 1
    } else {
        0
    };
    let is_there = (width + travel - work.goal).abs() < 1e-9;
    let status: Option<u16> = match (is_there, work.still >= STALLED, work.command) {
        // A grasp that meets something has succeeded, unless the test says otherwise; a motion
        // has not.
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
