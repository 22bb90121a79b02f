package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A webServer answers correctly and incorrectly, depending on the path of a request.
type webServer struct {
	url   string
	kept  sync.Map // the stored resources, by their paths below /kept/
	mu    sync.Mutex
	asked map[string]chan struct{} // each is closed after the first request for the path
}

func newWeb(t *testing.T) *webServer {
	w := &webServer{asked: make(map[string]chan struct{})}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *webServer) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	what, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/")
	rw.Header().Set("Content-Type", "text/plain")
	switch what {
	case "text":
		http.ServeContent(rw, req, "", time.Date(2026, 11, 20, 9, 15, 0, 0, time.UTC), strings.NewReader("one\ntwo\nthree\n"))
	case "flaky": // the first response breaks off, and can be continued
		select {
		case w.channel(req.URL.Path) <- struct{}{}:
			rw.Header().Set("Last-Modified", "Fri, 20 Nov 2026 09:15:00 GMT")
			rw.Header().Set("Content-Length", "14")
			io.WriteString(rw, "one\ntw")
		default:
			http.ServeContent(rw, req, "", time.Date(2026, 11, 20, 9, 15, 0, 0, time.UTC), strings.NewReader("one\ntwo\nthree\n"))
		}
	case "norange": // sends the whole resource for every range
		io.WriteString(rw, "one\ntwo\nthree\n")
	case "chunked":
		io.WriteString(rw, strings.Repeat("0123456789", 10))
		rw.(http.Flusher).Flush()
	case "escapes":
		io.WriteString(rw, "a\x1b[31mb\x07\u009bc\xff\r\nd\te\n")
	case "binary":
		rw.Header().Set("Content-Type", "application/octet-stream")
		rw.Write([]byte{0x89, 'P', 0, 1, 2})
	case "short": // the response breaks off
		rw.Header().Set("Content-Length", "100")
		io.WriteString(rw, "hello")
	case "stall": // sends the beginning and then is silent
		rw.Header().Set("Content-Length", "100")
		io.WriteString(rw, "hello")
		rw.(http.Flusher).Flush()
		w.tell(req.URL.Path)
		<-req.Context().Done()
	case "silent":
		io.Copy(io.Discard, req.Body) // so that the server notices when the client closes the connection
		w.tell(req.URL.Path)
		<-req.Context().Done()
	case "page.html":
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(rw, `<title>x</title><a href="text">http://no.example/</a> see http://h.example/a.`)
	case "robots.txt":
		io.WriteString(rw, "User-agent: *\nDisallow: /walk/private\n")
	case "walk":
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<p>here</p><a href="private.html">private</a>`)
	case "moved.html":
		http.Redirect(rw, req, "/page.html", http.StatusFound)
	case "moved":
		http.Redirect(rw, req, "/text", http.StatusFound)
	case "tofile":
		rw.Header().Set("Location", "file:///etc/hosts")
		rw.WriteHeader(http.StatusFound)
	case "loop":
		http.Redirect(rw, req, "/loop", http.StatusFound)
	case "kept":
		w.keep(rw, req)
	case "busy": // only the first time
		select {
		case w.channel(req.URL.Path) <- struct{}{}:
			rw.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.keep(rw, req)
		}
	case "full":
		rw.WriteHeader(http.StatusInsufficientStorage)
	case "limited": // only the first time
		select {
		case w.channel(req.URL.Path) <- struct{}{}:
			rw.Header().Set("Retry-After", req.URL.Query().Get("after"))
			rw.WriteHeader(http.StatusTooManyRequests)
		default:
			io.WriteString(rw, "one\ntwo\nthree\n")
		}
	case "here": // redirects a PUT to another path
		rw.Header().Set("Location", "/kept/"+strings.TrimPrefix(req.URL.Path, "/here/"))
		rw.WriteHeader(http.StatusTemporaryRedirect)
	case "broken":
		rw.WriteHeader(http.StatusInternalServerError)
	default:
		http.NotFound(rw, req)
	}
}

// keep stores, returns and removes texts. Paths below /kept/secret/ need the user ada with the
// password sesame.
func (w *webServer) keep(rw http.ResponseWriter, req *http.Request) {
	user, password, _ := req.BasicAuth()
	if strings.HasPrefix(req.URL.Path, "/kept/secret/") && user+password != "adasesame" {
		rw.Header().Set("WWW-Authenticate", `Basic realm="kept"`)
		rw.WriteHeader(http.StatusUnauthorized)
		return
	}
	text, there := w.kept.Load(req.URL.Path)
	if there {
		rw.Header().Set("ETag", fmt.Sprintf("\"%d\"", len(text.(string))))
	}
	switch req.Method {
	case http.MethodPut, http.MethodPost:
		got, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		if req.Method == http.MethodPost {
			rw.Header().Set("Location", req.URL.Path+"#added")
			got = append([]byte(fmt.Sprint(text)), got...)
		}
		w.kept.Store(req.URL.Path, string(got))
		rw.WriteHeader(http.StatusCreated)
	case http.MethodDelete:
		w.kept.Delete(req.URL.Path)
		rw.WriteHeader(http.StatusNoContent)
	default:
		if !there {
			http.NotFound(rw, req)
			return
		}
		http.ServeContent(rw, req, "", time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), strings.NewReader(text.(string)))
	}
}

func (w *webServer) channel(path string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked[path] == nil {
		w.asked[path] = make(chan struct{}, 1)
	}
	return w.asked[path]
}

func (w *webServer) tell(path string) {
	select {
	case w.channel(path) <- struct{}{}:
	default:
	}
}

// await waits until a path was requested and its response has begun, if it is to have one.
func (w *webServer) await(ts *testscript.TestScript, _ bool, args []string) {
	<-w.channel(args[0])
}

// newGopher starts a Gopher server that sends the bytes below for each selector. It returns the
// server's URL.
func newGopher(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerGopher(c)
		}
	}()
	return "gopher://" + l.Addr().String()
}

func answerGopher(c net.Conn) {
	defer c.Close()
	selector, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	switch strings.TrimRight(selector, "\r\n") {
	case "menu":
		io.WriteString(c, "iWelcome\tx\tx\t1\r\n0A text\ttext\tgopher.example\t70\r\n1More\tmore\tgopher.example\t7070\r\n.\r\n")
	case "evil":
		io.WriteString(c, "iA\x1b]0;title\x07 and \x9bc\tx\tx\t1\r\n0\x1b[2JClear\ttext\tgopher.example\t70\r\n.\r\n")
	case "cut":
		io.WriteString(c, "0A text\ttext\tgopher.example\t70\r\n0Another\test")
	case "long":
		w := bufio.NewWriter(c)
		for i := range 100_000 {
			fmt.Fprintf(w, "0Item %d\titem%d\tgopher.example\t70\r\n", i, i)
		}
		io.WriteString(w, ".\r\n")
		w.Flush()
	}
}
