// Package webd is a small web server: files, pages that list directories, and a search.
//
// Notable divergences:
//   - A path is split before its escapes are decoded, so that "%2F" in a name is not a
//     separator. Such a name, and an empty one, is not found.
//   - Entity tags are made from the size and the modification time.
package webd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

// A Server serves the files of a file system. Change no field while it serves.
type Server struct {
	Files fs.FS          // required; its files are io.Seekers
	Index *library.Index // of Files, for the search; required
	Links []serve.Link   // on the page of the root
	Log   serve.Log      // called with each request line; may be nil
}

// Serve answers the requests of l's connections until ctx is done or l fails. It closes l and all
// connections. It returns nil if ctx was done.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      5 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	defer context.AfterFunc(ctx, func() { h.Close() })()
	err := h.Serve(serve.Limit(l, serve.Connections))
	h.Close() // all connections, before it returns
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP answers GET and HEAD with a file, a directory or a search. It redirects the URL of a
// directory without its "/".
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Log.Line(r.Method + " " + r.RequestURI)
	w.Header().Set("Server", "locus-demo")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This library is to be read only.", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.EscapedPath() == "/search" {
		s.search(w, r)
		return
	}
	name, slash, ok := fileName(r.URL.EscapedPath())
	if !ok {
		notFound(w)
		return
	}
	info, err := fs.Stat(s.Files, name)
	switch {
	case err != nil || slash && !info.IsDir():
		notFound(w)
	case info.IsDir() && !slash:
		to := url.URL{Path: "/" + name + "/"}
		http.Redirect(w, r, to.EscapedPath(), http.StatusMovedPermanently)
	case info.IsDir():
		s.directory(w, r, name, info)
	default:
		s.file(w, r, name, info)
	}
}

// notFound answers with 404.
func notFound(w http.ResponseWriter) {
	http.Error(w, "There is no such page.", http.StatusNotFound)
}

// fileName returns the path in Files of an escaped path, and whether it ends in a slash. ok is
// false for empty segments, dot segments and segments with an escaped slash.
func fileName(escaped string) (name string, slash, ok bool) {
	if escaped == "/" || escaped == "" {
		return ".", true, true
	}
	escaped, slash = strings.CutSuffix(strings.TrimPrefix(escaped, "/"), "/")
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil || strings.Contains(decoded, "/") {
			return "", slash, false
		}
		segments[i] = decoded
	}
	name = strings.Join(segments, "/")
	return name, slash, name != "." && fs.ValidPath(name)
}

// file sends the named file with its type and an entity tag. It obeys conditional requests and
// ranges.
func (s *Server) file(w http.ResponseWriter, r *http.Request, name string, info fs.FileInfo) {
	f, err := s.Files.Open(name)
	if err != nil {
		notFound(w)
		return
	}
	defer f.Close()
	content, ok := f.(io.ReadSeeker)
	if !ok {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	kind := library.TypeOf(name)
	if strings.HasPrefix(kind, "text/") {
		kind += "; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Etag", fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().Unix()))
	http.ServeContent(w, r, "", info.ModTime(), content)
}
