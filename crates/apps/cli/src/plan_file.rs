//! Motion-planning problems as MotionBenchMaker's data sets are handed on: JSON with
//! primitive obstacles in the frame of the arm's base.

use std::fs;
use std::path::Path;

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp::api::{HeightField, ObjectId, Obstacle, Pose, Shape};
use regrasp::mesh::read_points;
use serde_json::Value;

use crate::error::{CliError, FileError};
use crate::json_field::{At, Read};

/// A file of problems.
pub(super) struct ProblemFile {
    /// Bounds of the joints: those that the file says to use.
    pub(super) bounds: Vec<[f64; 2]>,
    /// Travel of each finger from closed, m.
    pub(super) finger_m: f64,
    pub(super) problems: Vec<Problem>,
}

/// One problem.
pub(super) struct Problem {
    pub(super) family: String,
    pub(super) index: u64,
    pub(super) start: Vec<f64>,
    pub(super) goals: Vec<Vec<f64>>,
    pub(super) obstacles: Vec<Obstacle>,
    /// Whether start and goal are free, by the makers of the data set.
    pub(super) valid: bool,
    /// Raw and simplified cost of the reference planner.
    pub(super) reference: Option<[f64; 2]>,
}

impl ProblemFile {
    /// Reads a file for an arm of `dof` joints.
    ///
    /// # Errors
    ///
    /// [`FileError::Problems`] with the file and the field that is wrong.
    pub(super) fn read(path: &Path, dof: usize) -> Result<Self, CliError> {
        let text = fs::read_to_string(path).map_err(CliError::reading(&path))?;
        let wrong = |detail: String| FileError::Problems {
            path: path.into(),
            detail,
        };
        let value: Value =
            serde_json::from_str(&text).map_err(|e| wrong(format!("it is not JSON: {e}")))?;
        let root = At {
            value: &value,
            field: String::new(),
        };
        let problems = file(&root, dof, path.parent().unwrap_or(Path::new("")));
        Ok(problems.map_err(|w| wrong(format!("field `{}`: expected {}", w.field, w.expected)))?)
    }
}

fn file(root: &At<'_>, dof: usize, folder: &Path) -> Read<ProblemFile> {
    let bounds = root.get("joint_limits_vamp")?;
    let pairs = bounds.items()?;
    let pairs = pairs.iter().map(|pair| {
        let [low, high] = pair.numbers::<2>()?;
        if low < high {
            Ok([low, high])
        } else {
            pair.refuse("a lower and a higher limit")
        }
    });
    let pairs = pairs.collect::<Read<Vec<_>>>()?;
    if pairs.len() != dof {
        return bounds.refuse("one pair for each joint of the arm");
    }
    let problems = root.get("problems")?.items()?;
    Ok(ProblemFile {
        bounds: pairs,
        finger_m: root.get("finger_joint_position")?.number()?,
        problems: problems
            .iter()
            .map(|at| problem(at, dof, folder))
            .collect::<Read<_>>()?,
    })
}

fn problem(at: &At<'_>, dof: usize, folder: &Path) -> Read<Problem> {
    let joints = |at: &At<'_>| -> Read<Vec<f64>> {
        let q: Vec<f64> = at.items()?.iter().map(At::number).collect::<Read<_>>()?;
        if q.len() == dof {
            Ok(q)
        } else {
            at.refuse("one number for each joint of the arm")
        }
    };
    let goals = at.get("goals")?;
    let configurations: Vec<_> = goals.items()?.iter().map(joints).collect::<Read<_>>()?;
    if configurations.is_empty() {
        return goals.refuse("at least one configuration");
    }
    let reference = match at.get("vamp_ref") {
        Ok(of) if !of.value.is_null() => Some([
            of.get("raw_cost")?.number()?,
            of.get("simplified_cost")?.number()?,
        ]),
        _ => None,
    };
    Ok(Problem {
        family: at.get("family")?.text()?,
        index: at.get("index")?.integer()?,
        start: joints(&at.get("start")?)?,
        goals: configurations,
        obstacles: obstacles(at, folder)?,
        valid: at.get("valid")?.truth()?,
        reference,
    })
}

/// All obstacles of a problem. Height fields and point clouds may be left out.
fn obstacles(at: &At<'_>, folder: &Path) -> Read<Vec<Obstacle>> {
    let mut obstacles = vec![];
    for item in at.get("spheres")?.items()? {
        let radius = item.get("radius")?.length()?;
        obstacles.push(obstacle(&item, Shape::Sphere { radius })?);
    }
    for item in at.get("boxes")?.items()? {
        let half = item.get("half_extents")?;
        let half_extents = half.numbers::<3>()?;
        if half_extents.iter().any(|h| *h <= 0.0) {
            return half.refuse("three lengths above zero");
        }
        obstacles.push(obstacle(&item, Shape::Box { half_extents })?);
    }
    for item in at.get("cylinders")?.items()? {
        let shape = Shape::Cylinder {
            radius: item.get("radius")?.length()?,
            half_height: 0.5 * item.get("length")?.length()?,
        };
        obstacles.push(obstacle(&item, shape)?);
    }
    for item in at.items_of("height_fields")? {
        obstacles.push(obstacle(&item, height_field(&item)?)?);
    }
    for item in at.items_of("point_clouds")? {
        obstacles.push(obstacle(&item, point_cloud(&item, folder)?)?);
    }
    Ok(obstacles)
}

fn height_field(item: &At<'_>) -> Read<Shape> {
    let rows = item.get("heights")?;
    let numbers = |row: &At<'_>| {
        row.items()?
            .iter()
            .map(At::number)
            .collect::<Read<Vec<_>>>()
    };
    let field = HeightField {
        size: item.get("size")?.numbers()?,
        heights: rows.items()?.iter().map(numbers).collect::<Read<_>>()?,
        bottom: item.get("bottom")?.number()?,
    };
    match field.flaw() {
        None => Ok(Shape::HeightField(field)),
        Some(flaw) => rows.refuse(format!("a grid of heights ({flaw})")),
    }
}

/// Points in the file itself, or in a file beside it.
fn point_cloud(item: &At<'_>, folder: &Path) -> Read<Shape> {
    let radius = item.get("radius")?.length()?;
    let points = match item.get("file") {
        Ok(file) => read_points(&folder.join(file.text()?), 1.0)
            .or_else(|flaw| file.refuse(format!("a file of points ({flaw})")))?,
        Err(_) => {
            let points = item.get("points")?;
            let list: Vec<[f64; 3]> = points
                .items()?
                .iter()
                .map(At::numbers)
                .collect::<Read<_>>()?;
            if list.is_empty() {
                return points.refuse("at least one point");
            }
            list
        }
    };
    Ok(Shape::PointCloud { points, radius })
}

fn obstacle(at: &At<'_>, shape: Shape) -> Read<Obstacle> {
    let [x, y, z] = at.get("position")?.numbers::<3>()?;
    let quat_xyzw = at.get("quaternion_xyzw")?;
    let quaternion = Quaternion::from(quat_xyzw.numbers::<4>()?);
    let Some(rotation) = UnitQuaternion::try_new(quaternion, 1e-6) else {
        return quat_xyzw.refuse("a quaternion other than zero");
    };
    Ok(Obstacle {
        id: ObjectId::new(at.get("name")?.text()?),
        shape,
        world_from_object: Pose::from_parts(Translation3::new(x, y, z), rotation),
    })
}

#[cfg(test)]
#[path = "../../../../tests/outside/harness.rs"]
mod harness;

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        reason = "a file that cannot be written fails the test"
    )]

    use super::*;
    use crate::exit::ExitCode;

    fn good() -> String {
        let path = regrasp_assets::workspace_root().join("tests/data/plan_problems.json");
        fs::read_to_string(path).unwrap()
    }

    /// Reads the fixture with one text replaced.
    fn read(from: &str, to: &str) -> Result<ProblemFile, CliError> {
        assert!(good().contains(from), "the fixture has `{from}`");
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("problems.json");
        fs::write(&path, good().replacen(from, to, 1)).unwrap();
        ProblemFile::read(&path, 7)
    }

    #[test]
    fn problems_are_read_with_their_obstacles() {
        let file = read("wall", "wall").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.problems.len(), 4);
        assert_eq!(file.problems[0].obstacles.len(), 1);
        assert_eq!(file.problems[0].reference, None);
        assert_eq!(file.problems[1].reference, Some([4.0, 3.0]));
        let post = Shape::Cylinder {
            radius: 0.03,
            half_height: 0.2,
        };
        assert_eq!(file.problems[1].obstacles[1].shape, post);
        let ridge = &file.problems[2].obstacles[0].shape;
        assert!(matches!(ridge, Shape::HeightField(field) if field.n_places() == [2, 5]));
        let scan = &file.problems[3].obstacles[0].shape;
        assert!(matches!(scan, Shape::PointCloud { points, .. } if points.len() == 70));
    }

    #[test]
    fn points_of_a_cloud_can_stand_in_a_file_of_their_own() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("problems.json");
        let good = good();
        let (before, rest) = good.split_once("\"points\":").unwrap();
        let (_, after) = rest.split_once("]],").unwrap();
        fs::write(&path, format!("{before}\"file\": \"scan.xyz\",{after}")).unwrap();
        let Err(error) = ProblemFile::read(&path, 7) else {
            panic!("there is no such file");
        };
        let text = error.to_string();
        assert!(text.contains("problems[3].point_clouds[0].file"), "{text}");
        fs::write(dir.path().join("scan.xyz"), "0 0 0\n0.1 0 0\n").unwrap();
        let file = ProblemFile::read(&path, 7).unwrap_or_else(|error| panic!("{error}"));
        let scan = &file.problems[3].obstacles[0].shape;
        assert!(matches!(scan, Shape::PointCloud { points, .. } if points.len() == 2));
    }

    #[test]
    fn a_bad_file_is_named_with_its_field() {
        let cases = [
            ("0.05}", "-0.05}", "problems[1].spheres[0].radius"),
            ("\"start\"", "\"begin\"", "problems[0].start"),
            (
                "[0.25, 0.02, 0.45]",
                "[0.25, 0.02]",
                "problems[0].boxes[0].half_extents",
            ),
            (
                "[0.0, 0.2, 0.4, 0.2, 0.0]",
                "[0.0, 0.2]",
                "problems[2].height_fields[0].heights",
            ),
            ("0.05,", "\"wide\",", "problems[3].point_clouds[0].radius"),
            ("[-2.9671, 2.9671],", "", "joint_limits_vamp"),
            ("{", "", "not JSON"),
        ];
        for (from, to, said) in cases {
            let Err(error) = read(from, to) else {
                panic!("`{to}` for `{from}` is refused");
            };
            let text = error.to_string();
            assert!(
                text.contains(said) && text.contains("problems.json"),
                "{text}"
            );
            assert_eq!(error.exit_code(), ExitCode::BadFile);
        }
    }

    /// Whatever is in the file: `tests/outside` says more.
    #[test]
    fn problem_files_from_outside_are_read_or_refused() {
        let pieces = "\"radius\":|\"boxes\":|\"heights\":|\"points\":|\"file\":\"problems.json\"|\
         \"quaternion_xyzw\":[0,0,0,0]|[0,0,0]";
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("problems.json");
        let read = move |input: &[u8]| {
            fs::write(&path, input).unwrap();
            ProblemFile::read(&path, 7).is_ok()
        };
        // The folder lives as long as the reader.
        let read = move |input: &[u8]| dir.path().exists() && read(input);
        harness::try_all([harness::target("problems", &[&good()], pieces, 20, read)]);
    }
}
