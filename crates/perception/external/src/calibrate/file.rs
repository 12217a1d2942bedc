//! Input and output of the calibration.

use nalgebra::Vector3;
use regrasp_api::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sample::{CalibrateError, Kind, Sample};
use crate::placement::{Mount, Placement};

/// Where the arm stood and what the camera saw there, YAML or JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SightingsFile {
    /// The camera's name.
    pub camera: String,
    /// What the camera is fixed to.
    pub mounting: Mounting,
    /// Where the point that is seen sits, if that is known, m: in the hand (seen from between the
    /// fingertips) for a camera beside the arm, in the arm's base for a camera in the hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// One entry for each pose of the arm, all of one marker.
    pub seen: Vec<SightingEntry>,
}

/// What a camera is fixed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mounting {
    /// It stands beside the arm, and the marker is in the hand.
    EyeToHand,
    /// It sits on the hand, and the marker lies in the cell.
    EyeInHand,
}

/// One pose of the arm. Every entry has a pose of the marker, or every entry has a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SightingEntry {
    /// Where the point between the fingertips was, as the arm says.
    pub base_from_tool: Placement,
    /// Where the marker was, as the camera says (+z forward, +x right, +y down).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera_from_marker: Option<Placement>,
    /// The same of a point, such as the middle of a ball, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point_in_camera: Option<[f64; 3]>,
}

/// Where a camera is, and how sure that is: what a file of cameras refers to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The camera's name.
    pub camera: String,
    /// Where it stands, if it stands beside the arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_from_camera: Option<Placement>,
    /// Where it sits, if it sits on the hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_from_camera: Option<Placement>,
    /// How many poses were seen.
    pub n_seen: usize,
    /// Which of them, counted from 0, did not fit the rest and were left out.
    pub dropped: Vec<usize>,
    /// How far the marker is from where it should be, root mean square, m.
    pub rms_position_m: f64,
    /// The same at most, m.
    pub max_position_m: f64,
    /// How far it is turned away, root mean square, rad; for poses only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rms_rotation_rad: Option<f64>,
    /// Standard deviation of the camera's position that follows from these, m.
    pub std_position_m: f64,
    /// The same of its rotation, rad.
    pub std_rotation_rad: f64,
}

impl Calibration {
    /// Returns the camera's pose with its parent frame; an error is a sentence.
    pub(crate) fn mount(&self) -> Result<Mount, String> {
        match (&self.base_from_camera, &self.tool_from_camera) {
            (Some(at), None) => at.pose().map(Mount::Base).map_err(in_field("base")),
            (None, Some(at)) => at.pose().map(Mount::Tool).map_err(in_field("tool")),
            _ => Err("it needs one of `base_from_camera` and `tool_from_camera`".into()),
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
                    "point: it says something only where `point_in_camera` is given".into(),
                ));
            }
            Some(point) if point.iter().all(|x| x.is_finite()) => {
                Kind::KnownPoint(Vector3::from(point))
            }
            Some(point) => return Err(wrong(format!("point: {point:?} is no point"))),
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
                _ => {
                    let needed = match is_pose {
                        true => "camera_from_marker",
                        false => "point_in_camera",
                    };
                    return Err(at(format!(
                        "{needed}: this and nothing else is needed, as in the other entries"
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
