//! The list of attributions, made from the feeds' origin records.

use gsi_model::{Origin, Pillar};
use std::fmt::Write;

pub fn list() -> String {
    let all = gsi_feeds::all_connectors();
    let origins: Vec<&Origin> = all.iter().map(|c| c.origin()).collect();
    let mut out = String::from("Read by default, without a key:\n\n");
    table(&mut out, origins.iter().copied().filter(|o| o.default_on));
    out.push_str(
        "\nOff by default; `[feeds]` in the configuration switches them on, some with a key of your own:\n\n",
    );
    table(&mut out, origins.iter().copied().filter(|o| !o.default_on));
    out
}

fn table<'a>(out: &mut String, origins: impl Iterator<Item = &'a Origin>) {
    out.push_str("| feed | what, by whom | pillar | licence | to be shown |\n|---|---|---|---|---|\n");
    for o in origins {
        let licence = if o.licence.republish {
            o.licence.name.to_owned()
        } else {
            format!("{}; raw values are not shown", o.licence.name)
        };
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | [{}]({}), {} | {} | {licence} | {} |",
            o.feed,
            o.title,
            o.homepage,
            o.publisher,
            o.pillar.map_or("none", Pillar::key),
            o.attribution
        );
    }
}
