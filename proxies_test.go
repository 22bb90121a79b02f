package locus_test

import (
	"fmt"
	"strings"
	"testing"

	"locus"
	"locus/url"
)

func ExampleProxies() {
	variables := map[string]string{"ftp_proxy": "socks5://proxy.example:1080", "no_proxy": "local.example"}
	proxies := locus.Proxies{Getenv: func(name string) string { return variables[name] }} // or os.Getenv
	proxyFor, err := proxies.ProxyFunc()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"ftp://ftp.example/", "ftp://ftp.local.example/", "gopher://gopher.example/"} {
		at, ok := proxyFor(url.MustParse(text))
		fmt.Println(text, at, ok)
	}
	// Output:
	// ftp://ftp.example/ socks5://proxy.example:1080 true
	// ftp://ftp.local.example/ socks5://proxy.example:1080 false
	// gopher://gopher.example/  false
}

func TestProxies(t *testing.T) {
	for _, test := range []struct {
		scheme, env string
		url         string
		want        string // the proxy; "" for none; or the error, which has a space
	}{
		{scheme: "http"},
		{scheme: "http", env: "http_proxy=http://p:3128", want: "http://p:3128"},
		{scheme: "http", env: "http_proxy=p:3128", want: "http://p:3128"},
		{scheme: "http", env: "HTTP_PROXY=http://p", want: "http://p"},
		{scheme: "http", env: "HTTP_PROXY=http://p REQUEST_METHOD=GET"},
		{scheme: "https", env: "HTTPS_PROXY=http://p REQUEST_METHOD=GET", want: "http://p"},
		{scheme: "http", env: "http_proxy=http://p REQUEST_METHOD=GET", want: "http://p"},
		{scheme: "ftp", env: "http_proxy=http://p"},
		{scheme: "ftp", env: "ftp_proxy=http://f all_proxy=http://a", want: "http://f"},
		{scheme: "wais", env: "ftp_proxy=http://f ALL_PROXY=socks5h://a", want: "socks5h://a"},
		{scheme: "mid", env: "imap_proxy=http://i all_proxy=http://a", want: "http://i"},
		{scheme: "nntp", env: "all_proxy=http://a", url: "socks5://b", want: "socks5://b"},
		{scheme: "nntp", env: "all_proxy=https://u:secret@a", want: `all_proxy has the scheme "https", want http, socks5 or socks5h`},
		{scheme: "nntp", env: "nntp_proxy=socks4://a", want: `nntp_proxy has the scheme "socks4", want http, socks5 or socks5h`},
		{scheme: "nntp", env: "ALL_PROXY=//", want: "ALL_PROXY is not a URL such as socks5://host:port"},
		{scheme: "x-foo", env: "x_foo_proxy=http://x all_proxy=http://a", want: "http://x"},
		{scheme: "x-foo", env: "X_FOO_PROXY=http://x", want: "http://x"},
		{scheme: "x-foo", env: "x-foo_proxy=http://y x_foo_proxy=http://x", want: "http://y"},
		{scheme: "x-foo", env: "all_proxy=http://a", want: "http://a"},
		{scheme: "x-foo", url: "http://b", want: "http://b"},
		{scheme: "x-foo", env: "x_foo_proxy=https://u:secret@a", want: `x_foo_proxy has the scheme "https", want http, socks5 or socks5h`},
		{scheme: "z39.50s", env: "z39_50s_proxy=http://z", want: "http://z"},
		{scheme: "news", env: "news_proxy=http://n", want: "http://n"},
		{scheme: "prospero", env: "prospero_proxy=http://n", want: "http://n"},
		{scheme: "nntp", url: "//", want: "the proxy is not a URL such as socks5://host:port"},
	} {
		env := make(map[string]string)
		for _, pair := range strings.Fields(test.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		p := locus.Proxies{Getenv: func(name string) string { return env[name] }, URL: test.url, Schemes: []string{"x-foo"}}
		u, err := p.For(test.scheme)
		got := u.String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("the proxy for %s with %q and URL %q = %q, want %q", test.scheme, test.env, test.url, got, test.want)
		}
		proxyFor, err := p.ProxyFunc()
		if isInvalid := strings.Contains(test.want, " "); (err != nil) != isInvalid {
			t.Errorf("ProxyFunc with %q and URL %q: %v, want an error: %v", test.env, test.url, err, isInvalid)
		}
		if proxyFor != nil {
			if u, ok := proxyFor(url.MustParse(test.scheme + "://h/")); u.String() != test.want || ok != (test.want != "") {
				t.Errorf("ProxyFunc for %s with %q and URL %q = %q, %v, want %q", test.scheme, test.env, test.url, u, ok, test.want)
			}
		}
	}
}

// ProxyFunc returns nil without variables and without a URL, and leaves out the excepted
// schemes.
func TestNoProxies(t *testing.T) {
	for _, p := range []locus.Proxies{{}, {Getenv: func(string) string { return "" }}} {
		if u, err := p.For("http"); !u.IsZero() || err != nil {
			t.Errorf("For with variables (%v) = %q, %v, want none", p.Getenv != nil, u, err)
		}
		if proxyFor, err := p.ProxyFunc(); proxyFor != nil || err != nil {
			t.Errorf("ProxyFunc with variables (%v) is nil: %v, %v, want nil", p.Getenv != nil, proxyFor == nil, err)
		}
		if p.SkipsURL(url.MustParse("http://h/")) {
			t.Errorf("SkipsURL with variables (%v) skips a host", p.Getenv != nil)
		}
	}
	proxyFor, err := locus.Proxies{URL: "http://p"}.ProxyFunc("wais")
	if err != nil {
		t.Fatal(err)
	}
	for scheme, want := range map[string]bool{"wais": false, "ftp": true, "unheard-of": true} {
		if _, ok := proxyFor(url.MustParse(scheme + "://h/")); ok != want {
			t.Errorf("%s has a proxy: %v, want %v", scheme, ok, want)
		}
	}
}

func TestProxiesSkips(t *testing.T) {
	for _, test := range []struct {
		list, host, port string
		want             bool
	}{
		{"", "h.example", "80", false},
		{"*", "h.example", "80", true},
		{"example", "h.example", "80", true},
		{".example", "h.example", "80", true},
		{"*.example", "h.example", "80", true},
		{"h.example", "H.Example.", "80", true},
		{"h.example", "gh.example", "80", false},
		{"ample", "h.example", "80", false},
		{"a, h.example", "h.example", "", true},
		{"h.example:80", "h.example", "80", true},
		{"h.example:80", "h.example", "81", false},
		{"10.0.0.0/8", "10.1.2.3", "80", true},
		{"10.0.0.0/8", "11.1.2.3", "80", false},
		{"10.0.0.0/8", "h.example", "80", false},
		{"127.0.0.1", "127.0.0.1", "80", true},
		{"0.1", "127.0.0.1", "80", false},
		{"::1", "::1", "80", true},
		{"[::1]:80", "::1", "80", true},
		{",,", "h.example", "80", false},
		{".", "h.example", "80", false},
		{"localhost.", "localhost", "80", true},
		{"h.example.:80", "h.example", "80", true},
		{"example.", "h.example.", "80", true},
	} {
		p := locus.Proxies{Getenv: func(name string) string {
			if name == "NO_PROXY" {
				return test.list
			}
			return ""
		}}
		if got := p.Skips(test.host, test.port); got != test.want {
			t.Errorf("no_proxy=%q skips %q:%s: %v, want %v", test.list, test.host, test.port, got, test.want)
		}
		host := test.host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if u := url.MustParse("http://" + host + ":" + test.port + "/"); p.SkipsURL(u) != test.want {
			t.Errorf("no_proxy=%q skips %s: %v, want %v", test.list, u, !test.want, test.want)
		}
	}
}

// An entry of no_proxy with a port matches the default port of a URL without a port.
func TestProxiesSkipsDefaultPort(t *testing.T) {
	p := locus.Proxies{Getenv: func(string) string { return "h:443, h:21, h:5432" }}
	for u, want := range map[string]bool{
		"https://h/": true, "https://h:/": true, "https://h:443/": true, "https://h:444/": false, "http://h/": false,
		"ftp://h/": true, "gopher://h/": false, "unheard-of://h/": false,
	} {
		if got := p.SkipsURL(url.MustParse(u)); got != want {
			t.Errorf("SkipsURL(%s) = %v, want %v", u, got, want)
		}
	}
}
