package gateway

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"

	"locus/access"
	"locus/compare"
	"locus/extract"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// ownPages are the gateway's own pages.
type ownPages struct{ *exchange }

// front answers with the front page.
func (x ownPages) front() {
	links := make([]page.FrontLink, len(x.FrontLinks))
	for i, one := range x.FrontLinks {
		links[i] = page.FrontLink(one)
	}
	x.show("no-cache", page.Front(x.links(), links))
}

// show answers with a page and this value of Cache-Control.
func (x ownPages) show(control string, shown templ.Component) {
	x.w.Header().Set("Cache-Control", control)
	x.write(http.StatusOK, shown)
}

// schemes answers with the page of all schemes.
func (x ownPages) schemes() { x.write(http.StatusOK, page.Schemes(x.links())) }

// handlers answers with the page that registers the gateway as a handler of links.
func (x ownPages) handlers() { x.show("no-cache", page.Handlers(x.links())) }

// tools answers with the index of the gateway's own pages.
func (x ownPages) tools() {
	x.show("no-cache", page.Tools(x.links(), "http://"+x.r.Host+page.OwnPath+dav.Path+"ftp://ftp.example.org/"))
}

// openTyped redirects the browser to the URL that somebody typed into the field, perhaps with
// brackets around it. It opens the URL itself if a browser would rewrite the path. For words
// that are not a URL it answers with a page that offers guesses.
func (x ownPages) openTyped() error {
	x.typed = x.query("url")
	text := scheme.Unprefix(extract.Unwrap(strings.TrimSpace(x.typed)))
	if text == "" {
		x.redirect(x.origin() + "/")
		return nil
	}
	u, err := iri.ParseTyped(text)
	if (err != nil || !u.IsAbs()) && isWords(text) {
		x.guess(text, url.URL{})
		return nil
	}
	if err := x.admit(u, err); err != nil {
		return err
	}
	if entry.HasDots(x.url.Path()) {
		return x.open()
	}
	if x.wanted != "" {
		consent{x.exchange}.grant()
		return nil
	}
	x.redirectTo(x.url)
	return nil
}

// isWords reports whether a text may be words, rather than a URL with a mistake in it.
func isWords(text string) bool { return text != "" && !strings.ContainsAny(text, ":/?#[]\\") }

// guessPath answers a path that is not a URL with a page that offers guesses. It returns false
// if it has not answered, for example because the path is a URL with a mistake in it.
func (x ownPages) guessPath(path string) bool {
	words, err := url.Unescape(path)
	if err != nil || x.r.Method != http.MethodGet {
		return false
	}
	if u, err := iri.ParseTyped(path); err == nil && u.IsAbs() {
		x.typed = words
		x.guess(words, u)
		return true
	}
	if !isWords(words) {
		return false
	}
	x.typed = words
	x.guess(words, url.URL{})
	return true
}

// guess answers with a page of guesses what words may mean. If they are a host, perhaps with a
// path, u is the URL of the host. Otherwise u is the zero URL.
func (x ownPages) guess(words string, u url.URL) {
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(http.StatusBadRequest, page.Guess(x.links(), words, u, x.GopherSearch))
}

// search redirects the browser to the result of a search.
func (x ownPages) search() error {
	u, err := url.Parse(x.query("url"))
	if err != nil {
		return err
	}
	x.url = u // only for an error page, because search does not open it
	result, ok := scheme.SearchURL(x.url, x.query("words"))
	if !ok {
		return errNoSearch
	}
	x.redirectTo(result)
	return nil
}

// about answers with the page about a URL: the parts of the URL, and the attributes that the
// server gives.
func (x ownPages) about() error {
	if err := x.admitQuery(); err != nil {
		return err
	}
	e := access.Entry{Size: -1}
	failed := "" // why there are no attributes
	found, err := x.do(x.request(access.Stat))
	switch {
	case isPanic(err):
		return err
	case err != nil:
		failed = translateBusy(err).Error()
	default:
		e = found.Entry
	}
	x.show("no-cache", page.About(x.links(), e, failed))
	return nil
}

// asset answers with a file of the gateway. Browsers must validate it, because a page
// needs the files of the same version of the gateway.
func (x ownPages) asset(name string) error {
	content, mediaType, ok := page.Asset(name)
	if !ok {
		return refuse.ErrNoPage
	}
	h := x.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	http.ServeContent(pacedWriter{x.w, x.toClient()}, x.r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

// A pacedWriter is a ResponseWriter whose body goes to a clientWriter, because the client may stop
// reading.
type pacedWriter struct {
	http.ResponseWriter
	body *clientWriter
}

func (w pacedWriter) Write(p []byte) (int, error) { return w.body.Write(p) }

// Unwrap is for http.ResponseController.
func (w pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// maxCompared is how many bytes the text of a comparison may have.
const maxCompared = 8 << 10

var errLongText = refuse.New(http.StatusRequestURITooLong, "the text is longer than this page compares", "it compares at most 8192 bytes")

// compare answers with a comparison of how several programs read the text in the query: as a
// page, or as the JSON of "locus compare --json". It does not open the URL.
func (x ownPages) compare() error {
	text := x.query("url")
	if len(text) > maxCompared {
		return errLongText
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	c := compare.Read(text)
	if text != "" && formatOf(x.r.Header) == asJSON {
		return x.compareJSON(c)
	}
	x.write(http.StatusOK, page.Compare(x.links(), &c))
	return nil
}

func (x ownPages) compareJSON(c compare.Comparison) error {
	var text bytes.Buffer
	if err := render.WriteComparisonJSON(&text, c); err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Content-Type", asJSON.contentType())
	h.Add("Vary", "Accept")
	x.toClient().Write(text.Bytes()) //nolint:errcheck // the client has gone
	return nil
}
