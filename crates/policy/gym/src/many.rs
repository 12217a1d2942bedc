//! Many environments of one task on threads.

use std::sync::Arc;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use regrasp::LoadedRobot;
use regrasp::bench::DrawnTask;

use crate::step::Info;
use crate::{Env, EnvError, EnvOptions, Observed, ResetOptions, Stepped};

/// What becomes of an environment whose episode is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// Its next step resets it; the action is not looked at and the reward is 0.
    #[default]
    NextStep,
    /// The step that ends it resets it, too; what was seen last is in [`Batch::finals`].
    SameStep,
    /// Nobody resets it but the caller.
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

/// What came of one step of all.
pub struct Batch {
    /// One for each environment, in order.
    pub stepped: Vec<Stepped>,
    /// With [`Autoreset::SameStep`]: what was seen last, where an episode ended.
    pub finals: Vec<Option<(Observed, Info)>>,
}

impl Envs {
    /// `n` environments that were not reset yet.
    ///
    /// # Errors
    ///
    /// As [`Env::new`]; and if there are none.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.envs.len()
    }

    /// Returns true if there are none; there always are some.
    pub fn is_empty(&self) -> bool {
        self.envs.is_empty()
    }

    /// Does something with the first, for what is the same in all.
    pub fn with_first<T>(&mut self, what: impl FnOnce(&mut Env) -> T) -> Option<T> {
        Some(what(&mut self.envs.first_mut()?.env))
    }

    /// Does something with one of them.
    ///
    /// # Errors
    ///
    /// [`EnvError::BadOption`] if there is none of that number.
    pub fn with<T>(&mut self, idx: usize, what: impl FnOnce(&mut Env) -> T) -> Result<T, EnvError> {
        let n = self.envs.len();
        let why = || format!("there are {n} environments, and {idx} is none");
        let one = self.envs.get_mut(idx);
        let one = one.ok_or_else(|| EnvError::BadOption("index", why()))?;
        Ok(what(&mut one.env))
    }

    /// Begins an episode in those that are chosen (all without a choice).
    ///
    /// # Errors
    ///
    /// The first error of any.
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

    /// Carries out one action in each; `actions` holds them one after the other.
    ///
    /// # Errors
    ///
    /// The first error of any.
    pub fn step(&mut self, actions: &[f64]) -> Result<Batch, EnvError> {
        let n = self.envs.len();
        let n_numbers = self
            .with_first(|env| env.space().low.len())
            .unwrap_or_default();
        if actions.len() != n * n_numbers {
            return Err(EnvError::BadAction(format!(
                "there are {} numbers and should be {n} x {n_numbers}",
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
        let why = format!("expected {n} values, one for each environment, and got {len}");
        Err(EnvError::BadOption(option, why))
    }

    /// Threads take the next one that nobody took, so that a slow reset holds up no other.
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
