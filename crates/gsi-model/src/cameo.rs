//! What is said to have happened, by the code book of the news coder.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A CAMEO code with its leading zeros, for example `0843` or `190`. Read as text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct CameoCode {
    digits: [u8; 4],
    length: u8,
}

impl CameoCode {
    /// Of two to four digits.
    pub fn new(digits: &[u8]) -> Option<Self> {
        if !(2..=4).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut code = CameoCode { length: digits.len() as u8, ..CameoCode::default() };
        code.digits[..digits.len()].copy_from_slice(digits);
        Some(code)
    }
}

/// Anything that is no code becomes the empty one.
impl From<&str> for CameoCode {
    fn from(text: &str) -> Self {
        CameoCode::new(text.as_bytes()).unwrap_or_default()
    }
}

impl Deref for CameoCode {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.digits[..usize::from(self.length)]).unwrap_or("")
    }
}

impl fmt::Debug for CameoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for CameoCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for CameoCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Cow::<str>::deserialize(deserializer)?.as_ref().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_two_to_four_digits() {
        for text in ["19", "190", "0843"] {
            let code = CameoCode::from(text);
            assert_eq!(&*code, text);
            let stored = serde_json::to_string(&code).unwrap();
            assert_eq!(stored, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<CameoCode>(&stored).unwrap(), code);
        }
        for other in ["", "1", "19045", "19a", "-19", "\u{661}\u{669}"] {
            assert_eq!(&*CameoCode::from(other), "", "{other}");
        }
    }
}
