//! STL, OBJ and COLLADA, by `mesh-loader`.

use std::borrow::Cow;
use std::path::Path;

use mesh_loader::Loader;

use super::collada;
use crate::triangles::{Mesh, ReadError};

/// Reads an STL file. Its normals are those of its flat triangles: those are found anyway.
pub(super) fn stl(bytes: &[u8], path: &Path) -> Result<Mesh, ReadError> {
    let scene = Loader::default().load_stl_from_slice(bytes, path);
    let mut mesh = joined(parts(scene, path)?, 1.0)?;
    mesh.normals.clear();
    Ok(mesh)
}

/// Reads an OBJ file. Materials are not looked at: a missing file of them is no mistake.
pub(super) fn obj(bytes: &[u8], path: &Path) -> Result<Mesh, ReadError> {
    let loader = Loader::default();
    let scene = loader.load_obj_from_slice_with_reader(bytes, path, |_| Ok(Vec::new()));
    joined(parts(scene, path)?, 1.0)
}

/// Reads a COLLADA file, in metres.
pub(super) fn collada(bytes: &[u8], path: &Path) -> Result<Mesh, ReadError> {
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
    let prepared = collada::prepare(&text)?;
    let scene = Loader::default().load_collada_from_slice(prepared.text.as_bytes(), path);
    joined(parts(scene, path)?, prepared.metres_per_unit)
}

fn parts(
    scene: std::io::Result<mesh_loader::Scene>,
    path: &Path,
) -> Result<Vec<mesh_loader::Mesh>, ReadError> {
    // What the reader says begins with the file's name, which the caller says as well.
    let scene = scene.map_err(|error| {
        let said = error.to_string();
        let name = format!("{}:", path.display());
        let said = said.trim_start_matches(&name).trim();
        ReadError::Refused(format!("the file is malformed: {said}"))
    })?;
    Ok(scene.meshes)
}

/// Joins all parts of a scene. (The library can do so itself, but counts the vertices of a part
/// by its last triangle.)
fn joined(parts: Vec<mesh_loader::Mesh>, metres_per_unit: f64) -> Result<Mesh, ReadError> {
    let are_all = |has: fn(&mesh_loader::Mesh) -> bool| parts.iter().all(has);
    let has_normals = are_all(|part| part.normals.len() == part.vertices.len());
    let has_texcoords = are_all(|part| part.texcoords[0].len() == part.vertices.len());
    let mut mesh = Mesh::default();
    for part in &parts {
        let vertices = part.vertices.iter();
        let vertices = vertices.map(|v| v.map(|x| f64::from(x) * metres_per_unit));
        mesh.add(vertices, part.faces.iter().copied())?;
        if has_normals {
            mesh.normals.extend(&part.normals);
        }
        if has_texcoords {
            // These formats count upwards from the image's lower edge.
            let downwards = part.texcoords[0].iter().map(|[u, v]| [*u, 1.0 - v]);
            mesh.texcoords.extend(downwards);
        }
    }
    Ok(mesh)
}
