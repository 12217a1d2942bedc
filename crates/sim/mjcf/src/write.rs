//! Writes a scene file, which refers to the model's own meshes and images.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use nalgebra::{Point3, Vector3};
use regrasp_api::{JointKind, KnownZone, ObjectId, Part, Pose, Shape};
use regrasp_mesh::{Mapping, Surface};
use regrasp_scene::{Inertial, SceneJoint, SceneObject, Visual};

use crate::draw::{PLANE_M, VisualSource};
use crate::model::GeomForm;
use crate::pieces::Pieces;

/// A scene file with the files that it needs beside it.
#[derive(Clone, Debug)]
pub struct Written {
    /// Text of the scene file.
    pub text: String,
    /// Images (PNG) and meshes (OBJ) that exist in no file of the model: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Writes a scene file called `name` for `folder`; its paths are relative to that folder.
pub fn write(pieces: &Pieces, name: &str, folder: &Path) -> Written {
    let mut writer = Writer {
        folder: absolute(folder),
        name: name.to_owned(),
        text: String::new(),
        files: vec![],
    };
    writer.scene(pieces);
    Written {
        text: writer.text,
        files: writer.files,
    }
}

struct Writer {
    folder: PathBuf,
    name: String,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * depth);
    }

    fn pose(&mut self, depth: usize, pose: &Pose) {
        let position = numbers(pose.translation.vector.as_slice());
        self.line(depth, &format!("position: {position}"));
        let turn = numbers(pose.rotation.coords.as_slice());
        self.line(depth, &format!("quat_xyzw: {turn}"));
    }

    fn scene(&mut self, pieces: &Pieces) {
        let name = word(&self.name);
        self.line(0, &format!("name: {name}"));
        self.line(0, "# The arm stands at the origin; set its pose.");
        self.line(0, "arm: {position: [0, 0, 0]}");
        if !pieces.not_kept.is_empty() {
            self.line(0, "not_kept:");
        }
        for line in &pieces.not_kept {
            self.line(1, &format!("- {}", quoted(line)));
        }
        self.line(0, "objects:");
        let visuals = pieces.objects.iter().zip(&pieces.sources.objects);
        for (object, sources) in visuals.clone() {
            if object.part_of.is_some() {
                continue;
            }
            let parts = visuals.clone();
            let parts = parts.filter(|(o, _)| o.part_of.as_ref() == Some(&object.id));
            let parts: Vec<_> = parts.collect();
            self.object(pieces, object, sources, &parts);
        }
        if !pieces.scenery.is_empty() {
            self.line(0, "scenery:");
            for (visual, source) in pieces.scenery.iter().zip(&pieces.sources.scenery) {
                self.visual(1, visual, source);
            }
        }
        if !pieces.cameras.is_empty() {
            self.line(0, "cameras:");
        }
        for camera in &pieces.cameras {
            let (i, name) = (&camera.intrinsics, word(&camera.name));
            let fov_rad = 2.0 * (0.5 * f64::from(i.height) / i.fy).atan();
            let fov = number(fov_rad.to_degrees().clamp(5.0, 150.0));
            let (pose, size) = (pose(&camera.parent_from_camera), [i.width, i.height]);
            let text = format!("- {{name: {name}, {pose}, fov_deg: {fov}, size: {size:?}}}");
            self.line(1, &text);
        }
    }

    fn object(
        &mut self,
        pieces: &Pieces,
        object: &SceneObject,
        sources: &[VisualSource],
        bodies: &[(&SceneObject, &Vec<VisualSource>)],
    ) {
        let kind = if bodies.is_empty() {
            "compound"
        } else {
            "articulated"
        };
        self.line(1, &format!("- id: {}", word(object.id.as_str())));
        self.line(2, &format!("kind: {kind}"));
        self.pose(2, &object.world_from_object);
        self.body(2, object, sources);
        if !bodies.is_empty() {
            self.line(2, "bodies:");
        }
        for (body, sources) in bodies {
            let Some(joint) = pieces.joints.iter().find(|j| j.child == body.id) else {
                continue;
            };
            self.line(3, &format!("{}:", body_name(object, &body.id)));
            if joint.parent != object.id {
                self.line(4, &format!("on: {}", body_name(object, &joint.parent)));
            }
            self.joint(pieces, [object, body], joint);
            self.body(4, body, sources);
        }
    }

    /// Writes a joint, and the pose of its child at position 0.
    fn joint(&mut self, pieces: &Pieces, [whole, body]: [&SceneObject; 2], joint: &SceneJoint) {
        let parent = pieces.objects.iter().find(|o| o.id == joint.parent);
        let world_from_parent = parent.map_or_else(Pose::identity, |o| o.world_from_object);
        let parent_from_body = world_from_parent.inverse() * body.world_from_object;
        let mut joint = joint.clone();
        let center = parent_from_body.translation.vector.into();
        let point = Point3::from(*joint.point_in_parent.get_or_insert(center));
        let parent_from_zero = joint.motion(joint.start).inverse() * parent_from_body;
        let axis = parent_from_zero.rotation.inverse() * Vector3::from(joint.axis_in_parent);
        let point = parent_from_zero.inverse() * point;
        let kind = match joint.kind {
            JointKind::Revolute => "hinge",
            JointKind::Prismatic => "slide",
        };
        self.pose(4, &parent_from_zero);
        let mut text = format!(
            "joint: {{kind: {kind}, axis: {}, point: {}, range: {}, start: {}",
            numbers(axis.as_slice()),
            numbers(point.coords.as_slice()),
            numbers(&[joint.lower, joint.upper]),
            number(joint.start),
        );
        let optional = [
            ("closed_at", joint.closed_at),
            ("damping", Some(joint.damping).filter(|x| *x > 0.0)),
            ("friction", Some(joint.friction).filter(|x| *x > 0.0)),
            ("armature", Some(joint.armature).filter(|x| *x > 0.0)),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                let _ = write!(text, ", {key}: {}", number(value));
            }
        }
        if let Some(gear) = &joint.geared
            && let Some(other) = pieces.joints.iter().find(|other| other.id == gear.to)
        {
            let to = body_name(whole, &other.child);
            let [ratio, offset] = [gear.ratio, gear.offset].map(number);
            let gear = format!("{{to: {to}, ratio: {ratio}, offset: {offset}}}");
            let _ = write!(text, ", geared: {gear}");
        }
        self.line(4, &format!("{text}}}"));
    }

    fn body(&mut self, depth: usize, object: &SceneObject, sources: &[VisualSource]) {
        self.line(depth, &format!("category: {}", word(&object.category)));
        if let Some(color) = &object.color {
            self.line(depth, &format!("color: {color}"));
        }
        self.line(depth, &format!("rgba: {}", colour(object.rgba)));
        self.line(depth, &format!("friction: {}", number(object.friction)));
        match (object.mass_kg, &object.inertial) {
            (None, _) if object.part_of.is_none() => self.line(depth, "fixed: true"),
            (mass, inertial) => {
                // Unrounded, since parts of an insect weigh less than a microgram.
                let mass_kg = mass.unwrap_or_default();
                self.line(depth, &format!("mass_kg: {mass_kg}"));
                if let Some(inertial) = inertial {
                    self.inertial(depth, inertial);
                }
            }
        }
        let is_written = |(i, zone): &(usize, &KnownZone)| {
            let first = object.zones.iter().position(|z| z.name == zone.name);
            first == Some(*i) && zone.half_extents.iter().all(|h| *h > 0.0)
        };
        let zones = object.zones.iter().enumerate().filter(is_written);
        let zones: Vec<_> = zones.collect();
        if !zones.is_empty() {
            self.line(depth, "zones:");
        }
        for (_, zone) in zones {
            let [at, half] = [&zone.position, &zone.half_extents].map(|list| numbers(list));
            let turn = numbers(&zone.quat_xyzw);
            let keys = format!("position: {at}, half_extents: {half}, quat_xyzw: {turn}");
            self.line(depth + 1, &format!("{}: {{{keys}}}", zone.name));
        }
        self.line(depth, "parts:");
        match &object.shape {
            Shape::Compound { parts } => parts.iter().for_each(|p| self.part(depth + 1, p)),
            shape => {
                let part = Part::new(Pose::identity(), shape.clone());
                self.part(depth + 1, &part);
            }
        }
        if !object.visuals.is_empty() {
            self.line(depth, "visuals:");
        }
        for (visual, source) in object.visuals.iter().zip(sources) {
            self.visual(depth + 1, visual, source);
        }
    }

    fn inertial(&mut self, depth: usize, inertial: &Inertial) {
        let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = inertial.inertia;
        let center = numbers(&inertial.mass_center);
        self.line(depth, &format!("mass_center: {center}"));
        // Ten significant digits of the largest moment: moments of small objects are tiny.
        let largest = xx.max(yy).max(zz);
        let decimals = (10.0 - largest.log10().floor()).clamp(0.0, 40.0) as usize;
        let moments = [xx, yy, zz, xy, xz, yz].map(|moment| {
            let rounded = format!("{moment:.decimals$}").parse().unwrap_or(moment);
            format!("{}", rounded + 0.0)
        });
        self.line(depth, &format!("inertia: [{}]", moments.join(", ")));
    }

    fn part(&mut self, depth: usize, part: &Part) {
        if let Some(own) = solid(&part.shape) {
            let text = format!("- {{{own}, {}}}", pose(&part.object_from_part));
            self.line(depth, &text);
        }
    }

    fn visual(&mut self, depth: usize, visual: &Visual, source: &VisualSource) {
        let own = match &source.form {
            GeomForm::Mesh(mesh) => match &mesh.file {
                Some(file) => {
                    let file = self.relative(file);
                    format!("file: {file}, scale: {}", numbers(&mesh.scale))
                }
                None => {
                    let text = obj(&mesh.surface).into_bytes();
                    format!("file: {}", self.beside(&mesh.name, "obj", text))
                }
            },
            GeomForm::Plane { half } => {
                let size = half.map(|h| 2.0 * if h > 0.0 { h.min(PLANE_M) } else { PLANE_M });
                format!("kind: plane, size: {}", numbers(&size))
            }
            GeomForm::Solid(shape) => solid(shape).unwrap_or_default(),
            GeomForm::Ellipsoid { radii } => format!("kind: sphere, radii: {}", numbers(radii)),
        };
        let (pose, rgba) = (pose(&visual.frame_from_visual), colour(visual.rgba));
        let gloss = number(f64::from(visual.gloss));
        let mut text = format!("- {{{own}, {pose}, rgba: {rgba}, gloss: {gloss}");
        if let Some((mapping, texture)) = &source.texture {
            let file = match &texture.file {
                Some(file) => self.relative(file),
                None => self.beside(&texture.name, "png", texture.image.png().to_vec()),
            };
            let how = match mapping {
                Mapping::Coordinates => "coordinates".to_owned(),
                Mapping::Planar { repeat, per_metre } => {
                    let repeat = numbers(repeat);
                    format!("planar, repeat: {repeat}, per_metre: {per_metre}")
                }
                Mapping::Cube { stretched } => format!("cube, stretched: {stretched}"),
            };
            let _ = write!(text, ", texture: {file}, mapping: {how}");
        }
        self.line(depth, &format!("{text}}}"));
    }

    /// Adds an image or mesh that has no file of its own.
    fn beside(&mut self, name: &str, ending: &str, bytes: Vec<u8>) -> String {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let word: String = name.chars().filter(|c| is_word(*c)).collect();
        let name = format!("{}_{word}.{ending}", self.name);
        if !self.files.iter().any(|(known, _)| *known == name) {
            self.files.push((name.clone(), bytes));
        }
        quoted(&name)
    }

    /// Returns a path relative to the scene file's folder.
    fn relative(&self, file: &Path) -> String {
        let file = absolute(file);
        let common = self.folder.components().zip(file.components());
        let n_common = common.take_while(|(a, b)| a == b).count();
        // A file on another drive has no relative path.
        if n_common == 0 {
            return quoted(&file.to_string_lossy());
        }
        let up = self.folder.components().skip(n_common);
        let up = up.map(|_| Component::ParentDir);
        let path: PathBuf = up.chain(file.components().skip(n_common)).collect();
        quoted(&path.to_string_lossy().replace('\\', "/"))
    }
}

/// Returns the keys of a solid; `None` for shapes that no model has.
fn solid(shape: &Shape) -> Option<String> {
    let round = |kind: &str, radius: f64, half: f64| {
        let [radius, height] = [radius, 2.0 * half].map(number);
        format!("kind: {kind}, radius: {radius}, height: {height}")
    };
    Some(match shape {
        Shape::Box { half_extents } => {
            format!("kind: box, half_extents: {}", numbers(half_extents))
        }
        Shape::Sphere { radius } => format!("kind: sphere, radius: {}", number(*radius)),
        Shape::Cylinder(rod) => round("cylinder", rod.radius, rod.half_height),
        Shape::Capsule(rod) => round("capsule", rod.radius, rod.half_height + rod.radius),
        Shape::Convex { points } => {
            let points: Vec<String> = points.iter().map(|p| numbers(p)).collect();
            format!("kind: convex, points: [{}]", points.join(", "))
        }
        Shape::Compound { .. } | Shape::HeightField(_) | Shape::PointCloud { .. } => return None,
    })
}

fn obj(surface: &Surface) -> String {
    let mut text = String::new();
    for [x, y, z] in &surface.positions {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for [u, v] in &surface.texcoords {
        let _ = writeln!(text, "vt {u} {}", 1.0 - v);
    }
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|i| match surface.texcoords.is_empty() {
            true => format!("{}", i + 1),
            false => format!("{0}/{0}", i + 1),
        });
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text
}

/// Resolves links if the path exists.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Name of a body without the prefix that is the id of its object.
fn body_name(whole: &SceneObject, id: &ObjectId) -> String {
    let prefix = format!("{}_", whole.id);
    let name = id.as_str().strip_prefix(&prefix);
    name.unwrap_or(id.as_str()).replace('-', "_")
}

/// Quotes a text for YAML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Quotes a word if YAML could read it as something else.
fn word(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    match is_plain {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// Rounds to 1e-9 (a millionth of a millimetre), and turns -0 into 0.
fn number(x: f64) -> String {
    let rounded = (x * 1e9).round() / 1e9 + 0.0;
    format!("{rounded}")
}

fn numbers(list: &[f64]) -> String {
    let list: Vec<String> = list.iter().map(|x| number(*x)).collect();
    format!("[{}]", list.join(", "))
}

fn colour(rgba: [f32; 4]) -> String {
    let list: Vec<String> = rgba.iter().map(|c| format!("{c}")).collect();
    format!("[{}]", list.join(", "))
}

fn pose(pose: &Pose) -> String {
    let position = numbers(pose.translation.vector.as_slice());
    let turn = numbers(pose.rotation.coords.as_slice());
    format!("position: {position}, quat_xyzw: {turn}")
}
