//! Meshes, looks and images of objects and scenery, created once.

use std::collections::HashMap;
use std::sync::Arc;

use regrasp_api::Pose;
use regrasp_ground_truth::GroundTruthObject;
use regrasp_render::{Body, Finish, Image, Look, Mesh, Stage};
use regrasp_rgbd_perception::ModelSurface;
use regrasp_scene::{SceneObject, Texture, Visual};

/// Grey, for an object that is not in the scene file.
const UNKNOWN_RGB: [f32; 3] = [0.5, 0.5, 0.5];

/// Mesh with its look and its pose on its owner.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    mesh: Arc<Mesh>,
    look: Look,
    object_from_mesh: Pose,
}

impl Drawn {
    pub(crate) fn add_to(&self, stage: &mut Stage, instance: u16, world_from_object: &Pose) {
        stage.bodies.push(Body {
            instance,
            mesh: Arc::clone(&self.mesh),
            look: self.look,
            world_from_body: world_from_object * self.object_from_mesh,
        });
    }

    /// The surface of a model for perception.
    pub(crate) fn surface(&self) -> ModelSurface {
        ModelSurface {
            object_from_surface: self.object_from_mesh,
            mesh: Arc::clone(&self.mesh),
            look: self.look,
        }
    }

    /// Height of the lowest vertex in the owner's frame, m.
    pub(crate) fn bottom_z(&self) -> f64 {
        let corners = self.mesh.surface().positions.iter();
        let heights = corners.map(|p| {
            let p = nalgebra::Point3::from(p.map(f64::from));
            (self.object_from_mesh * p).z
        });
        heights.fold(f64::INFINITY, f64::min)
    }
}

/// Mesh of an object's shape, or the surface from which the shape was read.
fn shape_of(object: &SceneObject) -> Drawn {
    let mesh = match &object.mesh {
        Some(body) => Mesh::from_surface(&body.vertices, &body.triangles),
        None => Mesh::from_shape(&object.shape),
    };
    let [r, g, b, _] = object.rgba;
    Drawn {
        mesh: Arc::new(mesh),
        look: look(&object.category, [r, g, b]),
        object_from_mesh: Pose::identity(),
    }
}

/// Mesh of an object that is not in the scene file.
pub(crate) fn unknown(object: &GroundTruthObject) -> Drawn {
    Drawn {
        mesh: Arc::new(Mesh::from_shape(&object.shape)),
        look: look(&object.category, UNKNOWN_RGB),
        object_from_mesh: Pose::identity(),
    }
}

fn look(category: &str, rgb: [f32; 3]) -> Look {
    match category {
        "table" => Look {
            rgb,
            finish: Finish::Wood,
            gloss: 0.05,
        },
        "plate" | "bowl" | "mug" => Look {
            gloss: 0.5,
            ..Look::plain(rgb)
        },
        _ => Look::plain(rgb),
    }
}

/// Address of an image in memory, and its tint.
type ImageKey = (*const Texture, [u32; 3]);

/// Creates the meshes of a scene's visuals; a shared image is created once.
#[derive(Default)]
pub(crate) struct Painter {
    images: HashMap<ImageKey, Option<Arc<Image>>>,
}

impl Painter {
    /// Everything that is drawn of an object: its visuals, or else its shape.
    pub(crate) fn object(&mut self, object: &SceneObject) -> Vec<Drawn> {
        match object.visuals.as_slice() {
            [] => vec![shape_of(object)],
            visuals => visuals.iter().map(|visual| self.drawn(visual)).collect(),
        }
    }

    fn drawn(&mut self, visual: &Visual) -> Drawn {
        self.made(visual, false)
    }

    /// Mesh of scenery that surrounds the scene.
    pub(crate) fn backdrop(&mut self, visual: &Visual) -> Drawn {
        self.made(visual, true)
    }

    fn made(&mut self, visual: &Visual, is_backdrop: bool) -> Drawn {
        let [r, g, b, _] = visual.rgba;
        let image = visual.texture.as_ref().and_then(|texture| {
            let key = (Arc::as_ptr(texture), [r, g, b].map(f32::to_bits));
            let made = || {
                // Its checksum was compared when it was read; an undecodable image is left out.
                let pixels = texture.rgb().ok()?;
                let image = Image::new(texture.width, texture.height, &pixels, [r, g, b]);
                image.map(Arc::new)
            };
            self.images.entry(key).or_insert_with(made).clone()
        });
        let mesh = mesh(visual, image.as_ref());
        let rgb = image.map_or([r, g, b], |image| image.mean_rgb());
        Drawn {
            mesh: Arc::new(if is_backdrop { mesh.backdrop() } else { mesh }),
            look: Look {
                gloss: visual.gloss,
                ..Look::plain(rgb)
            },
            object_from_mesh: visual.frame_from_visual,
        }
    }
}

fn mesh(visual: &Visual, image: Option<&Arc<Image>>) -> Mesh {
    let surface = &visual.surface;
    let texcoords = |corner: &u32| surface.texcoords.get(*corner as usize).copied();
    if surface.normals.len() == surface.positions.len() {
        let (positions, normals) = (surface.positions.clone(), surface.normals.clone());
        let mesh = Mesh::with_normals(positions, normals, &surface.triangles);
        return match image {
            Some(image) => mesh.covered(surface.texcoords.clone(), Arc::clone(image)),
            None => mesh,
        };
    }
    let corners = surface.positions.iter();
    let corners: Vec<[f64; 3]> = corners.map(|p| p.map(f64::from)).collect();
    match image {
        None => Mesh::from_surface(&corners, &surface.triangles),
        Some(image) => {
            let (mesh, corners) = Mesh::from_corners(&corners, &surface.triangles);
            let texcoords = corners.iter().filter_map(texcoords).collect();
            mesh.covered(texcoords, Arc::clone(image))
        }
    }
}
