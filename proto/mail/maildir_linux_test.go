package mail_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"locus/proto/mail"
)

// largeMaildir returns a Maildir of n messages whose clock is an hour after the last change.
func largeMaildir(t *testing.T, n int, cache *os.Root) (m *mail.Maildir, dir string) {
	t.Helper()
	messages := make(map[string]string, n)
	for i := range n {
		messages[fmt.Sprintf("cur/%d.h:2,S", i)] = fmt.Sprintf("Received: from a\n\tby b\nFrom: Jo <jo@h.example>\nTo: x@y\n"+
			"Subject: about %d\nMessage-ID: <%d@x>\nContent-Type: text/plain; charset=utf-8\n\nx\n", i, i)
	}
	dir = makeMaildir(t, messages)
	m = &mail.Maildir{Root: root(t, dir), Cache: cache}
	m.SetClock(func() time.Time { return time.Now().Add(time.Hour) })
	return m, dir
}

func absent(t *testing.T, m *mail.Maildir) {
	t.Helper()
	if _, err := m.Find(t.Context(), mail.Query{MessageID: "absent@x"}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// While no directory has changed, a look-up of an absent message does the same work for any number of
// messages.
func TestMaildirUnchanged(t *testing.T) {
	allocs := func(n int) float64 {
		m, _ := largeMaildir(t, n, nil)
		absent(t, m)
		return testing.AllocsPerRun(5, func() { absent(t, m) })
	}
	if few, many := allocs(10), allocs(1000); many > few+10 {
		t.Errorf("%v allocations for 1000 messages, %v for 10", many, few)
	}
}

// The first index takes less than 4 KB for each message.
func TestMaildirFirstIndex(t *testing.T) {
	const n = 1000
	m, _ := largeMaildir(t, n, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	absent(t, m)
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 4000 {
		t.Errorf("%d bytes a message", each)
	}
}

// Every change in a directory is noticed, by the same process and by the next.
func TestMaildirFolderChanges(t *testing.T) {
	cache := root(t, t.TempDir())
	m, dir := largeMaildir(t, 3, cache)
	fresh := func() *mail.Maildir {
		other := &mail.Maildir{Root: root(t, dir), Cache: cache}
		other.SetClock(func() time.Time { return time.Now().Add(2 * time.Hour) })
		return other
	}
	is := func(name string, want map[string]bool) {
		t.Helper()
		for _, m := range []*mail.Maildir{m, fresh(), m} {
			for id, want := range want {
				found, err := m.Find(t.Context(), mail.Query{MessageID: id})
				if found != nil {
					found.Body.Close()
				}
				if want != (err == nil) || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: Find(%s) = %v", name, id, err)
				}
			}
		}
	}
	is("at first", map[string]bool{"1@x": true, "absent@x": false, "new@x": false})
	put(t, dir, "new/9.h", "Message-ID: <new@x>\n\n")
	is("delivered", map[string]bool{"1@x": true, "absent@x": false, "new@x": true})
	if err := os.Rename(filepath.Join(dir, "new/9.h"), filepath.Join(dir, "cur/9.h:2,S")); err != nil {
		t.Fatal(err)
	}
	is("moved", map[string]bool{"1@x": true, "absent@x": false, "new@x": true})
	if err := os.Remove(filepath.Join(dir, "cur/1.h:2,S")); err != nil {
		t.Fatal(err)
	}
	is("removed", map[string]bool{"1@x": false, "2@x": true, "new@x": true})
	put(t, dir, ".Sub/cur/1.h", messageWithPart("sub"))
	is("a folder", map[string]bool{"1@x": false, "sub@x": true})
	// The index of message-ids does not have the part of this message.
	for i, m := range []*mail.Maildir{m, fresh()} {
		found, err := m.Find(t.Context(), mail.Query{ContentID: "part.sub"})
		if err != nil {
			t.Fatalf("Find of the part by client %d: %v", i, err)
		}
		found.Body.Close()
	}
	if err := os.RemoveAll(filepath.Join(dir, ".Sub")); err != nil {
		t.Fatal(err)
	}
	is("no folder", map[string]bool{"2@x": true, "sub@x": false})
}

// A message that cannot be read is an error each time.
func TestMaildirStillUnreadable(t *testing.T) {
	m, dir := largeMaildir(t, 3, nil)
	if err := os.Chmod(filepath.Join(dir, "cur/1.h:2,S"), 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Dir(dir), dir, filepath.Join(dir, "cur"), filepath.Join(dir, "new")} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"cur/0.h:2,S", "cur/2.h:2,S"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	withoutRoot(t, func() {
		for range 3 {
			if _, err := m.Find(t.Context(), mail.Query{MessageID: "absent@x"}); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("Find = %v, want %v", err, fs.ErrPermission)
			}
		}
	})
}
