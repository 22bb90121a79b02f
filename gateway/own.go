package gateway

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"locus/access"
	"locus/compare"
	"locus/extract"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/facts"
	"locus/internal/render"
	"locus/internal/weburl"
	"locus/scheme"
	"locus/url/iri"
)

// front answers with the front page.
func (x handler) front() {
	start := page.Start{Links: shownLinks(x.g.FrontLinks), Places: shownLinks(x.g.Places)}
	if x.g.Replay != nil {
		start.Holding = x.g.Replay.summary()
	}
	x.w.show("no-cache", page.Front(x.links(target{}), start))
}

// shownLinks converts links to the type of package page.
func shownLinks(links []FrontLink) []page.FrontLink {
	shown := make([]page.FrontLink, len(links))
	for i, one := range links {
		shown[i] = page.FrontLink(one)
	}
	return shown
}

// places answers with Gateway.Places as a text that a person can edit. It returns refuse.ErrNoPage if there are
// no places.
func (x handler) places() error {
	if len(x.g.Places) == 0 {
		return refuse.ErrNoPage
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	x.w.Write([]byte(formatFrontLinks(x.g.Places))) //nolint:errcheck // the client has gone
	return nil
}

// openTyped redirects the browser to the URL that somebody typed into the field, perhaps with
// brackets around it. It opens the URL itself if a browser would rewrite the path, or for a text
// browser with a ticket for the URL, because such browsers ask before they accept the cookie of grant.
// It never does so at an address with the ticket of the field, which opens every URL, because a
// browser may send the address of a page to the servers to which the page links.
// For words that are not a URL it answers with a page that offers guesses.
func (x handler) openTyped() error {
	text := scheme.Unprefix(extract.Unwrap(strings.TrimSpace(x.r.query("url"))))
	if text == "" {
		x.w.redirect(x.r.origin(x.g.Names) + "/")
		return nil
	}
	if g, ok := guessMistyped(text); ok {
		x.offer(g)
		return nil
	}
	u, err := weburl.Parse(text)
	if err != nil || !facts.Of(u.Scheme()).Has(facts.Web) {
		u, err = iri.ParseTyped(text)
	}
	if (err != nil || !u.IsAbs()) && isWords(text) {
		x.offer(guess{words: text, typed: x.typed()})
		return nil
	}
	t, err := x.admit(u, err)
	switch {
	case err != nil:
		return err
	case t.ticket == forField && x.r.isTextBrowser():
		x.w.Header().Set("Cache-Control", "no-store")
		x.w.redirect(x.r.origin(x.g.Names) + page.OwnPath + "open?ticket=" + x.g.tickets.issue(forTyped, withoutFragment(t.url)) + "&url=" + page.Escaped(t.url))
	case t.isWanted() && x.r.isTextBrowser():
		x.w.Header().Set("Content-Location", x.r.address()+x.links(t).Href(t.url)) // lynx resolves links by it
		return t.fails(x.open(t))
	case !entry.IsLinkable(t.url) && x.r.query("ticket") == "":
		return t.fails(x.open(t))
	case t.ticket == forOpen:
		x.grant(t, forOpen)
	case t.isWanted():
		x.grant(t, forTyped)
	default:
		x.redirectTo(t.url)
	}
	return nil
}

// search redirects the browser to the URL of a search for the words in the query at the URL in the query.
func (x handler) search() error {
	u, err := x.r.parse("url")
	if err != nil {
		return err
	}
	result, ok := scheme.SearchURL(u, x.r.query("words"))
	if !ok {
		t, err := x.admit(u, nil) // because the page of the error has links to u
		if err != nil {
			return err
		}
		return t.fails(errNoSearch)
	}
	x.redirectTo(result)
	return nil
}

// about answers with the page about the URL in the query: the parts of the URL, and the attributes that the
// server gives.
func (x handler) about() error {
	t, err := x.admitQuery()
	if err != nil {
		return err
	}
	e := access.Entry{Size: -1}
	failed := "" // why there are no attributes
	found, err := x.opener().open(access.Stat, t)
	switch {
	case isPanic(err), failureOf(t.fails(err)).isUnconfirmed():
		return t.fails(err)
	case err != nil:
		failed = translateBusy(err).Error()
	default:
		e = found.Entry
	}
	x.w.show("no-cache", page.About(x.links(t), e, failed))
	return nil
}

// asset answers with the named file of the gateway, or returns refuse.ErrNoPage. Browsers must validate the
// file, because a page needs the files of the same version of the gateway.
func (w *reply) asset(name string) error {
	content, mediaType, ok := page.Asset(name)
	if !ok {
		return refuse.ErrNoPage
	}
	w.file(content, mediaType)
	return nil
}

// file answers with content, the whole of a file. The browser may keep it, but must ask the gateway whether it
// has changed.
func (w *reply) file(content []byte, mediaType string) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	http.ServeContent(w, w.r.Request, "", time.Time{}, bytes.NewReader(content))
}

// maxCompared is how many bytes the text of a comparison may have.
const maxCompared = 8 << 10

var errLongText = refuse.New(http.StatusRequestURITooLong, "the text is longer than this page compares", "it compares at most 8192 bytes")

// compare answers with a comparison of how several programs read the text in the query: as a
// page, or as the JSON of "locus compare --json". It does not open the URL.
func (x handler) compare() error {
	text := x.r.query("url")
	if len(text) > maxCompared {
		return errLongText
	}
	c := compare.Read(text)
	if text == "" || formatOf(x.r.Header) != asJSON {
		x.w.show("no-store", page.Compare(x.links(target{}), &c))
		return nil
	}
	var json bytes.Buffer
	if err := render.WriteComparisonJSON(&json, c); err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", asJSON.contentType())
	h.Add("Vary", "Accept")
	x.w.Write(json.Bytes()) //nolint:errcheck // the client has gone
	return nil
}
