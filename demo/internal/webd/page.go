package webd

import (
	"bytes"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/a-h/templ"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

type page struct {
	Title string
	Text  string
	Form  bool
	Words string
	Rows  []row
}

type row struct {
	Link templ.SafeURL // escaped
	Name string
	Note string
}

// send sends the page p as HTML. mod is the time when the page was changed, or the zero time. It
// obeys conditional requests.
func send(w http.ResponseWriter, r *http.Request, mod time.Time, p page) {
	var b bytes.Buffer
	if err := p.html().Render(r.Context(), &b); err != nil {
		http.Error(w, "The page cannot be written.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", mod, bytes.NewReader(b.Bytes()))
}

// directory sends the page of the directory name: its README and its entries. The root has a
// greeting, a search form and links to other servers.
func (s *Server) directory(w http.ResponseWriter, r *http.Request, name string, info fs.FileInfo) {
	entries, err := fs.ReadDir(s.Files, name)
	if err != nil {
		notFound(w)
		return
	}
	p := page{Title: "Index of /" + name + "/"}
	if readme, err := fs.ReadFile(s.Files, path.Join(name, "README.txt")); err == nil {
		p.Text = string(readme)
	}
	if name == "." {
		p.Title, p.Form = "Hello from locus demo", true
	} else {
		p.Rows = append(p.Rows, row{Link: "../", Name: "../"})
	}
	for _, e := range entries {
		p.Rows = append(p.Rows, s.row(name, e))
	}
	if name == "." {
		p.Rows = append(p.Rows, linkRows(s.Links, r)...)
	}
	send(w, r, info.ModTime(), p)
}

// row returns the row for the entry e of the directory dir. Its note is the title of a text, or ""
// if the title is the name of the file.
func (s *Server) row(dir string, e fs.DirEntry) row {
	if e.IsDir() {
		return row{Link: relative(e.Name() + "/"), Name: e.Name() + "/"}
	}
	note := library.Title(s.Files, path.Join(dir, e.Name()))
	if note == e.Name() {
		note = ""
	}
	return row{Link: relative(e.Name()), Name: e.Name(), Note: note}
}

// linkRows returns rows with links to the other servers, at the address by which the client has
// reached this one.
func linkRows(links []serve.Link, r *http.Request) []row {
	host := "localhost"
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		host = serve.Host(local)
	}
	var rows []row
	for _, l := range links {
		rows = append(rows, row{Link: templ.SafeURL(l.URL(host)), Name: l.URL(host), Note: l.Title})
	}
	return rows
}

// relative returns a name as a relative URL, escaped. It begins with "./", because a name may have
// a colon.
func relative(name string) templ.SafeURL {
	u := url.URL{Path: name}
	return templ.SafeURL("./" + u.EscapedPath())
}

// search sends the page with a search form and the texts that have all of the words in the query of
// r.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	words := r.URL.Query().Get("words")
	p := page{Title: "Search", Form: true, Words: words}
	for _, h := range s.Index.Find(words) {
		u := url.URL{Path: "/" + h.Path}
		p.Rows = append(p.Rows, row{Link: templ.SafeURL(u.EscapedPath()), Name: h.Title, Note: h.Path})
	}
	if words != "" && p.Rows == nil {
		p.Text = "Nothing here has all of these words."
	}
	send(w, r, time.Time{}, p)
}
