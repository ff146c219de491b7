//! The kind of a coded event, by the code book of the news coder.

use crate::Text;
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// A CAMEO code with its leading zeros, for example `0843` or `190`. Read as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Text")]
pub struct CameoCode(Text);

impl CameoCode {
    /// Of two to four digits.
    pub fn new(digits: &str) -> Option<Self> {
        let is_code = (2..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        is_code.then(|| CameoCode(digits.into()))
    }
}

/// An invalid code becomes the empty one.
impl From<&str> for CameoCode {
    fn from(text: &str) -> Self {
        CameoCode::new(text).unwrap_or_default()
    }
}

impl From<Text> for CameoCode {
    fn from(text: Text) -> Self {
        text.as_str().into()
    }
}

impl Deref for CameoCode {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
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
