package extract

import (
	"strings"
	"testing"

	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// The texts that may follow the colon of a scheme whose URLs have no "//".
func TestCanStart(t *testing.T) {
	rules := standardRules.Get()
	namespace := strings.Repeat("a", 32)
	for _, test := range []struct {
		scheme string
		yes    []string
		no     []string
	}{
		{"mailto", []string{"a", "9", "é", "%20", "?to=x", "-a", "\x80"}, []string{"-", "&;", "...", "@", "{|}", "`"}},
		{"mid", []string{"a@b"}, []string{"@"}},
		{"news", []string{"a", "Z", "0", "*", "*.x"}, []string{"-a", "!", "/a", "é", "@", "[", "`", "{", ":", "."}},
		{"snews", []string{"a", "*"}, []string{"-"}},
		{"file", []string{"/", "/a"}, []string{"a", "./a", "\\"}},
		{"magnet", []string{"?", "?xt"}, []string{"x", "/?"}},
		{"doi", []string{"10.1/x", "1"}, []string{"0", "2", "x", "/1"}},
		{"tel", []string{"+1", "0", "9", "(0)"}, []string{"-1", ")", "a", "*1", "#1", ":", "/"}},
		{"sms", []string{"+1", "0", "9", "?body=x"}, []string{"(0)", "a", "-1"}},
		{"geo", []string{"-1,2", "0,0", "9"}, []string{"+1", ",1", "a"}},
		{"matrix", []string{"u/", "u/a", "r/a:b", "roomid/a", "e/a"}, []string{"u", "x/a", "roomi/a", "roomids/a", "roomid", "/u", "U/a", "ur/a"}},
		// RFC 8141 §2: from two to 32 letters, digits and hyphens
		{"urn", []string{"ab:c", "AB:c", "a1:b", "0a:b", "a-b:c", namespace + ":c", "ab::", "ab:c:d"}, []string{"a:b", ":", ":b", "ab", "ab:", "a_b:c", "a.b:c", "é:b", namespace, namespace + "a:c", namespace + "a", "ab/c:d"}},
		// RFC 2397 §3
		{"data", []string{",", ",x", "a/b,", "a/b;c=d,e", ";base64,", "a+b/c.d-e_f,", "a/b,é"}, []string{"", "a", "a/b", "a b,", "a/b;x=\"y\",", "a(b),", "é,", "a%20b,", "a:b,", "a*b,"}},
	} {
		r, ok := rules[test.scheme]
		if !ok || !r.opaque {
			t.Errorf("%s is not a scheme whose URLs have no //", test.scheme)
			continue
		}
		for _, rest := range test.yes {
			if !r.canStart([]byte(rest)) {
				t.Errorf("%s:%s is not accepted as a URL", test.scheme, rest)
			}
		}
		for _, rest := range append(test.no, "") {
			if r.canStart([]byte(rest)) {
				t.Errorf("%s:%s is accepted as a URL", test.scheme, rest)
			}
		}
	}
}

// Schemes whose URLs need "//" and a host, schemes without "//", and schemes of which only the name is known.
func TestRules(t *testing.T) {
	const (
		hosts  = "http https ftp gopher telnet wais prospero nntp rlogin tn3270 z39.50r z39.50s ws wss ssh sftp git irc ircs svn rsync rtsp coap coaps gemini vnc finger xmlrpc.beep imap pop"
		opaque = "mailto news snews mid cid xmpp sip sips bitcoin urn data file magnet doi tel sms geo matrix"
		others = "aaa postgres jdbc git+ssh ms-settings tg" // only the names are known
	)
	rules := standardRules.Get()
	for _, name := range strings.Fields(hosts) {
		if r, ok := rules[name]; !ok || !r.host || r.opaque {
			t.Errorf("rule(%s) = %+v, %v, want a rule with a host", name, r, ok)
		}
	}
	for _, name := range strings.Fields(opaque) {
		if r, ok := rules[name]; !ok || !r.opaque || r.host && name != "snews" {
			t.Errorf("rule(%s) has host %v and opaque %v, %v, want a rule without //", name, r.host, r.opaque, ok)
		}
	}
	for _, name := range strings.Fields(others) {
		if r, ok := rules[name]; !ok || r.host || r.opaque || r.startsBody != nil {
			t.Errorf("rule(%s) has host %v and opaque %v, %v, want a rule with neither", name, r.host, r.opaque, ok)
		}
	}
	// Each name is a valid name of a scheme (RFC 3986 §3.1), and is in the lists once.
	seen := map[string]bool{}
	for _, name := range strings.Fields(registered + unregistered) {
		if seen[name] {
			t.Errorf("%s is in the lists twice", name)
		}
		seen[name] = true
		if u, err := url.Parse(name + "://h/"); err != nil || u.Scheme() != name || len(name) > maxSchemeName {
			t.Errorf("%q is not a name of a scheme: %v", name, err)
		}
	}
	for _, s := range scheme.All() {
		if seen[s.Name] {
			t.Errorf("%s is in locus/scheme and also in the lists", s.Name)
		}
	}
}

// A scheme of the lists that no engine opens has a kind of program that does.
func TestOpeners(t *testing.T) {
	for name := range strings.FieldsSeq(registered + unregistered) {
		_, isAlias := facts.Alias(name + "://h/")
		_, isMark := facts.Alias(name + ":http://h/")
		hasEngine := facts.Of(name).Traits&(facts.Object|facts.Upload|facts.Session|facts.Address) != 0
		if program := facts.Opener(name); program == "" && !isAlias && !isMark && !hasEngine {
			t.Errorf("Opener(%q) is empty: add the name to a row of openers in internal/facts/alias.go", name)
		}
	}
}

// rule finds the name of a scheme in any case.
func TestRule(t *testing.T) {
	long := strings.Repeat("n", maxSchemeName)
	f := newFinder(Options{Schemes: scheme.Table{long: {Name: long}, long + "n": {Name: long + "n"}}})
	for in, want := range map[string]bool{
		"http": true, "HTTP": true, "hTtP": true, "": false, "htt": false, "httpx": false, "h\x54tp": true, "htt\x10": false, "z39.50r": true, "Z39.50R": true,
		"xmlrpc.beep": true, "git+ssh": true, "[ttp": false, long: true, strings.ToUpper(long): true, long + "n": false, long[1:]: false,
	} {
		if _, got := f.rule([]byte(in)); got != want {
			t.Errorf("rule(%q) = %v", in, got)
		}
	}
}

// schemeBefore finds the start of the scheme before "://".
func TestSchemeBefore(t *testing.T) {
	f := newFinder(Options{Schemes: scheme.Table{"acme": {Name: "acme"}, "x-y": {Name: "x-y"}}})
	for _, test := range []struct {
		in   string
		past int
		want string // the scheme; "" if no scheme is before "://"
		host bool
	}{
		{"http", 0, "http", true},
		{"https", 0, "https", true},
		{" http", 0, "http", true},
		{" https", 0, "https", true},
		{"\nhttp", 1, "http", true},
		{"HTTP", 0, "HTTP", true},
		{"xhttp", 0, "http", true},
		{"xhttps", 0, "https", true},
		{"-http", 0, "http", true},
		{"1http", 0, "http", true},
		{"http", 1, "", false},
		{"https", 1, "", false},
		{"xhttp", 1, "http", true},
		{"xhttp", 2, "", false},
		{"shttp", 0, "http", true},
		{"ftp", 0, "ftp", true},
		{"sftp", 0, "sftp", true},
		{"ftps", 0, "ftps", true},
		{"xsftp", 0, "sftp", true},
		{"acme", 0, "acme", false},
		{"myacme", 0, "acme", false},
		{"x-y", 0, "x-y", false},
		{"a-x-y", 0, "x-y", false},
		// the text before "+" may be any name
		{"git+ssh", 0, "git+ssh", false},
		{"foo+http", 0, "foo+http", true},
		{"foo+bar+http", 0, "foo+bar+http", true},
		{"1foo+http", 0, "foo+http", true},
		{"+http", 0, "http", true},
		{"1+http", 0, "http", true},
		{"foo+unheard", 0, "", false},
		{"http+unheard", 0, "", false},
		{"foo+xhttp", 0, "http", true},
		{"foo+http", 1, "oo+http", true},
		{"http+", 0, "", false},
		// texts without a scheme
		{"", 0, "", false},
		{"unheard", 0, "", false},
		{"http.", 0, "", false},
		{"é", 0, "", false},
		{"httpé", 0, "", false},
		{"éhttp", 0, "http", true},
	} {
		w := []byte(test.in + "://h")
		start, r, ok := f.schemeBefore(w, len(test.in), test.past)
		if ok != (test.want != "") || ok && (string(w[start:len(test.in)]) != test.want || r.host != test.host) {
			t.Errorf("schemeBefore(%q, %d) = %d, %+v, %v, want %q", w, test.past, start, r, ok, test.want)
		}
	}
}
