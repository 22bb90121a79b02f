package sync

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"locus/access/engine"
	"locus/extract"
	"locus/extract/document"
	"locus/internal/autoindex"
	"locus/internal/rewrite"
	"locus/limit"
	"locus/robots"
	"locus/transfer/internal/offline"
	"locus/transfer/internal/tree"
	"locus/url"
)

// maxPage is the size of the largest page that is read for links, in bytes. A listing
// of some 200 000 files has that size.
const maxPage = 32 << 20

func errLargePage() error {
	return engine.Reason(fmt.Sprintf("the page has more than %d MiB", maxPage>>20), document.ErrTooLarge)
}

// hasLinks reports whether a resource of that media type is read for links.
func hasLinks(mediaType string) bool {
	switch document.ByType(mediaType) {
	case document.HTML, document.CSS:
		return true
	}
	return false
}

// isSVG reports whether a resource is a picture of SVG, which may load style sheets, scripts and
// other pictures.
func isSVG(mediaType string) bool { return offline.TypeOf(mediaType) == "image/svg+xml" }

// isRead reports whether a resource is read for what it refers to. A copy for reading offline
// needs what pictures load, too.
func (m *crawl) isRead(mediaType string) bool {
	return hasLinks(mediaType) || m.isOffline && isSVG(mediaType)
}

// modeOf returns the mode in which references are found. Those of SVG are attributes and style
// sheets as in HTML.
func modeOf(mediaType string) document.Mode {
	if isSVG(mediaType) {
		return document.HTML
	}
	return document.ByType(mediaType)
}

func isHTML(mediaType string) bool { return document.ByType(mediaType) == document.HTML }

// readParts is readLinks for a copy that has the parts of pages, too. isPart says that the
// page loads the URL.
func readParts(r io.Reader, u url.URL, mediaType string, add func(to url.URL, isPart bool) error) error {
	text, err := readPage(r, mediaType)
	if err != nil {
		return err
	}
	for ref, err := range rewrite.References(text, modeOf(mediaType), u) {
		switch {
		case errors.Is(err, extract.ErrTooLong):
			continue // too long for any server
		case err != nil:
			return err
		case ref.Use != rewrite.Link && ref.Use != rewrite.Part:
			continue
		}
		to, err := ref.URL()
		if err != nil {
			continue
		}
		if err := add(tree.Normalize(to), ref.Use == rewrite.Part); err != nil {
			return err
		}
	}
	return nil
}

// readPage reads a page of up to maxPage bytes. If it is in UTF-16, the text is in UTF-8 with a
// byte order mark, so that browsers know.
func readPage(r io.Reader, mediaType string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPage {
		return nil, errLargePage()
	}
	if !document.IsUTF16(text, charset(mediaType)) {
		return text, nil
	}
	decoded, err := io.ReadAll(document.UTF8(bytes.NewReader(text), charset(mediaType)))
	if err != nil {
		return nil, err
	}
	return append([]byte("\ufeff"), declaredUTF8(decoded)...), nil
}

// declaredUTF8 replaces the encoding in the declaration of an XML document.
func declaredUTF8(text []byte) []byte {
	if !bytes.HasPrefix(text, []byte("<?xml")) {
		return text
	}
	declaration, rest, ok := bytes.Cut(text, []byte("?>"))
	if !ok {
		return text
	}
	before, after, ok := bytes.Cut(declaration, []byte("encoding="))
	if !ok || len(after) == 0 {
		return text
	}
	_, after, ok = bytes.Cut(after[1:], after[:1]) // from one quotation mark to the next
	if !ok {
		return text
	}
	return slices.Concat(before, []byte(`encoding="UTF-8"`), after, []byte("?>"), rest)
}

// readLinks calls add for each link of the page at u, resolved, in the order of the
// page. It returns the first error of add.
func readLinks(r io.Reader, u url.URL, mediaType string, add func(url.URL) error) error {
	for m, err := range document.ByType(mediaType).All(document.UTF8(r, charset(mediaType)), document.Options{URL: u, Limit: maxPage}) {
		switch {
		case errors.Is(err, extract.ErrTooLong):
			continue // too long for any server
		case errors.Is(err, document.ErrTooLarge):
			return errLargePage()
		case err != nil:
			return err
		case m.Kind != extract.Reference, !isLink(m.Place):
			continue
		}
		to, err := m.URL()
		if err != nil {
			continue
		}
		if err := add(tree.Normalize(to)); err != nil {
			return err
		}
	}
	return nil
}

// isLink reports whether the URL at a place in a page is to be fetched. Other URLs
// receive data, name a source or a server, or are only names.
func isLink(place string) bool {
	element, attribute, _ := strings.Cut(place, " ")
	switch attribute {
	case "href":
		return element != "base"
	case "hint", "action", "formaction", "ping", "cite", "classid", "codebase", "itemid", "itemtype", "profile", "usemap":
		return false
	}
	return true
}

// isListing reports whether a server generated the HTML page in r from a directory. It
// only peeks at r.
func isListing(r *bufio.Reader) bool {
	head, _ := r.Peek(autoindex.HeadSize) // an error will return when r is read
	return autoindex.Is(head)
}

// agent is the name of a mirror in robots.txt.
const agent = "locus"

var (
	errNoRobots   = errors.New("robots.txt cannot be fetched")
	ErrDisallowed = errors.New("robots.txt disallows some of the remote files")
)

// robotsOfServers are the robots.txt of the servers of a mirror. Each is fetched once, if
// there are few.
type robotsOfServers struct {
	mu  sync.Mutex
	all map[string]*robotsRules
}

// robotsRules are the robots.txt of one server.
type robotsRules struct {
	once  sync.Once
	rules robots.Rules
	err   error
}

// maxRobots is how many servers are remembered.
const maxRobots = 100

// of returns the rules for the server of u, which may not be fetched yet.
func (r *robotsOfServers) of(u url.URL) *robotsRules {
	r.mu.Lock()
	defer r.mu.Unlock()
	server := limit.Server(u)
	rules, ok := r.all[server]
	if ok {
		return rules
	}
	if r.all == nil || len(r.all) >= maxRobots {
		r.all = make(map[string]*robotsRules)
	}
	rules = &robotsRules{}
	r.all[server] = rules
	return rules
}

// checkRobots returns an error if robots.txt disallows u, the target of a link or of
// its redirect. The URL of the mirror itself is always allowed.
func (m *crawl) checkRobots(ctx context.Context, t task, u url.URL) error {
	if m.IgnoreRobots || t.level == 0 {
		return nil
	}
	r := m.robots.of(u)
	r.once.Do(func() { m.fetchRobots(ctx, r, u) })
	if r.err != nil {
		return r.err
	}
	line := r.rules.Disallows(u)
	if line == 0 {
		return nil
	}
	m.update(func() { m.report.Disallowed++ })
	return fmt.Errorf("robots.txt disallows it (line %d)", line)
}

// fetchRobots fetches robots.txt. If that fails, no link to the server is followed (RFC 9309
// §2.3.1.4). For the server of the mirror it is a failure.
func (m *crawl) fetchRobots(ctx context.Context, r *robotsRules, u url.URL) {
	isOther := m.isOtherServer(u)
	if !isOther {
		u = m.tree.Start
	}
	var err error
	if r.rules, err = robots.Fetch(ctx, m.retrying(""), u, agent); err == nil {
		return
	}
	r.err = errNoRobots
	if !isOther {
		m.failed(u, "", true, fmt.Errorf("no link is followed without robots.txt: %w", err))
	}
}
