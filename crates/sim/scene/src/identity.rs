//! Canonical form of a task's instance, by which a task is recognised again.
//!
//! The form is JSON with sorted keys and exact numbers. Every value stands beside its name, so
//! neither the order of fields nor an omitted field changes the meaning of others; a form without
//! names (postcard) cannot promise that. Surfaces, images and meshes are replaced by hashes.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use regrasp_mesh::{MeshBody, Surface};
use serde_json::json;
use xxhash_rust::xxh3::Xxh3;

use crate::drawn::{Texture, Visual};
use crate::task_file::TaskInstance;

/// Version of the canonical form, raised by every change of the form.
pub const IDENTITY_VERSION: u32 = 2;

/// Hashes of surfaces, images and meshes, each computed once for all instances that share it.
#[derive(Debug, Default)]
pub struct ContentHashes {
    /// Hashes by the address of the content. The `Arc` keeps the content alive, so that its address
    /// is not reused.
    known: HashMap<usize, (Arc<dyn Any + Send + Sync>, u128)>,
}

impl ContentHashes {
    fn of<T: Content>(&mut self, content: &Arc<T>) -> String {
        let hash = || {
            let mut hash = Xxh3::new();
            content.add_to(&mut hash);
            (Arc::clone(content) as Arc<_>, hash.digest128())
        };
        let known = self.known.entry(Arc::as_ptr(content).addr());
        format!("{:032x}", known.or_insert_with(hash).1)
    }
}

impl TaskInstance {
    /// Returns the canonical form: instances that differ in anything have different ones.
    ///
    /// # Errors
    ///
    /// None that a valid instance can cause.
    pub fn canonical(&self, hashes: &mut ContentHashes) -> Result<String, serde_json::Error> {
        let mut instance = self.clone();
        let mut contents = vec![];
        let empty = Arc::new(Surface::default());
        let add_visual = |visual: &mut Visual, hashes: &mut ContentHashes| {
            let surface = std::mem::replace(&mut visual.surface, Arc::clone(&empty));
            let texture = visual.texture.take().map(|texture| hashes.of(&texture));
            json!({"surface": hashes.of(&surface), "texture": texture})
        };
        for object in &mut instance.scene.objects {
            let mesh = object.mesh.take().map(|mesh| hashes.of(&mesh));
            let visuals = object.visuals.iter_mut();
            let visuals: Vec<_> = visuals.map(|v| add_visual(v, hashes)).collect();
            contents.push(json!({"mesh": mesh, "visuals": visuals}));
        }
        let scenery = instance.scene.scenery.iter_mut();
        contents.extend(scenery.map(|v| add_visual(v, hashes)));
        let mut whole = json!({"instance": serde_json::to_value(&instance)?, "contents": contents});
        whole.sort_all_objects();
        serde_json::to_string(&whole)
    }
}

trait Content: Any + Send + Sync {
    /// Adds every field to the hash, each list with its length.
    fn add_to(&self, hash: &mut Xxh3);
}

fn add(hash: &mut Xxh3, bytes: impl Iterator<Item = u8>) {
    let bytes: Vec<u8> = bytes.collect();
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(&bytes);
}

fn add_indices(hash: &mut Xxh3, triangles: &[[u32; 3]]) {
    let indices = triangles.as_flattened().iter();
    add(hash, indices.flat_map(|i| i.to_le_bytes()));
}

impl Content for Surface {
    fn add_to(&self, hash: &mut Xxh3) {
        let Self {
            positions,
            normals,
            texcoords,
            triangles,
        } = self;
        for list in [
            positions.as_flattened(),
            normals.as_flattened(),
            texcoords.as_flattened(),
        ] {
            add(hash, list.iter().flat_map(|x| x.to_le_bytes()));
        }
        add_indices(hash, triangles);
    }
}

impl Content for Texture {
    fn add_to(&self, hash: &mut Xxh3) {
        add(hash, self.png().iter().copied());
    }
}

impl Content for MeshBody {
    fn add_to(&self, hash: &mut Xxh3) {
        let Self {
            vertices,
            triangles,
            volume_m3,
            parts_volume_m3,
            mass_center,
            inertia_per_kg,
        } = self;
        let solid = [*volume_m3, *parts_volume_m3];
        for list in [
            vertices.as_flattened(),
            &solid,
            mass_center,
            inertia_per_kg.as_flattened(),
        ] {
            add(hash, list.iter().flat_map(|x| x.to_le_bytes()));
        }
        add_indices(hash, triangles);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use regrasp_api::Pose;

    use super::*;
    use crate::builtin_task;

    fn surface(height: f32) -> Arc<Surface> {
        Arc::new(Surface {
            positions: vec![[0.0, 0.0, height], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..Surface::default()
        })
    }

    fn texture(red: u8) -> Arc<Texture> {
        Arc::new(Texture::of_pixels(1, &[[red, 0, 0]]).unwrap())
    }

    fn with(surface: Arc<Surface>, texture: Arc<Texture>) -> TaskInstance {
        let mut instance = builtin_task("pick_cube").unwrap().instantiate(1).unwrap();
        instance.scene.objects[0].visuals.push(Visual {
            frame_from_visual: Pose::new(Vector3::new(0.1, 0.2, 0.3), Vector3::x()),
            surface,
            rgba: [1.0; 4],
            texture: Some(texture),
            gloss: 0.0,
        });
        instance
    }

    #[test]
    fn the_same_content_in_another_place_is_the_same_and_any_other_is_not() {
        let mut hashes = ContentHashes::default();
        let mut form = |instance: &TaskInstance| instance.canonical(&mut hashes).unwrap();
        let first = with(surface(0.0), texture(1));
        let known = form(&first);
        assert_eq!(known, form(&with(surface(0.0), texture(1))));
        let mut others = vec![
            with(surface(f32::MIN_POSITIVE), texture(1)),
            with(surface(0.0), texture(2)),
            first.clone(),
            first.clone(),
        ];
        others[2].scene.objects.last_mut().unwrap().friction += f64::EPSILON;
        others[3].scene.scenery = others[3].scene.objects[0].visuals.split_off(0);
        for other in &others {
            assert_ne!(known, form(other));
        }
    }

    #[test]
    fn what_is_shared_is_hashed_once() {
        let mut hashes = ContentHashes::default();
        let (surface, texture) = (surface(0.0), texture(1));
        for _ in 0..3 {
            let instance = with(Arc::clone(&surface), Arc::clone(&texture));
            instance.canonical(&mut hashes).unwrap();
        }
        assert_eq!(hashes.known.len(), 2);
    }
}
