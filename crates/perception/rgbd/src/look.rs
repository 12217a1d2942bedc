//! Identifies what is visible at a pixel of the last look.

use nalgebra::Point3;
use regrasp_api::{CameraView, ObjectId, PerceivedObject, PerceptionError};
use regrasp_render::png_bytes;

use crate::cloud::{Cloud, Kind, is_measured};
use crate::owner::Owners;

/// A region of an image, in pixels (column, row) from the centre of the upper left pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A pixel with its surroundings, since pointing is not exact to a pixel.
    Point([f64; 2]),
    /// A box around an object; only its middle part is evaluated.
    Box {
        /// The upper left corner.
        min: [f64; 2],
        /// The lower right corner.
        max: [f64; 2],
    },
}

impl Region {
    /// Middle of the region, pixels.
    pub fn middle(self) -> [f64; 2] {
        match self {
            Self::Point(pixel) => pixel,
            Self::Box { min, max } => [0, 1].map(|i| 0.5 * (min[i] + max[i])),
        }
    }
}

/// Content of a region of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// No depth was measured.
    NoDepth,
    /// A point outside the cell, or below or beside the table.
    OutOfCell,
    /// The robot itself.
    Robot,
    /// The table.
    Table,
    /// An object; `None` if no perceived object has a surface there.
    Thing(Option<ObjectId>),
}

/// Result for a region of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Content of the region.
    pub what: What,
    /// Median depth of the content, m; `None` without depth.
    pub depth_m: Option<f64>,
    /// Point in World at the middle of the region and at the median depth, m.
    pub point_in_world: Option<Point3<f64>>,
}

/// Images of one look with the objects perceived in them.
pub struct LastLook {
    pub(crate) views: Vec<CameraView>,
    pub(crate) clouds: Vec<Cloud>,
    pub(crate) objects: Vec<PerceivedObject>,
}

/// Radius of a point region as a fraction of the image's height: 4 of 480 pixels.
const AROUND: f64 = 1.0 / 120.0;
/// Smallest radius of a point region, pixels.
const LEAST_AROUND: f64 = 2.0;
/// Fraction of the edges of a box whose pixels count: objects do not fill the corners.
const MIDDLE: f64 = 0.6;
/// Smallest fraction of the measured pixels that must show an object for it to be chosen. It is
/// small, since the table often covers more: objects are small and pointing is inexact.
const ENOUGH: f64 = 0.25;
/// Smallest fraction of the pixels that must have a depth.
const MEASURED: f64 = 0.1;
/// Number of pixels to evaluate; more would add no information.
const MOST_PIXELS: usize = 4_000;

impl LastLook {
    /// Views of the cameras during the look.
    pub fn views(&self) -> &[CameraView] {
        &self.views
    }

    /// Encodes a camera's image as PNG.
    ///
    /// # Errors
    ///
    /// [`PerceptionError::Blind`] if there is no such camera, or its image is broken.
    pub fn png(&self, camera: &str) -> Result<Vec<u8>, PerceptionError> {
        let blind = |detail: String| PerceptionError::Blind { detail };
        let no_camera = || blind(format!("there is no camera `{camera}`"));
        let cloud = &self.clouds[self.idx(camera).ok_or_else(no_camera)?];
        let png = png_bytes(cloud.width as u32, cloud.height as u32, &cloud.rgb);
        png.map_err(|error| blind(format!("failed to {error}")))
    }

    /// Returns the content of a region of a camera's image; `None` if there is no such camera, or
    /// the middle of the region lies outside the image.
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
        let [u, v] = region.middle();
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
            Kind::Thing => {
                let p = Point3::from(cloud.point(at).map(f64::from));
                match owners.of(&p).map(|idx| &self.objects[idx]) {
                    // A small bump on the table counts as the table.
                    Some(owner) if owner.category == "table" => What::Table,
                    owner => What::Thing(owner.map(|o| o.id.clone())),
                }
            }
            Kind::Nothing if is_measured(cloud.depths[at]) => What::OutOfCell,
            Kind::Nothing => What::NoDepth,
        }
    }
}

/// Indices of the pixels that count; `None` if the middle is outside the image.
fn pixels(cloud: &Cloud, region: Region) -> Option<Vec<usize>> {
    let size = [cloud.width, cloud.height].map(|n| n as f64);
    let center = region.middle();
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

    /// Returns the most likely content, and its median depth.
    fn winner(mut self) -> (What, Option<f64>) {
        let measured: usize = self.seen.iter().map(|(_, depths)| depths.len()).sum();
        if (measured as f64) < MEASURED * self.n as f64 || measured == 0 {
            return (What::NoDepth, None);
        }
        // The sort is stable and pixels come in a fixed order, so the first of equal counts wins.
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
