package gateway

import (
	"bufio"
	"errors"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"locus/access"
	"locus/render"
	"locus/url"
)

// A format is how a listing is written: its place in formats.
type format int

const (
	asPage format = iota
	asJSON
	asLines
	asURIs
)

// formats are the media types of listings.
var formats = []string{"text/html", "application/json", "application/x-ndjson", "text/uri-list"}

// contentType returns the Content-Type of a listing.
func (f format) contentType() string {
	if f == asPage {
		return "text/html; charset=utf-8"
	}
	return formats[f]
}

// formatOf returns the format that a program asks for by name. Browsers get pages.
func formatOf(h http.Header) format {
	for part := range strings.SplitSeq(h.Get("Accept"), ",") {
		if i := slices.Index(formats, baseType(part)); i >= 0 {
			return format(i)
		}
	}
	return asPage
}

// list answers with a listing.
func (x *exchange) list(resource *access.Resource, f format) error {
	h := x.w.Header()
	h.Set("Content-Type", f.contentType())
	h.Add("Vary", "Accept")
	if f == asPage {
		return x.listPage(resource, column{})
	}
	to := x.toClient()
	out := bufio.NewWriter(to)
	err := writeEntries(out, resource.List, f)
	if err == nil || to.began {
		err = errors.Join(err, out.Flush())
	}
	if err != nil && to.began {
		x.broken(err)
	}
	return err
}

func writeEntries(out *bufio.Writer, l access.Lister, f format) error {
	switch f {
	case asURIs:
		return access.Entries(l, render.URIList(out))
	case asLines:
		return access.Entries(l, render.JSON(out))
	}
	write := render.JSON(out)
	separator := "["
	err := access.Entries(l, func(e access.Entry) error {
		out.WriteString(separator)
		separator = ","
		return write(e)
	})
	if err != nil {
		return err
	}
	if separator == "[" {
		out.WriteString("[")
	}
	_, err = out.WriteString("]\n")
	return err
}

// listing is the page of a listing before its rows.
type listing struct {
	page
	Facts []fact
	Table bool   // sizes or dates are known: columns, which can be sorted
	Typed bool   // not all are of one type: so there is a column for that
	Raw   string // the path of the listing as its server sends it
	Sort  []column
}

// A row is an entry on a page.
type row struct {
	Kind    string
	Title   string
	Origin  string       // as of page
	Href    template.URL // "" if nothing opens it
	Target  string       // the URL itself, for forms
	Type    string
	Size    string
	Bytes   int64
	Time    string
	Stamp   string // the time for programs
	Label   string // the kind, where a link does not show it
	Facts   []fact
	Depth   int
	Typed   bool
	Picture bool
	Sound   bool
}

// A fact is an access.Fact on a page.
type fact struct {
	Name, Value string
	Href        template.URL
}

func (x *exchange) factsOf(sys any) []fact {
	var facts []fact
	for _, f := range access.Facts(sys) {
		facts = append(facts, fact{render.Clean(f.Name), cleanText(f.Value), x.link(f.URL)})
	}
	return facts
}

// shortFacts returns the facts to show in a listing. It leaves out those that the thread
// shows, and those of several lines.
func shortFacts(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool {
		switch f.Name {
		case "References", "Message-ID", "Newsgroups":
			return true
		}
		return strings.Contains(f.Value, "\n")
	})
}

func (x *exchange) rowOf(e access.Entry) row {
	r := row{
		Kind: e.Kind.String(), Title: render.Clean(e.Title), Href: x.link(e.URL), Target: e.URL.String(),
		Type: e.Type, Bytes: e.Size, Facts: x.factsOf(e.Sys), Origin: x.origin(),
	}
	switch e.Kind {
	case access.Form, access.Terminal, access.Failure, access.Link:
		r.Label = r.Kind
	}
	if e.Kind == access.Info {
		r.Title = cleanLine(e.Title)
	}
	if !e.URL.IsZero() && (r.Title == "" || e.Kind != access.Info && isBlank(r.Title)) {
		if r.Title = render.Clean(render.Title(e.URL)); isBlank(r.Title) {
			r.Title = e.URL.Redacted()
		}
	}
	if e.Size >= 0 {
		r.Size = humanSize(e.Size)
	} else if e.Rough.Size > 0 {
		r.Size = "~" + humanSize(e.Rough.Size)
	}
	if !e.ModTime.IsZero() {
		r.Time = e.ModTime.UTC().Format("2006-01-02 15:04")
		r.Stamp = e.ModTime.UTC().Format(time.RFC3339)
	} else {
		r.Time = strings.TrimPrefix(render.Time(e), "-") // in an unknown time zone
	}
	r.Picture = e.Kind == access.Object && strings.HasPrefix(e.Type, "image/")
	r.Sound = e.Kind == access.Object && strings.HasPrefix(e.Type, "audio/")
	return r
}

// cleanLine is render.Clean with tabs as blanks.
func cleanLine(s string) string { return render.Clean(strings.ReplaceAll(s, "\t", "        ")) }

// isBlank reports whether a text has nothing visible, so that a link could not be
// clicked.
func isBlank(s string) bool {
	const brailleBlank = 0x2800
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && r != brailleBlank
	})
}

// humanSize formats a size for people: "1.5K".
func humanSize(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	value, unit := float64(n), -1
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	digits := 0
	if value < 10 {
		digits = 1
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + units[unit:unit+1]
}

// lookAhead is how many entries are read before a page begins, to see whether it is a
// table and whether its articles make threads.
const lookAhead = 256

// listPage writes a listing as a page while its entries come. If by is a column, it
// reads the entries first and sorts them.
func (x *exchange) listPage(resource *access.Resource, by column) error {
	isSorted := by.Name != ""
	together := x.maxEntries()
	if !isSorted {
		together = min(together, lookAhead)
	}
	first, end := take(resource.List, together)
	if end != nil && !errors.Is(end, io.EOF) && len(first) == 0 {
		return end
	}
	title := nameOf(x.url)
	if words := wordsOf(x.url); words != "" {
		title += ": " + words
	}
	p := listing{page: x.page(title), Facts: x.factsOf(resource.Sys), Table: isTable(first), Typed: !isUniform(first), Raw: x.rawURL()}
	if p.Table {
		p.Sort = x.columns(by, p.Typed)
	}
	lp := &listWriter{exchange: x, out: bufio.NewWriterSize(x.toClient(), 16<<10), pictures: maxPictures}
	lp.execute("list", p)
	for _, t := range arrange(first, by) {
		lp.row(t.Entry, t.depth, &p)
	}
	ending, err := "end", end
	for n := len(first); err == nil && lp.err == nil && ending == "end"; n++ {
		var e access.Entry
		switch e, err = resource.List.Next(); {
		case err != nil:
		case n >= x.maxEntries() || isSorted: // what comes later cannot be sorted in
			ending = "more"
		default:
			lp.row(e, 0, &p)
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = nil
		lp.execute(ending, p)
	} else {
		lp.execute("cut", struct {
			listing
			Problem string
		}{p, translatePanic(err).Error()})
	}
	if err = errors.Join(err, lp.err, lp.out.Flush()); err != nil {
		x.broken(err)
	}
	return nil
}

// wordsOf returns what u searches for: its query, or what follows a control
// character; "" if it does not search.
func wordsOf(u url.URL) string {
	text, ok := u.Query()
	if ok {
		text = strings.ReplaceAll(text, "+", " ")
	} else {
		text = u.Path()
	}
	words, err := url.Unescape(text)
	if err != nil {
		return ""
	}
	if !ok {
		_, words = cutControl(words)
	}
	words, _ = cutControl(words)
	return render.Clean(words)
}

// cutControl cuts a text at its first control character.
func cutControl(text string) (before, after string) {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// nameOf returns the last segment of u, or its host. Text after a control character is
// for servers and left out.
func nameOf(u url.URL) string {
	path := strings.TrimRight(u.Path(), "/")
	title, err := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	title, _ = cutControl(title)
	if host, ok := u.Host(); ok && (err != nil || title == "") {
		return serverTitle(u, host)
	}
	return render.Clean(title)
}

func (g *Gateway) maxEntries() int { return or(g.MaxEntries, 10_000) }

// maxTogether limits the text of the entries in memory, in bytes: each entry may be as
// long as a line.
const maxTogether = 8 << 20

// take reads up to most entries. It returns the error that ended the listing; nil if there
// may be more.
func take(l access.Lister, most int) ([]access.Entry, error) {
	var entries []access.Entry
	for size := 0; len(entries) < most && size < maxTogether; {
		e, err := l.Next()
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
		size += textSize(e)
	}
	return entries, nil
}

// textSize estimates how many bytes the text of an entry has.
func textSize(e access.Entry) int {
	n := len(e.Title) + len(e.URL.String())
	for _, f := range access.Facts(e.Sys) {
		n += len(f.Name) + len(f.Value)
	}
	return n
}

// isTable reports whether entries have sizes or dates, and none is a line of text or a
// search.
func isTable(entries []access.Entry) bool {
	known := false
	for _, e := range entries {
		if e.Kind == access.Info || e.Kind == access.Search {
			return false
		}
		known = known || e.Size >= 0 || !e.ModTime.IsZero() || e.Rough != (access.Rough{})
	}
	return known
}

// isUniform reports whether all entries are of one type.
func isUniform(entries []access.Entry) bool {
	return !slices.ContainsFunc(entries, func(e access.Entry) bool {
		return e.Type != entries[0].Type || e.Kind != entries[0].Kind
	})
}

// maxPictures is how many pictures and sounds a page embeds.
const maxPictures = 48

// A listWriter writes the rows of a page.
type listWriter struct {
	*exchange
	out      *bufio.Writer
	pictures int
	err      error
}

func (lp *listWriter) execute(name string, data any) {
	if lp.err == nil {
		lp.err = pages().ExecuteTemplate(lp.out, name, data)
	}
}

func (lp *listWriter) row(e access.Entry, depth int, p *listing) {
	r := lp.rowOf(e)
	r.Depth, r.Typed, r.Facts = min(depth, 8), p.Typed, shortFacts(r.Facts)
	if r.Picture || r.Sound {
		lp.pictures--
		r.Picture, r.Sound = r.Picture && lp.pictures >= 0, r.Sound && lp.pictures >= 0
	}
	name := "item"
	if p.Table {
		name = "row"
	}
	lp.execute(name, r)
}
