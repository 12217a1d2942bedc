//! Mesh files: finding and reading them.

use std::{
    fs, panic,
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use super::collada;
use crate::{Geometry, MeshProblem};

/// Where to look for meshes that a URDF names by package.
///
/// `package://pkg/meshes/a.stl` is looked up as `<path>/pkg/meshes/a.stl` under each
/// path in turn, and as `<path>/meshes/a.stl` if the path itself ends in `pkg`.
/// Relative names are relative to the URDF's folder and need no search path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshSearch {
    /// Folders that hold packages, or are one; the first that has the file wins.
    pub package_paths: Vec<PathBuf>,
    /// Texts of files that are part of the program, by the path that a relative name has
    /// in the folder of the URDF. They come before files on disk.
    pub built_in: &'static [(&'static str, &'static str)],
}

/// Finds and reads the meshes of one URDF.
pub(super) struct MeshReader<'a> {
    /// Relative names are relative to this folder.
    pub(super) mesh_dir: &'a Path,
    /// Where packages are.
    pub(super) meshes: &'a MeshSearch,
}

impl MeshReader<'_> {
    /// Reads a mesh and scales it; a mirroring scale keeps triangles facing outwards.
    pub(super) fn read(&self, filename: &str, scale: [f64; 3]) -> Result<Geometry, MeshProblem> {
        let (path, mut bytes) = self.bytes(filename)?;
        let mut metres_per_unit = 1.0;
        if is_collada(&path) {
            let text = String::from_utf8_lossy(&bytes);
            let prepared = collada::prepare(&text)?;
            metres_per_unit = prepared.metres_per_unit;
            bytes = prepared.text.into_bytes();
        }
        // The reader unwraps in a few places (a COLLADA matrix of fifteen numbers, for
        // one). A file must not be able to bring the program down, so what it says
        // when it gives up becomes an error like any other.
        let read =
            panic::catch_unwind(|| mesh_loader::Loader::default().load_from_slice(&bytes, &path));
        let scene = read
            .map_err(|_| unreadable(&path, "the file is malformed"))?
            .map_err(|error| unreadable(&path, &error.to_string()))?;
        to_geometry(&scene.meshes, scale.map(|s| s * metres_per_unit))
    }

    /// The file, and what is in it.
    fn bytes(&self, filename: &str) -> Result<(PathBuf, Vec<u8>), MeshProblem> {
        let relative = self.mesh_dir.join(filename);
        let mut built_in = self.meshes.built_in.iter();
        if let Some((_, text)) = built_in.find(|(path, _)| Path::new(path) == relative) {
            return Ok((relative, text.as_bytes().to_vec()));
        }
        let path = self.find(filename)?;
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        Ok((path, bytes))
    }

    fn find(&self, filename: &str) -> Result<PathBuf, MeshProblem> {
        let candidates = if let Some(address) = filename.strip_prefix("package://") {
            self.in_packages(address)?
        } else if let Some(path) = filename.strip_prefix("file://") {
            vec![self.mesh_dir.join(path)]
        } else if filename.contains("://") {
            return Err(MeshProblem::UnknownScheme);
        } else {
            vec![self.mesh_dir.join(filename)]
        };
        match candidates.iter().find(|path| path.is_file()) {
            Some(path) => Ok(path.clone()),
            None => Err(MeshProblem::Missing {
                searched: candidates,
            }),
        }
    }

    fn in_packages(&self, address: &str) -> Result<Vec<PathBuf>, MeshProblem> {
        let (package, rest) = address.split_once('/').unwrap_or((address, ""));
        // A package that was checked out whole holds its URDF: `package/urdf/arm.urdf`.
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
            return Err(MeshProblem::UnknownPackage {
                package: package.to_owned(),
                package_paths: self.meshes.package_paths.clone(),
            });
        }
        Ok(folders
            .into_iter()
            .map(|folder| folder.join(rest))
            .collect())
    }
}

fn is_collada(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("dae"))
}

fn unreadable(path: &Path, message: &str) -> MeshProblem {
    MeshProblem::Unreadable {
        message: format!("{message} ({})", path.display()),
    }
}

/// Joins all parts of a scene. (The reader can do so itself, but counts the vertices
/// of a part by its last triangle.)
fn to_geometry(parts: &[mesh_loader::Mesh], scale: [f64; 3]) -> Result<Geometry, MeshProblem> {
    let mirrored = scale.iter().product::<f64>() < 0.0;
    let mut vertices: Vec<Point3<f64>> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for part in parts {
        let n_before = u32::try_from(vertices.len()).map_err(|_| MeshProblem::Corrupt)?;
        let n_in_part = u32::try_from(part.vertices.len()).map_err(|_| MeshProblem::Corrupt)?;
        for vertex in &part.vertices {
            let [x, y, z] = vertex.map(f64::from);
            vertices.push(Point3::new(x * scale[0], y * scale[1], z * scale[2]));
        }
        for &[a, b, c] in &part.faces {
            if [a, b, c].iter().any(|&index| index >= n_in_part) {
                return Err(MeshProblem::Corrupt);
            }
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            triangles.push([a + n_before, b + n_before, c + n_before]);
        }
    }
    if triangles.is_empty() {
        return Err(MeshProblem::Empty);
    }
    if vertices.iter().any(|v| v.iter().any(|x| !x.is_finite())) {
        return Err(MeshProblem::Corrupt);
    }
    Ok(Geometry::Mesh {
        vertices,
        triangles,
    })
}
