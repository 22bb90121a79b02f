// Package trail returns the steps that lead to a URL from the root of its server.
package trail

import (
	"strconv"
	"strings"

	"locus/scheme"
	"locus/url"
)

// A Step is one step of a trail.
type Step struct {
	Title string  // decoded; clean it before it is shown, because a stranger may have written the URL
	URL   url.URL // the zero URL if the step cannot be opened
}

// Of returns the steps from the root of the server of u to u itself, which is last. It
// reads only the text of u, and does not ask the server.
//
//	ftp://h/pub/x.txt        ftp://h    pub      x.txt
//	gopher://h/0/docs/x      gopher://h docs     x
//	nntp://h/misc.test/7     nntp://h   misc.test 7
//	wais://h/db?old+maps     wais://h   db       old maps
//	z39.50s://h/db;query=sea z39.50s://h db      sea
//	titan://h/a/x;token=t    titan://h  a        x
//
// Selectors of gopher do not have levels by RFC 1738, but most servers use "/" for levels.
// So Of returns a menu for each prefix of a selector that ends before "/", which the server
// may lack. In the trail of a URL with very many levels, one step without a URL stands for the
// levels that are far from u. Of returns nil for URLs without levels: of sessions, addresses and unknown
// schemes.
func Of(u url.URL) []Step {
	switch u.Scheme() {
	case "gopher", "gophers":
		return gopherTrail(u)
	case "news", "snews":
		return newsTrail(u)
	case "nntp", "nntps":
		return nntpTrail(u)
	case "wais":
		return waisTrail(u)
	case "z39.50s", "z39.50r":
		return z3950Trail(u)
	case "prospero":
		return prosperoTrail(u)
	case "mid":
		return midTrail(u)
	case "titan":
		return titanTrail(u)
	}
	if s, ok := scheme.Lookup(u.Scheme()); ok && s.Flags.Has(scheme.Hierarchical) {
		return pathTrail(u)
	}
	return nil
}

// server returns the first step of the trail of u: its title is the scheme, host and port of u,
// and its URL is root.
func server(u, root url.URL) Step {
	host, _ := u.Host()
	if port, has := u.Port(); has && port != "" {
		host += ":" + port
	}
	return Step{u.Scheme() + "://" + host, root}
}

// maxText is how many bytes the URLs of the steps that lead to a long URL have together, more or less. Each step of a URL
// with n levels has a URL of up to n levels, and anybody can write a URL with many thousands of them.
const maxText = 64 << 10

// nearest returns the levels nearest to u, at least two of them. levels are offsets in the path of u, in increasing
// order. If nearest leaves some out, it also returns a step without a URL in their place.
func nearest(levels []int, u url.URL) (kept []int, omitted []Step) {
	n := max(maxText/len(u.String()), 2) // u itself is one of the levels of a path
	if len(levels) <= n {
		return levels, nil
	}
	return levels[len(levels)-n:], []Step{{Title: "…"}}
}

// pathTrail returns the steps of a URL with directories: the server, each directory and the file.
// It returns nil if u has no host.
func pathTrail(u url.URL) []Step {
	if _, has := u.Host(); !has {
		return nil
	}
	path := "/" + strings.TrimPrefix(u.Path(), "/")
	var ends []int // of the segments that are not empty
	for i := 1; i <= len(path); i++ {
		if path[i-1] != '/' && (i == len(path) || path[i] == '/') {
			ends = append(ends, i)
		}
	}
	ends, omitted := nearest(ends, u)
	steps := append([]Step{server(u, withPath(u, "/"))}, omitted...)
	for _, end := range ends {
		segment := path[strings.LastIndexByte(path[:end], '/')+1 : end]
		title, err := url.Unescape(segment)
		if err != nil {
			title = segment
		}
		step := Step{title, u}
		if end < len(path) {
			step.URL = withPath(u, path[:end+1])
		}
		steps = append(steps, step)
	}
	return steps
}

// titanTrail returns the steps to the page of a titan URL. They lack the parameters, which may have a token. It returns
// only the server if u is invalid.
func titanTrail(u url.URL) []Step {
	v, err := scheme.ParseTitan(u)
	if err != nil {
		return []Step{server(u, withPath(u, "/"))}
	}
	return pathTrail(scheme.Titan{Host: v.Host, Segments: v.Segments}.URL())
}

// withPath returns u with another path and without query and fragment. It returns the zero URL if
// the result is not valid.
func withPath(u url.URL, path string) url.URL {
	u, err := u.Without(url.Query, url.Fragment)
	if err == nil {
		u, err = u.With(url.Path, url.Some(path))
	}
	if err != nil {
		return url.URL{}
	}
	return u
}

// gopherTrail returns the server, the prefixes of the selector that end before "/", the item, and
// its search. It returns nil if u is not a valid gopher URL.
func gopherTrail(u url.URL) []Step {
	v, err := scheme.ParseGopher(u)
	if err != nil {
		return nil
	}
	steps := []Step{server(u, withPath(u, "/"))}
	if v.Type == '1' && strings.Trim(v.Selector, "/") == "" && !v.Search.Present {
		return steps
	}
	selector := strings.TrimRight(v.Selector, "/")
	if strings.Contains(selector, "://") { // a URL in a selector, whose slashes are not levels
		return append(steps, Step{selector, u})
	}
	var slashes []int
	for i := 1; i < len(selector); i++ {
		if selector[i] == '/' {
			slashes = append(slashes, i)
		}
	}
	slashes, omitted := nearest(slashes, u)
	steps = append(steps, omitted...)
	for _, i := range slashes {
		above := selector[:i]
		steps = append(steps, Step{above[strings.LastIndexByte(above, '/')+1:], scheme.Gopher{Scheme: v.Scheme, Host: v.Host, Type: '1', Selector: above}.URL()})
	}
	if name := selector[strings.LastIndexByte(selector, '/')+1:]; name != "" {
		item := v
		item.Search, item.Plus = url.Part{}, url.Part{}
		steps = append(steps, Step{name, item.URL()})
	}
	if v.Search.Text != "" {
		steps = append(steps, Step{v.Search.Text, u})
	}
	steps[len(steps)-1].URL = u
	return steps
}

// newsTrail returns the server or all newsgroups, and then the newsgroup or the article. It
// returns nil if u is not a valid news URL.
func newsTrail(u url.URL) []Step {
	v, err := scheme.ParseNews(u)
	if err != nil {
		return nil
	}
	all := scheme.News{Scheme: v.Scheme, Host: v.Host}.URL()
	root := Step{"All newsgroups", all}
	if _, has := u.Host(); has {
		root = server(u, withPath(u, "/"))
	}
	switch v.Kind {
	case scheme.NewsGroup:
		return []Step{root, {v.Group, u}}
	case scheme.NewsArticle:
		return []Step{root, {v.MessageID, u}}
	}
	return []Step{root}
}

// nntpTrail returns the server or all newsgroups, the newsgroup, and the article if u names one.
// It returns nil if u is not a valid nntp URL.
func nntpTrail(u url.URL) []Step {
	v, err := scheme.ParseNNTP(u)
	if err != nil {
		return nil
	}
	name := "news"
	if v.Scheme == "nntps" {
		name = "snews"
	}
	steps := []Step{{"All newsgroups", scheme.News{Scheme: name, Host: v.Host}.URL()}}
	if _, has := u.Host(); has {
		steps[0] = server(u, withPath(steps[0].URL, "/"))
	}
	group := v
	group.Article, group.Number = false, 0
	steps = append(steps, Step{v.Group, group.URL()})
	if v.Article {
		steps = append(steps, Step{strconv.FormatUint(v.Number, 10), u})
	}
	return steps
}

// waisTrail returns the server, the database if u names one, and the search or the document. It
// returns nil if u is not a valid wais URL.
func waisTrail(u url.URL) []Step {
	v, err := scheme.ParseWAIS(u)
	if err != nil {
		return nil
	}
	steps := []Step{server(u, scheme.WAIS{Host: v.Host}.URL())}
	if v.Database == "" {
		return steps
	}
	steps = append(steps, Step{v.Database, scheme.WAIS{Host: v.Host, Database: v.Database}.URL()})
	switch v.Kind {
	case scheme.WAISSearch:
		steps = append(steps, Step{v.Search, u})
	case scheme.WAISDocument:
		steps = append(steps, Step{documentTitle(v), u})
	}
	return steps
}

// z3950Trail returns the server, the databases, the query, and the record, docid or scan, as far
// as u names them. It returns nil if u is not a valid URL of Z39.50.
func z3950Trail(u url.URL) []Step {
	v, err := scheme.ParseZ3950(u)
	if err != nil {
		return nil
	}
	at := scheme.Z3950{Host: v.Host, User: v.User, Password: v.Password}
	steps := []Step{server(at.URL(), at.URL())}
	if v.Databases == nil {
		return steps
	}
	at.Databases = v.Databases
	steps = append(steps, Step{strings.Join(v.Databases, "+"), at.URL()})
	if v.Query.Present {
		at.Query, at.Sort, at.ElementSet, at.Syntaxes, at.Extensions = v.Query, v.Sort, v.ElementSet, v.Syntaxes, v.Extensions
		steps = append(steps, Step{v.Query.Text, at.URL()})
	}
	switch {
	case v.Record > 0:
		steps = append(steps, Step{"record " + strconv.FormatUint(v.Record, 10), u})
	case v.DocID.Present:
		steps = append(steps, Step{v.DocID.Text, u})
	case v.Scan.Present:
		steps = append(steps, Step{v.Scan.Text, u})
	default:
		steps[len(steps)-1].URL = u
	}
	return steps
}

// documentTitle returns the end of a document-id that a person can read, such as the name of a
// file.
func documentTitle(v scheme.WAIS) string {
	id := v.WPath
	if len(v.Fields) > 0 {
		id = v.Fields[len(v.Fields)-1].Content
	}
	id = strings.TrimRight(id, ";/")
	return id[strings.LastIndexAny(id, "/ =")+1:]
}

// prosperoTrail returns the server and the object. It returns nil if u is not a valid prospero
// URL.
func prosperoTrail(u url.URL) []Step {
	v, err := scheme.ParseProspero(u)
	if err != nil {
		return nil
	}
	steps := []Step{server(u, scheme.Prospero{Host: v.Host}.URL())}
	if name := strings.Trim(v.Hsoname, "/"); name != "" {
		steps = append(steps, Step{name, u})
	}
	return steps
}

// midTrail returns the message and, if u names a part, the part. It returns nil if u is not a
// valid mid URL with a message.
func midTrail(u url.URL) []Step {
	v, err := scheme.ParseMid(u)
	if err != nil || v.MessageID == "" {
		return nil
	}
	steps := []Step{{v.MessageID, scheme.Mid{MessageID: v.MessageID}.URL()}}
	if v.ContentID.Present {
		steps = append(steps, Step{v.ContentID.Text, u})
	}
	return steps
}

// Parent returns the URL of the step before u on its trail. ok is false if u is the first step,
// or if that step cannot be opened.
func Parent(u url.URL) (parent url.URL, ok bool) {
	steps := Of(u)
	if len(steps) < 2 {
		return url.URL{}, false
	}
	parent = steps[len(steps)-2].URL
	return parent, !parent.IsZero()
}
