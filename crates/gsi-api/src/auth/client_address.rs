//! The client's address behind proxies. The operator chooses one header and lists the proxies that write it. Any client can
//! write such headers, and proxies pass on those that they do not write, so all others are ignored.

use http::{HeaderMap, HeaderName, header};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// The header that most proxies extend with the address of their peer.
pub(crate) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The other end of the connection that a request came on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub IpAddr);

/// The addresses and networks of proxies that name the client.
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

    /// The client's address: the last hop in the header `name` that is no trusted proxy. The hops are read from the end and only
    /// up to an entry that cannot be read, because any client may have written the entries before it.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap, name: &HeaderName) -> IpAddr {
        if !self.includes(peer) {
            return peer;
        }
        let hops = match *name == header::FORWARDED {
            true => hops(headers, name, forwarded_for),
            false => hops(headers, name, parse_address),
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

fn hops(
    headers: &HeaderMap,
    name: &HeaderName,
    read: impl Fn(&str) -> Option<IpAddr>,
) -> Vec<Option<IpAddr>> {
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
    use http::HeaderValue;

    fn client(trusted: &[&str], peer: &str, lines: &[(&str, &str)]) -> String {
        client_by(&X_FORWARDED_FOR, trusted, peer, lines)
    }

    fn client_by(name: &HeaderName, trusted: &[&str], peer: &str, lines: &[(&str, &str)]) -> String {
        let list: Vec<String> = trusted.iter().map(|t| (*t).to_owned()).collect();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_str(name).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        TrustedProxies::parse(&list).unwrap().client(peer.parse().unwrap(), &headers, name).to_string()
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
    }

    #[test]
    fn only_the_configured_header_names_the_client() {
        let inside = ["10.0.0.0/8", "::1"];
        let by = |name: &HeaderName, peer, lines: &[(&str, &str)]| client_by(name, &inside, peer, lines);
        let both = [
            ("forwarded", "for=198.51.100.1, for=203.0.113.5;by=10.0.0.2"),
            ("x-forwarded-for", "192.0.2.1"),
        ];
        assert_eq!(by(&X_FORWARDED_FOR, "10.0.0.7", &both), "192.0.2.1");
        assert_eq!(by(&header::FORWARDED, "10.0.0.7", &both), "203.0.113.5");
        assert_eq!(by(&HeaderName::from_static("x-real-ip"), "10.0.0.7", &both), "10.0.0.7");
        assert_eq!(by(&X_FORWARDED_FOR, "10.0.0.7", &both[..1]), "10.0.0.7");
        let ported = [("forwarded", "for=\"[2001:db8::7]:80\";proto=https")];
        assert_eq!(by(&header::FORWARDED, "::1", &ported), "2001:db8::7");
        assert_eq!(by(&header::FORWARDED, "10.0.0.7", &[("forwarded", "for=_hidden")]), "10.0.0.7");
        let real = [("x-real-ip", "203.0.113.5")];
        assert_eq!(by(&HeaderName::from_static("x-real-ip"), "10.0.0.7", &real), "203.0.113.5");
    }

    #[test]
    fn a_text_that_is_no_network_is_refused() {
        for wrong in ["10.0.0.0/33", "proxy.example", "", "10.0.0"] {
            assert_eq!(TrustedProxies::parse(&[wrong.to_owned()]).unwrap_err(), ProxyError(wrong.to_owned()));
        }
    }
}
