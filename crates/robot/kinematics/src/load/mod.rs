//! URDF text → [`RobotModel`]: parse, check, assemble the tree, read the meshes.

mod checks;
mod mesh;
#[cfg(test)]
mod mesh_tests;
#[cfg(test)]
mod refusal_tests;
mod shapes;
#[cfg(test)]
mod tests;
mod topology;
mod tree;

use std::{fs, path::Path};

use crate::{LoadError, LoadProblem, RobotModel};

pub use mesh::MeshSearch;

impl RobotModel {
    /// Reads a robot from a URDF file.
    ///
    /// # Errors
    ///
    /// [`LoadError`], naming the file and the element at fault, if anything in it
    /// cannot be loaded: unreadable or malformed XML, a graph that is not one tree,
    /// unsupported joints, impossible numbers, missing or empty meshes.
    pub fn load(urdf: impl AsRef<Path>, meshes: &MeshSearch) -> Result<Self, LoadError> {
        let path = urdf.as_ref();
        let mesh_dir = path.parent().unwrap_or(Path::new(""));
        fs::read_to_string(path)
            .map_err(LoadProblem::Read)
            .and_then(|text| parse(&text, mesh_dir, meshes))
            .map_err(|problem| LoadError {
                urdf: path.display().to_string(),
                problem: Box::new(problem),
            })
    }

    /// Reads a robot from URDF text; relative mesh names are relative to `mesh_dir`.
    ///
    /// # Errors
    ///
    /// As [`RobotModel::load`], with `<string>` for the file.
    pub fn from_urdf_str(
        urdf: &str,
        mesh_dir: impl AsRef<Path>,
        meshes: &MeshSearch,
    ) -> Result<Self, LoadError> {
        parse(urdf, mesh_dir.as_ref(), meshes).map_err(|problem| LoadError {
            urdf: "<string>".to_owned(),
            problem: Box::new(problem),
        })
    }
}

fn parse(text: &str, mesh_dir: &Path, meshes: &MeshSearch) -> Result<RobotModel, LoadProblem> {
    let robot = urdf_rs::read_from_string(text).map_err(|error| LoadProblem::Parse {
        message: error.to_string(),
    })?;
    checks::check(&robot)?;
    topology::check(&robot)?;
    tree::assemble(&robot, &mesh::MeshReader { mesh_dir, meshes })
}
