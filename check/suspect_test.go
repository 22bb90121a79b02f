package check_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"locus/check"
)

// A refusal by a wall against bots does not make a page dead.
func TestBotWall(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		var field, value string
		_, _ = fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%d %s %s", &code, &field, &value)
		if field != "" {
			w.Header().Set(field, value)
		}
		w.WriteHeader(code)
	})
	for _, test := range []struct{ path, want string }{
		{"/403", "dead: 403 Forbidden"},
		{"/503", "dead: 503 Service Unavailable"},
		{"/429", "bot-wall: 429 Too Many Requests"},
		{"/403/Server/nginx", "dead: 403 Forbidden"},
		{"/403/Cf-Mitigated/challenge", "bot-wall: 403 Forbidden, by the bot wall of Cloudflare"},
		{"/503/Server/cloudflare", "bot-wall: 503 Service Unavailable, by the bot wall of Cloudflare"},
		{"/403/Server/AkamaiGHost", "bot-wall: 403 Forbidden, by the bot wall of Akamai"},
		{"/403/X-DataDome/protected", "bot-wall: 403 Forbidden, by the bot wall of DataDome"},
		{"/404/Server/cloudflare", "dead: 404 Not Found"},
		{"/500/Server/cloudflare", "dead: 500 Internal Server Error"},
		{"/200/Server/cloudflare", "good"},
		{"/202", "good"},
		{"/405", "dead: 405 Method Not Allowed"},
		{"/202/X-Amzn-Waf-Action/challenge", "bot-wall: 202 Accepted, by the bot wall of AWS WAF"},
		{"/405/X-Amzn-Waf-Action/captcha", "bot-wall: 405 Method Not Allowed, by the bot wall of AWS WAF"},
		{"/403/X-Vercel-Mitigated/deny", "bot-wall: 403 Forbidden, by the bot wall of Vercel"},
		{"/429/X-Vercel-Mitigated/challenge", "bot-wall: 429 Too Many Requests, by the bot wall of Vercel"},
		{"/202/Sg-Captcha/challenge", "bot-wall: 202 Accepted, by the bot wall of SiteGround"},
		{"/200/X-Iinfo/1-2-3", "good"}, // Imperva and DataDome also mark the pages that they let through
		{"/200/X-DataDome/protected", "good"},
	} {
		c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1}}
		status, reason, _ := strings.Cut(test.want, ":")
		want := status + " " + test.path
		if reason != "" {
			want += ":" + reason
		}
		if got := strings.ReplaceAll(one(t, c, s.URL+test.path), s.URL, ""); got != want {
			t.Errorf("check of %s gives %q, want %q", test.path, got, want)
		}
	}
}

// A status in Accept is good, even if the response is a challenge.
func TestAcceptedChallenge(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amzn-Waf-Action", "challenge")
		w.WriteHeader(http.StatusAccepted)
	})
	c := &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Accept: []int{202}}}
	if got, want := one(t, c, s.URL+"/"), "good "+s.URL+"/"; got != want {
		t.Errorf("check of a challenge with an accepted status gives %q, want %q", got, want)
	}
}

// Some bot walls send a challenge with the status of a success. A link to a fragment or a text of the page that is
// behind the wall is not dead.
func TestWallPages(t *testing.T) {
	long := strings.Repeat("<p>The administrator of this site protects it against programs.", 10)
	walls := map[string]string{
		"/anubis":   `<title>Making sure you're not a bot!</title><script id="anubis_challenge" type="application/json">{}</script>` + long,
		"/fastly":   `<title>Client Challenge</title><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script>` + long,
		"/imperva":  `<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=23">Incapsula incident ID: 1-2</iframe>` + long,
		"/imperva1": `<script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,719d34d31c8e3a6e6fffd425f7e032f3"></script>` + long,
		"/f5":       `<title>Request Rejected</title>The requested URL was rejected.` + long,
		"/law":      `<title>Request Rejected</title>The court has rejected the request.` + long,
		"/open":     `<title>Why a request is rejected</title><script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3&ns=1"></script><a href="https://anubis.example/#anubis_challenge">Anubis</a>` + long,
	}
	s := newSite(t, pages(walls))
	wall := func(name string) string { return "bot-wall: the page is a challenge, by the bot wall of " + name }
	for _, test := range []struct{ path, fragment, text, probe string }{ // the verdicts with a fragment, with a text, and with a probe
		{"/anubis", wall("Anubis"), wall("Anubis"), wall("Anubis")},
		{"/fastly", wall("Fastly"), wall("Fastly"), wall("Fastly")},
		{"/imperva", wall("Imperva"), wall("Imperva"), wall("Imperva")},
		{"/imperva1", wall("Imperva"), wall("Imperva"), wall("Imperva")},
		{"/f5", wall("F5"), wall("F5"), wall("F5")},
		{"/law", `dead: the page has no anchor named "x"`, `dead: the page does not have the text "x-ray"`, "good"},
		{"/open", `dead: the page has no anchor named "x"`, `dead: the page does not have the text "x-ray"`, "good"},
	} {
		verdict := func(link string, probe bool) string {
			got := one(t, &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Probe: probe}}, s.URL+link)
			return strings.NewReplacer(" "+s.URL+link, "", " "+s.URL+test.path, "").Replace(got)
		}
		if got := verdict(test.path+"#x", false); got != test.fragment {
			t.Errorf("check of %s#x gives %q, want %q", test.path, got, test.fragment)
		}
		if got := verdict(test.path+"#:~:text=x%2Dray", false); got != test.text {
			t.Errorf("check of %s with a text gives %q, want %q", test.path, got, test.text)
		}
		if got := verdict(test.path, true); got != test.probe {
			t.Errorf("check of %s with a probe gives %q, want %q", test.path, got, test.probe)
		}
	}
}

// A page that says that it was not found is suspicious. A page about missing pages is not suspicious. Only a probe
// costs more requests.
func TestSuspicions(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/old/") {
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/new/") && r.URL.Path != "/new/a" {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/new/a" {
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
			return
		}
		page, ok := map[string]string{
			"/":                "<title>Home</title><h1>Welcome</h1>",
			"/soft":            "<title>Page not found | Shop</title><h1>Sorry</h1>",
			"/soft1":           "<title>Shop</title><h1>404</h1>",
			"/soft2":           "<title>Error 404 - Shop</title>",
			"/soft3":           "<title>Laden</title><h1>Seite <b>nicht</b> gefunden</h1>",
			"/wiki/HTTP_404":   "<title>404 Not Found - Wiki</title>",
			"/Status/NotFound": "<title>Not Found</title>",
			"/shoes":           "<title>404 shoes for you</title><h1>Lost and not found again</h1><h2>404</h2>",
			"/parked":          "<html data-adblockkey=x><title>h.example</title>",
			"/parked1":         "<title>shop.example is for sale</title>",
			"/parked2":         `<title>x</title><script src="//img.sedoparking.com/x.js"></script>`,
			"/about":           `<title>Domains</title><a href="https://sedoparking.com/">this domain is for sale</a>`,
		}[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page+"<p id=x>")
	})
	for _, test := range []struct{ path, fragment, probe string }{ // the verdicts for a link with a fragment, and with a probe
		{"/", "good", "good"},
		{"/soft", "soft-404", "soft-404"},
		{"/soft1", "soft-404", "soft-404"},
		{"/soft2", "soft-404", "soft-404"},
		{"/soft3", "soft-404", "soft-404"},
		{"/wiki/HTTP_404", "good", "good"},
		{"/Status/NotFound", "good", "good"},
		{"/shoes", "good", "good"},
		{"/parked", "parked", "parked"},
		{"/parked1", "parked", "parked"},
		{"/parked2", "parked", "parked"},
		{"/about", "good", "good"},
		{"/old/a", "good", "soft-404"},
		{"/old/b", "good", "soft-404"},
		{"/new/a", "good", "good"},
	} {
		verdict := func(path string, probe bool) string {
			got, _, _ := strings.Cut(one(t, &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Probe: probe}}, s.URL+path), " ")
			return got
		}
		if got := verdict(test.path, false); got != "good" {
			t.Errorf("check of %s with HEAD gives %q, want %q", test.path, got, "good")
		}
		if got := verdict(test.path+"#x", false); got != test.fragment {
			t.Errorf("check of %s#x gives %q, want %q", test.path, got, test.fragment)
		}
		if got := verdict(test.path, true); got != test.probe {
			t.Errorf("check of %s with a probe gives %q, want %q", test.path, got, test.probe)
		}
	}
	before := s.requests()
	text := fmt.Sprintf("<%[1]s/old/1> <%[1]s/old/2> <%[1]s/old/3>", s.URL)
	r := links(t, &check.Checker{Engine: opener(t), Policy: check.Policy{Retries: -1, Probe: true}}, text)
	if got := r.Counts[check.SoftNotFound]; got != 3 {
		t.Errorf("the report has %d links that are soft-404, want 3", got)
	}
	if got := s.requests() - before; got != 8 { // for each link, for its target, and for one page that cannot exist
		t.Errorf("the probe of redirects sends %d requests, want 8", got)
	}
}
