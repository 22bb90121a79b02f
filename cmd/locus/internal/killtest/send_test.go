package killtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"locus/cmd/locus/internal/clitest"
	"locus/internal/peers"
)

// An upload of a tree that is killed at random moments leaves only whole files under their
// names, of this version or of the one before. The last run completes the tree, and removes
// what the killed ones left.
//
// LOCUS_ROUNDS is how often each is killed; by default 12 times.
func TestKilledSend(t *testing.T) {
	for name, start := range map[string]func(testing.TB, string) (addr string){
		"file":   func(_ testing.TB, root string) string { return "file://" + root + "/dav/www/" },
		"vsftpd": func(t testing.TB, root string) string { return "ftp://" + peers.VSFTPD(t, root).Addr + "/dav/www/" },
		"proftpd": func(t testing.TB, root string) string {
			return "ftp://alice:secret@" + peers.ProFTPD(t, root).Addr + "/dav/www/"
		},
		"nginx":  func(t testing.TB, root string) string { return "http://" + peers.Nginx(t, root).Addr + "/dav/www/" },
		"apache": func(t testing.TB, root string) string { return "http://" + peers.Apache(t, root).Addr + "/dav/www/" },
		"lighttpd": func(t testing.TB, root string) string {
			return "http://" + peers.LighttpdDAV(t, root).Addr + "/dav/www/"
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "dav"), 0o777); err != nil {
				t.Fatal(err)
			}
			killSend(t, start(t, root), filepath.Join(root, "dav", "www"))
		})
	}
}

func killSend(t *testing.T, u, target string) {
	rounds := 12
	if n, err := strconv.Atoi(os.Getenv("LOCUS_ROUNDS")); err == nil {
		rounds = n
	}
	source, state := t.TempDir(), t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	run := func(ctx context.Context, more ...string) ([]byte, error) {
		cmd := clitest.Process(ctx, t, append(append([]string{"put", "-r", "--replace-newer", "--delete"}, more...), source, u)...)
		cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+state)
		return cmd.CombinedOutput()
	}
	for round := range rounds {
		writeVersion(t, source, round)
		wait := time.Duration(20+random.IntN(500)) * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		out, err := run(ctx) // killed when ctx ends
		if err != nil && ctx.Err() == nil {
			t.Fatalf("round %d: %v\n%s", round, err, out)
		}
		cancel()
		checkVersions(t, target, round)
	}
	time.Sleep(time.Second) // until the server has noticed the last kill
	if out, err := run(t.Context()); err != nil {
		t.Fatalf("the last run: %v\n%s", err, out)
	}
	if got, want := tree(t, target), tree(t, source); len(got) != len(want) {
		t.Errorf("the target has %d files, want %d", len(got), len(want))
	} else {
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s differs", name)
			}
		}
	}
	if out, err := run(t.Context(), "--json"); err != nil || bytes.Contains(out, []byte(`"event":"done"`)) {
		t.Errorf("an upload that is complete: %v\n%s", err, out)
	}
}

// versionOf returns the content of file i in a round: one letter, in a size of its own.
func versionOf(i, round int) []byte {
	return bytes.Repeat([]byte{'a' + byte(round%26)}, 1<<(i%20)+round)
}

func writeVersion(t *testing.T, dir string, round int) {
	t.Helper()
	when := time.Now().Add(time.Duration(round-1000) * time.Hour)
	for i := range 40 {
		name := filepath.Join(dir, fmt.Sprintf("dir%d", i%5), fmt.Sprintf("file %d", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, versionOf(i, round), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
}

// unfinished matches the names of uploads that are not complete: those of locus, and those
// of mod_dav.
var unfinished = regexp.MustCompile(`\.part-[0-9a-f]{8}$|^\.locus-|^\.davfs\.tmp`)

// checkVersions checks that each file is whole, in the version of some round.
func checkVersions(t *testing.T, dir string, last int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		var i int
		if unfinished.MatchString(filepath.Base(name)) { // the server may be about to remove it
			continue
		}
		if _, err := fmt.Sscanf(filepath.Base(name), "file %d", &i); err != nil {
			t.Errorf("%s is not of the source", name)
			continue
		}
		text, err := os.ReadFile(name)
		round := len(text) - 1<<(i%20)
		if err != nil || round < 0 || round > last || !bytes.Equal(text, versionOf(i, round)) {
			t.Fatalf("%s has %d bytes of no version: %v", name, len(text), err)
		}
	}
}
