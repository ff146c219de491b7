//! The filters of the list of briefings and of its feeds.

use crate::request::list_walk::sorted;
use crate::request::parameters::{AsOf, MAX_TEXT, Paging, Window, read_value};
use serde::{Deserialize, Deserializer};
use utoipa::{IntoParams, ToSchema};

pub type BriefingsQuery = (Paging, Window, TagFilter, AsOf);

/// The filter by tags.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TagFilter {
    /// Any of these tags.
    #[serde(default)]
    #[param(inline, style = Form, explode, max_items = 50)]
    tag: Vec<BriefingTag>,
}

impl TagFilter {
    /// The tags without repetitions, in alphabetical order.
    pub fn sorted(&self) -> Vec<String> {
        sorted(self.tag.iter().map(|tag| tag.0.clone()).collect())
    }
}

#[derive(ToSchema)]
#[schema(pattern = "^[A-Za-z0-9_:-]{1,100}$", max_length = 100)]
struct BriefingTag(String);

impl<'de> Deserialize<'de> for BriefingTag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_value(deserializer, "a tag such as global, conflict or country:UA", |text| {
            let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':');
            let is_tag = !text.is_empty() && text.len() <= MAX_TEXT && text.bytes().all(fits);
            if is_tag { Ok(BriefingTag(text.to_owned())) } else { Err("is not one of the allowed values") }
        })
    }
}
