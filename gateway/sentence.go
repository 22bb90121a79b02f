package gateway

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/internal/facts"
	"locus/internal/render"
	"locus/internal/trail"
	"locus/internal/typo"
	"locus/internal/weburl"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

// sentence returns the title of the error page: one sentence that says why f.url could not be opened.
func (f *failure) sentence() string {
	err := f.err
	if own, ok := errors.AsType[*refuse.Error](err); ok {
		return page.AsSentence(own.Text)
	}
	if refused, ok := access.RemedyFor(err).(access.AllowPort); ok {
		return "This gateway does not open port " + strconv.Itoa(int(refused.Port)) + "."
	}
	if needsNewsServer(err) {
		return "This gateway has no news server for “" + entry.Name(f.url) + "”."
	}
	host, _ := f.url.Host()
	host = render.Clean(host)
	where := " at " + host
	if host == "" {
		host, where = "The server", ""
	}
	name := "“" + entry.Name(f.url) + "”"
	capital := name
	if _, hasParent := trail.Parent(f.url); !hasParent { // the name of such a URL would be its host
		name, capital = "this URL", "This URL"
	}
	if text := connecting(err, host); text != "" && !errors.Is(err, access.ErrLoop) {
		return text
	}
	unsupported := "This gateway cannot open " + name + "."
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil { // the server itself refused
		unsupported = host + " does not support this kind of request."
	}
	for _, known := range []struct {
		err  error
		text string
	}{
		{access.ErrLoop, "This URL leads back to this gateway."},
		{access.ErrLogin, host + " does not accept the user name or the password."},
		{access.ErrPassword, host + " asks for a password."},
		{access.ErrNotPublic, host + " was not found, or is not public."}, // one sentence for both, so that strangers do not learn inner names
		{access.ErrNoScheme, "This gateway cannot open “" + f.url.Scheme() + "” URLs."},
		{fs.ErrNotExist, capital + " was not found" + where + "."},
		{fs.ErrPermission, "You do not have permission to open " + name + where + "."},
		{fs.ErrInvalid, capital + " is not a valid file name."},
		{access.ErrTooLong, host + " sent more than this gateway accepts."},
		{errors.ErrUnsupported, unsupported},
		{io.ErrUnexpectedEOF, host + " stopped before it had sent everything."},
		{access.ErrBusy, host + " is busy."},
		{access.ErrProtocol, host + " does not answer as a server for “" + f.url.Scheme() + "” URLs."},
		{access.ErrTemporary, host + " cannot answer now."},
		{errPanicked, "The gateway failed because of a bug."},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	if _, ok := errors.AsType[*url.SyntaxError](err); ok {
		return "This is not a URL."
	}
	if _, ok := spokenAt(f.url, err); ok {
		return host + " does not answer as a server for “" + f.url.Scheme() + "” URLs."
	}
	if code := answer.Replied(err); code != 0 {
		return host + " refused: " + strings.ToLower(http.StatusText(code)) + "."
	}
	return capital + " could not be opened."
}

// connecting returns a sentence that says why host cannot be reached. It returns "" if err is not about reaching host.
func connecting(err error, host string) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return host + " was not found."
		}
		return "The address of " + host + " could not be looked up."
	}
	if strings.HasPrefix(err.Error(), "no such host") { // see hideResolver
		return host + " was not found."
	}
	if answer.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return host + " did not answer in time."
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return host + " does not accept connections."
	}
	return ""
}

// adviceOn returns sentences of advice on err for the reader of an error page. It returns "" if no advice helps.
func adviceOn(err error) string {
	if _, ok := access.RemedyFor(err).(access.AllowPort); ok {
		return "The port belongs to another protocol, so this may be a trick. Whoever runs the gateway can allow the port."
	}
	if needsNewsServer(err) {
		return "A news URL does not name its server. Name your server here until you close the browser. Whoever runs the gateway can name it for everybody, with the flag --news-server or the variable NNTPSERVER. A URL can name it, too: news://news.example.org/comp.lang.c"
	}
	if hint := access.Hint(err); hint != "" {
		return page.AsSentence(hint)
	}
	if errors.Is(err, access.ErrLoop) {
		return ""
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case ok && dns.IsNotFound:
		return "Check the spelling of the name."
	case ok, answer.IsTimeout(err), errors.Is(err, access.ErrTemporary), errors.Is(err, io.ErrUnexpectedEOF):
		return "Try again later."
	case isOp && op.Op == "dial":
		return "The server may be down, or may listen on another port."
	case errors.Is(err, fs.ErrNotExist):
		return "It may have moved: look in the folder above."
	}
	return ""
}

// ways returns the links of the error page of r to other URLs that may work, in the order of the page. archive is
// Gateway.Archive.
func (f *failure) ways(r request, archive string) []page.Way {
	var ways []page.Way
	add := func(title string, u url.URL, ok bool) {
		if ok {
			ways = append(ways, page.Way{Title: title, URL: u})
		}
	}
	u, ok := spokenAt(f.url, f.err)
	add("Open it as "+u.Scheme(), u, ok)
	u, ok = withoutPassword(f.url)
	add("Log in again", u, ok && errors.Is(f.err, access.ErrLogin))
	isUnknown := errors.Is(f.err, access.ErrNoScheme)
	_, isRefusedPort := access.RemedyFor(f.err).(access.AllowPort)
	needsServer := needsNewsServer(f.err)
	add("Try again", f.url, !f.url.IsZero() && r.Method != http.MethodPost && !isUnknown && !isRefusedPort && !needsServer)
	u, ok = trail.Parent(f.url)
	add("Go up to "+entry.Name(u), u, ok && !f.isOfServer())
	if isUnknown {
		u, ok = meantScheme(f.url)
		add("Open it as "+u.Scheme(), u, ok)
		ways = append(ways, page.Way{Title: "See the schemes that this gateway knows", Own: "schemes"})
	}
	u, ok = newsgroupNamed(f.url, f.err)
	add("Open the newsgroup "+entry.Name(u), u, ok)
	u, ok = f.archived(archive)
	add("Look for an archived copy", u, ok && !r.isProxied())
	return ways
}

// isOfServer reports whether every URL of the server fails for the same reason, so that the pages above
// f.url do not help.
func (f *failure) isOfServer() bool {
	host, _ := f.url.Host()
	_, isRefusedPort := access.RemedyFor(f.err).(access.AllowPort)
	return isRefusedPort || needsNewsServer(f.err) || errors.Is(f.err, access.ErrNotPublic) || connecting(f.err, host) != ""
}

// withoutPassword returns u without its password. At that URL the gateway asks the browser for the
// password. ok is false if u does not have a password.
func withoutPassword(u url.URL) (without url.URL, ok bool) {
	if _, ok := u.Password(); !ok {
		return u, false
	}
	without, err := u.Without(url.Password)
	return without, err == nil
}

// archived returns the URL of an archived copy of f.url. ok is false if archive is "", and if an archive cannot have a
// copy, because f.url is not public or because its scheme fetches no resources for everybody.
func (f *failure) archived(archive string) (copied url.URL, ok bool) {
	s := facts.Of(f.url.Scheme())
	if archive == "" || !s.Has(facts.Fetches) || s.Has(facts.Personal) || isInner(f.url) {
		return url.URL{}, false
	}
	if _, has := f.url.Host(); !has {
		return url.URL{}, false
	}
	copied, err := weburl.Parse(strings.ReplaceAll(archive, "{url}", f.url.Redacted()))
	return copied, err == nil && copied.IsAbs()
}

// spokenAt returns u with the scheme that its server speaks, if err says that the server answered a web client in
// another protocol. ok is false if err says something else, or if u does not name a server.
func spokenAt(u url.URL, err error) (other url.URL, ok bool) {
	name := web.SpokenBy(u.Scheme(), err)
	if name == "" {
		return url.URL{}, false
	}
	return withScheme(u, name)
}

// withScheme returns u with another scheme. It keeps only the server of u if the paths of the other
// scheme are not hierarchical. ok is false if u does not name a server.
func withScheme(u url.URL, name string) (other url.URL, ok bool) {
	host, ok := u.Host()
	if !ok {
		return url.URL{}, false
	}
	var err error
	if s, _ := scheme.Lookup(name); !s.Flags.Has(scheme.Hierarchical) {
		if port, has := u.Port(); has {
			host += ":" + port
		}
		other, err = url.Parse(name + "://" + host + "/")
	} else {
		other, err = u.With(url.Scheme, url.Some(name))
	}
	return other, err == nil
}

// meantScheme returns u with the known scheme that is most like its unknown scheme, as after a typo. ok is false if no
// known scheme is like it.
func meantScheme(u url.URL) (meant url.URL, ok bool) {
	names := facts.Likely() // first, because typo.Meant prefers the first of equally near names
	for _, s := range scheme.All() {
		names = append(names, s.Name)
	}
	name := typo.Meant(u.Scheme(), names)
	if name == "" || name == u.Scheme() {
		return url.URL{}, false
	}
	return withScheme(u, name)
}

// newsgroupNamed returns the URL of the newsgroup with the name of u's host, if err says that the host does not exist.
// Otherwise ok is false. People type the name of a newsgroup into the field without a scheme.
func newsgroupNamed(u url.URL, err error) (group url.URL, ok bool) {
	host, _ := u.Host()
	dns, isName := errors.AsType[*net.DNSError](err)
	if !isName || !dns.IsNotFound || !isBare(u) {
		return url.URL{}, false
	}
	group, err = url.Parse(facts.Newsgroup(u.Scheme(), host))
	return group, err == nil && group.IsAbs()
}
