//! Finds the things of a catalogue in one look: proposes, verifies, refines and chooses.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use nalgebra::{Point3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Pose, Shape};
use regrasp_render::SoftwareRenderer;

use crate::catalogue::Catalogue;
use crate::cloud::Kind;
use crate::joints::fit_openings;
use crate::plane::Plane;
use crate::refine::{Freedom, Refinement, refined};
use crate::scan::{Evidence, Sampling, Scan};
use crate::solid::depth_in;
use crate::template::Template;
use crate::verify::Outline;
use crate::vote::{Oriented, VoteMemory, places};

/// A thing of the catalogue at a pose.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    /// Index of the model.
    pub(crate) model: usize,
    pub(crate) world_from_base: Pose,
    pub(crate) openings: Vec<f64>,
    /// Standard deviation of each opening, m or rad.
    pub(crate) opening_stds: Vec<f64>,
    pub(crate) evidence: Evidence,
    freedom: Freedom,
    /// Middle of the thing in World.
    middle: Point3<f64>,
    /// Set if the openings are known, so that the moving parts count.
    is_fitted: bool,
    /// Index of the track, if the thing was found before.
    pub(crate) track: Option<usize>,
    /// Pixels of each picture that would show it if nothing else were there.
    shown: Vec<Vec<usize>>,
}

/// Result of a look for a thing that was found before.
pub(crate) enum Followed {
    There,
    /// Something hides it.
    Hidden,
    /// The background at its place is visible.
    Gone,
}

impl Detection {
    /// A thing that was found before, at the pose where it should be.
    pub(crate) fn again(
        model: usize,
        pose: Pose,
        openings: &[f64],
        track: usize,
        is_held: bool,
    ) -> Self {
        Self {
            freedom: match is_held {
                true => Freedom::Any,
                false => Freedom::Upright,
            },
            is_fitted: true,
            track: Some(track),
            ..Self::new(model, pose, openings.to_vec())
        }
    }

    fn new(model: usize, world_from_base: Pose, openings: Vec<f64>) -> Self {
        Self {
            model,
            world_from_base,
            opening_stds: vec![0.0; openings.len()],
            openings,
            evidence: Evidence::default(),
            freedom: Freedom::Upright,
            middle: Point3::origin(),
            is_fitted: false,
            track: None,
            shown: vec![],
        }
    }

    /// Standard deviation of the position, m: the fewer pixels show it, the larger.
    pub(crate) fn position_std_m(&self) -> f64 {
        const BEST_M: f64 = 0.0005;
        const OF_ONE_PIXEL_M: f64 = 0.015;
        BEST_M + OF_ONE_PIXEL_M / f64::from(self.evidence.there.max(1.0)).sqrt()
    }
}

/// Search for things in one look.
pub(crate) struct Search<'a> {
    pub(crate) scan: Scan<'a>,
    catalogue: &'a Catalogue,
    plane: &'a Plane,
    renderer: SoftwareRenderer,
    votes: VoteMemory,
    /// Supports on which the groups of points were searched already, by their keys.
    tried: BTreeMap<(usize, [i32; 3]), Vec<f64>>,
    /// Things found so far; their numbers in the pictures are their indices plus one.
    pub(crate) found: Vec<Detection>,
}

/// Number of the robot, in the place of a thing's.
const ROBOT: u32 = u32::MAX;
/// Edge of the cells whose neighbours belong to one group of points, m.
const CELL_M: f32 = 0.014;
/// Number of pixels below which a group shows nothing.
const LEAST_PIXELS: usize = 20;
/// Number of points of a group that vote.
const N_VOTERS: usize = 160;
/// Number of places of a thing in one resting pose, and of furniture: little of a wide, level top
/// says where it is.
const N_PLACES: [usize; 2] = [3, 12];
/// Number of samples for a first and for a second impression, and for a comparison of poses.
const N_SAMPLES: [usize; 3] = [120, 300, 800];
/// Number of candidates of a group after the first and after the second impression.
const N_KEPT: [usize; 2] = [80, 20];
/// Angle below which two candidates at one place are the same, rad.
const SAME_RAD: f64 = 0.15;
/// Factor by which a thing explains more if it leans.
const LEANS: f32 = 1.03;
/// Number of candidates at other turns.
const MOST_OTHERS: usize = 64;
/// Number of candidates that are settled before one is chosen.
const N_SETTLED: usize = 10;
/// Number of times that what is left is searched again.
const N_ROUNDS: usize = 4;
/// Least part of the visible surface that is there.
const THERE: f32 = 0.8;
/// Least part of the thing that is not hidden.
const SHOWN: f32 = 0.12;
/// Least value of a thing for each of its pixels.
const WORTH: f32 = 0.45;
/// Largest part of the edge beyond which the seen surface goes on.
const LEAKS: f32 = 0.5;
/// Least part of its edge at which the thing is seen to end: a patch of something else has few edges
/// of its own.
const ENDS: f32 = 0.2;
/// Number of pixels, and part of its own, that only this thing explains.
const NEEDED_PIXELS: f32 = 20.0;
const NEEDED: f32 = 0.1;
/// Height of a thing above what is seen of it, m.
const HIDDEN_TOP_M: f64 = 0.05;
/// Heights from a support at which furniture may be mounted, m.
const MOUNTED_M: [f64; 6] = [-0.02, -0.012, -0.004, 0.004, 0.012, 0.02];
/// Height of the lowest visible point from which a thing may stand on something else, m.
const HOVERS_M: f64 = 0.009;
/// Difference below which two supports are at one height, m.
const SAME_LEVEL_M: f64 = 0.004;

impl<'a> Search<'a> {
    pub(crate) fn new(scan: Scan<'a>, catalogue: &'a Catalogue, plane: &'a Plane) -> Self {
        Self {
            scan,
            catalogue,
            plane,
            renderer: SoftwareRenderer::default(),
            votes: VoteMemory::default(),
            tried: BTreeMap::new(),
            found: Vec::new(),
        }
    }

    /// Finds all things in the pixels that belong to nothing yet.
    pub(crate) fn run(&mut self) {
        for eye in &mut self.scan.eyes {
            let pixels = eye.owners.iter_mut().zip(&eye.is_beside_robot);
            let free = pixels.filter(|(owner, is_robot)| **owner == 0 && **is_robot);
            free.for_each(|(owner, _)| *owner = ROBOT);
        }
        for round in 0..N_ROUNDS {
            let mut candidates = Vec::new();
            for group in groups(&self.scan) {
                candidates.extend(self.candidates(&group, round));
            }
            let is_new = self.choose(candidates);
            self.drop_needless();
            if !is_new && round > 0 {
                break;
            }
        }
    }

    /// Looks for a thing near the pose where it should be.
    pub(crate) fn follow(&mut self, mut found: Detection) -> Followed {
        self.refine(&mut found, usize::MAX, 6, [0.015, 0.006], 0);
        self.settle(&mut found, 0);
        if self.accept(found.clone()) {
            return Followed::There;
        }
        let evidence = self.evidence(&found, usize::MAX, 0);
        let is_gone = evidence.through > evidence.there.max(LEAST_PIXELS as f32);
        if is_gone {
            Followed::Gone
        } else {
            Followed::Hidden
        }
    }

    /// Pixels of each picture that the found things explain, with those at their edges and those
    /// that may show the robot.
    pub(crate) fn explained(&self) -> Vec<Vec<usize>> {
        const NEAR_M: f32 = 0.012;
        let eyes = self.scan.eyes.iter().enumerate();
        let pixels = eyes.map(|(idx, eye)| {
            let shown = self.found.iter().flat_map(|found| &found.shown[idx]);
            let shown: BTreeSet<usize> = shown.copied().collect();
            let is_near = |at: usize, other: usize| {
                let [p, q] = [at, other].map(|at| Vector3::from(eye.cloud.point(at)));
                eye.owners[other] > 0 && (p - q).norm() < NEAR_M
            };
            let all = 0..eye.owners.len();
            let explained = all.filter(|at| {
                let mut beside = eye.cloud.neighbours(*at);
                eye.owners[*at] > 0 || shown.contains(at) || beside.any(|other| is_near(*at, other))
            });
            explained.collect()
        });
        pixels.collect()
    }

    /// The best explanations of a group of points.
    fn candidates(&mut self, group: &Group, round: usize) -> Vec<Detection> {
        let mut levels = self.levels(group, round);
        let tried = self.tried.entry(group.key).or_default();
        let is_new = |z: &f64| tried.iter().all(|t| (t - z).abs() > SAME_LEVEL_M);
        levels.retain(is_new);
        tried.extend(&levels);
        let levels_from = self.plane.z_at(group.middle[0], group.middle[1]);
        let mut found = Vec::new();
        for (model, template) in self.catalogue.templates.iter().enumerate() {
            for rest in &template.rests {
                // What lies on top of something unknown is as high as the group.
                let under_top = (round == 1).then_some(group.high_z - rest.height_m);
                let under_top = under_top.filter(|z| *z > levels_from + HOVERS_M);
                let levels = template_levels(template, &levels)
                    .into_iter()
                    .chain(under_top);
                for level in levels {
                    if level + rest.height_m > group.high_z + HIDDEN_TOP_M {
                        continue;
                    }
                    let n_places = N_PLACES[usize::from(template.is_furniture())];
                    let places = places(&group.points, rest, level, n_places, &mut self.votes);
                    found.extend(
                        places
                            .into_iter()
                            .map(|pose| Detection::new(model, pose, template.openings())),
                    );
                }
            }
        }
        for (n_samples, n_kept, rounds) in [(0, N_KEPT[0], 2), (1, N_KEPT[1], 5)]
            .map(|(i, kept, rounds)| (N_SAMPLES[i], kept, rounds))
        {
            for found in &mut found {
                self.assess(found, n_samples);
            }
            best_of(&mut found, n_kept, SAME_RAD, Evidence::promise);
            for found in &mut found {
                self.refine(found, n_samples, rounds, [0.02, 0.012], 0);
            }
        }
        let mut others: Vec<Detection> = Vec::new();
        for (idx, first) in found.iter().enumerate() {
            if others.len() < MOST_OTHERS && !found[..idx].iter().any(|f| f.model == first.model) {
                others.extend(self.turned(first));
            }
        }
        found.extend(others);
        for found in &mut found {
            self.refine(found, N_SAMPLES[1], 4, [0.01, 0.006], 0);
            if !found.openings.is_empty() {
                self.polish(found, &[0.024, 0.012, 0.006, 0.003], 0);
            }
            self.fit_openings(found, 0);
            if !found.openings.is_empty() {
                self.polish(found, &[0.012, 0.006], 0);
            }
            self.assess(found, usize::MAX);
        }
        best_of(&mut found, N_KEPT[1], SAME_RAD, Evidence::value);
        // Which is best is not decided before the best ones are where they fit best.
        for found in found.iter_mut().take(N_SETTLED) {
            self.refine(found, N_SAMPLES[1], 8, [0.02, 0.008], 0);
            self.settle(found, 0);
            self.assess(found, usize::MAX);
        }
        found.retain(|f| is_likely(&f.evidence));
        found
    }

    fn template(&self, found: &Detection) -> &'a Template {
        &self.catalogue.templates[found.model]
    }

    /// Evidence from about `n_samples` samples.
    fn evidence(&self, found: &Detection, n_samples: usize, own: u32) -> Evidence {
        let template = self.template(found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let how = Sampling {
            every: every(template, n_samples),
            own,
            slack: if n_samples == N_SAMPLES[0] { 2.0 } else { 1.0 },
        };
        let is_wanted = |idx: usize| found.is_fitted || template.is_fixed(idx);
        self.scan.evidence(template, &poses, how, is_wanted)
    }

    /// Updates the evidence for a candidate.
    fn assess(&self, found: &mut Detection, n_samples: usize) {
        found.middle = found.world_from_base * self.template(found).middle;
        found.evidence = self.evidence(found, n_samples, 0);
    }

    fn fit_openings(&self, found: &mut Detection, own: u32) {
        let template = self.template(found);
        let (pose, openings) = (&found.world_from_base, &mut found.openings);
        found.opening_stds = fit_openings(&self.scan, template, pose, openings, own);
        found.is_fitted = true;
    }

    fn refine(
        &self,
        found: &mut Detection,
        n_samples: usize,
        rounds: usize,
        reach_m: [f32; 2],
        own: u32,
    ) {
        let template = self.template(found);
        let how = Refinement {
            freedom: found.freedom,
            every: every(template, n_samples),
            own,
            only_fixed: !found.is_fitted,
            rounds,
            reach_m,
        };
        let (pose, openings) = (&found.world_from_base, &found.openings);
        found.world_from_base = refined(&self.scan, template, pose, openings, how);
    }

    /// Moves a thing in small steps to where it explains most: depth does not fix a surface along
    /// itself, but its outline and its texture do.
    fn polish(&self, found: &mut Detection, steps_m: &[f64], own: u32) {
        const N_ROUNDS: usize = 3;
        let template = self.template(found);
        let radius = template.radius_m.max(0.02);
        let n_axes = 4 + usize::from(found.is_fitted && template.slides().next().is_some());
        found.evidence = self.evidence(found, N_SAMPLES[2], own);
        for step in steps_m {
            for _ in 0..N_ROUNDS {
                let before = found.evidence.value();
                for axis in 0..n_axes {
                    for sign in [-1.0, 1.0] {
                        let mut tried = found.clone();
                        let pose = &mut tried.world_from_base;
                        if axis < 3 {
                            let along = Vector3::ith(axis, sign * step);
                            pose.translation.vector += pose.rotation * along;
                        } else if axis == 3 {
                            let turn = Vector3::z() * (sign * step / radius);
                            pose.rotation = UnitQuaternion::new(turn) * pose.rotation;
                        } else {
                            template.slide(pose, &mut tried.openings, sign * step);
                        }
                        tried.evidence = self.evidence(&tried, N_SAMPLES[2], own);
                        if tried.evidence.value() > found.evidence.value() {
                            *found = tried;
                        }
                    }
                }
                if found.evidence.value() <= before {
                    break;
                }
            }
        }
    }

    /// The same thing at the same place turned or upset: votes hardly tell a thing from its mirror
    /// image, and a mug from the same one turned.
    fn turned(&self, found: &Detection) -> Vec<Detection> {
        const N_TURNS: u32 = 24;
        const N_TRIED: usize = 10;
        let template = self.template(found);
        let middle = found.world_from_base * template.middle;
        let base_z = template.low_z(&found.world_from_base);
        let mut others = Vec::new();
        for rest in &template.rests {
            let level = rest.level_from(&found.world_from_base.rotation);
            for turn in 0..N_TURNS {
                let turn = Vector3::z() * (TAU * f64::from(turn) / f64::from(N_TURNS));
                let turned = UnitQuaternion::new(turn) * level;
                let at = turned * template.middle;
                let z = base_z + rest.origin_z;
                let mut other = Detection {
                    world_from_base: Pose::from_parts(
                        Translation3::new(middle.x - at.x, middle.y - at.y, z),
                        turned,
                    ),
                    ..found.clone()
                };
                self.assess(&mut other, N_SAMPLES[0]);
                others.push(other);
            }
        }
        best_of(&mut others, N_TRIED, 2.0 * SAME_RAD, Evidence::promise);
        for other in &mut others {
            self.refine(other, N_SAMPLES[1], 6, [0.045, 0.012], 0);
        }
        others
    }

    /// Refines a thing that is nearly where it should be, and its openings.
    fn settle(&self, found: &mut Detection, own: u32) {
        self.refine(found, usize::MAX, 4, [0.008, 0.005], own);
        found.is_fitted = found.openings.is_empty();
        self.polish(found, &[0.004, 0.002, 0.001], own);
        self.fit_openings(found, own);
        if !found.openings.is_empty() {
            self.polish(found, &[0.004, 0.002, 0.001], own);
            self.fit_openings(found, own);
        }
        found.evidence = self.evidence(found, usize::MAX, own);
        if !self.template(found).is_furniture() && found.freedom != Freedom::Any {
            let mut leaning = Detection {
                freedom: Freedom::Any,
                ..found.clone()
            };
            self.refine(&mut leaning, usize::MAX, 4, [0.008, 0.005], own);
            leaning.evidence = self.evidence(&leaning, usize::MAX, own);
            if leaning.evidence.value() > LEANS * found.evidence.value() {
                *found = leaning;
            }
        }
    }

    /// True if a good part of a thing is where another one is solid.
    fn is_inside_another(&self, found: &Detection) -> bool {
        const DEEP_M: f64 = 0.004;
        const PART: f64 = 0.08;
        let template = self.template(found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let others = self.found.iter().flat_map(|other| {
            let template = self.template(other);
            let poses = template.placed(&other.world_from_base, &other.openings);
            let shapes = template.model.objects.iter().map(|o| &o.shape);
            shapes.zip(poses).collect::<Vec<_>>()
        });
        let others: Vec<(&Shape, Pose)> = others.collect();
        let points = template
            .samples
            .iter()
            .zip(&poses)
            .flat_map(|(samples, pose)| {
                samples
                    .iter()
                    .step_by(8)
                    .map(move |s| pose * Point3::from(s.at.cast::<f64>()))
            });
        let (mut n, mut n_inside) = (0, 0);
        for p in points {
            n += 1;
            let is_inside = |(shape, pose): &(&Shape, Pose)| {
                depth_in(shape, &pose.inverse_transform_point(&p)) > DEEP_M
            };
            n_inside += usize::from(others.iter().any(is_inside));
        }
        n_inside as f64 > PART * f64::from(n)
    }

    /// Heights on which things of a group may stand.
    fn levels(&self, group: &Group, round: usize) -> Vec<f64> {
        let [x, y] = group.middle;
        let table_z = self.plane.z_at(x, y);
        let mut levels = vec![table_z];
        if group.low_z > table_z + HOVERS_M {
            levels.push(group.low_z);
        }
        if round > 0 {
            for found in &self.found {
                levels.extend(self.tops(found, group));
            }
        }
        levels.retain(|z| *z < group.high_z);
        levels.sort_by(f64::total_cmp);
        levels.dedup_by(|a, b| (*a - *b).abs() < SAME_LEVEL_M);
        levels
    }

    /// Heights of a thing's level surfaces below a group of points.
    fn tops(&self, found: &Detection, group: &Group) -> Vec<f64> {
        const MARGIN_M: f32 = 0.02;
        let template = self.template(found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let mut areas: BTreeMap<i64, (f32, f64)> = BTreeMap::new();
        for (samples, pose) in template.samples.iter().zip(&poses) {
            let pose = pose.cast::<f32>();
            for sample in samples {
                let at = pose * nalgebra::Point3::from(sample.at);
                let is_below = (0..2).all(|i| {
                    let range = group.low[i] - MARGIN_M..=group.high[i] + MARGIN_M;
                    range.contains(&at[i])
                });
                if is_below && (pose.rotation * sample.normal).z > 0.95 {
                    let bin = (f64::from(at.z) / SAME_LEVEL_M).round() as i64;
                    let (area, sum) = areas.entry(bin).or_default();
                    *area += sample.area;
                    *sum += f64::from(sample.area * at.z);
                }
            }
        }
        let large = areas.values().filter(|(area, _)| *area > 3e-4);
        large.map(|(area, sum)| sum / f64::from(*area)).collect()
    }

    /// Chooses the candidates that explain the pictures best; true if there is one.
    fn choose(&mut self, mut candidates: Vec<Detection>) -> bool {
        let before = self.found.len();
        while let Some(idx) = best(&candidates) {
            let mut found = candidates.swap_remove(idx);
            let value = found.evidence.value();
            found.evidence = self.evidence(&found, usize::MAX, 0);
            if found.evidence.value() < 0.97 * value {
                if is_likely(&found.evidence) {
                    candidates.push(found);
                }
                continue;
            }
            self.settle(&mut found, 0);
            self.accept(found);
        }
        self.found.len() > before
    }

    /// Takes a thing, unless a rendered picture of it refutes it; true if it is taken.
    fn accept(&mut self, mut found: Detection) -> bool {
        let template = self.template(&found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let outline = Outline::new(&mut self.renderer, &self.scan, template, &poses, 0);
        let n_there = outline.n_there();
        let is_there = !self.is_inside_another(&found)
            && n_there >= LEAST_PIXELS
            && n_there as f32 >= SHOWN * (n_there + outline.n_hidden) as f32
            && n_there as f32 >= THERE * (n_there + outline.n_through) as f32
            && outline.n_leaks as f32 <= LEAKS * outline.n_edge as f32
            && outline.n_edge.saturating_sub(outline.n_leaks) as f32
                >= ENDS * (outline.n_edge + outline.n_hidden_edge) as f32;
        let is_taken = is_there && is_likely(&found.evidence);
        if is_taken {
            found.shown = outline.alone;
            self.found.push(found);
            let number = self.found.len() as u32;
            for (eye, pixels) in self.scan.eyes.iter_mut().zip(&outline.pixels) {
                pixels.iter().for_each(|at| eye.owners[*at] = number);
            }
        }
        is_taken
    }

    /// Drops things one after the other, the least needed first, until each explains something that
    /// the others do not: what was found early may have explained a part of what was found later.
    fn drop_needless(&mut self) {
        let before = self.found.len();
        while let Some(idx) = self.least_needed() {
            self.found.remove(idx);
        }
        if self.found.len() == before {
            return;
        }
        for (idx, eye) in self.scan.eyes.iter_mut().enumerate() {
            let things = eye.owners.iter_mut().filter(|owner| **owner != ROBOT);
            things.for_each(|owner| *owner = 0);
            for (number, found) in (1..).zip(&self.found) {
                for at in &found.shown[idx] {
                    if eye.owners[*at] == 0 {
                        eye.owners[*at] = number;
                    }
                }
            }
        }
    }

    /// The thing that is needed least, if it is not needed.
    fn least_needed(&self) -> Option<usize> {
        let mut needed = vec![0; self.found.len()];
        for (idx, eye) in self.scan.eyes.iter().enumerate() {
            let mut explained_by = vec![(0, 0); eye.owners.len()];
            for (number, found) in self.found.iter().enumerate() {
                for at in &found.shown[idx] {
                    explained_by[*at] = (explained_by[*at].0 + 1, number);
                }
            }
            let alone = explained_by.iter().filter(|(n, _)| *n == 1);
            alone.for_each(|(_, number)| needed[*number] += 1);
        }
        let parts = self.found.iter().zip(&needed).map(|(found, needed)| {
            let n_shown: usize = found.shown.iter().map(Vec::len).sum();
            *needed as f32 / (NEEDED_PIXELS + NEEDED * n_shown as f32)
        });
        let least = parts.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        (least.1 < 1.0).then_some(least.0)
    }
}

fn is_likely(evidence: &Evidence) -> bool {
    evidence.there >= LEAST_PIXELS as f32
        && evidence.part() >= THERE
        && evidence.value() >= WORTH * evidence.there
}

fn every(template: &Template, n_samples: usize) -> usize {
    let n: usize = template.samples.iter().map(Vec::len).sum();
    n.div_ceil(n_samples).max(1)
}

/// Heights of a model's support.
fn template_levels(template: &Template, levels: &[f64]) -> Vec<f64> {
    if !template.is_furniture() {
        let levels = levels.iter();
        return levels.copied().collect();
    }
    let mounted = levels.iter().take(1).flat_map(|z| {
        let heights = MOUNTED_M.iter();
        heights.map(move |up| z + up)
    });
    mounted.collect()
}

/// Keeps the best candidates, of equal ones the first, and of those at nearly one pose the best.
fn best_of(found: &mut Vec<Detection>, n: usize, same_rad: f64, worth: fn(&Evidence) -> f32) {
    const SAME_M: f64 = 0.008;
    found.retain(|f| worth(&f.evidence) > 0.0);
    found.sort_by(|a, b| worth(&b.evidence).total_cmp(&worth(&a.evidence)));
    let mut kept: Vec<Detection> = Vec::new();
    for candidate in found.drain(..) {
        let is_same = |other: &Detection| {
            let off = other.world_from_base.inverse() * candidate.world_from_base;
            other.model == candidate.model
                && (other.middle - candidate.middle).norm() < SAME_M
                && off.rotation.angle() < same_rad
        };
        if kept.len() < n && !kept.iter().any(is_same) {
            kept.push(candidate);
        }
    }
    *found = kept;
}

fn best(candidates: &[Detection]) -> Option<usize> {
    let values = candidates.iter().map(|f| f.evidence.value()).enumerate();
    // Of equal ones the first counts.
    let best = values.reduce(|a, b| if b.1 > a.1 { b } else { a });
    best.map(|(idx, _)| idx)
}

/// Points of all pictures that hang together and belong to nothing yet.
struct Group {
    /// Number of pixels, and the first cell.
    key: (usize, [i32; 3]),
    points: Vec<Oriented>,
    middle: [f64; 2],
    low: [f32; 2],
    high: [f32; 2],
    low_z: f64,
    high_z: f64,
}

fn groups(scan: &Scan<'_>) -> Vec<Group> {
    let mut cells: BTreeMap<[i32; 3], Vec<(usize, usize)>> = BTreeMap::new();
    for (idx, eye) in scan.eyes.iter().enumerate() {
        for at in 0..eye.cloud.kinds.len() {
            if eye.cloud.kinds[at] == Kind::Thing && eye.owners[at] == 0 {
                let cell = eye.cloud.point(at).map(|x| (x / CELL_M).floor() as i32);
                cells.entry(cell).or_default().push((idx, at));
            }
        }
    }
    let mut left: BTreeSet<[i32; 3]> = cells.keys().copied().collect();
    let mut groups = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut members = vec![first];
        let mut next = 0;
        while let Some(&[x, y, z]) = members.get(next) {
            next += 1;
            for i in 0..27 {
                let near = [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1];
                if left.remove(&near) {
                    members.push(near);
                }
            }
        }
        let pixels = members.iter().flat_map(|cell| cells[cell].iter().copied());
        let pixels: Vec<(usize, usize)> = pixels.collect();
        if pixels.len() >= LEAST_PIXELS {
            groups.push(Group::new(scan, first, &pixels));
        }
    }
    groups
}

impl Group {
    fn new(scan: &Scan<'_>, first: [i32; 3], pixels: &[(usize, usize)]) -> Self {
        let points = pixels.iter().map(|(eye, at)| {
            let eye = &scan.eyes[*eye];
            Oriented {
                at: Vector3::from(eye.cloud.point(*at)),
                normal: eye.normals[*at],
                rgb: eye.cloud.color(*at),
            }
        });
        let mut points: Vec<Oriented> = points.collect();
        let bound = |i: usize, start: f32, pick: fn(f32, f32) -> f32| {
            points.iter().map(|p| p.at[i]).fold(start, pick)
        };
        let low = [0, 1, 2].map(|i| bound(i, f32::INFINITY, f32::min));
        let high = [0, 1, 2].map(|i| bound(i, f32::NEG_INFINITY, f32::max));
        points.retain(|p| p.normal != Vector3::zeros());
        let every = points.len().div_ceil(N_VOTERS).max(1);
        Self {
            key: (pixels.len(), first),
            points: points.into_iter().step_by(every).collect(),
            middle: [0, 1].map(|i| f64::from(0.5 * (low[i] + high[i]))),
            low: [low[0], low[1]],
            high: [high[0], high[1]],
            low_z: f64::from(low[2]),
            high_z: f64::from(high[2]),
        }
    }
}
