//! Application of disturbances to the physics.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, JointAxesMask, MotorModel, MultibodyJointHandle, PhysicsWorld,
    RigidBody,
};
use regrasp_api::{ObjectId, Pose};
use regrasp_faults::Disturbance;
use regrasp_geometry_parry::{from_parry, to_parry};

use crate::SimOptions;
use crate::actuate::{BLOCKED_KD, BLOCKED_KP};
use crate::build_objects::tension;
use crate::fault_state::{LinkPush, Push, Slow, Trigger, Waiting};
use crate::layout::Layout;
use crate::schedule_disturbance::{body_of_link, height, known_joint, known_scene_joint};
use crate::state::{JointState, State};

pub(crate) struct Disturbed<'a> {
    pub(crate) physics: &'a mut PhysicsWorld,
    pub(crate) state: &'a mut State,
    pub(crate) layout: &'a Layout,
    pub(crate) joints: &'a JointState,
    pub(crate) options: &'a SimOptions,
}

impl Disturbed<'_> {
    pub(crate) fn apply_due(&mut self) {
        if !self.state.faults.waiting.is_empty() {
            self.watch_rises();
            let now = self.state.step;
            let is_due = |w: &Waiting| matches!(w.trigger, Trigger::AtStep(step) if step <= now);
            while let Some(i) = self.state.faults.waiting.iter().position(is_due) {
                let due = self.state.faults.waiting.remove(i);
                self.apply(due.disturbance, true);
            }
        }
        self.apply_pushes();
    }

    /// Schedules every disturbance that waits for an object to rise and whose object has risen.
    fn watch_rises(&mut self) {
        for Waiting { trigger, .. } in &mut self.state.faults.waiting {
            if let Trigger::AfterRise {
                object_idx,
                above_z,
                delay,
            } = *trigger
                && height(self.physics, self.layout, object_idx) > above_z
            {
                *trigger = Trigger::AtStep(self.state.step + delay);
            }
        }
    }

    /// Applies a disturbance, or ends it.
    fn apply(&mut self, disturbance: Disturbance, begins: bool) {
        let time_secs = self.state.step as f64 * self.options.dt_secs;
        tracing::debug!(?disturbance, begins, time_secs, "disturbance");
        let faults = &mut self.state.faults;
        match disturbance {
            Disturbance::WeakGripper { factor } => faults.grip_factor = begins.then_some(factor),
            Disturbance::SlipperyPads { factor } => self.oil_pads(begins.then_some(factor)),
            Disturbance::StuckGripper => {
                faults.stuck_fingers = begins.then_some(self.joints.finger_q);
            }
            Disturbance::BlockJoint { joint } => {
                if let Ok(i) = known_joint(self.layout, &joint) {
                    faults.blocked[i] = begins.then_some(self.joints.arm_q[i]);
                }
            }
            Disturbance::SlowJoint { joint, max_speed } => {
                if let Ok(i) = known_joint(self.layout, &joint) {
                    faults.slow[i] = begins.then_some(Slow {
                        max_speed,
                        position: self.joints.arm_q[i],
                        speed: 0.0,
                    });
                }
            }
            Disturbance::JamJoint { joint } => {
                if let Ok(i) = known_scene_joint(self.layout, &joint) {
                    self.set_jammed(i, begins);
                }
            }
            Disturbance::End { disturbance } => self.apply(*disturbance, false),
            _ if !begins => {}
            Disturbance::Repair => self.repair(),
            Disturbance::MoveObject {
                object,
                world_from_object,
            } => self.put(&object, &world_from_object),
            Disturbance::NudgeObject {
                object,
                distance_m,
                turn_rad,
                seed,
            } => self.nudge(&object, distance_m, turn_rad, seed),
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
            Disturbance::PushLink {
                link,
                force_in_world,
                duration_secs,
            } => {
                if let Ok(body_idx) = body_of_link(self.layout, &link) {
                    self.state.faults.link_pushes.push(LinkPush {
                        body_idx,
                        force_in_world,
                        until_step: self.state.step + self.options.steps(duration_secs),
                    });
                }
            }
        }
    }

    fn with_body(&mut self, id: &ObjectId, change: impl FnOnce(&mut RigidBody)) {
        let object_idx = self.layout.object_idx(id);
        let handle = object_idx.map(|i| self.layout.objects[i].body);
        if let Some(body) = handle.and_then(|handle| self.physics.bodies.get_mut(handle)) {
            change(body);
        }
    }

    fn put(&mut self, id: &ObjectId, world_from_object: &Pose) {
        self.with_body(id, |body| {
            body.set_enabled(true);
            body.set_position(to_parry(world_from_object), true);
            body.set_linvel(Default::default(), true);
            body.set_angvel(Default::default(), true);
        });
        if let Some(i) = self.layout.object_idx(id) {
            self.state.removed[i] = false;
        }
    }

    fn nudge(&mut self, id: &ObjectId, distance_m: f64, turn_rad: f64, seed: u64) {
        let bits = mix(seed);
        // 53 bits fill the mantissa of a double; another bit gives the sign of the rotation.
        let direction = std::f64::consts::TAU * (bits >> 11) as f64 / (1_u64 << 53) as f64;
        let turn = if bits & 1 == 0 { turn_rad } else { -turn_rad };
        let shift = distance_m * Vector3::new(direction.cos(), direction.sin(), 0.0);
        let Some(object_idx) = self.layout.object_idx(id) else {
            return;
        };
        let object = &self.layout.objects[object_idx];
        let body = self.physics.bodies.get(object.body);
        let Some(before) = body.map(|body| from_parry(body.position())) else {
            return;
        };
        let after = Isometry3::from_parts(
            Translation3::from(before.translation.vector + shift),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn) * before.rotation,
        );
        if !self.state.removed[object_idx] {
            self.put(id, &after);
        }
    }

    /// Sets the friction of the pads. Normally the greater of two frictions counts; for oiled pads
    /// it is the smaller.
    fn oil_pads(&mut self, factor: Option<f64>) {
        let factor = factor.unwrap_or(1.0);
        let friction = factor * self.layout.robot.gripper.pad_friction;
        let rule = if factor < 1.0 {
            CoefficientCombineRule::Min
        } else {
            CoefficientCombineRule::Max
        };
        for (_, pad) in &self.layout.robot.pads {
            if let Some(pad) = self.physics.colliders.get_mut(*pad) {
                pad.set_friction(friction);
                pad.set_friction_combine_rule(rule);
            }
        }
    }

    fn set_jammed(&mut self, joint_idx: usize, jammed: bool) {
        let joint = &self.layout.joints[joint_idx];
        let joints = &mut self.physics.multibody_joints;
        let Some((multibody, link_id)) = joints.get_mut(MultibodyJointHandle(joint.child.0)) else {
            return;
        };
        let Some(link) = multibody.link_mut(link_id) else {
            return;
        };
        let now = link.joint.coords()[joint.axis as usize];
        let data = &mut link.joint.data;
        if jammed {
            data.set_motor_model(joint.axis, MotorModel::ForceBased);
            data.set_motor(joint.axis, now, 0.0, BLOCKED_KP, BLOCKED_KD);
        } else {
            data.motor_axes.remove(JointAxesMask::from(joint.axis));
            if let Some(spring) = &joint.scene.spring {
                tension(data, joint.axis, spring, joint.scene.start);
            }
        }
    }

    fn repair(&mut self) {
        self.oil_pads(None);
        for joint_idx in 0..self.layout.joints.len() {
            self.set_jammed(joint_idx, false);
        }
        let faults = &mut self.state.faults;
        faults.grip_factor = None;
        faults.stuck_fingers = None;
        faults.blocked.fill(None);
        faults.slow.fill(None);
        // `apply_pushes` ends expired pushes when it sets this step's forces.
        let (pushes, link_pushes) = (&mut faults.pushes, &mut faults.link_pushes);
        pushes.iter_mut().for_each(|push| push.until_step = 0);
        link_pushes.iter_mut().for_each(|push| push.until_step = 0);
    }

    /// Sets all forces in each step, since rapier keeps a force until it is reset.
    fn apply_pushes(&mut self) {
        let (layout, now) = (self.layout, self.state.step);
        let faults = &mut self.state.faults;
        if faults.pushes.is_empty() && faults.link_pushes.is_empty() {
            return;
        }
        let of_object = |push: &Push| layout.objects[push.object_idx].body;
        let of_link = |push: &LinkPush| layout.robot.moving[push.body_idx];
        let pushed = faults.pushes.iter().map(of_object);
        for handle in pushed.chain(faults.link_pushes.iter().map(of_link)) {
            if let Some(body) = self.physics.bodies.get_mut(handle) {
                body.reset_forces(true);
            }
        }
        faults.pushes.retain(|push| push.until_step > now);
        faults.link_pushes.retain(|push| push.until_step > now);
        let pushes = faults.pushes.iter();
        let objects = pushes.map(|p| (of_object(p), p.force_in_world));
        let links = faults.link_pushes.iter();
        for (handle, force) in objects.chain(links.map(|p| (of_link(p), p.force_in_world))) {
            if let Some(body) = self.physics.bodies.get_mut(handle) {
                body.add_force(force.into(), true);
            }
        }
    }
}

/// Scrambles a seed so that neighbouring seeds are unrelated (the finaliser of SplitMix64: Steele,
/// Lea and Flood 2014, "Fast splittable pseudorandom number generators").
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
