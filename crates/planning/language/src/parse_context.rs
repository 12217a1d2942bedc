//! Scene and situation in which a text is read.

use nalgebra::Point3;
use regrasp_api::{KnownZone, ObjectId, Percept, PlanRequest, Viewpoint, Zone};

use crate::lexicon::Lexicon;
use crate::words::Names;

/// Name of the declared zone that is the inside of an object. It is not a name in texts.
const INSIDE: &str = "inside";

/// Scene and situation in which a text is read.
#[derive(Clone, Copy, Debug)]
pub struct ParseContext<'a> {
    /// Perceived objects.
    pub percept: &'a Percept,
    /// Id of the held object.
    pub held: Option<&'a ObjectId>,
    /// Position of the robot's base, xy in World, m.
    pub base: [f64; 2],
    /// Viewpoint of the robot.
    pub robot: Viewpoint,
    /// Viewpoint for left and right.
    pub viewpoint: Viewpoint,
    /// Questions about the text, with their answers.
    pub answers: &'a [(String, String)],
}

impl<'a> From<&PlanRequest<'a>> for ParseContext<'a> {
    fn from(request: &PlanRequest<'a>) -> Self {
        let world_from_base = &request.observation.world_from_base;
        Self {
            percept: request.percept,
            held: request.held.map(|held| &held.id),
            base: world_from_base.translation.vector.xy().into(),
            robot: Viewpoint::of_robot(world_from_base),
            viewpoint: request.viewpoint.or_of_robot(world_from_base),
            answers: request.answers,
        }
    }
}

impl<'a> ParseContext<'a> {
    /// Creates the context of a robot at the origin that faces +x, with an empty hand and no answers.
    pub fn of(percept: &'a Percept) -> Self {
        Self {
            percept,
            held: None,
            base: [0.0; 2],
            robot: Viewpoint::Robot,
            viewpoint: Viewpoint::Robot,
            answers: &[],
        }
    }

    /// Declared zones with names of their own, each with its object.
    pub(crate) fn named_zones(&self) -> impl Iterator<Item = (&'a ObjectId, &'a str)> + use<'a> {
        self.percept.known.iter().flat_map(|known| {
            let zones = known.zones.iter().map(|zone| zone.name.as_str());
            let named = zones.filter(|name| *name != INSIDE);
            named.map(|name| (&known.object, name))
        })
    }

    /// Returns the declared zones that make up the inside of an object that is not open at the top:
    /// the one of that name, as of a microwave, or all that its walls enclose, as in a fridge.
    pub(crate) fn insides_of(&self, whole: &ObjectId) -> Vec<Zone> {
        let zones = self.percept.known(whole).map(|known| &known.zones[..]);
        let zones = zones.unwrap_or_default();
        let shape = || Some(&self.percept.object(whole)?.shape);
        let is_enclosed = |zone: &KnownZone| {
            let shape = shape().filter(|shape| shape.encloses(&Point3::from(zone.position)));
            shape.is_some_and(|shape| shape.cavity().is_none())
        };
        let is_named = zones.iter().any(|zone| zone.name == INSIDE);
        let inside = zones.iter().filter(|zone| match is_named {
            true => zone.name == INSIDE,
            false => is_enclosed(zone),
        });
        inside.map(|zone| Zone::new(&zone.name)).collect()
    }

    fn names(&self) -> impl Iterator<Item = Names> {
        let groups = self.percept.groups.iter();
        let groups = groups.map(|group| Names::of(&group.as_object()));
        let zones = self.named_zones();
        let zones = zones.map(|(_, name)| Names::from_texts(name, ""));
        let objects = self.percept.objects.iter().map(Names::of);
        objects.chain(zones).chain(groups)
    }

    /// Returns true if a perceived object may be called by a word.
    pub(crate) fn is_seen(&self, word: &str, lexicon: &Lexicon) -> bool {
        let noun = [word.to_owned()];
        let mut names = self.names();
        names.any(|names| names.fit(&noun, lexicon).is_some())
    }

    pub(crate) fn has_object(&self, word: &str) -> bool {
        let mut names = self.percept.objects.iter().map(Names::of);
        names.any(|names| names.has(word))
    }

    /// Returns true if a word may name an object.
    pub(crate) fn is_name(&self, word: &str, lexicon: &Lexicon) -> bool {
        // "black" is a quality, even where it is a part of a name.
        if lexicon.is_noun(word) || lexicon.describes(word) {
            return lexicon.is_noun(word);
        }
        let one = lexicon.singular(word);
        let words = lexicon.scene_words(word);
        let mut names = self.names();
        names.any(|own| own.has(word) || own.has(&one) || words.iter().all(|w| own.has(w)))
    }
}
