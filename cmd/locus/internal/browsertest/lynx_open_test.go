package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing"

	"locus/internal/peers"
)

// lynx opens a URL with the ticket that locus open gets, without a question and although it accepts no
// cookie. The links of the page lead to the server of the URL. The ticket is valid once.
func TestLynxTicket(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>T</title><p>an inner page <a href="beside.html">a link</a>`)
	}))
	defer site.Close()
	at := startServe(t, "--allow-port", portOf(site.URL))
	target := site.URL + "/folder/page.html"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/-/ticket?url="+neturl.QueryEscape(target), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ticket, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	page := at + "/-/open?url=" + neturl.QueryEscape(target) + "&ticket=" + string(ticket)
	text, err := peers.Lynx(t, nil, "-dump", "-cookies=off", page)
	if want := at + "/" + site.URL + "/folder/beside.html"; err != nil || !strings.Contains(text, "an inner page") || !strings.Contains(text, want) {
		t.Errorf("lynx with a ticket: %v, want the page with a link to %s\n%s", err, want, text)
	}
	if text, err := peers.Lynx(t, nil, "-dump", "-cookies=off", page); !strings.Contains(text, "Open this URL?") {
		t.Errorf("lynx with a used ticket: %v, want the question\n%s", err, text)
	}
}
