package check

import (
	"context"
	"errors"
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
	"locus/url"
)

// wallFields are header fields that only walls against bots send. A value of "" is any.
var wallFields = []struct{ field, value, name string }{
	{"Cf-Mitigated", "", "Cloudflare"},
	{"X-Datadome", "", "DataDome"},
	{"X-Amzn-Waf-Action", "", "AWS WAF"},
	{"X-Sucuri-Block", "", "Sucuri"},
	{"X-Iinfo", "", "Imperva"},
	{"Server", "cloudflare", "Cloudflare"},
	{"Server", "akamaighost", "Akamai"},
	{"Server", "sucuri", "Sucuri"},
	{"Server", "datadome", "DataDome"},
	{"Server", "ddos-guard", "DDoS-Guard"},
}

// isWall reports whether a request was probably refused because it came from a program.
// name is whose wall it is; "" if unknown.
func isWall(err error) (name string, ok bool) {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil || !isWeb(e.URL) {
		return "", false
	}
	switch e.Reply.Code {
	case 403, 429, 503:
	case 999:
		return "LinkedIn", true // QUIRK: nobody else uses this code
	default:
		return "", false
	}
	for _, mark := range wallFields {
		value := strings.ToLower(e.Header.Get(mark.field))
		if value != "" && strings.Contains(value, mark.value) {
			return mark.name, true
		}
	}
	return "", e.Reply.Code == 429
}

// maxStart is how many bytes of a page are searched for marks.
const maxStart = 64 << 10

// A pageStart keeps the first bytes of a page that is read.
type pageStart struct {
	io.ReadCloser
	start []byte
}

func (p *pageStart) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.start = append(p.start, b[:min(n, maxStart-len(p.start))]...)
	return n, err
}

// keepStart keeps the start of a page of the web while it is read.
func (v *visit) keepStart(r *access.Resource, mode document.Mode) {
	v.page = nil
	if mode == document.HTML && isWeb(r.URL) {
		v.page = &pageStart{ReadCloser: r.Body}
		r.Body = v.page
	}
}

// readStart reads the start of a page if the Policy probes pages. Nothing else of the
// page is needed.
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

// marks are what the start of a page says about it.
type marks struct {
	title, heading string
	isParked       bool // it has the scripts of a service for parked domains
}

// parkingHosts are services for domains that have no site.
var parkingHosts = []string{
	"sedoparking.com", "parkingcrew.net", "bodis.com", "above.com", "parklogic.com", "hugedomains.com", "afternic.com", "dan.com",
	"undeveloped.com", "domainmarket.com", "buydomains.com", "sav.com",
}

// isParkingHost reports whether a URL is at a service for parked domains.
func isParkingHost(text string) bool {
	if strings.HasPrefix(text, "//") {
		text = "https:" + text
	}
	u, err := url.Parse(text)
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

// readMarks reads the first title and the first heading of a page.
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
		m.isParked = m.isParked || t.Kind == markup.StartTag && isParkingTag(page, t)
	}
	m.title, m.heading = strings.Join(strings.Fields(m.title), " "), strings.Join(strings.Fields(m.heading), " ")
	return m
}

// isParkingTag reports whether a tag is one of the pages of services for parked domains.
func isParkingTag(page []byte, tag markup.Token) bool {
	if tag.Name == "html" {
		_, ok := tag.Value(page, "data-adblockkey")
		return ok
	}
	src, _ := tag.Value(page, "src")
	return (tag.Name == "script" || tag.Name == "iframe" || tag.Name == "frame") && isParkingHost(src)
}

// patterns are those of pages that stand for missing ones, and of parked domains.
type patterns struct {
	notFound      *regexp.Regexp // titles and headings of pages that stand for missing ones
	aboutNotFound *regexp.Regexp // URLs of pages about missing pages
	parked        *regexp.Regexp // titles of parked domains
}

var suspicions = lazy.Value[patterns]{Make: func() (p patterns) {
	p.notFound = regexp.MustCompile(`(?i)^(error\W*)?404(\W*error)?\W*($|[-–—|:·])|^(error\W*)?(404\W*)?(error\W*)?(page|file)? ?not found\b` +
		`|\bpage (not|could ?n[o']t be|cannot be|can't be|was ?n[o']t) found\b|\bpage (does not|doesn't|no longer) exists?\b` +
		`|\bseite (wurde )?nicht gefunden\b|\bpage (introuvable|non trouvée)|página no encontrada|pagina non trovata` +
		`|pagina niet gevonden|страница не найдена|ページが見つかりません|页面(不存在|未找到)`)
	p.aboutNotFound = regexp.MustCompile(`(?i)404|not.?found`)
	p.parked = regexp.MustCompile(`(?i)\bdomain( name)?( \S+)? (is|may be) for sale\b|^\S+\.[a-z]{2,} is for sale\b|\b(this|buy) domain\b.*\bfor sale\b|\bparked domain\b|\bdomain parking\b`)
	return p
}}

// suspect returns the status of a page that was found but is probably not what the link
// wants; Good if there is no suspicion.
func (v *visit) suspect(ctx context.Context, result Result) (Status, string) {
	final := result.FinalURL()
	if isParkingHost(final) && !isParkingHost(result.URL) {
		return Parked, "it leads to a service for parked domains"
	}
	if v.page != nil {
		m := readMarks(v.page.start)
		if m.isParked || suspicions.Get().parked.MatchString(m.title) {
			return Parked, "the page is that of a parked domain"
		}
		for _, text := range []string{m.title, m.heading} {
			if suspicions.Get().notFound.MatchString(text) && !suspicions.Get().aboutNotFound.MatchString(result.URL) {
				return SoftNotFound, fmt.Sprintf("the page is found, and says %q", cut(text))
			}
		}
	}
	if v.Probe && len(result.Hops) > 0 && v.leadsAllTo(ctx, result.URL, final) {
		return SoftNotFound, "its server redirects every unknown page there"
	}
	return Good, ""
}

// cut returns the beginning of a text from a page.
func cut(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// A prober asks each folder of a server once for a page that cannot exist.
type prober struct {
	mu      sync.Mutex
	folders map[string]*probe
}

// A probe is the answer of a folder.
type probe struct {
	known chan struct{} // closed when final is set
	final string        // where its redirects end; "" if there are none, or after an error
}

// leadsAllTo reports whether a page that cannot exist, in the folder of a URL, is
// redirected to final, too.
func (v *visit) leadsAllTo(ctx context.Context, text, final string) bool {
	folder := ScopeOf(text)
	if folder == text {
		return false // it is the page of the folder
	}
	v.probes.mu.Lock()
	p := v.probes.folders[folder]
	isNew := p == nil
	if isNew {
		p = &probe{known: make(chan struct{})}
		if v.probes.folders == nil {
			v.probes.folders = make(map[string]*probe)
		}
		v.probes.folders[folder] = p
	}
	v.probes.mu.Unlock()
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

// probe asks a folder for a page that cannot exist.
func (v *visit) probe(ctx context.Context, folder string) (final string) {
	u, err := url.Parse(folder + fmt.Sprintf("locus-%x", rand.Uint64()))
	if err != nil {
		return ""
	}
	other := &visit{runner: v.runner, policy: v.policy, task: v.task, job: Job{URL: u.String()}, started: true}
	if err := other.follow(ctx, u, v.timeout(), other.stat); err != nil || len(other.hops) == 0 {
		return ""
	}
	return other.hops[len(other.hops)-1].To
}
