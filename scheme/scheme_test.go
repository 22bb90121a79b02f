package scheme_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// Lookup returns the facts that the documents state about every scheme.
//
// req: 1738-3.1-5, 1738-4-3, 1738-2.3-1, 1738-2.2-4, 1630-urn-1, 1630-inter-1
func TestLookup(t *testing.T) {
	const (
		object  = scheme.Object
		partial = scheme.Object | scheme.Relative
		levels  = scheme.Object | scheme.Relative | scheme.Hierarchical
		rooted  = levels | scheme.EmptyPathIsRoot
	)
	cases := []struct {
		name   string
		port   uint16
		secure string
		flags  scheme.Flags
		bytes  string
		view   bool
	}{
		{"afs", 0, "", levels | scheme.Reserved | scheme.EmptyPathIsRoot, "/", true},
		{"cid", 0, "", object | scheme.Reserved, "", true},
		{"cso", 105, "", object, "", true},
		{"data", 0, "", object, "", true},
		{"dict", 2628, "", object, ":", true},
		{"file", 0, "", levels, "/;", true},
		{"finger", 79, "", object, "", true},
		{"ftp", 21, "ftps", rooted, "/;", true},
		{"ftpes", 21, "", rooted | scheme.TLS, "/;", true},
		{"ftps", 990, "", rooted | scheme.TLS, "/;", true},
		{"gemini", 1965, "", rooted | scheme.TLS, "/", true},
		{"gopher", 70, "gophers", object, "", true},
		{"gophers", 70, "", object | scheme.TLS, "", true},
		{"http", 80, "https", rooted, "/;?", true},
		{"https", 443, "", rooted | scheme.TLS, "/;?", true},
		{"imap", 143, "imaps", object, "/;?", true},
		{"imaps", 993, "", object | scheme.TLS, "/;?", true},
		{"mailserver", 0, "", scheme.Address | scheme.Reserved, "/", true},
		{"mailto", 0, "", scheme.Address, "", true},
		{"mid", 0, "", object | scheme.Reserved, "/", true},
		{"news", 0, "snews", partial, "@", true},
		{"nfs", 2049, "", levels | scheme.Reserved, "/", true},
		{"nntp", 119, "nntps", partial, "/", true},
		{"nntps", 563, "", partial | scheme.TLS, "/", true},
		{"prospero", 1525, "", object, ";=", true},
		{"rlogin", 513, "", scheme.Session, "", true},
		{"sftp", 22, "", rooted | scheme.TLS, "/;", true},
		{"snews", 563, "", partial | scheme.TLS, "@", true},
		{"telnet", 23, "", scheme.Session, "", true},
		{"titan", 1965, "", rooted&^object | scheme.Upload | scheme.TLS, "/;=", true},
		{"tn3270", 23, "", scheme.Session | scheme.Reserved, "", true},
		{"urn", 0, "", scheme.Reserved, "/:?", true},
		{"wais", 210, "", partial, "/?", true},
		{"z39.50", 210, "", scheme.Reserved, "", false},
		{"z39.50r", 210, "", object | scheme.EmptyPathIsRoot, ";?=", true},
		{"z39.50s", 210, "", object | scheme.EmptyPathIsRoot, ";?=", true},
	}
	for i, test := range cases {
		for _, name := range []string{test.name, strings.ToUpper(test.name)} {
			s, ok := scheme.Lookup(name)
			if !ok || s.Name != test.name || s.Port != test.port || s.Secure != test.secure || s.Flags != test.flags || s.Delims != test.bytes ||
				(s.Parse != nil) != test.view || s.Spec == "" {
				t.Errorf("Lookup(%q) = %+v, %v; want %+v", name, s, ok, test)
			}
		}
		if got := scheme.All()[i].Name; got != test.name {
			t.Errorf("All()[%d] = %q, want %q", i, got, test.name)
		}
	}
	if n := len(scheme.All()); n != len(cases) {
		t.Errorf("len(All()) = %d, want %d", n, len(cases))
	}
	for _, name := range []string{"", "htt", "httpx", "zz", "aaa"} {
		if s, ok := scheme.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %+v, want no scheme", name, s)
		}
	}
	for _, s := range scheme.All() {
		if twin, ok := scheme.Lookup(s.Secure); s.Secure != "" && (!ok || !twin.Flags.Has(scheme.TLS)) {
			t.Errorf("secure twin of %q = %+v, want a scheme over TLS", s.Name, twin)
		}
	}
}

// req: 1738-4-1
func TestLookupExperimental(t *testing.T) {
	s, ok := scheme.Lookup("X-Try")
	if !ok || s.Name != "x-try" || s.Flags != scheme.Experimental {
		t.Errorf("Lookup(X-Try) = %+v, %v; want an experimental scheme", s, ok)
	}
}

func TestFlagsString(t *testing.T) {
	for _, test := range []struct {
		flags scheme.Flags
		want  string
	}{
		{0, ""},
		{scheme.Session, "session"},
		{scheme.Object | scheme.Relative | scheme.Hierarchical | scheme.TLS, "hierarchical,relative,object,tls"},
		{scheme.Experimental | scheme.Reserved | scheme.Address | scheme.EmptyPathIsRoot, "address,empty-path-is-root,reserved,experimental"},
	} {
		if got := test.flags.String(); got != test.want {
			t.Errorf("Flags(%d).String() = %q, want %q", test.flags, got, test.want)
		}
	}
}

// Reserved, experimental and unknown schemes have no view. Relative references have none either. The error of Parse
// gives the reason.
//
// req: 1738-4-3
func TestParseNoView(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"z39.50:x", `the name "z39.50" is only reserved (RFC 1738 §4): no view of its URLs`},
		{"x-try:x", `scheme "x-try" (RFC 1738 §4): no view of its URLs`},
		{"magic://a/b", `unknown scheme "magic": no view of its URLs`},
		{"/a", "a relative reference: no view of its URLs"},
		{"", "a relative reference: no view of its URLs"},
	} {
		v, err := scheme.Parse(url.MustParse(test.text))
		if v != nil || !errors.Is(err, errors.ErrUnsupported) || err.Error() != test.want {
			t.Errorf("Parse(%q) = %v, %v; want the error %q", test.text, v, err, test.want)
		}
	}
}

// A finger is the view of a scheme that the program adds: finger://host/user.
type finger struct{ Host, User string }

func (v finger) URL() url.URL {
	u, _ := url.RFC3986.Build(url.Parts{Scheme: url.Some("x-finger"), Host: url.Some(v.Host), Path: "/" + url.Escape(v.User, url.Set{}.With("abc"))})
	return u
}

func parseFinger(u url.URL) (scheme.View, error) {
	host, _ := u.Host()
	user, err := url.Unescape(strings.TrimPrefix(u.Path(), "/"))
	return finger{host, user}, err
}

// A program adds a scheme as a value that maps URLs to views and back.
//
// req: 1738-4-1, 1630-reg-1
func TestTable(t *testing.T) {
	table := scheme.Table{
		"x-finger": {
			Name: "x-finger", Port: 79, Flags: scheme.Object | scheme.Experimental, Parse: parseFinger,
			Judge: func(u url.URL) error {
				if u.Path() == "/" {
					return errors.New("a user is wanted")
				}
				return nil
			},
		},
		"ftp": {Name: "ftp", Port: 2121},
	}
	u := url.MustParse("X-Finger://h:79/a%20b")
	v, err := table.Parse(u)
	if want := (finger{"h", "a b"}); err != nil || v != want {
		t.Errorf("Parse(%q) = %v, %v; want %v", u, v, err, want)
	}
	if got, want := v.URL().String(), "x-finger://h/a%20b"; got != want {
		t.Errorf("URL() = %q, want %q", got, want)
	}
	s, ok := table.Lookup("X-FINGER")
	if !ok || s.Port != 79 {
		t.Errorf("Lookup(X-FINGER) = %+v, %v, want port 79", s, ok)
	}
	facts := s.Facts(url.RFC3986)
	if got, want := u.Normalize(url.AllRewrites, facts).String(), "x-finger://h/a%20b"; got != want {
		t.Errorf("Normalize(%q) = %q, want %q", u, got, want)
	}
	if !equivalentBy(u, v.URL(), facts) || equivalent(u, v.URL()) {
		t.Errorf("%q and %q are not equivalent by the table, or are equivalent without it", u, v.URL())
	}
	if s, _ := table.Lookup("ftp"); s.Port != 2121 {
		t.Errorf("port of ftp in the table = %d, want 2121", s.Port)
	}
	if s, _ := scheme.Lookup("ftp"); s.Port != 21 {
		t.Errorf("port of ftp in the package = %d, want 21", s.Port)
	}
	if got := scheme.JSON(v); got != v {
		t.Errorf("JSON of a view of another package = %v, want the view", got)
	}
	bad, _ := url.RFC1738.Parse("x-finger://h/")
	if table.Judge(bad) == nil || scheme.Judge(bad) != nil {
		t.Errorf("Judge of %q does not fail with the table, or fails without it", bad)
	}
}

// A caller may change the result of All.
func TestAllIsACopy(t *testing.T) {
	scheme.All()[0].Name = "changed"
	if !slices.IsSortedFunc(scheme.All(), func(a, b scheme.Scheme) int { return strings.Compare(a.Name, b.Name) }) || scheme.All()[0].Name != "afs" {
		t.Errorf("All()[0] after a change of the result = %q, want afs", scheme.All()[0].Name)
	}
}

// The parser of a view refuses URLs of other schemes.
func TestParseChecksScheme(t *testing.T) {
	u := url.MustParse("magic://h/1")
	for name, parse := range map[string]func(url.URL) error{
		"ftp":      func(u url.URL) error { _, err := scheme.ParseFTP(u); return err },
		"http":     func(u url.URL) error { _, err := scheme.ParseHTTP(u); return err },
		"gopher":   func(u url.URL) error { _, err := scheme.ParseGopher(u); return err },
		"mailto":   func(u url.URL) error { _, err := scheme.ParseMailto(u); return err },
		"news":     func(u url.URL) error { _, err := scheme.ParseNews(u); return err },
		"nntp":     func(u url.URL) error { _, err := scheme.ParseNNTP(u); return err },
		"telnet":   func(u url.URL) error { _, err := scheme.ParseTelnet(u); return err },
		"wais":     func(u url.URL) error { _, err := scheme.ParseWAIS(u); return err },
		"z39.50s":  func(u url.URL) error { _, err := scheme.ParseZ3950(u); return err },
		"file":     func(u url.URL) error { _, err := scheme.ParseFile(u); return err },
		"prospero": func(u url.URL) error { _, err := scheme.ParseProspero(u); return err },
		"mid":      func(u url.URL) error { _, err := scheme.ParseMid(u); return err },
		"cid":      func(u url.URL) error { _, err := scheme.ParseCid(u); return err },
		"urn":      func(u url.URL) error { _, err := scheme.ParseURN(u); return err },
	} {
		if err := parse(u); err == nil || !strings.Contains(err.Error(), `the scheme "`+name+`"`) {
			t.Errorf("the parser of %s with %q = %v, want an error that names the scheme", name, u, err)
		}
	}
}
