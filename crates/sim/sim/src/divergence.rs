//! Detection of diverged physics.

use rapier3d_f64::prelude::{RigidBody, RigidBodyHandle};

use crate::SimOptions;
use crate::layout::Layout;
use crate::reading::Reading;

pub(crate) fn find(now: &Reading<'_>) -> Option<String> {
    let (physics, layout) = (now.physics, now.layout);
    // rapier disables a body whose state is not finite and reports it for one step.
    if let Some(body) = physics.quarantine().bodies().first() {
        let name = body_name(layout, *body);
        return Some(format!("the state of {name} is not finite"));
    }
    if !physics.quarantine().is_empty() {
        return Some("a collision shape is not finite".to_owned());
    }
    let objects = layout.objects.iter().map(|object| object.body);
    let mut bodies = layout.robot.moving.iter().copied().chain(objects);
    bodies.find_map(|handle| {
        let what = runaway(physics.bodies.get(handle)?, now.options)?;
        Some(format!("{} {what}", body_name(layout, handle)))
    })
}

fn runaway(body: &RigidBody, options: &SimOptions) -> Option<String> {
    let speed = body.linvel().length_squared();
    let spin = body.angvel().length_squared();
    let (max_speed, max_spin) = (options.runaway_m_per_s, options.runaway_rad_per_s);
    if speed.is_nan() || speed > max_speed * max_speed {
        let speed = speed.sqrt();
        return Some(format!("moves at {speed:.0} m/s (limit {max_speed:.0})"));
    }
    if spin.is_nan() || spin > max_spin * max_spin {
        let spin = spin.sqrt();
        return Some(format!("spins at {spin:.0} rad/s (limit {max_spin:.0})"));
    }
    None
}

fn body_name(layout: &Layout, handle: RigidBodyHandle) -> String {
    let robot = &layout.robot;
    if let Some(i) = robot.moving.iter().position(|body| *body == handle) {
        return format!("link `{}`", robot.moving_names[i]);
    }
    match layout.objects.iter().find(|o| o.body == handle) {
        Some(object) => format!("object `{}`", object.scene.id),
        None => "the robot's base".to_owned(),
    }
}
