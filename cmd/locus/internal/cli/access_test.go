package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/flags"
	"locus/internal/walk"
	"locus/proto/ftp"
	"locus/transfer"
)

// newEnv returns an Env with a folder and environment variables, and without streams.
func newEnv(dir string, variables map[string]string) *Env {
	e := NewEnv(nil, nil, nil)
	e.Dir = dir
	e.LookupEnv = func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
	return e
}

// writeFile writes a file that only its user may read, and returns its folder.
func writeFile(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Client refuses contradictory flags before it connects.
func TestClientRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    Access
		want string
	}{
		{Access{Protocols: Protocols{RecordSyntax: []string{"nosuch"}}}, "--record-syntax: "},
		{Access{Protocols: Protocols{FTPTLS: true, FTPNoTLS: true}}, "--ftp-tls and --ftp-no-tls cannot be combined"},
		{Access{Protocols: Protocols{NewsTLS: true, NewsNoTLS: true}}, "--news-tls and --news-no-tls cannot be combined"},
		{Access{Protocols: Protocols{FTPCharset: "klingon"}}, `--ftp-charset: unknown character set "klingon"`},
		{Access{Protocols: Protocols{NFSUser: "ada"}}, "--nfs-user must be UID:GID"},
		{Access{Connect: Connect{Proxy: "ftp://u:secret@h/"}}, "--proxy: "},
		{Access{Connect: Connect{Proxy: "socks5://h", NoProxy: true}}, "--proxy and --no-proxy cannot be combined"},
	} {
		client, err := newEnv(t.TempDir(), nil).Client(test.o, nil)
		if client != nil || !flags.IsMisuse(err) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Client(%+v) = %v, want the misuse %q", test.o, err, test.want)
		}
	}
	for flag, o := range map[string]Access{
		"--spool": {Protocols: Protocols{Spool: "none"}}, "--netrc-file": {Login: Login{NetrcFile: "none"}}, "--password-file": {Login: Login{PasswordFile: "none"}},
	} {
		if _, err := newEnv(t.TempDir(), nil).Client(o, nil); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), flag+": ") || !strings.Contains(err.Error(), " none: ") {
			t.Errorf("Client(%+v) = %v, want that %s none does not exist", o, err, flag)
		}
	}
}

// The flags --ftp-* set the fields of the ftp client.
func TestFTPClient(t *testing.T) {
	t.Parallel()
	e := newEnv("", nil)
	for _, test := range []struct {
		o    Protocols
		want func(c ftp.Client) bool
	}{
		{Protocols{}, func(c ftp.Client) bool {
			return c.Security == access.OpportunisticTLS && c.Listen == nil && c.Charset == nil && !c.UTF8 && c.Pool != nil
		}},
		{Protocols{FTPTLS: true}, func(c ftp.Client) bool { return c.Security == access.RequireTLS }},
		{Protocols{FTPNoTLS: true}, func(c ftp.Client) bool { return c.Security == access.NeverTLS }},
		{Protocols{FTPActive: true}, func(c ftp.Client) bool { return c.Listen != nil }},
		{Protocols{FTPAccount: "a"}, func(c ftp.Client) bool { return c.Account == "a" }},
		{Protocols{FTPCharset: "UTF-8"}, func(c ftp.Client) bool { return c.UTF8 && c.Charset == nil }},
		{Protocols{FTPCharset: "iso-8859-1"}, func(c ftp.Client) bool { return !c.UTF8 && c.Charset != nil }},
	} {
		if c, err := e.ftpClient(test.o); err != nil || !test.want(c) {
			t.Errorf("ftpClient(%+v) = %+v, %v", test.o, c, err)
		}
	}
	for mode, isMode := range map[string]bool{"": true, "644": true, "0644": true, "7": true, "00644": false, "648": false, "-44": false, "u+x": false, "0x1": false} {
		var c ftp.Client
		if err := (Upload{FTPDirect: true, FTPChmod: mode}).Set(&c); (err == nil) != isMode || isMode && (c.Mode != mode || !c.Direct) {
			t.Errorf("--ftp-chmod %q: %v, %q", mode, err, c.Mode)
		}
	}
}

// A password file takes precedence over the variable. Its first line is the password, and must not
// be empty. An empty variable is ignored.
func TestReadLogins(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, variable string
		want           string // "" for an error
	}{
		{"one\ntwo\n", "three", "one"},
		{"one\r\n", "", "one"},
		{"one", "", "one"},
		{" one ", "", " one "},
		{"\n", "three", ""},
		{"", "three", ""},
	} {
		dir := writeFile(t, "password", test.file)
		e := newEnv(dir, map[string]string{passwordVariable: test.variable})
		err := e.ReadLogins(Login{PasswordFile: "password"})
		if test.want == "" {
			if err == nil || err.Error() != `--password-file: the first line of "password" is empty` {
				t.Errorf("with the password file %q and the variable %q: %v, want an error about an empty line", test.file, test.variable, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", test.file, err)
		}
		if got, err := e.PasswordPrompt()(t.Context(), ""); got != test.want || err != nil {
			t.Errorf("with the password file %q and the variable %q the password is %q, %v, want %q", test.file, test.variable, got, err, test.want)
		}
	}
	e := newEnv("", map[string]string{passwordVariable: ""})
	if err := e.ReadLogins(Login{}); err != nil || e.PasswordPrompt() != nil {
		t.Errorf("an empty variable counts as a password: %v", err)
	}
	e = newEnv("", map[string]string{passwordVariable: "three"})
	if err := e.ReadLogins(Login{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := e.PasswordPrompt()(t.Context(), ""); got != "three" {
		t.Errorf("with the variable the password is %q", got)
	}
	if e.WithoutLogins(); e.PasswordPrompt() != nil {
		t.Error("without a terminal there is a function that asks for a password")
	}
}

// --netrc-file takes precedence over $NETRC, and $NETRC over the .netrc of the home folder. Only
// the file of --netrc-file must exist. A .netrc that others may read gives no password, and errors
// show its name as the user typed it.
func TestNetrc(t *testing.T) {
	t.Parallel()
	dir := writeFile(t, "named", "machine h login ada password named\n")
	for name, text := range map[string]string{"variable": "machine h login ada password variable\n", ".netrc": "machine h login ada password home\n", "broken": "machine"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ named, variable, home, want string }{
		{"named", "variable", dir, "named"},
		{"", "variable", dir, "variable"},
		{"", "", dir, "home"},
		{"", "none", dir, ""},
		{"", "", filepath.Join(dir, "none"), ""},
		{"", "", "", ""},
	} {
		e := newEnv(dir, map[string]string{"NETRC": test.variable, "HOME": test.home, "USERPROFILE": test.home})
		if _, password, err := e.LoginAt(Login{NetrcFile: test.named}, "h", ""); password != test.want || err != nil {
			t.Errorf("with %+v the password is %q, %v", test, password, err)
		}
	}
	if runtime.GOOS == "windows" {
		return // the modes of Windows do not tell who may read
	}
	if err := os.Chmod(filepath.Join(dir, "named"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := newEnv(dir, nil)
	_, password, err := e.LoginAt(Login{NetrcFile: "named"}, "h", "")
	if password != "" || err == nil || !strings.HasPrefix(err.Error(), "named has a password") || !strings.Contains(Hint(err), "chmod 600") {
		t.Errorf("a file that others may read gives the password %q, %v, with the hint %q", password, err, Hint(err))
	}
}

// The URL of a gateway is an http or https URL without a path and a query. Errors do not show its
// password.
func TestUserGateway(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ given, variable, want string }{
		{"", "", UsualGateway},
		{"", "http://h:1/", "http://h:1/"},
		{"https://g", "http://h:1/", "https://g/"},
		{"http://u:secret@g/", "", "http://u:secret@g/"},
		{"http://[::1]:8/", "", "http://[::1]:8/"},
		{"ftp://g/", "", ""},
		{"http://g/x", "", ""},
		{"http://g/?", "", ""},
		{"http://g/#x", "", ""},
		{"", "http://g#", ""},
		{"http://", "", ""},
		{"g:1738", "", ""},
		{"http://u:secret@g/x", "", ""},
		{"http://u:secret@[", "", ""},
		{"", "u:secret@g", ""},
	} {
		at, err := newEnv("", map[string]string{GatewayVariable: test.variable}).UserGateway(test.given)
		if at.String() != test.want || (err != nil) != (test.want == "") || err != nil && (!flags.IsMisuse(err) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("UserGateway(%q) with %q = %s, %v, want %s", test.given, test.variable, at, err, test.want)
		}
	}
	if p := Pseudonym(); p != Pseudonym() || !strings.HasPrefix(p, "locus-") || len(p) < 10 {
		t.Errorf("Pseudonym() = %q, and then %q", p, Pseudonym())
	}
}

// An argument is a URL if it is a whole URL and not the name of a file.
func TestArgumentURL(t *testing.T) {
	t.Parallel()
	dir := writeFile(t, "urn:x", "")
	e := newEnv(dir, nil)
	for arg, want := range map[string]bool{
		"http://h/": true, "urn:y": true, "mailto:a@b": true, "urn:x": false, "a/b": false, "": false, "//h/": false, "http://[": false, "-": false, ".": false,
		"data:," + strings.Repeat("a", 300): true, strings.Repeat("a", 300): false, // no file has so long a name
	} {
		if runtime.GOOS == "windows" && arg == "urn:x" {
			continue // Windows does not allow this name
		}
		if u, ok := e.ArgumentURL(arg); ok != want || ok && u.String() != arg {
			t.Errorf("ArgumentURL(%q) = %s, %v, want %v", arg, u, ok, want)
		}
	}
	text := func(s string) *string { return &s }
	for _, test := range []struct {
		base *string
		err  string
	}{
		{nil, ""},
		{text("http://h/x"), ""},
		{text("urn:x"), ""},
		{text(""), `--base must be a URL with a scheme, not ""`},
		{text("a/b"), "--base must be"},
		{text("//h/"), "--base must be"},
		{text("http://["), "parse"},
	} {
		u, err := ParseBase(test.base)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) || err == nil && test.base != nil && u.String() != *test.base {
			t.Errorf("ParseBase = %s, %v, want %q", u, err, test.err)
		}
	}
}

// --warc and --from-warc exclude each other, and the name of an archive shows its format.
func TestArchives(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		record Recording
		from   string
		want   string
		hint   string
	}{
		{Recording{WARC: "a.warc"}, "b.warc", "--warc and --from-warc cannot be combined", ""},
		{Recording{WARCSize: 1}, "", "--warc-size needs --warc", ""},
		{Recording{WARC: "a"}, "", "--warc needs a file name that ends in .warc.gz or .warc", "--warc a.warc.gz"},
		{Recording{WARC: "a.gz"}, "", "--warc needs a file", "--warc a.gz.warc.gz"},
		{Recording{WARC: "my site"}, "", "--warc needs a file", "--warc 'my site.warc.gz'"},
		{Recording{WARC: "none/a.warc"}, "", "none", ""},
		{Recording{}, "none.warc", "none.warc", ""},
		{Recording{}, "none/a.warc", "none", ""},
		{Recording{}, "text", "text", ""},
	} {
		e := newEnv(writeFile(t, "text", "no archive"), nil)
		client, err := e.Client(Access{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Archives(client, test.record, Replay{test.from})
		if err == nil || !strings.Contains(err.Error(), test.want) || Hint(err) != test.hint && test.hint != "" {
			t.Errorf("%+v, %q: %v, hint %q, want %q, %q", test.record, test.from, err, Hint(err), test.want, test.hint)
		}
		if client.Record != nil || client.Archive != nil {
			t.Errorf("%+v, %q: the client has an archive although OpenArchive returned %v", test.record, test.from, err)
		}
	}
	e := newEnv(t.TempDir(), nil)
	client, err := e.Client(Access{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := e.Archives(client, Recording{WARC: "a.warc"}, Replay{})
	if err != nil || client.Record == nil || client.Writer == nil {
		t.Fatalf("StartArchive of --warc a.warc = %v", err)
	}
	failed := errors.New("the verb has failed")
	if err := done(failed); !errors.Is(err, failed) {
		t.Errorf("done = %v, want the error of the verb", err)
	}
	if _, err := os.Stat(filepath.Join(e.Dir, "a.warc")); err != nil {
		t.Error(err)
	}
}

// The names of files begin with the name of the folder as the user typed it. An invalid pattern is
// a misuse.
func TestEachFile(t *testing.T) {
	t.Parallel()
	dir := writeFile(t, "a.md", "")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "b.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEnv(dir, nil)
	for folder, want := range map[string][]string{
		".": {"a.md", "sub/b.md"}, "sub": {"sub/b.md"}, "./sub/": {"sub/b.md"}, "sub/..": {"a.md", "sub/b.md"},
		filepath.Join(dir, "sub"): {filepath.ToSlash(filepath.Join(dir, "sub", "b.md"))},
	} {
		var got []string
		err := e.EachFile(walk.Walker{}, folder, func(name string, err error) error {
			got = append(got, filepath.ToSlash(name))
			return err
		})
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("the files of %s are %q, %v, want %q", folder, got, err, want)
		}
	}
	err := e.EachFile(walk.Walker{}, "none", func(_ string, err error) error { return err })
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none") || strings.Contains(err.Error(), dir) {
		t.Errorf("EachFile of a folder that does not exist = %v", err)
	}
	if _, err := (Walk{Filter: Filter{Exclude: []string{"["}}}).Walker(); !flags.IsMisuse(err) {
		t.Errorf("EachFile with the pattern [ = %v, want a UsageError", err)
	}
	w, err := Walk{Filter: Filter{Include: []string{"*.md"}}, NoIgnore: true}.Walker()
	if err != nil || !w.All || !slices.Equal(w.Filter.Include, []string{"*.md"}) || !slices.Equal(w.Filter.Exclude, transfer.Filter{}.Exclude) {
		t.Errorf("Walker = %+v, %v", w, err)
	}
}

// The list of URL beginnings has no scheme that only names things, and every flag of a group is
// declared once.
func TestSchemesAndGroups(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"ftp": true, "file": true, "telnet": true, "cid": true, "urn": false, "nosuch": false, "": false, "FTP": false} {
		if CanOpen(name) != want {
			t.Errorf("CanOpen(%q) = %v", name, !want)
		}
	}
	for _, start := range URLStarts() {
		if !strings.HasSuffix(start, ":") && !strings.HasSuffix(start, "://") {
			t.Errorf("the beginnings of URLs contain %q, which cannot be opened", start)
		}
	}
	if got, want := FlagNames[Recording](), "warc warc-size"; got != want {
		t.Errorf("FlagNames[Recording]() = %q, want %q", got, want)
	}
	names := map[string]bool{}
	shorts := map[string]bool{}
	for _, f := range AllFlags() {
		if names[f.Name] || f.Short != "" && shorts[f.Short] || f.Usage == "" {
			t.Errorf("the flag --%s (-%s) is declared twice, or without a sentence", f.Name, f.Short)
		}
		names[f.Name], shorts[f.Short] = true, true
	}
}
