//! Construction of the scene's objects and the joints between them.

use nalgebra::Vector3;
use rapier3d_f64::prelude::{
    ActiveHooks, ColliderBuilder, GenericJoint, JointAxis, MotorModel, MultibodyDofCoupling,
    MultibodyJointHandle, PhysicsWorld, RigidBodyBuilder,
};
use regrasp_api::{JointKind, ObjectId, Pose};
use regrasp_geometry_parry::{Use, solids, to_parry};
use regrasp_mesh::MeshBody;
use regrasp_scene::{Inertial, Scene, SceneJoint, SceneObject, Spring};

use crate::assembly::mass_properties;
use crate::bearing_points;
use crate::build_robot::{along_x, axis_frame, locked_but};
use crate::layout::{ObjectLayout, Owner, Owners, SceneJointLayout};
use crate::self_contact::world_groups;
use crate::soft_contact::is_round;
use crate::{Result, SimError};

pub(crate) fn build_objects(
    world: &mut PhysicsWorld,
    owners: &mut Owners,
    scene: &Scene,
) -> Result<(Vec<ObjectLayout>, Vec<SceneJointLayout>)> {
    let mut objects: Vec<ObjectLayout> = Vec::with_capacity(scene.objects.len());
    for (object_idx, object) in scene.objects.iter().enumerate() {
        if objects.iter().any(|other| other.scene.id == object.id) {
            return Err(bad(object, "its id is used twice"));
        }
        objects.push(build_object(world, owners, object_idx, object)?);
    }
    for joint in parents_first(&scene.joints) {
        insert_joint(world, &mut objects, joint)?;
    }
    settle_joint_frames(world);
    let joints = joint_layouts(scene, &objects);
    for joint in &joints {
        damp(world, joint);
        gear(world, &joints, joint)?;
    }
    keep_parts_apart(world, scene, &objects);
    Ok((objects, joints))
}

fn bad(object: &SceneObject, problem: impl std::fmt::Display) -> SimError {
    SimError(format!("build object `{}`: {problem}", object.id))
}

fn build_object(
    world: &mut PhysicsWorld,
    owners: &mut Owners,
    object_idx: usize,
    object: &SceneObject,
) -> Result<ObjectLayout> {
    let pieces = solids(&object.shape, &Pose::identity(), Use::Contacts)
        .map_err(|flaw| bad(object, flaw.to_string()))?;
    if !(object.friction.is_finite() && object.friction >= 0.0) {
        return Err(bad(object, "its friction must be finite and not negative"));
    }
    let volumes = pieces.iter().map(|p| p.shape.mass_properties(1.0).mass());
    let volume: f64 = volumes.sum();
    let (builder, density) = match (object.mass_kg, &object.mesh) {
        (None, _) => (RigidBodyBuilder::fixed(), 0.0),
        (Some(_), _) if object.shape.is_surrounding() => {
            return Err(bad(object, "a height field or a point cloud cannot move"));
        }
        (Some(mass), mesh) if mass.is_finite() && mass > 0.0 => {
            let builder = RigidBodyBuilder::dynamic().can_sleep(false);
            let own = object.inertial;
            let spread = own.or_else(|| mesh.as_ref().map(|m| of_mesh(m, mass)));
            match spread {
                None => (builder, mass / volume),
                // The given mass distribution is more accurate than the convex parts.
                Some(spread) => {
                    if spread.is_flawed() {
                        let problem = "its inertia must be symmetric and positive definite";
                        return Err(bad(object, problem));
                    }
                    // The matrix is symmetric, so rows and columns are the same.
                    let inertia = spread.inertia.map(Vector3::from);
                    let properties = mass_properties(&spread.mass_center.into(), mass, inertia);
                    (builder.additional_mass_properties(properties), 0.0)
                }
            }
        }
        (Some(mass), _) => {
            let problem = format!("its mass is {mass} kg; expected a positive mass");
            return Err(bad(object, problem));
        }
    };
    let builder = builder.pose(to_parry(&object.world_from_object));
    let body = world.bodies.insert(builder);
    let is_flat = object.is_movable() && !is_round(&object.shape);
    let hooks = match is_flat {
        true => bearing_points::HOOKS,
        false => ActiveHooks::empty(),
    };
    for piece in pieces {
        let properties = piece.shape.mass_properties(density);
        let collider = ColliderBuilder::new(bearing_points::with_wide_faces(piece.shape))
            .position(to_parry(&piece.frame_from_solid))
            .mass_properties(properties)
            .friction(object.friction)
            .active_hooks(hooks)
            .collision_groups(world_groups());
        let (colliders, bodies) = (&mut world.colliders, &mut world.bodies);
        let handle = colliders.insert_with_parent(collider, body, bodies);
        owners.set(handle, Owner::Object(object_idx));
    }
    Ok(ObjectLayout {
        scene: object.clone(),
        body,
        jointed: false,
    })
}

fn of_mesh(mesh: &MeshBody, mass_kg: f64) -> Inertial {
    Inertial {
        mass_center: mesh.mass_center,
        inertia: mesh.inertia_per_kg.map(|row| row.map(|x| mass_kg * x)),
    }
}

/// Orders joints so that a parent is connected before its children.
fn parents_first(joints: &[SceneJoint]) -> Vec<&SceneJoint> {
    let mut left: Vec<&SceneJoint> = joints.iter().collect();
    let mut ordered = Vec::with_capacity(joints.len());
    while !left.is_empty() {
        let is_child = |joint: &&SceneJoint, all: &[&SceneJoint]| {
            all.iter().any(|other| other.child == joint.parent)
        };
        let next = left.iter().position(|joint| !is_child(joint, &left));
        // In a cycle no joint comes first; inserting the joint then fails with an error that names
        // it.
        ordered.push(left.remove(next.unwrap_or(0)));
    }
    ordered
}

fn insert_joint(
    world: &mut PhysicsWorld,
    objects: &mut [ObjectLayout],
    joint: &SceneJoint,
) -> Result<()> {
    let bad = |problem: String| SimError(format!("build scene joint `{}`: {problem}", joint.id));
    let find = |id: &ObjectId| {
        let found = objects.iter().position(|o| &o.scene.id == id);
        found.ok_or_else(|| bad(format!("there is no object `{id}`")))
    };
    let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
    if !objects[child].scene.is_movable() {
        return Err(bad(format!("`{}` is fixed and cannot move", joint.child)));
    }
    if let Some(flaw) = joint.flaw() {
        return Err(bad(flaw));
    }
    let springy = |s: &Spring| {
        s.stiffness.is_finite() && s.stiffness > 0.0 && s.rest.is_finite() && s.press_at > 0.0
    };
    if joint.spring.as_ref().is_some_and(|s| !springy(s)) {
        return Err(bad(
            "its spring needs a positive `stiffness` and `press_at`, and a finite `rest`"
                .to_owned(),
        ));
    }
    let data = joint_data(joint, &objects[parent].scene, &objects[child].scene)
        .ok_or_else(|| bad("its axis has no direction".to_owned()))?;
    let ends = [parent, child].map(|idx| objects[idx].body);
    let inserted = world.multibody_joints.insert(ends[0], ends[1], data, true);
    if inserted.is_none() {
        let child = &joint.child;
        return Err(bad(format!("`{child}` is already held by another joint")));
    }
    objects[child].jointed = true;
    Ok(())
}

fn joint_data(
    joint: &SceneJoint,
    parent: &SceneObject,
    child: &SceneObject,
) -> Option<GenericJoint> {
    let axis_in_parent =
        nalgebra::Unit::try_new(Vector3::from(joint.axis_in_parent), f64::MIN_POSITIVE)?;
    let parent_from_child = parent.world_from_object.inverse() * child.world_from_object;
    let mut parent_from_x = axis_frame(&axis_in_parent);
    parent_from_x.translation = match joint.point_in_parent {
        Some(point) => point.into(),
        None => parent_from_child.translation,
    };
    let axis = free_axis(joint.kind);
    let mut data = GenericJoint::new(locked_but(axis));
    data.set_local_frame1(to_parry(&parent_from_x));
    data.set_local_frame2(to_parry(&(parent_from_child.inverse() * parent_from_x)));
    // A drawer touches its cabinet all around; by default only the friction of the joint acts.
    data.set_contacts_enabled(joint.collides);
    // rapier measures joint positions from the initial pose.
    data.set_limits(axis, [joint.lower - joint.start, joint.upper - joint.start]);
    if let Some(spring) = &joint.spring {
        tension(&mut data, axis, spring, joint.start);
    }
    Some(data)
}

/// Adds a spring along or about an axis of a joint that was built at position `start`.
pub(crate) fn tension(data: &mut GenericJoint, axis: JointAxis, spring: &Spring, start: f64) {
    data.set_motor_model(axis, MotorModel::ForceBased);
    data.set_motor_position(axis, spring.rest - start, spring.stiffness, 0.0);
}

/// Disables collisions between the parts of one object, unless one of its joints enables them.
fn keep_parts_apart(world: &mut PhysicsWorld, scene: &Scene, objects: &[ObjectLayout]) {
    let collide = |whole: &ObjectId| {
        let is_part = |o: &&ObjectLayout| o.scene.part_of.as_ref() == Some(whole);
        let mut parts = objects.iter().filter(is_part);
        parts.any(|part| {
            let mut joints = scene.joints.iter();
            joints.any(|j| j.child == part.scene.id && j.collides)
        })
    };
    for part in objects {
        let Some(whole) = &part.scene.part_of else {
            continue;
        };
        let link = world.multibody_joints.rigid_body_link(part.body).copied();
        if !collide(whole)
            && let Some(link) = link
            && let Some(multibody) = world.multibody_joints.get_multibody_mut(link.multibody)
        {
            multibody.set_self_contacts_enabled(false);
        }
    }
}

fn joint_layouts(scene: &Scene, objects: &[ObjectLayout]) -> Vec<SceneJointLayout> {
    let layout = |joint: &SceneJoint| {
        let find = |id| objects.iter().find(|o| &o.scene.id == id);
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        let world_from_parent = &parent.scene.world_from_object;
        Some(SceneJointLayout {
            id: joint.id.clone(),
            child: child.body,
            parent: parent.body,
            scene: joint.clone(),
            parent_from_child_at_start: world_from_parent.inverse() * child.scene.world_from_object,
            axis: free_axis(joint.kind),
        })
    };
    scene.joints.iter().filter_map(layout).collect()
}

fn free_axis(kind: JointKind) -> JointAxis {
    along_x(kind == JointKind::Prismatic)
}

/// Makes every multibody check if its root is fixed, which determines the numbering of its degrees
/// of freedom.
fn settle_joint_frames(world: &mut PhysicsWorld) {
    let bodies: Vec<_> = world.bodies.iter().map(|(handle, _)| handle).collect();
    for body in bodies {
        if let Some(body) = world.bodies.get_mut(body) {
            body.recompute_mass_properties_from_colliders(&world.colliders);
        }
        if let Some(id) = world.multibody_joints.rigid_body_link(body).copied()
            && let Some(multibody) = world.multibody_joints.get_multibody_mut(id.multibody)
        {
            multibody.forward_kinematics(&world.bodies, true);
            // rapier damps hinges by default; here the scene states the damping.
            multibody.damping_mut().fill(0.0);
        }
    }
}

/// Couples a joint to another joint of the same multibody; rapier measures their positions from the
/// start.
fn gear(
    world: &mut PhysicsWorld,
    all: &[SceneJointLayout],
    joint: &SceneJointLayout,
) -> Result<()> {
    let Some(gear) = &joint.scene.geared else {
        return Ok(());
    };
    let joints = &mut world.multibody_joints;
    let other = all.iter().find(|other| other.id == gear.to);
    let link = |joint: &SceneJointLayout| joints.rigid_body_link(joint.child).copied();
    let links = other.and_then(|other| Some((other, link(other)?, link(joint)?)));
    let Some((other, first, second)) = links.filter(|(_, a, b)| a.multibody == b.multibody) else {
        let (id, to) = (&joint.id, &gear.to);
        let problem = format!("build scene joint `{id}`: `{to}` is not a joint of the same object");
        return Err(SimError(problem));
    };
    if let Some(multibody) = joints.get_multibody_mut(second.multibody) {
        multibody.add_dof_coupling(MultibodyDofCoupling {
            link1: first.id,
            dof1: 0,
            axis1: other.axis as usize,
            link2: second.id,
            dof2: 0,
            axis2: joint.axis as usize,
            coeff: gear.ratio,
            offset: gear.offset + gear.ratio * other.scene.start - joint.scene.start,
        });
    }
    Ok(())
}

fn damp(world: &mut PhysicsWorld, joint: &SceneJointLayout) {
    let of_child = MultibodyJointHandle(joint.child.0);
    let found = world.multibody_joints.get_mut(of_child);
    if let Some((multibody, link_id)) = found
        && let Some(dof) = multibody.link(link_id).map(|link| link.assembly_id())
    {
        multibody.damping_mut()[dof] = joint.scene.damping;
        multibody.frictions_mut()[dof] = joint.scene.friction;
        multibody.armature_mut()[dof] = joint.scene.armature;
    }
}
