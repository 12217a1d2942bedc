//! Many environments of one task on threads.

use std::sync::Arc;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use regrasp::LoadedRobot;
use regrasp::bench::DrawnTask;

use crate::step::Info;
use crate::{Env, EnvError, EnvOptions, Observed, ResetOptions, Stepped};

/// Handling of environments whose episode has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    envs: Vec<One>,
    autoreset: Autoreset,
    pool: ThreadPool,
}

struct One {
    env: Env,
    is_over: bool,
}

/// Result of one step of all environments.
pub struct Batch {
    /// Results, one per environment in order.
    pub stepped: Vec<Stepped>,
    /// Last observations of episodes that ended, with [`Autoreset::SameStep`].
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
        let one = |_| {
            let env = Env::new(Arc::clone(loaded), Arc::clone(task), options.clone())?;
            Ok(One {
                env,
                is_over: false,
            })
        };
        let pool = ThreadPoolBuilder::new().num_threads(n_threads.unwrap_or(cores).clamp(1, n));
        let pool = pool.build();
        Ok(Self {
            envs: (0..n).map(one).collect::<Result<_, EnvError>>()?,
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

    /// Calls a function with the first environment, for properties that all share.
    pub fn with_first<T>(&mut self, what: impl FnOnce(&mut Env) -> T) -> Option<T> {
        Some(what(&mut self.envs.first_mut()?.env))
    }

    /// Calls a function with one environment.
    ///
    /// # Errors
    ///
    /// [`EnvError::BadOption`] if the index is out of range.
    pub fn with<T>(&mut self, idx: usize, what: impl FnOnce(&mut Env) -> T) -> Result<T, EnvError> {
        let n = self.envs.len();
        let why = || format!("there is no environment {idx} (number of environments: {n})");
        let one = self.envs.get_mut(idx);
        let one = one.ok_or_else(|| EnvError::BadOption("index", why()))?;
        Ok(what(&mut one.env))
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
        self.for_each(|idx, one| {
            if chosen.is_some_and(|chosen| !chosen[idx]) {
                return Ok(None);
            }
            one.is_over = false;
            one.env.reset(seeds[idx], options).map(Some)
        })
    }

    /// Executes one action in each environment; `actions` are concatenated.
    ///
    /// # Errors
    ///
    /// The first error of any environment.
    pub fn step(&mut self, actions: &[f64]) -> Result<Batch, EnvError> {
        let n = self.envs.len();
        let n_numbers = self
            .with_first(|env| env.space().low.len())
            .unwrap_or_default();
        if actions.len() != n * n_numbers {
            return Err(EnvError::BadAction(format!(
                "there are {} numbers, expected {n} x {n_numbers}",
                actions.len()
            )));
        }
        let autoreset = self.autoreset;
        let done = self.for_each(|idx, one| {
            let action = &actions[idx * n_numbers..(idx + 1) * n_numbers];
            one.step(action, autoreset)
        })?;
        let (stepped, finals) = done.into_iter().unzip();
        Ok(Batch { stepped, finals })
    }

    fn check_len(&self, option: &'static str, len: usize) -> Result<(), EnvError> {
        let n = self.envs.len();
        if len == n {
            return Ok(());
        }
        let why = format!("expected {n} values, one for each environment, got {len}");
        Err(EnvError::BadOption(option, why))
    }

    /// Calls a function for all environments. Threads take one environment at a time, so that a
    /// slow reset does not delay the others.
    fn for_each<T: Send>(
        &mut self,
        what: impl Fn(usize, &mut One) -> Result<T, EnvError> + Sync,
    ) -> Result<Vec<T>, EnvError> {
        let each = self.envs.par_iter_mut().enumerate().with_max_len(1);
        let done: Vec<_> = self
            .pool
            .install(|| each.map(|(idx, one)| what(idx, one)).collect());
        done.into_iter().collect()
    }
}

type Ended = Option<(Observed, Info)>;

impl One {
    fn step(&mut self, action: &[f64], autoreset: Autoreset) -> Result<(Stepped, Ended), EnvError> {
        if self.is_over && autoreset == Autoreset::NextStep {
            self.is_over = false;
            let (observed, info) = self.env.reset(None, &ResetOptions::default())?;
            let stepped = Stepped {
                observed,
                reward: 0.0,
                terminated: false,
                truncated: false,
                info,
            };
            return Ok((stepped, None));
        }
        let stepped = self.env.step(action)?;
        self.is_over = stepped.terminated || stepped.truncated;
        if !(self.is_over && autoreset == Autoreset::SameStep) {
            return Ok((stepped, None));
        }
        self.is_over = false;
        let (observed, info) = self.env.reset(None, &ResetOptions::default())?;
        let last = (stepped.observed, stepped.info);
        let stepped = Stepped {
            observed,
            info,
            ..stepped
        };
        Ok((stepped, Some(last)))
    }
}
