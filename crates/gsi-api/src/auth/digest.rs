//! SHA-256 and HMAC, by `ring`, which TLS needs anyway. Every request hashes a key, and without the processor's SHA
//! instructions portable code takes half as long again.

use ring::{digest, hmac};

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = digest::digest(&digest::SHA256, bytes);
    std::array::from_fn(|i| digest.as_ref()[i])
}

/// An authentication tag that only a holder of the secret can make.
pub(crate) fn seal(secret: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), bytes);
    std::array::from_fn(|i| tag.as_ref()[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;

    #[test]
    fn known_answers() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(HEXLOWER.encode(&sha256(b"abc")), abc);
        // An HMAC with a key of 32 bytes, computed by OpenSSL.
        let sealed = "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7";
        assert_eq!(HEXLOWER.encode(&seal(&[0x0b; 32], b"Hi There")), sealed);
    }
}
