//! Memory of earlier looks: persistent names, partly hidden shapes, and the object in the hand.

use nalgebra::Point3;
use regrasp_api::{
    Aabb, GripperState, ObjectId, Observation, PerceivedObject, Pose, Shape, color_name,
};
use serde::{Deserialize, Serialize};

use crate::cloud::Cloud;
use crate::colour;
use crate::extent::{around, extent};
use crate::fit::Fitted;
use crate::plane::Plane;
use crate::solid;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) id: ObjectId,
    pub(crate) category: String,
    pub(crate) color: String,
    pub(crate) rgb: [f32; 3],
    pub(crate) shape: Shape,
    pub(crate) world_from_object: Pose,
    pub(crate) position_std_m: f64,
    /// True if the shape was measured when all of the object was visible.
    pub(crate) is_whole: bool,
    /// Pose in the hand while the object is held.
    pub(crate) tool_from_object: Option<Pose>,
    /// True if an image shows the background at the object's place.
    pub(crate) is_gone: bool,
    /// True if the last look neither showed the object nor ruled it out.
    #[serde(default)]
    pub(crate) is_hidden: bool,
    /// State of a catalogue object; `None` for others.
    pub(crate) known: Option<Instance>,
}

/// State of a catalogue object besides its pose, which is that of its base.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Instance {
    /// Index of the model, because models of different scenes may have the same name.
    pub(crate) model: usize,
    pub(crate) is_movable: bool,
    pub(crate) openings: Vec<f64>,
    pub(crate) opening_stds: Vec<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) plane: Plane,
    pub(crate) bounds: Aabb,
    pub(crate) color: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) table: Option<Table>,
    pub(crate) tracks: Vec<Track>,
    /// The robot's own readings at the last look that succeeded.
    pub(crate) last: Option<Observation>,
}

/// Size above which an object is taken for furniture of the cell, m.
const FURNITURE_M: f64 = 0.35;
/// Number of points used to find the table.
const N_SAMPLES: usize = 4000;
/// Number of points used to find the table's extent.
const N_ON_TABLE: usize = 16_000;
/// Fraction of points on the known table below which the table is searched again.
const STILL_THERE: f64 = 0.08;
/// Distance from the tool point within which an object is between the closed fingers, m.
const IN_HAND_M: f64 = 0.012;

impl Memory {
    /// Finds the table, or confirms that it is still there. A new table has no colour yet.
    pub(crate) fn look_for_table(&mut self, clouds: &[Cloud], workspace: &Aabb, seed: u64) {
        let points = sampled(clouds, workspace, N_SAMPLES).map(|(_, _, p)| p);
        let points: Vec<_> = points.collect();
        let is_there = |table: &&Table| table.plane.support(&points) > STILL_THERE;
        let still = self.table.as_ref().filter(is_there);
        let found = || Plane::find(&points, seed);
        let Some(plane) = still.map(|table| table.plane).or_else(found) else {
            return;
        };
        let on_it = sampled(clouds, workspace, N_ON_TABLE).map(|(_, _, p)| p);
        let on_it: Vec<_> = on_it.filter(|p| is_on(&plane, p)).collect();
        let bounds = still.map(|t| t.bounds).into_iter().chain(extent(&on_it));
        let bounds = bounds.reduce(|a, b| around(&a, &b));
        self.table = bounds.map(|bounds| Table {
            plane,
            bounds,
            color: still.map(|table| table.color.clone()).unwrap_or_default(),
        });
    }

    /// Names the colour of a new table.
    pub(crate) fn name_table(&mut self, clouds: &[Cloud], workspace: &Aabb) {
        let Some(table) = self.table.as_mut().filter(|t| t.color.is_empty()) else {
            return;
        };
        let on_table =
            sampled(clouds, workspace, N_SAMPLES).filter(|(_, _, p)| is_on(&table.plane, p));
        let colours: Vec<_> = on_table.map(|(cloud, at, _)| cloud.color(at)).collect();
        table.color = color_name(colour::typical(&colours)).to_owned();
    }

    /// Updates the held object: an object between fingers that press on something moves with them,
    /// and an object that they no longer touch does not.
    pub(crate) fn grip(&mut self, world_from_tool: &Pose, felt: &GripperState) {
        /// Width below which nothing is between the fingers, m.
        const CLOSED_M: f64 = 0.001;
        // Fingers that are only positioned, such as for a push, hold nothing.
        let presses = felt.grip_force_n > 0.0 && felt.presses(CLOSED_M);
        if felt.feels_nothing() || felt.finger_contact.is_none() && !presses {
            for track in &mut self.tracks {
                track.tool_from_object = None;
            }
        }
        for track in &mut self.tracks {
            if let Some(tool_from_object) = &track.tool_from_object {
                track.world_from_object = world_from_tool * tool_from_object;
            }
        }
        let holds = self.tracks.iter().any(|t| t.tool_from_object.is_some());
        if !presses || holds {
            return;
        }
        let tool = Point3::from(world_from_tool.translation.vector);
        let between = self.tracks.iter_mut();
        let between = between.filter(|t| !t.is_gone && t.is_movable());
        let depths = between.map(|t| (depth_in(t, &tool), t));
        let near = depths.filter(|(depth, _)| *depth < IN_HAND_M);
        let nearest = near.min_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, track)) = nearest {
            track.tool_from_object = Some(world_from_tool.inverse() * track.world_from_object);
        }
    }

    /// An id that no object has: `first`, or `first` with a number.
    pub(crate) fn new_id(&self, first: String) -> ObjectId {
        let is_free = |name: &String| self.tracks.iter().all(|t| t.id.as_str() != name);
        let more = (2..).map(|n| format!("{first}_{n}"));
        let mut names = std::iter::once(first.clone()).chain(more);
        ObjectId::new(names.find(is_free).unwrap_or(first))
    }

    pub(crate) fn add(&mut self, fitted: Fitted, rgb: [f32; 3], is_whole: bool) {
        let color = color_name(rgb);
        self.tracks.push(Track {
            id: self.new_id(format!("{color}_{}", fitted.category)),
            category: fitted.category.to_owned(),
            color: color.to_owned(),
            rgb,
            shape: fitted.shape,
            world_from_object: fitted.world_from_object,
            position_std_m: STD_SEEN_M,
            is_whole,
            tool_from_object: None,
            is_gone: false,
            is_hidden: false,
            known: None,
        });
    }
}

/// Points of the cell that are spread evenly over all images, with their pixels.
fn sampled<'a>(
    clouds: &'a [Cloud],
    workspace: &'a Aabb,
    n: usize,
) -> impl Iterator<Item = (&'a Cloud, usize, Point3<f64>)> {
    let total: usize = clouds.iter().map(|c| c.depths.len()).sum();
    let pixels = |cloud: &'a Cloud| (0..cloud.depths.len()).map(move |at| (cloud, at));
    let all = clouds.iter().flat_map(pixels);
    // The step is odd: an even step could divide the number of columns, and then miss most of them.
    let sampled = all.step_by((total / n) | 1);
    sampled.filter_map(|(cloud, at)| {
        let point = cloud.free_point(at).filter(|p| workspace.contains(p))?;
        Some((cloud, at, point))
    })
}

fn is_on(plane: &Plane, p: &Point3<f64>) -> bool {
    plane.height(p).abs() < 0.002
}

/// Standard deviation of the position of a visible object, m.
pub(crate) const STD_SEEN_M: f64 = 0.001;
/// Standard deviation of the position of a hidden object, m.
pub(crate) const STD_HIDDEN_M: f64 = 0.003;

/// Signed distance of a point from an object, m; negative inside, or 0 if its shape has no formula.
fn depth_in(track: &Track, p: &Point3<f64>) -> f64 {
    let local = track.world_from_object.inverse_transform_point(p);
    solid::distance(&track.shape, &local)
        .unwrap_or_else(|| solid::gap(&track.shape, &track.world_from_object, p))
}

impl Track {
    fn is_movable(&self) -> bool {
        let size = self.shape.aabb(&Pose::identity()).size();
        let known = self.known.as_ref();
        known.map_or(size.max() < FURNITURE_M, |known| known.is_movable)
    }

    pub(crate) fn object(&self) -> PerceivedObject {
        PerceivedObject {
            id: self.id.clone(),
            category: self.category.clone(),
            color: Some(self.color.clone()),
            shape: self.shape.clone(),
            world_from_object: self.world_from_object,
            position_std_m: self.position_std_m,
            movable: self.is_movable(),
        }
    }
}

impl Table {
    /// Makes a block from the floor to the plane: the space under a table is not visible.
    pub(crate) fn object(&self, floor_z: f64) -> PerceivedObject {
        const THINNEST_M: f64 = 0.02;
        let (min, max) = (self.bounds.min, self.bounds.max);
        let center = [0, 1].map(|i| 0.5 * (min[i] + max[i]));
        let top_z = self.plane.z_at(center[0], center[1]);
        let half_z = 0.5 * (top_z - floor_z).max(THINNEST_M);
        let half = [0, 1].map(|i| 0.5 * (max[i] - min[i]));
        PerceivedObject {
            id: ObjectId::new("table"),
            category: "table".into(),
            color: Some(self.color.clone()),
            shape: Shape::cuboid([half[0], half[1], half_z]),
            world_from_object: Pose::translation(center[0], center[1], top_z - half_z),
            position_std_m: 0.0,
            movable: false,
        }
    }
}
