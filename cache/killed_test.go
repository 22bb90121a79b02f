package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// snapshot returns the Folder that the next process has if this one is killed
// now.
func snapshot(t *testing.T, dir string) *Folder {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return folderIn(t, copied, 1<<20)
}

// storedIn returns the bytes that a Folder has under key; "" if the Folder lacks key.
func storedIn(f *Folder, key string) string {
	stored, ok := f.find(key)
	if !ok {
		return ""
	}
	body, err := f.body(stored, 0)
	if err != nil {
		return ""
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return ""
	}
	return string(data)
}

// A process that is killed between any two steps leaves the old resource or the new one.
func TestKilledBetween(t *testing.T) {
	const key, old, now = "http://h/x", "the old version", "the new version, which is longer"
	dir := t.TempDir()
	f := folderIn(t, dir, 1<<20)
	steps := func(content string) {
		w, err := f.create()
		if err != nil {
			t.Fatal(err)
		}
		before := storedIn(snapshot(t, dir), key)
		for i := range content {
			if _, err := io.WriteString(w, content[i:i+1]); err != nil {
				t.Fatalf("writing byte %d: %v", i, err)
			}
			if got := storedIn(snapshot(t, dir), key); got != before {
				t.Fatalf("killed after %d bytes of %q: %q is stored, want %q", i+1, content, got, before)
			}
		}
		if err := w.commit(&metadata{Key: key}); err != nil {
			t.Fatal(err)
		}
		w.close()
		if got := storedIn(snapshot(t, dir), key); got != content {
			t.Fatalf("killed after the end: %q is stored, want %q", got, content)
		}
	}
	steps(old)
	steps(now)

	// The metadata are rewritten in place, so their file may end anywhere.
	path := filepath.Join(dir, filepath.FromSlash(pathOf(nameOf(key))))
	for end := int64(len(now)); ; end++ {
		stored, ok := f.find(key)
		if !ok {
			t.Fatalf("metadata cut at %d: the resource is not kept", end)
		}
		if err := f.refresh(stored); err != nil {
			t.Fatalf("refresh of metadata cut at %d: %v", end, err)
		}
		info, err := os.Stat(path)
		if err != nil || end >= info.Size() {
			break
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, end); err != nil {
			t.Fatal(err)
		}
		if got := storedIn(snapshot(t, dir), key); got != "" {
			t.Fatalf("killed when the file had %d bytes: %q is stored, want no resource", end, got)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := storedIn(snapshot(t, dir), key); got != now {
		t.Errorf("%q is stored, want %q", got, now)
	}
}

// writer is the environment variable with the folder that a process of TestKilled fills.
const writer = "LOCUS_TEST_CACHE"

// A process that is killed at any time leaves only whole resources.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(writer); dir != "" {
		keepOn(t, dir)
		return
	}
	dir := t.TempDir()
	for _, after := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 89} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), writer+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		lines := bufio.NewScanner(out)
		for range after {
			if !lines.Scan() {
				t.Fatalf("after %d: it keeps nothing", after)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		_ = cmd.Wait() // it was killed
		f := folderIn(t, dir, 1<<20)
		stored := 0
		for i := range things {
			content := storedIn(f, thing(i))
			if content == "" { // not stored yet, or killed while its metadata were rewritten
				continue
			}
			if stored++; strings.Trim(content, content[:1]) != "" {
				t.Fatalf("killed after %d: %.40q… is stored", after, content)
			}
		}
		if stored == 0 {
			t.Errorf("killed after %d: no resource is stored", after)
		}
	}
}

const things = 7

func thing(i int) string { return fmt.Sprint("http://h/", i%things) }

// keepOn stores one version after the other of a few resources, and prints each.
func keepOn(t *testing.T, dir string) {
	f := folderIn(t, dir, 1<<20)
	for i := 0; ; i++ {
		w, err := f.create()
		if err != nil {
			t.Fatalf("create %d: %v", i, err)
		}
		content := strings.Repeat(string(rune('a'+i%26)), 1000+i%5000)
		for piece := range slices.Chunk([]byte(content), 700) {
			if _, err := w.Write(piece); err != nil {
				t.Fatalf("Write of a piece of thing %d: %v", i, err)
			}
		}
		stored := &metadata{Key: thing(i)}
		if err := w.commit(stored); err != nil {
			t.Fatalf("commit of thing %d: %v", i, err)
		}
		w.close()
		if err := f.refresh(stored); err != nil {
			t.Fatalf("refresh of thing %d: %v", i, err)
		}
		fmt.Println("kept", i)
	}
}

// An unfinished file is removed when it is too old to be in use.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{tmp + "1-1": 2 * youngest, tmp + "1-2": 0} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	if used := folderIn(t, dir, 1<<20).Used(); used != 0 {
		t.Errorf("%d bytes are stored, want 0", used)
	}
	if _, err := os.Stat(filepath.Join(dir, tmp+"1-1")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an old leftover: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := os.Stat(filepath.Join(dir, tmp+"1-2")); err != nil {
		t.Errorf("one that may be written by another process: %v", err)
	}
}
