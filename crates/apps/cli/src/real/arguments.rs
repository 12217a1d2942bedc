//! What is said about a real arm.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use regrasp::Kit;
use regrasp::api::{Aabb, CancelToken};
use regrasp::scene::builtin_robot_named;
use regrasp_franka::{Approval, ArmKind, ArmOptions, FirstMotion, FrankaArm, Realtime, Safety};

use crate::error::CliError;
use crate::output::complain;
use crate::person::Terminal;
use crate::values::REAL;

/// As the help groups it.
const HEADING: &str = "A real arm (--robot franka:HOST)";

/// A real arm by its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: String,
    kind: Option<ArmKind>,
}

impl Target {
    /// What `--robot` names.
    pub(crate) fn named(name: &str) -> Result<Self, CliError> {
        Self::parse(name).map_err(|expected| CliError::NoTarget {
            name: name.into(),
            expected,
        })
    }

    /// `franka:HOST`, with `:PORT` if it is not the usual one, then `:v5` (Panda) or `:v10` (FR3)
    /// if it must be that arm.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "expected franka:HOST, franka:HOST:v5 (Panda) or franka:HOST:v10 (FR3)";
        let rest = text.strip_prefix(REAL).ok_or_else(wrong)?;
        let (host, kind) = match rest.rsplit_once(':') {
            Some((host, "v5")) => (host, Some(ArmKind::Panda)),
            Some((host, "v10")) => (host, Some(ArmKind::Fr3)),
            _ => (rest, None),
        };
        match host.is_empty() || host.starts_with(':') {
            true => Err(wrong().into()),
            false => Ok(Self {
                host: host.to_owned(),
                kind,
            }),
        }
    }
}

/// How to connect.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConnectionArguments {
    /// Where the hand answers, if not at the arm's address: HOST or HOST:PORT.
    #[arg(long, value_name = "HOST", help_heading = HEADING)]
    pub(crate) hand: Option<String>,
    /// A YAML file of safety settings; what it does not mention stays on.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) safety: Option<PathBuf>,
}

/// How to move.
#[derive(Args, Clone, Debug)]
pub(crate) struct MotionArguments {
    /// Part of the arm's limits of speed, acceleration and jerk that motions may use; 0.3 if
    /// nothing else says so.
    #[arg(long, value_name = "PART", value_parser = part, help_heading = HEADING)]
    pub(crate) speed: Option<f64>,
    #[command(flatten)]
    pub(crate) bounds: BoundArguments,
}

/// Where to move, and who lets it.
#[derive(Args, Clone, Debug)]
pub(crate) struct BoundArguments {
    /// Where the tool may be in the frame of the arm's base, m; in reach and not below the base if
    /// nothing else says so.
    #[arg(long, num_args = 6, value_names = ["X0", "X1", "Y0", "Y1", "Z0", "Z1"],
          allow_hyphen_values = true, help_heading = HEADING)]
    pub(crate) workspace: Vec<f64>,
    /// Approve the first motion beforehand, for scripts. Otherwise it is shown and asked for: on
    /// the terminal, on the live page, of the client; and refused where there is nobody.
    #[arg(long, help_heading = HEADING)]
    pub(crate) approve_motion: bool,
    /// Do not connect without a real-time kernel.
    #[arg(long, help_heading = HEADING)]
    pub(crate) require_realtime: bool,
}

/// What the robot sees with.
#[derive(Args, Clone, Debug)]
pub(crate) struct EyeArguments {
    /// Objects from another process: a file to which it appends JSON lines, or an http:// URL that
    /// answers with the newest. `regrasp schema percepts` says what a line may be.
    #[arg(long, value_name = "FILE|URL", conflicts_with = "rgbd", help_heading = HEADING)]
    pub(crate) percepts: Option<String>,
    /// How long a look waits for a line that was taken after it began, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, requires = "percepts",
          value_parser = crate::values::not_negative, help_heading = HEADING)]
    pub(crate) percepts_wait: f64,
    /// Objects from colour and depth pictures: a file of cameras. `regrasp schema cameras` says
    /// what it may be.
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) rgbd: Option<PathBuf>,
}

fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("expected a number above 0 and at most 1".into()),
    }
}

impl ConnectionArguments {
    /// What the settings say, and these arguments over them.
    fn safety(&self, motion: Option<&MotionArguments>) -> Result<Safety, CliError> {
        let mut safety = match &self.safety {
            None => Safety::default(),
            Some(path) => {
                let text = fs::read_to_string(path).map_err(|source| CliError::Read {
                    path: path.clone(),
                    source,
                })?;
                Safety::from_yaml(&text)?
            }
        };
        let Some(motion) = motion else {
            return Ok(safety);
        };
        safety.speed = motion.speed.unwrap_or(safety.speed);
        if let [x0, x1, y0, y1, z0, z1] = *motion.bounds.workspace {
            safety.workspace_in_base_m = Aabb {
                min: [x0, y0, z0],
                max: [x1, y1, z1],
            };
        }
        safety.validate()?;
        Ok(safety)
    }

    /// What plans for the arm that answered, clear of the margin in which it refuses a motion.
    pub(crate) fn kit_for(
        &self,
        arm: ArmKind,
        panda: &Kit,
        motion: &MotionArguments,
    ) -> Result<Kit, CliError> {
        /// What rounding may take off, rad.
        const SPARE_RAD: f64 = 0.01;
        let margin_rad = self.safety(Some(motion))?.joint_margin_rad + SPARE_RAD;
        Ok(kit_of(arm, panda)?.with_joint_margin(margin_rad)?)
    }

    /// Connects; nothing moves. Ctrl-C stops the arm from here on, and whatever watches the token.
    pub(crate) fn connect(
        &self,
        target: &Target,
        motion: Option<&MotionArguments>,
        kit: &Kit,
        cancel: &CancelToken,
    ) -> Result<FrankaArm, CliError> {
        let arm = self.link(target, motion, kit, approval(motion))?;
        let (stop, token) = (arm.stop_handle(), cancel.clone());
        ctrlc::set_handler(move || {
            stop.stop();
            token.cancel();
        })?;
        complain("Ctrl-C stops it");
        Ok(arm)
    }

    /// Connects, and says what there is to know; nothing moves.
    pub(crate) fn link(
        &self,
        target: &Target,
        motion: Option<&MotionArguments>,
        kit: &Kit,
        approval: Approval,
    ) -> Result<FrankaArm, CliError> {
        let realtime = match motion {
            Some(motion) if motion.bounds.require_realtime => Realtime::Enforce,
            _ => Realtime::Ignore,
        };
        let options = ArmOptions {
            hand_host: self.hand.clone(),
            kind: target.kind,
            realtime,
            safety: self.safety(motion)?,
            ..ArmOptions::new(&target.host)
        };
        let file = kit.file();
        let chain = kit.model().chain(&file.base_link, &file.tool_link);
        let chain = chain.map_err(regrasp::SetupError::from)?;
        let arm = FrankaArm::connect(options, chain, approval)?;
        let report = arm.report();
        complain(&format!(
            "connected to the {} at {} (protocol {})",
            report.kind, target.host, report.server_version
        ));
        report.notices.iter().for_each(|notice| complain(notice));
        Ok(arm)
    }
}

/// The robot file of the arm that answered. Until then the Panda's does: links and frames are the
/// same, and only limits differ.
pub(crate) fn kit_of(arm: ArmKind, panda: &Kit) -> Result<Kit, CliError> {
    match arm {
        ArmKind::Panda => Ok(panda.clone()),
        ArmKind::Fr3 => Ok(Kit::new(builtin_robot_named("fr3")?)?),
    }
}

/// Who lets the first motion begin.
fn approval(motion: Option<&MotionArguments>) -> Approval {
    match motion {
        None => Approval::Nobody,
        Some(motion) if motion.bounds.approve_motion => approved(),
        Some(_) => Approval::Ask(Box::new(|motion: &FirstMotion| {
            let is_approved = Terminal.approves(&format!("First motion: {motion}. May it?"));
            if is_approved.is_none() {
                complain(&format!(
                    "first motion: {motion}: nobody is there to approve it (standard input is no \
                     terminal); --approve-motion does"
                ));
            }
            is_approved.unwrap_or(false)
        })),
    }
}

/// Approved beforehand, and said.
pub(crate) fn approved() -> Approval {
    Approval::Ask(Box::new(|motion: &FirstMotion| {
        complain(&format!(
            "first motion: {motion} (approved by --approve-motion)"
        ));
        true
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_is_named_by_host_port_and_version() {
        let target = |text: &str| Target::parse(text).map(|t| (t.host, t.kind));
        let named = |host: &str, kind| Ok((host.to_owned(), kind));
        assert_eq!(target("franka:172.16.0.2"), named("172.16.0.2", None));
        assert_eq!(target("franka:arm:1400"), named("arm:1400", None));
        assert_eq!(
            target("franka:arm:1400:v5"),
            named("arm:1400", Some(ArmKind::Panda))
        );
        assert_eq!(target("franka:arm:v10"), named("arm", Some(ArmKind::Fr3)));
        for wrong in ["franka:", "franka::v5", "panda.yaml"] {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }
}
