//! Connecting to an arm: options, errors and the report.

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

/// Timeout for an arm that accepts the connection but sends nothing.
const PATIENCE: Duration = Duration::from_secs(8);

/// Need for a real-time kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Realtime {
    /// Moves without a real-time kernel and says so; cycles are missed when the machine is busy.
    #[default]
    Ignore,
    /// Does not connect without a real-time kernel.
    Enforce,
}

/// Options of a connection.
#[derive(Clone, Debug)]
pub struct ArmOptions {
    /// Name or address of the arm's controller, with `:port` if it is not the usual 1337.
    pub host: String,
    /// Name or address of the hand, with an optional port; `None` is the arm's host at port 1338.
    pub hand_host: Option<String>,
    /// Kind of arm to accept; `None` accepts either.
    pub kind: Option<ArmKind>,
    /// Pose of the arm's base in the world.
    pub world_from_base: Pose,
    /// Need for a real-time kernel.
    pub realtime: Realtime,
    /// Safety limits of the arm's motions.
    pub safety: Safety,
}

impl ArmOptions {
    /// Options for any arm at this host, standing at the origin of the world, with all safeguards
    /// on.
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

/// Reason why a connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The controller speaks another version of the protocol.
    #[error(
        "connect to {host}: it uses protocol version {found}, expected {expected} (supported: 5 \
         for Panda, 10 for FR3)"
    )]
    Version {
        /// Host name or address.
        host: String,
        /// Version that the controller speaks.
        found: u16,
        /// Version of the expected arm.
        expected: u16,
    },
    /// Any other failure: invalid settings, another robot, no answer.
    #[error("{0}")]
    Other(String),
}

impl ConnectError {
    pub(crate) fn at(host: &str, why: impl Display) -> Self {
        Self::Other(format!("connect to {host}: {why}"))
    }
}

impl From<SafetyError> for ConnectError {
    fn from(error: SafetyError) -> Self {
        Self::Other(error.to_string())
    }
}

/// Facts about a connection. Nothing has moved.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionReport {
    /// Kind of arm that answered.
    pub kind: ArmKind,
    /// Protocol version of the arm's controller.
    pub server_version: u16,
    /// True if this machine's kernel is a real-time one.
    pub has_realtime_kernel: bool,
    /// True if the arm's thread has real-time priority.
    pub has_realtime_priority: bool,
    /// True if the arm confirmed the contact and collision thresholds. No motion begins before
    /// that.
    pub thresholds_confirmed: bool,
    /// Notices for a person, each a sentence.
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
    let (sender, receiver) = channel();
    let thread = {
        let link = Arc::clone(&link);
        std::thread::Builder::new()
            .name("franka-arm".into())
            .spawn(move || live(&call, &link, &sender))
            .map_err(|error| {
                ConnectError::at("the arm", format_args!("start its thread: {error}"))
            })?
    };
    let answered = match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(answered)) => answered,
        Ok(Err(error)) => return Err(refused(options, error)),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let secs = PATIENCE.as_secs();
            let why = format!("it accepts the connection, but sends nothing for {secs} s");
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
            "the arm did not accept the collision thresholds ({}); they are set at recovery, and \
             nothing moves until then",
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
