package check

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"

	"locus/access"
	"locus/extract/document"
	"locus/internal/lazy"
	"locus/internal/markup"
	"locus/internal/weburl"
)

// maxStart is how many bytes of a page are searched for a title, a heading and the tags of parked domains.
const maxStart = 64 << 10

// A pageStart keeps the first maxStart bytes of a page that is read.
type pageStart struct {
	io.ReadCloser
	start []byte
}

// Read reads the page and keeps a copy of its first bytes in p.start.
func (p *pageStart) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.start = append(p.start, b[:min(n, maxStart-len(p.start))]...)
	return n, err
}

// keepStart makes v.page keep the first bytes that are read from r.Body if r is a web page in HTML. Otherwise it sets
// v.page to nil.
func (v *visit) keepStart(r *access.Resource, mode document.Mode) {
	v.page = nil
	if mode == document.HTML && isWeb(r.URL) {
		v.page = &pageStart{ReadCloser: r.Body}
		r.Body = v.page
	}
}

// readStart reads the first bytes of r, for v.page, if the Policy probes pages. It is for a page of which the job needs
// only that it exists.
func (v *visit) readStart(r *access.Resource) error {
	if !v.Probe || v.page == nil {
		return nil
	}
	_, err := io.CopyN(io.Discard, r.Body, maxStart)
	if access.IsEnd(err) {
		return nil
	}
	return err
}

// marks are the signs in the start of a page by which suspect judges it.
type marks struct {
	title, heading string
	isParked       bool   // the page has a tag of a service for parked domains
	wall           string // the vendor of the bot wall to which the page belongs; "" if there is no sign of one
}

// parkingHosts are the hosts of services for parked domains, which are domains without a site.
var parkingHosts = []string{
	"sedoparking.com", "parkingcrew.net", "bodis.com", "above.com", "parklogic.com", "hugedomains.com", "afternic.com", "dan.com",
	"undeveloped.com", "domainmarket.com", "buydomains.com", "sav.com",
}

// isParkingHost reports whether a URL is at a service for parked domains. The URL may begin with "//".
func isParkingHost(text string) bool {
	if strings.HasPrefix(text, "//") {
		text = "https:" + text
	}
	u, err := weburl.Parse(text)
	if err != nil {
		return false
	}
	host, _ := u.Host()
	host = strings.ToLower(host)
	for _, service := range parkingHosts {
		if host == service || strings.HasSuffix(host, "."+service) {
			return true
		}
	}
	return false
}

// readMarks returns the marks in page, the start of a page in HTML.
func readMarks(page []byte) (m marks) {
	z := markup.Tokenizer{Text: page}
	var into *string
	for t, ok := z.Next(); ok; t, ok = z.Next() {
		switch {
		case t.Kind == markup.Text && into != nil:
			*into += html.UnescapeString(string(page[t.From:t.To]))
		case t.Kind == markup.StartTag && t.Name == "title" && m.title == "":
			into = &m.title
		case t.Kind == markup.StartTag && t.Name == "h1" && m.heading == "":
			into = &m.heading
		case t.Kind == markup.EndTag && (t.Name == "title" || t.Name == "h1"):
			into = nil
		}
		if t.Kind == markup.StartTag {
			m.isParked = m.isParked || isParkingTag(page, t)
			m.wall = cmp.Or(m.wall, wallOfTag(page, t))
		}
	}
	m.title, m.heading = strings.Join(strings.Fields(m.title), " "), strings.Join(strings.Fields(m.heading), " ")
	m.wall = cmp.Or(m.wall, wallOfTitle(page, m.title))
	return m
}

// isParkingTag reports whether tag, a start tag in page, is one that services for parked domains put into their pages.
func isParkingTag(page []byte, tag markup.Token) bool {
	if tag.Name == "html" {
		_, ok := tag.Value(page, "data-adblockkey")
		return ok
	}
	src, _ := tag.Value(page, "src")
	return (tag.Name == "script" || tag.Name == "iframe" || tag.Name == "frame") && isParkingHost(src)
}

// patterns are the patterns by which suspect recognises a page.
type patterns struct {
	notFound      *regexp.Regexp // titles and headings of pages that say that a page is missing
	aboutNotFound *regexp.Regexp // URLs of pages that are themselves about missing pages
	parked        *regexp.Regexp // titles of parked domains
}

var suspectPatterns = lazy.Value[patterns]{Make: func() (p patterns) {
	p.notFound = regexp.MustCompile(`(?i)^(error\W*)?404(\W*error)?\W*($|[-–—|:·])|^(error\W*)?(404\W*)?(error\W*)?(page|file)? ?not found\b` +
		`|\bpage (not|could ?n[o']t be|cannot be|can't be|was ?n[o']t) found\b|\bpage (does not|doesn't|no longer) exists?\b` +
		`|\bseite (wurde )?nicht gefunden\b|\bpage (introuvable|non trouvée)|página no encontrada|pagina non trovata` +
		`|pagina niet gevonden|страница не найдена|ページが見つかりません|页面(不存在|未找到)`)
	p.aboutNotFound = regexp.MustCompile(`(?i)404|not.?found`)
	p.parked = regexp.MustCompile(`(?i)\bdomain( name)?( \S+)? (is|may be) for sale\b|^\S+\.[a-z]{2,} is for sale\b|\b(this|buy) domain\b.*\bfor sale\b|\bparked domain\b|\bdomain parking\b`)
	return p
}}

// suspect examines a page that was found. It returns BotWall, SoftNotFound or Parked, and the reason, if the page is
// probably not the page that the link wants, and otherwise Good. It may send a request if the Policy probes pages.
func (v *visit) suspect(ctx context.Context, result Result) (Status, string) {
	final := result.FinalURL()
	if isParkingHost(final) && !isParkingHost(result.URL) {
		return Parked, "it leads to a service for parked domains"
	}
	if v.page != nil {
		m := readMarks(v.page.start)
		if m.wall != "" {
			return BotWall, "the page is a challenge, by the bot wall of " + m.wall
		}
		if m.isParked || suspectPatterns.Get().parked.MatchString(m.title) {
			return Parked, "the page belongs to a parked domain"
		}
		for _, text := range []string{m.title, m.heading} {
			if suspectPatterns.Get().notFound.MatchString(text) && !suspectPatterns.Get().aboutNotFound.MatchString(result.URL) {
				return SoftNotFound, fmt.Sprintf("the page is found, and says %q", abbreviate(text))
			}
		}
	}
	if v.Probe && len(result.Hops) > 0 && v.redirectsUnknownTo(ctx, result.URL, final) {
		return SoftNotFound, "its server redirects every unknown page there"
	}
	return Good, ""
}

// abbreviate returns at most the first 60 characters of a text from a page, with "…" if it leaves out any.
func abbreviate(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// A prober asks each folder of a server once for a page that cannot exist, and keeps the answers. In a run with very
// many folders, an answer may be forgotten, which costs another request.
type prober struct {
	mu      sync.Mutex
	folders map[string]*probe
}

// A probe is the answer of one folder.
type probe struct {
	known chan struct{} // closed when final is set
	final string        // where the redirects end; "" if there are none, or after an error
}

// probeOf returns the probe of a folder, whose answer may not be known yet. If isNew is true, the caller must ask the
// folder, set final, and close known.
func (p *prober) probeOf(folder string) (at *probe, isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at = p.folders[folder]; at != nil {
		return at, false
	}
	at = &probe{known: make(chan struct{})}
	p.folders = remember(p.folders, folder, at)
	return at, true
}

// redirectsUnknownTo reports whether a page that cannot exist, in the folder of a URL, is also redirected to final. It
// asks the folder if the prober does not know its answer.
func (v *visit) redirectsUnknownTo(ctx context.Context, text, final string) bool {
	folder := ScopeOf(text)
	if folder == text {
		return false // the URL is the folder itself
	}
	p, isNew := v.probes.probeOf(folder)
	if isNew {
		p.final = v.probe(ctx, folder)
		close(p.known)
	}
	select {
	case <-p.known:
		return p.final == final
	case <-ctx.Done():
		return false
	}
}

// probe requests a page that cannot exist from a folder. It returns the URL at which the redirects end; "" if there are
// none, or after an error.
func (v *visit) probe(ctx context.Context, folder string) (final string) {
	u, err := weburl.Parse(folder + fmt.Sprintf("locus-%x", rand.Uint64()))
	if err != nil {
		return ""
	}
	other := v.newVisit(v.clock.task, Job{URL: u.String()}, v.policy)
	other.clock.started = true
	if err := other.follow(ctx, u, v.policy.timeout(), other.stat); err != nil || len(other.hops) == 0 {
		return ""
	}
	return other.hops[len(other.hops)-1].To
}
