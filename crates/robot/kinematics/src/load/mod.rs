//! URDF text → [`RobotModel`]: parse, check, assemble the tree, read the meshes.

mod elements;
mod mesh;
#[cfg(test)]
mod mesh_tests;
#[cfg(test)]
mod refusal_tests;
mod shapes;
mod strict;
#[cfg(test)]
mod tests;
mod topology;
mod tree;

use std::path::Path;

use regrasp_mesh::{file_bytes, xml_document, xml_text};

use crate::{Joint, JointLimits, LoadError, RobotModel};

pub use mesh::MeshSearch;

impl RobotModel {
    /// Reads a robot from a URDF file.
    ///
    /// # Errors
    ///
    /// [`LoadError`], with the file and the faulty element, for unreadable or malformed XML, a
    /// graph that is not one tree, unsupported joints, impossible numbers, and missing or empty
    /// meshes.
    pub fn load(urdf: impl AsRef<Path>, meshes: &MeshSearch) -> Result<Self, LoadError> {
        let path = urdf.as_ref();
        let mesh_dir = path.parent().unwrap_or(Path::new(""));
        file_bytes(path)
            .map_err(|error| format!("the file cannot be read: {error}"))
            .and_then(|bytes| parse(&bytes, mesh_dir, meshes))
            .map_err(|problem| LoadError::new(path, problem))
    }

    /// Checks that each joint of an arm has a range, a speed limit and an effort limit, from the
    /// URDF or the robot file, and that no joint mimics one of them.
    ///
    /// # Errors
    ///
    /// [`LoadError`] with the first joint for which this is not so.
    pub fn check_arm(&self, arm: &[String], urdf: &Path) -> Result<(), LoadError> {
        let flaw = |(idx, joint): (usize, &Joint)| {
            let source = &self.joints[self.source(idx).source_joint_idx].name;
            let JointLimits { lower, upper, .. } = joint.limits;
            let flaw = if arm.contains(source) && joint.mimic.is_some() {
                format!(
                    "mimics `{source}`, but each joint of an arm needs a motor of its own; only \
                     joints of a hand may mimic, each other"
                )
            } else if !arm.contains(&joint.name) {
                return None;
            } else if joint.limits.velocity <= 0.0 {
                "has no speed limit: set `velocity` in its <limit>, or `max_velocity_rad_per_s` in \
                 the robot file"
                    .to_owned()
            } else if joint.limits.effort <= 0.0 {
                "has an effort limit of 0: set `effort` in its <limit>".to_owned()
            } else if lower >= upper {
                format!("cannot move, as both of its limits are {lower}; make it fixed")
            } else {
                return None;
            };
            Some(format!("joint `{}` {flaw}", joint.name))
        };
        match self.joints.iter().enumerate().find_map(flaw) {
            None => Ok(()),
            Some(problem) => Err(LoadError::new(urdf, problem)),
        }
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
        parse(urdf.as_bytes(), mesh_dir.as_ref(), meshes)
            .map_err(|problem| LoadError::new("<string>".as_ref(), problem))
    }
}

/// Prefixes a problem with the line of the link or joint that it names first: of those with the same
/// name, the last.
fn with_line(bytes: &[u8], problem: String) -> String {
    let text = xml_text(bytes);
    let line = xml_document(&text).ok().and_then(|document| {
        let mut quoted = problem.split('`');
        let (kind, name) = (quoted.next()?.split(' ').rev().nth(1)?, quoted.next()?);
        let elements = document.root_element().children();
        let mut elements = elements.filter(|e| e.has_tag_name(kind));
        let named = elements.rfind(|e| e.attribute("name") == Some(name))?;
        Some(document.text_pos_at(named.range().start).row)
    });
    line.map_or_else(|| problem.clone(), |line| format!("line {line}: {problem}"))
}

fn parse(bytes: &[u8], mesh_dir: &Path, meshes: &MeshSearch) -> Result<RobotModel, String> {
    let robot = urdf_rs::read_from_string(&strict::strict(bytes)?).map_err(elements::no_urdf)?;
    tree::assemble(&robot, &mesh::MeshReader { mesh_dir, meshes })
        .map_err(|problem| with_line(bytes, problem))
}
