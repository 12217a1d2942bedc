//! The world as it really is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regrasp_api::{ObjectId, ObjectJoint, Pose};
use regrasp_solids::{from_parry, from_vector};
use regrasp_truth::{TrueObject, TruthSource, WorldTruth};

use crate::faults::{DisturbError, Disturbance, When};
use crate::inbox::Inbox;
use crate::inner::Inner;
use crate::layout::{Owner, SceneJointLayout};
use crate::state::PressCount;

/// The capability to read the world's truth. Only ground-truth perception and the
/// judge of a benchmark should be handed one.
#[derive(Clone)]
pub struct SimTruth(pub(crate) Arc<Mutex<Inner>>);

/// The capability to make things go wrong.
#[derive(Clone)]
pub struct SimFaults {
    pub(crate) inner: Arc<Mutex<Inner>>,
    pub(crate) inbox: Arc<Inbox>,
}

/// A panic elsewhere must not hide the world: whoever looks next finds it as it is.
pub(crate) fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TruthSource for SimTruth {
    fn truth(&self) -> WorldTruth {
        lock(&self.0).truth()
    }
}

impl SimFaults {
    /// Lets something go wrong, now or later. What is scheduled is part of the world's
    /// state: a snapshot keeps it, restoring an earlier one forgets it.
    ///
    /// # Errors
    ///
    /// [`DisturbError`] if the object or joint is unknown or cannot be disturbed so.
    pub fn disturb(&self, when: When, disturbance: Disturbance) -> Result<(), DisturbError> {
        lock(&self.inner).schedule(when, disturbance)
    }

    /// As [`SimFaults::disturb`], also while the world moves, and without waiting: it is
    /// scheduled before the world's next step. What cannot happen in this world does not.
    pub fn post(&self, when: When, disturbance: Disturbance) {
        self.inbox.post(when, disturbance);
    }
}

impl Inner {
    pub(crate) fn truth(&self) -> WorldTruth {
        let robot = &self.layout.robot;
        let mut objects: Vec<Option<TrueObject>> = (0..self.layout.objects.len())
            .map(|i| (!self.state.removed[i]).then(|| self.true_object(i)))
            .collect();
        self.add_touches(&mut objects);
        WorldTruth {
            time_secs: self.time_secs(),
            objects: objects.into_iter().flatten().collect(),
            joints: self.object_joints(),
            ports: self.layout.ports.clone(),
            joint_positions: self.joints.arm_q.clone(),
            joint_velocities: self.joints.arm_v.clone(),
            world_from_tool: self.world_from_tool(),
            gripper_width_m: robot.width(&self.joints.finger_q),
            contacts: self.robot_contacts(),
            was_held: self.was_held(),
        }
    }

    pub(crate) fn world_from_tool(&self) -> Pose {
        let robot = &self.layout.robot;
        let body = self.physics.bodies.get(robot.tool_body);
        body.map(|body| from_parry(body.position()) * robot.body_from_tool)
            .unwrap_or(robot.world_from_base)
    }

    fn object_joints(&self) -> Vec<ObjectJoint> {
        let pose = |body| {
            let body = self.physics.bodies.get(body)?;
            Some(from_parry(body.position()))
        };
        let joint = |(joint, pressed): (&SceneJointLayout, &PressCount)| {
            let (parent, child) = (pose(joint.parent)?, pose(joint.child)?);
            let start = &joint.parent_from_child_at_start;
            let mut now = joint.scene.at(start, &parent, &child);
            if let Some(presses) = &mut now.presses {
                presses.count = pressed.count;
            }
            Some(now)
        };
        let joints = self.layout.joints.iter().zip(&self.state.presses);
        joints.filter_map(joint).collect()
    }

    /// Registers buttons that went down in this step.
    pub(crate) fn count_presses(&mut self) {
        if self.layout.joints.iter().all(|j| j.scene.spring.is_none()) {
            return;
        }
        let readings = self.object_joints();
        for joint in readings {
            let Some(at) = joint.presses.map(|presses| presses.at) else {
                continue;
            };
            let idx = self.layout.joints.iter().position(|j| j.id == joint.id);
            if let Some(press) = idx.and_then(|idx| self.state.presses.get_mut(idx)) {
                let was_down = press.is_down;
                press.is_down = joint.opening >= if was_down { 0.5 * at } else { at };
                press.count += u32::from(press.is_down && !was_down);
            }
        }
    }

    fn true_object(&self, object_idx: usize) -> TrueObject {
        let layout = &self.layout.objects[object_idx];
        let scene = &layout.scene;
        let mut object = TrueObject {
            id: scene.id.clone(),
            category: scene.category.clone(),
            color: scene.color.clone(),
            shape: scene.shape.clone(),
            world_from_object: scene.world_from_object,
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass_kg: scene.mass_kg.unwrap_or(0.0),
            movable: scene.is_movable(),
            touches: Vec::new(),
            touches_links: Vec::new(),
            grasped: false,
            upright: scene.upright,
            zones: scene.zones.clone(),
            group: scene.group.clone(),
        };
        if let Some(body) = self.physics.bodies.get(layout.body) {
            object.world_from_object = from_parry(body.position());
            // rapier's velocity is that of the centre of mass.
            let origin = body.position().translation;
            object.linear_velocity = from_vector(body.velocity_at_point(origin)).into();
            object.angular_velocity = from_vector(body.angvel()).into();
        }
        object
    }

    fn add_touches(&self, objects: &mut [Option<TrueObject>]) {
        let mut pressed_by = vec![[false; 2]; objects.len()];
        for touch in self.touches() {
            let [a, b] = touch.owners;
            for (owner, other) in [(a, b), (b, a)] {
                let Owner::Object(i) = owner else { continue };
                if let Owner::Link(link) = other
                    && let Some(finger) = self.layout.robot.finger_of_link[link]
                {
                    pressed_by[i][finger] = true;
                }
                if let Some(object) = &mut objects[i] {
                    self.add_touch(object, other);
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

    fn add_touch(&self, object: &mut TrueObject, other: Owner) {
        match other {
            Owner::Object(j) => {
                let id: &ObjectId = &self.layout.objects[j].scene.id;
                if !object.touches.contains(id) && *id != object.id {
                    object.touches.push(id.clone());
                }
            }
            Owner::Link(link) => {
                let name = &self.layout.robot.links[link];
                if !object.touches_links.contains(name) {
                    object.touches_links.push(name.clone());
                }
            }
        }
    }
}
