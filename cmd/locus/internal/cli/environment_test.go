package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/cmd/locus/internal/flags"
	"locus/proto/pin"
	"locus/url"
)

// The place of mail is --mail, or else the first of the variables that is set.
func TestReceivedMail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		named     string
		variables map[string]string
		want      string
	}{
		{"named", map[string]string{"LOCUS_MAIL": "a", "MAILDIR": "b", "MAIL": "c"}, "named"},
		{"", map[string]string{"LOCUS_MAIL": "a", "MAILDIR": "b", "MAIL": "c"}, "a"},
		{"", map[string]string{"LOCUS_MAIL": "", "MAILDIR": "b", "MAIL": "c"}, "b"},
		{"", map[string]string{"MAIL": "c"}, "c"},
		{"", nil, ""},
	} {
		if got := newEnv("", test.variables).ReceivedMail(test.named).Name; got != test.want {
			t.Errorf("ReceivedMail(%q) with %v is at %q, want %q", test.named, test.variables, got, test.want)
		}
	}
}

// An error about --mail names the flag and the place as it was typed. A place without mail is a misuse.
func TestCheckMail(t *testing.T) {
	t.Parallel()
	e := newEnv(writeFile(t, "text", "no mail\n"), map[string]string{"MAIL": "none"})
	for _, test := range []struct {
		place, want string // a part of the error; "": nil
		isMisuse    bool
	}{
		{"", "", false},
		{"imaps://ada@h/", "", false},
		{"none", " none: ", false},
		{"text", "", true},
		{"imap://", "", true},
	} {
		err := e.CheckMail(test.place)
		if isFailure := test.want != "" || test.isMisuse; (err != nil) != isFailure || flags.IsMisuse(err) != test.isMisuse {
			t.Errorf("CheckMail(%q) = %v, want failure: %v, misuse: %v", test.place, err, isFailure, test.isMisuse)
			continue
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "--mail: ") || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), e.Dir)) {
			t.Errorf("CheckMail(%q) = %v, want --mail and %q, as it was typed", test.place, err, test.want)
		}
	}
}

// The news server is --news-server, or else NNTPSERVER.
func TestNewsServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ named, variable, want string }{
		{"a", "b", "a"},
		{"", "b", "b"},
		{"", " b ", "b"},
	} {
		e := newEnv("", map[string]string{"NNTPSERVER": test.variable})
		if c, err := e.newsClient(Protocols{NewsServer: test.named, NewsUser: "ada"}); c.Server != test.want || c.User != "ada" || err != nil {
			t.Errorf("with --news-server %q and NNTPSERVER=%q the server is %q, %v, want %q", test.named, test.variable, c.Server, err, test.want)
		}
	}
}

// Strangers cannot fill the user's file of certificates, nor add to it.
func TestStrangersPins(t *testing.T) {
	t.Parallel()
	e := newEnv("", map[string]string{"XDG_STATE_HOME": t.TempDir()})
	for name, pins := range map[string]*pin.Pins{"strangers": e.StrangersPins(), "user": e.newPins(e.StateDir(), nil)} {
		if _, err := pins.Store(name+":1965", pin.Pin{}, pin.Pin{Fingerprint: "aa"}); err != nil {
			t.Fatalf("store a pin of %s: %v", name, err)
		}
	}
	for name, file := range map[string]string{"strangers": filepath.Join("strangers", pinsName), "user": pinsName} {
		got := readText(t, filepath.Join(e.StateDir(), file))
		if !strings.HasPrefix(got, name+":1965 aa ") || strings.Count(got, "\n") != 1 {
			t.Errorf("the file of %s has %q, want one certificate", name, got)
		}
	}
	if pins := newEnv("", nil).StrangersPins(); pins.Load != nil || pins.Store != nil {
		t.Error("without a folder for state, the pins are not kept in memory")
	}
}

// A line that is not a pin is an error that names the file and the line, because without it a changed certificate could
// pass.
func TestBadPins(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(writeFile(t, pinsName, "\nh:1965 aa 2026-11-29T10:00:00Z 2027-11-29T10:00:00Z\nh:1965 bb\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = readPins(root)
	if err == nil || !strings.HasSuffix(err.Error(), pinsName+", line 3: the line must have an address, a fingerprint and two times") {
		t.Errorf("readPins of a file with a wrong line 3 = %v", err)
	}
}

// A password for the hosts that the user named is not for the hosts of links and redirects.
func TestOtherLogin(t *testing.T) {
	t.Parallel()
	e := newEnv("", map[string]string{passwordVariable: "sesame"})
	if err := e.ReadLogins(Login{}); err != nil {
		t.Fatal(err)
	}
	challenge := access.Challenge{URL: url.MustParse("ftp://ada@h/"), Host: "h", User: "ada"}
	if got, err := e.Login()(t.Context(), challenge); got.User != "ada" || got.Password != "sesame" || err != nil {
		t.Errorf("Login at a host that the user named = %+v, %v, want the password", got, err)
	}
	if got, err := e.OtherLogin()(t.Context(), challenge); got.Password != "" || !errors.Is(err, access.ErrPassword) {
		t.Errorf("OtherLogin = %+v, %v, want access.ErrPassword", got, err)
	}
}

// A sentence about a login shows the password only on a terminal, because others may read a log.
func TestLoginAdvice(t *testing.T) {
	t.Parallel()
	e := newEnv("", nil)
	for _, test := range []struct {
		login access.LoginAdvice
		want  string
	}{
		{access.LoginAdvice{}, ""},
		{access.LoginAdvice{User: url.Some("ada"), Password: url.Some("sesame")}, `the URL suggests logging in as "ada"`},
		{access.LoginAdvice{Password: url.Some("sesame")}, ""},
	} {
		r := &access.Resource{Login: test.login}
		if got := e.LoginAdvice(r); got != test.want {
			t.Errorf("LoginAdvice(%+v) = %q, want %q", test.login, got, test.want)
		}
		if r.Login != test.login {
			t.Errorf("LoginAdvice(%+v) has changed the login of the resource", test.login)
		}
	}
}

// If a URL is wanted and the user has typed the path of a file, the hint is the URL of the file.
func TestPathHint(t *testing.T) {
	t.Parallel()
	dir := writeFile(t, "a b.txt", "")
	e := newEnv(dir, nil)
	_, syntax := url.Parse("a b.txt")
	for _, test := range []struct {
		err     error
		wantURL bool
	}{
		{engine.Fail("open", url.MustParse("a%20b.txt"), access.ErrNoScheme), false}, // no file has this name
		{syntax, true},
		{fmt.Errorf("wrapped: %w", syntax), true},
		{engine.Fail("open", url.MustParse("."), access.ErrNoScheme), true},
		{engine.Fail("open", url.MustParse("none"), access.ErrNoScheme), false},
		{engine.Fail("open", url.MustParse("."), fs.ErrNotExist), false},
		{engine.Fail("open", url.MustParse("http://h/"), access.ErrNoScheme), false},
		{errors.New("x"), false},
	} {
		got := e.Hint(test.err)
		if isURL := strings.HasPrefix(got, "for the file or folder on this machine, write file:///"); isURL != test.wantURL {
			t.Errorf("Hint(%v) = %q, want a file URL: %v", test.err, got, test.wantURL)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if got, want := e.FileURL("a b.txt").String(), "file://"+filepath.Join(dir, "a%20b.txt"); got != want {
		t.Errorf(`FileURL("a b.txt") = %s, want %s`, got, want)
	}
}

// An error about the file of a flag is a misuse if the file was read.
func TestFileError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err      error
		isMisuse bool
	}{
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}, false},
		{fmt.Errorf("wrapped: %w", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}), false},
		{syscall.EISDIR, false},
		{errors.New("line 3 is wrong"), true},
	} {
		err := FileError("--x", test.err)
		if err == nil || err.Error() != "--x: "+test.err.Error() || flags.IsMisuse(err) != test.isMisuse {
			t.Errorf("FileError(%v) = %v, want misuse: %v", test.err, err, test.isMisuse)
		}
		if !test.isMisuse && !errors.Is(err, test.err) {
			t.Errorf("FileError(%v) = %v, which does not wrap it", test.err, err)
		}
	}
	if err := FileError("--x", nil); err != nil {
		t.Errorf("FileError(nil) = %v, want nil", err)
	}
}
