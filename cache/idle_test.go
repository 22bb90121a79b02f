package cache_test

import (
	"net/http"
	"testing"

	"locus/cache"
)

// An idler counts how often it is told to close what is idle.
type idler struct {
	http.RoundTripper
	closed int
}

func (i *idler) CloseIdleConnections() { i.closed++ }

// The Transport of a Web is told to close idle connections, if it can.
func TestCloseIdleConnections(t *testing.T) {
	rt := new(idler)
	(&http.Client{Transport: &cache.Web{Transport: rt}}).CloseIdleConnections()
	if rt.closed != 1 {
		t.Errorf("CloseIdleConnections told the Transport %d times, want once", rt.closed)
	}
	(&cache.Web{}).CloseIdleConnections()
	(&cache.Web{Transport: struct{ http.RoundTripper }{}}).CloseIdleConnections()
}
