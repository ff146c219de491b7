//! What an operator can publish for reading without a key, and the tags that the page's head then has. The default is
//! nothing.

use crate::resources::pictures::drawing as picture;

/// The paths of the briefings for feed readers and of the score's picture, which the page's head names.
pub const ATOM_PATH: &str = "/briefings.atom";
pub const JSON_FEED_PATH: &str = "/briefings.json";
const CARD_PATH: &str = "/card.png";

/// What an operator can publish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicResource {
    Score,
    Summary,
    Briefings,
    /// The past: series, and every other public resource at an earlier time.
    History,
    Countries,
}

impl PublicResource {
    pub const ALL: [PublicResource; 5] = [
        PublicResource::Score,
        PublicResource::Summary,
        PublicResource::Briefings,
        PublicResource::History,
        PublicResource::Countries,
    ];

    /// The name in the configuration.
    pub const fn key(self) -> &'static str {
        match self {
            PublicResource::Score => "score",
            PublicResource::Summary => "summary",
            PublicResource::Briefings => "briefings",
            PublicResource::History => "history",
            PublicResource::Countries => "countries",
        }
    }

    pub fn from_key(key: &str) -> Option<Self> {
        PublicResource::ALL.into_iter().find(|resource| resource.key() == key)
    }
}

/// What an operator publishes.
#[derive(Clone, Debug)]
pub struct PublicSettings {
    pub resources: Vec<PublicResource>,
    /// Requests per minute of one address without a key.
    pub requests_per_minute: u32,
    /// The public address of the service without a slash at the end, or empty.
    pub url: String,
}

impl Default for PublicSettings {
    fn default() -> Self {
        PublicSettings { resources: Vec::new(), requests_per_minute: 300, url: String::new() }
    }
}

impl PublicSettings {
    /// Whether all of these are public. An empty list is not.
    pub fn opens(&self, resources: &[PublicResource]) -> bool {
        !resources.is_empty() && resources.iter().all(|resource| self.resources.contains(resource))
    }
}

/// The tags for the page's head: the names of what is public, a picture and a few words for previews of links, and the
/// feeds of briefings. Empty when nothing is public.
pub(crate) fn page_tags(settings: &PublicSettings) -> String {
    if settings.resources.is_empty() {
        return String::new();
    }
    let keys: Vec<&str> = settings.resources.iter().map(|resource| resource.key()).collect();
    let mut tags = format!("<meta name=\"gsi-public\" content=\"{}\" />", keys.join(" "));
    let mut property = |kind: &str, name: &str, content: &str| {
        let content = quick_xml::escape::escape(content);
        tags.push_str(&format!("<meta {kind}=\"{name}\" content=\"{content}\" />"));
    };
    if settings.opens(&[PublicResource::Score]) {
        property("property", "og:type", "website");
        property("property", "og:title", "Global Stability");
        property(
            "property",
            "og:description",
            "How stable is the world right now: one score, 0 to 100, lower is more stable.",
        );
        property("property", "og:image", &format!("{}{CARD_PATH}", settings.url));
        property("property", "og:image:type", "image/png");
        property("property", "og:image:width", &picture::CARD_WIDTH.to_string());
        property("property", "og:image:height", &picture::CARD_HEIGHT.to_string());
        property("property", "og:image:alt", "The global stability score as a number on a scale");
        if !settings.url.is_empty() {
            property("property", "og:url", &format!("{}/", settings.url));
        }
        property("name", "twitter:card", "summary_large_image");
    }
    if settings.opens(&[PublicResource::Briefings]) {
        for (kind, path) in [("application/atom+xml", ATOM_PATH), ("application/feed+json", JSON_FEED_PATH)] {
            tags.push_str(&format!(
                "<link rel=\"alternate\" type=\"{kind}\" title=\"Briefings\" href=\"{path}\" />"
            ));
        }
    }
    tags
}
