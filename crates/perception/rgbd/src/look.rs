//! What was seen at a pixel of the last look.

use nalgebra::Point3;
use regrasp_api::{CameraView, ObjectId, PerceivedObject, PerceptionError};
use regrasp_render::png_bytes;

use crate::cloud::{Cloud, Kind};
use crate::owner::Owners;

/// A place in a picture. Pixels are counted from the middle of the upper left one: column,
/// then row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A pixel, and what is close around it: nobody points at a single one.
    Point([f64; 2]),
    /// A box around something; its middle part counts.
    Box {
        /// The upper left corner.
        min: [f64; 2],
        /// The lower right corner.
        max: [f64; 2],
    },
}

/// What is seen somewhere in a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Nothing that reflects: no depth was measured.
    NoDepth,
    /// Something outside of the cell, or below or beside the table.
    OutOfCell,
    /// The robot itself.
    Robot,
    /// The table.
    Table,
    /// A thing; `None` if it is too small to have a shape.
    Thing(Option<ObjectId>),
}

/// What is seen at a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What.
    pub what: What,
    /// Median depth of it, m; `None` without depth.
    pub depth_m: Option<f64>,
    /// Where the middle of the region is at that depth, in World.
    pub point_in_world: Option<Point3<f64>>,
}

/// What the cameras showed in one look, and what perception made of it.
pub struct LastLook {
    pub(crate) views: Vec<CameraView>,
    pub(crate) clouds: Vec<Cloud>,
    pub(crate) objects: Vec<PerceivedObject>,
}

/// So many pixels of a picture's height around a point belong to it: 4 of 480.
const AROUND: f64 = 1.0 / 120.0;
/// No fewer than this, pixels.
const LEAST_AROUND: f64 = 2.0;
/// The part of a box's edges that counts: objects do not fill the corners.
const MIDDLE: f64 = 0.6;
/// Part of the measured pixels that a thing needs: more of it is often table, since things
/// are small and pointers are not exact.
const ENOUGH: f64 = 0.25;
/// Part of the pixels that have to be measured at all.
const MEASURED: f64 = 0.1;
/// Pixels that are looked at: more tell nothing new.
const MOST_PIXELS: usize = 4_000;

impl LastLook {
    /// The cameras, where they were.
    pub fn views(&self) -> &[CameraView] {
        &self.views
    }

    /// A camera's picture as a PNG.
    ///
    /// # Errors
    ///
    /// [`PerceptionError::Blind`] if there is no such camera, or its picture is broken.
    pub fn png(&self, camera: &str) -> Result<Vec<u8>, PerceptionError> {
        let blind = |detail: String| PerceptionError::Blind { detail };
        let no_camera = || blind(format!("there is no camera called `{camera}`"));
        let cloud = &self.clouds[self.idx(camera).ok_or_else(no_camera)?];
        let png = png_bytes(cloud.width as u32, cloud.height as u32, &cloud.rgb);
        png.map_err(|error| blind(format!("failed to {error}")))
    }

    /// What is seen at a region of a camera's picture; `None` if there is no such camera, or
    /// the region lies outside of the picture.
    pub fn at(&self, camera: &str, region: Region) -> Option<Hit> {
        let idx = self.idx(camera)?;
        let (view, cloud) = (&self.views[idx], &self.clouds[idx]);
        let pixels = pixels(cloud, region)?;
        let owners = Owners::new(&self.objects);
        let mut tally = RegionDepths::default();
        let every = pixels.len().div_ceil(MOST_PIXELS).max(1);
        for &at in pixels.iter().step_by(every) {
            tally.count(&self.what(cloud, &owners, at), cloud.depths[at]);
        }
        let (what, depth_m) = tally.winner();
        let [u, v] = middle(region);
        Some(Hit {
            what,
            depth_m,
            point_in_world: depth_m.map(|depth_m| view.point_in_world(u, v, depth_m)),
        })
    }

    fn idx(&self, camera: &str) -> Option<usize> {
        self.views.iter().position(|view| view.name == camera)
    }

    fn what(&self, cloud: &Cloud, owners: &Owners<'_>, at: usize) -> What {
        match cloud.kinds[at] {
            Kind::Robot => What::Robot,
            Kind::Table => What::Table,
            Kind::Thing | Kind::Unknown => {
                let p = Point3::from(cloud.points[at].map(f64::from));
                match owners.of(&p).map(|idx| &self.objects[idx]) {
                    // A crumb on it.
                    Some(owner) if owner.category == "table" => What::Table,
                    owner => What::Thing(owner.map(|o| o.id.clone())),
                }
            }
            Kind::Nothing if is_measured(cloud.depths[at]) => What::OutOfCell,
            Kind::Nothing => What::NoDepth,
        }
    }
}

fn is_measured(depth_m: f32) -> bool {
    depth_m.is_finite() && depth_m > 0.0
}

fn middle(region: Region) -> [f64; 2] {
    match region {
        Region::Point(pixel) => pixel,
        Region::Box { min, max } => [0, 1].map(|i| 0.5 * (min[i] + max[i])),
    }
}

/// Indices of the pixels that count; `None` if the middle is not in the picture.
fn pixels(cloud: &Cloud, region: Region) -> Option<Vec<usize>> {
    let size = [cloud.width, cloud.height].map(|n| n as f64);
    let center = middle(region);
    let is_inside = (0..2).all(|i| (-0.5..size[i] - 0.5).contains(&center[i]));
    let half = match region {
        Region::Point(_) => [(AROUND * size[1]).max(LEAST_AROUND); 2],
        Region::Box { min, max } => [0, 1].map(|i| 0.5 * MIDDLE * (max[i] - min[i]).abs()),
    };
    let range = |i: usize| {
        let low = (center[i] - half[i]).round().max(0.0) as usize;
        low..=(center[i] + half[i]).round().min(size[i] - 1.0) as usize
    };
    let row = |y: usize| range(0).map(move |x| y * cloud.width + x);
    is_inside.then(|| range(1).flat_map(row).collect())
}

/// What the pixels of a region show, with their depths.
#[derive(Default)]
struct RegionDepths {
    n: usize,
    seen: Vec<(What, Vec<f32>)>,
}

impl RegionDepths {
    fn count(&mut self, what: &What, depth_m: f32) {
        self.n += 1;
        if *what == What::NoDepth {
            return;
        }
        match self.seen.iter_mut().find(|(seen, _)| seen == what) {
            Some((_, depths)) => depths.push(depth_m),
            None => self.seen.push((what.clone(), vec![depth_m])),
        }
    }

    /// What is meant, and its median depth.
    fn winner(mut self) -> (What, Option<f64>) {
        let measured: usize = self.seen.iter().map(|(_, depths)| depths.len()).sum();
        if (measured as f64) < MEASURED * self.n as f64 || measured == 0 {
            return (What::NoDepth, None);
        }
        // The first of those that are seen equally often: pixels come in a stable order.
        self.seen
            .sort_by_key(|(_, depths)| std::cmp::Reverse(depths.len()));
        let is_meant = |(what, depths): &(What, Vec<f32>)| {
            let part = depths.len() as f64 / measured as f64;
            matches!(what, What::Thing(Some(_))) && part >= ENOUGH
        };
        let idx = self.seen.iter().position(is_meant);
        let (what, mut depths) = self.seen.swap_remove(idx.unwrap_or(0));
        let half = depths.len() / 2;
        let (_, median, _) = depths.select_nth_unstable_by(half, f32::total_cmp);
        (what, Some(f64::from(*median)))
    }
}
