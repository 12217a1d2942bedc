//! Mesh files → triangles, whatever they are like.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::gltf;
use super::triangles::{MAX_TRIANGLES, Mesh, read_bytes};
use crate::drawn;
use crate::source::Source;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Stl,
    Obj,
    Collada,
    Gltf,
    Msh,
}

impl Format {
    /// By the ending of a name.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        match ending.to_ascii_lowercase().as_str() {
            "stl" => Ok(Self::Stl),
            "obj" => Ok(Self::Obj),
            "dae" => Ok(Self::Collada),
            "gltf" | "glb" => Ok(Self::Gltf),
            "msh" => Ok(Self::Msh),
            _ => Err(format!(
                "its name ends in `.{ending}`, but only .obj, .stl, .gltf, .glb, .dae and .msh \
                 are read"
            )),
        }
    }
}

/// Reads all parts of a mesh file as one; an error is one sentence.
pub(crate) fn read(source: &Source) -> Result<(Mesh, Format), String> {
    let Source::File(path) = source else {
        return Err("built-in scenes have no meshes".to_owned());
    };
    if !path.is_file() {
        return Err("there is no such file".to_owned());
    }
    let format = Format::of(path)?;
    let bytes = read_bytes(path)?;
    // The readers unwrap in a few places, and a file must not be able to bring the
    // program down.
    let mesh = catch_unwind(AssertUnwindSafe(|| match format {
        Format::Gltf => gltf::read(&bytes, path),
        Format::Msh => by_msh(&bytes),
        _ => by_mesh_loader(&bytes, path, format),
    }))
    .map_err(|_| "the file is malformed".to_owned())??;
    check(mesh).map(|mesh| (mesh, format))
}

fn by_msh(bytes: &[u8]) -> Result<Mesh, String> {
    let surface = drawn::read_msh(bytes)?;
    let mut mesh = Mesh::default();
    let vertices = surface.positions.iter().map(|p| p.map(f64::from));
    mesh.add(vertices, surface.triangles.iter().copied())?;
    Ok(mesh)
}

fn by_mesh_loader(bytes: &[u8], path: &Path, format: Format) -> Result<Mesh, String> {
    let mut mesh = Mesh::default();
    for part in loaded(bytes, path, format)? {
        let vertices = part.vertices.iter().map(|v| v.map(f64::from));
        mesh.add(vertices, part.faces.iter().copied())?;
    }
    Ok(mesh)
}

/// The parts of a file as its reader gives them.
pub(crate) fn loaded(
    bytes: &[u8],
    path: &Path,
    format: Format,
) -> Result<Vec<mesh_loader::Mesh>, String> {
    let loader = mesh_loader::Loader::default();
    let scene = match format {
        Format::Stl => loader.load_stl_from_slice(bytes, path),
        Format::Collada => loader.load_collada_from_slice(bytes, path),
        // Materials are not looked at: a missing file of them is no mistake.
        _ => loader.load_obj_from_slice_with_reader(bytes, path, |_| Ok(Vec::new())),
    };
    // What the reader says begins with the file's name, which the caller says as well.
    let loaded = scene.map_err(|error| {
        let said = error.to_string();
        let name = format!("{}:", path.display());
        format!(
            "the file is malformed: {}",
            said.trim_start_matches(&name).trim()
        )
    })?;
    Ok(loaded.meshes)
}

impl Mesh {
    /// Adds a part, whose indices begin at 0.
    pub(super) fn add(
        &mut self,
        vertices: impl Iterator<Item = [f64; 3]>,
        triangles: impl Iterator<Item = [u32; 3]>,
    ) -> Result<(), String> {
        let corrupt = || "a triangle has a corner that does not exist".to_owned();
        let before = self.vertices.len();
        self.vertices.extend(vertices);
        let offset = u32::try_from(before).map_err(|_| corrupt())?;
        let n_new = u32::try_from(self.vertices.len() - before).map_err(|_| corrupt())?;
        for triangle in triangles {
            if triangle.iter().any(|&index| index >= n_new) {
                return Err(corrupt());
            }
            self.triangles.push(triangle.map(|index| index + offset));
            if self.triangles.len() > MAX_TRIANGLES {
                return Err(format!(
                    "it holds more than {MAX_TRIANGLES} triangles; reduce it in a modelling program"
                ));
            }
        }
        Ok(())
    }
}

fn check(mesh: Mesh) -> Result<Mesh, String> {
    let is_wild = |p: &[f64; 3]| p.iter().any(|x| !x.is_finite());
    let n_wild = mesh.vertices.iter().filter(|p| is_wild(p)).count();
    if n_wild > 0 {
        return Err(format!(
            "{n_wild} of its {} corners have coordinates that are no numbers, or infinite",
            mesh.vertices.len()
        ));
    }
    if mesh.triangles.is_empty() {
        return Err("it holds no triangles".to_owned());
    }
    Ok(mesh)
}
