//! Construction of the robot: one multibody (reduced coordinates) on a fixed base.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, GenericJoint, JointAxesMask, JointAxis, MotorModel,
    PhysicsWorld, RigidBodyBuilder, RigidBodyHandle,
};
use regrasp_api::Pose;
use regrasp_geometry_parry::{Use, solids, to_parry};
use regrasp_kinematics::{Joint, JointKind, Link, RobotModel};
use regrasp_scene::{Motor, RobotFile};

use crate::assembly::{Assembly, BodyPlan};
use crate::layout::{JointLayout, Owner, Owners, RobotLayout};
use crate::robot_checks::{Drive, check};
use crate::self_contact::link_groups;
use crate::{Result, SimError, SimOptions};

/// Friction coefficient of links that are not finger pads: painted metal and plastic.
const LINK_FRICTION: f64 = 0.5;

/// Inserts the robot into the world with all joints at zero; see [`place_joints`].
pub(crate) fn build_robot(
    world: &mut PhysicsWorld,
    owners: &mut Owners,
    model: &RobotModel,
    file: &RobotFile,
    world_from_base: &Pose,
    options: &SimOptions,
) -> Result<RobotLayout> {
    let assembly = &Assembly::new(model, file);
    let drives = check(assembly)?;
    let bodies = insert_bodies(world, assembly, world_from_base, options)?;
    insert_colliders(world, owners, assembly, &bodies)?;
    insert_joints(world, assembly, &drives, &bodies)?;
    layout(world, assembly, &drives, &bodies, world_from_base)
}

fn insert_bodies(
    world: &mut PhysicsWorld,
    assembly: &Assembly<'_>,
    world_from_base: &Pose,
    options: &SimOptions,
) -> Result<Vec<RigidBodyHandle>> {
    let Assembly { model, file, .. } = assembly;
    let base = model.link_idx(&file.base_link).unwrap_or_default();
    let world_from_root = world_from_base * assembly.body_from_link[base].inverse();
    let gravity_scale = if options.gravity_compensation {
        0.0
    } else {
        1.0
    };
    let insert = |plan: &BodyPlan| {
        let body = if plan.joint_idx.is_none() {
            RigidBodyBuilder::fixed().pose(to_parry(&world_from_root))
        } else if plan.mass.mass_kg > 0.0 {
            RigidBodyBuilder::dynamic()
                .additional_mass_properties(plan.mass.properties())
                .gravity_scale(gravity_scale)
                .can_sleep(false)
        } else {
            let problem = "moves but has no mass (give it an <inertial>)";
            let link = &model.links()[plan.first_link].name;
            return Err(SimError::link(link, problem));
        };
        Ok(world.bodies.insert(body))
    };
    assembly.bodies.iter().map(insert).collect()
}

fn insert_colliders(
    world: &mut PhysicsWorld,
    owners: &mut Owners,
    assembly: &Assembly<'_>,
    bodies: &[RigidBodyHandle],
) -> Result<()> {
    let groups = link_groups(assembly)?;
    let gripper = &assembly.file.gripper;
    for (link_idx, link) in assembly.model.links().iter().enumerate() {
        let body_idx = assembly.body_of_link[link_idx];
        let (friction, rule) = if gripper.finger_links.contains(&link.name) {
            (gripper.pad_friction, CoefficientCombineRule::Max)
        } else {
            (LINK_FRICTION, CoefficientCombineRule::Average)
        };
        for collision in &link.collisions {
            let body_from_geometry =
                assembly.body_from_link[link_idx] * collision.link_from_geometry;
            let solid = collision.geometry.solid();
            let solids = solids(&solid, &body_from_geometry, Use::Queries);
            let solids = solids.map_err(|flaw| {
                let problem = format!("has a collision shape that cannot be used: {flaw}");
                SimError::link(&link.name, problem)
            })?;
            for solid in solids {
                // Mass comes from the URDF's inertials, not from the shapes.
                let collider = ColliderBuilder::new(solid.shape)
                    .position(to_parry(&solid.frame_from_solid))
                    .density(0.0)
                    .friction(friction)
                    .friction_combine_rule(rule)
                    .collision_groups(groups[body_idx]);
                let (colliders, all) = (&mut world.colliders, &mut world.bodies);
                let handle = colliders.insert_with_parent(collider, bodies[body_idx], all);
                owners.set(handle, Owner::Link(link_idx));
            }
        }
    }
    Ok(())
}

fn insert_joints(
    world: &mut PhysicsWorld,
    assembly: &Assembly<'_>,
    drives: &[Drive],
    bodies: &[RigidBodyHandle],
) -> Result<()> {
    for (body, plan) in bodies.iter().zip(&assembly.bodies) {
        let Some(joint_idx) = plan.joint_idx else {
            continue;
        };
        let joint = &assembly.model.joints()[joint_idx];
        let parent = bodies[assembly.body_of_link[joint.parent_link_idx]];
        let body_from_parent_link = assembly.body_from_link[joint.parent_link_idx];
        let motor = drives.iter().find(|d| d.joint_idx == joint_idx);
        let data = joint_data(joint, &body_from_parent_link, motor.map(|d| &d.motor));
        let joints = &mut world.multibody_joints;
        if joints.insert(parent, *body, data, true).is_none() {
            return Err(SimError::joint(&joint.name, "closes a loop"));
        }
    }
    Ok(())
}

/// The joint in the form of rapier: its free axis is x of its local frames.
fn joint_data(joint: &Joint, body_from_parent_link: &Pose, motor: Option<&Motor>) -> GenericJoint {
    let joint_from_x = axis_frame(&joint.axis);
    let body_from_joint = body_from_parent_link * joint.parent_from_joint;
    let axis = along_x(joint.kind == JointKind::Prismatic);
    let mut data = GenericJoint::new(locked_but(axis));
    data.set_local_frame1(to_parry(&(body_from_joint * joint_from_x)));
    data.set_local_frame2(to_parry(&joint_from_x));
    data.set_contacts_enabled(false);
    if joint.kind != JointKind::Continuous {
        data.set_limits(axis, [joint.limits.lower, joint.limits.upper]);
    }
    if let Some(motor) = motor {
        data.set_motor_model(axis, MotorModel::ForceBased);
        data.set_motor(axis, 0.0, 0.0, motor.kp, motor.kd);
        data.set_motor_max_force(axis, joint.limits.effort);
    }
    data
}

/// A frame at the joint whose x axis is the joint's axis.
pub(crate) fn axis_frame(axis: &Vector3<f64>) -> Pose {
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), axis).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI)
    });
    Isometry3::from_parts(Translation3::identity(), turn)
}

pub(crate) fn locked_but(axis: JointAxis) -> JointAxesMask {
    JointAxesMask::all() & !JointAxesMask::from(axis)
}

/// Free axis of a joint that slides along, or else turns about, its own x axis.
pub(crate) fn along_x(is_slide: bool) -> JointAxis {
    if is_slide {
        JointAxis::LinX
    } else {
        JointAxis::AngX
    }
}

fn layout(
    world: &mut PhysicsWorld,
    assembly: &Assembly<'_>,
    drives: &[Drive],
    bodies: &[RigidBodyHandle],
    world_from_base: &Pose,
) -> Result<RobotLayout> {
    let Assembly { model, file, .. } = assembly;
    let unknown = |joint: &str| SimError::joint(joint, "is not part of the arm's tree");
    let first = drives.first().ok_or_else(|| unknown("(none)"))?;
    let body_of = |drive: &Drive| bodies[assembly.moved_by(drive.joint_idx)];
    let link = world.multibody_joints.rigid_body_link(body_of(first));
    let link = link.ok_or_else(|| unknown(&model.joints()[first.joint_idx].name))?;
    let multibody = link.multibody;
    // Until the first forward kinematics the root counts as free, which shifts every degree of
    // freedom by six.
    if let Some(mb) = world.multibody_joints.get_multibody_mut(multibody) {
        mb.forward_kinematics(&world.bodies, true);
        mb.damping_mut().fill(0.0);
    }
    let joints = drives.iter().map(|drive| {
        let joint = &model.joints()[drive.joint_idx];
        let found = joint_layout(world, joint, drive.motor, body_of(drive));
        found.ok_or_else(|| unknown(&joint.name))
    });
    let mut joints = joints.collect::<Result<Vec<_>, _>>()?;
    let fingers = joints.split_off(file.arm_joints.len());
    let tool = model.link_idx(&file.tool_link).unwrap_or_default();
    let moving = (0..bodies.len()).filter(|&i| assembly.bodies[i].joint_idx.is_some());
    let moving: Vec<usize> = moving.collect();
    Ok(RobotLayout {
        multibody,
        moving_names: moving
            .iter()
            .map(|&i| model.links()[assembly.bodies[i].first_link].name.clone())
            .collect(),
        moving: moving.iter().map(|&i| bodies[i]).collect(),
        arm: joints,
        max_acceleration: file.max_acceleration.clone(),
        fingers,
        links: model.links().iter().map(|l| l.name.clone()).collect(),
        finger_of_link: finger_of_link(assembly),
        pads: Vec::new(),
        hand_link: model.link_idx(&file.hand_link).unwrap_or_default(),
        gripper: file.gripper.clone(),
        world_from_base: *world_from_base,
        tool_body: bodies[assembly.body_of_link[tool]],
        body_from_tool: assembly.body_from_link[tool],
    })
}

fn joint_layout(
    world: &mut PhysicsWorld,
    joint: &Joint,
    motor: Motor,
    body: RigidBodyHandle,
) -> Option<JointLayout> {
    let id = *world.multibody_joints.rigid_body_link(body)?;
    let multibody = world.multibody_joints.get_multibody_mut(id.multibody)?;
    let dof = multibody.link(id.id)?.assembly_id();
    multibody.armature_mut()[dof] = motor.armature;
    multibody.damping_mut()[dof] = motor.damping;
    Some(JointLayout {
        name: joint.name.clone(),
        link_id: id.id,
        dof,
        axis: along_x(joint.kind == JointKind::Prismatic) as usize,
        motor,
        max_effort: joint.limits.effort,
        max_speed: joint.limits.velocity,
        lower: joint.limits.lower,
        upper: joint.limits.upper,
    })
}

/// Finger of each link; `None` for links that are not in the gripper's `finger_links`.
fn finger_of_link(assembly: &Assembly<'_>) -> Vec<Option<usize>> {
    let finger_bodies = assembly.finger_bodies();
    let links = assembly.model.links().iter().zip(&assembly.body_of_link);
    let finger = |(link, body): (&Link, &usize)| {
        let is_pad = assembly.file.gripper.finger_links.contains(&link.name);
        let found = finger_bodies.iter().position(|b| b == body);
        found.filter(|_| is_pad)
    };
    links.map(finger).collect()
}

/// Sets the joint positions at once. Velocities are not changed.
pub(crate) fn place_joints<'a>(
    world: &mut PhysicsWorld,
    robot: &RobotLayout,
    positions: impl IntoIterator<Item = (&'a JointLayout, f64)>,
) {
    // Bodies compute their mass here, and the multibody its lever arms from it.
    for body in &robot.moving {
        if let Some(body) = world.bodies.get_mut(*body) {
            body.recompute_mass_properties_from_colliders(&world.colliders);
        }
    }
    let Some(multibody) = world.multibody_joints.get_multibody_mut(robot.multibody) else {
        return;
    };
    multibody.forward_kinematics(&world.bodies, true);
    let mut displacement = vec![0.0; multibody.ndofs()];
    for (joint, position) in positions {
        let now = multibody.link(joint.link_id);
        let now = now.map_or(0.0, |link| link.joint.coords()[joint.axis]);
        displacement[joint.dof] = position - now;
    }
    multibody.apply_displacements(&displacement);
    multibody.forward_kinematics(&world.bodies, false);
    multibody.update_rigid_bodies(&mut world.bodies, true);
}
