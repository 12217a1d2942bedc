//! Bringing faults about.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use regrasp_api::{ObjectId, Pose};
use regrasp_perception::{DisturbedPerception, SightFault, SightTrouble};
use regrasp_planner::TroubledPlanner;
use regrasp_sim::{DisturbError, Disturbance, When};

use super::{Fault, MemoryStore, SkillFault, TroubledStore};
use crate::{Cell, EpisodeOptions, SetupError};

/// How far an object has risen when it counts as carried, m: less than the usual lift.
const CARRIED_RISE_M: f64 = 0.08;

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
    /// The same with faults, random by the episode's seed: set that before.
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
                sight.extend(sight_fault(&mut cell, fault)?);
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
fn seed_of(seed: u64, idx: u64) -> u64 {
    seed.wrapping_mul(64).wrapping_add(idx)
}

/// Faults of the world.
fn disturb(cell: &mut Cell, fault: &Fault, seed: u64) -> Result<(), SetupError> {
    let start_secs = cell.robot.observe().time_secs;
    let at = |secs: f64| When::At {
        time_secs: start_secs + secs,
    };
    let at_or_closing =
        |secs: &Option<f64>| secs.map_or(When::AfterClosing { delay_secs: 0.0 }, at);
    let faults = cell.faults.clone();
    let happen = |when: When, disturbance: Disturbance| {
        let scheduled = faults.disturb(when, disturbance);
        scheduled.map_err(|error| SetupError::from(FaultError::from(error)))
    };
    let for_a_while = |when: &dyn Fn(f64) -> When, for_secs: &Option<f64>, disturbance, end| {
        happen(when(0.0), disturbance)?;
        for_secs.map_or(Ok(()), |secs| happen(when(secs), end))
    };
    match fault {
        Fault::SlipAtLift {
            factor,
            delay_secs,
            for_secs,
        } => {
            let when = |secs: f64| When::AfterGrasp {
                delay_secs: delay_secs + secs,
            };
            for_a_while(&when, for_secs, slippery(*factor), slippery(1.0))
        }
        Fault::SlipInTransport {
            object,
            factor,
            delay_secs,
            for_secs,
        } => {
            let when = |secs: f64| When::AfterRise {
                object: object.clone(),
                rise_m: CARRIED_RISE_M,
                delay_secs: delay_secs + secs,
            };
            for_a_while(&when, for_secs, slippery(*factor), slippery(1.0))
        }
        Fault::Nudged {
            object,
            distance_m,
            at_secs,
        } => happen(
            at_or_closing(at_secs),
            Disturbance::NudgeObject {
                object: object.clone(),
                distance_m: *distance_m,
                turn_rad: 0.0,
                seed,
            },
        ),
        Fault::Moved {
            object,
            by_m: [x, y],
            at_secs,
        } => {
            let world_from_object = place_of(cell, object)?;
            happen(
                at_or_closing(at_secs),
                Disturbance::MoveObject {
                    object: object.clone(),
                    world_from_object: Pose::translation(*x, *y, 0.0) * world_from_object,
                },
            )
        }
        Fault::Removed { object, at_secs } => {
            let object = object.clone();
            happen(at_or_closing(at_secs), Disturbance::RemoveObject { object })
        }
        Fault::ObstacleAppears {
            object,
            xy: [x, y],
            at_secs,
        } => {
            let z = place_of(cell, object)?.translation.z;
            let there = Disturbance::MoveObject {
                object: object.clone(),
                world_from_object: Pose::translation(*x, *y, z),
            };
            happen(at(*at_secs), there)?;
            let object = object.clone();
            happen(When::Now, Disturbance::RemoveObject { object })?;
            // The eyes would see it until the next step of the world.
            cell.robot.wait(1e-3).map(drop).ok();
            Ok(())
        }
        Fault::GripperStuck { for_secs } => {
            let when = |secs: f64| When::AfterClosing { delay_secs: secs };
            let stuck = Disturbance::StuckGripper;
            for_a_while(&when, for_secs, stuck, Disturbance::Repair)
        }
        Fault::GripperWeak { factor, for_secs } => {
            let weak = |factor| Disturbance::WeakGripper { factor };
            for_a_while(&at, for_secs, weak(*factor), weak(1.0))
        }
        Fault::JointSlow {
            joint,
            max_speed,
            at_secs,
            for_secs,
        } => {
            let slow = Disturbance::SlowJoint {
                joint: joint.clone(),
                max_speed: *max_speed,
            };
            let when = |secs: f64| at(at_secs + secs);
            for_a_while(&when, for_secs, slow, Disturbance::Repair)
        }
        Fault::JointBlocked {
            joint,
            at_secs,
            for_secs,
        } => {
            let joint = joint.clone();
            let when = |secs: f64| at(at_secs + secs);
            let blocked = Disturbance::BlockJoint { joint };
            for_a_while(&when, for_secs, blocked, Disturbance::Repair)
        }
        Fault::Diverges { object, at_secs } => {
            let object = object.clone();
            happen(at(*at_secs), Disturbance::PoisonObject { object })
        }
        _ => Ok(()),
    }
}

fn slippery(factor: f64) -> Disturbance {
    Disturbance::SlipperyPads { factor }
}

fn place_of(cell: &Cell, id: &ObjectId) -> Result<Pose, FaultError> {
    let truth = cell.truth.truth();
    match truth.object(id) {
        Some(object) => Ok(object.world_from_object),
        None => Err(FaultError::UnknownObject {
            object: id.clone(),
            known: truth.objects.iter().map(|o| o.id.to_string()).collect(),
        }),
    }
}

/// Faults of the eyes.
fn sight_fault(cell: &mut Cell, fault: &Fault) -> Result<Option<SightFault>, FaultError> {
    let start_secs = cell.robot.observe().time_secs;
    let (object, trouble, from_secs, for_secs) = match fault {
        Fault::SightMisses {
            object,
            from_secs,
            for_secs,
        } => (object, SightTrouble::Missed, from_secs, for_secs),
        Fault::SightMislabels {
            object,
            other,
            from_secs,
            for_secs,
        } => {
            place_of(cell, other)?;
            let other = other.clone();
            (
                object,
                SightTrouble::TakenFor { other },
                from_secs,
                for_secs,
            )
        }
        Fault::SightIsOff {
            object,
            offset_m,
            from_secs,
            for_secs,
        } => {
            let offset_m = *offset_m;
            (object, SightTrouble::Off { offset_m }, from_secs, for_secs)
        }
        _ => return Ok(None),
    };
    place_of(cell, object)?;
    let from_secs = start_secs + from_secs;
    Ok(Some(SightFault {
        object: object.clone(),
        trouble,
        from_secs,
        until_secs: for_secs.map(|secs| from_secs + secs),
    }))
}
