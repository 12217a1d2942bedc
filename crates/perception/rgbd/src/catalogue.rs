//! Catalogue of models, prepared for recognition.

use crate::model::Model;
use crate::template::Template;

/// Models of the objects that may be in a scene, without their number or places.
#[derive(Debug, Default)]
pub struct Catalogue {
    pub(crate) templates: Vec<Template>,
}

impl Catalogue {
    /// Prepares models for recognition. Models without surfaces are left out: they are invisible.
    pub fn new(models: Vec<Model>) -> Self {
        Self {
            templates: models.into_iter().filter_map(Template::new).collect(),
        }
    }

    /// The models in the order in which they were given.
    pub fn models(&self) -> impl ExactSizeIterator<Item = &Model> {
        self.templates.iter().map(|t| &t.model)
    }
}
