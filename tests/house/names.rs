//! No item in the crates has a name that the glossary has abandoned.

use std::collections::BTreeSet;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{ItemConst, ItemEnum, ItemFn, ItemMod, ItemStruct, ItemTrait, ItemType};

const GLOSSARY: &str = include_str!("../../docs/glossary.md");

/// Names in the last column of the glossary's table.
fn given_up() -> BTreeSet<&'static str> {
    let rows = GLOSSARY.lines().filter(|line| line.starts_with('|'));
    let last = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    last.flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}

/// Definitions in a file with one of these names.
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

fn read(folder: &Path, given_up: &BTreeSet<&'static str>, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !["templates", "target", "tests", "benches"]
                .iter()
                .any(|d| path.ends_with(d))
            {
                read(&path, given_up, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).expect("source is text");
            let mut definitions = Definitions {
                given_up,
                found: BTreeSet::new(),
            };
            definitions.visit_file(&syn::parse_file(&text).expect("source is Rust"));
            let names = definitions.found.into_iter();
            found.extend(names.map(|name| format!("{}: {name}", path.display())));
        }
    }
}

#[test]
fn nothing_has_a_name_that_the_glossary_gives_up() {
    let given_up = given_up();
    assert!(given_up.len() > 30, "{given_up:?}");
    let mut found = vec![];
    read(
        &regrasp_assets::workspace_root().join("crates"),
        &given_up,
        &mut found,
    );
    assert!(found.is_empty(), "by docs/glossary.md: {found:#?}");
}
