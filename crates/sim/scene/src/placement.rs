//! Random placement: ranges from the file, one draw for each seed.

use std::f64::consts::TAU;

use rand::{Rng, RngExt};

use crate::Result;
use crate::defs::{PlacementSpec, SceneDef, Variation};
use crate::fields::{Field, Fields, Located, Sign};
use crate::formats::{self, keys};
use crate::scene_file::zone_of;
use crate::yaml::Value;

/// One entry of `placement:`, for one or several objects.
#[derive(Debug, Clone)]
pub(crate) struct Placement {
    pub(crate) objects: Vec<usize>,
    /// Half ranges, along x and y, of an offset that all objects of the entry share, m.
    shared_offset: [f64; 2],
    area: Area,
    yaw: Option<Yaw>,
    size_jitter: f64,
    mass_jitter: f64,
    friction_jitter: f64,
    color_jitter: f64,
    /// Smallest distance between any two origins seen from above, m.
    pub(crate) min_separation_m: Option<f64>,
    /// Positions in the scene that are dealt to the objects in random order.
    shuffled: Option<Vec<[f64; 2]>>,
    pub(crate) line: usize,
}

/// Region of an object's position in the plane.
#[derive(Debug, Clone)]
enum Area {
    /// Half ranges around the scene's own position, m.
    Jitter([f64; 2]),
    /// Anywhere in a rectangle.
    Rectangle { x: [f64; 2], y: [f64; 2] },
    /// In the heading frame of another object.
    RelativeTo {
        other: usize,
        x: [f64; 2],
        y: [f64; 2],
    },
    /// Anywhere in a zone of the object's support: one zone index for each object.
    Zone(Vec<usize>),
    /// Between two circles, uniform in radius and angle.
    Ring {
        center: [f64; 2],
        radius: [f64; 2],
        angle: [f64; 2],
    },
}

#[derive(Debug, Clone, Copy)]
enum Yaw {
    Any,
    Range([f64; 2]),
}

impl Placement {
    pub(crate) fn parse(field: &Field<'_>, scene: &SceneDef) -> Result<Self> {
        let keys = field.fields(keys("placement"))?;
        let words = keys.just_one_of(&["object", "objects"])?;
        let named = words.words()?;
        let named = named.iter();
        let objects = named.map(|word| movable_in_plan(&words, word, scene));
        let objects = objects.collect::<Result<Vec<_>, _>>()?;
        if objects.is_empty() {
            return Err(words.not_allowed("empty", "at least one object"));
        }
        let entry = Entry {
            keys,
            objects: &objects,
            scene,
        };
        Ok(Self {
            shuffled: entry.shuffled()?,
            area: entry.area()?,
            shared_offset: half_ranges(&keys, "shared_offset_m")?,
            yaw: yaw(&keys)?,
            size_jitter: fraction(&keys, "size_jitter")?,
            mass_jitter: fraction(&keys, "mass_jitter")?,
            friction_jitter: fraction(&keys, "friction_jitter")?,
            color_jitter: fraction(&keys, "color_jitter")?,
            min_separation_m: keys.maybe("min_separation_m", |f| f.number(Sign::Length))?,
            line: field.node.line,
            objects,
        })
    }

    /// Sets the values of seed 0: jitter is zero, a range gives its middle; several objects that
    /// share a range are spread evenly along its longer side.
    pub(crate) fn baseline(&self, variations: &mut [Variation]) {
        let n = self.objects.len() as f64;
        for (i, &object) in self.objects.iter().enumerate() {
            let along = (i as f64 + 0.5) / n;
            let Some(variation) = variations.get_mut(object) else {
                continue;
            };
            let at = match &self.area {
                Area::Rectangle { x, y } if n > 1.0 => match x[1] - x[0] > y[1] - y[0] {
                    true => [along, 0.5],
                    false => [0.5, along],
                },
                Area::Ring { .. } => [0.5, along],
                _ => [0.5; 2],
            };
            self.area.put(i, at, variation);
            if let Some(Yaw::Range(range)) = self.yaw {
                variation.yaw = lerp(range, 0.5);
            }
        }
    }

    /// Sets the values of any other seed. The number of draws does not depend on their values
    /// (friction is drawn only where it varies), so that entries do not depend on each other.
    pub(crate) fn draw(&self, rng: &mut impl Rng, variations: &mut [Variation]) {
        let mut uniform = |range: [f64; 2]| lerp(range, rng.random::<f64>());
        let shared = self.shared_offset.map(|half| uniform([-half, half]));
        let places = self.shuffled.as_ref().map(|places| {
            let mut places = places.clone();
            // Fisher-Yates: all orders are equally likely.
            for i in (1..places.len()).rev() {
                let j = (uniform([0.0, 1.0]) * (i + 1) as f64) as usize;
                places.swap(i, j.min(i));
            }
            places
        });
        for (i, &object) in self.objects.iter().enumerate() {
            let (u, v) = (uniform([0.0, 1.0]), uniform([0.0, 1.0]));
            let yaw = match self.yaw {
                None => 0.0,
                Some(Yaw::Any) => uniform([0.0, TAU]),
                Some(Yaw::Range(range)) => uniform(range),
            };
            let size = 1.0 + uniform([-self.size_jitter, self.size_jitter]);
            let mass = 1.0 + uniform([-self.mass_jitter, self.mass_jitter]);
            let mut tint = || uniform([-self.color_jitter, self.color_jitter]) as f32;
            let color = [tint(), tint(), tint()];
            let friction = match self.friction_jitter {
                0.0 => 1.0,
                half => 1.0 + uniform([-half, half]),
            };
            let Some(variation) = variations.get_mut(object) else {
                continue;
            };
            if let Some(places) = &places {
                variation.xy = places.get(i).copied();
            }
            let jitter = self.area.put(i, [u, v], variation);
            variation.offset = [0, 1].map(|k| variation.offset[k] + (shared[k] + jitter[k]));
            variation.yaw += yaw;
            variation.size *= size;
            variation.mass *= mass;
            variation.friction *= friction;
            for (channel, tint) in variation.color.iter_mut().zip(color) {
                *channel += tint;
            }
        }
    }
}

impl Area {
    /// Puts the `i`-th object at `u` and `v` in 0..1 along the sides, or along radius and angle of
    /// a ring. Returns the offset from the scene's own position.
    fn put(&self, i: usize, [u, v]: [f64; 2], variation: &mut Variation) -> [f64; 2] {
        match self {
            Self::Jitter(half) => {
                return [lerp([-half[0], half[0]], u), lerp([-half[1], half[1]], v)];
            }
            Self::Rectangle { x, y } => variation.xy = Some([lerp(*x, u), lerp(*y, v)]),
            Self::RelativeTo { other, x, y } => {
                variation.relative = Some((*other, [lerp(*x, u), lerp(*y, v)]));
            }
            Self::Zone(zones) => variation.zone = zones.get(i).map(|&idx| (idx, [u, v])),
            Self::Ring {
                center,
                radius,
                angle,
            } => {
                let (r, a) = (lerp(*radius, u), lerp(*angle, v));
                variation.xy = Some([center[0] + r * a.cos(), center[1] + r * a.sin()]);
            }
        }
        [0.0; 2]
    }
}

pub(crate) fn lerp([low, high]: [f64; 2], u: f64) -> f64 {
    low + (high - low) * u
}

fn movable_in_plan(field: &Field<'_>, word: &Located<String>, scene: &SceneDef) -> Result<usize> {
    let idx = scene.index_of(field.file, word)?;
    match scene.objects.get(idx).map(|o| &o.place) {
        Some(PlacementSpec::Attached { parent, .. }) => Err(field.not_allowed(
            format!("`{}`", word.value),
            format!("an object with its own position, such as `{parent}`"),
        )),
        _ => Ok(idx),
    }
}

/// An entry of `placement:` with the indices of its objects.
struct Entry<'a> {
    keys: Fields<'a>,
    objects: &'a [usize],
    scene: &'a SceneDef,
}

impl Entry<'_> {
    /// Applies a reader to the scene's placement of each object.
    fn each<T>(&self, read: impl Fn(Option<&PlacementSpec>) -> Result<T>) -> Result<Vec<T>> {
        let objects = self.objects.iter().map(|&idx| self.scene.objects.get(idx));
        objects.map(|o| read(o.map(|o| &o.place))).collect()
    }

    /// Returns the positions in the scene that `shuffle: true` deals out.
    fn shuffled(&self) -> Result<Option<Vec<[f64; 2]>>> {
        let Some(field) = self.keys.get("shuffle") else {
            return Ok(None);
        };
        if !self.keys.flag("shuffle")? {
            return Ok(None);
        }
        let others = ["x", "ring", "relative_to", "zone"];
        if let Some(other) = self.keys.one_of(&others)? {
            return Err(other.misplaced("with `shuffle`"));
        }
        let places = self.each(|place| match place {
            Some(PlacementSpec::At { world_from_object }) => {
                let p = world_from_object.translation.vector;
                Ok([p.x, p.y])
            }
            Some(PlacementSpec::On { xy: Some(xy), .. }) => Ok(*xy),
            _ => Err(field.error("`shuffle` needs objects with an `xy` or a `position`")),
        });
        places.map(Some)
    }

    fn area(&self) -> Result<Area> {
        let keys = &self.keys;
        let areas = ["xy_jitter_m", "x", "ring", "relative_to", "zone"];
        let Some(field) = keys.one_of(&areas)? else {
            keys.without(&["y"], "without `x`")?;
            return Ok(Area::Jitter([0.0; 2]));
        };
        if field.key != "x" {
            keys.without(&["y"], format_args!("with `{}`", field.key))?;
        }
        match field.key {
            "xy_jitter_m" => Ok(Area::Jitter(half_ranges(keys, "xy_jitter_m")?)),
            "x" => Ok(Area::Rectangle {
                x: field.range(Sign::Coordinate)?,
                y: keys.need("y")?.range(Sign::Coordinate)?,
            }),
            "relative_to" => self.relative_to(&field),
            "zone" => self.zones(&field),
            _ => {
                let ring = field.fields(formats::keys("ring"))?;
                Ok(Area::Ring {
                    center: ring.need("center")?.array::<2>(Sign::Coordinate)?,
                    radius: ring.need("radius")?.range(Sign::NotNegative)?,
                    angle: (ring.maybe("angle_rad", |f| f.range(Sign::Any))?).unwrap_or([0.0, TAU]),
                })
            }
        }
    }

    /// Reads an offset from another object, which the same entry must not place.
    fn relative_to(&self, field: &Field<'_>) -> Result<Area> {
        let offset = field.fields(formats::keys("relative_to"))?;
        let named = offset.need("object")?;
        let word = named.word()?;
        let other = self.scene.index_of(field.file, &word)?;
        if self.objects.contains(&other) {
            let allowed = "an object that this entry does not place";
            return Err(named.not_allowed(format!("`{}`", word.value), allowed));
        }
        Ok(Area::RelativeTo {
            other,
            x: offset.need("x")?.range(Sign::Coordinate)?,
            y: offset.need("y")?.range(Sign::Coordinate)?,
        })
    }

    /// Returns, for each object, the zone of that name on its support.
    fn zones(&self, field: &Field<'_>) -> Result<Area> {
        let name = field.word()?;
        let zones = self.each(|place| match place {
            Some(PlacementSpec::On { support, .. }) => {
                let support = self.scene.index_of(field.file, support)?;
                match self.scene.objects.get(support) {
                    Some(support) => zone_of(field.file, support, &name),
                    None => Ok(0),
                }
            }
            _ => Err(field.error("`zone` needs objects that the scene places `on` a support")),
        });
        zones.map(Area::Zone)
    }
}

fn yaw(entry: &Fields<'_>) -> Result<Option<Yaw>> {
    entry.maybe("yaw_rad", |field| match &field.node.value {
        Value::Text(word) if word == "any" => Ok(Yaw::Any),
        Value::List(_) => Ok(Yaw::Range(field.range(Sign::Any)?)),
        _ => Err(field.wrong_type("the word `any`, or a range [lowest, highest]")),
    })
}

/// Reads half ranges, m: one number for both axes, or one for each axis.
fn half_ranges<'a>(entry: &Fields<'a>, key: &'a str) -> Result<[f64; 2]> {
    let Some(field) = entry.get(key) else {
        return Ok([0.0; 2]);
    };
    let [x, y] = match &field.node.value {
        Value::List(_) => field.array::<2>(Sign::NotNegative)?,
        _ => [field.number(Sign::NotNegative)?; 2],
    };
    if x.max(y) > 10.0 {
        return Err(field.not_allowed(x.max(y), "at most 10 m"));
    }
    Ok([x, y])
}

fn fraction<'a>(entry: &Fields<'a>, key: &'a str) -> Result<f64> {
    let allowed = "a fraction from 0 to 0.9";
    entry.number_in(key, Sign::NotNegative, 0.0, ..=0.9, allowed)
}
