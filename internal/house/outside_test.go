package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program in another module can be built, because every type that it needs is exported
// and outside of internal packages. The program adds a scheme whose resource has moved, and
// uses the Client as a whole http.Client, with cookies.
func TestOutsideModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the module once more")
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mod, err := readFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := readFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\n") // the same versions, so that the go command does not look for others
	requires, _, _ = strings.Cut(requires, "\ntool ")
	for name, text := range map[string]string{
		"go.mod":  "module outside.example/program\n" + requires + "\nrequire locus v0.0.0\n\nreplace locus => " + root + "\n",
		"go.sum":  string(sum),
		"main.go": outside,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	program := exec.CommandContext(t.Context(), "go", "run", ".")
	program.Dir = dir
	program.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := program.CombinedOutput()
	if want := "hello from note://h/new\nwelcome back, ada\n"; err != nil || string(out) != want {
		t.Errorf("a program outside the module: %v\n%s\nwant\n%s", err, out, want)
	}
}

// outside is the program of TestOutsideModule.
const outside = `package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	neturl "net/url"
	"strings"

	"locus"
	"locus/access"
	"locus/url"
)

// note is an engine for note URLs. Each of them moved to note://h/new.
func note(_ context.Context, req *access.Request) (*access.Resource, error) {
	const new = "note://h/new"
	if req.URL.String() != new {
		return nil, &access.Moved{To: url.MustParse(new)}
	}
	text := "hello from " + new
	return &access.Resource{
		Entry: access.Entry{URL: req.URL, Kind: access.Object, Type: "text/plain", Size: int64(len(text))},
		Body:  io.NopCloser(strings.NewReader(text)),
	}, nil
}

// greet greets a user who has logged in before.
func greet(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		http.SetCookie(w, &http.Cookie{Name: "user", Value: r.FormValue("user")})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	user, err := r.Cookie("user")
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	fmt.Fprintf(w, "welcome back, %s", user.Value)
}

func main() {
	server := httptest.NewServer(http.HandlerFunc(greet))
	defer server.Close()
	var dialer net.Dialer
	c := &locus.Client{
		// Every name leads to the server.
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
		Engines: func(locus.Dial) map[string]locus.Scheme {
			return map[string]locus.Scheme{"note": {Engine: access.GetFunc(note), Remote: true}}
		},
	}
	defer c.Close()

	r, err := c.Open(context.Background(), "note://h/old")
	if err != nil {
		log.Fatal(err)
	}
	show(r.Body)

	hc := c.HTTP()
	if hc.Jar, err = cookiejar.New(nil); err != nil {
		log.Fatal(err)
	}
	resp, err := hc.PostForm("http://greeter.example/", neturl.Values{"user": {"ada"}})
	if err != nil {
		log.Fatal(err)
	}
	show(resp.Body)
}

// show prints a text and closes it.
func show(body io.ReadCloser) {
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
}
`
