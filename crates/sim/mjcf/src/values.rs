//! Reads attributes, and poses in the five notations of MJCF for rotations. Every error names the
//! line, the mistake and the allowed values.

use nalgebra::{Matrix3, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3};
use regrasp_api::Pose;

use crate::defaults::Defaults;
use crate::xml::{Attribute, Element};
use crate::{Result, SceneError, SourceLine};

/// The attributes of an element, those of its class included.
#[derive(Clone, Debug)]
pub(crate) struct Values<'a> {
    pub(crate) element: &'a Element,
    defaults: &'a Defaults,
    class: String,
}

impl<'a> Values<'a> {
    /// Applies the class that the element names, or else `around`, the class of the enclosing body.
    pub(crate) fn new(
        element: &'a Element,
        defaults: &'a Defaults,
        around: Option<&str>,
    ) -> Result<Self> {
        Ok(Self {
            element,
            defaults,
            class: defaults.class_of(element, around)?,
        })
    }

    pub(crate) fn place(&self) -> &'a SourceLine {
        &self.element.place
    }

    fn levels(&self) -> impl Iterator<Item = &[Attribute]> {
        self.defaults.levels(self.element, &self.class).into_iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Attribute> {
        let mut all = self.levels().flatten();
        all.find(|a| a.name == name && is_given(a))
    }

    /// Returns the named attributes given at the nearest level: the element itself, or one class.
    pub(crate) fn nearest(&self, names: &[&str]) -> Vec<&Attribute> {
        let is_one = |a: &&Attribute| names.contains(&a.name.as_str()) && is_given(a);
        let given = self.levels();
        let given = given.map(|level| level.iter().filter(is_one).collect());
        let mut given = given.filter(|given: &Vec<_>| !given.is_empty());
        given.next().unwrap_or_default()
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).map(|a| a.value.as_str())
    }

    pub(crate) fn name(&self) -> Option<String> {
        let name = self.element.attribute("name")?.value.clone();
        (!name.is_empty()).then_some(name)
    }

    pub(crate) fn bad(&self, attribute: &Attribute, allowed: &str) -> SceneError {
        attribute.place.error(format!(
            "`{}` of <{}> is `{}`, but must be {allowed}",
            attribute.name, self.element.tag, attribute.value
        ))
    }

    pub(crate) fn lacks(&self, name: &str) -> SceneError {
        let tag = &self.element.tag;
        self.place()
            .error(format!("<{tag}> lacks the attribute `{name}`"))
    }

    /// Returns the error for the value of an attribute, or for its absence.
    pub(crate) fn wrong(&self, name: &str, allowed: &str) -> SceneError {
        let given = self.get(name);
        given.map_or_else(|| self.lacks(name), |given| self.bad(given, allowed))
    }

    /// Reads a list of numbers whose length is within `limits`; `None` if the attribute is absent.
    /// As in MuJoCo, a list that is shorter than its class's takes the rest from the class.
    pub(crate) fn numbers(&self, name: &str, limits: [usize; 2]) -> Result<Option<Vec<f64>>> {
        let mut numbers = vec![];
        let all = self.levels().flatten();
        for attribute in all.filter(|a| a.name == name && is_given(a)) {
            let list = self.list(attribute, limits)?;
            numbers.extend(list.into_iter().skip(numbers.len()));
        }
        Ok((!numbers.is_empty()).then_some(numbers))
    }

    fn list(&self, attribute: &Attribute, [least, most]: [usize; 2]) -> Result<Vec<f64>> {
        let words = attribute.value.split_ascii_whitespace();
        let numbers: Option<Vec<f64>> = words.map(finite).collect();
        match numbers {
            Some(numbers) if (least..=most).contains(&numbers.len()) => Ok(numbers),
            _ => {
                let between = match attribute.value.contains(',') {
                    true => " separated by spaces",
                    false => "",
                };
                let n = match [least, most] {
                    [1, 1] => "a number".to_owned(),
                    _ if least == most => format!("{least} numbers"),
                    _ => format!("{least} to {most} numbers"),
                };
                Err(self.bad(attribute, &(n + between)))
            }
        }
    }

    pub(crate) fn array<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>> {
        let numbers = self.numbers(name, [N, N])?;
        Ok(numbers.and_then(|numbers| numbers.try_into().ok()))
    }

    pub(crate) fn number(&self, name: &str, default: f64) -> Result<f64> {
        Ok(self.array::<1>(name)?.map_or(default, |[x]| x))
    }

    pub(crate) fn amount(&self, name: &str, default: f64) -> Result<f64> {
        let amount = self.number(name, default)?;
        match self.get(name) {
            Some(attribute) if amount < 0.0 => Err(self.bad(attribute, "0 or greater")),
            _ => Ok(amount),
        }
    }

    pub(crate) fn integer(&self, name: &str, default: i64) -> Result<i64> {
        let Some(attribute) = self.get(name) else {
            return Ok(default);
        };
        let number = attribute.value.trim().parse();
        number.map_err(|_| self.bad(attribute, "a whole number"))
    }

    /// Reads `true` or `false`; `None` for `auto` or an absent attribute.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>> {
        let Some(attribute) = self.get(name) else {
            return Ok(None);
        };
        match attribute.value.trim() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            "auto" => Ok(None),
            _ => Err(self.bad(attribute, "`true`, `false` or `auto`")),
        }
    }

    pub(crate) fn rgba(&self, name: &str) -> Result<Option<[f32; 4]>> {
        let rgba = self.array::<4>(name)?;
        Ok(rgba.map(|rgba| rgba.map(|c| c.clamp(0.0, 1.0) as f32)))
    }
}

/// Returns true unless the value is empty, which MuJoCo takes for an absent attribute.
fn is_given(attribute: &Attribute) -> bool {
    !attribute.value.trim().is_empty()
}

/// Parses a number below 1e15, so that no computation with it overflows.
fn finite(word: &str) -> Option<f64> {
    let number: f64 = word.parse().ok()?;
    (number.abs() < 1e15).then_some(number)
}

/// Settings for angles in a model.
#[derive(Clone, Debug, smart_default::SmartDefault)]
pub(crate) struct Angles {
    #[default(std::f64::consts::PI / 180.0)]
    pub(crate) unit_rad: f64,
    /// Axes of `euler`: lower case for intrinsic rotations, upper case for extrinsic ones.
    #[default("xyz".to_owned())]
    pub(crate) sequence: String,
}

/// Reads `pos` and a rotation.
pub(crate) fn pose(values: &Values<'_>, angles: &Angles) -> Result<Pose> {
    let position = values.array::<3>("pos")?.unwrap_or_default();
    Ok(Pose::from_parts(position.into(), turn(values, angles)?))
}

/// Reads at most one of `quat`, `axisangle`, `euler`, `xyaxes`, `zaxis`; an element's own replaces
/// its class's.
fn turn(values: &Values<'_>, angles: &Angles) -> Result<UnitQuaternion<f64>> {
    const KEYS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
    let attribute = match values.nearest(&KEYS).as_slice() {
        [] => return Ok(UnitQuaternion::identity()),
        [one] => *one,
        [_, second, ..] => {
            let allowed = format!("left out: only one of {} may be given", KEYS.join(", "));
            return Err(values.bad(second, &allowed));
        }
    };
    let no_way = || {
        values.bad(
            attribute,
            "a rotation: no vector of length 0, no parallel axes",
        )
    };
    let unit = |v: Vector3<f64>| Unit::try_new(v, 1e-9).ok_or_else(no_way);
    let name = attribute.name.as_str();
    Ok(match name {
        "quat" => {
            let [w, x, y, z] = values.array(name)?.unwrap_or_default();
            let quaternion = Quaternion::new(w, x, y, z);
            UnitQuaternion::try_new(quaternion, 1e-9).ok_or_else(no_way)?
        }
        "axisangle" => {
            let [x, y, z, angle] = values.array(name)?.unwrap_or_default();
            UnitQuaternion::from_axis_angle(&unit(Vector3::new(x, y, z))?, angle * angles.unit_rad)
        }
        "euler" => euler(values.array(name)?.unwrap_or_default(), angles),
        "xyaxes" => {
            let [x0, x1, x2, y0, y1, y2] = values.array(name)?.unwrap_or_default();
            let x = unit(Vector3::new(x0, x1, x2))?;
            let y = Vector3::new(y0, y1, y2);
            let y = unit(y - x.into_inner() * x.dot(&y))?;
            let axes = Matrix3::from_columns(&[x.into_inner(), y.into_inner(), x.cross(&y)]);
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
        }
        _ => along(&unit(values.array::<3>(name)?.unwrap_or_default().into())?),
    })
}

pub(crate) fn euler(turns: [f64; 3], angles: &Angles) -> UnitQuaternion<f64> {
    let mut whole = UnitQuaternion::identity();
    for (axis, turn) in angles.sequence.chars().zip(turns) {
        let about = match axis.to_ascii_lowercase() {
            'x' => Vector3::x_axis(),
            'y' => Vector3::y_axis(),
            _ => Vector3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&about, turn * angles.unit_rad);
        whole = match axis.is_ascii_lowercase() {
            true => whole * turn,
            false => turn * whole,
        };
    }
    whole
}

/// Shortest rotation from z to a direction.
pub(crate) fn along(direction: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between_axis(&Vector3::z_axis(), direction)
        // To the direction -z, half turns about all horizontal axes are shortest; x is chosen.
        .unwrap_or_else(|| {
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
        })
}
