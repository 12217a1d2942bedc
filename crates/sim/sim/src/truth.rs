//! Ground truth of the world.

use regrasp_api::ObjectId;
use regrasp_geometry_parry::{from_parry, from_vector};
use regrasp_ground_truth::{GroundTruth, GroundTruthObject};

use crate::contacts::Contacts;
use crate::layout::{Layout, Owner};
use crate::presses::object_joints;
use crate::reading::Reading;

pub(crate) fn world_truth(now: &Reading<'_>) -> GroundTruth {
    let (robot, log) = (&now.layout.robot, &now.state.contacts);
    let mut objects: Vec<Option<GroundTruthObject>> = (0..now.layout.objects.len())
        .map(|i| (!now.state.removed[i]).then(|| true_object(now, i)))
        .collect();
    add_touches(&now.contacts(), &mut objects);
    GroundTruth {
        time_secs: now.time_secs(),
        objects: objects.into_iter().flatten().collect(),
        joints: object_joints(now.physics, now.layout, &now.state.presses),
        ports: now.layout.ports.clone(),
        joint_positions: now.joints.arm_q.clone(),
        joint_velocities: now.joints.arm_v.clone(),
        world_from_tool: now.world_from_tool(),
        gripper_width_m: robot.width(&now.joints.finger_q),
        contacts: log.robot_contacts(now.layout, now.options.dt_secs),
        was_held: log.was_held(now.layout),
    }
}

fn true_object(now: &Reading<'_>, object_idx: usize) -> GroundTruthObject {
    let layout = &now.layout.objects[object_idx];
    let mut object = layout.scene.at_rest();
    if let Some(body) = now.physics.bodies.get(layout.body) {
        object.world_from_object = from_parry(body.position());
        // rapier's velocity is that of the centre of mass.
        let origin = body.position().translation;
        object.linear_velocity = from_vector(body.velocity_at_point(origin)).into();
        object.angular_velocity = from_vector(body.angvel()).into();
    }
    object
}

fn add_touches(contacts: &Contacts<'_>, objects: &mut [Option<GroundTruthObject>]) {
    let mut pressed_by = vec![[false; 2]; objects.len()];
    for touch in contacts.touches() {
        let [a, b] = touch.owners;
        for (owner, other) in [(a, b), (b, a)] {
            let Owner::Object(i) = owner else { continue };
            if let Owner::Link(link) = other
                && let Some(finger) = contacts.layout.robot.finger_of_link[link]
            {
                pressed_by[i][finger] = true;
            }
            if let Some(object) = &mut objects[i] {
                add_touch(contacts.layout, object, other);
            }
        }
    }
    for (object, pressed) in objects.iter_mut().zip(pressed_by) {
        if let Some(object) = object {
            object.touches.sort();
            object.touches_links.sort();
            object.grasped = pressed == [true; 2];
        }
    }
}

fn add_touch(layout: &Layout, object: &mut GroundTruthObject, other: Owner) {
    match other {
        Owner::Object(j) => {
            let id: &ObjectId = &layout.objects[j].scene.id;
            if !object.touches.contains(id) && *id != object.id {
                object.touches.push(id.clone());
            }
        }
        Owner::Link(link) => {
            let name = &layout.robot.links[link];
            if !object.touches_links.contains(name) {
                object.touches_links.push(name.clone());
            }
        }
    }
}
