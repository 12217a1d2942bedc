//! Moves an object from an initial pose to the one at which it explains the pictures best.

use std::f64::consts::TAU;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::catalogue::Catalogue;
use crate::detection::{Detection, best_of};
use crate::joints::fit_openings;
use crate::refine::{Freedom, Refinement, refined};
use crate::scan::{Evidence, Sampling, Scan};
use crate::template::Template;

/// Number of samples for the first and second comparison of candidates, and for comparing poses.
pub(crate) const N_SAMPLES: [usize; 3] = [120, 300, 800];
/// Angle below which two candidates at one place count as the same, rad.
pub(crate) const SAME_RAD: f64 = 0.15;
/// Factor by which a leaning object has to explain more than an upright one.
const LEANS: f32 = 1.03;

/// The pictures of a look, and the models to compare with them.
#[derive(Clone, Copy)]
pub(crate) struct Fitter<'s, 'a> {
    pub(crate) scan: &'s Scan<'a>,
    pub(crate) catalogue: &'s Catalogue,
}

impl<'s> Fitter<'s, '_> {
    pub(crate) fn template(&self, found: &Detection) -> &'s Template {
        &self.catalogue.templates[found.model]
    }

    /// Evidence from about `n_samples` samples.
    pub(crate) fn evidence(&self, found: &Detection, n_samples: usize) -> Evidence {
        let template = self.template(found);
        let poses = template.placed(&found.world_from_base, &found.openings);
        let how = Sampling {
            every: every(template, n_samples),
            slack: if n_samples == N_SAMPLES[0] { 2.0 } else { 1.0 },
        };
        let is_wanted = |idx: usize| found.is_fitted || template.is_fixed(idx);
        self.scan.evidence(template, &poses, how, is_wanted)
    }

    /// Updates the evidence for a candidate.
    pub(crate) fn assess(&self, found: &mut Detection, n_samples: usize) {
        found.middle = found.world_from_base * self.template(found).middle;
        found.evidence = self.evidence(found, n_samples);
    }

    pub(crate) fn fit_openings(&self, found: &mut Detection) {
        let template = self.template(found);
        let (pose, openings) = (&found.world_from_base, &mut found.openings);
        found.opening_stds = fit_openings(self.scan, template, pose, openings);
        found.is_fitted = true;
    }

    pub(crate) fn refine(
        &self,
        found: &mut Detection,
        n_samples: usize,
        rounds: usize,
        reach_m: [f32; 2],
    ) {
        let template = self.template(found);
        let how = Refinement {
            freedom: found.freedom,
            every: every(template, n_samples),
            only_fixed: !found.is_fitted,
            rounds,
            reach_m,
        };
        let (pose, openings) = (&found.world_from_base, &found.openings);
        found.world_from_base = refined(self.scan, template, pose, openings, how);
    }

    /// Moves an object in small steps to where it explains most: depth does not constrain motion
    /// along a surface, but its outline and its texture do.
    pub(crate) fn polish(&self, found: &mut Detection, steps_m: &[f64]) {
        const N_ROUNDS: usize = 3;
        let template = self.template(found);
        let radius = template.radius_m.max(0.02);
        let n_axes = 4 + usize::from(found.is_fitted && template.slides().next().is_some());
        found.evidence = self.evidence(found, N_SAMPLES[2]);
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
                        tried.evidence = self.evidence(&tried, N_SAMPLES[2]);
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

    /// Returns the object at the same place, rotated or upside down: votes hardly distinguish an
    /// object from its mirror image, or a mug from a rotated mug.
    pub(crate) fn turned(&self, found: &Detection) -> Vec<Detection> {
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
                let to = Translation3::new(middle.x - at.x, middle.y - at.y, z);
                let mut other = Detection {
                    world_from_base: Pose::from_parts(to, turned),
                    ..found.clone()
                };
                self.assess(&mut other, N_SAMPLES[0]);
                others.push(other);
            }
        }
        best_of(&mut others, N_TRIED, 2.0 * SAME_RAD, Evidence::promise);
        for other in &mut others {
            self.refine(other, N_SAMPLES[1], 6, [0.045, 0.012]);
        }
        others
    }

    /// Refines an object that is close to its true pose, and its openings.
    pub(crate) fn settle(&self, found: &mut Detection) {
        self.refine(found, usize::MAX, 4, [0.008, 0.005]);
        found.is_fitted = found.openings.is_empty();
        self.polish(found, &[0.004, 0.002, 0.001]);
        self.fit_openings(found);
        if !found.openings.is_empty() {
            self.polish(found, &[0.004, 0.002, 0.001]);
            self.fit_openings(found);
        }
        found.evidence = self.evidence(found, usize::MAX);
        if !self.template(found).is_furniture() && found.freedom != Freedom::Any {
            let mut leaning = Detection {
                freedom: Freedom::Any,
                ..found.clone()
            };
            self.refine(&mut leaning, usize::MAX, 4, [0.008, 0.005]);
            leaning.evidence = self.evidence(&leaning, usize::MAX);
            if leaning.evidence.value() > LEANS * found.evidence.value() {
                *found = leaning;
            }
        }
    }
}

fn every(template: &Template, n_samples: usize) -> usize {
    let n: usize = template.samples.iter().map(Vec::len).sum();
    n.div_ceil(n_samples).max(1)
}
