//! Every file in a folder of tests is part of a target, so that no test is left out silently.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::ext::IdentExt as _;
use syn::{Expr, Item, Lit, Meta};

use super::architecture::metadata;

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

/// Adds a file and its declared modules; `folder` holds the files of the modules.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    let whole = file.canonicalize();
    let whole = whole.unwrap_or_else(|_| panic!("there is no {}", file.display()));
    if !reached.insert(whole) {
        return;
    }
    let text = fs::read_to_string(file).expect("source is text");
    for item in syn::parse_file(&text).expect("source is Rust").items {
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

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let below = |path: PathBuf| {
        if path.is_dir() {
            return files_below(&path);
        }
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        Vec::from_iter(is_source.then_some(path))
    };
    paths.flat_map(below).collect()
}

#[test]
fn every_file_of_tests_is_part_of_a_target() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let (mut reached, mut files) = (BTreeSet::new(), vec![]);
    for package in packages {
        for target in package["targets"].as_array().expect("targets") {
            let root = Path::new(target["src_path"].as_str().expect("a path"));
            reach(root, &root.with_file_name(""), &mut reached);
        }
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let is_of_tests = package["name"] == "regrasp-tests";
        let folder = if is_of_tests { "" } else { "tests" };
        files.extend(files_below(&manifest.with_file_name(folder)));
    }
    assert!(files.len() > 200, "files of tests are found");
    let left_out: Vec<_> = files
        .iter()
        .filter(|file| !reached.contains(&file.canonicalize().expect("the file is there")))
        .collect();
    assert!(left_out.is_empty(), "no target has {left_out:#?}");
}
