//! Finds the catalogue objects in one look: proposes, verifies, refines and chooses.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Point3, Vector3};
use regrasp_api::{Pose, Shape};
use regrasp_render::SoftwareRenderer;

use crate::catalogue::Catalogue;
use crate::detection::{Detection, THERE, best, best_of, is_likely};
use crate::group::{Group, LEAST_PIXELS, groups};
use crate::plane::Plane;
use crate::scan::{Evidence, Scan};
use crate::settle::{Fitter, N_SAMPLES, SAME_RAD};
use crate::solid::depth_in;
use crate::template::Template;
use crate::verify::Outline;
use crate::vote::{VoteMemory, places};

/// Result of a look for an object that was found before.
pub(crate) enum Followed {
    There,
    /// Something hides it.
    Hidden,
    /// The background at its place is visible.
    Gone,
}

/// Search for objects in one look.
pub(crate) struct Search<'a> {
    pub(crate) scan: Scan<'a>,
    catalogue: &'a Catalogue,
    plane: &'a Plane,
    renderer: SoftwareRenderer,
    votes: VoteMemory,
    /// Heights of the supports on which each group of points was searched, m, by key of the group.
    tried: BTreeMap<(usize, [i32; 3]), Vec<f64>>,
    /// Objects found so far; their numbers in the pictures are their indices plus one.
    pub(crate) found: Vec<Detection>,
}

/// Owner of the pixels that show the robot, in place of the number of an object.
const ROBOT: u32 = u32::MAX;
/// Number of places to try for an object in one resting pose, and for furniture, whose place a
/// wide, level top hardly determines.
const N_PLACES: [usize; 2] = [3, 12];
/// Number of candidates of a group that are kept after the first and after the second comparison.
const N_KEPT: [usize; 2] = [80, 20];
/// Largest number of candidates at other rotations.
const MOST_OTHERS: usize = 64;
/// Number of candidates that are refined before one of them is chosen.
const N_SETTLED: usize = 10;
/// Number of times that the remaining pixels are searched again.
const N_ROUNDS: usize = 4;
/// Smallest fraction of an object that must be visible.
const SHOWN: f32 = 0.12;
/// Largest fraction of the edge beyond which the seen surface may continue.
const LEAKS: f32 = 0.5;
/// Smallest fraction of the edge at which the object must be seen to end: the model may lie on a
/// patch of a larger surface, whose own edges are elsewhere.
const ENDS: f32 = 0.2;
/// Number of pixels that only this object must explain: a constant, plus a fraction of its pixels.
const NEEDED_PIXELS: f32 = 20.0;
const NEEDED: f32 = 0.1;
/// Fraction of the value of a refuted place below which other places of the object are tried last.
const MUCH_WORSE: f32 = 0.8;
/// Largest height of an object above its highest seen point, m.
const HIDDEN_TOP_M: f64 = 0.05;
/// Heights above a support at which furniture may be mounted, m.
const MOUNTED_M: [f64; 6] = [-0.02, -0.012, -0.004, 0.004, 0.012, 0.02];
/// Height of the lowest visible point above the table from which an object may stand on something
/// else, m.
const HOVERS_M: f64 = 0.009;
/// Difference in height below which two supports count as one, m.
const SAME_LEVEL_M: f64 = 0.004;

impl<'a> Search<'a> {
    fn fitter(&self) -> Fitter<'_, 'a> {
        Fitter {
            scan: &self.scan,
            catalogue: self.catalogue,
        }
    }

    fn template(&self, found: &Detection) -> &'a Template {
        &self.catalogue.templates[found.model]
    }

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

    /// Finds all objects in the pixels that no object explains yet.
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

    /// Looks for an object near the pose where it should be.
    pub(crate) fn follow(&mut self, mut found: Detection) -> Followed {
        self.fitter()
            .refine(&mut found, usize::MAX, 6, [0.015, 0.006]);
        self.fitter().settle(&mut found);
        if self.accept(found.clone()) {
            return Followed::There;
        }
        let evidence = self.fitter().evidence(&found, usize::MAX);
        let is_gone = evidence.through > evidence.there.max(LEAST_PIXELS as f32);
        if is_gone {
            Followed::Gone
        } else {
            Followed::Hidden
        }
    }

    /// Pixels of each picture that the found objects explain, with those at their edges and those
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
                // If an object lies on something unknown, its top is the top of the group.
                let under_top = (round == 1).then_some(group.high_z - rest.height_m);
                let under_top = under_top.filter(|z| *z > levels_from + HOVERS_M);
                let levels = template_levels(template, &levels).into_iter();
                let levels = levels.chain(under_top);
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
                self.fitter().assess(found, n_samples);
            }
            best_of(&mut found, n_kept, SAME_RAD, Evidence::promise);
            for found in &mut found {
                self.fitter()
                    .refine(found, n_samples, rounds, [0.02, 0.012]);
            }
        }
        let mut others: Vec<Detection> = Vec::new();
        for (idx, first) in found.iter().enumerate() {
            if others.len() < MOST_OTHERS && !found[..idx].iter().any(|f| f.model == first.model) {
                others.extend(self.fitter().turned(first));
            }
        }
        found.extend(others);
        for found in &mut found {
            self.fitter().refine(found, N_SAMPLES[1], 4, [0.01, 0.006]);
            if !found.openings.is_empty() {
                self.fitter().polish(found, &[0.024, 0.012, 0.006, 0.003]);
            }
            self.fitter().fit_openings(found);
            if !found.openings.is_empty() {
                self.fitter().polish(found, &[0.012, 0.006]);
            }
            self.fitter().assess(found, usize::MAX);
        }
        best_of(&mut found, N_KEPT[1], SAME_RAD, Evidence::value);
        // The best candidates are compared only after each is refined.
        for found in found.iter_mut().take(N_SETTLED) {
            self.fitter().refine(found, N_SAMPLES[1], 8, [0.02, 0.008]);
            self.fitter().settle(found);
            self.fitter().assess(found, usize::MAX);
        }
        found.retain(|f| is_likely(&f.evidence));
        found
    }

    /// True if a part of an object lies deep inside the solid of another.
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

    /// Heights at which the objects of a group may stand.
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

    /// Heights of an object's level surfaces below a group of points.
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

    /// Accepts the candidates that explain the pictures best, one after the other; returns true if
    /// any was accepted.
    fn choose(&mut self, mut candidates: Vec<Detection>) -> bool {
        let before = self.found.len();
        let mut waiting = Vec::new();
        while let Some(idx) = best(&candidates) {
            let mut found = candidates.swap_remove(idx);
            let value = found.evidence.value();
            found.evidence = self.fitter().evidence(&found, usize::MAX);
            if found.evidence.value() < 0.97 * value {
                if is_likely(&found.evidence) {
                    candidates.push(found);
                }
                continue;
            }
            self.fitter().settle(&mut found);
            let (model, middle, value) = (found.model, found.middle, found.evidence.value());
            if !self.accept(found) {
                // A neighbour that is not found yet may have caused the refutation, so much worse
                // places of this model nearby are tried last.
                let radius_m = self.catalogue.templates[model].radius_m;
                waiting.extend(candidates.extract_if(.., |c| {
                    c.model == model
                        && (c.middle - middle).norm() < radius_m
                        && c.evidence.value() < MUCH_WORSE * value
                }));
            }
            if candidates.is_empty() && self.found.len() == before {
                candidates.append(&mut waiting);
            }
        }
        self.found.len() > before
    }

    /// Accepts an object unless its rendered picture refutes it; returns true if it is accepted.
    fn accept(&mut self, mut found: Detection) -> bool {
        let template = self.template(&found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let outline = Outline::new(&mut self.renderer, &self.scan, template, &poses);
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

    /// Drops objects one after the other, starting with the one needed least, until each explains
    /// something that the others do not: an object found early may have explained a part of an
    /// object found later.
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

    /// Index of the object that explains least alone, if that is too little to keep it.
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

/// Heights of the supports on which a model may stand, m.
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
