//! Scheduling of disturbances: validation and triggers.

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_api::ObjectId;
use regrasp_faults::{DisturbError, Disturbance, When};

use crate::fault_state::{Trigger, Waiting};
use crate::layout::Layout;
use crate::reading::Reading;

/// Checks that a disturbance is possible, and returns it with its trigger.
pub(crate) fn waiting(
    now: &Reading<'_>,
    when: When,
    disturbance: Disturbance,
) -> Result<Waiting, DisturbError> {
    check_disturbance(now, &disturbance)?;
    Ok(Waiting {
        trigger: trigger(now, when)?,
        disturbance,
    })
}

fn trigger(now: &Reading<'_>, when: When) -> Result<Trigger, DisturbError> {
    let steps = |delay_secs: f64| {
        not_negative("a delay", delay_secs)?;
        Ok(now.options.steps(delay_secs))
    };
    Ok(match when {
        When::Now => Trigger::AtStep(now.state.step),
        When::At { time_secs } => {
            finite("a time", time_secs)?;
            Trigger::AtStep(now.options.steps(time_secs))
        }
        When::AfterClosing { delay_secs } => Trigger::AfterClosing(steps(delay_secs)?),
        When::AfterGrasp { delay_secs } => Trigger::AfterGrasp(steps(delay_secs)?),
        When::AfterRise {
            object,
            rise_m,
            delay_secs,
        } => {
            not_negative("a rise", rise_m)?;
            let object_idx = known_object(now.layout, &object)?;
            Trigger::AfterRise {
                object_idx,
                above_z: height(now.physics, now.layout, object_idx) + rise_m,
                delay: steps(delay_secs)?,
            }
        }
    })
}

fn check_disturbance(now: &Reading<'_>, disturbance: &Disturbance) -> Result<(), DisturbError> {
    let layout = now.layout;
    match disturbance {
        Disturbance::MoveObject { object, .. } => check_free(layout, known_object(layout, object)?),
        Disturbance::RemoveObject { object } => check_free(layout, present(now, object)?),
        Disturbance::NudgeObject {
            object,
            distance_m,
            turn_rad,
            ..
        } => {
            finite("a distance", *distance_m)?;
            finite("an angle", *turn_rad)?;
            check_free(layout, present(now, object)?)
        }
        Disturbance::PushObject {
            object,
            force_in_world,
            duration_secs,
        } => {
            check_force(force_in_world, *duration_secs)?;
            check_movable(layout, present(now, object)?)
        }
        Disturbance::PoisonObject { object } => check_movable(layout, present(now, object)?),
        Disturbance::PushLink {
            link,
            force_in_world,
            duration_secs,
        } => {
            check_force(force_in_world, *duration_secs)?;
            body_of_link(layout, link).map(drop)
        }
        Disturbance::SlipperyPads { factor } | Disturbance::WeakGripper { factor } => {
            let is_share = (0.0..=1.0).contains(factor);
            check("a factor", *factor, is_share, "from 0 to 1")
        }
        Disturbance::BlockJoint { joint } => known_joint(layout, joint).map(drop),
        Disturbance::SlowJoint { joint, max_speed } => {
            not_negative("a speed", *max_speed)?;
            known_joint(layout, joint).map(drop)
        }
        Disturbance::JamJoint { joint } => known_scene_joint(layout, joint).map(drop),
        Disturbance::End { disturbance } => check_disturbance(now, disturbance),
        Disturbance::StuckGripper | Disturbance::Repair => Ok(()),
    }
}

fn known_object(layout: &Layout, id: &ObjectId) -> Result<usize, DisturbError> {
    let names = layout.objects.iter().map(|o| o.scene.id.as_str());
    position(names, id.as_str()).map_err(|known| DisturbError::UnknownObject {
        object: id.clone(),
        known,
    })
}

pub(crate) fn known_joint(layout: &Layout, name: &str) -> Result<usize, DisturbError> {
    let names = layout.robot.arm.iter().map(|j| j.name.as_str());
    position(names, name).map_err(|known| DisturbError::UnknownJoint {
        joint: name.to_owned(),
        known,
    })
}

pub(crate) fn known_scene_joint(layout: &Layout, id: &ObjectId) -> Result<usize, DisturbError> {
    let names = layout.joints.iter().map(|j| j.id.as_str());
    position(names, id.as_str()).map_err(|known| DisturbError::UnknownSceneJoint {
        joint: id.to_string(),
        known,
    })
}

/// Index of the moving body whose first link has this name.
pub(crate) fn body_of_link(layout: &Layout, link: &str) -> Result<usize, DisturbError> {
    let names = layout.robot.moving_names.iter().map(String::as_str);
    position(names, link).map_err(|known| DisturbError::UnknownLink {
        link: link.to_owned(),
        known,
    })
}

/// Index of a name; all known names if it is unknown.
fn position<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    name: &str,
) -> Result<usize, Vec<String>> {
    let place = names.clone().position(|known| known == name);
    place.ok_or_else(|| names.map(str::to_owned).collect())
}

/// Index of an object that was not removed.
fn present(now: &Reading<'_>, id: &ObjectId) -> Result<usize, DisturbError> {
    let object_idx = known_object(now.layout, id)?;
    let is_here = !now.state.removed[object_idx];
    check_object(now.layout, object_idx, is_here, "was removed")?;
    Ok(object_idx)
}

fn check_free(layout: &Layout, object_idx: usize) -> Result<(), DisturbError> {
    let is_free = !layout.objects[object_idx].jointed;
    let cannot = "is held by a joint and cannot be moved";
    check_object(layout, object_idx, is_free, cannot)
}

fn check_movable(layout: &Layout, object_idx: usize) -> Result<(), DisturbError> {
    let is_movable = layout.objects[object_idx].scene.is_movable();
    check_object(layout, object_idx, is_movable, "is fixed")
}

fn check_object(
    layout: &Layout,
    object_idx: usize,
    is_good: bool,
    problem: &str,
) -> Result<(), DisturbError> {
    if is_good {
        return Ok(());
    }
    Err(DisturbError::CannotDisturb {
        object: layout.objects[object_idx].scene.id.clone(),
        problem: problem.to_owned(),
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

fn check_force(force: &[f64; 3], duration_secs: f64) -> Result<(), DisturbError> {
    not_negative("a duration", duration_secs)?;
    force.iter().try_for_each(|n| finite("a force", *n))
}
