//! Policy that drives the robot, as chosen on the command line.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Args;
use regrasp::api::{Policy, PolicyDeadlines};
use regrasp::ground_truth::Lookout;
use regrasp::policy::{Done, DriveOptions, PolicyTerms, ProcessPolicies, ReplayPolicy};
use regrasp::scene::TaskInstance;
use regrasp::{EpisodeOptions, PolicyOptions};

#[cfg(feature = "openpi")]
use crate::CliError;
use crate::recording::Footage;
use crate::{Result, number_in};

/// Accepted rates of actions, Hz. The world makes 400 steps per second.
const RATES_HZ: std::ops::RangeInclusive<f64> = 1.0..=400.0;

#[derive(Args, Debug)]
pub(crate) struct PolicyArguments {
    /// Let a policy drive the robot, instead of planner and skills: `process:COMMAND`, which
    /// exchanges JSON lines over its standard input and output, `openpi:ws://HOST:PORT`, a server
    /// with openpi's protocol, or `replay:RUN`, a recorded run.
    #[arg(long, value_name = "KIND:WHAT", conflicts_with = "planner", value_parser = spec)]
    policy: Option<Spec>,
    /// Actions per second of simulated time. Default: 20, or the rate of an `openpi` policy's
    /// mapping. LIBERO's problems always have 20.
    #[arg(long, value_name = "HZ", requires = "policy", value_parser = number_in(RATES_HZ))]
    policy_rate: Option<f64>,
    /// Time limit for each answer of the policy (an action, or a chunk of them), real seconds.
    #[arg(long, value_name = "S", default_value_t = 1.0, requires = "policy",
          value_parser = positive)]
    policy_deadline: f64,
    /// Simulated seconds after which an episode with a policy ends. LIBERO's problems have their
    /// own limit of steps instead.
    #[arg(long, value_name = "S", default_value_t = 60.0, requires = "policy",
          value_parser = positive)]
    policy_time: f64,
    /// Judge the task after each action, and end the episode as soon as the task is done, as
    /// environments for reinforcement learning do. LIBERO's problems are always judged so. Default:
    /// judge the task when the episode has ended.
    #[arg(long, requires = "policy")]
    policy_until_met: bool,
    /// Cameras whose pictures are sent to the policy with every observation.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "policy")]
    policy_cameras: Vec<String>,
    /// Names and layout of an `openpi` server's observations and actions: `joints`, `droid`,
    /// `libero`, `roboarena`, or a YAML file (`regrasp schema policy-mapping`). Default: `joints`,
    /// if the server names it, as `regrasp policy-server` does.
    #[cfg(feature = "openpi")]
    #[arg(long, value_name = "NAME|FILE", requires = "policy")]
    policy_mapping: Option<String>,
    /// The environment variable that holds the key of an `openpi` server, sent as
    /// `Authorization: Api-Key KEY`.
    #[cfg(feature = "openpi")]
    #[arg(long, value_name = "VARIABLE", requires = "policy")]
    policy_key_env: Option<String>,
}

#[derive(Clone, Debug)]
enum Spec {
    Process(String),
    Replay(PathBuf),
    #[cfg(feature = "openpi")]
    Openpi(String),
}

fn spec(text: &str) -> Result<Spec, String> {
    match text.split_once(':') {
        Some(("process", command)) if !command.trim().is_empty() => {
            Ok(Spec::Process(command.to_owned()))
        }
        Some(("replay", run)) if !run.trim().is_empty() => Ok(Spec::Replay(PathBuf::from(run))),
        #[cfg(feature = "openpi")]
        Some(("openpi", address)) => match regrasp_openpi::Address::parse(address) {
            Ok(_) => Ok(Spec::Openpi(address.to_owned())),
            Err(error) => Err(format!("cannot {error}")),
        },
        #[cfg(not(feature = "openpi"))]
        Some(("openpi", _)) => {
            Err("not in this build; build with --features openpi (or full)".into())
        }
        _ => Err(
            "expected process:COMMAND, such as \"process:python3 policy.py\", \
             openpi:ws://HOST:PORT, or replay:RUN"
                .into(),
        ),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    crate::values::number(text, "a number greater than 0", |x| x > 0.0)
}

type MakePolicy = Box<dyn Fn() -> Box<dyn Policy> + Send + Sync>;

/// Makes policies, one per episode.
pub(super) struct PolicySource {
    name: String,
    make: MakePolicy,
    /// True for a recording, which is replayed without the terms of a benchmark.
    is_replay: bool,
    drive: DriveOptions,
    /// True if the first success ends an episode.
    until_met: bool,
    cameras: Vec<String>,
}

impl PolicyArguments {
    fn deadlines(&self) -> PolicyDeadlines {
        PolicyDeadlines {
            deadline: Duration::from_secs_f64(self.policy_deadline),
            ..PolicyDeadlines::default()
        }
    }

    pub(super) fn source(&self) -> Result<Option<PolicySource>> {
        let given = (self.policy_rate, self.policy_cameras.clone());
        let (name, make, (rate_hz, cameras)): (_, MakePolicy, _) = match &self.policy {
            None => return Ok(None),
            Some(Spec::Process(command)) => {
                let processes = ProcessPolicies::new(command, self.deadlines())?;
                let name = processes.name();
                (name, Box::new(move || Box::new(processes.policy())), given)
            }
            Some(Spec::Replay(run)) => {
                let policy = replay(run)?;
                let name = policy.name();
                (name, Box::new(move || Box::new(policy.clone())), given)
            }
            #[cfg(feature = "openpi")]
            Some(Spec::Openpi(address)) => {
                let policies = self.openpi(address)?;
                let mapping = policies.mapping();
                let rate_hz = self.policy_rate.or(Some(mapping.rate_hz));
                let (name, used) = (policies.name(), (rate_hz, mapping.cameras()));
                (name, Box::new(move || Box::new(policies.policy())), used)
            }
        };
        #[cfg(feature = "openpi")]
        if !matches!(self.policy, Some(Spec::Openpi(_))) {
            self.only_openpi()?;
        }
        let usual = DriveOptions::default();
        Ok(Some(PolicySource {
            drive: DriveOptions {
                rate_hz: rate_hz.unwrap_or(usual.rate_hz),
                max_sim_secs: self.policy_time,
                ..usual
            },
            until_met: self.policy_until_met,
            cameras,
            name,
            make,
            is_replay: matches!(self.policy, Some(Spec::Replay(_))),
        }))
    }
}

#[cfg(feature = "openpi")]
impl PolicyArguments {
    fn openpi(&self, address: &str) -> Result<regrasp_openpi::OpenpiPolicies> {
        use regrasp_openpi::{Mapping, OpenpiPolicies};
        if !self.policy_cameras.is_empty() {
            let mode = "an openpi policy, whose mapping names the cameras";
            return Err(CliError::no_effect("--policy-cameras", mode));
        }
        let mapping = self.policy_mapping.as_deref().map(Mapping::load);
        let key = self.policy_key_env.as_deref().map(key);
        let mut deadlines = self.deadlines();
        deadlines.first_deadline = deadlines.first_deadline.max(deadlines.deadline);
        let (mapping, key) = (mapping.transpose()?, key.transpose()?);
        Ok(OpenpiPolicies::new(address, mapping, key, deadlines)?)
    }

    fn only_openpi(&self) -> Result<()> {
        let given = [
            ("--policy-mapping", self.policy_mapping.is_some()),
            ("--policy-key-env", self.policy_key_env.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((argument, _)) => Err(CliError::no_effect(
                argument,
                "a policy that is not an openpi server",
            )),
        }
    }
}

/// API key of a server, from the environment.
#[cfg(feature = "openpi")]
pub(super) fn key(variable: &str) -> Result<String> {
    let key = std::env::var(variable).ok().filter(|key| !key.is_empty());
    key.ok_or_else(|| {
        CliError::usage(format_args!(
            "find the key of the policy server: the environment variable {variable} is not set"
        ))
    })
}

/// Applies the policy, if there is one, to an episode's options. If the task is checked while the
/// episode runs, adds a listener that checks it, and returns the listener's result.
pub(super) fn drive_by(
    policy: Option<&PolicySource>,
    instance: Option<&TaskInstance>,
    terms: Option<&PolicyTerms>,
    options: &mut EpisodeOptions,
) -> Option<Arc<Mutex<Lookout>>> {
    let until_met = policy.filter(|policy| policy.until_met);
    let looked = instance.and_then(|instance| {
        let success = instance.success.clone();
        let rate_hz = until_met.map(|policy| policy.drive.rate_hz);
        let (listener, lookout) = Lookout::new(success, instance.looked_at_hz.or(rate_hz)?);
        options.listeners.push(listener);
        Some(lookout)
    });
    let done = looked.clone().map(|lookout| {
        let is_met = move || Lookout::met(&lookout).at_secs.is_some();
        Done(Arc::new(is_met))
    });
    options.policy = policy.map(|policy| {
        let Some(terms) = terms else {
            let mut options = policy.build();
            options.drive.done = done;
            return options;
        };
        policy.build_on(terms, done)
    });
    looked
}

/// Policy that repeats the commands of a recording.
fn replay(run: &Path) -> Result<ReplayPolicy> {
    let mut footage = Footage::recorded(run)?;
    let frames = footage.recording.frames().collect::<Result<_, _>>()?;
    Ok(ReplayPolicy::new(
        format!("replay:{}", run.display()),
        frames,
    )?)
}

impl PolicySource {
    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    /// Makes a policy under the terms of another benchmark, which runs until `done`. A replay
    /// ignores both.
    fn build_on(&self, terms: &PolicyTerms, done: Option<Done>) -> PolicyOptions {
        let mut options = self.build();
        if self.is_replay {
            return options;
        }
        let drive = &mut options.drive;
        let rate_hz = terms.rate_hz;
        drive.rate_hz = rate_hz;
        drive.settle_secs = terms.n_settling as f64 / rate_hz;
        drive.max_sim_secs = drive.settle_secs + terms.max_steps as f64 / rate_hz;
        drive.servo = Some(terms.servo.clone());
        drive.done = done;
        options
    }

    fn build(&self) -> PolicyOptions {
        PolicyOptions {
            policy: (self.make)(),
            drive: self.drive.clone(),
            cameras: self.cameras.clone(),
        }
    }
}
