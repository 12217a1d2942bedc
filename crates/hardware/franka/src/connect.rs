//! Connecting to an arm: what is asked for, what answered, and what is to be known about it.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use franka::{FrankaError, JointVelocityLimitsConfig, RealtimeConfig, VersionPolicy};
use regrasp_api::Pose;

use crate::drive::{Answered, Call, live};
use crate::limits::{ArmKind, ArmLimits};
use crate::link::Link;
use crate::robot_errors::plain;
use crate::safety::{Safety, SafetyError};

/// An arm that accepts the connection but says nothing is given up after this.
const PATIENCE: Duration = Duration::from_secs(8);

/// Whether a real-time kernel is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Realtime {
    /// Moves without one, and says so: cycles are missed when the machine is busy.
    #[default]
    Ignore,
    /// Does not connect without one.
    Enforce,
}

/// What to connect to.
#[derive(Clone, Debug)]
pub struct ArmOptions {
    /// Name or address of the arm's controller, with `:port` if it is not the usual 1337.
    pub host: String,
    /// The same for the hand; `None` is the arm's host at the usual port 1338.
    pub hand_host: Option<String>,
    /// Which arm it has to be; `None` takes what answers.
    pub kind: Option<ArmKind>,
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// Whether a real-time kernel is needed.
    pub realtime: Realtime,
    /// Limits under which it moves.
    pub safety: Safety,
}

impl ArmOptions {
    /// Whatever arm answers there, at the origin of the world, with every safeguard.
    pub fn new(host: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            hand_host: None,
            kind: None,
            world_from_base: Pose::identity(),
            realtime: Realtime::default(),
            safety: Safety::default(),
        }
    }

    pub(crate) fn hand_host(&self) -> String {
        let name = || {
            self.host
                .rsplit_once(':')
                .map_or(&*self.host, |(name, _)| name)
        };
        self.hand_host.clone().unwrap_or_else(|| name().to_owned())
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// What answers speaks another version of the protocol.
    #[error(
        "connect to {host}: it speaks version {found} of the protocol; known are 5 (Panda) and 10 \
         (FR3), and version {expected} was asked for"
    )]
    Version {
        /// The host.
        host: String,
        /// Its version.
        found: u16,
        /// The one that was asked for.
        expected: u16,
    },
    /// Anything else: settings that make no sense, another robot, nobody who answers.
    #[error("{0}")]
    Other(String),
}

impl ConnectError {
    /// Why the arm or what answers in its place is of no use.
    pub(crate) fn at(host: &str, why: impl Display) -> Self {
        Self::Other(format!("connect to {host}: {why}"))
    }
}

impl From<SafetyError> for ConnectError {
    fn from(error: SafetyError) -> Self {
        Self::Other(error.to_string())
    }
}

/// What is to be known about a connection. Nothing has moved.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionReport {
    /// Which arm answered.
    pub kind: ArmKind,
    /// The version of the protocol that its controller speaks.
    pub server_version: u16,
    /// True if this machine's kernel is a real-time one.
    pub has_realtime_kernel: bool,
    /// True if the arm's thread runs before all others.
    pub has_realtime_priority: bool,
    /// True if the arm confirmed the thresholds of contacts and collisions. No motion begins
    /// until it has.
    pub thresholds_confirmed: bool,
    /// What a person should know, each a sentence.
    pub notices: Vec<String>,
}

pub(crate) struct Connected {
    pub(crate) link: Arc<Link>,
    pub(crate) thread: JoinHandle<()>,
    pub(crate) limits: ArmLimits,
    pub(crate) report: ConnectionReport,
}

/// Starts the arm's thread and waits until it has connected.
pub(crate) fn connect(options: &ArmOptions, link: Arc<Link>) -> Result<Connected, ConnectError> {
    let kind = options.kind;
    let call = Call {
        host: options.host.clone(),
        realtime: match options.realtime {
            Realtime::Ignore => RealtimeConfig::Ignore,
            Realtime::Enforce => RealtimeConfig::Enforce,
        },
        policy: kind.map_or(VersionPolicy::Auto, |kind| {
            VersionPolicy::Exact(kind.version())
        }),
        thresholds: options.safety.collision,
    };
    let (tell, told) = channel();
    let thread = {
        let link = Arc::clone(&link);
        std::thread::Builder::new()
            .name("franka-arm".into())
            .spawn(move || live(&call, &link, &tell))
            .map_err(|error| {
                ConnectError::at("the arm", format_args!("start its thread: {error}"))
            })?
    };
    let answered = match told.recv_timeout(PATIENCE) {
        Ok(Ok(answered)) => answered,
        Ok(Err(error)) => return Err(refused(options, error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let secs = PATIENCE.as_secs();
            let why = format!("it accepts the connection, but says nothing for {secs} s");
            return Err(ConnectError::at(&options.host, why));
        }
    };
    let limits = limits(&answered)?;
    Ok(Connected {
        link,
        thread,
        limits,
        report: report(&answered),
    })
}

fn limits(answered: &Answered) -> Result<ArmLimits, ConnectError> {
    match (ArmKind::of(answered.version), &answered.urdf) {
        (ArmKind::Fr3, Some(urdf)) => JointVelocityLimitsConfig::from_urdf(urdf)
            .map(ArmLimits::fr3)
            .map_err(|error| {
                let why = plain(&error.to_string());
                let why = format!("read the speed limits from its URDF: {why}");
                ConnectError::at("the arm", why)
            }),
        (ArmKind::Panda | ArmKind::Fr3, _) => Ok(ArmLimits::panda()),
    }
}

fn report(answered: &Answered) -> ConnectionReport {
    let mut notices = vec![];
    if !answered.has_realtime_kernel {
        notices.push(
            "this machine has no real-time kernel: cycles are missed when it is busy, and the arm \
             stops after 20 in a row"
                .to_owned(),
        );
    }
    if !answered.has_priority {
        notices.push(
            "the arm's thread has no real-time priority (it needs the right to SCHED_FIFO)"
                .to_owned(),
        );
    }
    if let Some(why) = &answered.thresholds_refused {
        notices.push(format!(
            "the arm did not take the thresholds of collisions ({}); they are set at recovery, and \
             nothing moves before",
            plain(why)
        ));
    }
    ConnectionReport {
        kind: ArmKind::of(answered.version),
        server_version: answered.server_version,
        has_realtime_kernel: answered.has_realtime_kernel,
        has_realtime_priority: answered.has_priority,
        thresholds_confirmed: answered.thresholds_refused.is_none(),
        notices,
    }
}

fn refused(options: &ArmOptions, error: FrankaError) -> ConnectError {
    match error {
        FrankaError::IncompatibleVersion {
            server_version,
            library_version,
        } => ConnectError::Version {
            host: options.host.clone(),
            found: server_version,
            expected: library_version,
        },
        FrankaError::Realtime(text) => ConnectError::at("the arm", plain(&text)),
        other => ConnectError::at(&options.host, plain(&other.to_string())),
    }
}
