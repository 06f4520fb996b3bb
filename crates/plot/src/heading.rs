//! Title and subtitle above a figure.

use crate::font::{Anchor, TextStyle};
use crate::geometry::{Rect, point};
use crate::scene::Scene;
use crate::theme::{INK, MUTED, SUBTITLE, TITLE};

const TITLE_STYLE: TextStyle = TextStyle::bold(TITLE, INK);
const SUBTITLE_STYLE: TextStyle = TextStyle::regular(SUBTITLE, MUTED);
const GAP_BELOW: f64 = 10.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Heading<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
}

impl Heading<'_> {
    fn lines(&self, width: f64) -> Vec<(String, TextStyle)> {
        let titles = TITLE_STYLE.wrap(self.title, width).into_iter().map(|line| (line, TITLE_STYLE));
        let subtitles = SUBTITLE_STYLE.wrap(self.subtitle, width).into_iter().map(|line| (line, SUBTITLE_STYLE));
        titles.chain(subtitles).collect()
    }

    pub fn height(&self, width: f64) -> f64 {
        let lines = self.lines(width);
        let text: f64 = lines.iter().map(|(_, style)| style.line_height()).sum();
        if lines.is_empty() { 0.0 } else { text + GAP_BELOW }
    }

    /// Writes the lines at the top of `area` and returns what is left of it.
    pub fn draw(&self, scene: &mut Scene, area: Rect) -> Rect {
        let mut y = area.top;
        for (line, style) in self.lines(area.width) {
            y += style.line_height();
            scene.text(line, point(area.left, y - 0.3 * style.size), Anchor::Start, style);
        }
        area.shrunk(0.0, self.height(area.width), 0.0, 0.0)
    }
}

/// Gives figures with the fields `title` and `subtitle` the methods to set and to draw them.
macro_rules! headed {
    ($($figure:ty),+) => {
        $(impl $figure {
            /// Sets the title.
            #[must_use]
            pub fn with_title(mut self, title: impl Into<String>) -> Self {
                self.title = title.into();
                self
            }

            /// Sets the line below the title.
            #[must_use]
            pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
                self.subtitle = subtitle.into();
                self
            }

            fn heading(&self) -> $crate::heading::Heading<'_> {
                $crate::heading::Heading { title: &self.title, subtitle: &self.subtitle }
            }
        })+
    };
}

pub(crate) use headed;
