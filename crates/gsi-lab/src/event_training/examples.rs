//! The articles that the event filter is trained on, with the judgements of readers.
//!
//! There are two sets: 1,735 articles judged by their address (`labels/gdelt_articles.tsv` of the data folder), and the project's own 684
//! rows (`crates/gsi-events/tests/labels/events.tsv`). Addresses stay in the data folder, while weights and words are part of the repository.

use anyhow::{Context, bail};
use gsi_events::TrainingExample;
use gsi_feeds::{Payload, gdelt};
use gsi_model::{Category, CountryCode, NewsRow, NewsSlot, Timestamp};
use std::collections::BTreeMap;
use std::path::Path;

/// Stories end after this number of days without a file. Files that are closer are in the same fold.
const STORY_DAYS: i32 = 3;

/// A reader's judgement of an article.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    pub real: bool,
    pub category: Option<Category>,
    pub country: Option<CountryCode>,
}

#[derive(Debug, Clone)]
pub struct TrainingArticle {
    pub url: String,
    /// The fold of its file.
    pub fold: usize,
    pub example: TrainingExample,
    /// The judgement of the readers of articles. `None` if they could not decide.
    pub judged: Option<Judgement>,
    /// The judgement of the project's reader of rows. `None` if no row was drawn, or the reader could not decide.
    pub own_real: Option<bool>,
}

impl TrainingArticle {
    /// Returns a target from 0 to 1, in between if the readers differ. `None` if no reader could decide.
    pub fn target(&self) -> Option<f64> {
        let judgements: Vec<f64> =
            self.judged.map(|j| j.real).into_iter().chain(self.own_real).map(f64::from).collect();
        (!judgements.is_empty()).then(|| judgements.iter().sum::<f64>() / judgements.len() as f64)
    }
}

/// One event file.
#[derive(Debug, Clone)]
pub struct TrainingFile {
    pub name: String,
    pub stamp: Timestamp,
    pub rows: Vec<NewsRow>,
    pub slots: Vec<NewsSlot>,
    /// Files of the same few days share a fold. A filter is never judged on a fold that it was trained on.
    pub fold: usize,
}

/// A row of the project's labels.
#[derive(Debug, Clone)]
pub struct OwnLabel {
    pub row: u64,
    pub real: Option<bool>,
    pub countries: Vec<String>,
    pub happening: String,
}

#[derive(Debug, Clone)]
pub struct Corpus {
    pub files: Vec<TrainingFile>,
    pub articles: Vec<TrainingArticle>,
    pub own: Vec<OwnLabel>,
}

impl Corpus {
    pub fn load(data: &Path) -> anyhow::Result<Corpus> {
        let files = event_files(&data.join("gdelt2/export"))?;
        let labels_at = data.join("labels/gdelt_articles.tsv");
        let labels = std::fs::read_to_string(&labels_at)
            .with_context(|| format!("cannot read the labels {}", labels_at.display()))?;
        let judged = article_labels(&labels)?;
        let own = own_labels(include_str!("../../../gsi-events/tests/labels/events.tsv"))?;
        let by_row: BTreeMap<u64, &OwnLabel> = own.iter().map(|l| (l.row, l)).collect();
        let mut articles = Vec::new();
        for file in &files {
            let mut rows: BTreeMap<&str, Vec<&NewsRow>> = BTreeMap::new();
            for row in &file.rows {
                rows.entry(&row.url).or_default().push(row);
            }
            for (url, rows) in rows {
                let Some(example) = TrainingExample::of(&rows) else { continue };
                let labels: Vec<bool> = rows.iter().filter_map(|r| by_row.get(&r.id)?.real).collect();
                let own_real = (!labels.is_empty()).then(|| labels.contains(&true));
                let judged = judged.get(&(file.name.as_str(), url)).copied().flatten();
                articles.push(TrainingArticle {
                    url: url.to_owned(),
                    fold: file.fold,
                    example,
                    judged,
                    own_real,
                });
            }
        }
        if articles.iter().all(|a| a.judged.is_none()) {
            bail!("no article of {} has a label", data.display());
        }
        Ok(Corpus { files, articles, own })
    }

    pub fn folds(&self) -> usize {
        self.files.iter().map(|f| f.fold + 1).max().unwrap_or(0)
    }

    pub fn real(&self) -> usize {
        self.articles.iter().filter(|a| a.target().is_some_and(|t| t > 0.5)).count()
    }
}

fn event_files(folder: &Path) -> anyhow::Result<Vec<TrainingFile>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the event files in {}", folder.display()))?;
    let mut paths = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    let mut files: Vec<TrainingFile> = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path)?;
        let payload = Payload::new(&name, &bytes, Timestamp::MAX);
        let decoded = gdelt::decode(&payload).map_err(|r| anyhow::anyhow!("{name}: {r:?}"))?;
        let Some(stamp) = decoded.slots.iter().map(|s| s.stamp).max() else { bail!("{name}: no stamp") };
        let fold = files.last().map_or(0, |before: &TrainingFile| {
            before.fold + usize::from(stamp.day().0 - before.stamp.day().0 > STORY_DAYS)
        });
        files.push(TrainingFile { name, stamp, rows: decoded.rows, slots: decoded.slots, fold });
    }
    Ok(files)
}

type Labels<'a> = BTreeMap<(&'a str, &'a str), Option<Judgement>>;

fn article_labels(text: &str) -> anyhow::Result<Labels<'_>> {
    let mut labels = Labels::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, url, real, category, country, _] = cells[..] else {
            bail!("line {} of the labels has {} columns", number + 1, cells.len())
        };
        let judgement = |real| Judgement {
            real,
            category: Category::from_key(category),
            country: CountryCode::from_iso2(country),
        };
        let label = match real {
            "y" => Some(judgement(true)),
            "n" => Some(judgement(false)),
            "u" => None,
            _ => bail!("line {} of the labels: `{real}` is not y, n or u", number + 1),
        };
        labels.insert((file, url), label);
    }
    Ok(labels)
}

fn own_labels(text: &str) -> anyhow::Result<Vec<OwnLabel>> {
    let mut labels = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() != 15 {
            bail!("a row of the project's labels has {} columns: {line}", cells.len());
        }
        labels.push(OwnLabel {
            row: cells[0].parse().with_context(|| line.to_owned())?,
            real: match cells[7] {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            },
            countries: cells[10].split('/').filter(|c| *c != "-").map(str::to_owned).collect(),
            happening: cells[11].to_owned(),
        });
    }
    Ok(labels)
}
