//! `<default>`: default values of elements, by class.

use std::collections::HashMap;

use crate::Result;
use crate::xml::{Attribute, Element};

/// Class of elements that have none of their own or from the enclosing body.
const MAIN: &str = "main";

#[derive(Debug, Default)]
pub(crate) struct Defaults {
    classes: HashMap<String, Class>,
}

#[derive(Debug, Default)]
struct Class {
    parent: Option<String>,
    elements: HashMap<String, Vec<Attribute>>,
}

impl Defaults {
    pub(crate) fn read(model: &Element) -> Result<Self> {
        let mut defaults = Self::default();
        defaults.classes.insert(MAIN.to_owned(), Class::default());
        for top in model.children("default") {
            defaults.class(top, None)?;
        }
        Ok(defaults)
    }

    fn class(&mut self, element: &Element, parent: Option<&str>) -> Result<()> {
        let name = match (element.attribute("class"), parent) {
            (Some(class), _) => class.value.clone(),
            (None, None) => MAIN.to_owned(),
            (None, Some(_)) => {
                let message = "a nested <default> needs the attribute `class`";
                return Err(element.place.error(message));
            }
        };
        if parent == Some(name.as_str()) {
            return Err(element
                .place
                .error(format!("the class `{name}` is inside itself")));
        }
        let parent = match parent {
            // A second outermost class has the first as its parent.
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

    /// Returns the attributes that apply to an element, the nearest first: its own, those of its
    /// class, those of each enclosing class.
    pub(crate) fn levels<'a>(&'a self, element: &'a Element, class: &str) -> Vec<&'a [Attribute]> {
        let mut levels = vec![element.attributes.as_slice()];
        let mut class = self.classes.get(class);
        // A class that is defined in two places could form a cycle.
        for _ in 0..=self.classes.len() {
            let Some(here) = class else { break };
            levels.extend(here.elements.get(&element.tag).map(Vec::as_slice));
            let parent = here.parent.as_ref();
            class = parent.and_then(|parent| self.classes.get(parent));
        }
        levels
    }

    /// Returns the class of an element: the one that it names, or else that of the enclosing body.
    pub(crate) fn class_of(&self, element: &Element, around: Option<&str>) -> Result<String> {
        let class = self.named(element, "class", around)?;
        Ok(class.unwrap_or_else(|| MAIN.to_owned()))
    }

    /// Returns the class that a body gives to its content.
    pub(crate) fn child_class(
        &self,
        body: &Element,
        around: Option<&str>,
    ) -> Result<Option<String>> {
        self.named(body, "childclass", around)
    }

    fn named(&self, element: &Element, key: &str, around: Option<&str>) -> Result<Option<String>> {
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

    /// Returns every element in a `<default>`, for the ledger.
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
