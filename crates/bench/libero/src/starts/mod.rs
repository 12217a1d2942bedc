//! LIBERO's published files of initial states.
//!
//! `init_files/<suite>/<task>.pruned_init` holds one row for each trial: `MuJoCo`'s time, all joint
//! positions, all joint velocities. The joints are, in this order: arm, fingers, the movable
//! objects in the order of the problem file (position, quaternion w x y z, then their own joints),
//! the fixtures' joints. LIBERO and robosuite assemble a model in this order. A row does not
//! contain the poses of fixtures, which LIBERO draws at each reset.

mod archive;
mod pickle;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use regrasp_api::ObjectId;

use crate::assets::AssetModel;
use crate::error::LiberoError;
use crate::problem::Instance;

/// Number of joints of LIBERO's arm.
pub(crate) const N_ARM: usize = 7;
/// Number of joints of LIBERO's gripper.
const N_FINGERS: usize = 2;
/// Number of values of a movable object's position and quaternion.
const N_POSE: usize = 7;
/// Number of values of a movable object's velocity.
const N_TWIST: usize = 6;
/// Largest accepted deviation of a quaternion's length from 1.
const OFF_UNIT: f64 = 1e-3;
/// Distance by which a joint may exceed its range, m or rad, as limits are soft in `MuJoCo`.
const BEYOND: f64 = 0.02;

/// Source of start states.
#[derive(Clone, Debug, Default, PartialEq, Eq, derive_more::Display)]
pub enum Starts {
    /// A row of LIBERO's file of initial states, in `init_files` beside `bddl_files`. Drawn if
    /// there is no such file.
    #[default]
    #[display("auto")]
    Auto,
    /// Drawn by LIBERO's rules.
    #[display("drawn")]
    Drawn,
    /// A row of `<suite>/<task>.pruned_init` in this folder.
    #[display("{}", _0.display())]
    Folder(PathBuf),
}

impl FromStr for Starts {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "drawn" => Self::Drawn,
            folder => Self::Folder(folder.into()),
        })
    }
}

impl Starts {
    /// Returns the file of initial states for a problem file, if one is to be read.
    pub(crate) fn file(&self, problem: &Path) -> Option<PathBuf> {
        let suite = problem.parent()?;
        let own = Path::new(suite.file_name()?).join(problem.file_name()?);
        let own = own.with_extension("pruned_init");
        match self {
            Self::Drawn => None,
            Self::Folder(folder) => Some(folder.join(own)),
            Self::Auto => {
                let beside = suite.parent()?.parent()?.join("init_files").join(own);
                beside.is_file().then_some(beside)
            }
        }
    }
}

/// Rows of one file, checked against the objects of its problem.
#[derive(Clone, Debug)]
pub(crate) struct InitStates {
    path: PathBuf,
    rows: Vec<Vec<f64>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) arm: [f64; N_ARM],
    /// Movable objects by name: origin in World, m, and orientation.
    pub(crate) poses: Vec<(String, Vector3<f64>, UnitQuaternion<f64>)>,
    /// Positions of the objects' joints, m or rad.
    pub(crate) joints: Vec<(ObjectId, f64)>,
}

/// A group of values in a row: the pose of an object or the position of a joint.
enum Entry<'a> {
    Pose(&'a str),
    Joint(&'a ObjectId, [f64; 2]),
}

/// Returns the groups of a row in order, each with the index of its first value.
fn entries<'a>(models: &'a [(Instance, bool, AssetModel)]) -> Vec<(usize, Entry<'a>)> {
    let of = |is_fixture: bool| {
        models
            .iter()
            .filter(move |(_, fixed, _)| *fixed == is_fixture)
    };
    let mut entries = vec![];
    let mut next = 1 + N_ARM + N_FINGERS;
    for (instance, is_fixture, model) in of(false).chain(of(true)) {
        if !is_fixture {
            entries.push((next, Entry::Pose(&instance.name)));
            next += N_POSE;
        }
        for joint in &model.pieces.joints {
            entries.push((next, Entry::Joint(&joint.id, [joint.lower, joint.upper])));
            next += 1;
        }
    }
    entries
}

impl InitStates {
    /// Reads the states for a problem; `None` if they are to be drawn.
    pub(crate) fn find(
        starts: &Starts,
        problem: &Path,
        models: &[(Instance, bool, AssetModel)],
    ) -> Result<Option<Self>, LiberoError> {
        let Some(path) = starts.file(problem) else {
            return Ok(None);
        };
        let read = archive::load(&path).and_then(|array| {
            let [n_rows, n_columns] = array.shape.as_slice() else {
                return Err(format!(
                    "the array has the shape {:?}, expected two dimensions: one row per state",
                    array.shape
                ));
            };
            check_size(*n_rows, *n_columns, models)?;
            let rows = array.numbers.chunks_exact(*n_columns).map(<[f64]>::to_vec);
            let rows: Vec<_> = rows.collect();
            for (i, row) in rows.iter().enumerate() {
                check(row, models).map_err(|message| format!("row {i}: {message}"))?;
            }
            Ok(rows)
        });
        match read {
            Ok(rows) => Ok(Some(Self { path, rows })),
            Err(message) => Err(LiberoError(format!(
                "read the initial states `{}`: {message}; to draw them instead, give \
                 `--init-states drawn`",
                path.display()
            ))),
        }
    }

    pub(crate) fn row_of(&self, seed: u64) -> usize {
        usize::try_from(seed % self.rows.len().max(1) as u64).unwrap_or(0)
    }

    /// Returns the name for reports: the file with its last two folders.
    pub(crate) fn name(&self) -> String {
        let parts: Vec<_> = self.path.components().rev().take(3).collect();
        let path: PathBuf = parts.into_iter().rev().collect();
        path.display().to_string()
    }

    pub(crate) fn start(&self, row: usize, models: &[(Instance, bool, AssetModel)]) -> Start {
        let row = self.rows.get(row).map(Vec::as_slice).unwrap_or_default();
        let at = |i: usize| row.get(i).copied().unwrap_or(0.0);
        let mut start = Start {
            arm: std::array::from_fn(|i| at(1 + i)),
            poses: vec![],
            joints: vec![],
        };
        for (first, entry) in entries(models) {
            match entry {
                Entry::Pose(name) => {
                    let origin = Vector3::new(at(first), at(first + 1), at(first + 2));
                    let turn = quaternion(|i| at(first + 3 + i));
                    let turn = UnitQuaternion::from_quaternion(turn);
                    start.poses.push((name.to_owned(), origin, turn));
                }
                Entry::Joint(id, [lower, upper]) => {
                    let position = at(first).clamp(lower, upper);
                    start.joints.push((id.clone(), position));
                }
            }
        }
        start
    }
}

/// Reads a quaternion in `MuJoCo`'s order w x y z.
fn quaternion(at: impl Fn(usize) -> f64) -> Quaternion<f64> {
    Quaternion::new(at(0), at(1), at(2), at(3))
}

fn check_size(
    n_rows: usize,
    n_columns: usize,
    models: &[(Instance, bool, AssetModel)],
) -> Result<(), String> {
    if n_rows == 0 {
        return Err("it has no rows".to_owned());
    }
    let (mut poses, mut joints) = (vec![], vec![]);
    for (_, entry) in entries(models) {
        match entry {
            Entry::Pose(name) => poses.push(name.to_owned()),
            Entry::Joint(id, _) => joints.push(id.to_string()),
        }
    }
    let n_hinges = N_ARM + N_FINGERS + joints.len();
    let expected = 1 + 2 * n_hinges + (N_POSE + N_TWIST) * poses.len();
    if n_columns == expected {
        return Ok(());
    }
    let or_none = |names: Vec<String>| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    Err(format!(
        "its rows have {n_columns} numbers, expected {expected}: the time, positions and \
         velocities of {} joints of arm and fingers, {N_POSE} and {N_TWIST} of each movable object \
         ({}), and one position and velocity of each other joint ({}); is it the file of another \
         problem?",
        N_ARM + N_FINGERS,
        or_none(poses),
        or_none(joints),
    ))
}

fn check(row: &[f64], models: &[(Instance, bool, AssetModel)]) -> Result<(), String> {
    if let Some(i) = row.iter().position(|number| !number.is_finite()) {
        return Err(format!(
            "number {i} is {}, expected a finite number",
            row[i]
        ));
    }
    for (first, entry) in entries(models) {
        match entry {
            Entry::Pose(name) => {
                let length = quaternion(|i| row[first + 3 + i]).norm();
                if (length - 1.0).abs() > OFF_UNIT {
                    return Err(format!(
                        "the quaternion of `{name}` (numbers {} to {}) has length {length:.3}, \
                         expected 1",
                        first + 3,
                        first + 6
                    ));
                }
            }
            Entry::Joint(id, [lower, upper]) => {
                let position = row[first];
                if !(lower - BEYOND..=upper + BEYOND).contains(&position) {
                    return Err(format!(
                        "joint `{id}` (number {first}) is at {position:.4}, outside its range \
                         {lower} to {upper}"
                    ));
                }
            }
        }
    }
    Ok(())
}
