//! Bringing faults about.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use regrasp_api::{ObjectId, Pose};
use regrasp_perception::DisturbedPerception;
use regrasp_sim::DisturbError;
use regrasp_truth::{Fault, WorldTruth};

use super::TroubledPlanner;
use super::sight::sight_fault;
use super::world::disturb;
use super::{MemoryStore, SkillFault, TroubledStore};
use crate::EpisodeOptions;

/// A fault that cannot be brought about.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FaultError {
    /// The world cannot be disturbed so.
    #[error(transparent)]
    Disturb(#[from] DisturbError),
    /// It is about an object that is not there.
    #[error("bring a fault about: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        /// The object.
        object: ObjectId,
        /// What there is.
        known: Vec<String>,
    },
    /// It is about something that does not slide on a joint.
    #[error(
        "bring a fault about: `{object}` slides on no joint (what does: {})",
        if sliding.is_empty() { "nothing here".to_owned() } else { sliding.join(", ") }
    )]
    NothingSlides {
        /// The object.
        object: ObjectId,
        /// What does slide.
        sliding: Vec<String>,
    },
    /// It is about a skill that there is not.
    #[error("bring a fault about: there is no skill `{skill}` (known skills: {})", known.join(", "))]
    UnknownSkill {
        /// The skill.
        skill: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It is about a store, and nothing is kept.
    #[error("bring a fault of the store about: the run is not kept; name a store and a run key")]
    NothingKept,
}

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
        self.prepare = Some(Box::new(move |cell| {
            let mut cell = match before {
                Some(prepare) => prepare(cell)?,
                None => cell,
            };
            let mut sight = vec![];
            for (fault, idx) in &outer {
                disturb(&mut cell, fault, seed_of(seed, *idx))?;
                sight.extend(sight_fault(&cell.sim()?.truth.truth(), fault)?);
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
                let fault = SkillFault {
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

/// Where an object truly is.
pub(super) fn place_of(truth: &WorldTruth, id: &ObjectId) -> Result<Pose, FaultError> {
    match truth.object(id) {
        Some(object) => Ok(object.world_from_object),
        None => Err(FaultError::UnknownObject {
            object: id.clone(),
            known: truth.objects.iter().map(|o| o.id.to_string()).collect(),
        }),
    }
}
