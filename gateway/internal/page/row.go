package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/internal/bibliography"
	"locus/internal/render"
)

// A row is an entry on a page.
type row struct {
	Kind     string
	Icon     string // "folder", "text", "picture" …
	Title    string
	Origin   string        // as Links.Origin
	Href     templ.SafeURL // "" if the entry cannot be opened
	Download templ.SafeURL // stores the entry in a file; "" if the entry is not a file
	Target   string        // the URL itself, for a form
	Type     string        // the type for people: "text", "PNG picture"
	Size     string        // "1.5 kB", or "~1.2 kB" for a rounded size
	Bytes    int64         // the exact size; -1 if it is unknown
	Time     string
	Stamp    string // the time for programs
	Label    string // the kind, if a reader cannot see it otherwise
	Extras   []extra
	Facts    []fact
	Depth    int
	Picture  bool
	Sound    bool
	Current  bool // the reader comes from this entry
}

// An extra is the value of a fact that has a column.
type extra struct{ Class, Name, Value string }

// A fact is a field of the header of an entry, for people.
type fact struct {
	Name, Value string
	Href        templ.SafeURL
}

// factsOf returns the fields of a header that people are shown, cleaned, in their order.
func (l Links) factsOf(header access.Header) []fact {
	var facts []fact
	for f := range header.Shown() {
		facts = append(facts, fact{render.Clean(f.Name), cleanText(f.Value), l.to(f.URL)})
	}
	return facts
}

// shortFacts returns the facts that a row of a listing shows. It leaves out facts with several
// lines, facts that the thread or a column for extras shows, a single type in "Types", and facts
// that all rows have in common. It overwrites facts.
func shortFacts(facts []fact, extras []string, common map[string]string) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool {
		switch f.Name {
		case "References", "Message-ID", "Newsgroups":
			return true
		case "Types": // the row shows a single type anyway
			return !strings.Contains(f.Value, ",")
		}
		if slices.Contains(extras, f.Name) {
			return true
		}
		value, isCommon := common[f.Name]
		return isCommon && value == f.Value || strings.Contains(f.Value, "\n")
	})
}

// commonFacts returns the facts that all entries have in common: their values by their names. It
// returns nil for a single entry.
func (l Links) commonFacts(entries []access.Entry) map[string]string {
	if len(entries) < 2 {
		return nil
	}
	common := make(map[string]string)
	for _, f := range l.factsOf(entries[0].Header) {
		common[f.Name] = f.Value
	}
	for _, e := range entries[1:] {
		if len(common) == 0 {
			return nil
		}
		own := make(map[string]bool)
		for _, f := range l.factsOf(e.Header) {
			own[f.Name] = common[f.Name] == f.Value
		}
		for name := range common {
			if !own[name] {
				delete(common, name)
			}
		}
	}
	return common
}

// rowOf returns the row of e with all of its facts. Depth, Extras and Current are not set.
func (l Links) rowOf(e access.Entry) row {
	r := row{
		Kind: e.Kind.String(), Icon: iconOf(e), Title: render.Clean(l.titleText(e)), Href: l.to(e.URL), Target: e.URL.String(),
		Type: typeName(e), Bytes: e.Size, Facts: l.factsOf(e.Header), Origin: l.Origin,
	}
	switch e.Kind {
	case access.Form, access.Terminal, access.Failure, access.Link:
		r.Label = r.Kind
	case access.Object, access.Unknown:
		if r.Href != "" && !entry.IsMessage(e.Type) {
			r.Download = l.download(e.URL)
		}
	case access.Info:
		r.Title = cleanLine(l.titleText(e))
	}
	if !e.URL.IsZero() && (r.Title == "" || e.Kind != access.Info && entry.IsBlank(r.Title)) {
		if r.Title = render.Clean(render.Title(e.URL)); entry.IsBlank(r.Title) {
			r.Title = e.URL.Redacted()
		}
	}
	if e.Size >= 0 {
		r.Size = humanSize(e.Size)
	} else if e.Rough.Size > 0 {
		r.Size = "~" + humanSize(e.Rough.Size)
	}
	if !e.ModTime.IsZero() {
		r.Time = strings.TrimSuffix(e.ModTime.UTC().Format("2006-01-02 15:04"), " 00:00") // midnight means that the server sent only a date
		r.Stamp = e.ModTime.UTC().Format(time.RFC3339)
	} else {
		r.Time = strings.TrimPrefix(render.Time(e), "-") // in an unknown time zone
	}
	r.Picture = isPicture(e) && r.Href != ""
	r.Sound = r.Href != "" && e.Kind == access.Object && strings.HasPrefix(e.Type, "audio/")
	return r
}

// isPicture reports whether a page may embed an entry as a picture: an image of up to 8 MiB or of
// unknown size.
func isPicture(e access.Entry) bool {
	const most = 8 << 20 // bytes; a page shows many pictures
	return e.Kind == access.Object && strings.HasPrefix(e.Type, "image/") && e.Size <= most
}

// iconOf returns the name of the icon for an entry, or "" for a line of text.
func iconOf(e access.Entry) string {
	switch e.Kind {
	case access.Directory:
		return "folder"
	case access.Search:
		return "search"
	case access.Terminal:
		return "terminal"
	case access.Info, access.Failure:
		return ""
	}
	kind, _, _ := strings.Cut(e.Type, "/")
	switch kind {
	case "text", "image", "audio", "video", "message":
		return kind
	}
	return "file"
}

// typeName returns the type of an entry for people: "PNG picture". It returns "" if type and kind are
// unknown.
func typeName(e access.Entry) string {
	switch {
	case e.Type == "" && e.Kind == access.Unknown:
		return ""
	case e.Type == "" || e.Kind == access.Directory:
		return render.Kind(e.Kind)
	}
	kind, sub, _ := strings.Cut(entry.BaseType(e.Type), "/")
	sub = strings.TrimPrefix(sub, "x-")
	name := strings.ToUpper(strings.TrimSuffix(sub, "+xml"))
	switch {
	case kind == "text" && sub == "plain":
		return "text"
	case kind == "text" && sub == "html":
		return "web page"
	case kind == "text":
		return sub + " text"
	case kind == "image":
		return name + " picture"
	case kind == "audio":
		return name + " sound"
	case kind == "video":
		return name + " video"
	case kind == "message":
		return "message"
	case sub == "octet-stream":
		return "file"
	}
	records, _ := bibliography.Of(entry.BaseType(e.Type))
	return cmp.Or(records.Name, sub)
}

// humanSize formats a size for people: "20 bytes", "1.5 kB". A kB has 1000 bytes.
func humanSize(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return counted(int(n), "byte", "bytes")
	}
	value, unit := float64(n)/1000, 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	digits := 0
	if value < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + units[unit:unit+1] + "B"
}
