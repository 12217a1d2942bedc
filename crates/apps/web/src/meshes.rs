//! Surfaces for the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_ground_truth::GroundTruthObject;
use regrasp_mesh::Surface;
use regrasp_render::{Finish, Mesh, Stage};
use xxhash_rust::xxh3::xxh3_64;

use crate::protocol::{MeshPart, Node, SceneInfo};

/// Meshes of the present world by their hashes; those of earlier worlds are dropped.
#[derive(Default)]
pub(crate) struct Meshes {
    present: Mutex<Present>,
}

#[derive(Default)]
struct Present {
    info: Option<Arc<SceneInfo>>,
    meshes: BTreeMap<String, Arc<Mesh>>,
}

impl Meshes {
    /// Description of this world for the page.
    pub(crate) fn info(
        &self,
        world: u64,
        stage: &Stage,
        objects: &[GroundTruthObject],
        cameras: Vec<String>,
    ) -> Arc<SceneInfo> {
        let mut present = self.present.lock();
        if let Some(info) = present.info.as_ref().filter(|info| info.world == world) {
            return Arc::clone(info);
        }
        present.meshes.clear();
        let nodes = stage.instances.iter().map(|name| node(name, objects));
        let mut nodes: Vec<_> = nodes.collect();
        for body in &stage.bodies {
            let hash = format!("{:016x}", xxh3_64(&to_bytes(body.mesh.surface())));
            let node = usize::from(body.instance).checked_sub(1);
            if let Some(node) = node.and_then(|node| nodes.get_mut(node)) {
                node.parts.push(MeshPart {
                    mesh: hash.clone(),
                    rgb: body.look.rgb,
                    gloss: body.look.gloss,
                    wood: body.look.finish == Finish::Wood,
                });
            }
            present.meshes.insert(hash, Arc::clone(&body.mesh));
        }
        let info = Arc::new(SceneInfo {
            world,
            nodes,
            cameras,
            floor_z: stage.floor_z,
        });
        present.info = Some(Arc::clone(&info));
        info
    }

    /// Returns the encoded mesh with the fewest triangles that keep every point within `off_m`, m.
    pub(crate) fn mesh(&self, hash: &str, off_m: f32) -> Option<Vec<u8>> {
        let present = self.present.lock();
        let mesh = Arc::clone(present.meshes.get(hash)?);
        drop(present);
        Some(to_bytes(mesh.level(off_m)))
    }
}

fn node(name: &str, objects: &[GroundTruthObject]) -> Node {
    let object = objects.iter().find(|object| object.id.as_str() == name);
    Node {
        name: name.to_owned(),
        category: object.map(|object| object.category.clone()),
        movable: object.is_some_and(|object| object.movable),
        parts: vec![],
    }
}

/// Encodes a surface: number of vertices and triangles, positions, normals, indices, little endian.
fn to_bytes(surface: &Surface) -> Vec<u8> {
    let (positions, triangles) = (&surface.positions, &surface.triangles);
    let mut bytes = Vec::with_capacity(8 + 24 * positions.len() + 12 * triangles.len());
    bytes.extend((positions.len() as u32).to_le_bytes());
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for number in positions.iter().chain(&surface.normals).flatten() {
        bytes.extend(number.to_le_bytes());
    }
    for index in triangles.iter().flatten() {
        bytes.extend(index.to_le_bytes());
    }
    bytes
}
