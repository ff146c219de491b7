//! Compresses and embeds the built dashboard (`web/dist`) if it exists. The binary also runs without it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

fn main() {
    // Read at run time, because a target folder may be shared by, or moved to, another checkout.
    let package =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let dist = package.join("../../web/dist");
    println!("cargo:rerun-if-changed=../../web/dist");
    println!("cargo:rerun-if-env-changed=CARGO_MANIFEST_DIR");
    let mut files = Vec::new();
    collect(&dist, &mut files);
    files.sort();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut code = String::from("pub static FILES: &[(&str, &str, &[u8])] = &[\n");
    for (number, file) in files.iter().enumerate() {
        let Some(relative) = file.strip_prefix(&dist).ok().and_then(Path::to_str) else { continue };
        let compressed = out.join(format!("{number}.gz"));
        compress(file, &compressed).expect("compress a file of the dashboard");
        let path = match relative {
            "index.html" => "/".to_owned(),
            "docs.html" => "/docs".to_owned(),
            other => format!("/{other}"),
        };
        let _ =
            writeln!(code, "    ({path:?}, {:?}, include_bytes!({compressed:?})),", content_type(relative));
    }
    code.push_str("];\n");
    std::fs::write(out.join("assets.rs"), code).expect("write the list of assets");
}

/// Compresses without a file name and a time, so that the same page gives the same program.
fn compress(from: &Path, to: &Path) -> io::Result<()> {
    let mut encoder = GzEncoder::new(File::create(to)?, Compression::best());
    io::copy(&mut File::open(from)?, &mut encoder)?;
    encoder.finish().map(drop)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
