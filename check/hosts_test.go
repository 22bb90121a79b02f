package check_test

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"locus"
	"locus/check"
	"locus/url"
)

// A rule applies only to its host, scheme and port. A secret is sent in clear text only if the rule says so.
func TestHeaderOfHost(t *testing.T) {
	secret := []check.Field{{Name: "Authorization", Value: "Bearer x", IsSecret: true}, {Name: "X-Team", Value: "docs"}}
	for _, test := range []struct {
		host, url    string
		isFor, tells bool
	}{
		{"h.example", "https://h.example/x", true, true},
		{"h.example", "https://H.EXAMPLE:443/x", true, true},
		{"H.Example", "https://h.example/x", true, true},
		{"h.example", "http://h.example/x", true, false},
		{"h.example", "https://h.example:8443/x", false, false},
		{"h.example:8443", "https://h.example:8443/x", true, true},
		{"h.example:8443", "https://h.example/x", false, false},
		{"h.example", "https://www.h.example/x", false, false},
		{"h.example", "https://h.example.evil/x", false, false},
		{"h.example", "https://evilh.example/x", false, false},
		{"h.example", "https://h.example@evil/x", false, false},
		{"*.h.example", "https://www.h.example/x", true, true},
		{"*.h.example", "https://evilh.example/x", false, false},
		{"*.h.example", "https://h.example/x", false, false},
		{"http://h.example", "http://h.example/x", true, true},
		{"http://h.example", "https://h.example/x", false, false},
		{"https://h.example", "http://h.example/x", false, false},
		{"http://[::1]:80", "http://[::1]/", true, true},
	} {
		header := check.Policy{Hosts: []check.HostRule{{Host: test.host, Header: secret}}}.Header(url.MustParse(test.url))
		if (header["X-Team"] != "") != test.isFor || (header["Authorization"] != "") != test.tells {
			t.Errorf("with the rule for %s, the header for %s is %v", test.host, test.url, header)
		}
	}
	text, err := json.Marshal(check.Policy{Hosts: []check.HostRule{{Host: "h", Header: secret}}})
	if err != nil || strings.Contains(string(text), "Bearer") {
		t.Errorf("the JSON of a policy with a secret is %s, %v", text, err)
	}
}

// A server that requires a User-Agent with Mozilla, a language, the type of web pages and a secret gets them. The host
// to which it redirects does not get the secret.
func TestHeaderAndRedirect(t *testing.T) {
	var mu sync.Mutex
	told := ""
	other := newSite(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		told += r.Header.Get("Authorization")
		mu.Unlock()
	})
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, "text/html") || !strings.Contains(accept, "*/*") {
			http.NotFound(w, r)
			return
		}
		if !strings.Contains(r.UserAgent(), "Mozilla") || r.Header.Get("Accept-Language") == "" || r.Header.Get("Authorization") != "Bearer x" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL+"/", http.StatusFound)
		}
	})
	p := check.Policy{Retries: -1, Hosts: []check.HostRule{{Host: s.URL, Header: []check.Field{{Name: "Authorization", Value: "Bearer x", IsSecret: true}}}}}
	c := &check.Checker{Policy: p, Engine: &locus.Client{Dial: new(net.Dialer).DialContext, NoRedirects: true, Retries: -1, Header: p.Header}}
	for _, path := range []string{"/", "/away"} {
		if got := one(t, c, s.URL+path); got != "good "+s.URL+path {
			t.Errorf("check of %s gives %q, want good", path, got)
		}
	}
	if told != "" {
		t.Errorf("the other host gets the Authorization %q", told)
	}
}

// The fields of the first rule for a host replace those of the policy.
func TestHostRules(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/teapot":
			w.WriteHeader(http.StatusTeapot)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/slow":
			<-r.Context().Done() // until the timeout of the rule
		}
	})
	with := func(rule check.HostRule) *check.Checker {
		rule.Host, rule.Retries, rule.Wait = s.URL, 2, time.Nanosecond
		return &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Hosts: []check.HostRule{{Host: "http://127.0.0.1:1"}, rule, {Host: s.URL, Accept: []int{503}}}}}
	}
	c := with(check.HostRule{Accept: []int{418}, Exclude: []string{"/private"}})
	for _, test := range []struct {
		path, want string
		heads      int
	}{
		{"/teapot", "good", 1},
		{"/busy", "dead", 3},
		{"/private/x", "excluded", 0},
	} {
		if got, _, _ := strings.Cut(one(t, c, s.URL+test.path), " "); got != test.want || s.times("HEAD "+test.path) != test.heads {
			t.Errorf("%s is %q after %d requests with HEAD, want %q after %d", test.path, got, s.times("HEAD "+test.path), test.want, test.heads)
		}
	}
	if got := one(t, with(check.HostRule{Timeout: 100 * time.Millisecond}), s.URL+"/slow"); !strings.HasPrefix(got, "dead ") {
		t.Errorf("/slow is %q, want it dead after the timeout of its rule", got)
	}
	for _, rule := range []check.HostRule{{Host: ""}, {Host: "*"}, {Host: "h:x"}, {Host: "http://h/x"}, {Host: "h", Exclude: []string{"("}}} {
		if err := (check.Policy{Hosts: []check.HostRule{rule}}).Check(); err == nil {
			t.Errorf("Check of the rule %+v = nil, want an error", rule)
		}
	}
}

// The names of fields are compared without case. The fields of a rule replace the default fields.
func TestHeaderNames(t *testing.T) {
	t.Parallel()
	p := check.Policy{Hosts: []check.HostRule{{Host: "h", Header: []check.Field{{Name: "user-agent", Value: "mine"}, {Name: "accept", Value: "text/plain"}, {Name: "x-a", Value: "1"}, {Name: "X-A", Value: "2"}}}}}
	got := p.Header(url.MustParse("https://h/"))
	want := map[string]string{"User-Agent": "mine", "X-A": "2", "Accept": "text/plain", "Accept-Language": "en, *;q=0.5"}
	if !maps.Equal(got, want) {
		t.Errorf("the header is %q, want %q", got, want)
	}
}
