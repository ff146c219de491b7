//! Places for connections: a limit for all, and a limit for one address. When they are taken, the least useful connection makes
//! room: one that has sent no request, then one whose client takes nothing of its answer, then one that rests after an answer.
//! A connection that is in use keeps its place.

use crate::server::in_use::{Activity, Usefulness};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Addresses that many clients come over: proxies.
pub type SharedAddresses = Box<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// All connections are compared to find the least useful ones, so one in this many makes room at once.
const EVICTED_SHARE: usize = 64;
/// When every connection is in use, they are not compared again for this long.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

pub struct ConnectionPlaces {
    max: usize,
    per_address: usize,
    is_shared: SharedAddresses,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    open: usize,
    /// The connections of each address by their number.
    seats: HashMap<IpAddr, BTreeMap<u64, Arc<Seat>>>,
    opened: u64,
    busy_until: Option<Instant>,
}

struct Seat {
    activity: Arc<Activity>,
    evicted: Notify,
}

impl Taken {
    /// Ends the least useful connection of an address.
    fn evict_of(&mut self, address: IpAddr, now: Instant) -> bool {
        let seats = self.seats.get(&address).into_iter().flatten();
        let evictable = seats.filter_map(|(number, seat)| Some((seat.activity.usefulness(now)?, *number)));
        let Some((_, number)) = evictable.min() else { return false };
        self.evict(address, number, now)
    }

    /// Ends the least useful connections, at most `count`.
    fn evict_any(&mut self, count: usize, now: Instant) -> bool {
        if self.busy_until.is_some_and(|until| now < until) {
            return false;
        }
        let mut evictable: Vec<(Usefulness, IpAddr, u64)> = Vec::new();
        for (address, seats) in &self.seats {
            for (number, seat) in seats {
                let usefulness = seat.activity.usefulness(now);
                evictable.extend(usefulness.map(|usefulness| (usefulness, *address, *number)));
            }
        }
        self.busy_until = evictable.is_empty().then(|| now + BUSY_PAUSE);
        evictable.sort_unstable();
        evictable.truncate(count);
        let mut is_any_evicted = false;
        for (_, address, number) in evictable {
            is_any_evicted |= self.evict(address, number, now);
        }
        is_any_evicted
    }

    /// Frees the place at once, unless the connection has just begun a request. The connection's task closes the connection when
    /// it runs.
    fn evict(&mut self, address: IpAddr, number: u64, now: Instant) -> bool {
        let seat = self.seats.get(&address).and_then(|seats| seats.get(&number));
        if !seat.is_some_and(|seat| seat.activity.evict(now)) {
            return false;
        }
        if let Some(seat) = self.give_back(address, number) {
            seat.evicted.notify_one();
        }
        true
    }

    fn give_back(&mut self, address: IpAddr, number: u64) -> Option<Arc<Seat>> {
        let seats = self.seats.get_mut(&address)?;
        let seat = seats.remove(&number)?;
        if seats.is_empty() {
            self.seats.remove(&address);
        }
        self.open -= 1;
        Some(seat)
    }
}

/// One connection's place, for as long as this lives.
pub struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    address: IpAddr,
    number: u64,
    seat: Arc<Seat>,
}

/// The network of 64 bits for IPv6, which one subscriber has to itself.
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
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPlace> {
        self.take_at(peer, Instant::now())
    }

    fn take_at(self: &Arc<Self>, peer: IpAddr, now: Instant) -> Option<ConnectionPlace> {
        let address = subscriber(peer);
        let mut taken = self.lock();
        let of_address = taken.seats.get(&address).map_or(0, BTreeMap::len);
        if of_address >= self.per_address && !(self.is_shared)(peer) && !taken.evict_of(address, now) {
            return None;
        }
        if taken.open >= self.max && !taken.evict_any((self.max / EVICTED_SHARE).max(1), now) {
            return None;
        }
        taken.open += 1;
        taken.opened += 1;
        let number = taken.opened;
        let seat = Arc::new(Seat { activity: Activity::new(now), evicted: Notify::new() });
        taken.seats.entry(address).or_default().insert(number, Arc::clone(&seat));
        drop(taken);
        Some(ConnectionPlace { places: Arc::clone(self), address, number, seat })
    }
}

impl ConnectionPlace {
    /// Completes when the connection has lost its place.
    pub async fn wait_for_eviction(&self) {
        self.seat.evicted.notified().await;
    }

    pub fn activity(&self) -> &Arc<Activity> {
        &self.seat.activity
    }

    /// Whether more than three quarters of the places are taken.
    pub fn is_crowded(&self) -> bool {
        self.places.lock().open * 4 > self.places.max * 3
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.places.lock().give_back(self.address, self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::in_use::tests::answered;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_evicted(place: &ConnectionPlace) -> bool {
        use futures_util::FutureExt;
        place.wait_for_eviction().now_or_never().is_some()
    }

    #[test]
    fn the_least_useful_connection_makes_room() {
        let places = ConnectionPlaces::new(4, 4, Box::new(|_| false));
        let begun = Instant::now();
        let late = begun + Duration::from_secs(100);
        let take = || places.take_at(address("192.0.2.1"), late);
        let [resting, stalled, silent, busy] = [0; 4].map(|_| take().unwrap());
        drop(answered(resting.activity(), true, begun));
        let untaken = answered(stalled.activity(), true, begun);
        let mut answers = vec![answered(busy.activity(), true, late)];
        let mut held = Vec::new();
        for least in [&silent, &stalled, &resting] {
            let newcomer = take().unwrap();
            assert!(is_evicted(least) && !is_evicted(&busy));
            answers.push(answered(newcomer.activity(), true, late));
            held.push(newcomer);
        }
        assert!(take().is_none(), "all are in use");
        answers.pop();
        assert!(take().is_some(), "one rests");
        drop((resting, stalled, silent, busy, untaken, answers, held));
        let taken = places.lock();
        assert_eq!((taken.open, taken.seats.len()), (0, 0));
    }

    #[test]
    fn the_same_rules_hold_for_one_address() {
        let places = ConnectionPlaces::new(9, 2, Box::new(|_| false));
        let now = Instant::now();
        let take = |text: &str| places.take_at(address(text), now);
        let other = take("192.0.2.2").unwrap();
        let (first, second) = (take("192.0.2.1").unwrap(), take("192.0.2.1").unwrap());
        let answer = answered(second.activity(), true, now);
        let third = take("192.0.2.1").unwrap();
        assert!(is_evicted(&first) && !is_evicted(&second) && !is_evicted(&third));
        let answers = [answer, answered(third.activity(), true, now)];
        assert!(take("192.0.2.1").is_none(), "both are in use");
        assert!(take("192.0.2.2").is_some() && !is_evicted(&other));
        drop(answers);
    }

    #[test]
    fn busy_connections_are_not_compared_for_each_newcomer() {
        let places = ConnectionPlaces::new(1, 1, Box::new(|_| true));
        let now = Instant::now();
        let held = places.take_at(address("192.0.2.1"), now).unwrap();
        let answer = answered(held.activity(), true, now);
        assert!(places.take_at(address("192.0.2.2"), now).is_none());
        drop(answer);
        assert!(
            places.take_at(address("192.0.2.2"), now).is_none(),
            "a moment later it still counts as in use"
        );
        assert!(places.take_at(address("192.0.2.2"), now + BUSY_PAUSE).is_some());
    }

    #[test]
    fn a_place_of_four_is_crowded_when_all_are_taken() {
        let places = ConnectionPlaces::new(4, 4, Box::new(|_| false));
        let held: Vec<_> = (0..3).map(|_| places.take(address("192.0.2.1")).unwrap()).collect();
        assert!(!held[0].is_crowded());
        let _last = places.take(address("192.0.2.1")).unwrap();
        assert!(held[0].is_crowded());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_proxy_is_many() {
        let proxy = address("192.0.2.1");
        let places = ConnectionPlaces::new(10, 1, Box::new(move |peer| peer == proxy));
        let held = places.take(address("2001:db8::1")).unwrap();
        let answer = answered(held.activity(), true, Instant::now());
        assert!(places.take(address("2001:db8::2")).is_none());
        assert!(places.take(address("2001:db8:0:1::2")).is_some());
        let proxied: Vec<_> = (0..3).map(|_| places.take(proxy).unwrap()).collect();
        assert!(proxied.iter().all(|place| !is_evicted(place)));
        drop(answer);
    }
}
