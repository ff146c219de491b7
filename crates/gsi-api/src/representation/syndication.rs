//! Briefings and alerts for feed readers: Atom 1.0 and JSON Feed 1.1.
//!
//! Addresses are absolute where the operator sets `public.url`. Otherwise they are relative to the address of the feed, so
//! that they work behind any proxy. Identifiers are not addresses and never change.

use super::encoded_body::EncodedBody;
use super::form::AnswerForm;
use crate::prepared::pages::Page;
use crate::representation::json_bytes;
use bytes::Bytes;
use gsi_model::Timestamp;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event as XmlEvent};
use serde::Serialize;
use std::io;
use utoipa::ToSchema;

const NAME: &str = "Global Stability Intelligence";

/// A feed, newest entry first.
pub struct Syndication<'a> {
    /// `briefings` or `alerts`, as in addresses and titles.
    pub topic: &'static str,
    pub description: &'static str,
    pub entries: Vec<SyndicatedEntry<'a>>,
    /// The tick at which the feed is evaluated.
    pub tick: Timestamp,
    pub is_simulated: bool,
    /// The operator's `public.url`, or empty.
    pub address: &'a str,
}

/// One entry. It never changes.
pub struct SyndicatedEntry<'a> {
    pub id: &'a str,
    /// The path and query of its page in the dashboard.
    pub page: String,
    pub title: &'a str,
    pub content: &'a str,
    pub published_at: Timestamp,
    pub tags: Vec<String>,
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
    /// The dashboard. Addresses are absolute where `public.url` is set, otherwise relative to the address of the feed.
    #[schema(example = "/?view=briefings")]
    pub home_page_url: String,
    #[schema(example = "/briefings.json")]
    pub feed_url: String,
    #[schema(example = "en")]
    pub language: &'static str,
    pub items: Vec<JsonFeedItem>,
}

/// One entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonFeedItem {
    #[schema(example = "brf_0123456789ABCDEFGHJKMNPQRS")]
    pub id: String,
    /// Its page in the dashboard.
    pub url: String,
    pub title: String,
    pub content_text: String,
    #[schema(example = "2026-11-14T06:00:00Z")]
    pub date_published: Timestamp,
    pub tags: Vec<String>,
}

impl Syndication<'_> {
    fn title(&self) -> String {
        let world = if self.is_simulated { " (simulated data)" } else { "" };
        format!("{NAME}: {}{world}", self.topic)
    }

    fn home(&self) -> String {
        self.whole(&format!("/?view={}", self.topic))
    }

    fn whole(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// Returns the feed in one of its two forms.
    pub(crate) fn page(&self, form: AnswerForm, atom: &'static str, json: &'static str) -> Page {
        let bytes = match form {
            AnswerForm::Atom => self.atom(atom),
            _ => self.json_feed(json),
        };
        Page::new(form, EncodedBody::new(bytes), self.tick)
    }

    fn json_feed(&self, path: &str) -> Bytes {
        let item = |entry: &SyndicatedEntry<'_>| JsonFeedItem {
            id: entry.id.to_owned(),
            url: self.whole(&entry.page),
            title: entry.title.to_owned(),
            content_text: entry.content.to_owned(),
            date_published: entry.published_at,
            tags: entry.tags.clone(),
        };
        json_bytes(&JsonFeedBody {
            version: "https://jsonfeed.org/version/1.1",
            title: self.title(),
            description: self.description,
            home_page_url: self.home(),
            feed_url: self.whole(path),
            language: "en",
            items: self.entries.iter().map(item).collect(),
        })
    }

    fn atom(&self, path: &str) -> Bytes {
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
            text(out, "subtitle", self.description)?;
            text(out, "id", &format!("urn:gsi:{}", self.topic))?;
            text(out, "updated", &self.updated().to_string())?;
            link(out, "self", &self.whole(path))?;
            link(out, "alternate", &self.home())?;
            out.create_element("author").write_inner_content(|out| text(out, "name", NAME))?;
            self.entries.iter().try_for_each(|e| entry(out, e, &self.whole(&e.page)))
        })?;
        Ok(())
    }

    /// The time of the newest entry. A reader that has this entry sees no change.
    fn updated(&self) -> Timestamp {
        self.entries.iter().map(|e| e.published_at).max().unwrap_or(self.tick)
    }
}

fn entry(out: &mut Writer<Vec<u8>>, entry: &SyndicatedEntry<'_>, address: &str) -> io::Result<()> {
    out.create_element("entry").write_inner_content(|out| {
        text(out, "title", entry.title)?;
        text(out, "id", &format!("urn:gsi:{}", entry.id))?;
        text(out, "published", &entry.published_at.to_string())?;
        text(out, "updated", &entry.published_at.to_string())?;
        link(out, "alternate", address)?;
        for tag in &entry.tags {
            out.create_element("category").with_attribute(("term", tag.as_str())).write_empty()?;
        }
        text(out, "content", entry.content)
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

/// Drops control characters, most of which XML cannot write.
fn without_controls(content: &str) -> String {
    content.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}
