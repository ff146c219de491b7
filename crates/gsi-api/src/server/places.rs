//! Places for connections: so many at all, so many for one address. When they are taken, the connection that has been
//! silent longest since it was opened makes room, so that sockets which never ask anything cannot keep out those that do.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::Notify;

/// Addresses that many clients come over: proxies.
pub type SharedAddresses = Box<dyn Fn(IpAddr) -> bool + Send + Sync>;

pub struct ConnectionPlaces {
    max: usize,
    per_address: usize,
    is_shared: SharedAddresses,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    open: usize,
    by_address: HashMap<IpAddr, usize>,
    /// Connections without a request so far, in the order they were opened.
    silent: BTreeMap<u64, (IpAddr, Arc<Eviction>)>,
    opened: u64,
}

impl Taken {
    /// Ends the longest-silent connection, of one address or of any.
    fn evict(&mut self, of: Option<IpAddr>) -> bool {
        let mut silent = self.silent.iter();
        let Some(number) = silent.find(|(_, (a, _))| of.is_none_or(|of| *a == of)).map(|(n, _)| *n) else {
            return false;
        };
        if let Some((address, eviction)) = self.silent.remove(&number) {
            // Its place is free now, and not only when its task has noticed.
            self.give_back(address);
            eviction.is_over.store(true, Ordering::Relaxed);
            eviction.told.notify_one();
        }
        true
    }

    fn give_back(&mut self, address: IpAddr) {
        self.open -= 1;
        if let Some(count) = self.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

/// How a connection learns that it has lost its place.
#[derive(Default)]
struct Eviction {
    told: Notify,
    /// Written and read under the lock.
    is_over: AtomicBool,
}

/// One connection's place, for as long as this lives.
pub struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    address: IpAddr,
    number: u64,
    /// It has spoken in time.
    keeps_place: AtomicBool,
    eviction: Arc<Eviction>,
}

/// A subscriber of IPv6 has a whole network to itself.
fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        v4 => v4,
    }
}

impl ConnectionPlaces {
    pub fn new(max: usize, per_address: usize, is_shared: SharedAddresses) -> Arc<Self> {
        Arc::new(ConnectionPlaces { max, per_address, is_shared, taken: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None`: all places are taken by connections that are in use.
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Option<Arc<ConnectionPlace>> {
        let address = subscriber(peer);
        let mut taken = self.lock();
        let of_address = taken.by_address.get(&address).copied().unwrap_or(0);
        if of_address >= self.per_address && !(self.is_shared)(peer) && !taken.evict(Some(address)) {
            return None;
        }
        if taken.open >= self.max && !taken.evict(None) {
            return None;
        }
        taken.open += 1;
        taken.opened += 1;
        *taken.by_address.entry(address).or_default() += 1;
        let (number, eviction) = (taken.opened, Arc::<Eviction>::default());
        taken.silent.insert(number, (address, Arc::clone(&eviction)));
        drop(taken);
        let keeps_place = AtomicBool::new(false);
        Some(Arc::new(ConnectionPlace { places: Arc::clone(self), address, number, keeps_place, eviction }))
    }
}

impl ConnectionPlace {
    /// Completes when the connection has lost its place; never once it keeps it, and then asking costs one load.
    pub async fn wait_for_eviction(&self) {
        let mut told = pin!(self.eviction.told.notified());
        let poll = |cx: &mut Context<'_>| {
            if self.keeps_place.load(Ordering::Relaxed) { Poll::Pending } else { told.as_mut().poll(cx) }
        };
        poll_fn(poll).await;
    }

    /// There is a request: from now on nobody else gets the place, unless somebody has it already.
    pub fn speak(&self) {
        if !self.keeps_place.load(Ordering::Relaxed) {
            let was_silent = self.places.lock().silent.remove(&self.number).is_some();
            self.keeps_place.store(was_silent, Ordering::Relaxed);
        }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.silent.remove(&self.number);
        if !self.eviction.is_over.load(Ordering::Relaxed) {
            taken.give_back(self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_evicted(place: &ConnectionPlace) -> bool {
        use futures_util::FutureExt;
        place.wait_for_eviction().now_or_never().is_some()
    }

    #[test]
    fn the_longest_silent_makes_room() {
        let places = ConnectionPlaces::new(3, 2, Box::new(|_| false));
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let first = places.take(one).unwrap();
        let second = places.take(one).unwrap();
        second.speak();
        let third = places.take(one).unwrap();
        first.speak();
        assert!(
            is_evicted(&first) && !is_evicted(&third),
            "the first of the same address, though it speaks now"
        );
        third.speak();
        assert!(places.take(one).is_none(), "both are in use");
        let fourth = places.take(other).unwrap();
        let fifth = places.take(other).unwrap();
        assert!(is_evicted(&fourth), "three are open, and one is silent");
        fifth.speak();
        assert!(places.take(other).is_none());
        drop((first, second, third, fourth, fifth));
        let taken = places.lock();
        assert_eq!((taken.open, taken.by_address.len(), taken.silent.len()), (0, 0, 0));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_proxy_is_many() {
        let proxy = address("192.0.2.1");
        let places = ConnectionPlaces::new(10, 1, Box::new(move |peer| peer == proxy));
        let held = places.take(address("2001:db8::1")).unwrap();
        held.speak();
        assert!(places.take(address("2001:db8::2")).is_none());
        assert!(places.take(address("2001:db8:0:1::2")).is_some());
        let proxied: Vec<_> = (0..3).map(|_| places.take(proxy).unwrap()).collect();
        assert!(proxied.iter().all(|place| !is_evicted(place)));
    }
}
