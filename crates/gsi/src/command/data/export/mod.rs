//! `gsi export`: writes data of one kind into a file, with a manifest of its contents and attributions.
//!
//! The data comes from a store, even while a service uses it, or from a running service. Both give the same rows, but
//! only a store gives observations.

mod files;
mod from_service;
mod from_store;
mod manifest;
mod parquet_file;
mod row;
mod sink;
mod source;
mod window;

use crate::cli::{Export, ExportKind};
use crate::config::{Config, ConfigError};
use crate::result_line;
use crate::setup;
use anyhow::bail;
use files::ExportFolder;
use from_service::ServiceSource;
use from_store::StoreSource;
use manifest::ExportManifest;
use sink::ExportSink;
use source::ExportSource;
use std::process::ExitCode;
use window::ExportWindow;

pub fn run(config: &Config, arguments: &Export, names_a_store: bool) -> anyhow::Result<ExitCode> {
    let wrong = |text: String| ConfigError::Invalid(text);
    let source: Box<dyn ExportSource> = match (&arguments.url, &arguments.key) {
        (Some(_), _) if names_a_store => bail!(wrong("use --url or a store, not both".into())),
        (Some(_), None) => bail!(wrong("--url needs a key of the service in GSI_KEY or --key".into())),
        (Some(_), Some(_)) if arguments.what == ExportKind::Observations => {
            bail!(wrong(
                "observations are read only from a store; a service returns those of one snapshot at \
                 /v1/snapshots/{id}/inputs"
                    .into()
            ))
        }
        (Some(url), Some(key)) => Box::new(ServiceSource::new(url.clone(), key.clone())?),
        (None, _) => Box::new(StoreSource::open(config)?),
    };
    if arguments.to.is_some_and(|to| arguments.from >= to) {
        bail!(wrong("--from is not before --to".into()));
    }
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => format!("gsi-export-{}", arguments.what.key()).into(),
    };
    let file = format!("{}.{}", arguments.what.key(), arguments.format.extension());
    setup::require_free_space(&out)?;
    let folder = ExportFolder::open(out, arguments.force, &file)?;

    let provenance = source.provenance()?;
    // By default the export ends with the newest tick. Ticks published while it runs are left out.
    let newest = provenance.as_of.plus(1);
    let window = ExportWindow { from: arguments.from, to: arguments.to.unwrap_or(newest) };
    if window.from >= window.to {
        bail!(wrong(format!(
            "nothing was published since {}; the newest tick is {}",
            window.from, provenance.as_of
        )));
    }
    let columns = row::columns(arguments.what);
    let mut sink = ExportSink::begin(arguments.what, columns, arguments.format, folder.create(&file)?)?;
    source.export(arguments.what, window, provenance.as_of, &mut sink)?;
    let done = sink.finish()?;
    let manifest = ExportManifest::of(arguments, window, provenance, columns, &file, done);
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    folder.publish(&file, text.as_bytes())?;
    if arguments.json {
        result_line!("{}", serde_json::to_string(&manifest)?);
    } else {
        result_line!("{} rows in {}", manifest.rows, folder.path().join(&file).display());
        for left in &manifest.left_out {
            result_line!("left out: {} rows of {}: {}", left.rows, left.series, left.reason);
        }
    }
    Ok(ExitCode::SUCCESS)
}
