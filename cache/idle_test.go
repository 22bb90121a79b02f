package cache_test

import (
	"net/http"
	"testing"

	"locus/access"
	"locus/cache"
)

// An idler counts how often it is told to close what is idle.
type idler struct {
	access.Engine
	http.RoundTripper
	closed int
}

func (i *idler) CloseIdleConnections() { i.closed++ }

// What a cache is around is told to close idle connections, if it can.
func TestCloseIdleConnections(t *testing.T) {
	o, rt := new(idler), new(idler)
	access.CloseIdleConnections(access.Follow{Engine: &cache.Cache{Engine: o}})
	(&http.Client{Transport: &cache.Web{Transport: rt}}).CloseIdleConnections()
	if o.closed != 1 || rt.closed != 1 {
		t.Errorf("CloseIdleConnections told the Opener %d times and the Transport %d times, want once each", o.closed, rt.closed)
	}
	access.CloseIdleConnections(&cache.Cache{})
	access.CloseIdleConnections(&cache.Cache{Engine: access.GetFunc(nil)})
	(&cache.Web{}).CloseIdleConnections()
}
