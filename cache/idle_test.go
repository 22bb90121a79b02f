package cache_test

import (
	"net/http"
	"testing"

	"locus/cache"
)

// An idler counts calls of CloseIdleConnections.
type idler struct {
	http.RoundTripper
	closed int
}

func (i *idler) CloseIdleConnections() { i.closed++ }

// Web.CloseIdleConnections calls CloseIdleConnections of its Transport.
func TestCloseIdleConnections(t *testing.T) {
	rt := new(idler)
	(&http.Client{Transport: &cache.Web{Transport: rt}}).CloseIdleConnections()
	if rt.closed != 1 {
		t.Errorf("CloseIdleConnections told the Transport %d times, want once", rt.closed)
	}
	(&cache.Web{}).CloseIdleConnections()
	(&cache.Web{Transport: struct{ http.RoundTripper }{}}).CloseIdleConnections()
}
