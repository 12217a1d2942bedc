//! `regrasp serve --foxglove`: a session's robot in Foxglove.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use regrasp_foxglove::{LiveError, LiveServer};
use regrasp_session::{Entry, Session};

use crate::{Result, say};

/// Time between two frames: 30 frames per second.
const PERIOD: Duration = Duration::from_millis(33);

/// Thread that shows a session's robot until this value is dropped.
pub(super) struct Shown {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts to show the robot of a session at a port of the loopback address.
pub(super) fn show(session: Arc<Session>, port: u16) -> Result<Shown> {
    let server = LiveServer::start(IpAddr::V4(Ipv4Addr::LOCALHOST), port)?;
    say(&format!(
        "Foxglove can connect to ws://localhost:{}",
        server.port()
    ));
    let over = Arc::new(AtomicBool::new(false));
    let is_over = Arc::clone(&over);
    let thread = thread::spawn(move || {
        if let Err(error) = follow(&session, server, &is_over) {
            say(&format!("failed to {error}"));
        }
    });
    Ok(Shown {
        over,
        thread: Some(thread),
    })
}

fn follow(session: &Session, mut server: LiveServer, over: &AtomicBool) -> Result<(), LiveError> {
    let mut news = session.subscribe();
    let mut shown = None;
    while !over.load(Ordering::Relaxed) {
        if let Some((world, geometry)) = session.geometry()
            && shown != Some(world)
        {
            server.begin(geometry);
            shown = Some(world);
        }
        for entry in news.now().entries {
            if let Entry::Event { event } = &entry.entry {
                server.event(event)?;
            }
        }
        if let Some((frame, _)) = session.frame() {
            server.frame(&frame)?;
        }
        thread::sleep(PERIOD);
    }
    Ok(())
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // A panic of the thread was already reported.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
