package serve

import (
	"net"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
)

// What a policy opens: without one everything, with one never the user's own files and mail,
// unless a flag names them.
func TestPolicyOpens(t *testing.T) {
	with := func(o Options, change func(*Options)) Options {
		change(&o)
		return o
	}
	for _, tt := range []struct {
		options Options
		opens   string
		refuses string
	}{
		{Options{}, "http https ftp file mid cid afs gopher", ""},
		{Options{Schemes: []string{"gopher", "file"}}, "gopher file", "http ftp mid"},
		{Options{Policy: "public"}, "http https ftp gopher", "file mid cid afs telnet"},
		{Options{Policy: "public", Schemes: []string{"gopher", "file"}}, "gopher", "http file"},
		{Options{Policy: "public", Root: "/srv", Schemes: []string{"file"}}, "file", "http"},
		{Options{Policy: "any"}, "http ftp gopher telnet", "file mid cid afs"},
		{Options{Policy: "any", Root: "/srv"}, "file http", "mid cid afs"},
		{with(Options{Policy: "any"}, func(o *Options) { o.Mail = "/mail" }), "mid cid", "file afs"},
	} {
		p, err := tt.options.policy()
		if err != nil {
			t.Errorf("%+v: %v", tt.options, err)
			continue
		}
		for _, scheme := range strings.Fields(tt.opens) {
			if !p.opens(scheme) {
				t.Errorf("policy %q, schemes %q, root %q: %s is not opened", tt.options.Policy, tt.options.Schemes, tt.options.Root, scheme)
			}
		}
		for _, scheme := range strings.Fields(tt.refuses) {
			if p.opens(scheme) {
				t.Errorf("policy %q, schemes %q, root %q: %s is opened", tt.options.Policy, tt.options.Schemes, tt.options.Root, scheme)
			}
		}
	}
	for want, o := range map[string]Options{
		`no scheme "nope" can be opened`:   {Schemes: []string{"nope"}},
		"--policy public excludes --proxy": with(Options{Policy: "public"}, func(o *Options) { o.Proxy = "socks5://h" }),
	} {
		if _, err := o.policy(); !cli.IsMisuse(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// An address that others reach wants a policy.
func TestCheckAddress(t *testing.T) {
	for _, tt := range []struct {
		address, policy string
		isRefused       bool
	}{
		{"127.0.0.1:1738", "", false},
		{"[::1]:1738", "", false},
		{"[::ffff:127.0.0.1]:1738", "", false},
		{"0.0.0.0:1738", "", true},
		{"[::]:1738", "", true},
		{"192.0.2.1:1738", "", true},
		{"192.0.2.1:1738", "public", false},
		{"[::]:1738", "any", false},
	} {
		at, err := net.ResolveTCPAddr("tcp", tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if err := (Options{Policy: tt.policy}).checkAddress(at); (err != nil) != tt.isRefused || err != nil && !cli.IsMisuse(err) {
			t.Errorf("%s with the policy %q: %v", tt.address, tt.policy, err)
		}
	}
}

// What others ask for takes no longer than half an hour unless somebody says so.
func TestTimeout(t *testing.T) {
	for _, tt := range []struct {
		options Options
		want    time.Duration
	}{
		{Options{}, 0},
		{Options{RequestTimeout: 5 * time.Second}, 5 * time.Second},
		{Options{Policy: "public"}, 30 * time.Minute},
		{Options{Policy: "any"}, 30 * time.Minute},
		{Options{Policy: "public", RequestTimeout: 2 * time.Hour}, 2 * time.Hour},
	} {
		if got := tt.options.timeout(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.options, got, tt.want)
		}
	}
}
