//! The variable segment of a path.

use crate::auth::keys;
use crate::problem::{ProblemCode, RequestRefusal};
use axum::extract::{FromRequestParts, MatchedPath};
use gsi_model::{CountryCode, Pillar};
use http::request::Parts;

/// Most characters of an unknown name in a problem.
const SHOWN_CHARACTERS: usize = 40;

/// The variable segment of the path as it was sent. Names are compared without percent-decoding.
pub struct PathSegment(pub String);

impl<S: Sync> FromRequestParts<S> for PathSegment {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, RequestRefusal> {
        let template = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        let mut pairs = template.split('/').zip(parts.uri.path().split('/'));
        let found = pairs.find(|(template, _)| template.starts_with('{'));
        found
            .map(|(_, sent)| PathSegment(sent.to_owned()))
            .ok_or_else(|| RequestRefusal::new(ProblemCode::Internal, "The address has no such part."))
    }
}

/// The pillar whose key the path contains.
pub struct PillarSegment(pub Pillar);

impl<S: Sync> FromRequestParts<S> for PillarSegment {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RequestRefusal> {
        let PathSegment(name) = PathSegment::from_request_parts(parts, state).await?;
        Pillar::from_key(&name).map(PillarSegment).ok_or_else(|| {
            let detail = format!(
                "There is no pillar {}; the pillars are conflict, cyber, supply_chain and macro.",
                shown(&name)
            );
            RequestRefusal::new(ProblemCode::UnknownPillar, detail)
        })
    }
}

/// The country whose ISO 3166-1 code the path contains, in capitals.
pub struct CountrySegment(pub CountryCode);

impl<S: Sync> FromRequestParts<S> for CountrySegment {
    type Rejection = RequestRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RequestRefusal> {
        let PathSegment(name) = PathSegment::from_request_parts(parts, state).await?;
        CountryCode::from_iso2(&name).map(CountrySegment).ok_or_else(|| {
            let detail = format!(
                "There is no country {}; codes are ISO 3166-1 alpha-2 in capitals, such as UA.",
                shown(&name)
            );
            RequestRefusal::new(ProblemCode::UnknownCountry, detail)
        })
    }
}

/// An unknown name for a problem: short, and without the secret of a key that was sent by mistake.
fn shown(name: &str) -> String {
    keys::redact(name).chars().take(SHOWN_CHARACTERS).collect()
}
