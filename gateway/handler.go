package gateway

import (
	"net/http"
	"strings"

	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/internal/weburl"
	"locus/url"
)

// A handler answers one request. Its fields do not change: whatever a step finds out, such as the
// target of the request, it passes on as a value. A method returns an error only if it has not
// begun to answer. Then fail answers instead. If an answer fails later, reply.abort ends it.
type handler struct {
	g *Gateway // for its settings, and the counters of all requests
	r request
	w *reply
}

// serve answers the request: a tunnel, a page of the gateway, a request to the proxy, or the
// resource that the path names. It returns an error if the response has not begun.
func (x handler) serve() error {
	switch {
	case x.g.isLoop(x.r.Header):
		return errLoop
	case x.r.Method == http.MethodConnect:
		return forwarder(x).connect()
	case x.r.RequestURI == "/":
		x.front()
		return nil
	case x.r.RequestURI == "/favicon.ico": // browsers ask for it if a page names no icon
		return x.w.asset("icon.svg")
	case strings.HasPrefix(x.r.RequestURI, page.OwnPath):
		return x.ownPage()
	case forwarder(x).forwards():
		return forwarder(x).forward()
	}
	path := strings.TrimPrefix(x.r.RequestURI, "/")
	u, err := weburl.Parse(path)
	if err == nil && dav.HasMergedSlashes(u) {
		err = errMergedSlashes
	}
	if !u.IsAbs() && x.r.Method == http.MethodGet {
		if g, ok := guessPath(path); ok {
			x.offer(g)
			return nil
		}
	}
	t, err := x.admit(u, err)
	if err != nil {
		return err
	}
	return t.fails(x.open(t))
}

// ownPage answers a request for a path below page.OwnPath: a page of the gateway, or a file of its
// pages.
func (x handler) ownPage() error {
	name := strings.TrimPrefix(x.r.URL.Path, page.OwnPath)
	if strings.HasPrefix(x.r.RequestURI, page.OwnPath+dav.Path) {
		return x.mounted()
	}
	if err := x.w.checkMethod(name); err != nil {
		return err
	}
	if file, ok := strings.CutPrefix(name, helpPath); ok {
		return x.documentation(file)
	}
	switch name {
	case "":
		x.w.show("no-cache", page.Tools(x.links(target{}), x.r.address()+page.OwnPath+dav.Path+"ftp://ftp.example.org/"))
	case "compare":
		return x.compare()
	case "session":
		return x.session()
	case "handlers":
		x.w.show("no-cache", page.Handlers(x.links(target{})))
	case "help":
		x.w.show("no-cache", page.Help(x.links(target{}), x.r.address(), x.g.Documentation != nil))
	case "schemes":
		x.w.page(http.StatusOK, page.Schemes(x.links(target{})))
	case "places":
		return x.places()
	case "open":
		return x.openTyped()
	case "confirmed":
		return x.confirmed()
	case "ticket":
		return x.ticket()
	case "search":
		return x.search()
	case "newsserver":
		return x.newsServer()
	case "text":
		t, err := x.admitQuery()
		if err != nil {
			return err
		}
		return t.fails(x.open(t))
	case "raw":
		return x.bytes(delivery{asBytes: true})
	case "download":
		return x.bytes(delivery{asBytes: true, stores: true})
	case "list":
		return x.listed()
	case "beside":
		return x.beside()
	case "archive":
		return x.archive()
	case "about":
		return x.about()
	case "archived":
		return x.archived()
	default:
		return x.w.asset(name)
	}
	return nil
}

// checkMethod returns errMethod, and sets Allow, unless the gateway's own page with this name
// accepts the method of the request.
func (w *reply) checkMethod(name string) error {
	switch w.r.Method {
	case http.MethodGet, http.MethodHead:
		return nil
	case http.MethodPost:
		if name == "open" || name == "confirmed" || name == "ticket" {
			return nil
		}
	}
	w.Header().Set("Allow", "GET, HEAD")
	return errMethod
}

// open answers with the resource at t. A session gets the page of a terminal, and a POST has the
// answers to a form.
func (x handler) open(t target) error {
	switch {
	case x.r.Method == http.MethodPost:
		return x.answered(t)
	case x.r.Method != http.MethodGet && x.r.Method != http.MethodHead:
		x.w.Header().Set("Allow", "GET, HEAD, POST")
		return errMethod
	case entry.IsSession(t.url):
		x.w.show("no-store", page.Session(x.links(t)))
		return nil
	case x.r.Method == http.MethodHead:
		return x.head(t, delivery{})
	}
	return x.get(t)
}

// admit returns the target for u and err, the results of a parser. It returns err, or an error for
// a relative u, or errUnconfirmed if the user must confirm that u is opened.
func (x handler) admit(u url.URL, err error) (target, error) {
	if err == nil && !u.IsAbs() {
		err = errNoScheme
	}
	if err != nil {
		return target{}, err
	}
	return x.consent().admit(u)
}

// consent returns the consent that decides about the request.
func (x handler) consent() consent { return consent{x.r, &x.g.tickets, &x.g.servers, x.g.Harmless} }

// admitQuery is admit for the URL in the query "url" of the request.
func (x handler) admitQuery() (target, error) { return x.admit(x.r.parse("url")) }

// opener returns the opener of the request.
func (x handler) opener() opener { return opener{x.g.recovers, x.r} }

// viewer returns the viewer of resources at t.
func (x handler) viewer(t target) viewer {
	return viewer{w: x.w, opener: x.opener(), target: t, links: x.links(t), rows: x.g.maxEntries()}
}

// links returns the links of a page about t.
func (x handler) links(t target) page.Links {
	isOwn := strings.HasPrefix(x.r.RequestURI, page.OwnPath) && x.r.URL.Path != page.OwnPath+"open"
	return page.Links{
		Origin: x.r.origin(x.g.Names), Proxied: x.r.isProxied(), URL: t.url, Typed: x.typed(), Charset: x.g.Charset,
		Ticket: x.fieldTicket, Reflows: strings.HasPrefix(x.r.RequestURI, page.OwnPath+"text?"),
		Answers: x.r.Method == http.MethodPost, Recorded: x.g.recorded(t.url), Replays: x.g.Replay != nil,
		Shared: x.g.Shared, Remembered: !x.g.Shared && !x.r.isProxied() && !isOwn && x.r.Method == http.MethodGet,
	}
}

// typed returns the text that the user typed into the field. It returns "" if the request does not come from the field,
// because a page of another site may have chosen the text.
func (x handler) typed() string {
	if x.r.URL.Path != page.OwnPath+"open" || !x.consent().isOfField() {
		return ""
	}
	return x.r.query("url")
}

// fieldTicket returns a new ticket for the forms of a page.
func (x handler) fieldTicket() string { return x.g.tickets.issue(forField, "") }

// redirectTo redirects the browser to the page of u.
func (x handler) redirectTo(u url.URL) {
	x.w.redirect(page.Links{Origin: x.r.origin(x.g.Names), Proxied: x.r.isProxied()}.Href(u))
}
