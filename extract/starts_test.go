package extract

import (
	"slices"
	"strings"
	"testing"
)

// Schemes for names that look like hosts. The URLs are also found in the midst of a text, where the text after a URL is
// longer than the beginning that is examined.
func TestNamesOfThings(t *testing.T) {
	const hash = "94a9ed024d3859793618152ea559a168bbcbb5e2"
	for _, test := range []struct {
		in   string
		want []string
	}{
		// RFC 4151
		{"!<tag:yaml.org,2002:int> tag:a@h.example,2001-02-03:x?y TAG:h.example,2005:", []string{"tag:yaml.org,2002:int", "tag:a@h.example,2001-02-03:x?y"}},
		{"tag:h.example tag:h.example,x:y tag:h.example,99:y tag:,2002:x tag:v1.2.3 tag:yaml.org,2002", nil},
		// DID Core §3.1
		{"did:web:example.com (did:plc:44ybard66vv44), did:web:h.example:u:jo/p?q#f", []string{"did:web:example.com", "did:plc:44ybard66vv44", "did:web:h.example:u:jo/p?q#f"}},
		{"he did:nothing did:Web:x did::x did:web: did:web:/x", nil},
		// RFC 7565
		{"acct:foo@h acct:a.b@h.example. acct:j%40h@i.example", []string{"acct:foo@h", "acct:a.b@h.example", "acct:j%40h@i.example"}},
		{"acct:foo acct:@h acct:foo@ acct:a/b@h", nil},
		// RFC 4501
		{"DNS:example.com, dns:*.example.com?type=A dns:_sip._udp.h.example", []string{"DNS:example.com", "dns:*.example.com?type=A", "dns:_sip._udp.h.example"}},
		{"(see dns:h.example) dns:i.example... dns:j.example, dns:k.example;class=IN", []string{"dns:h.example", "dns:i.example", "dns:j.example", "dns:k.example;class=IN"}},
		{"dns:h dns:. dns:a..b dns:a.b,c.d dns:a.b/c dns:a.b:c.d", nil},
		// Package URL (ECMA-427)
		{"pkg:npm/%40scope/foo@1.2.3 pkg:golang/google.golang.org/genproto@abcdef#x, pkg:deb/debian/curl@7?arch=i386", []string{
			"pkg:npm/%40scope/foo@1.2.3", "pkg:golang/google.golang.org/genproto@abcdef#x", "pkg:deb/debian/curl@7?arch=i386",
		}},
		{"pkg:foo pkg:/x pkg:npm/ pkg:1npm/x pkg:npm//", nil},
		// ISO/IEC 18670
		{"swh:1:cnt:" + hash + "; swh:1:dir:" + hash + ";origin=https://h.example/r.", []string{"swh:1:cnt:" + hash, "swh:1:dir:" + hash + ";origin=https://h.example/r"}},
		{"swh:1:cnt:94a9 swh:2:cnt:" + hash + " swh:1:xyz:" + hash + " swh:1:cnt:" + hash + "a", nil},
		// schemes with hosts
		{"mongodb+srv://u:p@h.example/db mongodb+sr://h", []string{"mongodb+srv://u:p@h.example/db"}},
		{"web+foo://bar/x Web+Foo://h web+://h web+1://h", []string{"web+foo://bar/x", "Web+Foo://h"}},
		// AT URIs have a DID where other URLs have a host.
		{"at://did:plc:44ybard66vv44/app.bsky.feed.post/3jw, at://jo.example at://did:web:h.example", []string{
			"at://did:plc:44ybard66vv44/app.bsky.feed.post/3jw", "at://jo.example", "at://did:web:h.example",
		}},
		{"at://did:plc: at://did::x http://did:80/ http://did:x/", []string{"http://did:80/"}},
	} {
		for _, o := range []Options{{}, {Bare: true, Mail: true}} {
			for _, in := range []string{test.in, test.in + strings.Repeat(" and so on", maxStart/8)} {
				if got := texts(collect(t, in, o)); !slices.Equal(got, test.want) {
					t.Errorf("with Bare %v, All(%q) = %q, want %q", o.Bare, in, got, test.want)
				}
			}
		}
	}
}

// A host after the colon of a scheme without hosts belongs to the name, and is not a match.
func TestBareAfterScheme(t *testing.T) {
	for in, want := range map[string][]string{
		"tag:h.example": nil,
		"view-source:h.example about:h.example/x": nil,
		"DID:h.example":                             nil,
		"http:h.example ssh:h.example:22":           {"h.example", "h.example:22"},
		"Site:h.example web:site:h.example":         {"h.example", "h.example"},
		"1:h.example :h.example (see:h.example)":    {"h.example", "h.example", "h.example"},
		"mailto:jo@h.example tag: h.example, tag.h": {"mailto:jo@h.example", "h.example"},
	} {
		if got := texts(collect(t, in, Options{Bare: true})); !slices.Equal(got, want) {
			t.Errorf("All(%q) = %q, want %q", in, got, want)
		}
	}
}

// A DID in the place of a host is escaped in the URL. The text that is written for it has its colons.
func TestDIDAuthority(t *testing.T) {
	for in, want := range map[string]string{
		"at://did:plc:44yb/app.bsky?x:y": "at://did%3Aplc%3A44yb/app.bsky?x:y",
		"at://did:web:h.example":         "at://did%3Aweb%3Ah.example",
		"at://did%3Aweb%3Ah.example/x":   "at://did%3Aweb%3Ah.example/x", // already escaped
		"at://did:web:h%3A80/x":          "at://did%3Aweb%3Ah%3A80/x",
		"http://did:80/a:b":              "http://did:80/a:b",
	} {
		found := collect(t, in, Options{})
		if len(found) != 1 {
			t.Errorf("All(%q) = %q", in, texts(found))
			continue
		}
		u, err := found[0].URL()
		if err != nil || u.String() != want {
			t.Errorf("URL of %q = %v, %v, want %s", in, u, err, want)
		}
		if got := found[0].Output(u); got != in {
			t.Errorf("Output of %q = %q", in, got)
		}
	}
}

// URLs of unknown schemes are found if the caller asks for them.
func TestUnknown(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"unheard://h/x, x-own://user@h:1?y", []string{"unheard://h/x", "x-own://user@h:1?y"}},
		{"randomtexthttp://h/ -foo+bar://h 1abc://h", []string{"randomtexthttp://h/", "foo+bar://h", "abc://h"}},
		{"ipfs://bafy/x at://did:plc:44yb/x own://did:plc:44yb", []string{"ipfs://bafy/x", "at://did:plc:44yb/x", "own://did:plc:44yb"}},
		{"http://h/a,unheard://b;c", []string{"http://h/a", "unheard://b;c"}},
		{"unheard:///x unheard:// unheard://. unheard://{x}/ unheard://h:port/", []string{"unheard:///x"}},
		{"c://x ://h é://h a:b std::vector unheard:x", nil},
	} {
		if got := texts(collect(t, test.in, Options{Unknown: true})); !slices.Equal(got, test.want) {
			t.Errorf("All(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// An ldap URL may have no host (RFC 4516 §2).
func TestLDAP(t *testing.T) {
	want := []string{"ldap:///dc=example", "ldap://h.example/dc=example", "ldaps:///x"}
	if got := texts(collect(t, "ldap:///dc=example, ldap://h.example/dc=example ldaps:///x ldap:x", Options{})); !slices.Equal(got, want) {
		t.Errorf("All = %q, want %q", got, want)
	}
}
