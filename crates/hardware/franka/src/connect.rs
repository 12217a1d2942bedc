//! Connecting to an arm: what is asked for, what answered, and what is to be known about it.

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
    /// The safety settings make no sense.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// The chain is not that of such an arm.
    #[error("connect to the arm: the robot has {found} joints, but a Franka has {expected}")]
    Joints {
        /// Joints of the chain.
        found: usize,
        /// Joints of a Franka.
        expected: usize,
    },
    /// Nothing answers, or what answers does not speak the protocol.
    #[error("connect to {host}: {detail}")]
    NoAnswer {
        /// The host.
        host: String,
        /// What the client says.
        detail: String,
    },
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
    /// A real-time kernel was asked for, and there is none.
    #[error("connect to the arm: {0}")]
    Realtime(String),
    /// The arm's thread cannot be started.
    #[error("connect to the arm: start its thread: {0}")]
    Thread(#[from] std::io::Error),
    /// The arm's own description makes no sense.
    #[error("connect to the arm: read the speed limits from its URDF: {0}")]
    Model(String),
    /// The arm answers, its hand does not.
    #[error("connect to the hand at {host}: {detail}")]
    Hand {
        /// The host.
        host: String,
        /// What the client says.
        detail: String,
    },
}

/// What is to be known about a connection. Nothing has moved.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionReport {
    /// Which arm answered.
    pub kind: ArmKind,
    /// The version of the protocol that its controller speaks.
    pub server_version: u16,
    /// Whether this machine's kernel is a real-time one.
    pub has_realtime_kernel: bool,
    /// Whether the arm's thread runs before all others.
    pub has_realtime_priority: bool,
    /// Whether the arm confirmed the thresholds of contacts and collisions. No motion begins
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
            .spawn(move || live(&call, &link, &tell))?
    };
    let answered = match told.recv_timeout(PATIENCE) {
        Ok(Ok(answered)) => answered,
        Ok(Err(error)) => return Err(refused(options, error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let secs = PATIENCE.as_secs();
            return Err(ConnectError::NoAnswer {
                host: options.host.clone(),
                detail: format!("it accepts the connection, but says nothing for {secs} s"),
            });
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
            .map_err(|error| ConnectError::Model(plain(&error.to_string()))),
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
    let host = options.host.clone();
    match error {
        FrankaError::IncompatibleVersion {
            server_version,
            library_version,
        } => ConnectError::Version {
            host,
            found: server_version,
            expected: library_version,
        },
        FrankaError::Realtime(text) => ConnectError::Realtime(plain(&text)),
        other => ConnectError::NoAnswer {
            host,
            detail: plain(&other.to_string()),
        },
    }
}
