//! Input and output of the calibration.

use nalgebra::Vector3;
use regrasp_api::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sample::{CalibrateError, Kind, Sample};
use crate::placement::{Mount, Placement};

/// Poses of the arm with the sightings of the camera, YAML or JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SightingsFile {
    /// The camera's name.
    pub camera: String,
    /// Mounting of the camera.
    pub mounting: Mounting,
    /// Position of the observed point, if known, m: in the tool frame (between the fingertips) for
    /// a camera beside the arm, in the frame of the arm's base for a camera on the hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// One entry for each pose of the arm, all of one marker.
    pub seen: Vec<SightingEntry>,
}

/// Mounting of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mounting {
    /// The camera stands beside the arm, and the hand holds the marker.
    EyeToHand,
    /// The camera is mounted on the hand, and the marker is fixed in the cell.
    EyeInHand,
}

/// One pose of the arm. Every entry has a pose of the marker, or every entry has a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SightingEntry {
    /// Pose of the point between the fingertips, as the arm reports it.
    pub base_from_tool: Placement,
    /// Pose of the marker in the camera frame (+z forward, +x right, +y down).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera_from_marker: Option<Placement>,
    /// Position of a point in the camera frame, such as the middle of a ball, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point_in_camera: Option<[f64; 3]>,
}

/// Pose of a camera with its uncertainty, for `calibration` in a file of cameras.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The camera's name.
    pub camera: String,
    /// Pose of a camera beside the arm, in the frame of the arm's base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_from_camera: Option<Placement>,
    /// Pose of a camera on the hand, in the tool frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_from_camera: Option<Placement>,
    /// Number of sightings.
    pub n_seen: usize,
    /// Indices, from 0, of the sightings that were rejected as outliers.
    pub dropped: Vec<usize>,
    /// Position residual of the marker, root mean square, m.
    pub rms_position_m: f64,
    /// Largest position residual of the marker, m.
    pub max_position_m: f64,
    /// Rotation residual of the marker, root mean square, rad; for poses only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rms_rotation_rad: Option<f64>,
    /// Standard deviation of the camera's position that follows from the residuals, m.
    pub std_position_m: f64,
    /// Standard deviation of the camera's rotation, rad.
    pub std_rotation_rad: f64,
}

impl Calibration {
    /// Returns the camera's pose with its parent frame. An error is a sentence.
    pub(crate) fn mount(&self) -> Result<Mount, String> {
        match (&self.base_from_camera, &self.tool_from_camera) {
            (Some(at), None) => at.pose().map(Mount::Base).map_err(in_field("base")),
            (None, Some(at)) => at.pose().map(Mount::Tool).map_err(in_field("tool")),
            _ => Err(
                "the calibration needs exactly one of `base_from_camera` and `tool_from_camera`"
                    .into(),
            ),
        }
    }
}

fn in_field(carrier: &'static str) -> impl Fn(String) -> String {
    move |problem| format!("{carrier}_from_camera.{problem}")
}

impl SightingsFile {
    /// Converts the sightings to the form of the solvers.
    pub(super) fn samples(&self) -> Result<(Kind, Vec<Sample>), CalibrateError> {
        let wrong = CalibrateError;
        let first = self.seen.first();
        let is_pose = first.is_some_and(|s| s.camera_from_marker.is_some());
        let kind = match self.point {
            Some(_) if is_pose => {
                return Err(wrong(
                    "point: this field needs `point_in_camera` in the entries of `seen`".into(),
                ));
            }
            Some(point) if point.iter().all(|x| x.is_finite()) => {
                Kind::KnownPoint(Vector3::from(point))
            }
            Some(point) => return Err(wrong(format!("point: {point:?} is not finite"))),
            None if is_pose => Kind::Poses,
            None => Kind::Points,
        };
        let sample = |(idx, entry): (usize, &SightingEntry)| {
            let at = |problem: String| wrong(format!("seen[{idx}].{problem}"));
            let base_from_tool = entry.base_from_tool.pose();
            let base_from_tool = base_from_tool.map_err(|p| at(format!("base_from_tool.{p}")))?;
            let seen = match (&entry.camera_from_marker, &entry.point_in_camera) {
                (Some(pose), None) if is_pose => {
                    let pose = pose.pose();
                    pose.map_err(|p| at(format!("camera_from_marker.{p}")))?
                }
                (None, Some(point)) if !is_pose && point.iter().all(|x| x.is_finite()) => {
                    let [x, y, z] = *point;
                    Pose::translation(x, y, z)
                }
                (None, None) => {
                    return Err(at(
                        "camera_from_marker: expected this field or `point_in_camera`".to_owned(),
                    ));
                }
                _ => {
                    let needed = match is_pose {
                        true => "camera_from_marker",
                        false => "point_in_camera",
                    };
                    return Err(at(format!(
                        "{needed}: expected only this field, as in the other entries"
                    )));
                }
            };
            Ok(Sample {
                carrier: match self.mounting {
                    Mounting::EyeToHand => base_from_tool,
                    Mounting::EyeInHand => base_from_tool.inverse(),
                },
                seen,
                is_point: !is_pose,
            })
        };
        let samples = self.seen.iter().enumerate().map(sample);
        Ok((kind, samples.collect::<Result<_, _>>()?))
    }
}
