//! Proxy between the arm's driver and the third-party simulator. It drops or delays packets.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Size of a request's header: command, number and size. In the request to connect, a version and a
/// port follow.
const HEADER_BYTES: usize = 12;
const PORT_AT: usize = HEADER_BYTES + 2;

#[derive(Default)]
struct Plan {
    /// Number of the following commands that are dropped.
    lose: AtomicU64,
    /// Number of the following commands that are delayed by `late_ms`.
    late: AtomicU64,
    late_ms: AtomicU64,
    /// Number of the following states that are dropped.
    lose_states: AtomicU64,
}

pub(crate) struct Proxy {
    pub(crate) host: String,
    plan: Arc<Plan>,
}

impl Proxy {
    /// Starts a proxy for one client of the arm at this address.
    pub(crate) fn start(arm: (&str, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let plan = Arc::new(Plan::default());
        let (shared, arm) = (Arc::clone(&plan), (arm.0.to_owned(), arm.1));
        thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let arm = TcpStream::connect((arm.0.as_str(), arm.1)).unwrap();
            connect(client, arm, &shared);
        });
        Self { host, plan }
    }

    pub(crate) fn lose_commands(&self, n: u64) {
        self.plan.lose.store(n, Ordering::SeqCst);
    }

    pub(crate) fn delay_commands(&self, n: u64, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).unwrap();
        self.plan.late_ms.store(by_ms, Ordering::SeqCst);
        self.plan.late.store(n, Ordering::SeqCst);
    }

    pub(crate) fn calm(&self) {
        for counter in [&self.plan.lose, &self.plan.late, &self.plan.lose_states] {
            counter.store(0, Ordering::SeqCst);
        }
    }

    pub(crate) fn lose_states(&self, n: u64) {
        self.plan.lose_states.store(n, Ordering::SeqCst);
    }
}

/// Decrements a counter. Returns true if it was positive.
fn take(counter: &AtomicU64) -> bool {
    let less = |n: u64| n.checked_sub(1);
    let taken = counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
    taken.is_ok()
}

/// Forwards the first request with the proxy's own port for states, and then all data.
fn connect(mut client: TcpStream, mut arm: TcpStream, plan: &Arc<Plan>) {
    for stream in [&client, &arm] {
        stream.set_nodelay(true).unwrap();
    }
    let mut request = [0; PORT_AT + 2];
    client.read_exact(&mut request).unwrap();
    let port = u16::from_le_bytes([request[PORT_AT], request[PORT_AT + 1]]);
    let client_udp = SocketAddr::from(([127, 0, 0, 1], port));
    let [to_client, to_arm] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let own = to_arm.local_addr().unwrap().port();
    request[PORT_AT..].copy_from_slice(&own.to_le_bytes());
    arm.write_all(&request).unwrap();
    packets(to_client, to_arm, client_udp, plan);
    let (from, to) = (client.try_clone().unwrap(), arm.try_clone().unwrap());
    thread::spawn(move || pass(from, to));
    pass(arm, client);
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Forwards states to the client and commands to the arm.
fn packets(to_client: UdpSocket, to_arm: UdpSocket, client: SocketAddr, plan: &Arc<Plan>) {
    let (states, commands) = (to_arm.try_clone().unwrap(), to_client.try_clone().unwrap());
    // The first state from the arm shows the address to which commands must be sent.
    let (tell, told) = std::sync::mpsc::channel();
    let shared = Arc::clone(plan);
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        let mut arm = None;
        while let Ok((n, from)) = states.recv_from(&mut buffer) {
            if arm != Some(from) {
                arm = Some(from);
                let _ = tell.send(from);
            }
            if !take(&shared.lose_states) {
                let _ = to_client.send_to(&buffer[..n], client);
            }
        }
    });
    let plan = Arc::clone(plan);
    thread::spawn(move || {
        let Ok(arm) = told.recv() else { return };
        let patience = Some(Duration::from_millis(1));
        commands.set_read_timeout(patience).unwrap();
        let mut buffer = [0; 4096];
        let mut late: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
        loop {
            let received = commands.recv_from(&mut buffer).ok();
            if let Some((n, _)) = received.filter(|_| !take(&plan.lose)) {
                let wait_ms = match take(&plan.late) {
                    true => plan.late_ms.load(Ordering::SeqCst),
                    false => 0,
                };
                let due = Instant::now() + Duration::from_millis(wait_ms);
                late.push_back((due, buffer[..n].to_vec()));
            }
            while late.front().is_some_and(|(due, _)| *due <= Instant::now()) {
                let packet = late.pop_front();
                if packet.is_none_or(|(_, bytes)| to_arm.send_to(&bytes, arm).is_err()) {
                    return;
                }
            }
        }
    });
}
