package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/markup"
	"locus/url"
)

// A Replay describes the archive that Engine opens. The front page then shows what the archive holds,
// "/-/archived" lists it, and each page from it says when it was recorded.
type Replay struct {
	// Captures yields an entry for each URL in the archive, in a fixed order. ModTime is the time
	// when the URL was recorded.
	Captures func() iter.Seq[access.Entry]
	// Recorded returns the time when the resource of a URL was recorded. ok is false if the archive
	// does not have the URL.
	Recorded func(u url.URL) (at time.Time, ok bool)

	once    sync.Once
	holding page.Holding
}

// maxHosts is how many hosts of an archive the front page shows.
const maxHosts = 60

// summary returns the counts, the times and the hosts of the archive for the front page. It reads the
// captures at the first call only.
func (r *Replay) summary() *page.Holding {
	r.once.Do(func() {
		hosts := make(map[string]int)
		h := &r.holding
		for e := range r.Captures() {
			hosts[serverPrefix(e.URL)]++
			h.URLs++
			if h.First.IsZero() || e.ModTime.Before(h.First) {
				h.First = e.ModTime
			}
			if e.ModTime.After(h.Last) {
				h.Last = e.ModTime
			}
		}
		h.HostCount = len(hosts)
		names := slices.SortedFunc(maps.Keys(hosts), func(a, b string) int {
			return cmp.Or(cmp.Compare(hosts[b], hosts[a]), cmp.Compare(a, b))
		})
		for _, name := range names[:min(len(names), maxHosts)] {
			h.Hosts = append(h.Hosts, page.Host{Name: name, URLs: hosts[name]})
		}
	})
	return &r.holding
}

// serverPrefix returns the scheme, the host and the port of u as the start of a URL, in lower case. If u lacks a host, it
// returns the scheme and its ":". It returns "" for the zero URL. A filter with this text finds u in the list of an
// archive.
func serverPrefix(u url.URL) string {
	text := u.String()
	_, end, ok := u.Span(url.Port)
	if !ok {
		_, end, ok = u.Span(url.Host)
	}
	if !ok {
		end = len(u.Scheme()) + len(":")
	}
	return strings.ToLower(text[:min(end, len(text))])
}

// archived answers with the page that lists the captures of the archive, in the order and with the filter of the query.
// It returns refuse.ErrNoPage if the gateway does not open an archive, or if the query is invalid.
func (x handler) archived() error {
	d, ok := content.ParseDisplay(x.r.URL.Query())
	if x.g.Replay == nil || !ok {
		return refuse.ErrNoPage
	}
	next, stop := iter.Pull(x.g.Replay.Captures())
	defer stop()
	links := x.links(target{})
	links.Lists = "archived"
	x.w.Header().Set("Content-Type", asPage.contentType())
	x.w.Header().Set("Cache-Control", "no-cache")
	if x.r.Method == http.MethodHead {
		return nil
	}
	v := viewer{w: x.w, opener: x.opener(), links: links, rows: x.g.maxEntries()}
	return v.listPage(&access.Resource{List: pulled(next), Body: access.NoBody}, d)
}

// pulled is a Lister of a sequence.
type pulled func() (access.Entry, bool)

// Next returns the next entry, or io.EOF at the end of the sequence.
func (next pulled) Next() (access.Entry, error) {
	e, ok := next()
	if !ok {
		return access.Entry{}, io.EOF
	}
	return e, nil
}

// recorded returns the time when the resource at u was recorded. It is zero without an archive, or if the
// archive does not have u.
func (g *Gateway) recorded(u url.URL) time.Time {
	if g.Replay == nil || u.IsZero() {
		return time.Time{}
	}
	at, _ := g.Replay.Recorded(u)
	return at
}

// isMiss reports whether f says that the archive does not have its URL.
func (g *Gateway) isMiss(f *failure) bool {
	return g.Replay != nil && errors.Is(f.err, fs.ErrNotExist) && g.recorded(f.url).IsZero()
}

// maxHead is how many bytes of an HTML page are searched for the start of its body. The buffers of
// readers have this size.
const maxHead = 32 << 10

// bannered returns the HTML page in body, which was recorded at the time at, with a line at the start of its body that
// says so. The line has its own style, because the page has another one. A page that begins with a byte order mark of
// UTF-16 stays unchanged, because the line is ASCII.
func bannered(body *bufio.Reader, at time.Time) io.Reader {
	head, _ := body.Peek(maxHead) // the next Read returns the error
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return body
	}
	const style = "all:initial;display:block;font:14px/1.5 sans-serif;padding:4px 12px;background:#fff6d6;color:#222;border-bottom:1px solid #8a7a3a"
	const linkStyle = "all:initial;font:inherit;color:#0b4fa0;text-decoration:underline;cursor:pointer"
	line := fmt.Sprintf(`<div role="note" style="%s">%s <a href="%sarchived" style="%s">What it holds</a></div>`, style, page.RecordedText(at), page.OwnPath, linkStyle)
	return io.MultiReader(io.LimitReader(body, int64(bodyStart(head))), strings.NewReader(line), body)
}

// bodyStart returns the offset after the tag that begins the body of a page. Without the tag, it returns the offset
// after the doctype, or after the white space at the start if there is no doctype. A browser begins the body there if
// text follows.
func bodyStart(head []byte) int {
	tokens := markup.Tokenizer{Text: head}
	for {
		t, ok := tokens.Next()
		if !ok {
			break
		}
		if t.Kind == markup.StartTag && t.Name == "body" && t.To < len(head) {
			return t.To
		}
	}
	start := len(head) - len(bytes.TrimLeft(head, " \t\r\n\f\ufeff"))
	if rest := head[start:]; len(rest) > 9 && strings.EqualFold(string(rest[:9]), "<!doctype") {
		if end := bytes.IndexByte(rest, '>'); end >= 0 {
			return start + end + 1
		}
	}
	return start
}

// getsBanner reports whether a resource can get the line that says when it was recorded. The line is
// ASCII, which UTF-16 and compressed bytes are not.
func getsBanner(r *access.Resource) bool {
	return entry.BaseType(r.Type) == "text/html" && !strings.Contains(strings.ToLower(r.Type), "utf-16") && r.Header.Get("Content-Encoding") == ""
}
