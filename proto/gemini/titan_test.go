package gemini_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto"
	"locus/proto/gemini"
	"locus/proto/pin"
	"locus/url"
)

// A wiki is a server of gemini and titan with one page.
type wiki struct {
	config *tls.Config

	mu   sync.Mutex
	page *string // nil: there is no page
}

func newWiki(t *testing.T) *wiki {
	config, _ := certtest.Configs(t, "h")
	return &wiki{config: config}
}

func (w *wiki) Dial(context.Context, string, string) (net.Conn, error) {
	client, conn := net.Pipe()
	go func() {
		defer conn.Close()
		secure := tls.Server(conn, w.config)
		in := bufio.NewReader(secure)
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if answer, ok := w.answer(strings.TrimSuffix(line, "\r\n"), in); ok {
			io.WriteString(secure, answer)
			secure.CloseWrite()
		}
	}()
	return client, nil
}

// answer returns the answer to a request. ok is false if the content breaks off.
func (w *wiki) answer(request string, in io.Reader) (answer string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(request, "titan://h/page;") {
		_, digits, _ := strings.Cut(request, ";size=")
		size, err := strconv.Atoi(digits)
		if err != nil {
			return "59 no size\r\n", true
		}
		content := make([]byte, size)
		if _, err := io.ReadFull(in, content); err != nil {
			return "", false
		}
		if size == 0 && w.page == nil {
			return "51 no page\r\n", true
		}
		w.page = nil
		if size > 0 {
			text := string(content)
			w.page = &text
		}
		return "30 gemini://h/page\r\n", true
	}
	if request != "gemini://h/page" || w.page == nil {
		return "51 no page\r\n", true
	}
	return "20 text/plain\r\n" + *w.page, true
}

// A reader reads the page of a wiki by its titan URL.
type reader struct{ access.Engine }

func (r reader) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.URL.String() != "titan://h/page" || req.Answers != nil || req.Op != access.Get && req.Op != access.Stat {
		return r.Engine.Do(ctx, req)
	}
	other := *req
	other.URL = url.MustParse("gemini://h/page")
	found, err := r.Engine.Do(ctx, &other)
	if failed, ok := errors.AsType[*access.Error](err); ok {
		failed.URL = req.URL
	}
	return found, err
}

func TestTitanSuite(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat, access.Put, access.Delete},
		New:      func(dial proto.Dial) access.Engine { return reader{newEngine(dial)} },
		Dial:     newWiki(t).Dial,
		Changing: url.MustParse("titan://h/page"),
		Hostile:  []url.URL{url.MustParse("titan://h/" + strings.Repeat("x", 1100)), url.MustParse("titan://h/a?b"), url.MustParse("titan://h/a;x=y")},
		Secret:   url.MustParse("titan://u:sesame@h/"),
		NoOffset: true,
		NoEmpty:  true,
	})
}

// An uploads server answers each upload after it has read the whole content.
func uploads(t testing.TB, answer string) (c gemini.Client, requests func() []string) {
	config, _ := certtest.Configs(t, "h")
	var mu sync.Mutex
	var got []string
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, conn := net.Pipe()
		go func() {
			defer conn.Close()
			secure := tls.Server(conn, config)
			in := bufio.NewReader(secure)
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			_, params, _ := strings.Cut(line, ";size=")
			size, _ := strconv.Atoi(strings.TrimRight(strings.Split(params, ";")[0], "\r\n"))
			content := make([]byte, size)
			n, _ := io.ReadFull(in, content)
			mu.Lock()
			got = append(got, strings.TrimSuffix(line, "\r\n")+" "+string(content[:n]))
			mu.Unlock()
			io.WriteString(secure, answer)
			secure.CloseWrite()
		}()
		return client, nil
	}
	return gemini.Client{Dial: dial, Pins: new(pin.Pins)}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// The request has the size of the content, a media type, and the token of the URL or of the login.
func TestUploadRequest(t *testing.T) {
	login := func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		if c.Host != "h" || !c.Optional {
			return access.Credentials{}, errors.New("another challenge")
		}
		return access.Credentials{User: "ada", Password: "se;same"}, nil
	}
	for _, test := range []struct {
		op    access.Op
		url   string
		size  int64
		login access.Login
		want  string
	}{
		{access.Put, "titan://h", 5, nil, "titan://h/;size=5 hello"},
		{access.Put, "titan://h/a", -1, nil, "titan://h/a;size=5 hello"},
		{access.Put, "titan://h/a.gmi", 5, nil, "titan://h/a.gmi;mime=text/gemini;size=5 hello"},
		{access.Put, "titan://h/a.PNG", 5, nil, "titan://h/a.PNG;mime=image/png;size=5 hello"},
		{access.Put, "titan://h/a.unheard-of", 5, nil, "titan://h/a.unheard-of;mime=application/octet-stream;size=5 hello"},
		{access.Put, "titan://h/a.txt;size=99;mime=text/x%3By;token=%0D%0A#f", 5, login, "titan://h/a.txt;mime=text/x%3By;size=5;token=%0D%0A hello"},
		{access.Put, "titan://h/a", 5, login, "titan://h/a;size=5;token=se%3Bsame hello"},
		{access.Put, "titan://h/a;token=", 5, login, "titan://h/a;size=5;token= hello"},
		{access.Delete, "titan://h/a.txt;size=99;mime=text/x;token=t", 0, login, "titan://h/a.txt;size=0;token=t "},
		{access.Delete, "titan://h/a", 0, login, "titan://h/a;size=0;token=se%3Bsame "},
	} {
		c, requests := uploads(t, "20 text/gemini\r\nthanks")
		req := &access.Request{Op: test.op, URL: url.MustParse(test.url), Login: test.login, Size: test.size}
		if test.op == access.Put {
			req.Body = io.MultiReader(strings.NewReader("hello")) // which cannot seek
		}
		_, err := c.Do(t.Context(), req)
		if got := requests(); err != nil || len(got) != 1 || got[0] != test.want {
			t.Errorf("%v(%q) sends %q, %v, want %q", test.op, test.url, got, err, test.want)
		}
	}
}

// An upload ends with the URL of the page, or with the error that the status stands for. No error shows the token.
func TestUploadStatus(t *testing.T) {
	for _, test := range []struct {
		answer, page string
		want         error
	}{
		{answer: "20 text/gemini\r\nthanks", page: "gemini://h/dir/a"},
		{answer: "20\r\n", page: "gemini://h/dir/a"},
		{answer: "30 gemini://h/new\r\n", page: "gemini://h/new"},
		{answer: "31 gemini://other/new\r\n", page: "gemini://other/new"},
		{answer: "30 new\r\n", page: "gemini://h/dir/new"},
		{answer: "30 gemini://h/sesame\r\n", page: "gemini://h/sesame"},
		{answer: "30 titan://h/new;token=sesame\r\n", want: access.ErrRedirect},
		{answer: "30 file:///etc/passwd\r\n", want: access.ErrRedirect},
		{answer: "30 https://h/sesame\r\n", want: access.ErrRedirect},
		{answer: "30 //[\r\n", want: access.ErrProtocol},
		{answer: "10 Your name\r\n", want: errors.ErrUnsupported},
		{answer: "40 busy\r\n", want: access.ErrTemporary},
		{answer: "44 7\r\n", want: access.ErrTemporary},
		{answer: "50 sesame is wrong\r\n"},
		{answer: "51 no\r\n", want: fs.ErrNotExist},
		{answer: "59 sesame\r\n"},
		{answer: "60 a certificate\r\n", want: fs.ErrPermission},
		{answer: "62 sesame\r\n", want: fs.ErrPermission},
		{answer: "70 sesame\r\n", want: access.ErrProtocol},
		{answer: "HTTP/1.1 200 OK\r\n", want: access.ErrProtocol},
		{answer: "20", want: io.ErrUnexpectedEOF},
		{answer: "", want: io.ErrUnexpectedEOF},
		{answer: "20 " + strings.Repeat("x", 1<<20), want: access.ErrTooLong},
	} {
		for _, op := range []access.Op{access.Put, access.Delete} {
			c, _ := uploads(t, test.answer)
			req := &access.Request{Op: op, URL: url.MustParse("titan://h/dir/a;token=sesame"), Body: strings.NewReader("x"), Size: 1}
			r, err := c.Do(t.Context(), req)
			if test.page != "" {
				if err != nil || r.URL.String() != test.page {
					t.Errorf("%v and the answer %q give %+v, %v, want %s", op, test.answer, r, err, test.page)
				}
				continue
			}
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("%v and the answer %.60q give %v, want %v", op, test.answer, err, test.want)
				continue
			}
			if text := fmt.Sprint(err, access.Hint(err)); strings.Contains(text, "sesame") {
				t.Errorf("%v and the answer %.60q show the token: %s", op, test.answer, text)
			}
		}
	}
}

// A Put that cannot be sent is refused before the client connects.
func TestUploadRefused(t *testing.T) {
	c := gemini.Client{Pins: new(pin.Pins)} // without a Dial
	for _, test := range []struct {
		name string
		req  access.Request
		want error
	}{
		{"an empty body", access.Request{Body: strings.NewReader("")}, errors.ErrUnsupported},
		{"an empty body of unknown size", access.Request{Body: io.MultiReader(), Size: -1}, errors.ErrUnsupported},
		{"no body", access.Request{}, errors.ErrUnsupported},
		{"a large body of unknown size", access.Request{Body: io.LimitReader(zeros{}, 16<<20+1), Size: -1}, access.ErrTooLong},
		{"an offset", access.Request{Body: strings.NewReader("x"), Size: 1, Offset: 1}, errors.ErrUnsupported},
		{"a version", access.Request{Body: strings.NewReader("x"), Size: 1, IfMatch: access.Validator{ETag: "a"}}, errors.ErrUnsupported},
		{"an absent page", access.Request{Body: strings.NewReader("x"), Size: 1, IfAbsent: true}, errors.ErrUnsupported},
		{"a long token", access.Request{Body: strings.NewReader("x"), Size: 1, Login: func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{Password: strings.Repeat("sesame", 200)}, nil
		}}, access.ErrTooLong},
	} {
		test.req.Op, test.req.URL = access.Put, url.MustParse("titan://h/a")
		if _, err := c.Do(t.Context(), &test.req); !errors.Is(err, test.want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Put of %s = %v, want %v", test.name, err, test.want)
		}
	}
}

// zeros has bytes without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// The error for an Op of the other scheme names the URL of the page in that scheme.
func TestOtherScheme(t *testing.T) {
	c := gemini.Client{Pins: new(pin.Pins)}
	for _, test := range []struct {
		op        access.Op
		url, want string
	}{
		{access.Get, "titan://h:7/a;size=1;token=sesame", "read the page at gemini://h:7/a"},
		{access.Stat, "titan://h/a", "read the page at gemini://h/a"},
		{access.Ask, "titan://h/a", "read the page at gemini://h/a"},
		{access.Put, "gemini://h/a?b", "use titan://h/a, if the server takes uploads"},
		{access.Delete, "gemini://h/a%3Bb", "use titan://h/a%3Bb, if the server takes uploads"},
		{access.Append, "gemini://h/a", ""},
		{access.MakeDir, "titan://h/a/", ""},
	} {
		_, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse(test.url)})
		if got := access.Hint(err); !errors.Is(err, errors.ErrUnsupported) || got != test.want {
			t.Errorf("%v(%q) = %v with the hint %q, want errors.ErrUnsupported and %q", test.op, test.url, err, got, test.want)
		}
	}
}

// A server that answers, or closes the connection, before it has read the content ends the upload at once.
func TestEarlyAnswer(t *testing.T) {
	config, _ := certtest.Configs(t, "h")
	for _, test := range []struct {
		name, answer string
		end          ending
		code         int // of the Reply in the error; 0 for none
		want         error
	}{
		{"a refusal, and nothing more", "59 too large\r\n", stalls, 59, nil},
		{"a refusal, and the end", "59 too large\r\n", closes, 59, nil},
		{"a refusal, and a broken connection", "60 certificate\r\n", breaks, 60, fs.ErrPermission},
		{"success, and a broken connection", "20 text/gemini\r\n", breaks, 0, nil},
		{"a redirect, and a broken connection", "30 gemini://h/\r\n", breaks, 0, nil},
		{"an endless line", strings.Repeat("x", 1<<12), stalls, 0, access.ErrTooLong},
		{"a broken connection", "", breaks, 0, io.ErrUnexpectedEOF},
	} {
		s := server{config, func(string) (string, ending) { return test.answer, test.end }}
		c := gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}
		req := &access.Request{Op: access.Put, URL: url.MustParse("titan://h/a"), Body: io.LimitReader(zeros{}, 1<<20), Size: 1 << 20}
		_, err := c.Do(t.Context(), req)
		failed, _ := errors.AsType[*access.Error](err)
		if failed == nil || test.want != nil && !errors.Is(err, test.want) || (failed.Reply != nil) != (test.code != 0) || test.code != 0 && failed.Reply.Code != test.code {
			t.Errorf("%s: Put = %v, want the status %d and %v", test.name, err, test.code, test.want)
		}
	}
}

// A server may take long to read the content, and then has the idle limit for its answer.
func TestSlowUpload(t *testing.T) {
	config, _ := certtest.Configs(t, "h")
	synctest.Test(t, func(t *testing.T) {
		const piece, pieces = 1 << 14, 5
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, conn := net.Pipe()
			go func() {
				defer conn.Close()
				secure := tls.Server(conn, config)
				in := bufio.NewReader(secure)
				_, _ = in.ReadString('\n')
				for range pieces {
					time.Sleep(8 * time.Second)
					_, _ = io.CopyN(io.Discard, in, piece)
				}
				time.Sleep(8 * time.Second)
				io.WriteString(secure, "20\r\n")
			}()
			return client, nil
		}
		c := gemini.Client{Dial: dial, Pins: new(pin.Pins), Idle: 10 * time.Second}
		req := &access.Request{Op: access.Put, URL: url.MustParse("titan://h/a"), Body: io.LimitReader(zeros{}, piece*pieces), Size: piece * pieces}
		if _, err := c.Do(t.Context(), req); err != nil {
			t.Errorf("a slow Put = %v", err)
		}
	})
}

// Any answer to an upload gives a page of gemini or an error, and the token is not in either.
func FuzzUploadAnswer(f *testing.F) {
	for _, answer := range []string{"20 text/gemini\r\n", "30 gemini://h/x\r\n", "30 titan://h/x\r\n", "59 sesame\r\n", "1", "31 ../a\r\n", "44 1\r\n"} {
		f.Add(answer)
	}
	config, _ := certtest.Configs(f, "h")
	f.Fuzz(func(t *testing.T, answer string) {
		c := gemini.Client{Dial: server{config, say(answer)}.Dial, Pins: new(pin.Pins)}
		r, err := c.Do(t.Context(), &access.Request{Op: access.Delete, URL: url.MustParse("titan://h/a;token=sesame")})
		switch {
		case err != nil && strings.Contains(err.Error()+access.Hint(err), "sesame"):
			t.Errorf("the answer %q gives %v, which shows the token", answer, err)
		case err == nil && r.URL.Scheme() != "gemini":
			t.Errorf("the answer %q gives the page %v, want a gemini URL", answer, r.URL)
		}
	})
}
