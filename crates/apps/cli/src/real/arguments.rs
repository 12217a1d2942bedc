//! Arguments of commands with a real arm.

use std::path::PathBuf;

use clap::Args;
use regrasp::LoadedRobot;
use regrasp::api::{Aabb, CancelToken};
use regrasp_franka::{Approval, FirstMotion, FrankaArm, Realtime};
use regrasp_session::real::{ArmAddress, Connection, EyeSource, approved};

use crate::scope;
use crate::{CliError, Result, Terminal, complain};

const HEADING: &str = "A real arm (--robot franka:HOST)";

/// Parses the arm's address in `--robot`.
pub(crate) fn address(name: &str) -> Result<ArmAddress> {
    ArmAddress::parse(name)
        .map_err(|expected| CliError::usage(format_args!("use the robot `{name}`: {expected}")))
}

/// Connection to the arm.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConnectionArguments {
    /// Address of the hand: HOST or HOST:PORT. Default: that of the arm.
    #[arg(long, value_name = "HOST", help_heading = HEADING)]
    pub(crate) hand: Option<String>,
    /// A YAML file of safety settings; settings that it lacks keep their defaults.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) safety: Option<PathBuf>,
}

/// Motion of the arm.
#[derive(Args, Clone, Debug)]
pub(crate) struct MotionArguments {
    /// Fraction of the arm's limits of speed, acceleration and jerk that motions may use. Default:
    /// that of --safety, or 0.3.
    #[arg(long, value_name = "FRACTION", value_parser = part, help_heading = HEADING,
          group = scope::ARM_SPEED)]
    pub(crate) speed: Option<f64>,
    #[command(flatten)]
    pub(crate) bounds: BoundArguments,
}

/// Bounds of a motion, and its approval.
#[derive(Args, Clone, Debug)]
pub(crate) struct BoundArguments {
    /// Box in which the tool may move, in the frame of the arm's base, m. Default: that of
    /// --safety, or the reach of the arm above its base.
    #[arg(long, num_args = 6, value_names = ["X0", "X1", "Y0", "Y1", "Z0", "Z1"],
          allow_hyphen_values = true, help_heading = HEADING)]
    workspace: Vec<f64>,
    /// Approve the first motion beforehand, for scripts. Otherwise a person is asked: on the
    /// terminal, on the live page, or by the client. If nobody can be asked, the motion is refused.
    #[arg(long, help_heading = HEADING)]
    pub(crate) approve_motion: bool,
    /// Do not connect without a real-time kernel.
    #[arg(long, help_heading = HEADING)]
    pub(crate) require_realtime: bool,
}

/// Source of the robot's perception.
#[derive(Args, Clone, Debug)]
pub(crate) struct EyeArguments {
    /// Objects from another process: a file to which it appends JSON lines, or an http:// URL that
    /// answers with the newest line. `regrasp schema percepts` describes a line.
    #[arg(long, value_name = "FILE|URL", conflicts_with = "rgbd", help_heading = HEADING)]
    pub(crate) percepts: Option<String>,
    /// Maximum time to wait for a line that was measured after perception was requested, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, requires = "percepts",
          value_parser = crate::values::not_negative, help_heading = HEADING)]
    pub(crate) percepts_wait: f64,
    /// Objects from colour and depth pictures: a file of cameras. `regrasp schema cameras`
    /// describes it.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) rgbd: Option<PathBuf>,
}

impl BoundArguments {
    pub(crate) fn workspace_in_base_m(&self) -> Option<Aabb> {
        let [x0, x1, y0, y1, z0, z1] = *self.workspace else {
            return None;
        };
        Some(Aabb::new([x0, y0, z0], [x1, y1, z1]))
    }
}

fn part(text: &str) -> Result<f64, String> {
    crate::values::number(text, "a number above 0 and at most 1", |x| {
        x > 0.0 && x <= 1.0
    })
}

impl EyeArguments {
    pub(crate) fn source(&self) -> Result<EyeSource> {
        if let Some(place) = &self.percepts {
            return Ok(EyeSource::Percepts {
                place: place.clone(),
                wait_secs: self.percepts_wait,
            });
        }
        let cameras = self.rgbd.clone().ok_or_else(|| {
            CliError::usage("perceive: a real arm needs --percepts FILE|URL or --rgbd FILE")
        })?;
        Ok(EyeSource::Rgbd(cameras))
    }
}

impl ConnectionArguments {
    /// Connection to an arm with a speed and bounds of motions.
    pub(crate) fn to(
        &self,
        address: ArmAddress,
        speed: Option<f64>,
        bounds: Option<&BoundArguments>,
    ) -> Connection {
        let is_required = bounds.is_some_and(|bounds| bounds.require_realtime);
        Connection {
            address,
            hand_host: self.hand.clone(),
            safety: self.safety.clone(),
            speed,
            workspace_in_base_m: bounds.and_then(BoundArguments::workspace_in_base_m),
            realtime: match is_required {
                true => Realtime::Enforce,
                false => Realtime::Ignore,
            },
            notify: complain,
        }
    }
}

/// Connects without moving the arm. Afterwards Ctrl-C stops the arm and cancels the token.
pub(super) fn connect(
    connection: &Connection,
    motion: Option<&MotionArguments>,
    loaded: &LoadedRobot,
    cancel: &CancelToken,
) -> Result<FrankaArm> {
    let arm = connection.open(loaded, approval(motion))?;
    let (stop, token) = (arm.stop_handle(), cancel.clone());
    ctrlc::set_handler(move || {
        stop.stop();
        token.cancel();
    })?;
    complain("Ctrl-C stops the arm");
    Ok(arm)
}

fn approval(motion: Option<&MotionArguments>) -> Approval {
    match motion {
        None => Box::new(|_| false),
        Some(motion) if motion.bounds.approve_motion => approved(complain),
        Some(_) => Box::new(|motion: &FirstMotion| {
            let is_approved = Terminal.approves(&format!("First motion: {motion}. Approve it?"));
            if is_approved.is_none() {
                complain(&format!(
                    "first motion: {motion}: nobody can approve it (standard input is not a \
                     terminal); use --approve-motion"
                ));
            }
            is_approved.unwrap_or(false)
        }),
    }
}
