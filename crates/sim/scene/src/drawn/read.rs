//! Files → surfaces with what they say about normals and texture coordinates.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{Surface, msh};
use crate::mesh::{self, Format, MAX_TRIANGLES};

/// Reads all triangles of a file in its own units and axes, open or closed: OBJ, STL, glTF,
/// COLLADA, and MuJoCo's `.msh`.
///
/// # Errors
///
/// What is wrong with it, in one sentence.
pub fn read_surface(path: &Path) -> Result<Surface, String> {
    let format = Format::of(path)?;
    if !path.is_file() {
        return Err("there is no such file".to_owned());
    }
    let bytes = mesh::read_bytes(path)?;
    // The readers unwrap in a few places, and a file must not be able to bring the program
    // down.
    let read = catch_unwind(AssertUnwindSafe(|| match format {
        Format::Msh => msh::read(&bytes),
        Format::Gltf => mesh::gltf_surface(&bytes, path),
        _ => by_mesh_loader(&bytes, path, format),
    }));
    let surface = read.map_err(|_| "the file is malformed".to_owned())??;
    if surface.triangles.len() > MAX_TRIANGLES {
        return Err(format!(
            "it holds more than {MAX_TRIANGLES} triangles; reduce it in a modelling program"
        ));
    }
    match surface.flaw() {
        None => Ok(surface.welded()),
        Some(flaw) => Err(flaw),
    }
}

fn by_mesh_loader(bytes: &[u8], path: &Path, format: Format) -> Result<Surface, String> {
    let mut surface = Surface::default();
    let parts = mesh::loaded(bytes, path, format)?;
    let are_all = |has: fn(&mesh_loader::Mesh) -> bool| parts.iter().all(has);
    // The normals of an STL are those of its flat triangles: those are found anyway.
    let has_normals = format != Format::Stl && are_all(|m| m.normals.len() == m.vertices.len());
    let has_texcoords = are_all(|m| m.texcoords[0].len() == m.vertices.len());
    for part in &parts {
        let first = surface.positions.len() as u32;
        let n = part.vertices.len() as u32;
        surface.positions.extend(&part.vertices);
        if has_normals {
            surface.normals.extend(&part.normals);
        }
        if has_texcoords {
            // These formats count upwards from the image's lower edge.
            let downwards = part.texcoords[0].iter().map(|[u, v]| [*u, 1.0 - v]);
            surface.texcoords.extend(downwards);
        }
        for face in &part.faces {
            if face.iter().any(|i| *i >= n) {
                return Err("a triangle has a corner that does not exist".to_owned());
            }
            surface.triangles.push(face.map(|i| first + i));
        }
    }
    Ok(surface)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn an_open_mesh_with_texture_coordinates_is_read_from_each_format() {
        let folder = tempfile::tempdir().unwrap();
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";
        let gltf = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes":
            {"POSITION": 0, "TEXCOORD_0": 1}}]}],
            "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 24}],
            "buffers": [{"byteLength": 60, "uri": "part.bin"}]}"#;
        let floats = [
            0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0f32,
        ];
        let part: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        let files: [(&str, &[u8]); 4] = [
            ("part.bin", &part),
            ("a.obj", obj.as_bytes()),
            ("a.gltf", gltf.as_bytes()),
            ("a.msh", &msh::tests::triangle()),
        ];
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        for name in ["a.obj", "a.gltf", "a.msh"] {
            let read = read_surface(&folder.path().join(name)).unwrap();
            assert_eq!(read.triangles.len(), 1, "{name}");
            let texcoords = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
            assert_eq!(read.texcoords, texcoords, "{name}");
        }
        let said = read_surface(&folder.path().join("b.obj")).unwrap_err();
        assert_eq!(said, "there is no such file");
        std::fs::write(folder.path().join("a.msh"), [0; 20]).unwrap();
        assert!(read_surface(&folder.path().join("a.msh")).is_err());
    }
}
