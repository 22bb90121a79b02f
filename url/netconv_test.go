package url

import (
	neturl "net/url"
	"slices"
	"testing"
)

// What net/url would not write back as it is, part by part.
func TestNetLosses(t *testing.T) {
	for in, want := range map[string][]PartName{
		"http://h/a?b#c":      nil,
		"":                    nil,
		"?":                   nil,
		"a/b":                 nil,
		"//h/a":               nil,
		"x:opaque?q#f":        nil,
		"http://h:/":          nil,
		"http://u:p@h/":       nil,
		"http://h/%61":        nil, // kept in RawPath
		"http://h/#%61":       nil, // kept in RawFragment
		"Http://h/":           {Scheme},
		"http://%75:%70@h/":   {User, Password},
		"http://%c3%a9/":      {Host},
		"http://h#":           {Fragment},
		"HTTP://%75@%c3%a9/#": {Scheme, User, Host, Fragment},
	} {
		n, lost, err := MustParse(in).Net()
		if err != nil || !slices.Equal(lost, want) {
			t.Errorf("Net(%q) = %v, loses %v, %v; want it to lose %v", in, n, lost, err, want)
			continue
		}
		u, fields, err := FromNet(n)
		if err != nil || len(fields) > 0 || len(lost) == 0 && u.String() != in {
			t.Errorf("FromNet(Net(%q)) = %q, loses %v, %v", in, u, fields, err)
		}
	}
}

// FromNet names each field of net/url's that contradicts another.
func TestFromNetLosses(t *testing.T) {
	for _, test := range []struct {
		in   neturl.URL
		text string
		want []string
	}{
		{neturl.URL{}, "", nil},
		{neturl.URL{Path: "a:b"}, "./a:b", []string{"Path"}},
		{neturl.URL{Path: "//a"}, "//a", []string{"Host", "Path"}}, // net/url makes a host of it
		{neturl.URL{Scheme: "http", Host: "h", Path: "a"}, "http://h/a", []string{"Path"}},
		{neturl.URL{Scheme: "http", Host: "h", Path: "/%"}, "http://h/%25", nil},
		{neturl.URL{Scheme: "http", Host: "h", ForceQuery: true}, "http://h?", nil},
		{neturl.URL{Scheme: "http", Host: "h", RawQuery: "a=b"}, "http://h?a=b", nil},
		{neturl.URL{Scheme: "http", Host: "h", User: neturl.UserPassword("u", "")}, "http://u:@h", nil},
		{neturl.URL{Scheme: "http", Host: "h", Fragment: "a b", RawFragment: "x"}, "http://h#a%20b", []string{"RawFragment"}},
	} {
		u, lost, err := FromNet(&test.in)
		if err != nil || u.String() != test.text || !slices.Equal(lost, test.want) {
			t.Errorf("FromNet(%+v) = %q, loses %v, %v; want %q, %v", test.in, u, lost, err, test.text, test.want)
		}
	}
	for _, bad := range []neturl.URL{{Scheme: "x", Path: "a b"}, {Scheme: "1", Host: "h"}, {Scheme: "http", Host: "h", RawQuery: "a b#"}, {Scheme: "http", Host: "h", RawQuery: "%"}} {
		if u, _, err := FromNet(&bad); err == nil {
			t.Errorf("FromNet(%+v) = %q, want an error", bad, u)
		}
	}
}
