package mail_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

// messageWithPart returns a message with that id, and a part.
func messageWithPart(id string) string {
	return fmt.Sprintf("Message-ID: <%s@x>\nSubject: %s\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <part.%s>\n\n%s\n--b--\n", id, id, id, id)
}

// checkFinds checks whether c has the message and its part.
func checkFinds(t *testing.T, c access.Engine, id string, want bool) {
	t.Helper()
	for u, content := range map[string]string{"mid:" + id + "@x": messageWithPart(id), "cid:part." + id: id} {
		_, got, err := read(t.Context(), c, u)
		if want && (err != nil || got != content) {
			t.Errorf("Open(%q) = %q, %v, want %q", u, got, err, content)
		}
		if !want && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open(%q) = %q, %v, want %v", u, got, err, fs.ErrNotExist)
		}
	}
}

// Messages in a Maildir appear, disappear, move and change flags. The next
// process uses the saved index.
func TestMaildirChanges(t *testing.T) {
	dir, cache := makeMaildir(t, map[string]string{"new/1.a": messageWithPart("one"), "cur/2.b:2,": messageWithPart("two")}), root(t, t.TempDir())
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	fresh := func() mail.Client {
		return mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir), Cache: cache}}}
	}
	old := fresh()
	for _, step := range []struct {
		name  string
		do    func()
		is    []string
		isNot []string
	}{
		{"as it was", func() {}, []string{"one", "two"}, []string{"three"}},
		{"moved", func() { rename("new/1.a", "cur/1.a:2,") }, []string{"one", "two"}, []string{"three"}},
		{"flagged", func() { rename("cur/1.a:2,", "cur/1.a:2,FS") }, []string{"one", "two"}, nil},
		{"added", func() { put(t, dir, "new/3.c", messageWithPart("three")) }, []string{"one", "three"}, []string{"four"}},
		{"removed", func() { os.Remove(filepath.Join(dir, "cur/2.b:2,")) }, []string{"one", "three"}, []string{"two"}},
		{"a folder", func() { put(t, dir, ".Sent/cur/4.d:2,", messageWithPart("four")) }, []string{"one", "four"}, []string{"two"}},
		{"into the folder", func() { rename("new/3.c", ".Sent/cur/3.c:2,") }, []string{"three", "four"}, nil},
		{"without an index", func() { removeAll(t, cache) }, []string{"one", "three", "four"}, []string{"two"}},
		{"a broken index", func() { corruptIndexes(t, cache) }, []string{"one", "three", "four"}, []string{"two"}},
		{"under a name that was", func() { put(t, dir, "cur/2.b:2,", messageWithPart("five")) }, []string{"five"}, []string{"two"}},
	} {
		step.do()
		for _, c := range []mail.Client{old, fresh()} {
			for _, id := range step.is {
				checkFinds(t, c, id, true)
			}
			for _, id := range step.isNot {
				checkFinds(t, c, id, false)
			}
		}
		if t.Failed() {
			t.Fatalf("after: %s", step.name)
		}
	}
}

func removeAll(t *testing.T, cache *os.Root) {
	t.Helper()
	for _, name := range indexes(t, cache) {
		if err := cache.Remove(name); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
}

// corruptIndexes changes a byte in the middle of every index.
func corruptIndexes(t *testing.T, cache *os.Root) {
	t.Helper()
	for _, name := range indexes(t, cache) {
		b, err := cache.ReadFile(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		b[len(b)/2] ^= 0x55
		if err := cache.WriteFile(name, b, 0o600); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
}

func indexes(t *testing.T, cache *os.Root) []string {
	t.Helper()
	names, err := fs.Glob(cache.FS(), "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no index was kept: %q, %v", names, err)
	}
	return names
}

// The second Find reads no other message.
func TestMaildirIndexIsUsed(t *testing.T) {
	dir, cache := makeMaildir(t, map[string]string{"cur/1.a:2,": messageWithPart("one"), "cur/2.b:2,": messageWithPart("two")}), root(t, t.TempDir())
	long := time.Now().Add(-time.Hour)
	age := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
	}
	fresh := func() mail.Client {
		return mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir), Cache: cache}}}
	}
	age("cur/1.a:2,", "cur/2.b:2,")
	checkFinds(t, fresh(), "one", true)
	// A change that keeps size and time is noticed only if the file is read
	// again.
	put(t, dir, "cur/1.a:2,", messageWithPart("six"))
	age("cur/1.a:2,")
	checkFinds(t, fresh(), "two", true)
	checkFinds(t, fresh(), "six", false)
	// The wrong message is not returned, and the index then has the change.
	checkFinds(t, fresh(), "one", false)
	checkFinds(t, fresh(), "six", true)
}

// A file that is overwritten under its name is another message, whichever of the two messages is
// requested first, and by whichever process.
func TestMaildirRewrittenInPlace(t *testing.T) {
	for _, first := range []string{"old", "new"} {
		dir, cache := makeMaildir(t, map[string]string{"cur/1.a:2,": messageWithPart("old"), "cur/2.b:2,": messageWithPart("other")}), root(t, t.TempDir())
		long := time.Now().Add(-time.Hour)
		for _, name := range []string{"cur/1.a:2,", "cur/2.b:2,", "cur", "new"} {
			if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		fresh := func() mail.Client {
			return mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, dir), Cache: cache}}}
		}
		held := fresh()
		checkFinds(t, held, "old", true)
		put(t, dir, "cur/1.a:2,", messageWithPart("new"))
		if err := os.Chtimes(filepath.Join(dir, "cur"), long, long); err != nil {
			t.Fatalf("%q: %v", first, err)
		}
		for _, c := range []mail.Client{held, fresh()} {
			checkFinds(t, c, first, first == "new")
			checkFinds(t, c, "new", true)
			checkFinds(t, c, "old", false)
			checkFinds(t, c, "other", true)
		}
	}
}

// Directories inside directories have mail too.
func TestMaildirFolders(t *testing.T) {
	c := client(t, map[string]string{
		".Sub/cur/1.a:2,": messageWithPart("sub"), ".Sub.Deeper/new/2.b": messageWithPart("deeper"),
		"account/INBOX/cur/3.c:2,": messageWithPart("inbox"), "Archive/1994/12/cur/4.d:2,S": messageWithPart("archive"),
		".Sub/tmp/5.e": messageWithPart("tmp"), ".Sub/cur/.hidden": messageWithPart("hidden"), "notes/6.f": messageWithPart("notes"),
	})
	for id, want := range map[string]bool{"sub": true, "deeper": true, "inbox": true, "archive": true, "tmp": false, "hidden": false, "notes": false} {
		checkFinds(t, c, id, want)
	}
	none := mail.Client{Sources: []mail.Source{&mail.Maildir{Root: root(t, t.TempDir())}}}
	if _, _, err := read(t.Context(), none, "mid:a@b"); err == nil || !strings.Contains(err.Error(), "is not a Maildir") {
		t.Errorf("in a folder that is not a Maildir: %v", err)
	}
}

const fromLine = "From ada@example.org Tue Dec 20 09:30:15 1994\n"

// An mbox grows, is truncated, and is rewritten, also in the middle.
func TestMboxChanges(t *testing.T) {
	dir, cache := t.TempDir(), root(t, t.TempDir())
	box := func(ids ...string) string {
		var b strings.Builder
		for _, id := range ids {
			b.WriteString(fromLine + messageWithPart(id) + "\n")
		}
		return b.String()
	}
	fresh := func() mail.Client {
		return mail.Client{Sources: []mail.Source{&mail.Mbox{Root: root(t, dir), Name: "box", Cache: cache}}}
	}
	put(t, dir, "box", box("one", "two"))
	old := fresh()
	for _, step := range []struct {
		name, content string
		is, isNot     []string
	}{
		{"as it was", box("one", "two"), []string{"one", "two"}, []string{"three"}},
		{"grown", box("one", "two", "three"), []string{"three", "one", "two"}, []string{"four"}},
		{"a message grown", box("one", "two") + "more\n", []string{"one"}, []string{"three"}},
		{"cut", box("one"), []string{"one"}, []string{"two"}},
		{"cut inside", box("one", "two")[:len(box("one"))+60], []string{"one"}, []string{"three"}},
		{"without the first", box("two", "three", "four", "five"), []string{"two", "three", "four", "five"}, []string{"one"}},
		{"changed in the middle, and grown", box("two", "seven", "four", "five", "six"), []string{"seven", "six", "two"}, []string{"three"}},
		{"empty", "", nil, []string{"two"}},
		{"no mbox", "Message-ID: <two@x>\n\nFrom: x\n", nil, []string{"two"}},
		{"in CR LF", strings.ReplaceAll(box("one"), "\n", "\r\n"), nil, []string{"two"}},
	} {
		put(t, dir, "box", step.content)
		for _, c := range []mail.Client{old, fresh()} {
			for _, id := range step.is {
				checkFinds(t, c, id, true)
			}
			for _, id := range step.isNot {
				checkFinds(t, c, id, false)
			}
		}
		if t.Failed() {
			t.Fatalf("after: %s", step.name)
		}
	}
	_, got, err := read(t.Context(), fresh(), "mid:one@x")
	if want := strings.ReplaceAll(messageWithPart("one"), "\n", "\r\n"); err != nil || got != want {
		t.Errorf("in CR LF: %q, %v, want %q", got, err, want)
	}
}

// Find returns the messages of an mbox with their content.
func TestMbox(t *testing.T) {
	const head = "Message-ID: <a@x>\n"
	for _, test := range []struct {
		name, box string
		quoting   mail.Quoting
		want      string
	}{
		{"one", fromLine + head + "\ntext\n\n", mail.MboxRD, head + "\ntext\n"},
		{"no line at its end", fromLine + head + "\ntext", mail.MboxRD, head + "\ntext"},
		{"header alone", fromLine + head, mail.MboxRD, head},
		{"header alone, then another", fromLine + head + "\n" + fromLine + "X: y\n\n", mail.MboxRD, head},
		{"empty lines at its end", fromLine + head + "\ntext\n\n\n\n" + fromLine + "\n", mail.MboxRD, head + "\ntext\n\n\n"},
		{"mboxrd", fromLine + head + "\n>From a\n>>From b\n> From c\n", mail.MboxRD, head + "\nFrom a\n>From b\n> From c\n"},
		{"mboxo", fromLine + head + "\n>From a\n>>From b\n", mail.MboxO, head + "\nFrom a\n>>From b\n"},
		{"a sentence", fromLine + head + "\nend.\n\nFrom here on\n", mail.MboxRD, head + "\nend.\n\nFrom here on\n"},
		{"From alone, then a header", fromLine + head + "\nend.\n\nFrom \nX: y\n\nother\n", mail.MboxRD, head + "\nend.\n"},
		{"the second after From alone", "From \nSubject: no\n\nx\n\nFrom \r\n" + head + "\ntext\n\n", mail.MboxRD, head + "\ntext\n"},
		{"From alone, then a sentence", fromLine + head + "\nend.\n\nFrom \nhere: on\nand on\n", mail.MboxRD, head + "\nend.\n"}, // as it cannot be told apart
		{"From alone, then text", fromLine + head + "\nend.\n\nFrom \nhere on: x\n", mail.MboxRD, head + "\nend.\n\nFrom \nhere on: x\n"},
		{"no empty line before", fromLine + head + "\nend.\n" + fromLine, mail.MboxRD, head + "\nend.\n" + fromLine},
		{"a lying Content-Length", fromLine + head + "Content-Length: 99999\n\nx\n\n" + fromLine + "\ny\n", mail.MboxRD, head + "Content-Length: 99999\n\nx\n"},
		{"the second", fromLine + "Subject: no\n\nx\n\n" + fromLine + head + "\ntext\n\n", mail.MboxRD, head + "\ntext\n"},
		{"a long line", fromLine + head + "\n" + strings.Repeat("From ", 20_000) + "\n>From x\n", mail.MboxRD, head + "\n" + strings.Repeat("From ", 20_000) + "\nFrom x\n"},
		{"Takeout's", "From 1234@xxx Mon Jan 01 00:00:00 +0000 2018\n" + head + "\nx\n", mail.MboxRD, head + "\nx\n"},
	} {
		dir := t.TempDir()
		put(t, dir, "box", test.box)
		c := mail.Client{Sources: []mail.Source{&mail.Mbox{Root: root(t, dir), Name: "box", Quoting: test.quoting}}}
		if _, got, err := read(t.Context(), c, "mid:a@x"); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// Sources without a directory, file or user refuse every request.
func TestSourcesRefuse(t *testing.T) {
	for _, s := range []mail.Source{
		&mail.Maildir{}, &mail.Mbox{Name: "x"}, mail.IMAP{Host: "h", User: "u", Password: "p"},
	} {
		c := mail.Client{Sources: []mail.Source{s}}
		if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("mid:a@b")}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%T: %v, want %v", s, err, fs.ErrPermission)
		}
	}
}

// An index with wrong positions is ignored.
func TestMboxOffsets(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "box", fromLine+messageWithPart("one")+"\n"+fromLine+messageWithPart("two")+"\n")
	for _, offset := range []int64{-1, math.MinInt64, math.MaxInt64, 1 << 62, 0, 7} {
		for _, id := range []string{"one", "two", "three"} {
			c := mail.Client{Sources: []mail.Source{mail.MboxWithOffset(root(t, dir), "box", offset, id+"@x", "part."+id)}}
			checkFinds(t, c, id, id != "three")
		}
	}
}

// A blocking is a context whose Err blocks, and so the reader of a message.
type blocking struct {
	context.Context
	entered, gate chan struct{}
	once          sync.Once
}

func (b *blocking) Err() error {
	b.once.Do(func() {
		close(b.entered)
		<-b.gate
	})
	return b.Context.Err()
}

// A look-up of a message that the index has does not wait for another look-up that still reads its
// message.
func TestMaildirAtOnce(t *testing.T) {
	m := &mail.Maildir{Root: root(t, makeMaildir(t, map[string]string{"new/1.h": "Message-ID: <a@h>\n\nbody\n", "new/2.h": "Message-ID: <b@h>\n\nbody\n"}))}
	find := func(ctx context.Context, id string) error {
		found, err := m.Find(ctx, mail.Query{MessageID: id})
		if err == nil {
			err = found.Body.Close()
		}
		return err
	}
	if err := find(t.Context(), "a@h"); err != nil { // it makes the index
		t.Fatal(err)
	}
	slow := &blocking{Context: t.Context(), entered: make(chan struct{}), gate: make(chan struct{})}
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- find(slow, "a@h") }()
	<-slow.entered
	go func() { second <- find(t.Context(), "b@h") }()
	select {
	case err := <-second:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the second look-up waits for the first")
	}
	close(slow.gate)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
