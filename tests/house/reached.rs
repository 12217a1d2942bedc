//! Every file of a test folder belongs to a target, because Cargo would not run it otherwise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use syn::ext::IdentExt as _;
use syn::{Expr, Item, Lit, Meta};

use super::sources::{folder_of, packages, read, sources};

/// File of a module that is declared as `mod name;` in `file`.
fn file_of(module: &syn::ItemMod, file: &Path, folder: &Path) -> PathBuf {
    let path = module.attrs.iter().find_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            Expr::Lit(lit) if pair.path.is_ident("path") => match &lit.lit {
                Lit::Str(path) => Some(path.value()),
                _ => None,
            },
            _ => None,
        }
    });
    if let Some(path) = path {
        return file.with_file_name(path);
    }
    let name = module.ident.unraw().to_string();
    let alone = folder.join(format!("{name}.rs"));
    if alone.is_file() {
        alone
    } else {
        folder.join(name).join("mod.rs")
    }
}

/// Adds a file and the modules that it declares, whose files are in `folder`.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    let whole = file.canonicalize();
    let whole = whole.unwrap_or_else(|_| panic!("{} does not exist", file.display()));
    if !reached.insert(whole) {
        return;
    }
    for item in syn::parse_file(&read(file))
        .expect("a source file is not valid Rust")
        .items
    {
        let Item::Mod(module) = item else { continue };
        if module.content.is_none() {
            let child = file_of(&module, file, folder);
            let stem = child.file_stem().unwrap_or_default();
            let below = if stem == "mod" {
                child.with_file_name("")
            } else {
                child.with_extension("")
            };
            reach(&child, &below, reached);
        }
    }
}

#[test]
fn every_file_of_tests_is_part_of_a_target() {
    let (mut reached, mut files) = (BTreeSet::new(), vec![]);
    for package in packages() {
        for target in package["targets"].as_array().expect("targets") {
            let root = Path::new(target["src_path"].as_str().expect("a path"));
            reach(root, &root.with_file_name(""), &mut reached);
        }
        let is_of_tests = package["name"] == "regrasp-tests";
        let folder = if is_of_tests { "" } else { "tests" };
        let folder = folder_of(&package).join(folder);
        if folder.is_dir() {
            files.extend(sources(&folder, &[]));
        }
    }
    let n_files = files.len();
    assert!(n_files > 200, "only {n_files} files of tests were found");
    let left_out: Vec<_> = files
        .iter()
        .filter(|file| {
            !reached.contains(&file.canonicalize().expect("a listed file does not exist"))
        })
        .collect();
    assert!(left_out.is_empty(), "files without a target: {left_out:#?}");
}
