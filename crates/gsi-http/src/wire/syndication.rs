//! Briefings as feed readers take them: Atom 1.0 and JSON Feed 1.1. Addresses are relative to where the feed was read, so
//! that they hold behind any proxy; identifiers are not addresses and never change.

use bytes::Bytes;
use gsi_model::{Briefing, Timestamp};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event as XmlEvent};
use serde::Serialize;
use std::io;
use utoipa::ToSchema;

const NAME: &str = "Global Stability Intelligence";
const DESCRIPTION: &str = "Daily briefings on how stable the world is.";

/// Briefings that are to be told to feed readers, newest first.
pub struct BriefingFeed<'a> {
    pub briefings: &'a [Briefing],
    /// The feed is as of this tick.
    pub tick: Timestamp,
    pub is_simulated: bool,
}

/// A JSON Feed, version 1.1.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = JsonFeed)]
pub struct JsonFeedBody {
    #[schema(example = "https://jsonfeed.org/version/1.1")]
    pub version: &'static str,
    #[schema(example = "Global Stability Intelligence: briefings")]
    pub title: String,
    pub description: &'static str,
    /// The dashboard, relative to where the feed was read.
    #[schema(example = "/?view=briefings")]
    pub home_page_url: &'static str,
    #[schema(example = "/briefings.json")]
    pub feed_url: &'static str,
    #[schema(example = "en")]
    pub language: &'static str,
    pub items: Vec<JsonFeedItem>,
}

/// One briefing.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonFeedItem {
    #[schema(example = "brf_0123456789ABCDEFGHJKMNPQRS")]
    pub id: String,
    /// Where the dashboard shows it.
    pub url: String,
    pub title: String,
    pub content_text: String,
    #[schema(value_type = String, format = DateTime, example = "2026-11-14T06:00:00Z")]
    pub date_published: Timestamp,
    pub tags: Vec<String>,
}

fn page_of(briefing: &Briefing) -> String {
    format!("/?view=briefings&briefing={}", briefing.id)
}

impl BriefingFeed<'_> {
    fn title(&self) -> String {
        let world = if self.is_simulated { " (simulated data)" } else { "" };
        format!("{NAME}: briefings{world}")
    }

    pub fn json_feed(&self, path: &'static str) -> Bytes {
        let item = |briefing: &Briefing| JsonFeedItem {
            id: briefing.id.to_string(),
            url: page_of(briefing),
            title: briefing.headline.clone(),
            content_text: briefing.summary.clone(),
            date_published: briefing.published_at,
            tags: briefing.tags.clone(),
        };
        super::bytes(&JsonFeedBody {
            version: "https://jsonfeed.org/version/1.1",
            title: self.title(),
            description: DESCRIPTION,
            home_page_url: "/?view=briefings",
            feed_url: path,
            language: "en",
            items: self.briefings.iter().map(item).collect(),
        })
    }

    pub fn atom(&self, path: &str) -> Bytes {
        let mut out = Writer::new(Vec::with_capacity(16 * 1024));
        // Writing to memory does not fail.
        let _ = self.write_atom(&mut out, path);
        out.into_inner().into()
    }

    fn write_atom(&self, out: &mut Writer<Vec<u8>>, path: &str) -> io::Result<()> {
        out.write_event(XmlEvent::Decl(BytesDecl::new("1.0", Some("utf-8"), None)))?;
        let attributes = [("xmlns", "http://www.w3.org/2005/Atom"), ("xml:lang", "en")];
        let feed = out.create_element("feed").with_attributes(attributes);
        feed.write_inner_content(|out| {
            text(out, "title", &self.title())?;
            text(out, "subtitle", DESCRIPTION)?;
            text(out, "id", "urn:gsi:briefings")?;
            text(out, "updated", &self.updated().to_string())?;
            link(out, "self", path)?;
            link(out, "alternate", "/?view=briefings")?;
            out.create_element("author").write_inner_content(|out| text(out, "name", NAME))?;
            self.briefings.iter().try_for_each(|briefing| entry(out, briefing))
        })?;
        Ok(())
    }

    /// When the newest briefing came, so that a reader who has it sees nothing new.
    fn updated(&self) -> Timestamp {
        self.briefings.iter().map(|b| b.published_at).max().unwrap_or(self.tick)
    }
}

fn entry(out: &mut Writer<Vec<u8>>, briefing: &Briefing) -> io::Result<()> {
    out.create_element("entry").write_inner_content(|out| {
        text(out, "title", &briefing.headline)?;
        text(out, "id", &format!("urn:gsi:{}", briefing.id))?;
        text(out, "published", &briefing.published_at.to_string())?;
        text(out, "updated", &briefing.published_at.to_string())?;
        link(out, "alternate", &page_of(briefing))?;
        for tag in &briefing.tags {
            out.create_element("category").with_attribute(("term", tag.as_str())).write_empty()?;
        }
        text(out, "content", &briefing.summary)
    })?;
    Ok(())
}

fn text(out: &mut Writer<Vec<u8>>, name: &str, content: &str) -> io::Result<()> {
    out.create_element(name).write_text_content(BytesText::new(&without_controls(content)))?;
    Ok(())
}

fn link(out: &mut Writer<Vec<u8>>, relation: &str, address: &str) -> io::Result<()> {
    out.create_element("link").with_attributes([("rel", relation), ("href", address)]).write_empty()?;
    Ok(())
}

/// XML has no way to write most control characters.
fn without_controls(content: &str) -> String {
    content.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}
