package autoindex

import (
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"locus/internal/lazy"
	"locus/internal/markup"
)

// maxText is how many bytes of the text of a row are read. Size and time are at its start.
const maxText = 1 << 10

// A Row is a link of a listing, with the size and the time in its row. Some links do not
// lead to entries, because they sort the page, or lead to the folder above.
type Row struct {
	Link string // as in the page, with its entities decoded

	Size    int64 // in bytes; -1 if unknown
	Rounded bool  // Size is rounded, such as 1229 for "1.2K"

	ModTime time.Time // zero if unknown
	Zoned   bool      // the time zone of ModTime is known; otherwise it is read as UTC
}

// A Reader reads the rows of a page that [Is] a listing:
//
//	nginx     <a href="a">a</a>                   23-Nov-2026 03:56     1234
//	Apache    <a href="a">a</a></td><td>2026-11-23 03:56</td><td>1.2K</td>
//	lighttpd  <a href="a">a</a></td><td>2026-Nov-23 03:56:49</td><td>1.2K</td>
//	Caddy     <a href="./a">a</a></td><td data-order="1234">1.2 KiB</td><td><time datetime="2026-11-23T03:56:49Z">
//	Jetty     <a href="/pub/a">a</a></td><td>Nov 23, 2026, 3:56:49 AM</td><td>1,234 bytes</td>
//	IIS       11/23/2026  3:56 AM         1234 <a href="/pub/a">a</a><br>
//
// Other pages, as of Python and Go, have only names. The zero Reader is invalid; use
// [NewReader].
type Reader struct {
	tokens *markup.Reader
	row    *Row   // the last link, whose row may continue; may be nil
	before string // the text since the row began, up to the link
	after  string // the text after the link
	inLink bool   // the next text is the text of the link, which may look like a size
	tagged bool   // the row has a size or a time in attributes
	err    error
}

// NewReader returns a Reader of the rows of the page r, which must begin with the start of the page.
func NewReader(r io.Reader) *Reader { return &Reader{tokens: markup.NewReader(r)} }

// Next returns the next row. After the last row it returns io.EOF. If a tag or a text is too long, it
// returns [markup.ErrTooLong]. After an error, later calls return the same error.
func (r *Reader) Next() (Row, error) {
	for r.err == nil {
		token, page, err := r.tokens.Next()
		var done *Row
		switch {
		case err != nil:
			r.err = err
			if err != io.EOF {
				r.before, r.after = "", "" // a number may lack digits
			}
			done = r.endRow()
		case token.Kind == markup.Text && token.Name == "":
			r.addText(page[token.From:token.To])
		case token.Kind == markup.StartTag:
			done = r.startTag(token, page)
		case token.Kind == markup.EndTag && isRowEnd(token.Name):
			done = r.endRow()
		default:
			r.inLink = r.inLink && token.Name != "a"
			r.addText([]byte(" "))
		}
		if done != nil {
			return *done, nil
		}
	}
	return Row{}, r.err
}

// addText adds text to the row, decoded: before its link, or after it. It ignores the text of the link, and
// the text beyond maxText.
func (r *Reader) addText(text []byte) {
	if r.inLink {
		return
	}
	to := &r.before
	if r.row != nil {
		to = &r.after
	}
	if room := maxText - len(*to); room > 0 {
		*to += strings.ReplaceAll(html.UnescapeString(string(text[:min(room, len(text))])), "\u00a0", " ")
	}
}

// startTag reads a start tag. It returns the row that the tag ends, or nil if the tag ends no row with a
// link. A link that differs from the link of the row begins a new row.
func (r *Reader) startTag(tag markup.Token, page []byte) *Row {
	link, isLink := tag.Value(page, "href")
	link = strings.TrimSpace(link)
	switch {
	case tag.Name != "a" && isRowEnd(tag.Name):
		return r.endRow()
	case tag.Name != "a" || !isLink:
		r.readAttributes(tag, page)
		r.addText([]byte(" "))
		return nil
	case r.row != nil && r.row.Link == link: // the first one was an icon
		r.inLink = true
		return nil
	}
	before := r.before
	done := r.endRow()
	if done == nil {
		r.before = before
	}
	r.row, r.inLink = &Row{Link: link, Size: -1}, true
	return done
}

// readAttributes sets the size and the time of the row from the attributes of a tag, as Caddy's pages have
// them.
func (r *Reader) readAttributes(tag markup.Token, page []byte) {
	if r.row == nil {
		return
	}
	for _, name := range []string{"data-order", "data-size"} {
		text, _ := tag.Value(page, name)
		if n, err := strconv.ParseUint(text, 10, 63); tag.Name == "td" && err == nil {
			r.row.Size, r.tagged = int64(n), true
		}
	}
	text, _ := tag.Value(page, "datetime")
	if t, err := time.Parse(time.RFC3339, strings.TrimSpace(text)); tag.Name == "time" && err == nil {
		r.row.ModTime, r.row.Zoned, r.tagged = t.UTC(), true, true
	}
}

// isRowEnd reports whether a start or end tag with this name ends a row.
func isRowEnd(tag string) bool {
	switch tag {
	case "br", "tr", "li", "hr", "pre", "table", "ul":
		return true
	}
	return false
}

// endRow ends the row that is being read, and returns it with the size and the time in its text. It returns
// nil if the row has no link.
func (r *Reader) endRow() *Row {
	row := r.row
	if row != nil && !r.tagged && !row.readText(r.after) {
		row.readText(r.before)
	}
	r.row, r.before, r.after, r.inLink, r.tagged = nil, "", "", false, false
	return row
}

// A column is the format of a time on a page, and its layout for package time.
type column struct {
	pattern   *regexp.Regexp // its first group is the time, the second the size
	layout    string
	sizeFirst bool // the first group is the size
}

// jettyTime matches the time on a page of Jetty, and jettySize the size.
const (
	jettyTime = `([A-Z][a-z]{2} [0-9]{1,2}, [0-9]{4},? [0-9]{1,2}:[0-9]{2}:[0-9]{2} [AP]M)`
	jettySize = `([0-9]+(?:,[0-9]{3})* bytes)`
)

// size matches the size on a page: "-" for a folder.
const size = `\s+(-|[0-9]+(?:\.[0-9]+)?\s?[KMGTP]?(?:i?B)?|<dir>)(?:\s|$)`

var columns = lazy.Value[[]column]{Make: func() []column {
	return []column{
		{regexp.MustCompile(`(?:^|\s)([0-9]{2}-[A-Z][a-z]{2}-[0-9]{4} [0-9]{2}:[0-9]{2})` + size), "02-Jan-2006 15:04", false},
		{regexp.MustCompile(`(?:^|\s)([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2})` + size), "2006-01-02 15:04", false},
		{regexp.MustCompile(`(?:^|\s)([0-9]{4}-[A-Z][a-z]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})` + size), "2006-Jan-02 15:04:05", false},
		{regexp.MustCompile(`(?:^|\s)([0-9]{1,2}/[0-9]{1,2}/[0-9]{4}\s+[0-9]{1,2}:[0-9]{2} [AP]M)` + size), "1/2/2006 3:04 PM", false},
		{regexp.MustCompile(`(?:^|\s)` + jettyTime + `\s+` + jettySize + `(?:\s|$)`), "Jan 2 2006 3:04:05 PM", false},
		{regexp.MustCompile(`(?:^|\s)` + jettySize + `\s+` + jettyTime + `(?:\s|$)`), "Jan 2 2006 3:04:05 PM", true},
	}
}}

// readText sets the size and the time of row from text, which is before or after the link. It reports whether text has
// a time; otherwise it leaves row unchanged.
func (row *Row) readText(text string) bool {
	if len(text) < len("1/2/2006 3:04 PM -") {
		return false
	}
	for _, c := range columns.Get() {
		found := c.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		when, size := found[1], found[2]
		if c.sizeFirst {
			when, size = size, when
		}
		when = strings.ReplaceAll(when, ",", "")
		if t, err := time.Parse(c.layout, strings.Join(strings.Fields(when), " ")); err == nil {
			row.ModTime = t
			row.Size, row.Rounded = parseSize(size)
			return true
		}
	}
	return false
}

// parseSize returns the size in bytes that "1234", "1.2K" or "1,234 bytes" stands for, and -1 for "-",
// "<dir>" and any other text. rounded reports whether the size has a unit such as "K".
func parseSize(text string) (n int64, rounded bool) {
	if count, ok := strings.CutSuffix(text, " bytes"); ok {
		text = strings.ReplaceAll(count, ",", "")
	}
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, " iBKMGTP")
	unit := strings.TrimSpace(text[len(number):])
	if unit == "" || unit == "B" {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			return n, false
		}
		return -1, false
	}
	f, err := strconv.ParseFloat(number, 64)
	f *= float64(int64(1) << (10 * (1 + strings.IndexByte("KMGTP", unit[0]))))
	if err != nil || f >= 1<<62 {
		return -1, false
	}
	return int64(f), true
}
