//! No item in the crates has a name that the glossary has replaced, and no summary line of a doc
//! comment begins like a question.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{ItemConst, ItemEnum, ItemFn, ItemMod, ItemStruct, ItemTrait, ItemType};

use super::sources::{quoted, read, root, sources};

const GLOSSARY: &str = include_str!("../../docs/glossary.md");

/// Replaced names: those in the last column of the glossary's table.
fn given_up() -> BTreeSet<&'static str> {
    let rows = GLOSSARY.lines().filter(|line| line.starts_with('|'));
    let last = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    last.flat_map(quoted).collect()
}

/// Visitor that finds the definitions in a file that have replaced names.
struct Definitions<'a> {
    given_up: &'a BTreeSet<&'static str>,
    found: BTreeSet<String>,
}

impl Definitions<'_> {
    fn look_at(&mut self, name: String) {
        if self.given_up.contains(name.as_str()) {
            self.found.insert(name);
        }
    }
}

macro_rules! look_at_each {
    ($($visit:ident: $item:ty),*) => {
        impl<'ast> Visit<'ast> for Definitions<'_> {
            $(fn $visit(&mut self, item: &'ast $item) {
                self.look_at(item.ident.to_string());
                visit::$visit(self, item);
            })*

            fn visit_item_fn(&mut self, item: &'ast ItemFn) {
                self.look_at(format!("{}()", item.sig.ident));
                visit::visit_item_fn(self, item);
            }

            fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
                self.look_at(format!("{}()", item.sig.ident));
                visit::visit_impl_item_fn(self, item);
            }
        }
    };
}

look_at_each!(
    visit_item_const: ItemConst,
    visit_item_enum: ItemEnum,
    visit_item_mod: ItemMod,
    visit_item_struct: ItemStruct,
    visit_item_trait: ItemTrait,
    visit_item_type: ItemType
);

#[test]
fn nothing_has_a_name_that_the_glossary_gives_up() {
    let given_up = given_up();
    assert!(given_up.len() > 30, "{given_up:?}");
    let mut found = vec![];
    let skipped = ["templates", "target", "tests", "benches"];
    for path in sources(&root().join("crates"), &skipped) {
        let mut definitions = Definitions {
            given_up: &given_up,
            found: BTreeSet::new(),
        };
        definitions
            .visit_file(&syn::parse_file(&read(&path)).expect("a source file is not valid Rust"));
        let names = definitions.found.into_iter();
        found.extend(names.map(|name| format!("{}: {name}", path.display())));
    }
    assert!(found.is_empty(), "the glossary replaced: {found:#?}");
}

/// Summary lines of doc comments that begin like a question.
fn questions(text: &str) -> impl Iterator<Item = &str> {
    const WORDS: [&str; 6] = ["What", "Whether", "How", "Where", "Which", "Who"];
    let doc = |line: &str| {
        ["///", "//!"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
    };
    let lines = || text.lines().map(str::trim_start);
    let before = std::iter::once("").chain(lines());
    let first = before.zip(lines());
    let first = first.filter(move |(before, line)| doc(line) != doc(before));
    first.map(|(_, line)| line).filter(move |line| {
        let word = line.get(3..);
        let word = word.and_then(|rest| rest.split_whitespace().next());
        doc(line).is_some() && word.is_some_and(|word| WORDS.contains(&word))
    })
}

#[test]
fn a_summary_line_says_what_an_item_is_or_does() {
    let text = "/// How far it goes.\n/// Where else\nstruct A;\n    //! Which one.\n/// Length, m.\n// What";
    let found: Vec<_> = questions(text).collect();
    assert_eq!(found, ["/// How far it goes.", "//! Which one."]);
    let mut found = vec![];
    for folder in ["assets", "crates", "examples", "tests"] {
        for path in sources(&root().join(folder), &["templates", "target"]) {
            let text = read(&path);
            found.extend(questions(&text).map(|line| format!("{}: {line}", path.display())));
        }
    }
    assert!(
        found.is_empty(),
        "a summary line begins like a question instead of with a noun or a verb: {found:#?}"
    );
}
