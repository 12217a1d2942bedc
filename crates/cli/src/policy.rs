//! The policy that the command line asks for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use regrasp::PolicyOptions;
use regrasp::api::Policy;
use regrasp::policy::{DriveOptions, ProcessOptions, ProcessPolicies, ReplayPolicy};

use super::error::CliError;
use super::recording::Footage;

#[derive(Args, Debug)]
pub(crate) struct PolicyArguments {
    /// Let a policy drive the robot, instead of planner and skills: `process:COMMAND`, which
    /// speaks JSON lines over its standard input and output, or `replay:RUN`, a run that was
    /// recorded.
    #[arg(long, value_name = "KIND:WHAT", conflicts_with = "planner", value_parser = spec)]
    policy: Option<Spec>,
    /// Actions per second of simulated time.
    #[arg(long, value_name = "HZ", default_value_t = 20.0, requires = "policy",
          value_parser = rate)]
    policy_rate: f64,
    /// Real seconds that the policy may take for an action.
    #[arg(long, value_name = "S", default_value_t = 1.0, requires = "policy",
          value_parser = positive)]
    policy_deadline: f64,
    /// Simulated seconds after which an episode with a policy ends.
    #[arg(long, value_name = "S", default_value_t = 60.0, requires = "policy",
          value_parser = positive)]
    policy_time: f64,
    /// Cameras whose pictures the policy is sent with every observation.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "policy")]
    policy_cameras: Vec<String>,
}

/// What drives.
#[derive(Clone, Debug)]
enum Spec {
    Process(String),
    Replay(PathBuf),
}

fn spec(text: &str) -> Result<Spec, String> {
    match text.split_once(':') {
        Some(("process", command)) if !command.trim().is_empty() => {
            Ok(Spec::Process(command.to_owned()))
        }
        Some(("replay", run)) if !run.trim().is_empty() => Ok(Spec::Replay(PathBuf::from(run))),
        _ => Err(
            "expected process:COMMAND, such as \"process:python3 policy.py\", or replay:RUN".into(),
        ),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("expected a number greater than 0".into()),
    }
}

/// The world steps 400 times a second: more actions than that cannot be.
fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (1.0..=400.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 1 to 400".into()),
    }
}

/// Makes policies, one an episode.
pub(super) struct PolicySource {
    maker: Maker,
    drive: DriveOptions,
    cameras: Vec<String>,
}

enum Maker {
    Processes(ProcessPolicies),
    Replay(ReplayPolicy),
}

impl PolicyArguments {
    /// The policy that was asked for, if any was.
    pub(super) fn source(&self) -> Result<Option<PolicySource>, CliError> {
        let maker = match &self.policy {
            None => return Ok(None),
            Some(Spec::Process(command)) => {
                let options = ProcessOptions {
                    deadline: Duration::from_secs_f64(self.policy_deadline),
                    ..ProcessOptions::default()
                };
                Maker::Processes(ProcessPolicies::new(command, options)?)
            }
            Some(Spec::Replay(run)) => Maker::Replay(replay(run)?),
        };
        Ok(Some(PolicySource {
            maker,
            drive: DriveOptions {
                rate_hz: self.policy_rate,
                max_sim_secs: self.policy_time,
                ..DriveOptions::default()
            },
            cameras: self.policy_cameras.clone(),
        }))
    }
}

/// What a run's recording commands.
fn replay(run: &Path) -> Result<ReplayPolicy, CliError> {
    let mut footage = Footage::recorded(run)?;
    let frames = footage.recording.frames().collect::<Result<_, _>>()?;
    Ok(ReplayPolicy::new(
        format!("replay:{}", run.display()),
        frames,
    )?)
}

impl PolicySource {
    /// The name that reports use.
    pub(super) fn name(&self) -> String {
        match &self.maker {
            Maker::Processes(processes) => processes.name(),
            Maker::Replay(policy) => policy.name(),
        }
    }

    /// A policy that has not begun.
    pub(super) fn build(&self) -> PolicyOptions {
        let policy: Box<dyn Policy> = match &self.maker {
            Maker::Processes(processes) => Box::new(processes.policy()),
            Maker::Replay(policy) => Box::new(policy.clone()),
        };
        PolicyOptions {
            policy,
            drive: self.drive,
            cameras: self.cameras.clone(),
        }
    }
}
