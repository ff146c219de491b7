//! Why a catalogue, a baseline or a stored method is refused.

use gsi_model::Pillar;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    #[error("the catalogue cannot be read: {0}")]
    Syntax(String),
    #[error("the catalogue is refused at {place}: {problem}")]
    Refused { place: String, problem: String },
    #[error("the baseline is refused at {place}: {problem}")]
    Baseline { place: String, problem: String },
    #[error("no indicator of pillar {0} can be computed from the enabled feeds")]
    EmptyPillar(Pillar),
    #[error(
        "it is method {version}, and this program computes by another; a release with that method can replay it"
    )]
    OtherMethod { version: String },
    #[error("it is method {version} with other constants in method/{part} than this program was built with")]
    OtherPart { version: String, part: String },
}

pub(super) fn refused<T>(place: &str, problem: impl Into<String>) -> Result<T, MethodError> {
    Err(MethodError::Refused { place: place.to_owned(), problem: problem.into() })
}
