package serve

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/guard"
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

// The clients of a gateway for strangers do not add pins to those of the user.
func TestAttackPinsOfStrangers(t *testing.T) {
	// attack: A client of a gateway for strangers opens very many servers that sign their own certificates, so that the pins
	// of the user who runs it are full | such a gateway has a file of pins of its own
	for _, test := range []struct {
		policy string
		isOwn  bool // the pins are those of the user
	}{{"", true}, {"public", false}, {"any", false}} {
		e := cli.NewEnv(nil, os.Stdout, os.Stderr)
		variables := map[string]string{"XDG_STATE_HOME": t.TempDir(), "XDG_CACHE_HOME": t.TempDir()}
		e.LookupEnv = func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
		o := Options{Policy: test.policy}
		p, err := o.policy()
		if err != nil {
			t.Fatalf("policy %q: %v", test.policy, err)
		}
		var opened closers
		client, err := o.client(e, p, &guard.Own{}, &opened)
		if err != nil {
			t.Fatalf("policy %q: %v", test.policy, err)
		}
		seen := tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("a"), NotAfter: time.Now().AddDate(1, 0, 0)}}}
		if err := client.Pins.Verify("h:1965", seen); err != nil {
			t.Errorf("policy %q: Verify = %v", test.policy, err)
		}
		if _, err := os.Stat(filepath.Join(e.StateDir(), "certificates")); (err == nil) != test.isOwn {
			t.Errorf("policy %q: the user's file of pins: %v, want it to exist: %v", test.policy, err, test.isOwn)
		}
		if _, err := os.Stat(filepath.Join(e.StateDir(), "strangers", "certificates")); (err == nil) == test.isOwn {
			t.Errorf("policy %q: the other file of pins: %v, want it to exist: %v", test.policy, err, !test.isOwn)
		}
		for _, c := range opened {
			c.Close()
		}
	}
}
