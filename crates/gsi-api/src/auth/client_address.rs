//! The client's address behind proxies. Headers that name a client are used only from proxies that the operator lists,
//! because any client can write them.

use http::{HeaderMap, header};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// Set by proxies that do not know `Forwarded`.
pub(crate) const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// The other end of the connection that a request came on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub IpAddr);

/// The addresses and networks of proxies whose headers name the client.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<IpNet>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no address or network such as 10.0.0.7 or 10.0.0.0/8")]
pub struct ProxyError(String);

impl TrustedProxies {
    pub fn parse(list: &[String]) -> Result<Self, ProxyError> {
        let one = |text: &String| {
            let address = || IpAddr::from_str(text).map(IpNet::from);
            IpNet::from_str(text).or_else(|_| address()).map_err(|_| ProxyError(text.clone()))
        };
        list.iter().map(one).collect::<Result<_, _>>().map(TrustedProxies)
    }

    pub fn includes(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address.to_canonical()))
    }

    /// The client's address: the last hop in the list that is no trusted proxy. The list is read from its end and only
    /// up to an entry that cannot be read, because any client may have written the entries before it.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.includes(peer) {
            return peer;
        }
        let hops = if headers.contains_key(header::FORWARDED) {
            hops(headers, header::FORWARDED.as_str(), forwarded_for)
        } else {
            hops(headers, X_FORWARDED_FOR, parse_address)
        };
        let mut client = peer;
        for hop in hops.into_iter().rev() {
            let Some(address) = hop else { return client };
            client = address;
            if !self.includes(address) {
                return client;
            }
        }
        client
    }
}

fn hops(headers: &HeaderMap, name: &str, read: impl Fn(&str) -> Option<IpAddr>) -> Vec<Option<IpAddr>> {
    let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("?"));
    lines.flat_map(|line| line.split(',')).map(|entry| read(entry.trim())).collect()
}

/// The `for` of one element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
    let mut node = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for")).map(|(_, node)| node);
    parse_address(node.next()?.trim_matches('"'))
}

/// With or without a port, an IPv6 address with or without brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|a| a.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn client(trusted: &[&str], peer: &str, lines: &[(&str, &str)]) -> String {
        let list: Vec<String> = trusted.iter().map(|t| (*t).to_owned()).collect();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_str(name).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        TrustedProxies::parse(&list).unwrap().client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_listed_proxies_name_the_client() {
        let xff = |value| [("x-forwarded-for", value)];
        assert_eq!(client(&[], "10.0.0.7", &xff("203.0.113.5")), "10.0.0.7");
        let inside = ["10.0.0.0/8", "::1"];
        assert_eq!(client(&inside, "203.0.113.1", &xff("198.51.100.1")), "203.0.113.1");
        assert_eq!(client(&inside, "10.0.0.7", &[]), "10.0.0.7");
        assert_eq!(client(&inside, "10.0.0.7", &xff("203.0.113.5")), "203.0.113.5");
        // The client's own entries come before the entry of the first proxy.
        assert_eq!(client(&inside, "10.0.0.7", &xff("127.0.0.1, 203.0.113.5, 10.1.1.1")), "203.0.113.5");
        assert_eq!(client(&inside, "10.0.0.7", &xff("203.0.113.5, nonsense")), "10.0.0.7");
        assert_eq!(client(&inside, "10.0.0.7", &xff("203.0.113.5, junk, 10.1.1.1")), "10.1.1.1");
        assert_eq!(client(&inside, "::ffff:10.0.0.7", &xff("203.0.113.5:4711")), "203.0.113.5");
        assert_eq!(
            client(&inside, "::1", &[("forwarded", "for=\"[2001:db8::7]:80\";proto=https")]),
            "2001:db8::7"
        );
        let two =
            [("forwarded", "for=198.51.100.1, for=203.0.113.5;by=10.0.0.2"), ("x-forwarded-for", "1.1.1.1")];
        assert_eq!(client(&inside, "10.0.0.7", &two), "203.0.113.5");
        assert_eq!(client(&inside, "10.0.0.7", &[("forwarded", "for=_hidden")]), "10.0.0.7");
    }

    #[test]
    fn a_text_that_is_no_network_is_refused() {
        for wrong in ["10.0.0.0/33", "proxy.example", "", "10.0.0"] {
            assert_eq!(TrustedProxies::parse(&[wrong.to_owned()]).unwrap_err(), ProxyError(wrong.to_owned()));
        }
    }
}
