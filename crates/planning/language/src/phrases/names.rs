//! Names in phrases, and the objects with these names.

use regrasp_api::Zone;

use crate::ast::{Name, NounPhrase, Np};
use crate::reader::Reader;
use crate::referent::{Meant, ReadingError, Referent, Resolved};
use crate::words::{Fit, Names};

impl Reader<'_> {
    /// Nouns of a phrase, whether or not an object has this name.
    pub(crate) fn noun_of(&self, np: &Np) -> Vec<String> {
        let (NounPhrase::Noun { name, .. } | NounPhrase::Owned { name, .. }) = &np.is else {
            return vec![];
        };
        let words = match &name.is {
            Name::Words { first, more } => std::iter::once(first).chain(more).collect::<Vec<_>>(),
            Name::Of { first, of, more } => {
                std::iter::once(of).chain(more).chain([first]).collect()
            }
        };
        words.into_iter().map(|word| word.means.clone()).collect()
    }

    /// Returns the last stack for "the tower", unless an object has this name.
    pub(crate) fn stack_called(&self, np: &Np) -> Option<Meant> {
        let noun = self.noun_of(np);
        let meanings: Vec<_> = noun
            .iter()
            .flat_map(|w| self.lexicon.scene_words(w))
            .collect();
        let is_stack = meanings == ["stack"] && self.fits(&noun).is_empty();
        self.context.stacked.clone().filter(|_| is_stack)
    }

    /// Returns true for "thing" and other nouns for all objects.
    pub(super) fn is_anything(&self, noun: &[String]) -> bool {
        let meanings = noun.iter().flat_map(|w| self.lexicon.scene_words(w));
        meanings.eq(["thing"])
    }

    pub(crate) fn called(&self, words: &[String]) -> Resolved<Vec<Referent>> {
        if self.is_anything(words) {
            return Ok(self.loose().map(Referent::of).collect());
        }
        let fits = self.fits(words);
        let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else {
            return Err(ReadingError::Unseen {
                name: words.join(" "),
                moved: false,
            });
        };
        let plural = words.last().is_some_and(|w| self.lexicon.is_plural(w));
        // A plural means the widest match, a singular the best.
        let within = if plural { best.max(Fit::Same) } else { best };
        // A zone that matches only by a hypernym is not meant if a whole object has the name.
        let is_whole = |(fit, thing): &(Fit, Referent)| thing.zone().is_none() && *fit <= within;
        let has_whole = fits.iter().any(is_whole);
        // A zone may be meant besides the object with this id: "the top shelf".
        let fits = fits.into_iter().filter(|(fit, thing)| match thing {
            Referent::Object(_) => *fit <= within.max(Fit::Id),
            Referent::Zone(..) => {
                let is_rough = *fit > Fit::Same && has_whole;
                *fit <= within.max(Fit::Exact) && !is_rough
            }
        });
        Ok(fits.map(|(_, thing)| thing).collect())
    }

    fn fits(&self, words: &[String]) -> Vec<(Fit, Referent)> {
        let objects = self.scene.percept.objects.iter();
        let objects = objects.map(|o| (Names::of(o), Referent::of(o)));
        let zones = self.scene.named_zones().map(|(of, name)| {
            let thing = Referent::Zone(of.clone(), Zone::new(name));
            (Names::from_texts(name, name), thing)
        });
        let groups = self.scene.percept.groups.iter().filter_map(|group| {
            let holder = self.holder(group)?;
            Some((Names::of(&group.as_object()), Referent::Object(holder)))
        });
        let named = objects.chain(zones).chain(groups);
        named
            .filter_map(|(names, thing)| Some((names.fit(words, self.lexicon)?, thing)))
            .collect()
    }
}
