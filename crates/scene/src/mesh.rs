//! Mesh files: STL, OBJ and COLLADA, read by `mesh-loader`, the crate that the
//! URDF loader uses too.

use std::panic::catch_unwind;

use crate::source::Source;

/// More than any collision shape needs; keeps a wrong file from taking minutes.
const MAX_TRIANGLES: usize = 200_000;

pub(crate) struct Mesh {
    pub(crate) vertices: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Reads all parts of a mesh file as one, scaled; an error is one sentence.
pub(crate) fn read(source: &Source, scale: f64) -> Result<Mesh, String> {
    let Source::File(path) = source else {
        return Err("built-in scenes have no meshes".to_owned());
    };
    if !path.is_file() {
        return Err("there is no such file".to_owned());
    }
    // The reader unwraps in a few places, and a file must not be able to bring the
    // program down.
    let scene = catch_unwind(|| mesh_loader::Loader::default().load(path))
        .map_err(|_| "the file is malformed".to_owned())?
        .map_err(|error| format!("{error} (STL, OBJ and DAE can be read)"))?;
    let mut mesh = Mesh {
        vertices: Vec::new(),
        triangles: Vec::new(),
    };
    for part in &scene.meshes {
        let corrupt = || "a triangle has a corner that does not exist".to_owned();
        let n_before = u32::try_from(mesh.vertices.len()).map_err(|_| corrupt())?;
        let n_in_part = u32::try_from(part.vertices.len()).map_err(|_| corrupt())?;
        let vertices = part.vertices.iter();
        mesh.vertices
            .extend(vertices.map(|v| v.map(|x| f64::from(x) * scale)));
        for face in &part.faces {
            if face.iter().any(|&index| index >= n_in_part) {
                return Err(corrupt());
            }
            mesh.triangles.push(face.map(|index| index + n_before));
        }
    }
    check(mesh)
}

fn check(mesh: Mesh) -> Result<Mesh, String> {
    let largest = mesh
        .vertices
        .iter()
        .flatten()
        .map(|x| x.abs())
        .fold(0.0, f64::max);
    let finite = mesh.vertices.iter().flatten().all(|x| x.is_finite());
    if mesh.triangles.is_empty() {
        Err("it holds no triangles".to_owned())
    } else if mesh.triangles.len() > MAX_TRIANGLES {
        Err(format!(
            "it holds {} triangles, more than {MAX_TRIANGLES}",
            mesh.triangles.len()
        ))
    } else if !finite || largest > 10.0 {
        Err(format!(
            "it reaches {largest:.0} m from its origin; is it in millimetres? then set `scale: 0.001`"
        ))
    } else {
        Ok(mesh)
    }
}
