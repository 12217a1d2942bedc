//! Mesh files: search and reading.

use std::path::{Path, PathBuf};

use nalgebra::Point3;
use regrasp_mesh::{Format, Mesh, ReadError, file_bytes};

use super::elements::{FURTHEST_M, listed};
use crate::Geometry;

/// Search paths for meshes that a URDF names by package.
///
/// `package://pkg/meshes/a.stl` is searched for as `<path>/pkg/meshes/a.stl` under each path in
/// turn, then under the URDF's folder and those around it, and as `<path>/meshes/a.stl` if the path
/// itself ends in `pkg`. Relative names are relative to the URDF's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshSearch {
    /// Folders that contain packages, or are one; the first that has the file is used.
    pub package_paths: Vec<PathBuf>,
    /// Contents of files that are part of the program, by their path relative to the folder of the
    /// URDF. They take precedence over files on disk.
    pub built_in: &'static [(&'static str, &'static str)],
}

pub(super) struct MeshReader<'a> {
    /// Folder to which relative names refer.
    pub(super) mesh_dir: &'a Path,
    pub(super) meshes: &'a MeshSearch,
}

impl MeshReader<'_> {
    /// Reads a mesh and scales it; under a mirroring scale, triangles keep facing outwards.
    pub(super) fn read(&self, filename: &str, scale: [f64; 3]) -> Result<Geometry, String> {
        let (path, bytes) = self.bytes(filename)?;
        if matches!(Format::of(&path), Ok(Format::Gltf | Format::Msh)) {
            // For these formats, a URDF does not say whether y or z is up.
            let message = "meshes of a URDF must be .stl, .obj or .dae files";
            return Err(unreadable(&path, message));
        }
        let mesh = regrasp_mesh::read_bytes(&bytes, &path).map_err(|error| match error {
            ReadError::NoTriangles => "which has no triangles".into(),
            ReadError::NotFinite { .. } | ReadError::MissingCorner => CORRUPT.into(),
            error => unreadable(&path, &error.to_string()),
        })?;
        to_geometry(mesh, scale)
    }

    /// Path and content of the file.
    fn bytes(&self, filename: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let relative = self.mesh_dir.join(filename);
        let mut built_in = self.meshes.built_in.iter();
        if let Some((_, text)) = built_in.find(|(path, _)| Path::new(path) == relative) {
            return Ok((relative, text.as_bytes().to_vec()));
        }
        let path = self.find(filename)?;
        let bytes = file_bytes(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        Ok((path, bytes))
    }

    fn find(&self, filename: &str) -> Result<PathBuf, String> {
        let candidates = if let Some(address) = filename.strip_prefix("package://") {
            self.in_packages(address)?
        } else if let Some(path) = filename.strip_prefix("file://") {
            vec![self.mesh_dir.join(path)]
        } else if filename.contains("://") {
            return Err(
                "whose address is not understood (expected a path, package:// or file://)".into(),
            );
        } else {
            vec![self.mesh_dir.join(filename)]
        };
        match candidates.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => Err(format!(
                "which does not exist (looked in: {})",
                paths(&candidates)
            )),
        }
    }

    fn in_packages(&self, address: &str) -> Result<Vec<PathBuf>, String> {
        let (package, rest) = address.split_once('/').unwrap_or((address, ""));
        // A package that was checked out as a whole contains its URDF: `package/urdf/arm.urdf`.
        let around = std::path::absolute(self.mesh_dir).unwrap_or_default();
        let mut folders: Vec<PathBuf> = self
            .meshes
            .package_paths
            .iter()
            .map(PathBuf::as_path)
            .chain(around.ancestors())
            .flat_map(|path| {
                let itself = path.ends_with(package).then(|| path.to_owned());
                [Some(path.join(package)), itself].into_iter().flatten()
            })
            .filter(|folder| folder.is_dir())
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        if folders.is_empty() {
            return Err(format!(
                "whose package `{package}` was not found: no folder of that name holds the URDF, \
                 lies beside it or is in one of the `package_paths` ({}); list the folder that \
                 holds `{package}` under `package_paths` in the robot file",
                paths(&self.meshes.package_paths)
            ));
        }
        let files = folders.into_iter().map(|folder| folder.join(rest));
        Ok(files.collect())
    }
}

const CORRUPT: &str = "which has a vertex that is not finite or a triangle with a missing vertex";

fn unreadable(path: &Path, message: &str) -> String {
    format!("which cannot be read: {message} ({})", path.display())
}

fn paths(paths: &[PathBuf]) -> String {
    match paths {
        [] => "empty".to_owned(),
        paths => listed(paths.iter().map(|path| path.display().to_string()), ", "),
    }
}

fn to_geometry(mesh: Mesh, scale: [f64; 3]) -> Result<Geometry, String> {
    let scaled = |p: &[f64; 3]| Point3::from([0, 1, 2].map(|i| p[i] * scale[i]));
    let vertices: Vec<_> = mesh.vertices.iter().map(scaled).collect();
    if vertices.iter().any(|v| v.iter().any(|x| !x.is_finite())) {
        return Err(CORRUPT.into());
    }
    let furthest_m = vertices.iter().map(|v| v.coords.amax()).fold(0.0, f64::max);
    if furthest_m > FURTHEST_M {
        return Err(format!(
            "which reaches {furthest_m:.0} m from its origin; lengths are in metres: if these are \
             millimetres, write scale=\"0.001 0.001 0.001\""
        ));
    }
    let mut triangles = mesh.triangles;
    if scale.iter().product::<f64>() < 0.0 {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Ok(Geometry::Mesh {
        vertices,
        triangles,
    })
}
