package gopher_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/gopher"
	"locus/url"
)

var update = flag.Bool("update", false, "write the results to testdata/captures.txt; review the diff")

const capturesFile = "testdata/captures.txt"

// TestCaptures replays every transaction that was recorded with four servers. It compares the
// results with testdata/captures.txt, which has the URL and the result of each transaction. The
// client must send the recorded bytes.
//
//	umn23-*, emptysearch-36071-*     Minnesota gopherd 2.3.0
//	umn305-*, emptysearch-36070-*    Minnesota gopherd 3.0.5
//	pyg-*, emptysearch-36072-*       pygopherd 3.0.0
//	gnic-*                           gophernicus 3.1.1
//
// req: 1738-3.4-4 1738-3.4-6 1738-3.4-8 1738-3.4-9
func TestCaptures(t *testing.T) {
	all, err := filepath.Glob("testdata/captures/*.jsonl")
	if err != nil || len(all) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	sections := readSections(t)
	var results strings.Builder
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			text, _, _ := strings.Cut(sections[name], "\n")
			got := replay(t, file, text)
			fmt.Fprintf(&results, "== %s\n%s", name, got)
			if got != sections[name] && !*update {
				t.Errorf("replaying gives\n%s\nwant\n%s", got, sections[name])
			}
		})
		delete(sections, name)
	}
	for name := range sections {
		t.Errorf("%s has the transaction %s, which was not recorded", capturesFile, name)
	}
	if *update {
		if err := os.WriteFile(capturesFile, []byte(results.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readSections reads captures.txt. A line "== name" starts a section.
func readSections(t *testing.T) map[string]string {
	data, err := os.ReadFile(capturesFile)
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]string)
	for section := range strings.SplitSeq("\n"+string(data), "\n== ") {
		name, body, ok := strings.Cut(section, "\n")
		if ok {
			sections[name] = strings.TrimSuffix(body, "\n") + "\n"
		}
	}
	return sections
}

// replay opens the URL on a server that replies as recorded.
func replay(t *testing.T, file, text string) string {
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	sent, answer := readCapture(t, file)
	// Some requests were sent by hand with LF or without a line end. The client
	// always sends CR LF.
	sent = strings.TrimSuffix(strings.TrimSuffix(sent, "\n"), "\r")
	server := accesstest.Serve(t, accesstest.Script{accesstest.Expect(sent), accesstest.SendBytes(answer)})
	got := text + "\n" + describe(t.Context(), gopher.Client{Dial: server.Dial}, u)
	server.Wait()
	if request := server.Received(0); request != sent+"\r\n" && request != sent {
		t.Errorf("the client sent %q, want %q", request, sent)
	}
	return got
}

// readCapture returns the bytes that the client and the server have sent.
func readCapture(t *testing.T, file string) (sent, answer string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := make(map[string]string)
	for d := json.NewDecoder(f); d.More(); {
		var line struct{ Dir, Hex string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(line.Hex)
		if err != nil {
			t.Fatal(err)
		}
		data[line.Dir] += string(b)
	}
	return data["c2s"], data["s2c"]
}

// describe opens u and returns a description of the result, with one fact on each line.
func describe(ctx context.Context, c gopher.Client, u url.URL) string {
	var b strings.Builder
	r, err := c.Do(ctx, &access.Request{URL: u})
	if err != nil {
		describeError(&b, err)
		return b.String()
	}
	defer r.Body.Close()
	fmt.Fprintf(&b, "type %q size %d\n", r.Type, r.Size)
	if l := r.List; l != nil {
		err = access.Entries(l, func(e access.Entry) error {
			describeEntry(&b, e)
			return nil
		})
	} else {
		var data []byte
		data, err = io.ReadAll(r.Body)
		describeBytes(&b, data)
	}
	if err != nil {
		describeError(&b, err)
	}
	return b.String()
}

func describeBytes(b *strings.Builder, data []byte) {
	if len(data) >= 2000 {
		fmt.Fprintf(b, "%d bytes %x…\n", len(data), data[:8])
		return
	}
	for line := range strings.Lines(string(data)) {
		fmt.Fprintf(b, "%q\n", line)
	}
}

func describeEntry(b *strings.Builder, e access.Entry) {
	fmt.Fprintf(b, "%s %q", e.Kind, e.Title)
	if !e.URL.IsZero() {
		fmt.Fprintf(b, " <%s>", e.URL)
	}
	if e.Type != "" {
		fmt.Fprintf(b, " %s", e.Type)
	}
	if !e.ModTime.IsZero() {
		fmt.Fprintf(b, " %s", e.ModTime.Format("2006-01-02 15:04:05"))
	}
	item := e.Sys.(*gopher.Item)
	b.WriteString("\n")
	for _, v := range item.Views() {
		fmt.Fprintf(b, "    view %q %q %d\n", v.Type, v.Language, v.Size)
	}
	for _, a := range item.Attributes {
		if a.Name != "VIEWS" {
			fmt.Fprintf(b, "    +%s %q%s\n", a.Name, a.Lines, a.Value)
		}
	}
}

func describeError(b *strings.Builder, err error) {
	var kinds []string
	for name, target := range map[string]error{
		"not-exist": fs.ErrNotExist, "early-end": io.ErrUnexpectedEOF, "protocol": access.ErrProtocol,
	} {
		if errors.Is(err, target) {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	fmt.Fprintf(b, "error %s %v\n", kinds, err)
}
