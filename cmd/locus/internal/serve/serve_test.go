package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
)

// envOf returns an Env with variables, whose stderr is a file.
func envOf(t *testing.T, variables map[string]string) (e *cli.Env, stderr func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	e = cli.NewEnv(nil, f, f)
	e.LookupEnv = func(name string) (string, bool) { value, ok := variables[name]; return value, ok }
	return e, func() string {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// Each policy has its own cache, so that clients of one policy do not get resources that clients of
// another opened.
func TestCacheFolder(t *testing.T) {
	cache := t.TempDir()
	e, _ := envOf(t, map[string]string{"XDG_CACHE_HOME": cache, "HOME": cache, "LocalAppData": cache})
	seen := make(map[string]string)
	for _, policy := range []string{"", "public", "any"} {
		folder := Options{Policy: policy}.cacheFolder(e)
		if other, ok := seen[folder]; ok || !strings.HasPrefix(folder, cache) {
			t.Errorf("the policy %q has the cache folder %q, as the policy %q", policy, folder, other)
		}
		seen[folder] = policy
	}
	var toClose closers
	defer func() { _ = toClose.close() }()
	if c, err := (Options{CacheSize: 1 << 20}).cache(e, &toClose); err != nil || c == nil || len(toClose) != 1 {
		t.Errorf("cache() = %v, %v", c, err)
	}
	if c, err := (Options{NoCache: true}).cache(e, &toClose); err != nil || c != nil {
		t.Errorf("cache() with --no-cache = %v, %v", c, err)
	}
	if _, err := (Options{NoCache: true, CacheDir: "x", Given: cli.Given{"no-cache": true, "cache-dir": true}}).cache(e, &toClose); !flags.IsMisuse(err) {
		t.Errorf("cache() with --no-cache and --cache-dir = %v", err)
	}
	homeless, _ := envOf(t, nil)
	if _, err := (Options{}).cache(homeless, &toClose); err == nil || !strings.Contains(cli.Hint(err), "name a folder with --cache-dir") {
		t.Errorf("cache() without a home folder = %v", err)
	}
}

func TestLogger(t *testing.T) {
	for format, want := range map[string]string{"json": `"msg":"answered"`, "text": "msg=answered", "": "msg=answered", "off": ""} {
		e, stderr := envOf(t, nil)
		Logger(e, format).Info("answered")
		if got := stderr(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("--log %s writes %q, want %q", format, got, want)
		}
	}
}

// An invalid file of users is a misuse, and the error does not show its lines.
func TestReadUsers(t *testing.T) {
	e, _ := envOf(t, nil)
	name := filepath.Join(t.TempDir(), "users")
	if _, err := readUsers(e, name); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "--auth: ") {
		t.Errorf("--auth with a missing file = %v", err)
	}
	if err := os.WriteFile(name, []byte("ada:sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readUsers(e, name); !flags.IsMisuse(err) || strings.Contains(err.Error(), "sesame") || !strings.Contains(cli.Hint(err), "htpasswd") {
		t.Errorf("--auth with a password that is not hashed = %v, hint %q", err, cli.Hint(err))
	}
}
