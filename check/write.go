package check

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locus/internal/render"
	"locus/url"
)

// display returns a URL without its password, and without control characters.
func display(text string) string { return render.Clean(url.Redact(text)) }

// String gives "README.md:3:7". A name that begins with "::" gets "./" before it: GitHub
// Actions would take a line of it for a workflow command.
func (p Place) String() string {
	text := display(p.Document)
	if strings.HasPrefix(text, "::") {
		text = "./" + text
	}
	var b [48]byte
	numbers := b[:0]
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			numbers = strconv.AppendInt(append(numbers, ':'), int64(n), 10)
		}
	}
	return text + string(numbers)
}

// Summary gives "12 links: 10 good (2 moved), 1 dead, 1 unchecked".
func (r *Report) Summary() string {
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	text := fmt.Sprintf("%d links: %d good", total, r.Counts[Good])
	if total == 1 {
		text = fmt.Sprintf("1 link: %d good", r.Counts[Good])
	}
	if r.Moved > 0 {
		text += fmt.Sprintf(" (%d moved)", r.Moved)
	}
	for _, s := range []Status{Dead, BotWall, SoftNotFound, Parked, Unchecked, Excluded} {
		if n := r.Counts[s]; n > 0 || s == Dead {
			text += fmt.Sprintf(", %d %v", n, s)
		}
	}
	return text
}

// Text writes the findings for people: each with its reason, and the places below it.
func (r *Report) Text(w io.Writer) error {
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
		for _, p := range f.Places {
			if _, err := io.WriteString(w, "    "+p.String()+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// String gives "dead  http://h/x  404 Not Found".
func (f Finding) String() string {
	return strings.TrimSuffix(f.label()+"  "+display(f.Link)+"  "+f.Explain(), "  ")
}

// label returns the change or the verdict of a link.
func (f Finding) label() string { return cmp.Or(f.Change, f.Verdict()) }

// Explain returns why a link is reported, in one line: the reason, where it has moved for
// good, and where a copy is archived.
func (f Finding) Explain() string {
	text := render.Clean(f.Reason)
	if to := f.Moved(); to != "" {
		text = strings.TrimPrefix(text+"; moved for good to "+display(to), "; ")
	}
	if f.Archived != "" {
		text += "; archived at " + display(f.Archived)
	}
	return text
}

// JSON writes the findings as JSON, one per line.
func (r *Report) JSON(w io.Writer) error {
	enc := render.NewEncoder(w)
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		if err := enc.Encode(f.json()); err != nil {
			return err
		}
	}
	return nil
}

type findingJSON struct {
	URL    string    `json:"url"`
	Status Status    `json:"status"`
	Fails  bool      `json:"fails"`
	Change string    `json:"change,omitempty"`
	Code   *int      `json:"code"`
	Class  *Class    `json:"class"`
	Reason *string   `json:"reason"`
	Moved  *string   `json:"moved"` // for good
	Hops   []Hop     `json:"redirects"`
	Final  string    `json:"final_url"` // where the redirects end
	Copy   *string   `json:"archived"`
	Tries  int       `json:"tries"`
	Known  bool      `json:"known"`
	Time   time.Time `json:"time"`
	Millis int64     `json:"duration_ms"`
	Places []Place   `json:"places"`
}

func (f Finding) json() findingJSON {
	j := findingJSON{
		URL: display(f.Link), Status: f.Status, Fails: f.Fails, Change: f.Change, Hops: []Hop{}, Tries: f.Tries, Known: f.Known, Time: f.Time, Places: []Place{},
	}
	j.Code, j.Class, j.Reason, j.Moved = orNull(f.Code), orNull(f.Class), orNull(f.Reason), orNull(display(f.Moved()))
	j.Final, j.Copy, j.Millis = display(f.FinalURL()), orNull(display(f.Archived)), f.Duration.Milliseconds()
	for _, h := range f.Hops {
		j.Hops = append(j.Hops, Hop{display(h.To), h.Permanent})
	}
	for _, p := range f.Places {
		p.Document = display(p.Document)
		j.Places = append(j.Places, p)
	}
	return j
}

// orNull returns what JSON shows as v, or as null if v is zero.
func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// Markdown writes the report as a summary and a table.
func (r *Report) Markdown(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# Links\n\n%s.\n", r.Summary()); err != nil {
		return err
	}
	head := "\n| Link | Status | Why | Where |\n|---|---|---|---|\n"
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		var places []string
		for _, p := range f.Places {
			places = append(places, cell(p.String()))
		}
		_, err = fmt.Fprintf(w, "%s| %s | %s | %s | %s |\n", head, cell(display(f.Link)), f.label(), cell(f.Explain()), strings.Join(places, "<br>"))
		if err != nil {
			return err
		}
		head = ""
	}
	return nil
}

// cell escapes a text for a cell of a table.
func cell(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_{}[]<>()#!|~&", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
