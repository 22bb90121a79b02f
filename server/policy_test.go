package server_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/server"
)

// Other people open the user's own files and mail only if the Policy allows it.
func TestPolicyOpens(t *testing.T) {
	added := access.Schemes{"finger": {Port: 79, Remote: true}, "vault": {}}
	for _, test := range []struct {
		policy         server.Policy
		opens, refuses string
	}{
		{server.Policy{}, "http https ftp file mid cid afs gopher telnet sftp", ""},
		{server.Policy{Schemes: []string{"gopher", "file"}}, "gopher file", "http ftp mid"},
		{server.Policy{Kind: server.Public}, "http ftp gopher", "file mid cid afs sftp"},
		{server.Policy{Kind: server.Public, Schemes: []string{"sftp"}}, "sftp", "http"},
		{server.Policy{Kind: server.Public, Schemes: []string{"gopher", "file"}}, "gopher", "http file"},
		{server.Policy{Kind: server.Public, Schemes: []string{"file"}, Files: true}, "file", "http"},
		{server.Policy{Kind: server.Any}, "http ftp gopher telnet sftp", "file mid cid afs"},
		{server.Policy{Kind: server.Any, Files: true}, "file http", "mid cid afs"},
		{server.Policy{Kind: server.Any, Mail: true}, "mid cid http", "file afs"},
		{server.Policy{Kind: server.Any, Added: added}, "finger http", "vault unknown"},
		{server.Policy{Added: added}, "finger vault", ""},
	} {
		for _, scheme := range strings.Fields(test.opens) {
			if !test.policy.Opens(scheme) {
				t.Errorf("%+v: %s is not opened", test.policy, scheme)
			}
		}
		for _, scheme := range strings.Fields(test.refuses) {
			if test.policy.Opens(scheme) {
				t.Errorf("%+v: %s is opened", test.policy, scheme)
			}
		}
	}
}

// A gateway of kind Own listens on loopback only.
func TestPolicyMayListen(t *testing.T) {
	for _, test := range []struct {
		kind    server.Kind
		address string
		want    bool
	}{
		{server.Own, "127.0.0.1:1738", true},
		{server.Own, "[::1]:1738", true},
		{server.Own, "0.0.0.0:1738", false},
		{server.Own, "192.0.2.1:1738", false},
		{server.Public, "192.0.2.1:1738", true},
		{server.Any, "[::]:1738", true},
	} {
		at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(test.address))
		if got := (server.Policy{Kind: test.kind}).MayListen(at); got != test.want {
			t.Errorf("the kind %q at %s: %v, want %v", test.kind, test.address, got, test.want)
		}
		if got := (server.Policy{Kind: test.kind, Proxied: true}).MayListen(at); got != (test.kind != server.Own) {
			t.Errorf("the kind %q at %s behind a proxy: %v", test.kind, test.address, got)
		}
	}
}

// The time limit of requests by other people is half an hour, unless the user chooses another.
func TestPolicyTimeout(t *testing.T) {
	for _, test := range []struct {
		kind         server.Kind
		chosen, want time.Duration
	}{
		{server.Own, 0, 0},
		{server.Own, 5 * time.Second, 5 * time.Second},
		{server.Public, 0, 30 * time.Minute},
		{server.Any, 0, 30 * time.Minute},
		{server.Public, 2 * time.Hour, 2 * time.Hour},
	} {
		if got := (server.Policy{Kind: test.kind}).Timeout(test.chosen); got != test.want {
			t.Errorf("the kind %q with %v: %v, want %v", test.kind, test.chosen, got, test.want)
		}
	}
}
