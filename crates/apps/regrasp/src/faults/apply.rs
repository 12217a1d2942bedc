//! Bringing faults about.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use regrasp_ground_truth::Fault;
use regrasp_ground_truth_perception::DisturbedPerception;

use super::error::FaultError;
use super::sight::perception_disturbance;
use super::world::disturb;
use super::{FlakySkills, MemoryStore, TroubledPlanner, TroubledStore};
use crate::EpisodeOptions;

impl EpisodeOptions {
    /// The same with faults brought about, random by the episode's seed: set that before.
    /// [`Kit::episode`](crate::Kit::episode) does so with those of the scene and of
    /// [`EpisodeOptions::faults`]; call this only to prepare a cell by hand.
    ///
    /// # Errors
    ///
    /// [`FaultError`] if a fault has nothing to act on. What only the scene can tell is
    /// told when the episode begins.
    pub fn with_faults(mut self, faults: &[Fault]) -> Result<Self, FaultError> {
        let seed = self.seed;
        let numbered = || faults.iter().zip(0..);
        for (fault, idx) in numbered() {
            self = self.with_inner_fault(fault, seed_of(seed, idx))?;
        }
        let outer: Vec<_> = numbered().map(|(f, idx)| (f.clone(), idx)).collect();
        let before = self.prepare.take();
        self.prepare = Some(Box::new(move |kit, scene, cell| {
            let mut cell = match before {
                Some(prepare) => prepare(kit, scene, cell)?,
                None => cell,
            };
            let mut sight = vec![];
            for (fault, idx) in &outer {
                disturb(&mut cell, fault, seed_of(seed, *idx))?;
                sight.extend(perception_disturbance(&cell.sim()?.truth.truth(), fault)?);
            }
            if !sight.is_empty() {
                let eyes = cell.robot.perception;
                cell.robot.perception = Box::new(DisturbedPerception::new(eyes, sight));
            }
            Ok(cell)
        }));
        Ok(self)
    }

    /// Faults of what the options hold: planner, skills, store.
    fn with_inner_fault(mut self, fault: &Fault, seed: u64) -> Result<Self, FaultError> {
        match fault.clone() {
            Fault::Planner { trouble, first } => {
                self.planner = Box::new(TroubledPlanner::new(self.planner, trouble, first));
            }
            Fault::SkillFails {
                skill,
                probability,
                after_work,
                reason,
            } => {
                let specs = self.skills.specs();
                let known: Vec<_> = specs.into_iter().map(|spec| spec.name).collect();
                if let Some(skill) = skill.clone().filter(|name| !known.contains(name)) {
                    return Err(FaultError::UnknownSkill { skill, known });
                }
                let fault = FlakySkills {
                    skill,
                    probability,
                    after_work,
                    reason,
                };
                self.skills = fault.apply(self.skills, ChaCha8Rng::seed_from_u64(seed));
            }
            Fault::Store {
                trouble,
                after_saves,
            } => {
                let keep = self.keep.as_mut().ok_or(FaultError::NothingKept)?;
                let store = std::mem::replace(&mut keep.store, Box::new(MemoryStore::default()));
                keep.store = Box::new(TroubledStore::new(store, trouble, after_saves));
            }
            _ => {}
        }
        Ok(self)
    }
}

/// Different faults of an episode draw differently.
pub(crate) fn seed_of(seed: u64, idx: u64) -> u64 {
    seed.wrapping_mul(64).wrapping_add(idx)
}
