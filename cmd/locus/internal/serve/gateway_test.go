package serve

import (
	"strings"
	"testing"

	"locus"
	"locus/server"
)

// The flags for pages set the fields of the gateway. Impossible values are refused.
func TestGatewayPages(t *testing.T) {
	const search = "gopher://h/7/find"
	o := Options{Archive: "https://archive.example/{url}", GopherSearch: search}
	g, err := o.gateway(&locus.Client{}, server.Policy{Kind: server.Public})
	if err != nil || g.Archive != o.Archive || g.GopherSearch.String() != search || !g.Shared {
		t.Errorf("= %+v, %v", g, err)
	}
	if g, err := (Options{}).gateway(&locus.Client{}, server.Policy{}); err != nil || g.Archive != "" || !g.GopherSearch.IsZero() || g.Shared {
		t.Errorf("gateway() without flags = %+v, %v", g, err)
	}
	if g, err := (Options{Sessions: 3, PerClient: 5}).gateway(&locus.Client{}, server.Policy{}); err != nil || g.Sessions.PerClient != 3 || g.MaxPerClient != 5 {
		t.Errorf("gateway() with --sessions 3 --per-client 5 = %+v, %v", g, err)
	}
	for _, o := range []Options{{Archive: "https://archive.example/"}, {GopherSearch: "gopher://h/1/menu"}, {GopherSearch: "words"}, {GopherSearch: ":"}} {
		if _, err := o.gateway(&locus.Client{}, server.Policy{}); err == nil || !strings.Contains(err.Error(), "must be") {
			t.Errorf("gateway() of %+v = %v, want an error", o, err)
		}
	}
}
