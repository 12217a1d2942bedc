//! Many environments of one task on threads.

use std::sync::Arc;
use std::{mem, thread};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use regrasp::LoadedRobot;
use regrasp::bench::DrawnTask;
use strum::{EnumString, VariantNames};

use crate::{Env, EnvError, EnvOptions, Info, Observed, ResetOptions, Result, Stepped};

/// Handling of environments whose episode has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
pub enum Autoreset {
    /// Reset at the next step, whose action is ignored and whose reward is 0.
    #[default]
    NextStep,
    /// Reset in the step that ends the episode; the last observation is in [`Batch::finals`].
    SameStep,
    /// Reset only by the caller.
    Disabled,
}

/// Many environments of one task.
pub struct Envs {
    envs: Vec<Env>,
    autoreset: Autoreset,
    pool: ThreadPool,
}

/// Result of one step of all environments.
pub struct Batch {
    /// Results, one per environment in order.
    pub stepped: Vec<Stepped>,
    /// Last observations of episodes that ended, one entry per environment; `None` if the episode
    /// continues, and in all modes but [`Autoreset::SameStep`].
    pub finals: Vec<Option<(Observed, Info)>>,
}

impl Envs {
    /// Creates `n` environments that have not been reset.
    ///
    /// # Errors
    ///
    /// [`EnvError`] for the reasons of [`Env::new`], or if `n` is 0.
    pub fn new(
        loaded: &Arc<LoadedRobot>,
        task: &Arc<dyn DrawnTask>,
        options: &EnvOptions,
        n: usize,
        autoreset: Autoreset,
        n_threads: Option<usize>,
    ) -> Result<Self, EnvError> {
        if n == 0 {
            let detail = "expected at least 1".to_owned();
            return Err(EnvError::BadOption("num_envs", detail));
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let one = |_| Env::new(Arc::clone(loaded), Arc::clone(task), options.clone());
        let pool = ThreadPoolBuilder::new().num_threads(n_threads.unwrap_or(cores).clamp(1, n));
        let pool = pool.build();
        Ok(Self {
            envs: (0..n).map(one).collect::<Result<_>>()?,
            autoreset,
            pool: pool.map_err(|error| EnvError::Other(format!("start threads: {error}")))?,
        })
    }

    /// Number of environments.
    pub fn len(&self) -> usize {
        self.envs.len()
    }

    /// Returns true if there are no environments, which never happens.
    pub fn is_empty(&self) -> bool {
        self.envs.is_empty()
    }

    /// Calls a function with one environment.
    ///
    /// # Errors
    ///
    /// [`EnvError::BadOption`] if the index is out of range.
    pub fn with<T>(&mut self, idx: usize, what: impl FnOnce(&mut Env) -> T) -> Result<T, EnvError> {
        let n = self.envs.len();
        let why = || format!("there is no environment {idx} (number of environments: {n})");
        let env = self.envs.get_mut(idx);
        Ok(what(
            env.ok_or_else(|| EnvError::BadOption("index", why()))?,
        ))
    }

    /// Starts an episode in the selected environments, or in all without a selection.
    ///
    /// # Errors
    ///
    /// The first error of any environment.
    pub fn reset(
        &mut self,
        seeds: &[Option<u64>],
        options: &ResetOptions,
        chosen: Option<&[bool]>,
    ) -> Result<Vec<Option<(Observed, Info)>>, EnvError> {
        self.check_len("seed", seeds.len())?;
        if let Some(chosen) = chosen {
            self.check_len("reset_mask", chosen.len())?;
        }
        self.for_each(|idx, env| {
            if chosen.is_some_and(|chosen| !chosen[idx]) {
                return Ok(None);
            }
            env.reset(seeds[idx], options).map(Some)
        })
    }

    /// Executes one action in each environment.
    ///
    /// # Errors
    ///
    /// The first error of any environment.
    pub fn step(&mut self, actions: &[Vec<f64>]) -> Result<Batch, EnvError> {
        self.check_len("actions", actions.len())?;
        let autoreset = self.autoreset;
        let done = self.for_each(|idx, env| step(env, &actions[idx], autoreset))?;
        let (stepped, finals) = done.into_iter().unzip();
        Ok(Batch { stepped, finals })
    }

    fn check_len(&self, option: &'static str, len: usize) -> Result<()> {
        let n = self.envs.len();
        if len == n {
            return Ok(());
        }
        let why = format!("expected {n} values, one for each environment, got {len}");
        Err(EnvError::BadOption(option, why))
    }

    /// Calls a function for all environments. Each thread takes one environment at a time, so that
    /// a slow reset does not delay the other environments.
    fn for_each<T: Send>(
        &mut self,
        what: impl Fn(usize, &mut Env) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let each = self.envs.par_iter_mut().enumerate().with_max_len(1);
        let done: Vec<_> = self
            .pool
            .install(|| each.map(|(idx, env)| what(idx, env)).collect());
        done.into_iter().collect()
    }
}

type Ended = Option<(Observed, Info)>;

/// Makes a step, and resets the environment as `autoreset` requires.
fn step(env: &mut Env, action: &[f64], autoreset: Autoreset) -> Result<(Stepped, Ended)> {
    if env.is_over() && autoreset == Autoreset::NextStep {
        let (observed, info) = env.reset(None, &ResetOptions::default())?;
        let stepped = Stepped {
            observed,
            reward: 0.0,
            terminated: false,
            truncated: false,
            info,
        };
        return Ok((stepped, None));
    }
    let mut stepped = env.step(action)?;
    if !(env.is_over() && autoreset == Autoreset::SameStep) {
        return Ok((stepped, None));
    }
    let (observed, info) = env.reset(None, &ResetOptions::default())?;
    let last = (
        mem::replace(&mut stepped.observed, observed),
        mem::replace(&mut stepped.info, info),
    );
    Ok((stepped, Some(last)))
}
