//! What conditions may refer to in a scene, and what can be wrong with them there.

use regrasp_api::{ObjectId, ObjectPort, PortKind, Zone};

/// What conditions may refer to.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// Every object, small things that are counted excepted.
    pub objects: Vec<&'a ObjectId>,
    /// The movable ones; those that a condition of the task names are taken out.
    pub others: Vec<ObjectId>,
    /// The joints between objects.
    pub joints: Vec<KnownJoint<'a>>,
    /// The arm's home, rad.
    pub home: &'a [f64],
    /// The task's goal point in World, m, if it has one.
    pub goal: Option<[f64; 3]>,
    /// What goes into what.
    pub ports: &'a [ObjectPort],
    /// What consists of many small things.
    pub groups: Vec<&'a ObjectId>,
    /// Objects and the names of their zones.
    pub zones: Vec<(&'a ObjectId, &'a str)>,
}

/// A joint of the scene.
#[derive(Clone, Copy, Debug)]
pub struct KnownJoint<'a> {
    /// What it moves.
    pub object: &'a ObjectId,
    /// How far, m or rad.
    pub travel: f64,
    /// Whether it springs back and counts how often it was pressed.
    pub is_button: bool,
}

/// A part of a condition that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// Where, from the outside in.
    pub path: Vec<Step>,
    /// What.
    pub mistake: Mistake,
}

/// A step into a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a key.
    Key(&'static str),
    /// An item of a list.
    Item(usize),
}

/// What is wrong at one place, and what would be right.
#[derive(Clone, Debug, PartialEq)]
pub enum Mistake {
    /// A name that the scene does not have.
    Unknown {
        /// Of what (`object`).
        what: &'static str,
        /// The name.
        word: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A value outside of what is allowed.
    NotAllowed {
        /// The value.
        got: String,
        /// What is allowed.
        allowed: String,
    },
    /// A key that is missing beside others.
    Missing(&'static str),
    /// Keys that do not go together.
    Keys {
        /// What is asked for.
        needs: String,
        /// What is there.
        found: String,
    },
}

impl Wrong {
    /// Something about the condition as a whole.
    pub(crate) fn whole(mistake: Mistake) -> Self {
        let path = Vec::new();
        Self { path, mistake }
    }

    /// Conditions of which all should hold, but never can.
    pub(crate) fn conflict(got: String) -> Self {
        let allowed = "what can hold at the same time".to_owned();
        Self::whole(Mistake::NotAllowed { got, allowed })
    }

    /// A value that is not allowed.
    pub(crate) fn value(key: &'static str, got: impl ToString, allowed: impl Into<String>) -> Self {
        let (got, allowed) = (got.to_string(), allowed.into());
        Self::whole(Mistake::NotAllowed { got, allowed }).inside(Step::Key(key))
    }

    /// Keys of the condition that do not go together.
    pub(crate) fn keys(needs: &str, found: &str) -> Self {
        let (needs, found) = (needs.to_owned(), found.to_owned());
        Self::whole(Mistake::Keys { needs, found })
    }

    /// The same, seen from one step further out.
    pub(crate) fn inside(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl Known<'_> {
    /// Checks that there is such an object.
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

    /// Checks that there is such an object, and that it is not the one that is related to it.
    pub(crate) fn other(
        &self,
        key: &'static str,
        id: &ObjectId,
        object: &ObjectId,
    ) -> Result<(), Wrong> {
        match id == object {
            true => Err(Wrong::value(key, id, "another thing than `object`")),
            false => self.object(key, id),
        }
    }

    /// Checks that there are such objects.
    pub(crate) fn objects(&self, key: &'static str, ids: &[ObjectId]) -> Result<(), Wrong> {
        let in_key = |mut wrong: Wrong, i| {
            wrong.path.insert(1, Step::Item(i));
            wrong
        };
        let mut all = ids.iter().enumerate();
        all.try_for_each(|(i, id)| self.object(key, id).map_err(|wrong| in_key(wrong, i)))
    }

    /// Checks that an object has such a zone.
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

    /// Checks that there is such a group of small things.
    pub(crate) fn group(&self, key: &'static str, id: &ObjectId) -> Result<(), Wrong> {
        match self.groups.contains(&id) {
            true => Ok(()),
            false => Err(no_such(
                key,
                id,
                &self.groups,
                "an object of the kind `beads`",
            )),
        }
    }

    /// Checks that there is such an object with a plug or a hole.
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

    /// Checks that a joint that fits moves the object, and gives it.
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
        [] => format!("{what}: this scene has none"),
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
    /// So that nothing that is computed from a number overflows.
    const BELOW: f64 = 1e9;
    match x.filter(|&x| !(holds(x) && x.abs() < BELOW)) {
        None => Ok(()),
        Some(x) => Err(Wrong::value(key, x, allowed)),
    }
}

/// Checks a number that has to be greater than 0, if it is there.
pub(crate) fn positive(key: &'static str, x: impl Into<Option<f64>>) -> Result<(), Wrong> {
    limited(key, x.into(), |x| x > 0.0, "a number greater than 0")
}

/// Checks a number that must not be negative, if it is there.
pub(crate) fn not_negative(key: &'static str, x: impl Into<Option<f64>>) -> Result<(), Wrong> {
    let allowed = "a number that is 0 or greater";
    limited(key, x.into(), |x| x >= 0.0, allowed)
}

/// Checks a part of a whole.
pub(crate) fn part(key: &'static str, x: f64) -> Result<(), Wrong> {
    let allowed = "a part of all of them, from 0 to 1";
    limited(key, Some(x), |x| (0.0..=1.0).contains(&x), allowed)
}

/// Checks coordinates in the world, m.
pub(crate) fn coordinates<'a>(
    key: &'static str,
    all: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Wrong> {
    let mut all = all.into_iter();
    all.try_for_each(|&x| limited(key, Some(x), |x| x.abs() <= 100.0, "a place within 100 m"))
}

/// Checks that a range is one, if it is there.
pub(crate) fn range(key: &'static str, range: Option<[f64; 2]>) -> Result<(), Wrong> {
    match range {
        Some([low, high]) if low > high => {
            let got = format!("[{low}, {high}]");
            Err(Wrong::value(key, got, "[lowest, highest]"))
        }
        _ => Ok(()),
    }
}
