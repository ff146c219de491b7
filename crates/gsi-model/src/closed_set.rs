//! Closed sets: each member is an enum variant and one fixed word, which is the same on the wire and in the store.

/// Declares such an enum with `ALL`, `key` and `from_key`. The comment on the set describes it in the OpenAPI document.
macro_rules! closed_set {
    ($(#[$of_set:meta])* $set:ident { $($(#[$of_member:meta])* $member:ident = $key:tt,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        $(#[$of_set])*
        pub enum $set {
            $($(#[$of_member])* #[serde(rename = $key)] $member,)*
        }

        impl $set {
            pub const ALL: [$set; [$($key),*].len()] = [$($set::$member),*];

            pub const fn key(self) -> &'static str {
                match self { $($set::$member => $key),* }
            }

            pub fn from_key(key: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.key() == key)
            }
        }

        impl std::fmt::Display for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.key())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn members_survive_a_round_trip() {
        macro_rules! check {
            ($($set:ty),*) => {$(
                for member in <$set>::ALL {
                    assert_eq!(<$set>::from_key(member.key()), Some(member));
                    let stored = format!("\"{member}\"");
                    assert_eq!(serde_json::to_string(&member).unwrap(), stored);
                    assert_eq!(serde_json::from_str::<$set>(&stored).unwrap(), member);
                }
                for strange in ["", "no such", "OK"] {
                    assert_eq!(<$set>::from_key(strange), None, "{strange}");
                }
            )*};
        }
        check!(Band, Category, CorrectionReason, DataStatus, EventStatus, FeedHealth, GeoPrecision, Pillar);
        check!(
            AlertRuleKind,
            DeliveryState,
            HookFormat,
            HookMessageKind,
            HookState,
            HookTopic,
            LayerKey,
            LayerStatus
        );
        check!(MethodChangeKind, PillarStatus, RefusalCode, Reject, Scope, TextAuthor, Trend);
    }
}
