package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/transfer"
	"locus/url"
)

// A server is an Engine that records the bodies that it receives. The first fails requests fail in
// the middle of the body.
type server struct {
	fails int
	asked []access.Op
	got   []string // the bodies, including those of failed requests
	last  access.Request
	exist error // the error of Stat
}

func (s *server) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	s.asked = append(s.asked, req.Op)
	s.last = *req
	if req.Op == access.Stat {
		return &access.Resource{Body: access.NoBody}, s.exist
	}
	if s.fails > 0 {
		b := make([]byte, 2)
		n, err := req.Body.Read(b)
		s.got = append(s.got, string(b[:n]))
		if err != nil {
			return nil, err
		}
		s.fails--
		return nil, &access.Error{Op: "put", URL: req.URL, Err: access.ErrTemporary}
	}
	body, err := io.ReadAll(req.Body)
	s.got = append(s.got, string(body))
	if err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody}, nil
}

func newWriter(t *testing.T, s *server, to string, o Options) (*writer, func() string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	e := cli.NewEnv(nil, out, out)
	e.Quiet = true
	o.Retries, o.RetryWait = 3, time.Millisecond
	w := &writer{env: e, engine: s, op: access.Put, options: o, to: url.MustParse(to), report: reporter(e, o.JSON)}
	if w.ifMatch, err = condition(w.to, o.IfMatch); err != nil {
		t.Fatal(err)
	}
	return w, func() string {
		e.Out.Flush()
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// textSource returns a source of a text. It can be opened again unless once is set.
func textSource(text string, once bool) (s source, opened *int) {
	opened = new(int)
	s.from = "text"
	s.open = func(context.Context) (*transfer.Source, error) {
		*opened++
		from := &transfer.Source{Body: io.NopCloser(strings.NewReader(text)), Size: int64(len(text)), Name: "a b.txt", ModTime: time.Unix(1, 0)}
		if !once {
			from.Again = s.open
		}
		return from, nil
	}
	return s, opened
}

// A temporary failure is retried from the start of the source, as often as the flags allow.
func TestPutRetries(t *testing.T) {
	tag := `"1"`
	for _, test := range []struct {
		name    string
		options Options
		once    bool
		fails   int
		want    []string
		isError bool
	}{
		{"at once", Options{}, false, 0, []string{"text"}, false},
		{"twice", Options{}, false, 2, []string{"te", "te", "text"}, false},
		{"too often", Options{}, false, 9, []string{"te", "te", "te", "te"}, true},
		{"a pipe", Options{}, true, 1, []string{"te"}, true},
		{"--if-match", Options{IfMatch: &tag}, false, 1, []string{"te"}, true},
		{"--no-clobber", Options{NoClobber: true}, false, 1, []string{"te"}, true},
	} {
		s := &server{fails: test.fails, exist: fs.ErrNotExist}
		w, _ := newWriter(t, s, "http://h/x", test.options)
		from, opened := textSource("text", test.once)
		err := w.upload(t.Context(), from)
		if (err != nil) != test.isError || fmt.Sprint(s.got) != fmt.Sprint(test.want) || *opened != len(test.want) {
			t.Errorf("%s: upload = %v, the server got %q, and the source was opened %d times; want %q", test.name, err, s.got, *opened, test.want)
		}
	}
}

// With --json each change is a line, even for a source that cannot be opened, or that fails later.
func TestPutJSON(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		to   string
		op   access.Op
		open func() (*transfer.Source, error)
		want string
	}{
		{"http://h/dir/", access.Put, func() (*transfer.Source, error) { return nil, broken }, `{"op":"put","from":"text","url":"http://h/dir/","error":"broken"}`},
		{"http://h/dir/", access.Put, func() (*transfer.Source, error) {
			body := io.MultiReader(strings.NewReader("te"), failing{broken})
			return &transfer.Source{Body: io.NopCloser(body), Name: "a"}, nil
		}, `{"op":"put","from":"text","url":"http://h/dir/a","bytes":2,"error":"broken"}`},
		{"http://h/dir/a", access.Put, func() (*transfer.Source, error) {
			return &transfer.Source{Body: io.NopCloser(strings.NewReader("text"))}, nil
		}, `{"op":"put","from":"text","url":"http://h/dir/a","bytes":4,"error":null}`},
		{"news:alt.test", access.Put, func() (*transfer.Source, error) {
			return &transfer.Source{Body: io.NopCloser(strings.NewReader("text"))}, nil
		}, `{"op":"append","from":"text","url":"news:alt.test","added":"news:alt.test","bytes":4,"error":null}`},
		{"http://h/log", access.Append, func() (*transfer.Source, error) {
			return &transfer.Source{Body: io.NopCloser(failing{broken})}, nil
		}, `{"op":"append","from":"text","url":"http://h/log","bytes":0,"error":"broken"}`},
	} {
		w, said := newWriter(t, &server{}, test.to, Options{JSON: true})
		w.op = test.op
		err := w.upload(t.Context(), source{from: "text", open: func(context.Context) (*transfer.Source, error) { return test.open() }})
		if got := strings.TrimSuffix(said(), "\n"); got != test.want || errors.Is(err, broken) != strings.Contains(test.want, "broken") {
			t.Errorf("upload to %s = %v, and --json writes\n%s\nwant\n%s", test.to, err, got, test.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A source without a name cannot go into a folder, and no request is sent.
func TestPutWithoutName(t *testing.T) {
	s := &server{}
	w, said := newWriter(t, s, "http://h/dir/", Options{JSON: true})
	from := source{from: "text", open: func(context.Context) (*transfer.Source, error) {
		return &transfer.Source{Body: io.NopCloser(strings.NewReader("text"))}, nil
	}}
	if err := w.upload(t.Context(), from); err == nil || cli.Hint(err) != "end the URL with a name" || len(s.asked) > 0 || said() != "" {
		t.Errorf("upload of a source without a name = %v, hint %q, after the requests %v", err, cli.Hint(err), s.asked)
	}
}

// The request has the values of the flags.
func TestPutRequest(t *testing.T) {
	tag := `"1"`
	s := &server{}
	w, _ := newWriter(t, s, "http://h/dir/", Options{Preserve: true, IfMatch: &tag})
	from, _ := textSource("text", false)
	if err := w.upload(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if got := s.last; got.URL.String() != "http://h/dir/a%20b.txt" || got.Size != 4 || !got.ModTime.Equal(time.Unix(1, 0)) || got.IfMatch.ETag != tag {
		t.Errorf("the request is for %s, with %d bytes, the time %v and the tag %q", got.URL, got.Size, got.ModTime, got.IfMatch.ETag)
	}
}

// The URL of an appended resource is written. A failure is not retried.
func TestAppend(t *testing.T) {
	s := &server{}
	w, said := newWriter(t, s, "file:///log", Options{})
	w.op = access.Append
	from, _ := textSource("text", false)
	if err := w.upload(t.Context(), from); err != nil || said() != "file:///log\n" {
		t.Errorf("append = %v, and it writes %q", err, said())
	}
	s.fails = 1
	from, opened := textSource("text", false)
	if err := w.upload(t.Context(), from); err == nil || *opened != 1 {
		t.Errorf("append that fails = %v, and the source was opened %d times", err, *opened)
	}
}

func TestCondition(t *testing.T) {
	empty, tag := "", `"1"`
	for _, test := range []struct {
		u    string
		tag  *string
		want string // a part of the error; "" for success
	}{
		{"ftp://h/", nil, ""},
		{"http://h/", &tag, ""},
		{"https://h/", &tag, ""},
		{"file:///x", &tag, ""},
		{"nfs://h/x", &tag, ""},
		{"ftp://h/", &tag, "other schemes have no entity tags"},
		{"http://h/", &empty, "--if-match needs an ETag"},
	} {
		got, err := condition(url.MustParse(test.u), test.tag)
		if (err != nil) != (test.want != "") || err != nil && (!flags.IsMisuse(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.u, err, test.want)
		}
		if isSet := got.ETag == tag; isSet != (test.tag == &tag && test.want == "") {
			t.Errorf("condition(%s) = %q", test.u, got.ETag)
		}
	}
}

// A text is a URL if it begins with a known scheme, or contains "://". Otherwise it is the name of
// a file.
func TestParsePlace(t *testing.T) {
	dir := t.TempDir()
	e := cli.NewEnv(nil, nil, nil)
	e.Dir = dir
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	at := e.FileURL(dir).String()
	for text, want := range map[string]string{
		"http://h/x": "http://h/x", "FTP://h/x": "FTP://h/x", "news:a": "news:a", "foo://h": "foo://h",
		"x": at + "/x", "foo:x": at + "/foo%3Ax", "new/": at + "/new/", "folder": at + "/folder/", "http://[": "",
	} {
		got, err := parseURLOrFile(e, text)
		if (err != nil) != (want == "") || want != "" && got.String() != want {
			t.Errorf("parseURLOrFile(%q) = %s, %v, want %s", text, got, err, want)
		}
	}
}

// A folder is not copied as a file. The hint names the verb that copies folders. The source is
// closed.
func TestCopyFolder(t *testing.T) {
	closed := false
	list := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r := &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody, List: emptyList{}}
		r.OnClose(func() { closed = true })
		return r, nil
	})
	e := cli.NewEnv(nil, nil, nil)
	s, err := copier{env: e, engine: list}.source("ftp://h/dir/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.open(t.Context()); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(cli.Hint(err), "locus mirror copies folders") || !closed {
		t.Errorf("%v, hint %q, closed: %v", err, cli.Hint(err), closed)
	}
}

type emptyList struct{}

func (emptyList) Next() (access.Entry, error) { return access.Entry{}, io.EOF }

// A file is not appended to itself, under any of its names. It may be put or copied there.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	name, link, hard := filepath.Join(dir, "f"), filepath.Join(dir, "link"), filepath.Join(dir, "hard")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("f", link), os.Link(name, hard)); err != nil {
		t.Skip("this system cannot make symbolic links: ", err)
	}
	stdin, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	e := cli.NewEnv(stdin, os.Stdout, stderr)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // so that a failing test does not fill the disk
	defer cancel()
	for _, from := range []string{name, link, hard, "-"} {
		for _, to := range []string{name, link, hard} {
			err := Run(ctx, e, access.Append, []string{from, e.FileURL(to).String()}, cli.Access{}, Options{})
			said, readErr := os.ReadFile(stderr.Name())
			const want = "the file would be appended to itself\n"
			if !errors.Is(err, cli.ErrReported) || readErr != nil || !strings.HasSuffix(string(said), want) {
				t.Fatalf("append %s %s: %v, %v, %q, want %q", from, to, err, readErr, said, want)
			}
		}
	}
	put := Run(ctx, e, access.Put, []string{name, e.FileURL(link).String()}, cli.Access{}, Options{})
	copied := Copy(ctx, e, []string{hard, name}, cli.Access{}, Options{}, 0)
	if text, err := os.ReadFile(name); put != nil || copied != nil || err != nil || string(text) != "text" {
		t.Errorf("put to itself = %v, cp to itself = %v; the file has %q, %v", put, copied, text, err)
	}
}

// If two of several files for one folder have the same name, they are refused before the first
// upload.
func TestSameName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "to"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	a, b, to := filepath.Join(dir, "a", "x"), filepath.Join(dir, "b", "x"), filepath.Join(dir, "to")+"/"
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := cli.NewEnv(nil, os.Stdout, os.Stderr)
	const want = `another file has the same name "x"`
	if err := Run(t.Context(), e, access.Put, []string{a, b, e.FileURL(to).String() + "/"}, cli.Access{}, Options{}); !flags.IsMisuse(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("put: %v, want %s", err, want)
	}
	if err := Copy(t.Context(), e, []string{a, e.FileURL(b).String(), to}, cli.Access{}, Options{}, 0); !flags.IsMisuse(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("cp: %v, want %s", err, want)
	}
	if entries, err := os.ReadDir(to); err != nil || len(entries) > 0 {
		t.Errorf("the refused commands have sent %d files, %v", len(entries), err)
	}
}
