package check

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
)

func TestDomains(t *testing.T) {
	for _, test := range []struct {
		list string
		want []string
	}{
		{"", nil},
		{"a", nil},
		{"a@x", []string{"x"}},
		{"a@x,b@y", []string{"x", "y"}},
		{"a@x , b@y ", []string{"x", "y"}},
		{"a@x,b,c@z", []string{"x", "z"}},
		{`"a@q"@x`, []string{"x"}},
		{`"a,b@q"@x,c@y`, []string{"x", "y"}},
		{`"a\"@q,\"b"@x`, []string{"x"}},
		{`a@[192.0.2.1]`, []string{"[192.0.2.1]"}},
	} {
		if got := slices.Collect(domains(test.list)); !slices.Equal(got, test.want) {
			t.Errorf("domains(%q) = %q, want %q", test.list, got, test.want)
		}
	}
	for d := range domains("a@x,b@y") {
		if d != "x" {
			t.Errorf("domains yields %q after the caller stopped", d)
		}
		break
	}
}

// lookups is a Resolver that knows one domain.
type lookups struct {
	mx            []string
	mxErr, hostOf error
}

func (l lookups) LookupMX(context.Context, string) (all []*net.MX, err error) {
	for _, host := range l.mx {
		all = append(all, &net.MX{Host: host})
	}
	return all, l.mxErr
}

func (l lookups) LookupHost(context.Context, string) ([]string, error) { return nil, l.hostOf }

// A domain accepts mail if it has a mail exchanger or an address. If the lookup fails, the link is unchecked.
func TestMailDomain(t *testing.T) {
	none := &net.DNSError{Err: "no such host", Name: "d", IsNotFound: true}
	broken := &net.DNSError{Err: "server misbehaving", Name: "d"}
	other := errors.New("other")
	for _, test := range []struct {
		name string
		r    lookups
		d    string
		want string
	}{
		{"one exchanger", lookups{mx: []string{"m."}}, "d", ""},
		{"some beside a bad one", lookups{mx: []string{"m."}, mxErr: broken}, "d", ""},
		{"null", lookups{mx: []string{"."}}, "d", "d accepts no mail"},
		{"empty", lookups{mx: []string{""}}, "d", "d accepts no mail"},
		{"null among others", lookups{mx: []string{".", "m."}}, "d", ""},
		{"an address", lookups{mxErr: none}, "d", ""},
		{"an address, and no answer", lookups{}, "d", ""},
		{"nothing", lookups{mxErr: none, hostOf: none}, "d", "d has neither a mail exchanger nor an address"},
		{"broken", lookups{mxErr: broken}, "d", "lookup d: server misbehaving"},
		{"other", lookups{mxErr: other}, "d", "other"},
		{"no exchanger, then broken", lookups{mxErr: none, hostOf: broken}, "d", "lookup d: server misbehaving"},
		{"no exchanger, then other", lookups{mxErr: none, hostOf: other}, "d", "other"},
		{"an address literal", lookups{mxErr: other}, "[192.0.2.1]", ""},
	} {
		v := &visit{runner: &runner{Checker: &Checker{Resolver: test.r}}}
		got := ""
		if err := v.checkDomain(t.Context(), test.d); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: the error is %q, want %q", test.name, got, test.want)
		}
	}
}
