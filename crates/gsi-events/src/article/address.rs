//! Splits an article address into host, registrable domain, path segments and the words of its slug.
//!
//! Addresses are the only data about an article, and they are foreign input: nothing here trusts their form.

use crate::article::wording::stem;
use crate::parameters::PARAMETERS;
use public_suffix::EffectiveTLDProvider;

/// Longer addresses are cut. Articles with addresses much shorter than this are dropped already.
const MAX_ADDRESS: usize = 600;

/// An address in lower case, split into the parts that the rules use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: std::ops::Range<usize>,
    path: std::ops::Range<usize>,
}

impl Address {
    /// `None` without a web address and a host name.
    pub fn parse(url: &str) -> Option<Self> {
        let mut text: String = url.trim().chars().take(MAX_ADDRESS).collect();
        text.make_ascii_lowercase();
        let start = ["https://", "http://"].iter().find(|s| text.starts_with(*s))?.len();
        let rest = &text[start..];
        let end_of_authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = &rest[..end_of_authority];
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let port = authority[user..].find(':').map_or(authority.len(), |colon| user + colon);
        let host = authority[user..port].trim_end_matches('.');
        let valid = host.contains('.')
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.')
            && !host.starts_with('.')
            && !host.contains("..");
        if !valid {
            return None;
        }
        let host = start + user..start + user + host.len();
        let path_start = start + end_of_authority;
        let path_end = text[path_start..].find(['?', '#']).map_or(text.len(), |end| path_start + end);
        Some(Address { host, path: path_start..path_end, text })
    }

    pub fn host(&self) -> &str {
        &self.text[self.host.clone()]
    }

    /// The registered name: `bbc.co.uk` of `news.bbc.co.uk`. Hosting platforms count per site (`somebody.github.io`),
    /// as in the public suffix list. A host that is itself a suffix is its own registrable domain.
    pub fn registrable_domain(&self) -> &str {
        public_suffix::DEFAULT_PROVIDER.effective_tld_plus_one(self.host()).unwrap_or(self.host())
    }

    /// Non-empty path segments.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.text[self.path.clone()].split('/').filter(|s| !s.is_empty())
    }

    /// The path segment with the most significant words; at a tie the later one, since sections come first.
    pub fn headline(&self) -> &str {
        self.segments().max_by_key(|s| words(s).filter(|w| is_significant(w)).count()).unwrap_or("")
    }

    /// The stems of a headline as a set of sorted hashes; empty when the address has no slug of words.
    pub fn slug_tokens(&self) -> Vec<u32> {
        let significant = words(self.headline()).filter(|w| is_significant(w));
        let mut tokens: Vec<u32> = significant.map(|w| hash32(&stem(w))).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.truncate(PARAMETERS.stories.max_words);
        if tokens.len() < PARAMETERS.stories.min_words {
            tokens.clear();
        }
        tokens
    }
}

/// Runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
}

pub fn is_significant(word: &str) -> bool {
    let parameters = &PARAMETERS.word_forms;
    word.len() >= parameters.min_telling_letters
        && !word.bytes().any(|b| b.is_ascii_digit())
        && !parameters.stop_words.contains(word)
}

/// FNV-1a: the same on every machine and in every release, which the standard hasher does not promise.
pub fn hash64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

pub fn hash32(text: &str) -> u32 {
    let h = hash64(text);
    (h ^ (h >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_domains() {
        let check = |url: &str, want: Option<(&str, &str)>| {
            let address = Address::parse(url);
            let got = address.as_ref().map(|a| (a.host(), a.registrable_domain()));
            assert_eq!(got, want, "{url}");
        };
        check("https://www.bbc.co.uk/news/1", Some(("www.bbc.co.uk", "bbc.co.uk")));
        check("HTTP://Malaysia.News.Yahoo.com", Some(("malaysia.news.yahoo.com", "yahoo.com")));
        check(
            "https://www.edmontonexaminer.com:443/a",
            Some(("www.edmontonexaminer.com", "edmontonexaminer.com")),
        );
        check("https://me:pw@a.example.org/x?y", Some(("a.example.org", "example.org")));
        check("https://somebody.github.io/2025", Some(("somebody.github.io", "somebody.github.io")));
        check("https://example.com?q=/a/b", Some(("example.com", "example.com")));
        for bad in [
            "",
            "ftp://a.b/c",
            "https://",
            "https://localhost/x",
            "https://a..b/",
            "https://<b>.x/",
            "BBC Monitoring",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn slugs_keep_significant_words() {
        let tokens = |url: &str| Address::parse(url).unwrap().slug_tokens();
        let a = tokens("https://a.com/2025/06/02/russian-strikes-kill-7-ukraine-hours-after-latest.html");
        let b =
            tokens("https://b.net/news/world/Russian-Strikes-Kill-Ukraine-Hours/article_1066653a-c18e.html");
        assert_eq!(a, b);
        assert_eq!(a.len(), 5);
        assert!(tokens("https://a.com/news/world/12345").is_empty());
        assert!(tokens("https://a.com/").is_empty());
    }

    #[test]
    fn hostile_addresses_do_no_harm() {
        for url in [
            "https://a.com/\u{202e}\0<script>",
            &format!("https://a.com/{}", "é".repeat(5_000)),
            &format!("https://{}", "a.".repeat(4_000)),
            "https://a.com/%%%/?#",
        ] {
            if let Some(address) = Address::parse(url) {
                let _ = (
                    address.registrable_domain().len(),
                    address.slug_tokens().len(),
                    address.segments().count(),
                );
            }
        }
    }
}
