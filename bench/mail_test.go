package bench

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
	"locus/proto/mail"
	"locus/url"
)

// maildirMessages is the number of messages. A tenth of them have parts.
const maildirMessages = 100_000

// newMaildir makes a Maildir of messages of about 5 kB, whose folders were last
// changed a while ago.
func newMaildir(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for _, sub := range []string{"cur", "new", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	received := strings.Repeat("Received: from mx.example.org (mx.example.org [192.0.2.1])\n\tby mail.example.net with ESMTPS id 4Xr9; Tue, 20 Dec 1994 09:30:15 +0000\n", 6)
	text := strings.Repeat("It was the best of times, it was the worst of times, it was the age of wisdom.\n", 50)
	for i := range maildirMessages {
		kind, parts := "text/plain", ""
		if i%10 == 0 {
			kind = "multipart/mixed; boundary=b"
			parts = fmt.Sprintf("\n--b\nContent-ID: <part.%d@example.org>\n\nfound\n--b--\n", i)
		}
		message := fmt.Sprintf("%sFrom: ada@example.org\nTo: bob@example.net\nSubject: message %d\nMessage-ID: <%d@example.org>\nContent-Type: %s\n\n%s%s", received, i, i, kind, text, parts)
		if err := os.WriteFile(filepath.Join(dir, "cur", fmt.Sprintf("%d.M%dP1.host:2,S", 800_000_000+i, i)), []byte(message), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	ago := time.Now().Add(-time.Hour)
	for _, sub := range []string{"cur", "new"} {
		if err := os.Chtimes(filepath.Join(dir, sub), ago, ago); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkMaildir looks messages up by id: without an index, with an index that another
// process has written, and with an index in memory.
func BenchmarkMaildir(b *testing.B) {
	root, err := os.OpenRoot(newMaildir(b))
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	cacheDir := b.TempDir()
	cache, err := os.OpenRoot(cacheDir)
	if err != nil {
		b.Fatal(err)
	}
	defer cache.Close()
	look := func(m *mail.Maildir, u string, want error) {
		b.Helper()
		r, err := mail.Client{Sources: []mail.Source{m}}.Do(context.Background(), &access.Request{URL: url.MustParse(u)})
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		if !errors.Is(err, want) {
			b.Fatalf("%s: %v, want %v", u, err, want)
		}
	}
	const message, part, nothing = "mid:77777@example.org", "cid:part.77770@example.org", "mid:nothing@example.org"
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			look(&mail.Maildir{Root: root}, message, nil)
		}
	})
	look(&mail.Maildir{Root: root, Cache: cache}, message, nil)
	b.Run("second", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			look(&mail.Maildir{Root: root, Cache: cache}, message, nil)
		}
	})
	b.Run("not there", func(b *testing.B) {
		for b.Loop() {
			look(&mail.Maildir{Root: root, Cache: cache}, nothing, fs.ErrNotExist)
		}
	})
	b.Run("one new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			name := fmt.Sprintf("cur/900%d.host:2,", i)
			if err := root.WriteFile(name, fmt.Appendf(nil, "Message-ID: <new%d@x>\n\n", i), 0o600); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			look(&mail.Maildir{Root: root, Cache: cache}, fmt.Sprintf("mid:new%d@x", i), nil)
		}
	})
	b.Run("first part", func(b *testing.B) {
		for b.Loop() {
			look(&mail.Maildir{Root: root}, part, nil)
		}
	})
	held := &mail.Maildir{Root: root}
	look(held, part, nil)
	b.Run("in memory", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			look(held, message, nil)
		}
	})
}
