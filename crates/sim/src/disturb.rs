//! Scheduling disturbances: whether one can happen, and when it does.

use regrasp_api::ObjectId;

use crate::faults::{DisturbError, Disturbance, Trigger, Waiting, When};
use crate::inner::Inner;
use crate::layout::ObjectLayout;

impl Inner {
    pub(crate) fn schedule(
        &mut self,
        when: When,
        disturbance: Disturbance,
    ) -> Result<(), DisturbError> {
        self.check_disturbance(&disturbance)?;
        let trigger = self.trigger(when)?;
        self.state.faults.waiting.push(Waiting {
            trigger,
            disturbance,
        });
        Ok(())
    }

    fn trigger(&self, when: When) -> Result<Trigger, DisturbError> {
        let steps = |delay_secs: f64| {
            finite("a time", delay_secs)?;
            Ok(self.options.steps(delay_secs))
        };
        Ok(match when {
            When::Now => Trigger::AtStep(self.state.step),
            When::At { time_secs } => Trigger::AtStep(steps(time_secs)?),
            When::AfterClosing { delay_secs } => Trigger::AfterClosing(steps(delay_secs)?),
            When::AfterGrasp { delay_secs } => Trigger::AfterGrasp(steps(delay_secs)?),
            When::AfterRise {
                object,
                rise_m,
                delay_secs,
            } => {
                finite("a rise", rise_m)?;
                let object_idx = self.known_object(&object)?;
                Trigger::AfterRise {
                    object_idx,
                    above_z: self.height(object_idx) + rise_m,
                    delay: steps(delay_secs)?,
                }
            }
        })
    }

    fn check_disturbance(&self, disturbance: &Disturbance) -> Result<(), DisturbError> {
        match disturbance {
            Disturbance::MoveObject { object, .. } => {
                let object_idx = self.known_object(object)?;
                self.check_can(object_idx, |o| !o.jointed, "is held by a joint")
            }
            Disturbance::RemoveObject { object } => {
                self.check_object(object, |o| !o.jointed, "is held by a joint")
            }
            Disturbance::NudgeObject {
                object,
                distance_m,
                turn_rad,
                ..
            } => {
                finite("a distance", *distance_m)?;
                finite("a turn", *turn_rad)?;
                self.check_object(object, |o| !o.jointed, "is held by a joint")
            }
            Disturbance::PushObject {
                object,
                force_in_world,
                duration_secs,
            } => {
                check_force(force_in_world, *duration_secs)?;
                self.check_object(object, |o| o.scene.is_movable(), "is fixed")
            }
            Disturbance::PoisonObject { object } => {
                self.check_object(object, |o| o.scene.is_movable(), "is fixed")
            }
            Disturbance::PushLink {
                link,
                force_in_world,
                duration_secs,
            } => {
                check_force(force_in_world, *duration_secs)?;
                self.body_of_link(link).map(drop)
            }
            Disturbance::SlipperyPads { factor } | Disturbance::WeakGripper { factor } => {
                check_factor(*factor)
            }
            Disturbance::BlockJoint { joint } => self.known_joint(joint).map(drop),
            Disturbance::SlowJoint { joint, max_speed } => {
                not_negative("a speed", *max_speed)?;
                self.known_joint(joint).map(drop)
            }
            Disturbance::JamJoint { joint } => self.known_scene_joint(joint).map(drop),
            Disturbance::StuckGripper | Disturbance::Repair => Ok(()),
        }
    }

    fn known_object(&self, id: &ObjectId) -> Result<usize, DisturbError> {
        self.layout
            .object_idx(id)
            .ok_or_else(|| DisturbError::UnknownObject {
                object: id.clone(),
                known: self.layout.object_names(),
            })
    }

    pub(crate) fn known_joint(&self, name: &str) -> Result<usize, DisturbError> {
        let joints = &self.layout.robot.arm;
        joints
            .iter()
            .position(|j| j.name == name)
            .ok_or_else(|| DisturbError::UnknownJoint {
                joint: name.to_owned(),
                known: joints.iter().map(|j| j.name.clone()).collect(),
            })
    }

    pub(crate) fn known_scene_joint(&self, id: &ObjectId) -> Result<usize, DisturbError> {
        let joints = &self.layout.joints;
        joints
            .iter()
            .position(|j| &j.id == id)
            .ok_or_else(|| DisturbError::UnknownSceneJoint {
                joint: id.to_string(),
                known: joints.iter().map(|j| j.id.to_string()).collect(),
            })
    }

    /// The moving body that is called after this link.
    pub(crate) fn body_of_link(&self, link: &str) -> Result<usize, DisturbError> {
        let names = &self.layout.robot.moving_names;
        names
            .iter()
            .position(|name| name == link)
            .ok_or_else(|| DisturbError::UnknownLink {
                link: link.to_owned(),
                known: names.clone(),
            })
    }

    fn check_object(
        &self,
        id: &ObjectId,
        can: impl Fn(&ObjectLayout) -> bool,
        cannot: &str,
    ) -> Result<(), DisturbError> {
        let object_idx = self.known_object(id)?;
        if self.state.removed[object_idx] {
            return self.check_can(object_idx, |_| false, "was removed");
        }
        self.check_can(object_idx, can, cannot)
    }

    fn check_can(
        &self,
        object_idx: usize,
        can: impl Fn(&ObjectLayout) -> bool,
        cannot: &str,
    ) -> Result<(), DisturbError> {
        let object = &self.layout.objects[object_idx];
        if can(object) {
            return Ok(());
        }
        Err(DisturbError::CannotDisturb {
            object: object.scene.id.clone(),
            problem: cannot.to_owned(),
        })
    }

    pub(crate) fn apply_due_disturbances(&mut self) {
        if !self.state.faults.waiting.is_empty() {
            self.watch_rises();
            let now = self.state.step;
            let is_due = |w: &Waiting| matches!(w.trigger, Trigger::AtStep(step) if step <= now);
            while let Some(i) = self.state.faults.waiting.iter().position(is_due) {
                let due = self.state.faults.waiting.remove(i);
                self.happen(due.disturbance);
            }
        }
        self.apply_pushes();
    }

    /// Starts the clock of everything that waits for an object to rise.
    fn watch_rises(&mut self) {
        for i in 0..self.state.faults.waiting.len() {
            if let Trigger::AfterRise {
                object_idx,
                above_z,
                delay,
            } = self.state.faults.waiting[i].trigger
                && self.height(object_idx) > above_z
            {
                self.state.faults.waiting[i].trigger = Trigger::AtStep(self.state.step + delay);
            }
        }
    }

    /// Height of an object's origin in World, m.
    fn height(&self, object_idx: usize) -> f64 {
        let body = self
            .physics
            .bodies
            .get(self.layout.objects[object_idx].body);
        body.map_or(0.0, |body| body.position().translation.z)
    }
}

fn check(
    figure: &'static str,
    value: f64,
    is_good: bool,
    expected: &'static str,
) -> Result<(), DisturbError> {
    if is_good {
        return Ok(());
    }
    Err(DisturbError::BadFigure {
        figure,
        value,
        expected,
    })
}

fn finite(figure: &'static str, value: f64) -> Result<(), DisturbError> {
    check(figure, value, value.is_finite(), "a finite number")
}

fn not_negative(figure: &'static str, value: f64) -> Result<(), DisturbError> {
    let is_good = value.is_finite() && value >= 0.0;
    check(figure, value, is_good, "a number from 0 up")
}

fn check_factor(factor: f64) -> Result<(), DisturbError> {
    check(
        "a factor",
        factor,
        (0.0..=1.0).contains(&factor),
        "from 0 to 1",
    )
}

fn check_force(force: &[f64; 3], duration_secs: f64) -> Result<(), DisturbError> {
    not_negative("a duration", duration_secs)?;
    force.iter().try_for_each(|n| finite("a force", *n))
}
