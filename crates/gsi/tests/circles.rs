//! Two files of a crate may import each other; a longer circle of imports is a knot that nobody can read from one end.
//!
//! Imports are read as text: `use` and paths that begin with `crate`, `super` or `self`. A name that a module only passes on
//! (`pub use`) is followed to the file that defines it, and passing on is no import.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// A module by its path from the crate's root, which is empty.
type ModulePath = Vec<String>;
type ImportGraph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

fn module_files(folder: &Path, at: &ModulePath, found: &mut BTreeMap<ModulePath, PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source folder").map(|e| e.expect("an entry").path()) {
        let name = entry.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut module = at.clone();
        if entry.is_dir() {
            module.push(name);
            module_files(&entry, &module, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            if !["lib", "main", "mod"].contains(&name.as_str()) {
                module.push(name);
            }
            found.insert(module, entry);
        }
    }
}

/// The paths of a `use` tree, each with the name it goes by.
fn expand(prefix: &[String], tree: &str, found: &mut Vec<(String, Vec<String>)>) {
    let (mut depth, mut start) = (0, 0);
    let mut branches = Vec::new();
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&tree[start..]);
    for branch in branches.into_iter().map(str::trim).filter(|b| !b.is_empty()) {
        let mut path = prefix.to_vec();
        let steps = |text: &str| -> Vec<String> {
            text.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
        };
        if let Some((before, inner)) = branch.split_once('{') {
            path.extend(steps(before));
            expand(&path, inner.trim_end().trim_end_matches('}'), found);
        } else {
            let (original, name) = branch.split_once(" as ").unwrap_or((branch, ""));
            path.extend(steps(original));
            path.retain(|step| step != "self" || prefix.is_empty());
            let name =
                if name.is_empty() { path.last().cloned().unwrap_or_default() } else { name.to_owned() };
            found.push((name, path));
        }
    }
}

/// A path as it is written in `module`, from the crate's root; `None` when it leads out of the crate.
fn absolute(
    module: &ModulePath,
    path: &[String],
    modules: &BTreeMap<ModulePath, PathBuf>,
) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|s| *s == "super").count();
    let child: ModulePath = module.iter().chain(path.first()).cloned().collect();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&[][..], &path[1..]),
        "super" => (&module[..module.len().checked_sub(supers)?], &path[supers..]),
        "self" => (&module[..], &path[1..]),
        _ if modules.contains_key(&child) => (&module[..], path),
        _ => return None,
    };
    Some(base.iter().chain(rest).cloned().collect())
}

/// A file's code without the unit tests at its end. Those in a file of their own are only named, wherever that is.
fn before_unit_tests(text: &str) -> &str {
    let mut marks = text.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at);
    let end = marks.find(|at| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with('{')));
    &text[..end.unwrap_or(text.len())]
}

/// Code without comments and unit tests, and its `use` declarations apart: (is passed on, tree).
fn read(file: &Path) -> (String, Vec<(bool, String)>) {
    let text = std::fs::read_to_string(file).expect("a source file");
    let lines = before_unit_tests(&text).lines().map(|line| line.split("//").next().unwrap_or_default());
    let (mut code, mut uses) = (String::new(), Vec::new());
    let mut open: Option<(bool, String)> = None;
    for line in lines {
        let begins = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        let is_passed_on = begins.len() < line.trim_start().len() || begins.starts_with("pub use ");
        if let Some(tree) = begins.trim_start_matches("pub ").strip_prefix("use ") {
            open = Some((is_passed_on, tree.to_owned()));
        } else if let Some((_, tree)) = &mut open {
            tree.push_str(line);
        } else {
            code.push_str(line);
            code.push('\n');
        }
        if open.as_ref().is_some_and(|(_, tree)| tree.trim_end().ends_with(';')) {
            uses.extend(open.take().map(|(on, tree)| (on, tree.trim_end().trim_end_matches(';').to_owned())));
        }
    }
    (code, uses)
}

fn imports_of(source: &Path) -> ImportGraph {
    let mut modules = BTreeMap::new();
    module_files(source, &Vec::new(), &mut modules);
    let mut passed_on: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    let mut written: Vec<(&ModulePath, Vec<String>)> = Vec::new();
    for (module, file) in &modules {
        let (code, uses) = read(file);
        let mut paths = Vec::new();
        for (is_passed_on, tree) in uses {
            expand(&[], &tree, &mut paths);
            if is_passed_on {
                for (name, path) in paths.drain(..) {
                    let by: Vec<String> = module.iter().cloned().chain([name]).collect();
                    passed_on.extend(absolute(module, &path, &modules).map(|to| (by, to)));
                }
            } else {
                written.extend(paths.drain(..).map(|(_, path)| (module, path)));
            }
        }
        for path in code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
            let steps: Vec<String> = path.split("::").map(str::to_owned).collect();
            if steps.len() > 1 && ["crate", "super", "self"].contains(&steps[0].as_str()) {
                written.push((module, steps));
            }
        }
    }
    let mut graph = ImportGraph::new();
    for (module, path) in written {
        let Some(mut path) = absolute(module, &path, &modules) else { continue };
        while let Some((length, to)) =
            (1..=path.len()).find_map(|n| passed_on.get(&path[..n]).map(|to| (n, to)))
            && !modules.contains_key(&path[..length])
        {
            path = to.iter().chain(&path[length..]).cloned().collect();
        }
        let target = (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|p| modules.contains_key(p));
        graph.entry(module.clone()).or_default().extend(target.filter(|t| t != module));
    }
    graph
}

/// The shortest way from `from` to `to` that is not the direct one.
fn detour(graph: &ImportGraph, from: &ModulePath, to: &ModulePath) -> Option<Vec<ModulePath>> {
    let mut ways = VecDeque::from([vec![from.clone()]]);
    let mut seen = BTreeSet::from([from.clone()]);
    while let Some(way) = ways.pop_front() {
        for next in graph.get(way.last()?).into_iter().flatten() {
            let longer: Vec<ModulePath> = way.iter().chain([next]).cloned().collect();
            if next == to && longer.len() > 2 {
                return Some(longer);
            }
            if next != to && seen.insert(next.clone()) {
                ways.push_back(longer);
            }
        }
    }
    None
}

fn long_circle(graph: &ImportGraph) -> Option<Vec<ModulePath>> {
    graph.iter().flat_map(|(a, into)| into.iter().map(move |b| (a, b))).find_map(|(a, b)| detour(graph, b, a))
}

#[test]
fn no_circle_of_imports_is_longer_than_two_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut imports = 0;
    for entry in std::fs::read_dir(crates).expect("the crates").map(|e| e.expect("an entry").path()) {
        let graph = imports_of(&entry.join("src"));
        imports += graph.values().map(BTreeSet::len).sum::<usize>();
        if let Some(circle) = long_circle(&graph) {
            let names: Vec<String> = circle.iter().map(|m| m.join("::")).collect();
            panic!("{}: a circle of imports: {}", entry.display(), names.join(" → "));
        }
    }
    assert!(imports > 500, "the imports are read: {imports}");
}

#[test]
fn a_circle_of_three_is_found_and_one_of_two_is_not() {
    let module = |name: &str| vec![name.to_owned()];
    let graph = |pairs: &[(&str, &str)]| {
        let mut graph = ImportGraph::new();
        for (a, b) in pairs {
            graph.entry(module(a)).or_default().insert(module(b));
        }
        graph
    };
    assert_eq!(long_circle(&graph(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d")])), None);
    let found = long_circle(&graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")])).expect("a circle");
    assert_eq!(found.len(), 3);
}
