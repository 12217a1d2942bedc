//! Files of a crate have no cyclic dependencies, and no function is too long.
//!
//! A dependency leads from a file to the file that *defines* a used item. Re-exports are followed,
//! so that `lib.rs` does not hide cycles, but neither they nor module declarations count as uses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

use super::sources::{read, root};

const LONGEST_FUNCTION: usize = 80;

type ModulePath = Vec<String>;
/// Items that each file uses from other files.
type Edges = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Items of a module, and the paths in its code.
#[derive(Default)]
struct Module {
    /// Path of the file, relative to `crates`.
    file: String,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    imported: BTreeMap<String, ModulePath>,
    globs: Vec<ModulePath>,
    named: BTreeSet<ModulePath>,
}

struct Source {
    modules: BTreeMap<ModulePath, Module>,
    /// Functions that are too long, each with file, name and number of lines.
    long: Vec<String>,
}

impl Source {
    fn read(root: &Path) -> Self {
        let mut source = Self {
            modules: BTreeMap::new(),
            long: vec![],
        };
        source.add_file(vec![], root, root.parent().expect("a folder"));
        source
    }

    /// Reads a file and its submodules, whose files are in `folder`.
    fn add_file(&mut self, path: ModulePath, file: &Path, folder: &Path) {
        let parsed = syn::parse_file(&read(file)).expect("a source file is not valid Rust");
        self.add_module(path, file, folder, &parsed.items);
    }

    fn add_module(&mut self, path: ModulePath, file: &Path, folder: &Path, items: &[Item]) {
        let mut module = Module {
            file: shown(file),
            ..Module::default()
        };
        for item in items {
            if let Item::Mod(child) = item
                && !is_of_tests(&child.attrs)
            {
                let name = child.ident.to_string();
                let inner = [path.clone(), vec![name.clone()]].concat();
                let below = folder.join(name.trim_start_matches("r#"));
                match &child.content {
                    Some((_, items)) => self.add_module(inner, file, &below, items),
                    None if below.with_extension("rs").exists() => {
                        self.add_file(inner, &below.with_extension("rs"), &below);
                    }
                    None => self.add_file(inner, &below.join("mod.rs"), &below),
                }
                module.children.insert(name);
            }
        }
        let mut reader = Reader {
            module: &mut module,
            long: &mut self.long,
        };
        for item in items.iter().filter(|item| !matches!(item, Item::Mod(_))) {
            reader.visit_item(item);
        }
        self.modules.insert(path, module);
    }

    /// Finds the file that defines the item to which `path` refers in the module `from`, and the
    /// item's name there. Follows at most `left` steps, because re-exports may be cyclic.
    fn definition(&self, from: &[String], path: &[String], left: usize) -> Option<(&str, String)> {
        let (first, rest) = path.split_first()?;
        let left = left.checked_sub(1)?;
        let module = self.modules.get(from)?;
        let upwards = from.split_last().map(|(_, parent)| parent);
        match first.as_str() {
            "crate" => return self.definition(&[], rest, left),
            "self" => return self.definition(from, rest, left),
            "super" => return self.definition(upwards?, rest, left),
            _ => {}
        }
        // A module is meant only if more of the path follows: a function may have its name.
        if module.children.contains(first) && !rest.is_empty() {
            let child = [from, std::slice::from_ref(first)].concat();
            return self.definition(&child, rest, left);
        }
        if module.defined.contains(first) {
            return Some((&module.file, first.clone()));
        }
        if let Some(import) = module.imported.get(first) {
            return self.definition(from, &[import, rest].concat(), left);
        }
        let through = |glob: &ModulePath| self.definition(from, &[glob, path].concat(), left);
        module.globs.iter().find_map(through)
    }

    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (path, module) in &self.modules {
            for named in &module.named {
                if let Some((file, name)) = self.definition(path, named, 24)
                    && file != module.file
                {
                    let from = edges.entry(module.file.clone()).or_default();
                    from.entry(file.to_owned()).or_default().insert(name);
                }
            }
        }
        edges
    }
}

struct Reader<'a> {
    module: &'a mut Module,
    long: &'a mut Vec<String>,
}

impl Reader<'_> {
    fn import(&mut self, tree: &UseTree, mut path: ModulePath, is_private: bool) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.import(&inner.tree, path, is_private);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path.clone(), is_private);
                }
                return;
            }
            UseTree::Glob(_) => return self.module.globs.push(path),
            UseTree::Name(name) if name.ident == "self" => {}
            UseTree::Name(name) => path.push(name.ident.to_string()),
            UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                let name = rename.rename.to_string();
                self.module.imported.insert(name, path.clone());
            }
        }
        if !matches!(tree, UseTree::Rename(_))
            && let Some(name) = path.last()
        {
            self.module.imported.insert(name.clone(), path.clone());
        }
        if is_private {
            self.module.named.insert(path);
        }
    }

    fn measure(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let first = signature.fn_token.span.start().line;
        let lines = body.brace_token.span.close().end().line - first + 1;
        if lines > LONGEST_FUNCTION {
            let (file, name) = (&self.module.file, &signature.ident);
            self.long.push(format!("{file} `{name}`: {lines}"));
        }
    }

    /// Collects the paths, such as `a::b`, in the arguments of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = ModulePath::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.module.named.insert(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.module.named.insert(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.module.named.insert(path);
    }
}

impl Visit<'_> for Reader<'_> {
    fn visit_item(&mut self, item: &Item) {
        let (name, attributes) = match item {
            Item::Const(i) => (Some(&i.ident), &i.attrs),
            Item::Enum(i) => (Some(&i.ident), &i.attrs),
            Item::Fn(i) => (Some(&i.sig.ident), &i.attrs),
            Item::Macro(i) => (i.ident.as_ref(), &i.attrs),
            Item::Static(i) => (Some(&i.ident), &i.attrs),
            Item::Struct(i) => (Some(&i.ident), &i.attrs),
            Item::Trait(i) => (Some(&i.ident), &i.attrs),
            Item::Type(i) => (Some(&i.ident), &i.attrs),
            Item::Union(i) => (Some(&i.ident), &i.attrs),
            Item::Impl(i) => (None, &i.attrs),
            Item::Use(i) => (None, &i.attrs),
            _ => return,
        };
        if !is_of_tests(attributes) {
            self.module.defined.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        let is_private = matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, vec![], is_private);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.measure(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if !is_of_tests(&item.attrs) {
            self.measure(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        // A single lower-case word is a local variable, unless it is called.
        if !is_small_word(&path.path) {
            visit::visit_expr_path(self, path);
        }
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func {
            self.visit_path(&function.path);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let segments = path.segments.iter();
        let named = segments.map(|s| s.ident.to_string()).collect();
        self.module.named.insert(named);
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &Visibility) {}

    fn visit_macro(&mut self, call: &syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}

/// Path of a file relative to `crates`.
fn shown(file: &Path) -> String {
    let text = file.display().to_string().replace('\\', "/");
    text.rsplit_once("/crates/")
        .map_or(text.clone(), |(_, path)| path.to_owned())
}

fn is_small_word(path: &syn::Path) -> bool {
    let word = path.get_ident().map(ToString::to_string);
    word.is_some_and(|word| word.starts_with(char::is_lowercase))
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else {
            return false;
        };
        let tokens = list.tokens.to_string();
        list.path.is_ident("cfg") && (tokens == "test" || tokens.starts_with("all (test"))
    })
}

/// Cycles: sets of files that depend on each other, directly or not.
fn circles(edges: &Edges) -> BTreeSet<BTreeSet<&String>> {
    let reached = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<_> = edges[start].keys().collect();
        while let Some(file) = open.pop() {
            if reached.insert(file) {
                open.extend(edges.get(file).into_iter().flat_map(BTreeMap::keys));
            }
        }
        reached
    };
    let reached: BTreeMap<_, _> = edges.keys().map(|file| (file, reached(file))).collect();
    let together = |file| {
        let with = reached[file].iter().copied();
        with.filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)))
            .collect::<BTreeSet<_>>()
    };
    let all = reached.keys().map(|file| together(*file));
    all.filter(|circle| !circle.is_empty()).collect()
}

/// Sources of all crates in `crates`.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let folders = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder of the repository");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let layers = folders(&root().join("crates"));
    let crates = layers.iter().flat_map(|layer| folders(layer));
    let roots = crates.map(|folder| folder.join("src/lib.rs"));
    let roots = roots.filter(|root| root.exists());
    roots.map(|root| Source::read(&root)).collect()
});

#[test]
fn files_of_a_crate_use_each_other_without_circles() {
    let mut found = String::new();
    for source in &*SOURCES {
        let edges = source.edges();
        for circle in circles(&edges) {
            found += "a cycle:\n";
            for from in &circle {
                for (to, names) in edges[*from].iter().filter(|(to, _)| circle.contains(to)) {
                    found += &format!("  {from} -> {to} {names:?}\n");
                }
            }
        }
    }
    assert!(found.is_empty(), "files depend on each other:\n{found}");
}

#[test]
fn no_function_is_long() {
    let long: Vec<_> = SOURCES.iter().flat_map(|source| &source.long).collect();
    assert!(long.is_empty(), "over {LONGEST_FUNCTION} lines: {long:#?}");
}
