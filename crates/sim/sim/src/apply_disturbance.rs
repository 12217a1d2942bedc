//! Application of disturbances to the physics.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, JointAxesMask, MotorModel, MultibodyJointHandle, RigidBody,
};
use regrasp_api::{ObjectId, Pose};
use regrasp_faults::Disturbance;
use regrasp_geometry_parry::{from_parry, to_parry};

use crate::actuate::{BLOCKED_KD, BLOCKED_KP};
use crate::build_objects::tension;
use crate::fault_state::{Push, Pushed, Slow, Trigger, Waiting};
use crate::schedule_disturbance::height;
use crate::simulation::Simulation;

impl Simulation {
    pub(crate) fn apply_due(&mut self) {
        if !self.state.faults.waiting.is_empty() {
            self.watch_rises();
            let now = self.state.step;
            let is_due = |w: &Waiting| matches!(w.trigger, Trigger::AtStep(step) if step <= now);
            while let Some(i) = self.state.faults.waiting.iter().position(is_due) {
                let due = self.state.faults.waiting.remove(i);
                self.apply(due.disturbance);
            }
        }
        self.apply_pushes();
    }

    /// Starts the clock of every disturbance that waits for an object to rise.
    fn watch_rises(&mut self) {
        for Waiting { trigger, .. } in &mut self.state.faults.waiting {
            if let Trigger::AfterRise {
                object_idx,
                above_z,
                delay,
            } = *trigger
                && height(&self.physics, &self.layout, object_idx) > above_z
            {
                *trigger = Trigger::AtStep(self.state.step + delay);
            }
        }
    }

    fn apply(&mut self, disturbance: Disturbance) {
        tracing::debug!(?disturbance, time_secs = self.time_secs(), "disturbance");
        match disturbance {
            Disturbance::WeakGripper { factor } => self.state.faults.grip_factor = Some(factor),
            Disturbance::SlipperyPads { factor } => self.oil_pads(factor),
            Disturbance::StuckGripper => {
                self.state.faults.stuck_fingers = Some(self.joints.finger_q);
            }
            Disturbance::BlockJoint { joint } => {
                if let Ok(i) = self.layout.arm_joint(&joint) {
                    self.state.faults.blocked[i] = Some(self.joints.arm_q[i]);
                }
            }
            Disturbance::SlowJoint { joint, max_speed } => {
                if let Ok(i) = self.layout.arm_joint(&joint) {
                    self.state.faults.slow[i] = Some(Slow {
                        max_speed,
                        position: self.joints.arm_q[i],
                        speed: 0.0,
                    });
                }
            }
            Disturbance::JamJoint { joint } => {
                if let Ok(i) = self.layout.scene_joint(&joint) {
                    self.set_jammed(i, true);
                }
            }
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
                if let Ok(i) = self.layout.object(&object) {
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
                if let Ok(idx) = self.layout.object(&object) {
                    self.push(Pushed::Object(idx), force_in_world, duration_secs);
                }
            }
            Disturbance::PushLink {
                link,
                force_in_world,
                duration_secs,
            } => {
                if let Ok(idx) = self.layout.body_of_link(&link) {
                    self.push(Pushed::Robot(idx), force_in_world, duration_secs);
                }
            }
        }
    }

    fn push(&mut self, on: Pushed, force_in_world: [f64; 3], duration_secs: f64) {
        self.state.faults.pushes.push(Push {
            on,
            force_in_world,
            until_step: self.state.step + self.options.steps(duration_secs),
        });
    }

    fn with_body(&mut self, id: &ObjectId, change: impl FnOnce(&mut RigidBody)) {
        if let Ok(i) = self.layout.object(id)
            && let Some(body) = self.physics.bodies.get_mut(self.layout.objects[i].body)
        {
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
        if let Ok(i) = self.layout.object(id) {
            self.state.removed[i] = false;
        }
    }

    fn nudge(&mut self, id: &ObjectId, distance_m: f64, turn_rad: f64, seed: u64) {
        let bits = mix(seed);
        // 53 bits fill a double; one more decides the sign.
        let direction = std::f64::consts::TAU * (bits >> 11) as f64 / (1_u64 << 53) as f64;
        let turn = if bits & 1 == 0 { turn_rad } else { -turn_rad };
        let shift = distance_m * Vector3::new(direction.cos(), direction.sin(), 0.0);
        let Ok(object_idx) = self.layout.object(id) else {
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
    fn oil_pads(&mut self, factor: f64) {
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
        self.oil_pads(1.0);
        for joint_idx in 0..self.layout.joints.len() {
            self.set_jammed(joint_idx, false);
        }
        let faults = &mut self.state.faults;
        faults.grip_factor = None;
        faults.stuck_fingers = None;
        faults.blocked.fill(None);
        faults.slow.fill(None);
        // They end when this step's forces are set.
        faults
            .pushes
            .iter_mut()
            .for_each(|push| push.until_step = 0);
    }

    /// Sets all forces in each step, since rapier keeps a force until it is reset.
    fn apply_pushes(&mut self) {
        let (layout, now) = (&self.layout, self.state.step);
        let pushes = &mut self.state.faults.pushes;
        let body_of = |push: &Push| match push.on {
            Pushed::Object(idx) => layout.objects[idx].body,
            Pushed::Robot(idx) => layout.robot.moving[idx],
        };
        for push in pushes.iter() {
            if let Some(body) = self.physics.bodies.get_mut(body_of(push)) {
                body.reset_forces(true);
            }
        }
        pushes.retain(|push| push.until_step > now);
        for push in pushes.iter() {
            if let Some(body) = self.physics.bodies.get_mut(body_of(push)) {
                body.add_force(push.force_in_world.into(), true);
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
