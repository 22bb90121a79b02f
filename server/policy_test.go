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

// Other people never open the user's own files and mail, unless the Policy says so.
func TestPolicyOpens(t *testing.T) {
	added := access.Schemes{"finger": {Port: 79, Remote: true}, "vault": {}}
	for _, tt := range []struct {
		policy         server.Policy
		opens, refuses string
	}{
		{server.Policy{}, "http https ftp file mid cid afs gopher telnet", ""},
		{server.Policy{Schemes: []string{"gopher", "file"}}, "gopher file", "http ftp mid"},
		{server.Policy{Kind: server.Public}, "http ftp gopher", "file mid cid afs"},
		{server.Policy{Kind: server.Public, Schemes: []string{"gopher", "file"}}, "gopher", "http file"},
		{server.Policy{Kind: server.Public, Schemes: []string{"file"}, Files: true}, "file", "http"},
		{server.Policy{Kind: server.Any}, "http ftp gopher telnet", "file mid cid afs"},
		{server.Policy{Kind: server.Any, Files: true}, "file http", "mid cid afs"},
		{server.Policy{Kind: server.Any, Mail: true}, "mid cid http", "file afs"},
		{server.Policy{Kind: server.Any, Added: added}, "finger http", "vault unknown"},
		{server.Policy{Added: added}, "finger vault", ""},
	} {
		for _, scheme := range strings.Fields(tt.opens) {
			if !tt.policy.Opens(scheme) {
				t.Errorf("%+v: %s is not opened", tt.policy, scheme)
			}
		}
		for _, scheme := range strings.Fields(tt.refuses) {
			if tt.policy.Opens(scheme) {
				t.Errorf("%+v: %s is opened", tt.policy, scheme)
			}
		}
	}
}

// A gateway without bounds is for this machine alone.
func TestPolicyMayListen(t *testing.T) {
	for _, tt := range []struct {
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
		at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tt.address))
		if got := (server.Policy{Kind: tt.kind}).MayListen(at); got != tt.want {
			t.Errorf("the kind %q at %s: %v, want %v", tt.kind, tt.address, got, tt.want)
		}
	}
}

// What others ask for takes no longer than half an hour unless somebody says so.
func TestPolicyTimeout(t *testing.T) {
	for _, tt := range []struct {
		kind         server.Kind
		chosen, want time.Duration
	}{
		{server.Own, 0, 0},
		{server.Own, 5 * time.Second, 5 * time.Second},
		{server.Public, 0, 30 * time.Minute},
		{server.Any, 0, 30 * time.Minute},
		{server.Public, 2 * time.Hour, 2 * time.Hour},
	} {
		if got := (server.Policy{Kind: tt.kind}).Timeout(tt.chosen); got != tt.want {
			t.Errorf("the kind %q with %v: %v, want %v", tt.kind, tt.chosen, got, tt.want)
		}
	}
}
