//! Turns the bodies of a model, one after the other, into rigid objects and joints.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Intrinsics, JointKind, KnownZone, ObjectId, Part, Pose, Shape, color_name};
use regrasp_mesh::FURTHEST_M;
use regrasp_scene::{Gear, MOST_TURN_RAD, SceneCamera, SceneJoint, SceneObject, Spring, Visual};

use super::rigid::{Rigid, hull_of, id_of, part};
use super::{Options, PieceSite, Pieces};
use crate::draw::{Painter, VisualSource};
use crate::geoms::UNPAINTED;
use crate::ledger::Fate;
use crate::model::Mass;
use crate::model::{
    Body, Camera, Coupling, Gearing, Geom, GeomForm, InertiaFrom, Joint, Model, Motion, Site,
};
use crate::{Result, SourceLine};

pub(super) struct Builder<'a> {
    model: &'a Model,
    options: &'a Options,
    painter: Painter,
    pub(super) pieces: Pieces,
    n_unnamed: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(model: &'a Model, options: &'a Options) -> Self {
        Self {
            model,
            options,
            painter: Painter::new(&model.world),
            pieces: Pieces::default(),
            n_unnamed: 0,
        }
    }

    /// Name in the scene of a part of the model.
    fn named(&self, name: &str) -> String {
        match &self.options.instance {
            Some(instance) => format!("{instance}_{name}"),
            None => name.to_owned(),
        }
    }

    /// Unique id of an object. If names give the same id, all but the first get a number.
    fn id_of(&self, name: &str) -> String {
        let own = self.named(&id_of(name));
        let is_new = |id: &String| self.pieces.objects.iter().all(|o| o.id.as_str() != id);
        let mut ids = std::iter::once(own.clone()).chain((2..).map(|n| format!("{own}_{n}")));
        ids.find(is_new).unwrap_or(own)
    }

    fn body_name(&mut self, body: &Body) -> String {
        body.name.clone().unwrap_or_else(|| {
            self.n_unnamed += 1;
            match self.n_unnamed {
                1 => "body".to_owned(),
                n => format!("body_{n}"),
            }
        })
    }

    /// Adds a child of the world with its descendants.
    pub(super) fn tree(
        &mut self,
        body: &Body,
        world_from_body: &Pose,
        is_world: bool,
    ) -> Result<()> {
        let name = self.body_name(body);
        let id = match &self.options.instance {
            Some(instance) => instance.clone(),
            None => self.id_of(&name),
        };
        let is_free = body.joints.iter().any(|j| j.motion == Motion::Free);
        if let (Some(first), None) = (body.jointed().next(), self.options.free) {
            // A joint to the world needs an object as its parent.
            return self.on_the_world(body, first, world_from_body, &name);
        }
        if !is_free {
            self.report_unread_joints(body);
        }
        let mut rigid = Rigid {
            is_fixed: !self.options.free.unwrap_or(is_free),
            is_world,
            ..Rigid::new(&id, &name, *world_from_body, &body.place)
        };
        let mut hanging = vec![];
        self.gather(body, &Pose::identity(), &mut rigid, &mut hanging)?;
        let parent = rigid.object.id.clone();
        self.finish(rigid, !hanging.is_empty())?;
        self.all_jointed(hanging, &parent, world_from_body)
    }

    /// Adds a body that is jointed to the world, with a small fixed mount as the joint's parent.
    fn on_the_world(
        &mut self,
        body: &Body,
        joint: &Joint,
        world_from_body: &Pose,
        name: &str,
    ) -> Result<()> {
        let anchor = world_from_body * Point3::from(joint.position);
        let world_from_mount = Pose::translation(anchor.x, anchor.y, anchor.z);
        let id = self.id_of(&format!("{name}_mount"));
        let mut rigid = Rigid::new(&id, "mount", world_from_mount, &body.place);
        rigid.parts.push(point());
        let id = rigid.object.id.clone();
        self.finish(rigid, true)?;
        let mount_from_body = world_from_mount.inverse() * world_from_body;
        self.all_jointed(vec![(body, mount_from_body)], &id, &world_from_mount)
    }

    /// Adds bodies that are jointed to an object, with their descendants.
    fn all_jointed(
        &mut self,
        bodies: Vec<(&Body, Pose)>,
        parent: &ObjectId,
        world_from_parent: &Pose,
    ) -> Result<()> {
        for (body, parent_from_body) in bodies {
            let below = Below {
                parent: parent.clone(),
                world_from_parent: *world_from_parent,
                parent_from_body,
            };
            self.jointed(body, below)?;
        }
        Ok(())
    }

    fn jointed(&mut self, body: &Body, mut below: Below) -> Result<()> {
        let joints: Vec<&Joint> = body.jointed().collect();
        let Some((joint, before)) = joints.split_last() else {
            return Ok(());
        };
        self.report_unread_joints(body);
        let name = self.body_name(body);
        let parent = &below.parent;
        let above = self.pieces.objects.iter().find(|o| o.id == *parent);
        let whole = above.and_then(|o| o.part_of.as_ref());
        let whole = whole.unwrap_or(parent).clone();
        // MuJoCo moves a body by one joint after the other, the first outermost.
        for (i, joint) in before.iter().enumerate() {
            let own = joint.name.clone();
            let own = own.unwrap_or_else(|| format!("link_{}", i + 1));
            let link = format!("{name}_{own}");
            let mut rigid = below.rigid(body, joint, [&self.id_of(&link), &link], &whole);
            rigid.parts.push(point());
            rigid.mass.kg = LINK_KG;
            below = self.hang(rigid, joint, &format!("{link}_joint"), &below)?;
        }
        let mut rigid = below.rigid(body, joint, [&self.id_of(&name), &name], &whole);
        let mut hanging = vec![];
        let object_from_body = anchor(joint).inverse();
        self.gather(body, &object_from_body, &mut rigid, &mut hanging)?;
        let below = self.hang(rigid, joint, &format!("{name}_joint"), &below)?;
        self.all_jointed(hanging, &below.parent, &below.world_from_parent)
    }

    fn hang(&mut self, rigid: Rigid, joint: &Joint, name: &str, below: &Below) -> Result<Below> {
        let (id, world_from_object) = (rigid.object.id.clone(), rigid.object.world_from_object);
        self.finish(rigid, true)?;
        let axis = below.parent_from_body.rotation * Vector3::from(joint.axis);
        let name = joint.name.as_deref().unwrap_or(name);
        self.joint(joint, name, [&below.parent, &id], axis.into());
        Ok(Below {
            parent: id,
            world_from_parent: world_from_object,
            parent_from_body: anchor(joint).inverse(),
        })
    }

    /// Adds a joint between two objects, with its axis in the frame of the first.
    fn joint(&mut self, joint: &Joint, name: &str, ends: [&ObjectId; 2], axis: [f64; 3]) {
        // Range of a joint without limits.
        let (kind, far) = match joint.motion {
            Motion::Hinge => (JointKind::Revolute, 3.1),
            _ => (JointKind::Prismatic, 10.0),
        };
        let range = joint.range.unwrap_or([-far, far]);
        if joint.range.is_none() {
            let why = "it moves up to 3.1 rad or 10 m in either direction";
            self.unsupported("joint without limits", why, &joint.place);
        }
        if joint.stiffness > 0.0 && self.options.instance.is_none() {
            let why = "a scene file has no springs: the joint stays where it is released";
            self.unsupported("spring of a joint", why, &joint.place);
        }
        let excess = match joint.motion {
            Motion::Hinge => (range[1] - range[0] - MOST_TURN_RAD).max(0.0),
            _ => 0.0,
        };
        if excess > 0.0 {
            let why = "positions a whole turn apart look the same; both ends are moved inwards";
            self.unsupported("hinge that turns more than 6.2 rad", why, &joint.place);
        }
        let range = [range[0] + 0.5 * excess, range[1] - 0.5 * excess];
        let start = joint.reference.clamp(range[0], range[1]);
        if start != joint.reference {
            let why = "it is outside of the range; the joint starts at the nearer end";
            self.unsupported("ref of a joint", why, &joint.place);
        }
        let spring = (joint.stiffness > 0.0).then(|| Spring {
            stiffness: joint.stiffness,
            rest: joint.slack_at,
            // A button counts as pressed before it reaches its end.
            press_at: 0.6 * (range[1] - range[0]).max(1e-4),
        });
        let id = ObjectId::new(self.named(&id_of(name)));
        self.pieces.joints.push(SceneJoint {
            // In the model's initial pose the joint is at this position.
            start: joint.reference,
            // It is closed or off there, or at the nearer end of its range.
            closed_at: Some(start),
            // A larger damping has no other effect.
            damping: joint.damping.min(1e8),
            friction: joint.friction,
            armature: joint.armature,
            spring,
            ..SceneJoint::new(id, ends.map(Clone::clone), kind, axis, range)
        });
    }

    /// Moves every joint whose position in the model is outside its range to the nearer end.
    pub(super) fn start_in_range(&mut self) {
        for joint in self.pieces.joints.clone() {
            let start = joint.start.clamp(joint.lower, joint.upper);
            if start != joint.start {
                self.pieces.start_at(&joint.id, start);
            }
        }
    }

    /// Adds a coupling that gears two joints of one object, and reports any other.
    pub(super) fn couple(&mut self, coupling: &Coupling, left_out: &[&Body], stays: &[&Body]) {
        let geared = coupling.gear.as_ref().and_then(|gear| self.gear(gear));
        let ledger = &mut self.pieces.ledger;
        match geared {
            Some(()) => ledger.read("gear of two joints", &coupling.place),
            None => coupling.note(left_out, stays, ledger),
        }
    }

    /// Gears the later of two joints to the earlier one; `None` if they belong to different
    /// objects, or one has a gear already.
    fn gear(&mut self, gear: &Gearing) -> Option<()> {
        let ids = gear.joints.each_ref().map(|name| self.named(&id_of(name)));
        let joints = &self.pieces.joints;
        let at = |id: &String| joints.iter().position(|joint| joint.id.as_str() == id);
        let (follower, leader) = (at(&ids[0])?, at(&ids[1])?);
        let whole = |i: usize| {
            let mut objects = self.pieces.objects.iter();
            objects.find(|o| o.id == joints[i].child)?.part_of.as_ref()
        };
        if follower == leader || whole(follower)? != whole(leader)? {
            return None;
        }
        let [own, other] = [follower, leader].map(|i| joints[i].start);
        let offset = gear.offset + own - gear.ratio * other;
        let (later, earlier, ratio, offset) = match follower > leader {
            true => (follower, leader, gear.ratio, offset),
            false => (leader, follower, 1.0 / gear.ratio, -offset / gear.ratio),
        };
        let to = joints[earlier].id.clone();
        let geared = &mut self.pieces.joints[later].geared;
        geared
            .is_none()
            .then(|| *geared = Some(Gear { to, ratio, offset }))
    }

    fn unsupported(&mut self, what: &str, why: &str, place: &SourceLine) {
        let ledger = &mut self.pieces.ledger;
        ledger.note(Fate::Unsupported, what, why, place);
    }

    /// Collects a body and all bodies fixed to it; adds its jointed children to `hanging`.
    fn gather<'b>(
        &mut self,
        body: &'b Body,
        object_from_body: &Pose,
        rigid: &mut Rigid,
        hanging: &mut Vec<(&'b Body, Pose)>,
    ) -> Result<()> {
        // A fixed body needs no mass, and computing that of a mesh takes a sum over its triangles.
        if !rigid.is_fixed {
            let own = self.mass_of(body).seen_from(object_from_body);
            rigid.mass = rigid.mass.and(&own);
        }
        for geom in &body.geoms {
            let object_from_geom = object_from_body * geom.body_from_geom;
            if geom.is_solid() {
                rigid.object.friction = rigid.object.friction.max(geom.friction);
                rigid.parts.push(part(geom, &object_from_geom)?);
                if !rigid.is_fixed {
                    let mass = Mass::of_geom(geom).seen_from(object_from_body);
                    rigid.solid_mass = rigid.solid_mass.and(&mass);
                }
            }
            let visual = self
                .painter
                .visual(geom, &object_from_geom, &mut self.pieces.ledger);
            match visual {
                // A visual of the world itself belongs to no object.
                Some((visual, source)) if rigid.is_world && !geom.is_solid() => {
                    self.scenery(&rigid.object.world_from_object, visual, source);
                }
                Some((visual, source)) => {
                    rigid.object.visuals.push(visual);
                    rigid.sources.push(source);
                }
                None => {}
            }
        }
        for site in &body.sites {
            self.site(site, &(object_from_body * site.body_from_site), rigid);
        }
        for camera in &body.cameras {
            self.camera(camera, object_from_body, rigid);
        }
        for inner in &body.bodies {
            let object_from_inner = object_from_body * inner.parent_from_body;
            if inner.jointed().next().is_some() {
                hanging.push((inner, object_from_inner));
            } else {
                self.report_unread_joints(inner);
                self.gather(inner, &object_from_inner, rigid, hanging)?;
            }
        }
        Ok(())
    }

    fn scenery(&mut self, world_from_object: &Pose, mut visual: Visual, source: VisualSource) {
        visual.frame_from_visual = world_from_object * visual.frame_from_visual;
        self.pieces.scenery.push(visual);
        self.pieces.sources.scenery.push(source);
    }

    /// Reports the joints of a body that are neither hinge nor slide.
    fn report_unread_joints(&mut self, body: &Body) {
        for joint in body.joints.iter().filter(|joint| !joint.is_kept()) {
            let why = "the joint is left out; only slide and hinge joints are read here";
            self.unsupported("ball joint, or free joint inside a body", why, &joint.place);
        }
    }

    fn mass_of(&self, body: &Body) -> Mass {
        let groups = self.options.inertia_groups;
        let groups = groups.unwrap_or(self.model.inertia_groups);
        match (&body.inertial, self.model.inertia_from) {
            (Some(own), InertiaFrom::Auto | InertiaFrom::Inertial) => *own,
            (None, InertiaFrom::Inertial) => Mass::default(),
            _ => {
                let counts = |geom: &&Geom| (groups[0]..=groups[1]).contains(&geom.group);
                let geoms = body.geoms.iter().filter(counts);
                let sum = geoms.fold(Mass::default(), |sum, geom| sum.and(&Mass::of_geom(geom)));
                // Massless geoms do not replace the <inertial>.
                match &body.inertial {
                    Some(own) if sum.kg <= 0.0 => *own,
                    _ => sum,
                }
            }
        }
    }

    fn camera(&mut self, camera: &Camera, object_from_body: &Pose, rigid: &Rigid) {
        if !rigid.is_fixed {
            let why = "cameras are fixed in World or on the robot";
            self.unsupported("camera on a moving body", why, &camera.place);
            return;
        }
        let unnamed = || format!("camera_{}", self.pieces.cameras.len() + 1);
        let name = camera.name.clone().unwrap_or_else(unnamed);
        let size = camera.size.filter(|n| n.iter().all(|n| *n >= 16));
        let [width, height] = size.unwrap_or([640, 480]);
        let name = id_of(&self.named(&name));
        self.pieces.cameras.push(SceneCamera {
            name,
            link: None,
            parent_from_camera: rigid.object.world_from_object
                * object_from_body
                * camera.body_from_camera,
            intrinsics: Intrinsics::from_vertical_fov(width, height, camera.fov_rad),
        });
    }

    fn site(&mut self, site: &Site, object_from_site: &Pose, rigid: &mut Rigid) {
        let Some(name) = &site.name else {
            return;
        };
        self.pieces.sites.push(PieceSite {
            name: name.clone(),
            object: rigid.object.id.clone(),
            object_from_site: *object_from_site,
            size: site.size,
        });
        let half = match &site.form {
            GeomForm::Solid(Shape::Sphere { .. }) => {
                let (what, why) = ("spherical site", "it marks a point");
                (self.pieces.ledger).note(Fate::Ignored, what, why, &site.place);
                return;
            }
            GeomForm::Solid(shape) => shape.aabb(&Pose::identity()).max,
            _ => site.size,
        };
        rigid.object.zones.push(KnownZone {
            name: id_of(name),
            position: object_from_site.translation.vector.into(),
            half_extents: half,
            quat_xyzw: object_from_site.rotation.coords.into(),
        });
    }

    /// Adds an object of the collected parts. A fixed part without collision geoms becomes scenery,
    /// unless a joint needs it.
    fn finish(&mut self, mut rigid: Rigid, is_needed: bool) -> Result<()> {
        let mut parts = std::mem::take(&mut rigid.parts);
        if parts.is_empty() && rigid.is_fixed && !is_needed {
            let world_from_object = rigid.object.world_from_object;
            for (visual, source) in rigid.object.visuals.into_iter().zip(rigid.sources) {
                self.scenery(&world_from_object, visual, source);
            }
            return Ok(());
        }
        let is_mark = parts.is_empty() && !rigid.object.visuals.is_empty();
        if is_mark && !rigid.is_fixed && !is_needed && self.options.instance.is_none() {
            let what = format!("body `{}` without a solid geom", rigid.name);
            let why = "it is left out: it only marks a place and touches nothing";
            self.unsupported(&what, why, &rigid.place);
            return Ok(());
        }
        if parts.is_empty() {
            parts = hull_of(&rigid.object.visuals).into_iter().collect();
            let what = format!("body `{}` without a solid geom", rigid.name);
            let why = "its collision shape is the convex hull of its visual geoms";
            self.unsupported(&what, why, &rigid.place);
        }
        if parts.is_empty() {
            let name = &rigid.name;
            let message = format!(
                "the body `{name}` moves or has moving children, but has no geom that can be read; \
                 give it one of `type` sphere, capsule, ellipsoid, cylinder, box or mesh"
            );
            return Err(rigid.place.error(message));
        }
        if !rigid.is_fixed && rigid.mass.kg <= 0.0 && rigid.solid_mass.kg > 0.0 {
            let what = format!("body `{}` without a mass", rigid.name);
            let why =
                "neither <inertial> nor a geom in `inertiagrouprange` gives it: its solid geoms do";
            self.unsupported(&what, why, &rigid.place);
            rigid.mass = rigid.solid_mass;
        }
        if !rigid.is_fixed && rigid.mass.kg <= 0.0 {
            let message = format!(
                "the body `{}` moves, but it has no mass: give its geoms a density or a mass (a \
                 plane has none), or the body an <inertial>",
                rigid.name
            );
            return Err(rigid.place.error(message));
        }
        let shape = match parts.as_slice() {
            [one] if one.object_from_part == Pose::identity() => one.shape.clone(),
            _ => Shape::Compound { parts },
        };
        let longest_m = shape.aabb(&Pose::identity()).size().max();
        if !rigid.is_fixed && longest_m > FURTHEST_M {
            return Err(rigid.place.error(format!(
                "the body `{}` moves and is {longest_m:.1} m long; lengths are in metres: are these \
                 millimetres? `scale` in <mesh> converts meshes",
                rigid.name
            )));
        }
        let visuals = &rigid.object.visuals;
        let first = visuals.first();
        let color = rigid.object.color.or_else(|| common_color(visuals));
        self.pieces.sources.objects.push(rigid.sources);
        self.pieces.objects.push(SceneObject {
            rgba: first.map_or(UNPAINTED, |visual| visual.rgba),
            color,
            shape,
            mass_kg: (!rigid.is_fixed).then_some(rigid.mass.kg),
            inertial: rigid.mass.inertia().filter(|_| !rigid.is_fixed),
            ..rigid.object
        });
        Ok(())
    }
}

/// Mass of a link between two joints of a body, kg: MuJoCo has no such link.
const LINK_KG: f64 = 1e-6;

/// Returns the name of the colour that all visible geoms have, if they have one of their own.
fn common_color(visuals: &[Visual]) -> Option<String> {
    let names = visuals.iter().map(|visual| {
        let [r, g, b, _] = visual.rgba;
        let is_default = visual.rgba.map(f32::to_bits) == UNPAINTED.map(f32::to_bits);
        let is_painted = visual.texture.is_none() && !is_default;
        is_painted.then(|| color_name([r, g, b]))
    });
    names
        .reduce(|a, b| a.filter(|a| b == Some(*a)))?
        .map(str::to_owned)
}

/// A small ball, for an object without geoms of its own.
fn point() -> Part {
    Part::new(Pose::identity(), Shape::Sphere { radius: 1e-3 })
}

/// Frame of an object that moves on a joint: at the joint, with the body's orientation.
fn anchor(joint: &Joint) -> Pose {
    let [x, y, z] = joint.position;
    Pose::translation(x, y, z)
}

/// Parent of a body, and the body's pose relative to it.
struct Below {
    parent: ObjectId,
    world_from_parent: Pose,
    parent_from_body: Pose,
}

impl Below {
    /// Makes an empty link that moves on a joint of the body.
    fn rigid(&self, body: &Body, joint: &Joint, [id, name]: [&str; 2], whole: &ObjectId) -> Rigid {
        let parent_from_object = self.parent_from_body * anchor(joint);
        let world_from_object = self.world_from_parent * parent_from_object;
        let mut rigid = Rigid::new(id, name, world_from_object, &body.place);
        rigid.object.part_of = Some(whole.clone());
        rigid.is_fixed = false;
        rigid
    }
}
