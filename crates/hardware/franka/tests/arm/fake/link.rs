//! Server of a fake: serves one client after the other and answers its requests.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The arm or the hand. A message begins with its command, its number and its size.
pub(crate) trait Body: Send + Sized + 'static {
    const COMMAND_BYTES: usize;

    fn answer(shared: &Shared<Self>, command: u32, id: u32, payload: &[u8]);

    /// Sends states until the fake is shut down.
    fn run(shared: &Shared<Self>);

    /// True if the device has no power and accepts no connection.
    fn is_dead(&self) -> bool {
        false
    }

    fn connected(&mut self) {}
}

pub(crate) struct Shared<T> {
    pub(super) body: Mutex<T>,
    pub(super) stream: Mutex<Option<TcpStream>>,
    pub(super) client: Mutex<Option<SocketAddr>>,
    pub(super) quit: AtomicBool,
}

pub(crate) struct Fake<T> {
    pub(super) shared: Arc<Shared<T>>,
    pub(crate) host: String,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Body> Fake<T> {
    pub(super) fn of(body: T) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            body: Mutex::new(body),
            stream: Mutex::new(None),
            client: Mutex::new(None),
            quit: AtomicBool::new(false),
        });
        let (tcp, states) = (Arc::clone(&shared), Arc::clone(&shared));
        let threads = vec![
            thread::spawn(move || tcp.accept(listener, address)),
            thread::spawn(move || T::run(&states)),
        ];
        Self {
            shared,
            host: address.to_string(),
            threads,
        }
    }
}

impl<T> Drop for Fake<T> {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl<T: Body> Shared<T> {
    pub(super) fn respond(&self, command: u32, id: u32, payload: &[u8]) {
        let size = T::COMMAND_BYTES + 8 + payload.len();
        let mut message = command.to_le_bytes()[..T::COMMAND_BYTES].to_vec();
        message.extend([id, size as u32].map(u32::to_le_bytes).concat());
        message.extend_from_slice(payload);
        if let Some(stream) = self.stream.lock().unwrap().as_mut() {
            let _ = stream.write_all(&message);
        }
    }

    fn accept(&self, listener: TcpListener, address: SocketAddr) {
        let mut listener = Some(listener);
        while !self.quit.load(Ordering::Relaxed) {
            if self.body.lock().unwrap().is_dead() {
                listener = None;
                thread::sleep(Duration::from_millis(2));
                continue;
            }
            let open = listener.get_or_insert_with(|| TcpListener::bind(address).unwrap());
            open.set_nonblocking(true).unwrap();
            match open.accept() {
                Ok((stream, _)) => {
                    self.body.lock().unwrap().connected();
                    self.serve(stream);
                    *self.client.lock().unwrap() = None;
                }
                Err(_) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    fn serve(&self, mut stream: TcpStream) {
        stream.set_nonblocking(false).unwrap();
        stream.set_nodelay(true).unwrap();
        let patience = Duration::from_millis(20);
        stream.set_read_timeout(Some(patience)).unwrap();
        *self.stream.lock().unwrap() = Some(stream.try_clone().unwrap());
        let mut head = vec![0; T::COMMAND_BYTES + 8];
        while self.read_all(&mut stream, &mut head) {
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| (n << 8) | u32::from(*b));
            let (command, rest) = head.split_at(T::COMMAND_BYTES);
            let (command, id, size) = (number(command), number(&rest[..4]), number(&rest[4..]));
            let mut payload = vec![0; size as usize - head.len()];
            if !self.read_all(&mut stream, &mut payload) {
                break;
            }
            T::answer(self, command, id, &payload);
        }
        *self.stream.lock().unwrap() = None;
    }

    /// Fills the buffer; `false` if the other side closed or the fake is shutting down.
    fn read_all(&self, stream: &mut TcpStream, buffer: &mut [u8]) -> bool {
        let mut n = 0;
        while n < buffer.len() {
            if self.quit.load(Ordering::Relaxed) {
                return false;
            }
            match stream.read(&mut buffer[n..]) {
                Ok(0) => return false,
                Ok(read) => n += read,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return false,
            }
        }
        true
    }
}
