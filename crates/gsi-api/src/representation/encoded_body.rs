//! A finished body in every encoding. Prepared documents are compressed when a snapshot is published, list pages at the
//! first request. Either way, each body is compressed once per encoding.
//!
//! tower-http's `CompressionLayer` compresses at every request, and leaves the same strong `ETag` on all encodings. Here
//! each encoding has its own tag.

use crate::auth::sha256;
use crate::representation::encoding::{Encoding, compress};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use std::sync::OnceLock;

#[derive(Clone, Debug)]
pub struct Representation {
    pub body: Bytes,
    pub etag: HeaderValue,
}

#[derive(Debug)]
pub struct EncodedBody {
    plain: Bytes,
    digest: String,
    forms: [OnceLock<Representation>; 4],
}

impl EncodedBody {
    pub fn new(plain: Bytes) -> Self {
        let digest = HEXLOWER.encode(&sha256(&plain)[..10]);
        EncodedBody { plain, digest, forms: Default::default() }
    }

    /// Compresses the body in all encodings now.
    pub fn prepared(plain: Bytes) -> Self {
        let document = EncodedBody::new(plain);
        for encoding in Encoding::ALL {
            document.form(encoding);
        }
        document
    }

    pub fn form(&self, encoding: Encoding) -> &Representation {
        self.forms[encoding.index()].get_or_init(|| {
            let body = compress(&self.plain, encoding);
            let tag = match encoding {
                Encoding::Identity => format!("\"{}\"", self.digest),
                other => format!("\"{}-{}\"", self.digest, other.name()),
            };
            let etag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
            Representation { body, etag }
        })
    }

    /// Whether the body is compressed for this encoding already.
    pub fn has(&self, encoding: Encoding) -> bool {
        encoding == Encoding::Identity || self.forms[encoding.index()].get().is_some()
    }

    /// The answer in one encoding, or 304 when the caller has it. Both have `headers`.
    pub fn respond(
        &self,
        content_type: HeaderValue,
        encoding: Encoding,
        mut headers: HeaderMap,
        is_known: impl FnOnce(&HeaderValue) -> bool,
    ) -> Response<Full<Bytes>> {
        let form = self.form(encoding);
        headers.insert(header::ETAG, form.etag.clone());
        let (status, body) = if is_known(&form.etag) {
            (StatusCode::NOT_MODIFIED, Bytes::new())
        } else {
            headers.insert(header::CONTENT_TYPE, content_type);
            if encoding != Encoding::Identity {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
            }
            (StatusCode::OK, form.body.clone())
        };
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }

    pub fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// Approximate memory of the body in bytes, for the cache's limit.
    pub fn weight(&self) -> usize {
        2 * self.plain.len() + 512
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn every_form_reads_back_and_has_its_own_tag() {
        let plain = Bytes::from("{\"summary\":\"".to_owned() + &"stability ".repeat(500) + "\"}");
        let document = EncodedBody::prepared(plain.clone());
        let mut tags = std::collections::BTreeSet::new();
        for encoding in Encoding::ALL {
            let form = document.form(encoding);
            let mut back = Vec::new();
            match encoding {
                Encoding::Identity => back.extend_from_slice(&form.body),
                Encoding::Gzip => {
                    flate2::read::GzDecoder::new(&form.body[..]).read_to_end(&mut back).map(drop).unwrap()
                }
                Encoding::Br => {
                    brotli::Decompressor::new(&form.body[..], 4096).read_to_end(&mut back).map(drop).unwrap()
                }
                Encoding::Zstd => back = zstd::stream::decode_all(&form.body[..]).unwrap(),
            }
            assert_eq!(back, plain, "{encoding:?}");
            assert!(tags.insert(form.etag.clone()), "{encoding:?} shares a tag");
            assert!(form.etag.as_bytes().starts_with(b"\""), "strong");
            assert!(encoding == Encoding::Identity || form.body.len() < plain.len());
        }
    }
}
