//! `<default>`: values that elements have unless they say otherwise, by class.

use std::collections::HashMap;

use crate::MjcfError;
use crate::xml::{Attribute, Element};

/// The class of what names none.
const MAIN: &str = "main";

/// All classes of a model.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    classes: HashMap<String, Class>,
}

#[derive(Debug, Default)]
struct Class {
    parent: Option<String>,
    /// What it says about each element.
    elements: HashMap<String, Vec<Attribute>>,
}

impl Defaults {
    /// Reads every `<default>` of a model.
    pub(crate) fn read(model: &Element) -> Result<Self, MjcfError> {
        let mut defaults = Self::default();
        defaults.classes.insert(MAIN.to_owned(), Class::default());
        for top in model.children("default") {
            defaults.class(top, None)?;
        }
        Ok(defaults)
    }

    fn class(&mut self, element: &Element, parent: Option<&str>) -> Result<(), MjcfError> {
        let name = match (element.attribute("class"), parent) {
            (Some(class), _) => class.value.clone(),
            (None, None) => MAIN.to_owned(),
            (None, Some(_)) => {
                let message = "a <default> inside another needs the attribute `class`";
                return Err(element.place.error(message));
            }
        };
        if parent == Some(name.as_str()) {
            return Err(element
                .place
                .error(format!("the class `{name}` is inside itself")));
        }
        let parent = match parent {
            // A second outermost class begins at the first.
            None if name != MAIN => Some(MAIN),
            parent => parent,
        };
        let class = self.classes.entry(name.clone()).or_default();
        class.parent = parent.map(str::to_owned);
        for child in element.children.iter().filter(|c| c.tag != "default") {
            let own = class.elements.entry(child.tag.clone()).or_default();
            for attribute in &child.attributes {
                own.retain(|a| a.name != attribute.name);
                own.push(attribute.clone());
            }
        }
        for inner in element.children("default") {
            self.class(inner, Some(&name))?;
        }
        Ok(())
    }

    /// The value of an attribute of an element: its own, else that of its class, else that of
    /// the classes around that.
    pub(crate) fn find<'a>(
        &'a self,
        element: &'a Element,
        class: &str,
        name: &str,
    ) -> Option<&'a Attribute> {
        if let Some(own) = element.attribute(name) {
            return Some(own);
        }
        let mut class = self.classes.get(class);
        // A class that is defined twice, in two places, could make a circle.
        for _ in 0..=self.classes.len() {
            let here = class?;
            let mut of_tag = here.elements.get(&element.tag).into_iter().flatten();
            if let Some(found) = of_tag.find(|a| a.name == name) {
                return Some(found);
            }
            class = here
                .parent
                .as_ref()
                .and_then(|parent| self.classes.get(parent));
        }
        None
    }

    /// The class of an element: the one that it names, else that of the body around it.
    pub(crate) fn class_of(
        &self,
        element: &Element,
        around: Option<&str>,
    ) -> Result<String, MjcfError> {
        let class = self.named(element, "class", around)?;
        Ok(class.unwrap_or_else(|| MAIN.to_owned()))
    }

    /// The class that a body gives to what is in it.
    pub(crate) fn child_class(
        &self,
        body: &Element,
        around: Option<&str>,
    ) -> Result<Option<String>, MjcfError> {
        self.named(body, "childclass", around)
    }

    fn named(
        &self,
        element: &Element,
        key: &str,
        around: Option<&str>,
    ) -> Result<Option<String>, MjcfError> {
        let Some(class) = element.attribute(key) else {
            return Ok(around.map(str::to_owned));
        };
        let name = &class.value;
        if self.classes.contains_key(name) {
            return Ok(Some(name.clone()));
        }
        let mut known: Vec<&str> = self.classes.keys().map(String::as_str).collect();
        known.sort_unstable();
        let known = known.join(", ");
        let message = format!("there is no class `{name}` (known: {known})");
        Err(class.place.error(message))
    }

    /// Every element that some class says something about, for the ledger.
    pub(crate) fn places<'a>(&self, model: &'a Element) -> Vec<&'a Element> {
        let mut found = vec![];
        let mut left: Vec<&Element> = model.children("default").collect();
        while let Some(class) = left.pop() {
            for child in &class.children {
                match child.tag.as_str() {
                    "default" => left.push(child),
                    _ => found.push(child),
                }
            }
        }
        found
    }
}
