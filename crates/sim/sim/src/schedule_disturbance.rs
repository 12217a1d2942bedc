//! Scheduling of disturbances: validation and triggers.

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::ObjectId;
use regrasp_faults::{DisturbError, Disturbance, When};

use crate::fault_state::{Trigger, Waiting};
use crate::layout::Layout;
use crate::simulation::Simulation;

impl Simulation {
    /// Checks that a disturbance is possible, and puts it on the list of those that wait.
    pub(crate) fn schedule(
        &mut self,
        when: When,
        disturbance: Disturbance,
    ) -> Result<(), DisturbError> {
        self.check_disturbance(&disturbance)?;
        self.state.faults.waiting.push(Waiting {
            trigger: self.trigger(when)?,
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
                let object_idx = self.layout.object(&object)?;
                Trigger::AfterRise {
                    object_idx,
                    above_z: height(&self.physics, &self.layout, object_idx) + rise_m,
                    delay: steps(delay_secs)?,
                }
            }
        })
    }

    fn check_disturbance(&self, disturbance: &Disturbance) -> Result<(), DisturbError> {
        let layout = &self.layout;
        let present = |object: &ObjectId| -> Result<_, DisturbError> {
            let idx = layout.object(object)?;
            check_can(object, !self.state.removed[idx], "was removed")?;
            Ok(&layout.objects[idx])
        };
        let free = |object| {
            let is_free = !present(object)?.jointed;
            check_can(object, is_free, "is held by a joint")
        };
        let movable = |object| {
            let is_movable = present(object)?.scene.is_movable();
            check_can(object, is_movable, "is fixed")
        };
        match disturbance {
            // A removed object may come back.
            Disturbance::MoveObject { object, .. } => {
                let is_free = !layout.objects[layout.object(object)?].jointed;
                check_can(object, is_free, "is held by a joint")
            }
            Disturbance::RemoveObject { object } => free(object),
            Disturbance::NudgeObject {
                object,
                distance_m,
                turn_rad,
                ..
            } => {
                finite("a distance", *distance_m)?;
                finite("a turn", *turn_rad)?;
                free(object)
            }
            Disturbance::PushObject {
                object,
                force_in_world,
                duration_secs,
            } => {
                check_force(force_in_world, *duration_secs)?;
                movable(object)
            }
            Disturbance::PoisonObject { object } => movable(object),
            Disturbance::PushLink {
                link,
                force_in_world,
                duration_secs,
            } => {
                check_force(force_in_world, *duration_secs)?;
                layout.body_of_link(link).map(drop)
            }
            Disturbance::SlipperyPads { factor } | Disturbance::WeakGripper { factor } => {
                check_factor(*factor)
            }
            Disturbance::BlockJoint { joint } => layout.arm_joint(joint).map(drop),
            Disturbance::SlowJoint { joint, max_speed } => {
                not_negative("a speed", *max_speed)?;
                layout.arm_joint(joint).map(drop)
            }
            Disturbance::JamJoint { joint } => layout.scene_joint(joint).map(drop),
            Disturbance::StuckGripper | Disturbance::Repair => Ok(()),
        }
    }
}

impl Layout {
    pub(crate) fn object(&self, id: &ObjectId) -> Result<usize, DisturbError> {
        let names = self.objects.iter().map(|o| o.scene.id.as_str());
        position(names, id.as_str()).map_err(|known| DisturbError::UnknownObject {
            object: id.clone(),
            known,
        })
    }

    pub(crate) fn arm_joint(&self, name: &str) -> Result<usize, DisturbError> {
        let names = self.robot.arm.iter().map(|j| j.name.as_str());
        position(names, name).map_err(|known| DisturbError::UnknownJoint {
            joint: name.to_owned(),
            known,
        })
    }

    pub(crate) fn scene_joint(&self, id: &ObjectId) -> Result<usize, DisturbError> {
        let names = self.joints.iter().map(|j| j.scene.id.as_str());
        position(names, id.as_str()).map_err(|known| DisturbError::UnknownSceneJoint {
            joint: id.to_string(),
            known,
        })
    }

    /// Index of the moving body whose first link has this name.
    pub(crate) fn body_of_link(&self, link: &str) -> Result<usize, DisturbError> {
        let names = self.robot.moving_names.iter().map(String::as_str);
        position(names, link).map_err(|known| DisturbError::UnknownLink {
            link: link.to_owned(),
            known,
        })
    }
}

/// Index of a name; all known names if it is unknown.
fn position<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    name: &str,
) -> Result<usize, Vec<String>> {
    let place = names.clone().position(|known| known == name);
    place.ok_or_else(|| names.map(str::to_owned).collect())
}

fn check_can(object: &ObjectId, can: bool, cannot: &str) -> Result<(), DisturbError> {
    if can {
        return Ok(());
    }
    Err(DisturbError::CannotDisturb {
        object: object.clone(),
        problem: cannot.to_owned(),
    })
}

/// Height of an object's origin in World, m.
pub(crate) fn height(physics: &PhysicsWorld, layout: &Layout, object_idx: usize) -> f64 {
    let body = physics.bodies.get(layout.objects[object_idx].body);
    body.map_or(0.0, |body| body.position().translation.z)
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
    check(figure, value, is_good, "a number that is 0 or greater")
}

fn check_factor(factor: f64) -> Result<(), DisturbError> {
    let is_share = (0.0..=1.0).contains(&factor);
    check("a factor", factor, is_share, "from 0 to 1")
}

fn check_force(force: &[f64; 3], duration_secs: f64) -> Result<(), DisturbError> {
    not_negative("a duration", duration_secs)?;
    force.iter().try_for_each(|n| finite("a force", *n))
}
