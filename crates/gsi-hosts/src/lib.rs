//! Who owns a host name. A room of its own because of what it is made of: the public suffix list is a hundred thousand lines
//! of generic code, compiled wherever it is called, and here that happens once, early and beside everything else.

/// The name somebody registered: `bbc.co.uk` of `news.bbc.co.uk`. Hosting platforms count per site (`somebody.github.io`), as
/// the public suffix list has it. A host that is itself a suffix is its own.
pub fn registrable_domain(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::registrable_domain;

    #[test]
    fn names_as_they_were_registered() {
        for (host, registered) in [
            ("news.bbc.co.uk", "bbc.co.uk"),
            ("www.lemonde.fr", "lemonde.fr"),
            ("a.somebody.github.io", "somebody.github.io"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(registrable_domain(host), registered, "{host}");
        }
    }
}
