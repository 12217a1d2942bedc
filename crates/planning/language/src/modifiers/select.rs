//! Words that choose among several objects by position or size.

use std::f64::consts::{FRAC_PI_4, FRAC_PI_6};

use nalgebra::Vector2;
use regrasp_api::{Aabb, PerceivedObject, Shape};
use regrasp_relations::{Region, box_gap_m};

use crate::ast::{Modifier, Word};
use crate::lexicon::KINDS;
use crate::properties::size_of;
use crate::reader::{Reader, count};
use crate::referent::{ReadingError, Referent, Resolved, list, those};
use crate::tree::Tree;

/// A modifier that chooses among several objects.
#[derive(Clone, Debug)]
pub(crate) struct Selector<'m> {
    pub(super) by: &'m Modifier,
    /// True to choose the other objects: "not on the left".
    pub(super) is_negated: bool,
    /// Object from which distances are measured, for "nearest" and "farthest".
    pub(super) other: Option<Referent>,
}

impl Selector<'_> {
    /// Returns true if the selector does not depend on the positions of the objects.
    pub(crate) fn by_size(&self) -> bool {
        let is_size = |word: &Word| KINDS.with("size").contains(&word.means);
        match self.by {
            Modifier::Most { word } | Modifier::NthMost { word, .. } => is_size(word),
            by => matches!(by, Modifier::Count { .. }),
        }
    }

    /// Returns the selector of the other objects, if there is one.
    pub(super) fn negated(self) -> Option<Self> {
        let can_be = matches!(self.by, Modifier::Most { .. } | Modifier::AtSide { .. });
        let is_negated = true;
        (can_be && !self.is_negated).then_some(Self { is_negated, ..self })
    }
}

/// Difference within which sizes or positions count as equal for a superlative, m.
pub(super) const ALIKE_M: f64 = 0.001;
/// Difference within which sizes or positions count as equal for words such as "large", m.
const HARDLY_M: f64 = 0.005;
/// Length above which an object is large, m: its centre then says little about nearness.
const LARGE_M: f64 = 0.25;
/// Distance from the middle of a group below which an object is neither left nor right in it, m.
const MIDDLE_M: f64 = 0.01;

type Choice = Resolved<Vec<Referent>>;

/// Applies all selectors to the objects, and returns one object if `wants_one`. `number` is the
/// number of objects for a superlative, and true if it is exact; otherwise a selector may give the
/// number.
pub(crate) fn choose(
    reader: &Reader<'_>,
    tree: &Tree,
    things: &[Referent],
    selectors: &[Selector<'_>],
    wants_one: bool,
    number: Option<(usize, bool)>,
) -> Choice {
    let counted = selectors.iter().find_map(|selector| match selector.by {
        Modifier::Count { n } => Some(count(n)),
        _ => None,
    });
    let n = number.map(|(n, _)| n).or(counted).filter(|_| !wants_one);
    let is_exact = number.is_some_and(|(_, is_exact)| is_exact) || counted.is_some();
    let scale = Scale {
        reader,
        tree,
        things,
        selectors,
        n: n.unwrap_or(1),
        is_any: !wants_one && !is_exact,
        is_alone: wants_one && selectors.len() == 1,
    };
    let is_side = |selector: &&Selector<'_>| scale.side(selector).is_some();
    let (sides, others): (Vec<_>, Vec<_>) = selectors.iter().partition(is_side);
    let mut left = things.to_vec();
    for selector in sides.iter().chain(&others) {
        left = scale.pick(selector, &left)?;
        if left.is_empty() {
            return Err(reader.none(tree, format!("_: none of {} is there", list(things))));
        }
    }
    match counted.is_none_or(|n| left.len() == n) {
        true => Ok(left),
        false => Err(reader.none(
            tree,
            format!("_: there are {}: {}", left.len(), list(&left)),
        )),
    }
}

type Score<'s> = &'s dyn Fn(&Referent) -> Option<f64>;
/// Objects by descending score.
type Ranked<'t> = Vec<(f64, &'t Referent)>;

/// Sorts objects by descending score, without those that have none.
pub(super) fn ranked<'t>(things: &'t [Referent], score: Score<'_>) -> Ranked<'t> {
    let scored = things.iter().filter_map(|t| Some((score(t)?, t)));
    let mut ranked: Vec<_> = scored.collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked
}

impl Reader<'_> {
    /// Bounding box of an object or zone in World.
    fn aabb_of(&self, thing: &Referent) -> Option<Aabb> {
        match thing {
            Referent::Object(_) => self.object(thing).map(PerceivedObject::aabb_in_world),
            Referent::Zone(id, zone) => Some(Region::of(self.scene.percept, id, zone)?.aabb()),
        }
    }

    /// Score of an object for a word: a length or a coordinate, m, the larger the better it fits.
    pub(crate) fn score_of(&self, thing: &Referent, word: &str) -> Option<f64> {
        let aabb = self.aabb_of(thing)?;
        if let Some(direction) = self.scene.viewpoint.direction(word) {
            return Some(aabb.center().coords.xy().dot(&direction));
        }
        let object = self.object(thing).filter(|_| thing.zone().is_none());
        let size = object.map_or_else(|| aabb.size(), size_of);
        // Part of the box that the object fills.
        let fill = match object.map(|object| &object.shape) {
            Some(Shape::Sphere { .. }) => FRAC_PI_6,
            Some(Shape::Cylinder(_)) => FRAC_PI_4,
            _ => 1.0,
        };
        let mean = (fill * size.x * size.y * size.z).cbrt();
        Some(match word {
            "large" => mean,
            "small" => -mean,
            "tall" => size.z,
            "short" => -size.max(),
            "long" => size.max(),
            "wide" | "thick" => size.x.min(size.y),
            "thin" => -size.x.min(size.y).min(size.z),
            "high" | "top" => aabb.max[2],
            "low" | "bottom" => -aabb.min[2],
            _ => return None,
        })
    }
}

/// Position that an ordinal names, counted from the end if it is negative.
fn rank(word: &Word) -> i64 {
    word.means.parse().unwrap_or(1)
}

fn is_nth(selector: &Selector<'_>) -> bool {
    matches!(selector.by, Modifier::Nth { .. })
}

struct Scale<'a> {
    reader: &'a Reader<'a>,
    /// Phrase that is reported if there is no choice.
    tree: &'a Tree,
    things: &'a [Referent],
    selectors: &'a [Selector<'a>],
    n: usize,
    /// True if any of the fitting objects may be taken: "two large cubes", unlike "the two
    /// largest".
    is_any: bool,
    /// True if one object is meant, by this selector alone.
    is_alone: bool,
}

impl Scale<'_> {
    /// Side that a selector means. "from the front of the table" means one unless there is a number
    /// such as "second", which is then counted from there.
    fn side<'s>(&self, selector: &'s Selector<'_>) -> Option<&'s str> {
        match selector.by {
            Modifier::AtSide { side, .. } => Some(&side.means),
            Modifier::CountedFrom { side, table } => {
                let is_place = table.is_some() && side.means != "middle";
                let is_it = is_place && !self.selectors.iter().any(is_nth);
                is_it.then_some(side.means.as_str())
            }
            _ => None,
        }
    }

    fn pick(&self, selector: &Selector<'_>, left: &[Referent]) -> Choice {
        let is_negated = selector.is_negated;
        let found = match selector.by {
            Modifier::AtSide { .. } | Modifier::CountedFrom { .. } => match self.side(selector) {
                Some(side) if self.is_alone && !is_negated && !side.contains('_') => {
                    self.extreme(left, side, HARDLY_M)
                }
                Some(side) => self.on_side(left, side),
                None if self.selectors.iter().any(is_nth) => Ok(left.to_vec()),
                None => Err(self.none("_: a number is missing, such as first or second")),
            },
            Modifier::Most { word } => match (self.is_plain(word) && !is_negated, self.is_any) {
                (true, true) => {
                    let (low, high) = self.range(left, &word.means);
                    Ok(self.above(left, &word.means, 0.5 * (low + high)))
                }
                (true, false) => self.extreme(left, &word.means, HARDLY_M),
                (false, _) => self.extreme(left, &word.means, ALIKE_M),
            },
            Modifier::NthMost { n, word } => self.nth(left, &word.means, rank(n)),
            Modifier::Nth { n } if rank(n).unsigned_abs() as usize > left.len() => {
                Err(self.none(format!("_: there are only {}", list(left))))
            }
            Modifier::Nth { n } => {
                let n = rank(n);
                let from = self.selectors.iter().find_map(|own| match own.by {
                    Modifier::CountedFrom { side, .. } => Some((side, n)),
                    // "the last one on the right" is the outermost there.
                    Modifier::AtSide { side, .. } if !own.is_negated => Some((side, n.abs())),
                    _ => None,
                });
                let (from, n) = from.ok_or_else(|| self.several(left))?;
                self.nth(left, &from.means, n)
            }
            Modifier::Nearest { how, .. } if let Some(other) = &selector.other => {
                self.near(left, other, how.means == "near")
            }
            Modifier::NearestTo { how, whom } => {
                let scene = &self.reader.scene;
                let mine = scene.viewpoint.position().filter(|_| whom.means == "me");
                let point = mine.unwrap_or(scene.base.into());
                let sign = if how.means == "near" { -1.0 } else { 1.0 };
                let away = |t: &Referent| Some(sign * (self.middle_of(t)? - point).norm());
                self.best(left, HARDLY_M, &away)
            }
            _ => Ok(left.to_vec()),
        };
        found.map(|found| those(left, |thing| found.contains(thing) != is_negated))
    }

    /// Returns true for "large" and "larger", but not for "largest".
    fn is_plain(&self, word: &Word) -> bool {
        let (lexicon, written) = (self.reader.lexicon, self.reader.phrase(&word.tree));
        let is_most = lexicon.is_of("superlative", &written);
        !is_most && KINDS.with("plain").contains(&word.means)
    }

    fn none(&self, why: impl AsRef<str>) -> ReadingError {
        self.reader.none(self.tree, why)
    }

    fn several(&self, things: &[Referent]) -> ReadingError {
        self.reader.several(self.tree, things)
    }

    /// Returns the `n` objects with the highest scores, if these are clearly higher than the next.
    fn best(&self, things: &[Referent], margin: f64, score: Score<'_>) -> Choice {
        let ranked = ranked(things, score);
        let Some((least, _)) = ranked.get(self.n - 1) else {
            return match ranked.is_empty() {
                true => Err(self.none("_: the objects cannot be compared")),
                // The caller reports that there are too few.
                false => Ok(things.to_vec()),
            };
        };
        let best = those(things, |thing| {
            let mut ranked = ranked.iter();
            ranked.any(|(score, own)| *own == thing && *score > least - margin)
        });
        match best.len() == self.n {
            true => Ok(best),
            false => Err(self.several(&best)),
        }
    }

    /// Returns the object at a rank, if its score differs from those of its neighbours.
    fn in_place(
        &self,
        things: &[Referent],
        ranked: &Ranked<'_>,
        idx: usize,
        margin: f64,
    ) -> Choice {
        let (score, thing) = ranked[idx];
        let is_alike = |(other, _): &&(f64, _)| (other - score).abs() < margin;
        match ranked.iter().filter(is_alike).count() {
            1 => Ok(vec![thing.clone()]),
            _ => Err(self.several(things)),
        }
    }

    fn middle_of(&self, thing: &Referent) -> Option<Vector2<f64>> {
        Some(self.reader.aabb_of(thing)?.center().coords.xy())
    }

    fn score(&self, thing: &Referent, word: &str) -> Option<f64> {
        self.reader.score_of(thing, word)
    }

    fn score_of_table(&self, word: &str) -> Option<f64> {
        let direction = self.reader.scene.viewpoint.direction(word)?;
        let table = self.reader.scene.percept.table()?.aabb_in_world();
        Some(table.center().coords.xy().dot(&direction))
    }

    fn above(&self, things: &[Referent], word: &str, least: f64) -> Vec<Referent> {
        those(things, |t| self.score(t, word).is_some_and(|s| s > least))
    }

    fn range(&self, things: &[Referent], word: &str) -> (f64, f64) {
        let scores = things.iter().filter_map(|t| self.score(t, word));
        scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), score| {
            (low.min(score), high.max(score))
        })
    }

    fn extreme(&self, things: &[Referent], word: &str, margin_m: f64) -> Choice {
        if word == "middle" || word == "mid_size" {
            return self.middle(things, word);
        }
        if let [one] = things {
            return self.alone(one, word);
        }
        self.best(things, margin_m, &|thing| self.score(thing, word))
    }

    /// Checks that the only candidate for a side is not on the opposite side of the table.
    fn alone(&self, one: &Referent, word: &str) -> Choice {
        let off = self.score(one, word).zip(self.score_of_table(word));
        match off.is_some_and(|(own, table)| own - table < -2.0 * MIDDLE_M) {
            true => Err(self.none(format!("_: {one} is the only one and is on the other side"))),
            false => Ok(vec![one.clone()]),
        }
    }

    fn middle(&self, things: &[Referent], word: &str) -> Choice {
        if things.len() == 1 {
            return Ok(things.to_vec());
        }
        let axes: &[&str] = match word {
            "mid_size" => &["large"],
            _ => &["left", "back", "high"],
        };
        let spread = |axis: &str| {
            let (low, high) = self.range(things, axis);
            high - low
        };
        let axis = axes.iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
        let (Some(axis), true) = (axis, things.len() % 2 == 1) else {
            return Err(self.several(things));
        };
        let ranked = ranked(things, &|thing| self.score(thing, axis));
        self.in_place(things, &ranked, ranked.len() / 2, ALIKE_M)
    }

    /// Returns the objects in a half or quarter of a group.
    fn on_side(&self, things: &[Referent], side: &str) -> Choice {
        if side == "middle" {
            return self.middle(things, side);
        }
        let is_alone = self.things.len() == 1;
        Ok(side.split('_').fold(things.to_vec(), |left, word| {
            let (low, high) = self.range(self.things, word);
            let table = self.score_of_table(word).filter(|_| is_alone);
            let middle = table.unwrap_or(0.5 * (low + high));
            self.above(&left, word, middle + MIDDLE_M)
        }))
    }

    fn nth(&self, things: &[Referent], word: &str, n: i64) -> Choice {
        if self.n > 1 && n.abs() == 1 {
            // "the first two from the left"
            let score = |t: &Referent| self.score(t, word).map(|score| n as f64 * score);
            return self.best(things, ALIKE_M, &score);
        }
        let ranked = ranked(things, &|thing| self.score(thing, word));
        let nth = n.unsigned_abs() as usize;
        if nth == 0 || nth > ranked.len() {
            let why = format!("_: there are only {}: {}", things.len(), list(things));
            return Err(self.none(why));
        }
        let idx = if n < 0 { ranked.len() - nth } else { nth - 1 };
        self.in_place(things, &ranked, idx, ALIKE_M)
    }

    fn near(&self, things: &[Referent], other: &Referent, near: bool) -> Choice {
        let sign = if near { -1.0 } else { 1.0 };
        let others = those(things, |thing| thing != other);
        let by_center = |t: &Referent| Some((self.middle_of(t)? - self.middle_of(other)?).norm());
        let object = |t: &Referent| self.reader.object(t);
        let distance = |thing: &Referent| match other.zone() {
            Some(_) => by_center(thing),
            None => Some(box_gap_m(object(thing)?, object(other)?) + 0.1 * by_center(thing)?),
        };
        let found = self.best(&others, HARDLY_M, &|t| distance(t).map(|d| sign * d))?;
        // Bounding boxes of round objects say little about small differences in distance. So the
        // centres must agree, if the other object is small.
        let size = object(other).map(|o| o.aabb_in_world().size());
        let is_small = size.is_some_and(|size| size.xy().max() < LARGE_M);
        let score = |t: &Referent| by_center(t).map_or(f64::NEG_INFINITY, |d| sign * d);
        let agrees = |t: &Referent| found.iter().all(|own| score(t) <= score(own) + ALIKE_M);
        let rivals = those(&others, |t| !found.contains(t) && !agrees(t));
        match !is_small || rivals.is_empty() {
            true => Ok(found),
            false => Err(self.several(&[found.clone(), rivals].concat())),
        }
    }
}
