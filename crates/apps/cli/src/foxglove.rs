//! `regrasp serve --foxglove`: a session's robot in Foxglove.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use regrasp_foxglove::{LiveError, LiveServer};
use regrasp_session::{Entry, Repeated, Session};

use crate::{CliError, Result, say};

/// Time between two frames: 30 frames per second.
const PERIOD: Duration = Duration::from_millis(33);

/// Shows the robot of a session at a port of the loopback address until the result is dropped.
pub(super) fn show(session: Arc<Session>, port: u16) -> Result<Repeated> {
    let mut server = LiveServer::start(IpAddr::V4(Ipv4Addr::LOCALHOST), port)?;
    say(&format!(
        "Foxglove can connect to ws://localhost:{}",
        server.port()
    ));
    let mut news = session.subscribe();
    let mut shown = None;
    let mut follow = move || -> Result<(), LiveError> {
        if let Some((world, geometry)) = session.geometry()
            && shown != Some(world)
        {
            server.begin(geometry.as_ref().clone());
            shown = Some(world);
        }
        for entry in news.now().entries {
            if let Entry::Event { event } = &entry.entry {
                server.event(event)?;
            }
        }
        match session.frame() {
            Some((frame, _)) => server.frame(&frame),
            None => Ok(()),
        }
    };
    let shown = Repeated::begin("foxglove", PERIOD, move || {
        let followed = follow();
        let failed = |error: &LiveError| say(&format!("failed to {error}"));
        followed.inspect_err(failed).is_ok()
    });
    shown.map_err(|error| CliError::bug(format_args!("start a thread: {error}")))
}
