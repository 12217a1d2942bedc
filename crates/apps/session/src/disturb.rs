//! Disturbances of a simulated world on request.

use regrasp_api::{ObjectId, Pose};
use regrasp_faults::{Disturbance, Fault, When, perception_disturbance, script};
use regrasp_ground_truth::GroundTruth;
use regrasp_sim::SimFaults;

/// Time at which a fault takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbed {
    /// The fault takes effect in the world immediately.
    Now,
    /// The fault begins with the next run, because it is not a fault of the world.
    NextRun,
}

/// Disturbs a world that may be in motion. No method waits for the world.
pub struct SimDisturb {
    pub(crate) faults: SimFaults,
    pub(crate) joints: Vec<String>,
    pub(crate) skills: Vec<String>,
    pub(crate) seed: u64,
}

impl SimDisturb {
    /// Causes a fault from the world's next step on, or returns the reason why it cannot be caused,
    /// as a sentence.
    pub(crate) fn fault(&self, fault: &Fault, now: &GroundTruth) -> Result<Disturbed, String> {
        // Two nudges of one session should differ in direction.
        let seed = self.seed ^ now.time_secs.to_bits();
        let script = script(now, fault, seed).map_err(|error| error.to_string())?;
        for (_, disturbance) in &script {
            self.check(disturbance, now)?;
        }
        if !script.is_empty() {
            for (when, disturbance) in script {
                self.faults.post(when, disturbance);
            }
            return Ok(Disturbed::Now);
        }
        match fault {
            Fault::Store { .. } => Err("a session has no store that could fail".into()),
            Fault::SkillFails {
                skill: Some(name), ..
            } => {
                if self.skills.contains(name) {
                    return Ok(Disturbed::NextRun);
                }
                Err(format!("there is no skill `{name}`"))
            }
            _ => {
                perception_disturbance(now, fault).map_err(|error| error.to_string())?;
                Ok(Disturbed::NextRun)
            }
        }
    }

    /// Puts an object at a pose, at rest.
    pub(crate) fn put(&self, object: ObjectId, world_from_object: Pose) {
        let disturbance = Disturbance::MoveObject {
            object,
            world_from_object,
        };
        self.faults.post(When::Now, disturbance);
    }

    /// Ends all mechanical faults.
    pub(crate) fn repair(&self) {
        self.faults.post(When::Now, Disturbance::Repair);
    }

    /// Checks the names of objects and joints, because a posted disturbance reports no error.
    fn check(&self, disturbance: &Disturbance, now: &GroundTruth) -> Result<(), String> {
        match disturbance {
            Disturbance::NudgeObject { object, .. }
            | Disturbance::MoveObject { object, .. }
            | Disturbance::RemoveObject { object }
            | Disturbance::PushObject { object, .. }
            | Disturbance::PoisonObject { object } => {
                if now.object(object).is_some_and(|object| object.movable) {
                    return Ok(());
                }
                let movable = now.objects.iter().filter(|object| object.movable);
                let names: Vec<_> = movable.map(|object| object.id.as_str()).collect();
                Err(format!(
                    "`{object}` cannot be moved (movable objects: {})",
                    names.join(", ")
                ))
            }
            Disturbance::BlockJoint { joint } | Disturbance::SlowJoint { joint, .. } => {
                if self.joints.contains(joint) {
                    return Ok(());
                }
                Err(format!(
                    "there is no arm joint `{joint}` (joints: {})",
                    self.joints.join(", ")
                ))
            }
            _ => Ok(()),
        }
    }
}
