package serve

import (
	"net"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
)

// Without a policy, the gateway opens every scheme. With a policy, it opens the user's own files
// and mail only if a flag names them.
func TestPolicyOpens(t *testing.T) {
	with := func(o Options, change func(*Options)) Options {
		change(&o)
		return o
	}
	for _, test := range []struct {
		options Options
		opens   string
		refuses string
	}{
		{Options{}, "http https ftp file mid cid afs gopher", ""},
		{Options{Schemes: []string{"gopher", "file"}}, "gopher file", "http ftp mid"},
		{Options{Policy: "public"}, "http https ftp gopher", "file mid cid afs telnet sftp"},
		{Options{Policy: "public", Schemes: []string{"sftp"}}, "sftp", "http file"},
		{Options{Policy: "public", Schemes: []string{"gopher"}}, "gopher", "http file"},
		{Options{Policy: "public", Root: "/srv", Schemes: []string{"file"}}, "file", "http"},
		{Options{Policy: "any"}, "http ftp gopher telnet sftp", "file mid cid afs"},
		{Options{Policy: "any", Root: "/srv"}, "file http", "mid cid afs"},
		{with(Options{Policy: "any"}, func(o *Options) { o.Mail = "/mail" }), "mid cid", "file afs"},
	} {
		p, err := test.options.policy()
		if err != nil {
			t.Errorf("policy() of %+v = %v", test.options, err)
			continue
		}
		for _, scheme := range strings.Fields(test.opens) {
			if !p.Opens(scheme) {
				t.Errorf("policy %q, schemes %q, root %q: %s is not opened", test.options.Policy, test.options.Schemes, test.options.Root, scheme)
			}
		}
		for _, scheme := range strings.Fields(test.refuses) {
			if p.Opens(scheme) {
				t.Errorf("policy %q, schemes %q, root %q: %s is opened", test.options.Policy, test.options.Schemes, test.options.Root, scheme)
			}
		}
	}
	for want, o := range map[string]Options{
		`cannot open the scheme "nope"`:                   {Schemes: []string{"nope"}},
		"--scheme file needs --root":                      {Policy: "public", Schemes: []string{"gopher", "file"}},
		"--scheme cid needs --mail":                       {Policy: "any", Schemes: []string{"cid"}},
		"--scheme afs needs no --policy":                  {Policy: "any", Schemes: []string{"afs"}},
		"--root needs --scheme file":                      {Policy: "public", Root: "/srv"},
		"--mail needs --scheme mid":                       with(Options{Policy: "public"}, func(o *Options) { o.Mail = "/mail" }),
		"--policy public cannot be combined with --proxy": with(Options{Policy: "public"}, func(o *Options) { o.Proxy = "socks5://h" }),
	} {
		if _, err := o.policy(); !flags.IsMisuse(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// The error for a gateway without a policy that others can reach names the policies.
func TestExposed(t *testing.T) {
	err := errExposed(&net.TCPAddr{IP: net.IPv4zero, Port: 1738})
	if !flags.IsMisuse(err) || !strings.Contains(err.Error(), "0.0.0.0:1738") || !strings.Contains(cli.Hint(err), "--policy public") {
		t.Errorf("%v, hint %q", err, cli.Hint(err))
	}
}
