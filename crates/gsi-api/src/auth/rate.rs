//! Rate limits without locks (GCRA): one 64-bit word per bucket, advanced by compare-and-swap.
//!
//! This is not the `governor` crate, which counts in the same way. A key's requests on other replicas are charged even
//! when the bucket is empty, which leaves it in debt, and `/v1/keys/self` shows what is left without counting a
//! request. `governor` offers neither.
//!
//! The word is the time at which the bucket is full again, in nanoseconds since the service started.

use crate::problem::{ProblemCode, RequestRefusal};
use gsi_model::RateLimit;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const SECOND: u64 = 1_000_000_000;
/// The most debt of a bucket, in multiples of its depth.
const MOST_DEBT: u64 = 8;

#[derive(Debug)]
pub struct Bucket {
    full_at: AtomicU64,
    /// Nanoseconds that one request costs.
    cost: u64,
    /// Nanoseconds that a full bucket holds.
    depth: u64,
    /// Requests that this process has admitted, which it reports to the other replicas.
    taken: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaVerdict {
    pub allowed: bool,
    pub remaining: u64,
    /// Whole seconds until the bucket is full.
    pub reset: u64,
    /// Whole seconds until the next request is admitted; 0 when this one was.
    pub retry_after: u64,
}

impl QuotaVerdict {
    /// Refuses the request, with this detail, when it is over the quota.
    pub(crate) fn check(&self, detail: &'static str) -> Result<(), RequestRefusal> {
        if self.allowed {
            return Ok(());
        }
        Err(RequestRefusal::new(ProblemCode::RateLimited, detail).retry_after(self.retry_after))
    }
}

impl Bucket {
    pub fn new(rate: RateLimit) -> Self {
        let cost = 60 * SECOND / u64::from(rate.per_minute.max(1));
        Bucket {
            full_at: AtomicU64::new(0),
            cost,
            depth: cost * u64::from(rate.burst.max(1)),
            taken: AtomicU64::new(0),
        }
    }

    pub fn take(&self, now: u64) -> QuotaVerdict {
        let mut full_at = self.full_at.load(Ordering::Relaxed);
        loop {
            let next = full_at.max(now) + self.cost;
            if next - now > self.depth {
                return self.refusal(next, now);
            }
            match self.full_at.compare_exchange_weak(full_at, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    self.taken.fetch_add(1, Ordering::Relaxed);
                    return QuotaVerdict {
                        allowed: true,
                        remaining: (self.depth - (next - now)) / self.cost,
                        reset: (next - now).div_ceil(SECOND),
                        retry_after: 0,
                    };
                }
                Err(seen) => full_at = seen,
            }
        }
    }

    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Charges requests that other replicas have admitted. They may leave the bucket in debt, which is paid back before
    /// the next request is admitted. The debt is bounded, so that a mistake of another replica cannot lock a key out
    /// for long.
    pub fn charge(&self, now: u64, requests: u64) {
        let owed = requests.saturating_mul(self.cost);
        let _ = self.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            let most = now + MOST_DEBT * self.depth;
            Some(full_at.max(now).saturating_add(owed).min(most).max(full_at))
        });
    }

    /// What is left. This counts no request.
    pub fn remaining(&self, now: u64) -> QuotaVerdict {
        let used = self.full_at.load(Ordering::Relaxed).saturating_sub(now).min(self.depth);
        QuotaVerdict {
            allowed: true,
            remaining: (self.depth - used) / self.cost,
            reset: used.div_ceil(SECOND),
            retry_after: 0,
        }
    }

    fn refusal(&self, next: u64, now: u64) -> QuotaVerdict {
        QuotaVerdict {
            allowed: false,
            remaining: 0,
            reset: (next - self.cost - now).div_ceil(SECOND),
            retry_after: (next - now - self.depth).div_ceil(SECOND).max(1),
        }
    }
}

/// Addresses share this many buckets by a keyed hash, which bounds memory for any number of attackers. Two addresses in
/// one bucket affect each other only when both use more than half of the quota.
const ADDRESS_BUCKETS: usize = 16_384;

/// A quota for every address.
pub struct AddressLimit {
    rate: RateLimit,
    /// Half a megabyte, allocated when the first address is counted.
    buckets: OnceLock<Vec<Bucket>>,
    hasher: RandomState,
}

impl AddressLimit {
    pub fn new(rate: RateLimit) -> Self {
        AddressLimit { rate, buckets: OnceLock::new(), hasher: RandomState::new() }
    }

    /// Counts one request of this address.
    pub fn take(&self, address: IpAddr, now: u64) -> QuotaVerdict {
        // An IPv6 client has a whole /64 network.
        let hash = match address.to_canonical() {
            IpAddr::V4(v4) => self.hasher.hash_one(v4.to_bits()),
            IpAddr::V6(v6) => self.hasher.hash_one((v6.to_bits() >> 64) as u64),
        };
        let make = || (0..ADDRESS_BUCKETS).map(|_| Bucket::new(self.rate)).collect();
        self.buckets.get_or_init(make)[hash as usize % ADDRESS_BUCKETS].take(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_refills() {
        let bucket = Bucket::new(RateLimit { per_minute: 60, burst: 3 });
        let start = 5 * SECOND;
        let rows = [
            // (seconds after start, allowed, remaining, reset, retry_after)
            (0, true, 2, 1, 0),
            (0, true, 1, 2, 0),
            (0, true, 0, 3, 0),
            (0, false, 0, 3, 1),
            (1, true, 0, 3, 0),
            (1, false, 0, 3, 1),
            (100, true, 2, 1, 0),
        ];
        for (after, allowed, remaining, reset, retry_after) in rows {
            let got = bucket.take(start + after * SECOND);
            assert_eq!(got, QuotaVerdict { allowed, remaining, reset, retry_after }, "after {after} s");
        }
        assert_eq!(bucket.remaining(start + 100 * SECOND).remaining, 2);
    }

    #[test]
    fn many_threads_get_exactly_the_burst() {
        let bucket = Bucket::new(RateLimit { per_minute: 1, burst: 1000 });
        let passed = AtomicU64::new(0);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..1000 {
                        if bucket.take(7).allowed {
                            passed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(passed.into_inner(), 1000);
    }

    #[test]
    fn requests_on_other_replicas_are_paid_back() {
        let bucket = Bucket::new(RateLimit { per_minute: 60, burst: 10 });
        assert!(bucket.take(0).allowed);
        bucket.charge(0, 9);
        assert!(!bucket.take(0).allowed, "the bucket is empty for both together");
        assert!(bucket.take(SECOND).allowed, "one request a second comes back");
        bucket.charge(SECOND, 20);
        assert_eq!(bucket.take(SECOND).retry_after, 21, "twenty seconds of debt, then the next request");
        assert_eq!(bucket.taken(), 2, "only requests admitted here are reported to the others");
        bucket.charge(SECOND, u64::MAX);
        let far = bucket.take(SECOND).retry_after;
        assert!(far <= 10 * MOST_DEBT, "{far}: the debt is bounded");
    }

    #[test]
    fn addresses_are_counted_per_network() {
        let limit = AddressLimit::new(RateLimit { per_minute: 2, burst: 2 });
        let a: IpAddr = "2001:db8::1".parse().unwrap();
        let same_network: IpAddr = "2001:db8::ffff".parse().unwrap();
        assert!(limit.take(a, 0).allowed);
        assert!(limit.take(same_network, 0).allowed);
        assert!(!limit.take(a, 0).allowed);
        let others = (0..8u32).filter(|n| limit.take(IpAddr::from(n.to_be_bytes()), 0).allowed).count();
        assert!(others >= 7, "other addresses are not affected");
    }
}
