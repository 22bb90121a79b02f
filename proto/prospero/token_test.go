package prospero

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
)

var messages = []struct {
	text string
	want [][]string
}{
	{"", nil},
	{"\n", [][]string{nil}},
	{"a b\n", [][]string{{"a", "b"}}},
	{"a b", [][]string{{"a", "b"}}},
	{" a\t b  \n\nc\n", [][]string{{"a", "b"}, nil, {"c"}}},
	{"a\r\nb\r\n", [][]string{{"a"}, nil, {"b"}, nil}},
	{"''\n", [][]string{{""}}},
	{"a '' b\n", [][]string{{"a", "", "b"}}},
	{"116' bytes'\n", [][]string{{"116 bytes"}}},
	{"it''s\n", [][]string{{"its"}}}, // outside quotes they open and close
	{"'it''s'\n", [][]string{{"it's"}}},
	{"A' greeting, it''s'+' x'y\n", [][]string{{"A greeting, it's+ xy"}}},
	{"WAIS-GW'/host(210)/x'\n", [][]string{{"WAIS-GW/host(210)/x"}}},
	{"'a\nb\r\x00c' d\n", [][]string{{"a\nb\r\x00c", "d"}}},
	{"a\x00b\xff\n", [][]string{{"a\x00b\xff"}}},
	{"''''\n", [][]string{{"'"}}},
}

func TestLexer(t *testing.T) {
	for _, test := range messages {
		got, err := allTokens([]byte(test.text))
		if err != nil || !slices.EqualFunc(got, test.want, slices.Equal) {
			t.Errorf("tokens of %q = %q, %v, want %q", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"'", "a 'b\nc", "'a''", "'''", "x'\n"} {
		if got, err := allTokens([]byte(text)); !errors.Is(err, errQuote) || !errors.Is(err, access.ErrProtocol) {
			t.Errorf("tokens of %q = %q, %v, want %v", text, got, err, errQuote)
		}
	}
	long := strings.Repeat("x ", maxTokens+1)
	if _, err := allTokens([]byte(long)); !errors.Is(err, access.ErrTooLong) {
		t.Errorf("a line of %d tokens: %v, want %v", maxTokens+1, err, access.ErrTooLong)
	}
}

// FuzzTokens splits messages. Tokens that are encoded and split again are the same.
// Any reply can be converted to entries.
func FuzzTokens(f *testing.F) {
	for _, test := range messages {
		f.Add([]byte(test.text))
	}
	for name, exchanges := range expectations(f) {
		for _, d := range capture(f, name) {
			if p, err := parsePacket(d.data); err == nil && len(exchanges) > 0 {
				f.Add(p.text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := allTokens(text)
		if err != nil {
			return
		}
		for _, tokens := range lines {
			var quoted, words []string
			for _, token := range tokens {
				quoted = append(quoted, quote(token))
				words = append(words, word(token))
			}
			for _, written := range []string{strings.Join(quoted, " "), strings.Join(words, " ")} {
				again, err := allTokens([]byte(written + "\n"))
				if err != nil || len(again) != 1 || !slices.Equal(again[0], tokens) {
					t.Fatalf("tokens of %q = %q, %v, want %q", written, again, err, tokens)
				}
			}
		}
		convertReply(t, text)
	})
}

// convertReply parses a reply and converts it like Get.
func convertReply(t *testing.T, text []byte) {
	r, err := parseReply(text)
	if err != nil {
		return
	}
	asked := target{nameType: "ASCII", hsoname: "/x", version: "0"}
	asked.server.Name, asked.server.Port = "h.example", 7
	_ = r.moved(asked)
	_ = finding{reply: r, target: asked}.methodError()
	for _, l := range r.links {
		e := listedLink{l, asked.server}.entry()
		if !e.URL.IsZero() && !e.URL.IsAbs() {
			t.Fatalf("link %+v has the URL %q", l, e.URL)
		}
		if e.URL.Scheme() == "file" {
			t.Fatalf("link %+v has a file URL", l)
		}
		if e.URL.Scheme() == "prospero" {
			if to, ok := (listedLink{l, asked.server}).target(); ok && to.hsoname != withoutNull(l.Hsoname) {
				t.Fatalf("link %+v has the target %q", l, to.hsoname)
			}
		}
	}
}

// The memory for a reply is proportional to its size.
func TestReplyMemory(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a ", 1<<19),
		strings.Repeat("'' ", 4000) + strings.Repeat("\n", 1<<20),
		strings.Repeat("LINK L F n I h A n 0\n", 1<<15),
		strings.Repeat("ATTRIBUTE O F N\n", 1<<16),
		"ATTRIBUTE O I CONTENTS SEQUENCE DATA '" + strings.Repeat("x", 1<<20) + "'\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := parseReply([]byte(text))
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(len(text)*64+1<<16); got > limit {
			t.Errorf("%.20q…: %d bytes allocated for %d, %v", text, got, len(text), err)
		}
		runtime.KeepAlive(r)
	}
}

func TestParseReply(t *testing.T) {
	link := func(change func(*Link)) []Link {
		l := Link{Type: "L", Target: "FILE", Name: "n", HostType: "INTERNET-D", Host: "h", HsonameType: "ASCII", Hsoname: "/x", Version: "0"}
		change(&l)
		return []Link{l}
	}
	for _, test := range []struct {
		text string
		want reply
	}{
		{"LINK  L FILE n INTERNET-D h ASCII '/x' 0\n", reply{links: link(func(*Link) {})}},
		{"LINK L FILE n INTERNET-D h ASCII /x 0 DEST-EXP 2030Z\n", reply{links: link(func(l *Link) { l.Expires = "2030Z" })}},
		{"LINK L FILE n INTERNET-D h ASCII /x\n", reply{}}, // a token is missing
		{"LINK L FILE n INTERNET-D h ASCII /x 0\nID REMOTE 7\n", reply{links: link(func(l *Link) {
			l.Attributes = []Attribute{{"LINK", "FIELD", "ID", "SEQUENCE", []string{"REMOTE", "7"}, 0}}
		})}},
		{"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "INTRINSIC", "SIZE", "SEQUENCE", []string{"1"}, 0}}}}},
		{"ATTRIBUTE OBJECT INTRINSIC SIZE ASCII 1\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "INTRINSIC", "SIZE", "ASCII", []string{"1"}, 0}}}}},
		{"ATTRIBUTE OBJECT FIELD ID REMOTE 1\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "FIELD", "ID", "SEQUENCE", []string{"REMOTE", "1"}, 0}}}}},
		{"ATTRIBUTE OBJECT FIELD ID SEQUENCE REMOTE 1\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "FIELD", "ID", "SEQUENCE", []string{"REMOTE", "1"}, 0}}}}},
		{"ATTRIBUTE OBJECT FIELD OWNER LINK x\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "FIELD", "OWNER", "SEQUENCE", []string{"LINK", "x"}, 0}}}}},
		{"ATTRIBUTE OBJECT FIELD FILTER FILTER  DIRECTORY\n", reply{Object: Object{Attributes: []Attribute{{"OBJECT", "FIELD", "FILTER", "FILTER", []string{"DIRECTORY"}, 0}}}}},
		{"ATTRIBUTE>> LINK APPLICATION X SEQUENCE\n", reply{Object: Object{Attributes: []Attribute{{"LINK", "APPLICATION", "X", "SEQUENCE", nil, 2}}}}},
		{"ATTRIBUTE x y\nATTRIBUTES x y z\nSUCCESS\nPARAMETER z\n", reply{}},
		{"NONE-FOUND\nUNRESOLVED a b\nVERSION 5 x\nWARNING OUT-OF-DATE y\n", reply{Object: Object{Warnings: []string{"OUT-OF-DATE y"}}}},
		{"FORWARDED INTERNET-D h ASCII /x 3\n", reply{forwarded: &Link{Type: "FP", Target: "OBJECT", HostType: "INTERNET-D", Host: "h", HsonameType: "ASCII", Hsoname: "/x", Version: "3"}}},
		{"FORWARDED h\n", reply{}},
		{"FAILURE\n", reply{err: refusal("FAILURE", errRefused)}},
		{"FAILURE NOT-AUTHORIZED 'go away'\nFAILURE NOT-FOUND\n", reply{err: refusal("FAILURE NOT-AUTHORIZED go away", reasons()["NOT-AUTHORIZED"])}},
		{"VERSION-NOT-SUPPORTED TRY 1-5", reply{err: refusal("VERSION-NOT-SUPPORTED TRY 1-5", errVersion)}},
		{"ERROR no idea\n", reply{err: refusal("ERROR no idea", errRefused)}},
	} {
		got, err := parseReply([]byte(test.text))
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("parseReply(%q) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
	}
	many := strings.Repeat("LINK L F n I h A n 0\n", maxLinks+1)
	if _, err := parseReply([]byte(many)); !errors.Is(err, access.ErrTooLong) {
		t.Errorf("%d links: %v, want %v", maxLinks+1, err, access.ErrTooLong)
	}
	if _, err := parseReply([]byte("LINK '")); !errors.Is(err, errQuote) {
		t.Error(fmt.Errorf("an open quote: %w", err))
	}
}
