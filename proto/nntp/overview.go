package nntp

import (
	"bufio"
	"fmt"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/words"
	"locus/scheme"
	"locus/url"
)

// An Overview is the Sys of an entry that is an article. It has the header
// fields that [access.Entry] does not have.
type Overview struct {
	Number     uint64    // the number in the listed group; 0 if unknown
	MessageID  string    // without angle brackets; "" if unknown
	From       string    // the author, with encoded words decoded
	Lines      int64     // -1 if unknown
	References []url.URL // the articles that it answers, oldest first; at most the last 500
	Newsgroups []url.URL // its groups, if known; at most the last 500
}

// A header has the header fields of an article that a listing shows.
type header struct {
	number     uint64
	subject    string
	from       string
	date       string
	id         string // with angle brackets
	references string
	newsgroups string
	size       int64 // the bytes of the article; -1 if unknown
	lines      int64 // the lines of its body; -1 if unknown
}

// parseOverview parses a line of OVER or XOVER (RFC 3977 §8.3.2). It returns false if the line has
// no number. The fields are separated by tabs:
//
//	number subject from date message-id references bytes lines [Xref: …]
func parseOverview(line string) (header, bool) {
	f := strings.Split(line, "\t")
	number, err := strconv.ParseUint(f[0], 10, 64)
	if err != nil || number == 0 {
		return header{}, false
	}
	for len(f) < 8 {
		f = append(f, "")
	}
	h := header{
		number: number, subject: f[1], from: f[2], date: f[3], id: f[4], references: f[5],
		size: parseCount(f[6]), lines: parseCount(f[7]),
	}
	for _, extra := range f[8:] {
		if name, value, _ := strings.Cut(extra, ":"); strings.EqualFold(name, "Xref") {
			h.newsgroups = groupsInXref(value)
		}
	}
	return h, true
}

// tooLongHeader returns the header for an article whose header has more than limit bytes. It has
// the number, and a note as its subject.
func tooLongHeader(number uint64, limit int) header {
	return header{number: number, subject: fmt.Sprintf("article %d, whose header has more than %d bytes", number, limit), size: -1, lines: -1}
}

// groupsInXref returns the groups in the value of Xref as a text with commas between them:
// "misc.test,misc.other" for "news.example.org misc.test:1234 misc.other:7".
func groupsInXref(value string) string {
	var names []string
	for field := range strings.FieldsSeq(value) {
		if name, _, ok := strings.Cut(field, ":"); ok {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// parseCount parses a number of bytes or lines. It returns -1 if digits is invalid.
func parseCount(digits string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// formatCount formats a number of bytes or lines. It returns "" if n is negative, which means
// unknown.
func formatCount(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// line returns the fields of h as a line of OVER, without Xref and without a line end. Tabs and
// line ends within a field become spaces.
func (h header) line() string {
	clean := strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\x00", " ")
	fields := []string{
		strconv.FormatUint(h.number, 10), clean.Replace(h.subject), clean.Replace(h.from), clean.Replace(h.date),
		clean.Replace(h.id), clean.Replace(h.references), formatCount(h.size), formatCount(h.lines),
	}
	return strings.Join(fields, "\t")
}

// maxHeader limits the bytes in the header of an article.
const maxHeader = 256 << 10

// readHeader reads the header of an article, up to the empty line or the end of r. Unknown sizes
// are -1. If the header is too long, the error wraps access.ErrTooLong, and the result has the
// fields before that.
func readHeader(r *bufio.Reader) (header, error) {
	h := header{size: -1, lines: -1}
	err := eachField(r, func(name, value string) {
		switch strings.ToLower(name) {
		case "subject":
			h.subject = value
		case "from":
			h.from = value
		case "date":
			h.date = value
		case "message-id":
			h.id = value
		case "references":
			h.references = value
		case "newsgroups":
			h.newsgroups = value
		case "lines":
			h.lines = parseCount(value)
		}
	})
	return h, err
}

// eachField calls yield with the name and the unfolded value of each field of a header, up to
// the empty line or the end of r. It skips lines without a colon. The error wraps
// access.ErrTooLong for a header or line that is too long.
func eachField(r *bufio.Reader, yield func(name, value string)) error {
	var name string
	var value strings.Builder
	flush := func() {
		if name != "" {
			yield(name, strings.TrimSpace(value.String()))
		}
		name = ""
		value.Reset()
	}
	l := lineReader{r}
	for size := 0; ; {
		line, err := l.next()
		if access.IsEnd(err) || err == nil && line == "" {
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		if size += len(line); size > maxHeader {
			return fmt.Errorf("%w: a header of more than %d bytes", access.ErrTooLong, maxHeader)
		}
		if line[0] == ' ' || line[0] == '\t' {
			value.WriteString(line)
			continue
		}
		flush()
		before, after, ok := strings.Cut(line, ":")
		if ok {
			name = before
			value.WriteString(after)
		}
	}
}

// entry returns the entry of the article h, for a listing of the group or server in to. Its Sys
// is an [Overview].
func (h header) entry(to target) access.Entry {
	id, _ := trimBrackets(strings.TrimSpace(h.id))
	overview := Overview{
		Number: h.number, MessageID: id, From: words.Header(h.from), Lines: h.lines,
		References: validURLs(lastNames(messageIDs(h.references)), to.idURL), Newsgroups: validURLs(lastNames(splitGroups(h.newsgroups)), to.groupURL),
	}
	return access.Entry{
		Title:   words.Header(h.subject),
		URL:     to.articleURL(h.number, id),
		Kind:    access.Object,
		Type:    mediaType,
		Size:    h.size,
		ModTime: h.time(),
		Header:  overview.fields(),
		Sys:     overview,
	}
}

// maxNames limits the references and the groups of an Overview.
const maxNames = 500

// lastNames returns the last maxNames elements of names, or names if it is shorter. The result
// shares the memory of names.
func lastNames(names []string) []string { return names[max(len(names)-maxNames, 0):] }

// time returns the date of the article; the zero time if it is invalid.
func (h header) time() time.Time {
	t, err := mail.ParseDate(h.date)
	if err != nil {
		return time.Time{}
	}
	return t
}

// fields returns the known values of o as header fields, with the names of RFC 5536.
func (o Overview) fields() access.Header {
	var fields access.Header
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, access.Field{Name: name, Value: value})
		}
	}
	add("From", o.From)
	add("Lines", formatCount(o.Lines))
	add("Message-ID", o.MessageID)
	fields = append(fields, fieldsOf("References", o.References)...)
	return append(fields, fieldsOf("Newsgroups", o.Newsgroups)...)
}

// fieldsOf returns a field with this name for each news URL. Its value is the group or the
// message-id that the URL names. It leaves out a URL that is not a news URL.
func fieldsOf(name string, urls []url.URL) access.Header {
	var fields access.Header
	for _, u := range urls {
		v, err := scheme.ParseNews(u)
		if err != nil {
			continue
		}
		value := v.Group
		if v.Kind == scheme.NewsArticle {
			value = v.MessageID
		}
		fields = append(fields, access.Field{Name: name, Value: value, URL: u})
	}
	return fields
}
