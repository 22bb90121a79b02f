package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/url"
)

func request(rawurl string) *access.Request {
	return &access.Request{URL: url.MustParse(rawurl)}
}

// names returns the names of all files below dir.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		all = append(all, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// req: 1738-2-1
func TestStore(t *testing.T) {
	changed := time.Date(1994, 12, 1, 2, 3, 4, 0, time.UTC)
	for _, test := range []struct{ name, url string }{
		{"a.txt", "file:///a.txt"},
		{"new", "file://localhost/new"},
		{"sub/new file%", "file:///sub/new%20file%25"},
		{"sub/deep/x.TXT", "file:///sub//deep/x.TXT"},
	} {
		root, dir := tree(t)
		req := request(test.url)
		req.ModTime, req.Length = changed, 5
		if err := accesstest.Change(t.Context(), System{Root: root}, access.Put, req, strings.NewReader("other")); err != nil {
			t.Errorf("Put(%q) = %v", test.url, err)
			continue
		}
		path := filepath.Join(dir, test.name)
		got, err := os.ReadFile(path)
		if string(got) != "other" || err != nil {
			t.Errorf("Put(%q) leaves %q, %v, want %q", test.url, got, err, "other")
		}
		if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(changed) {
			t.Errorf("Put(%q) leaves the time %v, %v, want %v", test.url, info.ModTime(), err, changed)
		}
	}
}

// A failed Put leaves every file unchanged, and no temporary file.
func TestStoreFails(t *testing.T) {
	broken := errors.New("broken")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name string
		url  string
		ctx  context.Context
		req  access.Request
		body io.Reader
		want error
	}{
		{name: "source", url: "file:///a.txt", body: io.MultiReader(strings.NewReader("he"), iotest.ErrReader(broken)), want: broken},
		{name: "source of a new one", url: "file:///new", body: iotest.ErrReader(broken), want: broken},
		{name: "short", url: "file:///a.txt", req: access.Request{Size: 9}, want: io.ErrUnexpectedEOF},
		{name: "long", url: "file:///a.txt", req: access.Request{Size: 3}},
		{name: "cancelled", url: "file:///a.txt", ctx: cancelled, want: context.Canceled},
		{name: "offset", url: "file:///a.txt", req: access.Request{Offset: 1}, want: errors.ErrUnsupported},
		{name: "another version", url: "file:///a.txt", req: access.Request{IfMatch: access.Validator{ETag: `"x"`}}, want: access.ErrChanged},
		{name: "a version of nothing", url: "file:///new", req: access.Request{IfMatch: access.Validator{ETag: `"x"`}}, want: access.ErrChanged},
		{name: "there is one", url: "file:///a.txt", req: access.Request{IfAbsent: true}, want: fs.ErrExist},
		{name: "directory", url: "file:///sub", want: errDirectory},
		{name: "directory with slash", url: "file:///sub/", want: errDirectory},
		{name: "new directory", url: "file:///new/", want: errDirectory},
		{name: "root", url: "file:///", want: errDirectory},
		{name: "no folder", url: "file:///none/new", want: fs.ErrNotExist},
		{name: "a file for a folder", url: "file:///a.txt/new", want: fs.ErrNotExist},
		{name: "NUL", url: "file:///a%00", want: fs.ErrInvalid},
		{name: "slash", url: "file:///sub%2Fdeep%2Fnew", want: fs.ErrInvalid},
		{name: "up", url: "file:///../new", want: fs.ErrPermission},
		{name: "another host", url: "file://other.example/new", want: errors.ErrUnsupported},
		{name: "another scheme", url: "http://localhost/new", want: errors.ErrUnsupported},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, dir := tree(t)
			before := names(t, dir)
			if test.ctx == nil {
				test.ctx = t.Context()
			}
			if test.body == nil {
				test.body = strings.NewReader("other")
			}
			test.req.URL = url.MustParse(test.url)
			err := accesstest.Change(test.ctx, System{Root: root}, access.Put, &test.req, test.body)
			e, ok := errors.AsType[*access.Error](err)
			if !ok || e.Op != "put" || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("Put(%q) = %v, want %v", test.url, err, test.want)
			}
			if after := names(t, dir); !slices.Equal(after, before) {
				t.Errorf("Put(%q) leaves %q, want %q", test.url, after, before)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != content || err != nil {
				t.Errorf("Put(%q) leaves %q, %v in a.txt", test.url, got, err)
			}
		})
	}
}

// IfMatch replaces one version only.
func TestStoreIfMatch(t *testing.T) {
	root, dir := tree(t)
	s := System{Root: root}
	_, r, err := get(t, s, request("file:///a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	req := request("file:///a.txt")
	req.IfMatch = r.Validator()
	for _, test := range []struct {
		body string
		want error
	}{{"mine", nil}, {"mine again", access.ErrChanged}} {
		if err := accesstest.Change(t.Context(), s, access.Put, req, strings.NewReader(test.body)); !errors.Is(err, test.want) {
			t.Errorf("Put(%q) over the version of before = %v, want %v", test.body, err, test.want)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "mine" || err != nil {
		t.Errorf("Put leaves %q, %v, want %q", got, err, "mine")
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A file that appears during the upload is not replaced if IfAbsent is set.
// Another version is not replaced if IfMatch is set.
func TestStoreRaces(t *testing.T) {
	for _, test := range []struct {
		name string
		want error
	}{{"new", fs.ErrExist}, {"a.txt", access.ErrChanged}} {
		root, dir := tree(t)
		s := System{Root: root}
		req := request("file:///" + test.name)
		if test.name == "new" {
			req.IfAbsent = true
		} else {
			_, r, err := get(t, s, req)
			if err != nil {
				t.Fatalf("%q: %v", test.name, err)
			}
			req.IfMatch = r.Validator()
		}
		path := filepath.Join(dir, test.name)
		meddle := readerFunc(func([]byte) (int, error) {
			if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
				t.Errorf("%q: %v", test.name, err)
			}
			return 0, io.EOF
		})
		err := accesstest.Change(t.Context(), s, access.Put, req, io.MultiReader(strings.NewReader("mine"), meddle))
		if got, _ := os.ReadFile(path); !errors.Is(err, test.want) || string(got) != "theirs" {
			t.Errorf("Put(%q) while it is written = %v and leaves %q, want %v and %q", test.name, err, got, test.want, "theirs")
		}
		if n := len(names(t, dir)); n > 9 {
			t.Errorf("Put(%q) leaves %q", test.name, names(t, dir))
		}
	}
}

// During an upload the file has its old content, and users without permission
// to read it cannot read the new content.
func TestStoreIsAtomic(t *testing.T) {
	root, dir := tree(t)
	path := filepath.Join(dir, "a.txt")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	looks := 0
	look := readerFunc(func([]byte) (int, error) {
		looks++
		if got, err := os.ReadFile(path); string(got) != content || err != nil {
			t.Errorf("while it is written the file has %q, %v", got, err)
		}
		temporary, _ := filepath.Glob(filepath.Join(dir, ".locus-*"))
		if info, err := os.Stat(temporary[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("while it is written the other file has mode %v, %v", info.Mode(), err)
		}
		return 0, io.EOF
	})
	err := accesstest.Change(t.Context(), System{Root: root}, access.Put, request("file:///a.txt"), io.MultiReader(strings.NewReader("x"), look))
	if err != nil || looks == 0 {
		t.Fatalf("Put = %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("Put leaves mode %v, %v, want 0640", info.Mode(), err)
	}
}

// Symbolic links are followed to files below the directory, and not out of it.
//
// req: 1738-3.10-1
func TestStoreLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege there")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("safe"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target string // target of the link /link
		url    string
		wrote  string // "" if it is refused
	}{
		{"a.txt", "file:///link", "a.txt"},
		{"sub/deep", "file:///link/x.TXT", "sub/deep/x.TXT"},
		{"sub/deep", "file:///link/new", "sub/deep/new"},
		{"sub/../a.txt", "file:///link", "a.txt"},
		{outside, "file:///link", ""},
		{"../" + filepath.Base(filepath.Dir(outside)) + "/outside", "file:///link", ""},
		{filepath.Dir(outside), "file:///link/outside", ""},
		{filepath.Dir(outside), "file:///link/new", ""},
		{"nowhere", "file:///link", ""},
		{"link", "file:///link", ""},
		{"sub", "file:///link", ""},
	} {
		root, dir := tree(t)
		if err := os.Symlink(test.target, filepath.Join(dir, "link")); err != nil {
			t.Fatalf("%q: %v", test.url, err)
		}
		s := System{Root: root}
		errs := []error{accesstest.Change(t.Context(), s, access.Put, request(test.url), strings.NewReader("x"))}
		err := accesstest.Change(t.Context(), s, access.Append, request(test.url), strings.NewReader("y"))
		errs = append(errs, err)
		for _, err := range errs {
			if (err == nil) != (test.wrote != "") {
				t.Errorf("writing %q through a link to %q = %v", test.url, test.target, err)
			}
		}
		if got, err := os.ReadFile(outside); string(got) != "safe" || err != nil {
			t.Fatalf("writing %q through a link to %q leaves %q, %v outside", test.url, test.target, got, err)
		}
		if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("writing %q replaces the link itself: %v", test.url, err)
		}
		if test.wrote == "" {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(dir, test.wrote)); string(got) != "xy" || err != nil {
			t.Errorf("writing %q leaves %q, %v in %q, want %q", test.url, got, err, test.wrote, "xy")
		}
	}
}

// Below "/" absolute links work.
func TestStoreFromTop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege there")
	}
	_, dir := tree(t)
	top, err := os.OpenRoot("/")
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	for link, target := range map[string]string{"file": filepath.Join(dir, "a.txt"), "folder": filepath.Join(dir, "sub")} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatalf("%q: %v", link, err)
		}
	}
	s := System{Root: top}
	for at, wrote := range map[string]string{"/file": "a.txt", "/folder/new": "sub/new"} {
		if err := accesstest.Change(t.Context(), s, access.Put, request("file://"+dir+at), strings.NewReader(at)); err != nil {
			t.Errorf("Put(%q) = %v", at, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, wrote)); string(got) != at || err != nil {
			t.Errorf("Put(%q) leaves %q, %v in %q", at, got, err, wrote)
		}
	}
	for _, err := range []error{
		accesstest.Change(t.Context(), s, access.MakeDir, request("file://"+dir+"/folder/made"), nil),
		accesstest.Change(t.Context(), s, access.Delete, request("file://"+dir+"/folder/made/"), nil),
		accesstest.Change(t.Context(), s, access.Delete, request("file://"+dir+"/folder/new"), nil),
	} {
		if err != nil {
			t.Error(err)
		}
	}
}

// req: 1738-2-1
func TestAppend(t *testing.T) {
	root, dir := tree(t)
	s := System{Root: root}
	for _, test := range []struct {
		url, name, want string
	}{
		{"file:///a.txt", "a.txt", content + "more"},
		{"file:///a.txt", "a.txt", content + "moremore"},
		{"file:///new", "new", "more"},
	} {
		req := request(test.url)
		req.Length = 4
		added, err := accesstest.Add(t.Context(), s, access.Append, req, strings.NewReader("more"))
		got, readErr := os.ReadFile(filepath.Join(dir, test.name))
		if err != nil || !added.IsZero() || string(got) != test.want {
			t.Errorf("Append(%q) = %v, %v and leaves %q, %v, want %q", test.url, added, err, got, readErr, test.want)
		}
	}
	for _, test := range []struct {
		req  access.Request
		want error
	}{
		{access.Request{URL: url.MustParse("file:///sub/")}, errDirectory},
		{access.Request{URL: url.MustParse("file:///sub")}, errDirectory},
		{access.Request{URL: url.MustParse("file:///../a.txt")}, fs.ErrPermission},
		{access.Request{URL: url.MustParse("file:///a.txt"), Size: 9}, io.ErrUnexpectedEOF},
		{access.Request{URL: url.MustParse("file:///a.txt"), Offset: 9}, errors.ErrUnsupported},
		{access.Request{URL: url.MustParse("file:///a.txt"), IfMatch: access.Validator{ETag: `"x"`}}, access.ErrChanged},
	} {
		if err := accesstest.Change(t.Context(), s, access.Append, &test.req, strings.NewReader("more")); !errors.Is(err, test.want) {
			t.Errorf("Append(%+v) = %v, want %v", test.req, err, test.want)
		}
	}
}

func TestDelete(t *testing.T) {
	root, dir := tree(t)
	s := System{Root: root}
	if err := os.Mkdir(filepath.Join(dir, "empty dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		url   string
		match string
		want  error
	}{
		{url: "file:///a.txt", match: `"x"`, want: access.ErrChanged},
		{url: "file:///a.txt/", want: fs.ErrNotExist},
		{url: "file:///a.txt"},
		{url: "file:///a.txt", want: fs.ErrNotExist},
		{url: "file:///sub", want: errDirectory},
		{url: "file:///empty%20dir", want: errDirectory},
		{url: "file:///empty%20dir/"},
		{url: "file:///../x", want: fs.ErrPermission},
		{url: "file://other.example/empty", want: errors.ErrUnsupported},
	} {
		req := request(test.url)
		req.IfMatch.ETag = test.match
		if err := accesstest.Change(t.Context(), s, access.Delete, req, nil); !errors.Is(err, test.want) {
			t.Errorf("Delete(%q) = %v, want %v", test.url, err, test.want)
		}
	}
	if err := accesstest.Change(t.Context(), s, access.Delete, request("file:///sub/"), nil); err == nil {
		t.Error("Delete of a directory that has files = nil, want an error")
	}
	if got := names(t, filepath.Join(dir, "sub")); len(got) != 5 {
		t.Errorf("sub has %q, want all of it", got)
	}
}

func TestMakeDir(t *testing.T) {
	root, _ := tree(t)
	s := System{Root: root}
	for _, test := range []struct {
		url  string
		want error
	}{
		{url: "file:///new/"},
		{url: "file:///new/newer"},
		{url: "file:///new/", want: fs.ErrExist},
		{url: "file:///a.txt", want: fs.ErrExist},
		{url: "file:///none/new", want: fs.ErrNotExist},
		{url: "file:///../new", want: fs.ErrPermission},
	} {
		if err := accesstest.Change(t.Context(), s, access.MakeDir, request(test.url), nil); !errors.Is(err, test.want) {
			t.Errorf("MakeDir(%q) = %v, want %v", test.url, err, test.want)
		}
	}
}

// The zero System refuses every change.
func TestWriteNothing(t *testing.T) {
	var s System
	appended := accesstest.Change(t.Context(), s, access.Append, request("file:///a"), strings.NewReader(""))
	for op, err := range map[string]error{
		"Put":    accesstest.Change(t.Context(), s, access.Put, request("file:///a"), strings.NewReader("")),
		"Append": appended,
		"Delete": accesstest.Change(t.Context(), s, access.Delete, request("file:///a"), nil), "MakeDir": accesstest.Change(t.Context(), s, access.MakeDir, request("file:///a"), nil),
	} {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s with the zero System = %v, want fs.ErrPermission", op, err)
		}
	}
}

// A Put with a Part replaces the file that an earlier upload has left under that name, and renames
// it.
func TestPutPart(t *testing.T) {
	const name = "f.part-0123456789abcdef"
	for _, body := range []io.Reader{strings.NewReader("new"), iotest.ErrReader(io.ErrUnexpectedEOF)} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatalf("%T: %v", body, err)
		}
		defer root.Close()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a part of it"), 0o600); err != nil {
			t.Fatalf("%T: %v", body, err)
		}
		req := &access.Request{Op: access.Put, URL: url.MustParse("file:///f"), Body: body, Size: -1, Part: name[1:]}
		_, err = (System{Root: root}).Do(t.Context(), req)
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if isWhole := err == nil; len(left) != map[bool]int{true: 1, false: 0}[isWhole] || isWhole && filepath.Base(left[0]) != "f" {
			t.Errorf("Put of a %T = %v leaves %q", body, err, left)
		}
		req.Offset, req.Body = 3, strings.NewReader("x")
		if _, err := (System{Root: root}).Do(t.Context(), req); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Put with an Offset and the part %q = %v, want errors.ErrUnsupported", name[1:], err)
		}
	}
}
