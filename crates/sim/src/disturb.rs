//! Making disturbances happen.

use regrasp_api::ObjectId;

use crate::convert::to_rapier;
use crate::faults::{DisturbError, Disturbance, Push, Trigger, Waiting, When};
use crate::inner::Inner;

impl Inner {
    pub(crate) fn schedule(
        &mut self,
        when: When,
        disturbance: Disturbance,
    ) -> Result<(), DisturbError> {
        self.check_disturbance(&disturbance)?;
        let trigger = match when {
            When::Now => Trigger::AtStep(self.state.step),
            When::At { time_secs } => Trigger::AtStep(self.options.steps(time_secs)),
            When::AfterGrasp { delay_secs } => Trigger::AfterGrasp(self.options.steps(delay_secs)),
        };
        self.state.faults.waiting.push(Waiting {
            trigger,
            disturbance,
        });
        Ok(())
    }

    fn check_disturbance(&self, disturbance: &Disturbance) -> Result<(), DisturbError> {
        match disturbance {
            Disturbance::MoveObject { object, .. } | Disturbance::RemoveObject { object } => {
                self.check_object(object, |o| !o.jointed, "is held by a joint")
            }
            Disturbance::PushObject { object, .. } | Disturbance::PoisonObject { object } => {
                self.check_object(object, |o| o.scene.is_movable(), "is fixed")
            }
            Disturbance::WeakGripper { .. } | Disturbance::StuckGripper => Ok(()),
            Disturbance::BlockJoint { joint } => {
                let known = self.layout.robot.arm.iter().map(|j| j.name.clone());
                if known.clone().any(|name| &name == joint) {
                    return Ok(());
                }
                Err(DisturbError::UnknownJoint {
                    joint: joint.clone(),
                    known: known.collect(),
                })
            }
        }
    }

    fn check_object(
        &self,
        id: &ObjectId,
        can: impl Fn(&crate::layout::ObjectLayout) -> bool,
        cannot: &str,
    ) -> Result<(), DisturbError> {
        let Some(object_idx) = self.layout.object_idx(id) else {
            return Err(DisturbError::UnknownObject {
                object: id.clone(),
                known: self.layout.object_names(),
            });
        };
        let problem = if self.state.removed[object_idx] {
            "was removed"
        } else if can(&self.layout.objects[object_idx]) {
            return Ok(());
        } else {
            cannot
        };
        Err(DisturbError::CannotDisturb {
            object: id.clone(),
            problem: problem.to_owned(),
        })
    }

    pub(crate) fn apply_due_disturbances(&mut self) {
        let now = self.state.step;
        let is_due = |w: &Waiting| matches!(w.trigger, Trigger::AtStep(step) if step <= now);
        while let Some(i) = self.state.faults.waiting.iter().position(is_due) {
            let due = self.state.faults.waiting.remove(i);
            self.happen(due.disturbance);
        }
        if !self.state.faults.pushes.is_empty() {
            self.push_objects();
        }
    }

    fn happen(&mut self, disturbance: Disturbance) {
        tracing::debug!(?disturbance, time_secs = self.time_secs(), "disturbance");
        match disturbance {
            Disturbance::WeakGripper { factor } => self.state.faults.grip_factor = Some(factor),
            Disturbance::StuckGripper => {
                self.state.faults.stuck_fingers = Some(self.joints.finger_q);
            }
            Disturbance::BlockJoint { joint } => {
                let joints = &self.layout.robot.arm;
                if let Some(i) = joints.iter().position(|j| j.name == joint) {
                    self.state.faults.blocked[i] = Some(self.joints.arm_q[i]);
                }
            }
            Disturbance::MoveObject {
                object,
                world_from_object,
            } => self.with_body(&object, |body| {
                body.set_position(to_rapier(&world_from_object), true);
                body.set_linvel(Default::default(), true);
                body.set_angvel(Default::default(), true);
            }),
            Disturbance::RemoveObject { object } => {
                self.with_body(&object, |body| body.set_enabled(false));
                if let Some(i) = self.layout.object_idx(&object) {
                    self.state.removed[i] = true;
                }
            }
            Disturbance::PoisonObject { object } => self.with_body(&object, |body| {
                body.set_linvel(f64::NAN * body.linvel(), true);
            }),
            Disturbance::PushObject {
                object,
                force_in_world,
                duration_secs,
            } => {
                if let Some(object_idx) = self.layout.object_idx(&object) {
                    self.state.faults.pushes.push(Push {
                        object_idx,
                        force_in_world,
                        until_step: self.state.step + self.options.steps(duration_secs),
                    });
                }
            }
        }
    }

    fn with_body(
        &mut self,
        id: &ObjectId,
        change: impl FnOnce(&mut rapier3d_f64::prelude::RigidBody),
    ) {
        let body = self
            .layout
            .object_idx(id)
            .map(|i| self.layout.objects[i].body);
        if let Some(body) = body.and_then(|handle| self.physics.bodies.get_mut(handle)) {
            change(body);
        }
    }

    /// rapier keeps a force until it is taken back, so all are set anew each step.
    fn push_objects(&mut self) {
        let Inner {
            state,
            layout,
            physics,
            ..
        } = self;
        for push in &state.faults.pushes {
            if let Some(body) = physics.bodies.get_mut(layout.objects[push.object_idx].body) {
                body.reset_forces(true);
            }
        }
        let now = state.step;
        state.faults.pushes.retain(|push| push.until_step > now);
        for push in &state.faults.pushes {
            if let Some(body) = physics.bodies.get_mut(layout.objects[push.object_idx].body) {
                body.add_force(push.force_in_world.into(), true);
            }
        }
    }
}
