// Command go-webdav runs the WebDAV server of golang.org/x/net/webdav for tests.
package main

import (
	"flag"
	"log"
	"net/http"

	"golang.org/x/net/webdav"
)

// main serves a folder by WebDAV, as the flags say, until it is killed.
func main() {
	addr := flag.String("addr", "", "listen at this `address`")
	root := flag.String("root", "", "serve this `folder`")
	user := flag.String("user", "", "require this `name`")
	password := flag.String("password", "", "and this password")
	cert := flag.String("cert", "", "serve https, with the certificate in this `file`")
	key := flag.String("key", "", "the `file` with its key")
	flag.Parse()
	files := &webdav.Handler{FileSystem: webdav.Dir(*root), LockSystem: webdav.NewMemLS()}
	s := &http.Server{Addr: *addr, Handler: protect(files, *user, *password)} //nolint:gosec // its clients are tests
	if *cert != "" {
		log.Fatal(s.ListenAndServeTLS(*cert, *key))
	}
	log.Fatal(s.ListenAndServe())
}

// protect returns a handler that passes requests with this user and password to h, and answers
// others with 401. If user is "", it returns h.
func protect(h http.Handler, user, password string) http.Handler {
	if user == "" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, secret, _ := r.BasicAuth(); name != user || secret != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="peers"`)
			http.Error(w, "wrong user or password", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
