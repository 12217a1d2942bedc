//! What is to be brought about, with things by their ids.

use std::fmt;

use regrasp_api::{Fact, Heading, Side, Zone};
use serde::{Deserialize, Serialize};

/// One thing to bring about. Names are ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command")]
pub enum Command {
    /// Have it in the hand.
    Pick {
        /// What.
        object: String,
    },
    /// Put it on something and let go.
    PutOn {
        /// What.
        object: String,
        /// Onto what.
        target: String,
    },
    /// Put it into something and let go; on it, if it is not hollow.
    PutIn {
        /// What.
        object: String,
        /// Into what.
        target: String,
    },
    /// Put it at a place of something and let go.
    PutWithin {
        /// What.
        object: String,
        /// On or in what.
        target: String,
        /// Where there.
        zone: Zone,
    },
    /// Put it between two things and let go.
    PutBetween {
        /// What.
        object: String,
        /// Between what.
        targets: [String; 2],
    },
    /// Take it from something and put it down elsewhere.
    TakeOff {
        /// What.
        object: String,
        /// From what.
        target: String,
    },
    /// Pour what is in it into something; it stays in the hand.
    Pour {
        /// What holds it.
        object: String,
        /// Into what.
        target: String,
    },
    /// Put it down beside something and let go.
    PutBeside {
        /// What.
        object: String,
        /// Beside what.
        target: String,
        /// On which side of it; any if `None`.
        side: Option<Side>,
    },
    /// Put it down at a point and let go.
    PutAt {
        /// What.
        object: String,
        /// Where in World, m.
        xy: [f64; 2],
        /// Height of its origin in World, m; `None`: on whatever is there.
        z: Option<f64>,
    },
    /// Hold it with its origin at a point.
    HoldAt {
        /// What.
        object: String,
        /// Where in World, m.
        point: [f64; 3],
    },
    /// Open or close what moves on a joint, or set it on or off.
    Slide {
        /// What.
        object: String,
        /// Whether it should be open or on.
        open: bool,
    },
    /// Turn it on its joint.
    Turn {
        /// What.
        object: String,
        /// By how much, degrees; on is positive.
        degrees: f64,
    },
    /// Bring the arm home.
    Home,
    /// Put it down right beside something, side against side, and let go.
    PutAgainst {
        /// What.
        object: String,
        /// Against what.
        target: String,
    },
    /// Put it across two things that stand beside each other and let go.
    PutAcross {
        /// What.
        object: String,
        /// Across what.
        targets: [String; 2],
    },
    /// Put its end into the hole of something and let go.
    Insert {
        /// What.
        object: String,
        /// Into what.
        target: String,
    },
    /// Set it upright and let go.
    StandUp {
        /// What.
        object: String,
    },
    /// Push or pull it along what it stands on.
    Shift {
        /// What.
        object: String,
        /// Whether it is pulled.
        pull: bool,
        /// Where to.
        to: Course,
    },
    /// Press a button.
    Press {
        /// Which.
        object: String,
    },
    /// Bring about what some skill declares that it brings about.
    Have {
        /// What should be so.
        fact: Fact,
    },
}

/// Where something is pushed or pulled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// In a direction.
    Heading {
        /// Which.
        heading: Heading,
        /// How far, m; `None`: the usual distance.
        distance_m: Option<f64>,
    },
    /// Towards another object.
    Towards {
        /// Which.
        target: String,
        /// How far, m; `None`: until just before it.
        distance_m: Option<f64>,
    },
    /// To a point in World, m.
    Point([f64; 2]),
}

impl Command {
    /// What is moved.
    pub fn object(&self) -> Option<&str> {
        match self {
            Self::Home | Self::Have { .. } => None,
            Self::Pick { object }
            | Self::PutOn { object, .. }
            | Self::PutIn { object, .. }
            | Self::PutWithin { object, .. }
            | Self::PutBetween { object, .. }
            | Self::TakeOff { object, .. }
            | Self::Pour { object, .. }
            | Self::PutBeside { object, .. }
            | Self::PutAt { object, .. }
            | Self::HoldAt { object, .. }
            | Self::Slide { object, .. }
            | Self::Turn { object, .. }
            | Self::PutAgainst { object, .. }
            | Self::PutAcross { object, .. }
            | Self::Insert { object, .. }
            | Self::Shift { object, .. }
            | Self::Press { object }
            | Self::StandUp { object } => Some(object),
        }
    }

    /// The things that it names besides what is moved.
    pub fn targets(&self) -> Vec<&str> {
        match self {
            Self::PutOn { target, .. }
            | Self::PutIn { target, .. }
            | Self::PutWithin { target, .. }
            | Self::TakeOff { target, .. }
            | Self::Pour { target, .. }
            | Self::PutBeside { target, .. }
            | Self::PutAgainst { target, .. }
            | Self::Insert { target, .. }
            | Self::Shift {
                to: Course::Towards { target, .. },
                ..
            } => vec![target],
            Self::PutAcross { targets, .. } | Self::PutBetween { targets, .. } => {
                targets.iter().map(String::as_str).collect()
            }
            Self::Pick { .. }
            | Self::PutAt { .. }
            | Self::HoldAt { .. }
            | Self::Slide { .. }
            | Self::Turn { .. }
            | Self::Shift { .. }
            | Self::Press { .. }
            | Self::StandUp { .. }
            | Self::Have { .. }
            | Self::Home => vec![],
        }
    }

    /// The fact that it brings about, as goals are written: lengths to the millimetre.
    pub fn fact(&self) -> Fact {
        let m = |length_m: &f64| format!("{length_m:.3}");
        match self {
            Self::Pick { object } => Fact::new("holding", &[object]),
            Self::PutOn { object, target } => Fact::new("on", &[object, target]),
            Self::PutIn { object, target } => Fact::new("in", &[object, target]),
            Self::PutWithin {
                object,
                target,
                zone,
            } => Fact::new("on", &[object, &format!("{target}.{zone}")]),
            Self::PutBetween {
                object,
                targets: [a, b],
            } => Fact::new("between", &[object, a, b]),
            Self::TakeOff { object, target } => Fact::new("not on", &[object, target]),
            Self::Pour { object, target } => Fact::new("poured", &[object, target]),
            Self::PutBeside {
                object,
                target,
                side,
            } => {
                let side = side.map(Side::predicate);
                let side = side.unwrap_or_else(|| "beside".to_owned());
                Fact::new(side, &[object, target])
            }
            Self::PutAt {
                object,
                xy: [x, y],
                z: None,
            } => Fact::new("at", &[object, &m(x), &m(y)]),
            Self::PutAt {
                object,
                xy: [x, y],
                z: Some(z),
            } => Fact::new("at", &[object, &m(x), &m(y), &m(z)]),
            Self::HoldAt {
                object,
                point: [x, y, z],
            } => Fact::new("holding", &[object, &m(x), &m(y), &m(z)]),
            Self::Slide { object, open: true } => Fact::new("open", &[object]),
            Self::Slide {
                object,
                open: false,
            } => Fact::new("closed", &[object]),
            Self::Turn { object, degrees } => {
                Fact::new("turned", &[object, &format!("{degrees:.0}")])
            }
            Self::Home => Fact::new("home", &[]),
            Self::PutAgainst { object, target } => Fact::new("against", &[object, target]),
            Self::PutAcross {
                object,
                targets: [a, b],
            } => Fact::new("across", &[object, a, b]),
            Self::Insert { object, target } => Fact::new("inserted", &[object, target]),
            Self::StandUp { object } => Fact::new("upright", &[object]),
            Self::Press { object } => Fact::new("pressed", &[object]),
            Self::Have { fact } => fact.clone(),
            Self::Shift { object, to, .. } => match to {
                Course::Point([x, y]) => Fact::new("at", &[object, &m(x), &m(y)]),
                Course::Towards { target, .. } => Fact::new("beside", &[object, target]),
                Course::Heading { heading, .. } => {
                    Fact::new("shifted", &[object, &heading.to_string()])
                }
            },
        }
    }

    /// Whether the object stays in the hand.
    pub fn keeps_hold(&self) -> bool {
        matches!(
            self,
            Self::Pick { .. } | Self::HoldAt { .. } | Self::Pour { .. }
        )
    }
}

/// As the goal that it is.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fact().fmt(f)
    }
}
