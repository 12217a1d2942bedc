//! Disturbances of a simulated world on request.

use regrasp_api::{ObjectId, Pose};
use regrasp_faults::{Disturbance, Fault, When, perception_disturbance, script};
use regrasp_ground_truth::GroundTruth;
use regrasp_session::{Disturb, Disturbed};
use regrasp_sim::SimFaults;

pub(super) struct SimDisturb {
    pub(super) faults: SimFaults,
    pub(super) joints: Vec<String>,
    pub(super) skills: Vec<String>,
    pub(super) seed: u64,
}

impl Disturb for SimDisturb {
    fn fault(&self, fault: &Fault, now: &GroundTruth) -> Result<Disturbed, String> {
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

    fn put(&self, object: &ObjectId, world_from_object: Pose) -> Result<(), String> {
        let object = object.clone();
        let disturbance = Disturbance::MoveObject {
            object,
            world_from_object,
        };
        self.faults.post(When::Now, disturbance);
        Ok(())
    }

    fn repair(&self) {
        self.faults.post(When::Now, Disturbance::Repair);
    }
}

impl SimDisturb {
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
