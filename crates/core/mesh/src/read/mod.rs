//! Reads triangles from files: one reader for each format, and the checks common to all.

mod bytes;
mod collada;
mod gltf;
mod msh;
mod obj;
mod stl;

pub use bytes::{file_bytes, read_text};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::surface::Surface;
use crate::triangles::{Mesh, ReadError, Up};

/// A supported mesh format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// STL, binary or text.
    Stl,
    /// Wavefront OBJ.
    Obj,
    /// COLLADA, which names its up axis.
    Collada,
    /// glTF 2.0, text or binary, in which y is up.
    Gltf,
    /// MuJoCo's legacy binary meshes.
    Msh,
}

impl Format {
    /// Returns the format of a file name's extension.
    ///
    /// # Errors
    ///
    /// [`ReadError::UnknownFormat`] for any other extension.
    pub fn of(path: &Path) -> Result<Self, ReadError> {
        let name = path.file_name().unwrap_or_default();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        match ending.to_ascii_lowercase().as_str() {
            "stl" => Ok(Self::Stl),
            "obj" => Ok(Self::Obj),
            "dae" => Ok(Self::Collada),
            "gltf" | "glb" => Ok(Self::Gltf),
            "msh" => Ok(Self::Msh),
            _ => Err(ReadError::UnknownFormat {
                ending: match ending.as_ref() {
                    "" => name.to_string_lossy().into(),
                    ending => format!(".{ending}"),
                },
            }),
        }
    }
}

/// Beginning of the pointer that replaces a file which Git LFS has not fetched.
const LFS: &[u8] = b"version https://git-lfs";

/// Reads all parts of a mesh file as one.
///
/// # Errors
///
/// [`ReadError`] if there is no such file, or its content cannot be used.
pub fn read(path: &Path) -> Result<Mesh, ReadError> {
    read_bytes(&file_bytes(path)?, path)
}

/// Reads all parts of a mesh file from its bytes; `path` gives its format and folder.
///
/// # Errors
///
/// [`ReadError`] if its content cannot be used.
pub fn read_bytes(bytes: &[u8], path: &Path) -> Result<Mesh, ReadError> {
    if bytes.starts_with(LFS) {
        return Err(ReadError::Pointer);
    }
    let reader = match Format::of(path)? {
        Format::Stl => stl::read,
        Format::Obj => obj::read,
        Format::Collada => collada::read,
        Format::Gltf => gltf::read,
        Format::Msh => msh::read,
    };
    // The libraries unwrap in a few places; a file must not end the program.
    catch_unwind(AssertUnwindSafe(|| reader(bytes, path)))
        .map_err(|_| ReadError::Malformed)??
        .checked()
}

/// Reads a mesh file to be drawn, open or closed, with z up. The up axis of the file is the given
/// one, or the one that the file names.
///
/// # Errors
///
/// The errors of [`read`], and normals or texture coordinates that are not numbers.
pub fn read_surface(path: &Path, up: Option<Up>) -> Result<Surface, ReadError> {
    let surface = Surface::from(read(path)?.with_z_up(up));
    match surface.flaw() {
        None => Ok(surface.welded()),
        Some(flaw) => Err(ReadError::Refused(flaw.to_owned())),
    }
}

#[cfg(test)]
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
            let read = read_surface(&folder.path().join(name), None).unwrap();
            assert_eq!(read.triangles.len(), 1, "{name}");
            let texcoords = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
            assert_eq!(read.texcoords, texcoords, "{name}");
        }
        let error = read_surface(&folder.path().join("b.obj"), None).unwrap_err();
        assert_eq!(error.to_string(), "there is no such file");
        std::fs::write(folder.path().join("a.msh"), [0; 20]).unwrap();
        assert!(read_surface(&folder.path().join("a.msh"), None).is_err());
    }
}
