//! Connecting to an arm: options, errors and the report.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use franka::{
    FrankaError, JointVelocityLimitsConfig, RealtimeConfig, Robot, RobotOptions, VersionPolicy,
    realtime,
};
use regrasp_api::Pose;

use crate::drive::{serve, set_thresholds};
use crate::robot_errors::plain;
use crate::{ArmKind, ArmLimits, Link, Safety, SafetyError};

/// Timeout for an arm that accepts the connection but sends nothing.
const PATIENCE: Duration = Duration::from_secs(8);

/// Requirement of a real-time kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Realtime {
    /// Connects without a real-time kernel, with a notice; cycles are missed when the machine is
    /// busy.
    #[default]
    Ignore,
    /// Does not connect without a real-time kernel.
    Enforce,
}

/// Options of a connection.
#[derive(Clone, Debug)]
pub struct ArmOptions {
    /// Name or address of the arm's controller, with `:port` if it is not 1337.
    pub host: String,
    /// Name or address of the hand, with an optional port; `None` is the arm's host at port 1338.
    pub hand_host: Option<String>,
    /// Kind of arm to accept; `None` accepts either.
    pub kind: Option<ArmKind>,
    /// Pose of the arm's base in the world.
    pub world_from_base: Pose,
    /// Requirement of a real-time kernel.
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

/// Facts about a new connection, over which nothing has been moved yet.
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
    let (sender, receiver) = channel();
    let (own, shared) = (options.clone(), Arc::clone(&link));
    let thread = std::thread::Builder::new()
        .name("franka-arm".into())
        .spawn(move || live(&own, &shared, &sender))
        .map_err(|error| ConnectError::at("the arm", format_args!("start its thread: {error}")))?;
    let (limits, report) = receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let secs = PATIENCE.as_secs();
        let why = format!("it accepts the connection, but sends nothing for {secs} s");
        Err(ConnectError::at(&options.host, why))
    })?;
    Ok(Connected {
        link,
        thread,
        limits,
        report,
    })
}

/// Main function of the thread: connects, reports to `sender`, serves, and leaves the reason of its
/// end in the link.
fn live(options: &ArmOptions, link: &Link, sender: &Sender<Result<Answered, ConnectError>>) {
    match open(options) {
        Ok((robot, answered)) => {
            if sender.send(Ok(answered)).is_ok() {
                let error = serve(&robot, link, &options.safety.collision);
                // Nothing else writes to this slot.
                let _ = link.lost.put(error);
            }
        }
        Err(error) => {
            // If connecting took too long, the receiver is gone and does not need the error.
            let _ = sender.send(Err(error));
        }
    }
}

/// Limits of an arm that has answered, and facts about its connection.
type Answered = (ArmLimits, ConnectionReport);

/// Connects from the arm's own thread, which gets real-time priority.
fn open(options: &ArmOptions) -> Result<(Robot, Answered), ConnectError> {
    let failed = |error| refused(options, error);
    let has_realtime_priority =
        realtime::set_current_thread_to_highest_scheduler_priority().is_ok();
    let realtime = match options.realtime {
        Realtime::Ignore => RealtimeConfig::Ignore,
        Realtime::Enforce => RealtimeConfig::Enforce,
    };
    let exactly = |kind: ArmKind| VersionPolicy::Exact(kind.version());
    let calling = RobotOptions::new(realtime)
        .with_version(options.kind.map_or(VersionPolicy::Auto, exactly))
        // A log of the last cycles would allocate in every cycle.
        .with_log_size(0);
    let robot = Robot::with_options(&options.host, calling).map_err(failed)?;
    // During a reflex the arm accepts no thresholds.
    let thresholds_refused = match set_thresholds(&robot, &options.safety.collision) {
        Ok(()) => None,
        Err(FrankaError::Command(text)) => Some(plain(&text)),
        Err(error) => return Err(failed(error)),
    };
    let limits = match ArmKind::of(robot.fci_version()) {
        ArmKind::Panda => ArmLimits::panda(),
        ArmKind::Fr3 => fr3_limits(&robot.robot_model().map_err(failed)?)?,
    };
    let mut report = ConnectionReport {
        kind: limits.kind,
        server_version: robot.server_version(),
        has_realtime_kernel: realtime::has_realtime_kernel(),
        has_realtime_priority,
        thresholds_confirmed: thresholds_refused.is_none(),
        notices: vec![],
    };
    report.notices = notices(&report, thresholds_refused.as_deref());
    Ok((robot, (limits, report)))
}

/// Limits of an FR3, from the URDF that the arm sends.
fn fr3_limits(urdf: &str) -> Result<ArmLimits, ConnectError> {
    let limits = JointVelocityLimitsConfig::from_urdf(urdf);
    limits.map(ArmLimits::fr3).map_err(|error| {
        let why = plain(&error.to_string());
        ConnectError::at(
            "the arm",
            format_args!("read the speed limits from its URDF: {why}"),
        )
    })
}

fn notices(report: &ConnectionReport, thresholds_refused: Option<&str>) -> Vec<String> {
    let kernel = "this machine has no real-time kernel: cycles are missed when it is busy, and the \
                  arm stops after 20 missed in a row";
    let priority = "the arm's thread has no real-time priority: the user needs permission for \
                    SCHED_FIFO";
    let thresholds = thresholds_refused.map(|why| {
        format!(
            "the arm did not accept the collision thresholds ({why}); they are set at recovery, \
             and nothing moves until then"
        )
    });
    let kernel = (!report.has_realtime_kernel).then(|| kernel.to_owned());
    let priority = (!report.has_realtime_priority).then(|| priority.to_owned());
    let notices = [kernel, priority, thresholds].into_iter();
    notices.flatten().collect()
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
