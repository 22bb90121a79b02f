package page

import (
	"cmp"
	"context"
	"io"
	"iter"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
)

// longPage is the number of rows from which the part before the rows is sent first.
const longPage = 200

// A listWriter makes the page of a listing while it is sent.
type listWriter struct {
	Links
	*listing
	gathering content.Gathering
	awaited   <-chan Readme     // List.Readme
	pictures  int               // how many more pictures and sounds the page may embed
	common    map[string]string // the facts that all rows have in common
}

// rows yields the rows of the entries in the order of the page. The row that it yields is valid until the next one.
func (lw *listWriter) rows() iter.Seq[*row] {
	return func(yield func(*row) bool) {
		for _, e := range arranged(lw.gathering.Entries, lw.Display) {
			r := lw.rowFor(e)
			if !yield(&r) {
				return
			}
		}
	}
}

// rowFor returns the row of e as the page shows it. It subtracts each picture or sound from lw.pictures, and embeds
// only those before the limit.
func (lw *listWriter) rowFor(e content.Threaded) row {
	r := lw.rowOf(e.Entry)
	r.Depth, r.Facts = min(e.Depth, 8), shortFacts(r.Facts, slices.Concat(lw.Extras, lw.Short), lw.common)
	for _, name := range lw.Extras {
		r.Extras = append(r.Extras, extra{strings.ToLower(name), name, cleanLine(shortValue(name, entry.Value(e.Entry, name)))})
	}
	for _, name := range lw.Short {
		r.Extras = append(r.Extras, extra{"short", name, cleanLine(entry.Value(e.Entry, name))})
	}
	if lw.Table && !lw.Grid {
		r.Picture = false
	}
	if r.Picture || r.Sound {
		lw.pictures--
		r.Picture, r.Sound = r.Picture && lw.pictures >= 0, r.Sound && lw.pictures >= 0
	}
	return r
}

// shortValue returns value, the value of the named fact, as a column shows it. For a sender it is the name, or the
// address of a sender without a name. Other values do not change.
func shortValue(name, value string) string {
	if name != "From" {
		return value
	}
	sender, err := mail.ParseAddress(value)
	if err != nil {
		return value
	}
	return cmp.Or(sender.Name, sender.Address)
}

// shortColumns returns the names of up to three more facts that get a column. Their values are short in every
// entry, and are not links. Below the name they would double the height of each row. extras are the facts that have
// a column already.
func (l Links) shortColumns(entries []access.Entry, extras []string) []string {
	const most, longest = 3, 12
	if extras != nil {
		entries = withoutRest(entries)
	}
	common := l.commonFacts(entries)
	var names []string
	unfit := map[string]bool{"Name": true, "Type": true, "Size": true, "Date": true} // other columns have these names
	for _, e := range entries {
		all := l.factsOf(e.Header)
		for _, f := range all {
			if utf8.RuneCountInString(f.Value) > longest || strings.Contains(f.Value, "\n") || f.Href != "" {
				unfit[f.Name] = true
			}
		}
		for _, f := range shortFacts(all, extras, common) {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return unfit[name] || len(name) > longest || name == "" })
	return names[:min(len(names), most)]
}

// beginning returns a component that sends the HTML before the rows to the browser, if the page is long. Otherwise
// the component has no effect.
func (lw *listWriter) beginning() templ.Component {
	if len(lw.gathering.Entries) > longPage {
		return flush()
	}
	return templ.NopComponent
}

// class returns the classes in CSS of the name in the row: its depth, its icon, and slash if the style
// adds a slash to it, because it names a folder and does not end in a slash itself.
func (r *row) class() string {
	class := "d" + strconv.Itoa(r.Depth) + " i " + r.Icon
	if r.Kind == access.Directory.String() && !strings.HasSuffix(r.Title, "/") {
		class += " slash"
	}
	return class
}

// hasExtras reports whether the row has a picture, a sound or facts below its name.
func (r *row) hasExtras() bool { return r.Picture || r.Sound || len(r.Facts) > 0 }

// flush returns a component that sends all HTML that was written before it.
func flush() templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		if buffer, ok := w.(interface{ Flush() error }); ok {
			return buffer.Flush()
		}
		return nil
	})
}
