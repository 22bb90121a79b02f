package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

func TestChallenges(t *testing.T) {
	none := map[string]string{}
	for _, test := range []struct {
		fields []string
		want   []challenge
	}{
		{nil, nil},
		{[]string{""}, nil},
		{[]string{`Basic realm="x"`}, []challenge{{"basic", map[string]string{"realm": "x"}}}},
		{[]string{`BASIC Realm = x`}, []challenge{{"basic", map[string]string{"realm": "x"}}}},
		{[]string{`Negotiate`, `Basic realm="a, b=\"c\\"`}, []challenge{{"negotiate", none}, {"basic", map[string]string{"realm": `a, b="c\`}}}},
		{[]string{`Negotiate, NTLM`}, []challenge{{"negotiate", none}, {"ntlm", none}}},
		{[]string{`Negotiate YII=, Basic realm="x"`}, []challenge{{"negotiate", map[string]string{"yii": ""}}, {"basic", map[string]string{"realm": "x"}}}},
		{
			[]string{`, Digest realm="x",qop="auth,auth-int" , nonce="n",,Basic realm="y",`},
			[]challenge{{"digest", map[string]string{"realm": "x", "qop": "auth,auth-int", "nonce": "n"}}, {"basic", map[string]string{"realm": "y"}}},
		},
		{[]string{`Digest realm="never closed, nonce=x`}, []challenge{{"digest", map[string]string{"realm": "never closed, nonce=x"}}}},
		{[]string{`realm="of nothing"`}, nil},
		{[]string{`Digest realm="x\`}, []challenge{{"digest", map[string]string{"realm": `x\`}}}},
	} {
		if got := parseChallenges(test.fields); !reflect.DeepEqual(got, test.want) {
			t.Errorf("parseChallenges(%q) = %q, want %q", test.fields, got, test.want)
		}
	}
}

// Challenges of any form can be read, and the answer is one header field.
func FuzzChallenges(f *testing.F) {
	f.Add(`Digest realm="a\"b", nonce="n", qop="auth", algorithm=SHA-256, userhash=true`, "me")
	f.Add(`Digest nonce=n, algorithm=MD5-sess,Basic`, "mé")
	f.Add(`Negotiate abc==, Digest realm = "`, "")
	f.Fuzz(func(t *testing.T, field, user string) {
		all := parseChallenges([]string{field})
		d := digestOf(all)
		if d == nil || strings.ContainsAny(field, "\r\n") {
			return
		}
		answer := d.authorization(user, "secret", "GET", "/", "c")
		if strings.ContainsAny(answer, "\r\n") || strings.Contains(answer, "secret") && !strings.Contains(field+user, "secret") {
			t.Fatalf("%q is answered with %q", field, answer)
		}
		again := parseChallenges([]string{answer})
		if len(again) != 1 || again[0].parameters["realm"] != d.realm || again[0].parameters["nonce"] != d.nonce {
			t.Errorf("%q is answered with %q, which reads as %q", field, answer, again)
		}
	})
}

// authorization answers the examples of RFC 7616 §3.9 (the second with the final SHA-512/256, as in
// the errata), RFC 2617 §3.5, and others.
func TestDigestAnswer(t *testing.T) {
	const mufasa = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=%s, ` +
		`nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`
	for _, test := range []struct {
		name, challenge              string
		user, password, path, cnonce string
		want                         map[string]string
	}{
		{
			"MD5", fmt.Sprintf(mufasa, "MD5"), "Mufasa", "Circle of Life", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
			map[string]string{
				"username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html", "algorithm": "MD5", "nc": "00000001", "qop": "auth",
				"nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
				"opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "response": "8ca523f5e9506fed4657c9700eebdbec",
			},
		},
		{
			"SHA-256", fmt.Sprintf(mufasa, "SHA-256"), "Mufasa", "Circle of Life", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
			map[string]string{"algorithm": "SHA-256", "response": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"},
		},
		{
			"SHA-512-256, userhash", `Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", ` +
				`opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true`,
			"Jäsøn Doe", "Secret, or not?", "/doe.json", "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
			map[string]string{
				"username": "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", "userhash": "true",
				"response": "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
			},
		},
		{
			"RFC 2617", `Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"Mufasa", "Circle Of Life", "/dir/index.html", "0a4f113b",
			map[string]string{"response": "6629fae49393a05397450978507c4ef1", "algorithm": ""},
		},
		{
			"RFC 2069", `Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"Mufasa", "CircleOfLife", "/dir/index.html", "0a4f113b",
			map[string]string{"response": "1949323746fe6a43ef61f9606e7febea", "qop": "", "nc": "", "cnonce": ""},
		},
		{
			"names that want quoting", `Digest realm="a \"b\"", qop=auth, nonce=n`, `x"y\`, "p", "/", "c",
			map[string]string{"username": `x"y\`, "realm": `a "b"`},
		},
		{
			"names in no ASCII", `Digest realm=r, qop=auth, nonce=n`, "é", "p", "/", "c",
			map[string]string{"username": "", "username*": "UTF-8''%C3%A9"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := digestOf(parseChallenges([]string{test.challenge}))
			if d == nil {
				t.Fatalf("%q is not answered", test.challenge)
			}
			text := d.authorization(test.user, test.password, http.MethodGet, test.path, test.cnonce)
			got := parseChallenges([]string{text})[0]
			for name, want := range test.want {
				if got.parameters[name] != want {
					t.Errorf("%s is %q, want %q, in %q", name, got.parameters[name], want, text)
				}
			}
		})
	}
}

func TestDigestOf(t *testing.T) {
	for _, test := range []struct {
		challenge string
		algorithm string // of the chosen challenge
		taken     bool
	}{
		{`Basic realm="x"`, "", false},
		{`Digest realm="x", nonce="n", qop="auth"`, "", true},
		{`Digest realm="x", nonce="n", qop="auth", algorithm=md5-SESS`, "md5-SESS", true},
		{`Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256, Digest realm="x", nonce="n", qop="auth", algorithm=MD5`, "SHA-256", true},
		{`Digest realm="x", nonce="n", qop="auth", algorithm=SHA3, Digest realm="x", nonce="n", qop="auth", algorithm=MD5`, "MD5", true},
		{`Digest realm="x", nonce="n", qop="auth-int"`, "", false},
		{`Digest realm="x", nonce="n", algorithm=MD5-sess`, "", false},
		{`Digest realm="x", qop="auth"`, "", false},
	} {
		d := digestOf(parseChallenges([]string{test.challenge}))
		if (d != nil) != test.taken || d != nil && d.algorithm != test.algorithm {
			t.Errorf("digestOf(%q) = %+v, want %v with %q", test.challenge, d, test.taken, test.algorithm)
		}
	}
}

// An authServer is a server that asks for credentials with its challenge, and records the requests.
type authServer struct {
	challenge string
	accept    func(authorization string) bool
	sent      []string
	bodies    []string
}

func (g *authServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent := r.Header.Get("Authorization")
	g.sent = append(g.sent, sent)
	if sent == "" || !g.accept(sent) {
		w.Header().Set("WWW-Authenticate", g.challenge)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	body, _ := io.ReadAll(r.Body)
	g.bodies = append(g.bodies, string(body))
	fmt.Fprint(w, "ok")
}

// A password is sent once, in the form that the server asks for. If the server offers Digest, a
// password from Request.Login is never sent itself.
func TestWithPassword(t *testing.T) {
	isDigest := func(s string) bool { return strings.HasPrefix(s, "Digest ") }
	isBasic := func(s string) bool { return strings.HasPrefix(s, "Basic ") }
	never := func(string) bool { return false }
	const want = `Digest realm="x", nonce="n", qop="auth"`
	for _, test := range []struct {
		name, user, challenge string
		accept                func(string) bool
		sent                  string // the schemes
		err                   error
	}{
		{"digest", "me@", want, isDigest, " Digest", nil},
		{"digest, password known", "me:sesame@", want, isDigest, "Basic Digest", nil},
		{"the better of two", "me@", `Basic realm="x", ` + want, isDigest, " Digest", nil},
		{"basic, as digest is not known", "me@", `Digest realm="x", nonce="n", algorithm=NEW, Basic realm="x"`, isBasic, " Basic", nil},
		{"refused", "me@", want, never, " Digest", access.ErrLogin},
		{"refused, basic", "me@", `Basic realm="x"`, never, " Basic", access.ErrLogin},
		{"refused, known", "me:sesame@", `Basic realm="x"`, never, "Basic", access.ErrLogin},
		{"refused, both", "me:sesame@", want, never, "Basic Digest", access.ErrLogin},
		{"neither", "me@", "Negotiate", never, "", access.ErrPassword},
		{"nobody", "", want, isDigest, "", access.ErrPassword},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodPut} {
				g := &authServer{challenge: test.challenge, accept: test.accept}
				server := httptest.NewServer(g)
				defer server.Close()
				c := &Client{Dial: dialTo(server.Listener.Addr().String())}
				defer c.CloseIdleConnections()
				req := &access.Request{
					URL:   url.MustParse("http://" + test.user + "h/a%20b?q"),
					Login: loginWith("sesame"),
				}
				var err error
				if method == http.MethodPut {
					err = accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("bytes"))
				} else if r, openErr := c.Do(t.Context(), req); openErr != nil {
					err = openErr
				} else {
					r.Body.Close()
				}
				var schemes []string
				for _, sent := range g.sent {
					scheme, rest, _ := strings.Cut(sent, " ")
					schemes = append(schemes, scheme)
					if isDigest(sent) && !strings.Contains(rest, `uri="/a%20b?q"`) {
						t.Errorf("%s sends %q, want the target", method, sent)
					}
				}
				if got := strings.Join(schemes, " "); got != test.sent || !errors.Is(err, test.err) {
					t.Errorf("%s sends %q, %v; want %q, %v", method, got, err, test.sent, test.err)
				}
				if method == http.MethodPut && test.err == nil && (len(g.bodies) != 1 || g.bodies[0] != "bytes") {
					t.Errorf("after %s with %q the server has %q, want the body once", method, test.sent, g.bodies)
				}
			}
		})
	}
}
