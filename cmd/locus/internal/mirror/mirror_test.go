package mirror

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/clitest"
)

// A place is a folder with files, in which the verb runs.
type place struct {
	*testing.T
	dir string
	env map[string]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t, t.TempDir(), map[string]string{}}
	p.env["XDG_STATE_HOME"] = filepath.Join(p.dir, "state")
	return p
}

// write writes files with a time in the year 2026.
func (p *place) write(files map[string]string) {
	p.Helper()
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, text := range files {
		full := filepath.Join(p.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			p.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			p.Fatal(err)
		}
		if err := os.Chtimes(full, when, when); err != nil {
			p.Fatal(err)
		}
	}
}

// files returns the names and texts of the files below a folder.
func (p *place) files(dir string) string {
	var all []string
	root := filepath.Join(p.dir, dir)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // a folder that does not exist has no files
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(root, path)
			all = append(all, filepath.ToSlash(name)+"="+string(text))
		}
		return nil
	})
	return strings.Join(all, " ")
}

// run runs the verb. AT in the arguments is the URL of the folder.
func (p *place) run(args string) (status int, stdout, stderr string) {
	p.Helper()
	fields := strings.Fields(strings.ReplaceAll(args, "AT", cli.NewEnv(nil, nil, nil).FileURL(p.dir).String()))
	return clitest.Run(p.T, Verb(), clitest.Input{Dir: p.dir, Env: p.env}, fields[1:]...)
}

// want runs a verb and checks its output.
func (p *place) want(args string, status int, stdout, stderr string) {
	p.Helper()
	got, out, errors := p.run(args)
	if got != status || !strings.Contains(out, stdout) || (stdout == "") != (out == "") || !strings.Contains(errors, stderr) {
		p.Errorf("%s = %d, %q, %q; want %d, %q, %q", args, got, out, errors, status, stdout, stderr)
	}
}

// A folder is sent, updated and copied back, and each step reports its actions.
func TestSendAndBack(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"public/a": "1", "public/sub/b": "2"})
	p.want("mirror --dry-run public AT/www", 0, "put\ta\nput\tsub/b\n", "")
	p.want("mirror public AT/www", 0, "", "")
	if got := p.files("www"); got != "a=1 sub/b=2" {
		t.Errorf("after mirror the target has %q", got)
	}
	p.want("mirror --json public AT/www", 0, `"event":"skipped"`, "")
	p.write(map[string]string{"public/c": "3", "www/old": "o"})
	p.want("mirror --delete --dry-run public AT/www", 0, "put\tc\ndelete\told\n", "")
	p.want("mirror --delete public AT/www", 0, "", "")
	p.want("mirror AT/www AT/other", 0, "", "")
	p.want("mirror AT/www back", 0, "", "")
	for _, dir := range []string{"www", "other", "back"} {
		if got := p.files(dir); got != "a=1 c=3 sub/b=2" {
			t.Errorf("after mirror --delete and back, %s has %q", dir, got)
		}
	}
}

// A file that is newer at the target is not replaced, and the exit status is 1. --replace-newer
// replaces it.
func TestSendNewerFile(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"public/a": "mine", "www/a": "theirs, later"})
	later := time.Now()
	if err := os.Chtimes(filepath.Join(p.dir, "www", "a"), later, later); err != nil {
		t.Fatal(err)
	}
	p.want("mirror public AT/www", 1, "", "it is newer at the target\nlocus: files that are newer at the target, and were not sent: 1\nlocus: hint: --replace-newer sends them, too\n")
	p.want("mirror --replace-newer public AT/www", 0, "", "")
	if got := p.files("www"); got != "a=mine" {
		t.Errorf("after --replace-newer the target has %q", got)
	}
}

// A command that cannot work ends with a message and a status, and writes no file.
func TestTreeErrors(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"public/a": "1", "public/b": "2", "www/a": "1"})
	for args, test := range map[string]struct {
		status int
		stderr string
	}{
		"mirror none AT/new":                         {1, "none"},
		"mirror public AT/public/in":                 {1, "one of the folders is in the other"},
		"mirror --exclude [ public AT/new":           {2, "not a valid pattern"},
		"mirror --manifest none/m public AT/new":     {1, "none"},
		"mirror public http://[::1":                  {1, "parse"},
		"mirror public gopher://h/1/":                {1, "cannot be written"},
		"mirror --level 1 public AT/new":             {2, "--level works only for copies into a folder"},
		"mirror --max-files 1 public AT/new":         {2, "--max-files works only for copies into a folder"},
		"mirror --replace-newer AT/public new":       {2, "--replace-newer works only for copies to a URL"},
		"mirror --max-delete 1 AT/public new":        {2, "--max-delete needs --delete"},
		"mirror --max-delete 1 public AT/new":        {2, "--max-delete needs --delete"},
		"mirror --delete --level 1 AT/public new":    {2, "--delete cannot be combined with --level"},
		"mirror --other-hosts h AT/public new":       {2, "--other-hosts needs --page-requisites"},
		"mirror --convert-links AT/public new":       {2, "convert-links works only for http, https and gemini"},
		"mirror public new":                          {1, "locus: hint: the URL of this folder is file://"},
		"mirror pub new":                             {1, "a URL starts with its scheme"},
		"mirror AT/none new":                         {1, "no such file"},
		"mirror --include [ AT/public new":           {2, "not a valid pattern"},
		"mirror --max-files 1 AT/public few":         {1, "too many files: more than 1\nlocus: hint: to allow more, use --max-files N"},
		"mirror --max-total 1 AT/public little":      {1, "too large together: more than 1 bytes\nlocus: hint: to allow more, use --max-total SIZE"},
		"mirror --max-entries 1 AT/public less":      {1, "to allow more, use --max-entries N"},
		"mirror --max-size 0 AT/public new":          {2, "would refuse every file"},
		"mirror --delete --max-delete 1 AT/none www": {1, "no such file"},
	} {
		p.want(args, test.status, "", test.stderr)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the failed commands have written %q, %v", p.files("new"), err)
	}
	if got := p.files("www"); got != "a=1" {
		t.Errorf("the failed commands have changed %q", got)
	}
}

// A folder is not mirrored into itself, nor, with --delete, into a folder that contains it. A
// target that is excluded is safe.
func TestMirrorOverlap(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"src/a": "1", "src/sub/only": "2", "other/b": "3"})
	if err := os.Symlink("src", filepath.Join(p.dir, "link")); err != nil {
		t.Skip("this system cannot make symbolic links: ", err)
	}
	const refused = "one of the folders is in the other"
	for _, args := range []string{
		"AT/src src", "AT/src link", "AT/link src", "AT/src/ src/sub", "AT/src src/new/deep", "AT/src link/new/deep",
		"--delete AT/src/sub src", "--delete AT/link/sub .", "--dry-run AT/src src/new", "--delete --exclude b AT/src/sub src",
	} {
		p.want("mirror "+args, 1, "", refused)
	}
	if got := p.files("src") + " " + p.files("other"); got != "a=1 sub/only=2 b=3" {
		t.Errorf("the refused commands have changed the folders: %q", got)
	}
	p.want("mirror --exclude sub AT/src src/sub", 0, "", "")
	p.want("mirror AT/src/sub src", 0, "", "")
	p.want("mirror --delete AT/src other", 0, "", "")
}

// A dry run of mirror does not make the folder.
func TestMirrorDryRun(t *testing.T) {
	p := newPlace(t)
	p.write(map[string]string{"public/a": "1", "public/sub/b": "2"})
	p.want("mirror --dry-run AT/public new", 0, "get\ta\n", "")
	if _, err := os.Stat(filepath.Join(p.dir, "new")); err == nil {
		t.Error("mirror --dry-run made the folder")
	}
	p.want("mirror AT/public new", 0, "", "")
	p.write(map[string]string{"new/x": "x", "new/y": "y"})
	p.want("mirror --delete --max-delete 1 AT/public new", 1, "", "the limit is 1")
	p.want("mirror --delete --max-delete 0 AT/public new", 1, "", "the limit is 0")
	p.want("mirror --delete --max-delete 0 public AT/new", 1, "", "the limit is 0")
	p.want("mirror --delete --max-delete 0 --exclude x --exclude y AT/public new", 0, "", "")
	p.want("mirror --delete --max-delete 1 --exclude x AT/public new", 0, "", "")
	p.want("mirror --delete --include *.zzz AT/public/sub new", 1, "", "nothing was deleted: no file matches the patterns")
	p.want("mirror --delete --include *.zzz public AT/new", 1, "", "nothing was deleted: no file matches the patterns")
	if got := p.files("new"); got != "a=1 sub/b=2 x=x" {
		t.Errorf("after refused deletions the copy has %q", got)
	}
}

// A copy for reading offline names the missing files of its pages, and the flag that could fetch
// files of other hosts.
func TestMissingFiles(t *testing.T) {
	page := `<img src="gone.png">`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, page)
	}))
	defer server.Close()
	for _, test := range []struct {
		page, hint string
	}{
		{`<img src="gone.png">`, ""},
		{`<img src="http://localhost:1/other.png">`, "locus: hint: --other-hosts PATTERN also fetches from other hosts\n"},
	} {
		page = test.page
		p := newPlace(t)
		status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: p.dir, Env: p.env}, "--page-requisites", "--convert-links", server.URL+"/", "site")
		want := server.URL + "/: files that pages load and that are not in the copy: 1\n" + test.hint
		if status != 0 || !strings.Contains(stderr, want) || test.hint == "" && strings.Contains(stderr, "--other-hosts") {
			t.Errorf("mirror of the page %s = %d, %q, want %q", test.page, status, stderr, want)
		}
	}
}

// A menu whose links all lead to other servers is not a successful copy: the command names the servers and
// the flag. The name localhost is the server itself.
func TestGopherElsewhere(t *testing.T) {
	menu := ""
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			selector, _ := bufio.NewReader(conn).ReadString('\n')
			if strings.TrimSpace(selector) == "" {
				_, _ = io.WriteString(conn, menu)
			}
			_, _ = io.WriteString(conn, ".\r\n")
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	u := "gopher://" + l.Addr().String() + "/1"
	const far = "0a\t/a\ta.invalid\t70\r\n0b\t/b\tA.INVALID\t70\r\n0c\t/c\tc.invalid\t7070\r\n"
	for _, test := range []struct {
		menu   string
		status int
		want   string // of stderr
	}{
		{"0here\t/here\tlocalhost\t" + port + "\r\n", 0, ""},
		{
			far, 1, "locus: " + u + ": links to gopher://a.invalid:70: 2\nlocus: " + u + ": links to gopher://c.invalid:7070: 1\n" +
				"locus: " + u + ": links to other servers that are not in the copy: 3\nlocus: hint: --other-hosts PATTERN also fetches the files that they name\n" +
				"locus: mirror " + u + ": all links lead to other servers\n",
		},
		{"iText\t\terror.host\t1\r\n", 0, ""},
	} {
		menu = test.menu
		p := newPlace(t)
		for _, flag := range [][]string{nil, {"--dry-run"}} {
			status, _, stderr := clitest.Run(t, Verb(), clitest.Input{Dir: p.dir, Env: p.env}, append(flag, u, "copy")...)
			if status != test.status || stderr != test.want {
				t.Errorf("mirror %q of the menu %q = %d, %q, want %d, %q", flag, test.menu, status, stderr, test.status, test.want)
			}
		}
	}
}
