//! The fetcher may connect only to the feed's own hosts at public addresses.

use crate::refusal;
use gsi_model::{PayloadRefusal, RefusalCode};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

/// Tells whether an address is outside the public internet: private, local, reserved, or a public form that wraps one.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(a) => is_private_v4(a),
        IpAddr::V6(a) => is_private_v6(a),
    }
}

fn is_private_v4(a: Ipv4Addr) -> bool {
    let [x, y, z, _] = a.octets();
    a.is_private()
        || a.is_loopback()
        || a.is_link_local()
        || a.is_documentation()
        || x == 0
        || x >= 224
        || (x == 100 && (64..128).contains(&y))
        || (x == 192 && y == 0 && z == 0)
        || (x == 198 && (18..20).contains(&y))
}

fn is_private_v6(a: Ipv6Addr) -> bool {
    let s = a.segments();
    let embedded = |hi: u16, lo: u16| is_private_v4(Ipv4Addr::from((u32::from(hi) << 16) | u32::from(lo)));
    if let Some(v4) = a.to_ipv4_mapped() {
        return is_private_v4(v4);
    }
    match s {
        [0, 0, 0, 0, 0, 0, _, _] => true,
        [0x64, 0xff9b, 0, 0, 0, 0, hi, lo] | [0x2002, hi, lo, ..] => embedded(hi, lo),
        [0x2001, 0xdb8, ..] | [0x100, ..] => true,
        // Only 2000::/3 is allocated for the public internet.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

/// Checks that the feed may use this address.
pub fn check(url: &Url, allowed_hosts: &[&str]) -> Result<(), PayloadRefusal> {
    let deny = |why: String| Err(PayloadRefusal::new(RefusalCode::Redirect, why));
    if !matches!(url.scheme(), "http" | "https") {
        return deny(format!("scheme {} is not fetched", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return deny("credentials in an address".to_owned());
    }
    match url.host() {
        Some(Host::Domain(host)) => {
            if !allowed_hosts.contains(&host) {
                return deny(format!("host {} is not one of the feed's", refusal::extract(host.as_bytes())));
            }
        }
        _ => return deny("an address without a host name".to_owned()),
    }
    if url.port().is_some() {
        return deny("an unusual port".to_owned());
    }
    Ok(())
}

#[derive(Debug, thiserror::Error)]
#[error("the name resolves to a private address")]
pub struct PrivateAddress;

/// Resolves names and keeps only public addresses, except for the one host that the operator configured.
#[derive(Debug)]
pub struct GuardedResolver {
    pub trusted_host: Option<String>,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let trusted = self.trusted_host.as_deref() == Some(name.as_str());
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> =
                found.iter().copied().filter(|a| trusted || !is_private(a.ip())).collect();
            if public.is_empty() && !found.is_empty() {
                return Err(Box::new(PrivateAddress) as Box<dyn std::error::Error + Send + Sync>);
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.0.8",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2a00:1450:4001::1", "64:ff9b::808:808"] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn only_the_feeds_hosts() {
        let hosts = ["example.org"];
        let check = |url: &str, want: bool| {
            assert_eq!(check(&url.parse().unwrap(), &hosts).is_ok(), want, "{url}");
        };
        check("https://example.org/a?b", true);
        check("http://EXAMPLE.org/", true);
        check("https://example.org:443/", true);
        for url in [
            "https://evil.example.org/",
            "https://example.org.evil.com/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "http://example.org:22/",
            "https://user@example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "http://2130706433/",
            "http://0x7f.1/",
        ] {
            check(url, false);
        }
    }
}
