package report

import (
	"io"
	"time"

	"locus/check"
	"locus/internal/render"
)

// JSON writes the findings of a report as JSON objects, one in each line.
func JSON(w io.Writer, r *check.Report) error {
	enc := render.NewEncoder(w)
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if err := enc.Encode(jsonOf(f)); err != nil {
			return err
		}
	}
	return nil
}

type findingJSON struct {
	URL    string        `json:"url"`
	Status check.Status  `json:"status"`
	Fails  bool          `json:"fails"`
	Change string        `json:"change,omitempty"`
	Code   *int          `json:"code"`
	Class  *check.Class  `json:"class"`
	Reason *string       `json:"reason"`
	Moved  *string       `json:"moved"` // where permanent redirects lead
	Hops   []check.Hop   `json:"redirects"`
	Final  string        `json:"final_url"` // where the redirects end
	Copy   *string       `json:"archived"`
	Tries  int           `json:"tries"`
	Known  bool          `json:"known"`
	Time   time.Time     `json:"time"`
	Millis int64         `json:"duration_ms"`
	Places []check.Place `json:"places"`

	Relative string `json:"relative,omitempty"`
}

// jsonOf converts a finding to the data of its JSON object, without passwords.
func jsonOf(f check.Finding) findingJSON {
	j := findingJSON{
		URL: render.Redacted(f.Link), Relative: f.Relative, Status: f.Status, Fails: f.Fails, Change: f.Change, Hops: []check.Hop{}, Tries: f.Tries, Known: f.Known, Time: f.Time, Places: []check.Place{},
	}
	j.Code, j.Class, j.Reason, j.Moved = orNull(f.Code), orNull(f.Class), orNull(f.Reason), orNull(render.Redacted(f.Moved()))
	j.Final, j.Copy, j.Millis = render.Redacted(f.FinalURL()), orNull(render.Redacted(f.Archived)), f.Duration.Milliseconds()
	for _, h := range f.Hops {
		j.Hops = append(j.Hops, check.Hop{To: render.Redacted(h.To), Permanent: h.Permanent})
	}
	for _, p := range f.Places {
		p.Document = render.Redacted(p.Document)
		j.Places = append(j.Places, p)
	}
	return j
}

// orNull returns a pointer to v, or nil if v is zero, so that JSON has null instead of a zero value.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
