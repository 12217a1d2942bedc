//! Names and values of a scene that conditions may refer to, and mistakes in conditions.

use regrasp_api::{ObjectId, ObjectPort, PortKind, Zone};

/// Names and values of a scene that conditions may refer to.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// All objects except small ones that are counted.
    pub objects: Vec<&'a ObjectId>,
    /// Movable objects, without those that a condition of the task names.
    pub others: Vec<ObjectId>,
    /// Joints between objects.
    pub joints: Vec<KnownJoint<'a>>,
    /// Home configuration of the arm, rad.
    pub home: &'a [f64],
    /// Goal point of the task in World, m, if there is one.
    pub goal: Option<[f64; 3]>,
    /// Plugs and holes.
    pub ports: &'a [ObjectPort],
    /// Groups of many small objects.
    pub groups: Vec<&'a ObjectId>,
    /// Objects with the names of their zones.
    pub zones: Vec<(&'a ObjectId, &'a str)>,
}

/// Joint of the scene.
#[derive(Clone, Copy, Debug)]
pub struct KnownJoint<'a> {
    /// Object that the joint moves.
    pub object: &'a ObjectId,
    /// Travel, m or rad.
    pub travel: f64,
    /// Set if the joint is a button: it springs back, and its presses are counted.
    pub is_button: bool,
}

/// Part of a condition that does not fit the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// Path to the part, from the outside in.
    pub path: Vec<Step>,
    /// Mistake in the part.
    pub mistake: Mistake,
}

/// Step of a path into a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Value of a key.
    Key(&'static str),
    /// Item of a list.
    Item(usize),
}

/// Mistake, and how to correct it.
#[derive(Clone, Debug, PartialEq)]
pub enum Mistake {
    /// Name that the scene does not have.
    Unknown {
        /// Kind of the name (`object`).
        what: &'static str,
        /// Unknown name.
        word: String,
        /// Known names of that kind.
        known: Vec<String>,
    },
    /// Value outside its allowed range.
    NotAllowed {
        /// Actual value.
        got: String,
        /// Allowed values.
        allowed: String,
    },
    /// Missing key.
    Missing(&'static str),
    /// Conflicting keys.
    Keys {
        /// Required keys.
        needs: String,
        /// Actual keys.
        found: String,
    },
}

impl Wrong {
    /// Creates a mistake of the condition as a whole.
    pub(crate) fn whole(mistake: Mistake) -> Self {
        let path = Vec::new();
        Self { path, mistake }
    }

    /// Creates the error for conditions, given as text, that can never hold together.
    pub(crate) fn conflict(got: String) -> Self {
        let allowed = "conditions that can hold at the same time".to_owned();
        Self::whole(Mistake::NotAllowed { got, allowed })
    }

    pub(crate) fn value(key: &'static str, got: impl ToString, allowed: impl Into<String>) -> Self {
        let (got, allowed) = (got.to_string(), allowed.into());
        Self::whole(Mistake::NotAllowed { got, allowed }).inside(Step::Key(key))
    }

    pub(crate) fn keys(needs: &str, found: &str) -> Self {
        let (needs, found) = (needs.to_owned(), found.to_owned());
        Self::whole(Mistake::Keys { needs, found })
    }

    /// Adds an outer step to the path.
    pub(crate) fn inside(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl Known<'_> {
    pub(crate) fn object(&self, key: &'static str, id: &ObjectId) -> Result<(), Wrong> {
        if self.objects.contains(&id) {
            return Ok(());
        }
        let mistake = Mistake::Unknown {
            what: "object",
            word: id.to_string(),
            known: self.objects.iter().map(ToString::to_string).collect(),
        };
        Err(Wrong::whole(mistake).inside(Step::Key(key)))
    }

    /// Checks that an object exists and is not the one that it is related to.
    pub(crate) fn other(
        &self,
        key: &'static str,
        id: &ObjectId,
        object: &ObjectId,
    ) -> Result<(), Wrong> {
        match id == object {
            true => Err(Wrong::value(key, id, "different from `object`")),
            false => self.object(key, id),
        }
    }

    pub(crate) fn objects(&self, key: &'static str, ids: &[ObjectId]) -> Result<(), Wrong> {
        let in_key = |mut wrong: Wrong, i| {
            wrong.path.insert(1, Step::Item(i));
            wrong
        };
        let mut all = ids.iter().enumerate();
        all.try_for_each(|(i, id)| self.object(key, id).map_err(|wrong| in_key(wrong, i)))
    }

    pub(crate) fn zone(&self, key: &'static str, of: &ObjectId, zone: &Zone) -> Result<(), Wrong> {
        let names = self.zones.iter().filter(|(object, _)| *object == of);
        let known: Vec<String> = names.map(|(_, name)| (*name).to_owned()).collect();
        if known.iter().any(|name| name == zone.as_str()) {
            return Ok(());
        }
        let mistake = Mistake::Unknown {
            what: "zone",
            word: zone.to_string(),
            known,
        };
        Err(Wrong::whole(mistake).inside(Step::Key(key)))
    }

    pub(crate) fn group(&self, key: &'static str, id: &ObjectId) -> Result<(), Wrong> {
        match self.groups.contains(&id) {
            true => Ok(()),
            false => Err(no_such(key, id, &self.groups, "an object of kind `beads`")),
        }
    }

    pub(crate) fn port(
        &self,
        key: &'static str,
        id: &ObjectId,
        kind: PortKind,
    ) -> Result<(), Wrong> {
        self.object(key, id)?;
        let what = match kind {
            PortKind::Plug => "an object with a `plug`",
            PortKind::Hole => "an object with a `hole`",
        };
        let of_kind = self.ports.iter().filter(|port| port.kind == kind);
        let known: Vec<_> = of_kind.map(|port| &port.object).collect();
        match known.as_slice() {
            known if known.contains(&id) => Ok(()),
            [] => Err(no_such(key, id, &[], what)),
            known => {
                let ids: Vec<_> = known.iter().map(|id| id.as_str()).collect();
                let right = format!("{what}: {}", ids.join(", "));
                Err(Wrong::value(key, format!("`{id}`"), right))
            }
        }
    }

    /// Returns the joint that moves an object, after a check of its kind.
    pub(crate) fn joint(
        &self,
        key: &'static str,
        id: &ObjectId,
        what: &str,
        fits: impl Fn(&KnownJoint<'_>) -> bool,
    ) -> Result<KnownJoint<'_>, Wrong> {
        let fitting: Vec<_> = self.joints.iter().filter(|joint| fits(joint)).collect();
        if let Some(joint) = fitting.iter().find(|joint| joint.object == id) {
            return Ok(**joint);
        }
        let ids: Vec<_> = fitting.iter().map(|joint| joint.object).collect();
        Err(no_such(key, id, &ids, what))
    }
}

fn no_such(key: &'static str, id: &ObjectId, of: &[&ObjectId], what: &str) -> Wrong {
    let right = match of {
        [] => format!("{what}; this scene has none"),
        of => {
            let ids: Vec<_> = of.iter().map(|id| id.as_str()).collect();
            format!("one of {}", ids.join(", "))
        }
    };
    Wrong::value(key, format!("`{id}`"), right)
}

fn limited(
    key: &'static str,
    x: Option<f64>,
    holds: impl Fn(f64) -> bool,
    allowed: &str,
) -> Result<(), Wrong> {
    /// Bound of all numbers, so that no computation with them overflows.
    const BELOW: f64 = 1e9;
    match x.filter(|&x| !(holds(x) && x.abs() < BELOW)) {
        None => Ok(()),
        Some(x) => Err(Wrong::value(key, x, allowed)),
    }
}

pub(crate) fn positive(key: &'static str, x: impl Into<Option<f64>>) -> Result<(), Wrong> {
    limited(key, x.into(), |x| x > 0.0, "a number greater than 0")
}

pub(crate) fn not_negative(key: &'static str, x: impl Into<Option<f64>>) -> Result<(), Wrong> {
    let allowed = "a number that is 0 or greater";
    limited(key, x.into(), |x| x >= 0.0, allowed)
}

/// Checks a fraction from 0 to 1.
pub(crate) fn part(key: &'static str, x: f64) -> Result<(), Wrong> {
    let allowed = "a fraction from 0 to 1";
    limited(key, Some(x), |x| (0.0..=1.0).contains(&x), allowed)
}

/// Checks coordinates in World, m.
pub(crate) fn coordinates<'a>(
    key: &'static str,
    all: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Wrong> {
    let mut all = all.into_iter();
    let allowed = "a coordinate from -100 to 100 m";
    all.try_for_each(|&x| limited(key, Some(x), |x| x.abs() <= 100.0, allowed))
}

pub(crate) fn range(key: &'static str, range: Option<[f64; 2]>) -> Result<(), Wrong> {
    match range {
        Some([low, high]) if low > high => {
            let got = format!("[{low}, {high}]");
            Err(Wrong::value(key, got, "[lowest, highest]"))
        }
        _ => Ok(()),
    }
}
