//! Proposes poses in which an object may rest: points of its surface vote for poses (the
//! generalised Hough transform: D. Ballard, "Generalizing the Hough transform to detect arbitrary
//! shapes", Pattern Recognition 13(2), 1981; oriented points as in B. Drost et al., "Model
//! globally, match locally", CVPR 2010). On a known support one oriented point is enough: its
//! height and slope select the points of the model that it may be, and the direction of its normal
//! gives the rotation.

use std::f32::consts::TAU;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::colour::chroma;
use crate::template::{Rest, Sample};

/// A seen point with its normal and colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Oriented {
    pub(crate) at: Vector3<f32>,
    pub(crate) normal: Vector3<f32>,
    pub(crate) rgb: [f32; 3],
}

/// Smallest and largest coordinates of points.
pub(crate) fn bounds(points: &[Oriented]) -> [Vector3<f32>; 2] {
    let all = points.iter().map(|p| p.at);
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    let low = all.clone().fold(Vector3::repeat(low), |low, p| low.inf(&p));
    [low, all.fold(Vector3::repeat(high), |high, p| high.sup(&p))]
}

/// Edge of the cells in which votes are counted, m.
const CELL_M: f32 = 0.012;
/// Number of rotations about the vertical between which votes distinguish.
const N_TURNS: usize = 24;
/// Largest difference in height of a seen point and its sample, m.
const SAME_HEIGHT_M: f32 = 0.005;
/// Largest difference in the upward part of the normals of a seen point and its sample.
const SAME_SLOPE: f32 = 0.25;
/// Length of the level part of a normal from which its direction determines a rotation.
const LEVEL: f32 = 0.5;
/// Largest difference in chroma of a seen point and its sample.
const SAME_CHROMA: f32 = 0.22;
/// Interval at which level points of the seen object and of the model vote.
const FEW: usize = 3;
/// Weight of a vote that determines the rotation.
const WITH_TURN: u32 = 6;
/// Largest number of rotations that are proposed at one place.
const N_PLACE_TURNS: usize = 8;
/// Number of votes below which a place is considered chance.
const LEAST_VOTES: u32 = 30;

/// Returns the poses of the base for which most points vote, on a support at `support_z`, at up to
/// `n_places` places.
pub(crate) fn places(
    points: &[Oriented],
    rest: &Rest,
    support_z: f64,
    n_places: usize,
    memory: &mut VoteMemory,
) -> Vec<Pose> {
    let mut votes = Votes::around(points, rest, memory);
    for (idx, point) in points.iter().enumerate() {
        let height = point.at.z - support_z as f32;
        let low_z = height - SAME_HEIGHT_M;
        let start = rest.samples.partition_point(|s| s.at.z < low_z);
        let near = rest.samples[start..].iter();
        let near = near.take_while(|s| s.at.z <= height + SAME_HEIGHT_M);
        for (sample_idx, sample) in near.enumerate() {
            let is_flat = |v: &Vector3<f32>| v.xy().norm() > LEVEL;
            let has_turn = is_flat(&point.normal) && is_flat(&sample.normal);
            // A level surface votes for every rotation: a few of its points are enough.
            let is_one = has_turn || idx.is_multiple_of(FEW) && sample_idx.is_multiple_of(FEW);
            if is_one && may_be(point, sample) {
                votes.cast(point, sample, has_turn);
            }
        }
    }
    votes.best(rest, support_z, n_places)
}

fn may_be(point: &Oriented, sample: &Sample) -> bool {
    if (point.normal.z - sample.normal.z).abs() > SAME_SLOPE {
        return false;
    }
    let (a, b) = (chroma(point.rgb), chroma(sample.rgb));
    let is_dark = |rgb: [f32; 3]| rgb.iter().all(|c| *c < 0.12);
    (a[0] - b[0]).hypot(a[1] - b[1]) < SAME_CHROMA || is_dark(point.rgb) || is_dark(sample.rgb)
}

/// Number of votes in a cell, and the sum of the positions for which they were cast, in cells.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    n: u32,
    sum: [f32; 2],
}

/// Memory for counts, all 0 between two uses.
#[derive(Debug, Default)]
pub(crate) struct VoteMemory {
    counts: Vec<Count>,
    /// Indices of the counts that are not 0.
    used: Vec<usize>,
}

struct Votes<'a> {
    low: [f32; 2],
    n: [usize; 2],
    memory: &'a mut VoteMemory,
}

impl Drop for Votes<'_> {
    fn drop(&mut self) {
        let VoteMemory { counts, used } = &mut *self.memory;
        used.drain(..)
            .for_each(|idx| counts[idx] = Count::default());
    }
}

impl<'a> Votes<'a> {
    fn around(points: &[Oriented], rest: &Rest, memory: &'a mut VoteMemory) -> Self {
        let radius = rest.samples.iter().map(|s| s.at.xy().norm());
        let radius = radius.fold(0.0, f32::max);
        let [low, high] = bounds(points);
        let (low, high) = (
            [0, 1].map(|i| low[i] - radius),
            [0, 1].map(|i| high[i] + radius),
        );
        let n = [0, 1].map(|i| ((high[i] - low[i]).max(0.0) / CELL_M) as usize + 1);
        let most = memory.counts.len().max(n[0] * n[1] * N_TURNS);
        memory.counts.resize(most, Count::default());
        Self { low, n, memory }
    }

    fn cast(&mut self, point: &Oriented, sample: &Sample, has_turn: bool) {
        if has_turn {
            let azimuth = |v: &Vector3<f32>| v.y.atan2(v.x);
            let turn = azimuth(&point.normal) - azimuth(&sample.normal);
            self.add(point, sample, turn, WITH_TURN);
        } else {
            for turn in 0..N_TURNS {
                self.add(point, sample, turn as f32 * TAU / N_TURNS as f32, 1);
            }
        }
    }

    fn add(&mut self, point: &Oriented, sample: &Sample, turn: f32, weight: u32) {
        let (sin, cos) = turn.sin_cos();
        let at = &sample.at;
        let place = [
            point.at.x - (cos * at.x - sin * at.y),
            point.at.y - (sin * at.x + cos * at.y),
        ];
        let cell = [0, 1].map(|i| (place[i] - self.low[i]) / CELL_M);
        if (0..2).any(|i| cell[i] < 0.0 || cell[i] >= self.n[i] as f32) {
            return;
        }
        let turn = (turn.rem_euclid(TAU) / TAU * N_TURNS as f32).round() as usize % N_TURNS;
        let idx = (turn * self.n[1] + cell[1] as usize) * self.n[0] + cell[0] as usize;
        let count = &mut self.memory.counts[idx];
        if count.n == 0 {
            self.memory.used.push(idx);
        }
        count.n += weight;
        count.sum = [0, 1].map(|i| count.sum[i] + weight as f32 * cell[i]);
    }

    /// Votes of a cell and its neighbours.
    fn around_cell(&self, [x, y, turn]: [usize; 3]) -> Count {
        let mut all = Count::default();
        for t in [turn + N_TURNS - 1, turn, turn + 1] {
            for y in y.saturating_sub(1)..(y + 2).min(self.n[1]) {
                let row = ((t % N_TURNS) * self.n[1] + y) * self.n[0];
                let xs = row + x.saturating_sub(1)..row + (x + 2).min(self.n[0]);
                for count in &self.memory.counts[xs] {
                    all.n += count.n;
                    all.sum = [0, 1].map(|i| all.sum[i] + count.sum[i]);
                }
            }
        }
        all
    }

    fn best(&self, rest: &Rest, support_z: f64, n_most: usize) -> Vec<Pose> {
        let VoteMemory { counts, used } = &*self.memory;
        let most = used.iter().map(|idx| counts[*idx].n).max().unwrap_or(0);
        let high = used.iter().copied();
        let high = high.filter(|idx| 5 * counts[*idx].n >= 2 * most);
        let places = high.map(|idx| {
            let (x, rest) = (idx % self.n[0], idx / self.n[0]);
            let cell = [x, rest % self.n[1], rest / self.n[1]];
            (self.around_cell(cell).n, cell)
        });
        let mut places: Vec<(u32, [usize; 3])> = places.collect();
        places.retain(|(votes, _)| *votes >= LEAST_VOTES);
        places.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        // Each place gets several rotations: those of a round or square object have equal votes.
        let mut chosen: Vec<([usize; 2], Vec<usize>)> = Vec::new();
        for (_, [x, y, turn]) in places {
            let is_there = |(at, _): &&mut ([usize; 2], Vec<usize>)| {
                at[0].abs_diff(x) <= 2 && at[1].abs_diff(y) <= 2
            };
            let apart = |other: &usize| {
                let turns = turn.abs_diff(*other);
                turns.min(N_TURNS - turns) > 1
            };
            let n_places = chosen.len();
            match chosen.iter_mut().find(is_there) {
                Some((_, turns)) if turns.len() < N_PLACE_TURNS && turns.iter().all(apart) => {
                    turns.push(turn);
                }
                Some(_) => {}
                None if n_places < n_most => chosen.push(([x, y], vec![turn])),
                None => {}
            }
        }
        let pose = |cell: [usize; 2], turn: usize| {
            let votes = self.around_cell([cell[0], cell[1], turn]);
            let mean = votes.sum.map(|sum| sum / votes.n.max(1) as f32);
            let at = [0, 1].map(|i| f64::from(self.low[i] + mean[i] * CELL_M));
            let turn = turn as f64 / N_TURNS as f64 * f64::from(TAU);
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
            let middle = turn * Vector3::new(rest.middle.x, rest.middle.y, 0.0);
            let at = Vector3::new(at[0], at[1], support_z + rest.origin_z) - middle;
            Pose::from_parts(Translation3::from(at), turn * rest.rotation)
        };
        let chosen = chosen.iter();
        let poses = chosen.flat_map(|(cell, turns)| turns.iter().map(|turn| pose(*cell, *turn)));
        poses.collect()
    }
}
