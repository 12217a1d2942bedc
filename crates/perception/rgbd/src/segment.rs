//! Segments an image: neighbouring pixels that are close in space and of one colour.

use crate::cloud::{Cloud, Kind};
use crate::colour::{distance, typical};

pub(crate) struct Segment {
    pub(crate) points: Vec<[f32; 3]>,
    pub(crate) rgb: [f32; 3],
    /// True if something in front of the segment, or the edge of the image, hides a part of it.
    pub(crate) is_cut: bool,
    /// Mean size of the segment's pixels, m.
    pub(crate) pixel_m: f32,
}

/// Largest distance between neighbouring pixels of one object, m; [`SLANT_PIXELS`] adds to it.
const GAP_M: f32 = 0.006;
/// Additional distance that slanted surfaces may have, pixels.
const SLANT_PIXELS: f32 = 4.0;
/// Largest difference in colour between neighbouring pixels of one object.
const COLOUR_STEP: f32 = 0.16;
/// Number of pixels below which a patch is noise.
const LEAST_PIXELS: usize = 14;
/// Fraction of a patch's rim, at the image's edge or beside something in front, from which the
/// patch counts as partly hidden.
const CUT_PART: f32 = 0.04;
/// Difference in depth from which a neighbour is in front of a pixel, m.
const BEFORE_M: f32 = 0.006;
/// Height from which a touching neighbour stands on a patch, m.
const ABOVE_M: f32 = 0.001;

pub(crate) fn segments(cloud: &Cloud) -> Vec<Segment> {
    let mut label = vec![0_u32; cloud.kinds.len()];
    let mut patches: Vec<Vec<usize>> = Vec::new();
    for start in 0..cloud.kinds.len() {
        if cloud.kinds[start] == Kind::Thing && label[start] == 0 {
            patches.push(flood(cloud, start, patches.len() as u32 + 1, &mut label));
        }
    }
    let large = patches.iter().filter(|p| p.len() >= LEAST_PIXELS);
    large.map(|pixels| segment(cloud, pixels, &label)).collect()
}

fn flood(cloud: &Cloud, start: usize, name: u32, label: &mut [u32]) -> Vec<usize> {
    let mut pixels = vec![start];
    label[start] = name;
    let mut next = 0;
    while let Some(&at) = pixels.get(next) {
        next += 1;
        for other in cloud.neighbours(at) {
            if label[other] == 0 && cloud.kinds[other] == Kind::Thing && is_one(cloud, at, other) {
                label[other] = name;
                pixels.push(other);
            }
        }
    }
    pixels
}

fn is_one(cloud: &Cloud, a: usize, b: usize) -> bool {
    let gap = apart(&cloud.point(a), &cloud.point(b));
    let allowed = GAP_M + SLANT_PIXELS * cloud.pixel_m(a);
    gap < allowed && distance(cloud.color(a), cloud.color(b)) < COLOUR_STEP
}

fn apart(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    let d = [0, 1, 2].map(|i| a[i] - b[i]);
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

fn segment(cloud: &Cloud, pixels: &[usize], label: &[u32]) -> Segment {
    let name = label[pixels[0]];
    let (mut rim, mut cut) = (0, 0);
    for &at in pixels {
        let is_rim = cloud.is_at_edge(at) || cloud.neighbours(at).any(|o| label[o] != name);
        if is_rim {
            rim += 1;
            cut += usize::from(is_cut_at(cloud, at, name, label));
        }
    }
    let colours: Vec<_> = pixels.iter().map(|&at| cloud.color(at)).collect();
    let sum: f32 = pixels.iter().map(|&at| cloud.pixel_m(at)).sum();
    Segment {
        points: pixels.iter().map(|&at| cloud.point(at)).collect(),
        rgb: typical(&colours),
        is_cut: cut as f32 > CUT_PART * rim as f32,
        pixel_m: sum / pixels.len() as f32,
    }
}

/// Returns true if a patch may continue behind something at one of its pixels.
fn is_cut_at(cloud: &Cloud, at: usize, name: u32, label: &[u32]) -> bool {
    if cloud.is_at_edge(at) {
        return true;
    }
    cloud.neighbours(at).any(|other| {
        let hides = cloud.depths[other] < cloud.depths[at] - BEFORE_M;
        match cloud.kinds[other] {
            Kind::Robot => true,
            Kind::Thing if label[other] != name => {
                let (here, there) = (cloud.point(at), cloud.point(other));
                let touches = apart(&here, &there) < 2.0 * GAP_M;
                let is_above = there[2] > here[2] + ABOVE_M;
                hides || (touches && is_above)
            }
            _ => false,
        }
    })
}
