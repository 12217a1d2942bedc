//! Motion-planning problems in the format of the MotionBenchMaker data sets: JSON with primitive
//! obstacles in the frame of the arm's base.

use std::path::{Path, PathBuf};

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp::api::{HeightField, ObjectId, Obstacle, Pose, Shape};
use regrasp::mesh::{read_points, read_text};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CliError, Result};

/// Keys of a file that are ignored here: they describe it to people and other programs.
const NOTES: [&str; 8] = [
    "comment",
    "families",
    "joint_limits_datasheet",
    "joint_names",
    "robot",
    "schema",
    "source",
    "units",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProblemFile {
    /// Joint limits, rad. `None` for those of the robot.
    #[serde(default, rename = "joint_limits_vamp")]
    pub(super) bounds: Option<Vec<[f64; 2]>>,
    /// Travel of each finger from closed, m. `None` for open fingers.
    #[serde(default, rename = "finger_joint_position")]
    finger: Option<f64>,
    #[serde(skip)]
    pub(super) finger_m: f64,
    pub(super) problems: Vec<Problem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Problem {
    pub(super) family: String,
    pub(super) index: u64,
    pub(super) start: Vec<f64>,
    pub(super) goals: Vec<Vec<f64>>,
    /// True if start and goal are free of collisions, according to the data set.
    pub(super) valid: bool,
    /// Costs of the reference planner's path.
    #[serde(rename = "vamp_ref")]
    pub(super) reference: Option<Costs>,
    /// Obstacles that [`ProblemFile::check`] makes of the lists below.
    #[serde(skip)]
    pub(super) obstacles: Vec<Obstacle>,
    spheres: Vec<Item>,
    boxes: Vec<Item>,
    cylinders: Vec<Item>,
    #[serde(default)]
    height_fields: Vec<Item>,
    #[serde(default)]
    point_clouds: Vec<Item>,
    #[serde(default, rename = "comment")]
    _comment: IgnoredAny,
}

/// Path lengths before and after simplification, rad.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Costs {
    pub(super) raw_cost: f64,
    pub(super) simplified_cost: f64,
}

/// Obstacle; the required fields depend on its list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    name: String,
    position: [f64; 3],
    quaternion_xyzw: [f64; 4],
    radius: Option<Length>,
    length: Option<Length>,
    half_extents: Option<[Length; 3]>,
    size: Option<[f64; 2]>,
    heights: Option<Vec<Vec<f64>>>,
    bottom: Option<f64>,
    points: Option<Vec<[f64; 3]>>,
    file: Option<PathBuf>,
    #[serde(default, rename = "comment")]
    _comment: IgnoredAny,
}

/// Length above zero, m.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Length(f64);

impl TryFrom<f64> for Length {
    type Error = &'static str;

    fn try_from(length: f64) -> Result<Self, Self::Error> {
        match length > 0.0 {
            true => Ok(Self(length)),
            false => Err("expected a length above zero"),
        }
    }
}

/// Invalid field, and the expected value.
type Wrong = (String, String);

fn wrong(field: impl Into<String>, expected: impl Into<String>) -> Wrong {
    (field.into(), expected.into())
}

impl ProblemFile {
    /// Reads a file for an arm of `dof` joints, each of whose fingers travels by `open_m`.
    ///
    /// # Errors
    ///
    /// [`CliError`] with the file and the invalid field.
    pub(super) fn read(path: &Path, dof: usize, open_m: f64) -> Result<Self> {
        let text = read_text(path).map_err(CliError::reading(&path))?;
        let problems = Self::parse(&text, dof, path.parent().unwrap_or(Path::new("")));
        let mut file = problems.map_err(|detail| {
            let path = path.display();
            CliError::file(format_args!("read problems from {path}: {detail}"))
        })?;
        file.finger_m = file.finger.unwrap_or(open_m);
        Ok(file)
    }

    fn parse(text: &str, dof: usize, folder: &Path) -> Result<Self, String> {
        let json = serde_json::from_str(text).map_err(|e| format!("it is not JSON: {e}"))?;
        let Value::Object(mut json) = json else {
            return Err("expected an object with the list `problems`".to_owned());
        };
        for note in NOTES {
            json.remove(note);
        }
        let json = Value::Object(json);
        let mut file: Self = serde_path_to_error::deserialize(json)
            .map_err(|e| format!("field `{}`: {}", e.path(), e.inner()))?;
        let checked = file.check(dof, folder);
        checked.map_err(|(field, expected)| format!("field `{field}`: expected {expected}"))?;
        Ok(file)
    }

    /// Checks the values, and makes the obstacles.
    fn check(&mut self, dof: usize, folder: &Path) -> Result<(), Wrong> {
        let bounds = self.bounds.iter().flatten();
        if let Some(at) = bounds.clone().position(|[low, high]| low >= high) {
            let field = format!("joint_limits_vamp[{at}]");
            return Err(wrong(field, "a lower and a higher limit"));
        }
        if self.bounds.is_some() && bounds.count() != dof {
            let expected = "one pair for each joint of the arm";
            return Err(wrong("joint_limits_vamp", expected));
        }
        if self.problems.is_empty() {
            return Err(wrong("problems", "at least one problem"));
        }
        for (i, problem) in self.problems.iter_mut().enumerate() {
            let inside = |(field, expected)| (format!("problems[{i}].{field}"), expected);
            problem.check(dof).map_err(inside)?;
            problem.obstacles = problem.obstacles(folder).map_err(inside)?;
        }
        Ok(())
    }
}

impl Problem {
    fn check(&self, dof: usize) -> Result<(), Wrong> {
        let goals = self.goals.iter().enumerate();
        let goals = goals.map(|(i, goal)| (format!("goals[{i}]"), goal));
        let mut joints = std::iter::once(("start".to_owned(), &self.start)).chain(goals);
        if let Some((field, _)) = joints.find(|(_, q)| q.len() != dof) {
            return Err(wrong(field, "one number for each joint of the arm"));
        }
        match self.goals.is_empty() {
            true => Err(wrong("goals", "at least one configuration")),
            false => Ok(()),
        }
    }

    fn obstacles(&self, folder: &Path) -> Result<Vec<Obstacle>, Wrong> {
        let mut obstacles = vec![];
        for (kind, items) in [
            ("spheres", &self.spheres),
            ("boxes", &self.boxes),
            ("cylinders", &self.cylinders),
            ("height_fields", &self.height_fields),
            ("point_clouds", &self.point_clouds),
        ] {
            for (i, item) in items.iter().enumerate() {
                let obstacle = item.obstacle(kind, folder);
                let inside = |(field, expected)| (format!("{kind}[{i}].{field}"), expected);
                obstacles.push(obstacle.map_err(inside)?);
            }
        }
        Ok(obstacles)
    }
}

/// Returns the value of a field, or an error if it is missing.
fn needed<T: Clone>(field: &Option<T>, name: &str) -> Result<T, Wrong> {
    field.clone().ok_or_else(|| wrong(name, "a value"))
}

impl Item {
    fn obstacle(&self, kind: &str, folder: &Path) -> Result<Obstacle, Wrong> {
        let [x, y, z] = self.position;
        let rotation = UnitQuaternion::try_new(Quaternion::from(self.quaternion_xyzw), 1e-6);
        let rotation =
            rotation.ok_or_else(|| wrong("quaternion_xyzw", "a quaternion other than zero"))?;
        Ok(Obstacle {
            id: ObjectId::new(self.name.as_str()),
            shape: self.shape(kind, folder)?,
            world_from_object: Pose::from_parts(Translation3::new(x, y, z), rotation),
        })
    }

    fn shape(&self, kind: &str, folder: &Path) -> Result<Shape, Wrong> {
        let radius = || needed(&self.radius, "radius").map(|length| length.0);
        Ok(match kind {
            "spheres" => Shape::Sphere { radius: radius()? },
            "boxes" => Shape::Box {
                half_extents: needed(&self.half_extents, "half_extents")?.map(|half| half.0),
            },
            "cylinders" => Shape::cylinder(radius()?, 0.5 * needed(&self.length, "length")?.0),
            "height_fields" => {
                let field = HeightField {
                    size: needed(&self.size, "size")?,
                    heights: needed(&self.heights, "heights")?,
                    bottom: needed(&self.bottom, "bottom")?,
                };
                if let Some(flaw) = field.flaw() {
                    return Err(wrong("heights", format!("a grid of heights ({flaw})")));
                }
                Shape::HeightField(field)
            }
            _ => Shape::PointCloud {
                radius: radius()?,
                points: self.cloud(folder)?,
            },
        })
    }

    /// Points of a cloud: in the field `points`, or in the file that `file` names.
    fn cloud(&self, folder: &Path) -> Result<Vec<[f64; 3]>, Wrong> {
        if let Some(file) = &self.file {
            return read_points(&folder.join(file), 1.0)
                .map_err(|flaw| wrong("file", format!("a file of points ({flaw})")));
        }
        match needed(&self.points, "points")? {
            points if points.is_empty() => Err(wrong("points", "at least one point")),
            points => Ok(points),
        }
    }
}

#[cfg(test)]
#[path = "../../../../tests/outside/harness.rs"]
mod harness;

#[cfg(test)]
mod tests {
    use std::fs;

    use regrasp_testkit::{rows, says};

    use super::*;
    use crate::exit::ExitCode;

    fn good() -> String {
        let path = regrasp_assets::workspace_root().join("tests/data/plan_problems.json");
        fs::read_to_string(path).unwrap()
    }

    /// Reads the fixture with one text replaced.
    fn read(from: &str, to: &str) -> Result<ProblemFile> {
        assert!(good().contains(from), "the fixture has `{from}`");
        read_file(&good().replacen(from, to, 1))
    }

    fn read_file(text: &str) -> Result<ProblemFile> {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("problems.json");
        fs::write(&path, text).unwrap();
        ProblemFile::read(&path, 7, 0.04)
    }

    #[test]
    fn a_file_without_header_is_for_the_limits_of_the_robot_and_open_fingers() {
        let file = read("wall", "wall").unwrap_or_else(|error| panic!("{error}"));
        let n_bounds = file.bounds.map(|bounds| bounds.len());
        assert_eq!((n_bounds, file.finger_m), (Some(7), 0.03));
        let good = good();
        let (_, problems) = good.split_once("\"problems\"").unwrap();
        let file = read_file(&format!("{{\"problems\"{problems}"));
        let file = file.unwrap_or_else(|error| panic!("{error}"));
        let read = (file.bounds, file.finger_m, file.problems.len());
        assert_eq!(read, (None, 0.04, 4));
    }

    #[test]
    fn problems_are_read_with_their_obstacles() {
        let file = read("wall", "wall").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.problems.len(), 4);
        assert_eq!(file.problems[0].obstacles.len(), 1);
        assert_eq!(file.problems[0].reference, None);
        let reference = file.problems[1].reference.unwrap();
        let costs = [reference.raw_cost, reference.simplified_cost];
        assert_eq!(costs, [4.0, 3.0]);
        let post = Shape::cylinder(0.03, 0.2);
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
        let Err(error) = ProblemFile::read(&path, 7, 0.04) else {
            panic!("a missing file of points is refused");
        };
        says(&error.to_string(), &["problems[3].point_clouds[0].file"]);
        fs::write(dir.path().join("scan.xyz"), "0 0 0\n0.1 0 0\n").unwrap();
        let file = ProblemFile::read(&path, 7, 0.04).unwrap_or_else(|error| panic!("{error}"));
        let scan = &file.problems[3].obstacles[0].shape;
        assert!(matches!(scan, Shape::PointCloud { points, .. } if points.len() == 2));
    }

    #[test]
    fn a_bad_file_is_named_with_its_field() {
        for [from, to, said] in rows(
            r#"
            0.05}                     | -0.05}                        | problems[1].spheres[0].radius
            "start"                   | "begin"                       | problems[0].begin`: unknown field `begin`, expected one of
            [0.25, 0.02, 0.45]        | [0.25, 0.02]                  | problems[0].boxes[0].half_extents
            [0.0, 0.2, 0.4, 0.2, 0.0] | [0.0, 0.2]                    | problems[2].height_fields[0].heights
            0.05,                     | "wide",                       | problems[3].point_clouds[0].radius
            [-2.9671, 2.9671],        |                               | joint_limits_vamp
            {                         |                               | not JSON
            "cylinders": []           | "cylinders": [], "meshes": [] | problems[0].meshes`: unknown field `meshes`, expected one of `family`, `index`
            "name"                    | "nam"                         | problems[0].boxes[0].nam`: unknown field
            "schema"                  | "scheme"                      | `scheme`: unknown field `scheme`
        "#,
        ) {
            let Err(error) = read(&from, &to) else {
                panic!("`{to}` for `{from}` is refused");
            };
            says(&error.to_string(), &[&said, "problems.json"]);
            assert_eq!(error.exit_code(), ExitCode::BadFile);
        }
    }

    #[test]
    fn a_file_without_problems_is_refused() {
        for (text, said) in [
            ("[]", "an object with the list `problems`"),
            ("{}", "missing field `problems`"),
            ("{\"problems\": []}", "at least one problem"),
        ] {
            let error = read_file(text).err().map(|error| error.to_string());
            assert!(error.is_some_and(|e| e.contains(said)), "{text}");
        }
    }

    /// Fuzzes the content of a file, as `tests/outside` does.
    #[test]
    fn problem_files_from_outside_are_read_or_refused() {
        let pieces = "\"radius\":|\"boxes\":|\"heights\":|\"points\":|\"file\":\"problems.json\"|\
         \"quaternion_xyzw\":[0,0,0,0]|[0,0,0]";
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("problems.json");
        let read = move |input: &[u8]| {
            fs::write(&path, input).unwrap();
            ProblemFile::read(&path, 7, 0.04).is_ok()
        };
        // Moves the folder into the closure, to keep it alive.
        let read = move |input: &[u8]| dir.path().exists() && read(input);
        harness::try_all([harness::target("problems", &[&good()], pieces, 20, read)]);
    }
}
