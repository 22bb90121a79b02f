package prosperod

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/demo/internal/serve"
)

var may1994 = time.Date(1994, 5, 17, 12, 0, 0, 0, time.UTC)

const readme = "This is the README of a small Prospero test server.\n" +
	"It's plain text: three lines,\nwith 'quotes', a+b and c/d in it.\n"

// recordedFiles are the files of the server that was recorded, as far as they
// are files.
func recordedFiles() fstest.MapFS {
	file := func(data []byte) *fstest.MapFile { return &fstest.MapFile{Data: data, Mode: 0o644, ModTime: may1994} }
	dir := func() *fstest.MapFile { return &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: may1994} }
	binary := make([]byte, 5120)
	for i := range binary {
		binary[i] = byte(i)
	}
	return fstest.MapFS{
		"prospero/pub":                         dir(),
		"prospero/pub/README":                  file([]byte(readme)),
		"prospero/pub/big":                     dir(),
		"prospero/pub/docs":                    dir(),
		"prospero/pub/docs/hello.txt":          file(make([]byte, 28)),
		"prospero/pub/docs/symlink.txt":        file(make([]byte, 28)),
		"prospero/pub/docs/a file's name.txt":  file(make([]byte, 17)),
		"prospero/pub/docs/binary.bin":         file(binary),
		"prospero/pub/docs/empty":              file(nil),
		"prospero/data/objectpool/virt/x":      file(nil), // where the other server has links
		"prospero/data/objectpool/special/dup": file(nil),
	}
}

// An exchange is one of the captures of proto/prospero.
type exchange struct {
	Request string
	Bytes   *int    `json:"reply_octets"`
	Lines   [][]any // of the reply, in tokens
}

// differs says which captures the server does not answer as the one of 1994
// did, and why.
var differs = map[string]string{
	"err-version":                "VERSION 1 is not spoken either",
	"list-verify-missing":        "VERIFY finds out",
	"err-dotdot":                 "nothing outside of the tree is served",
	"status":                     "its own text",
	"goi-aftp":                   "there is no AFTP/ but links to an ftp server",
	"goi-access-method-bug":      "the access method is found",
	"vget":                       "the access method is found",
	"unresolved":                 "no directory leads to another server",
	"list-virt":                  "no directory but the root has links of its own",
	"list-root":                  "no directory but the root has links of its own",
	"fake-redirect-target":       "no directory but the root has links of its own",
	"list-hostport":              "another port",
	"list-empty-opts-attributes": "no directory but the root has links of its own",
	"list-select-id":             "no directory but the root has links of its own",
	"list-special":               "no directory but the root has links of its own",
	"list-special-attrs":         "no directory but the root has links of its own",
	"list-two-commands":          "no directory but the root has links of its own",
	"resolve-onlyvirtual":        "no directory but the root has links of its own",
	"resolve-virt":               "no directory but the root has links of its own",
	"resolve2-virt":              "no directory but the root has links of its own",
	"resolve-gateway":            "no gateway",
	"gophergw-attrs":             "no gateway",
	"gophergw-list":              "no gateway",
	"gophergw-search":            "no gateway",
	"gophergw-slow":              "no gateway",
	"forwarded-goi":              "FORWARDED, whatever is asked",
	"forwarded-goi-fp":           "FORWARDED, whatever is asked",
	"resolve-forwarded":          "FORWARDED, whatever is asked",
	"fake-ctl":                   "made by hand",
	"fake-ooo":                   "made by hand",
	"fake-queue":                 "made by hand",
}

// The requests of the captures are answered in the words of the server of 1994.
//
// req: 1738-3.11-2
func TestCaptures(t *testing.T) {
	text, err := os.ReadFile("../../../proto/prospero/testdata/captures/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string][]exchange
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	s := &Server{Files: recordedFiles(), Forwards: map[string]string{
		"/prospero/gone/file": "/prospero/pub/README", "/prospero/gone/dir": "/prospero/pub/docs",
	}}
	same := 0
	for name, exchanges := range all {
		for _, want := range exchanges {
			host := "LOCALHOST"
			if strings.HasPrefix(name, "forwarded-") {
				host = "LOCALHOST(15250)"
			}
			reply := s.answer(host, []byte(want.Request))
			if want.Lines == nil || differs[name] != "" {
				continue
			}
			got, expected := comparable(linesOf(t, reply)), comparable(want.lines())
			if !slices.Equal(got, expected) {
				t.Errorf("%s: %q is answered\n%q, want\n%q", name, want.Request, got, expected)
			}
			same++
		}
	}
	if same != 64 {
		t.Errorf("%d exchanges were compared, want 64", same)
	}
}

// lines returns the tokens of the reply, with a mark in place of long ones.
func (e exchange) lines() [][]string {
	var lines [][]string
	for _, tokens := range e.Lines {
		var l []string
		for _, token := range tokens {
			text, ok := token.(string)
			if !ok {
				text = "(long)"
			}
			l = append(l, text)
		}
		lines = append(lines, l)
	}
	return lines
}

func linesOf(t *testing.T, reply []byte) [][]string {
	t.Helper()
	var lines [][]string
	for len(reply) > 0 {
		l, rest, fault := parseLine(reply)
		if fault != "" {
			t.Fatalf("reply %q: %s", reply, fault)
		}
		for i := range l {
			if len(l[i]) > 300 {
				l[i] = "(long)"
			}
		}
		lines, reply = append(lines, l), rest
	}
	return lines
}

// comparable returns what has to be the same, in some order: not what the servers call
// themselves, nor the attributes that only one of them has.
func comparable(lines [][]string) []string {
	var all []string
	for _, l := range lines {
		if l[0] == "VERSION" {
			l = l[:2]
		}
		if l[0] == "ATTRIBUTE" && slices.ContainsFunc([]string{"LOCAL", "OBJECT-INTERPRETATION", "DESCRIPTION", "KEYWORDS", "CACHED", "4096 bytes", "0 bytes"}, func(only string) bool { return slices.Contains(l, only) }) {
			continue
		}
		all = append(all, strings.Join(l, "|"))
	}
	slices.Sort(all)
	return all
}

// What a reader wants of the demo: links to the other servers, a forwarded
// object, a large file by another way.
func TestAnswer(t *testing.T) {
	files := fstest.MapFS{
		"a.txt":     {Data: []byte("it's"), Mode: 0o444, ModTime: may1994},
		"large.bin": {Data: make([]byte, large+1), Mode: 0o444, ModTime: may1994},
		"d/[x]":     {Mode: 0o444},
	}
	s := &Server{
		Files:    files,
		Forwards: map[string]string{"/d/old": "/a.txt"},
		Links:    []serve.Link{{Title: "The web", Scheme: "http", Port: 80}, {Title: "Files", Scheme: "ftp", Port: 21}, {Title: "No way", Scheme: "x", Port: 1}},
	}
	const methods = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE "
	for _, test := range []struct{ request, want string }{
		{"DIRECTORY ASCII ''\nLIST '' COMPONENTS\n", "LINK  L FILE a.txt INTERNET-D LOCALHOST ASCII '/a.txt' 0\n" +
			"LINK  L DIRECTORY d INTERNET-D LOCALHOST ASCII '/d' 0\n" +
			"LINK  L FILE large.bin INTERNET-D LOCALHOST ASCII '/large.bin' 0\n" +
			"LINK  L EXTERNAL The' web' INTERNET-D LOCALHOST(80) ASCII '/' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD HTTP '' '' '' ''\n" +
			"LINK  L EXTERNAL Files INTERNET-D LOCALHOST(21) ASCII '/' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' DIRECTORY\n"},
		{"DIRECTORY ASCII /\nLIST ATTRIBUTES COMPONENTS a.*\n", "LINK  L FILE a.txt INTERNET-D LOCALHOST ASCII '/a.txt' 0\n" +
			"ATTRIBUTE CACHED INTRINSIC SIZE SEQUENCE 4' bytes'\nATTRIBUTE CACHED INTRINSIC LAST-MODIFIED SEQUENCE 19940517120000Z\n"},
		{"DIRECTORY ASCII /\nLIST '' COMPONENTS d [x]\n", "LINK  L FILE [x] INTERNET-D LOCALHOST ASCII '/d/[x]' 0\n"},
		{"DIRECTORY ASCII /\nLIST '' COMPONENTS d old\n", "LINK  L FILE old INTERNET-D LOCALHOST ASCII '/d/old' 0\n"},
		{"DIRECTORY ASCII /\nLIST '' COMPONENTS .. etc\n", "NONE-FOUND\n"},
		{"DIRECTORY ASCII /\nLIST VERIFY COMPONENTS\n", "NONE-FOUND\n"},
		{"DIRECTORY ASCII /nope\nLIST VERIFY COMPONENTS\n", "FAILURE NOT-A-DIRECTORY\n"},
		{"DIRECTORY ASCII /../x\nLIST '' COMPONENTS\n", "FAILURE NOT-AUTHORIZED\n"},
		{"GET-OBJECT-INFO ACCESS-METHOD ASCII /a.txt 0\n", methods + "PROSPERO-CONTENTS '' '' '' ''\n" + methods + "AFTP INTERNET-D LOCALHOST(21) ASCII '/a.txt' BINARY\n"},
		{"GET-OBJECT-INFO ACCESS-METHOD ASCII /large.bin 0\n", methods + "AFTP INTERNET-D LOCALHOST(21) ASCII '/large.bin' BINARY\n" + methods + "PROSPERO-CONTENTS '' '' '' ''\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII /a.txt 0\n", "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA it'''s'\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII /d/old 0\n", "FORWARDED INTERNET-D LOCALHOST ASCII '/a.txt' 0\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII /d 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO #ALL ASCII '/../x' 0\n", "FAILURE NOT-AUTHORIZED\n"},
		{"VERSION 4\nSTATUS\n", "VERSION-NOT-SUPPORTED TRY 5"},
		{"AUTHENTICATE x\n", "ERROR Invalid arguments: AUTHENTICATE' x'\n"},
		{"LIST\n", "ERROR Invalid arguments: LIST\n"},
		{"STATUS\nATOMIC\nSTATUS\n", "Prospero server (locus-demo) LOCALHOST\nFAILURE UNIMPLEMENTED ATOMIC\n"},
		{"STATUS\nSELECT '\n", "ERROR Malformed input line: Read' Prospero message with an unterminated quote'\n"},
	} {
		if got := string(s.answer("LOCALHOST", []byte(test.request))); got != test.want {
			t.Errorf("%q is answered\n%s, want\n%s", test.request, got, test.want)
		}
	}
}

func TestServe(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var logged []string
	s := &Server{Files: recordedFiles(), Log: func(line string) { logged = append(logged, line) }}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, c) }()
	client, err := net.Dial("udp", c.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Write([]byte("\x03\x12\x34DIRECTORY ASCII /prospero\nLIST '' COMPONENTS pub\n")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 2000)
	n, err := client.Read(buf)
	want := "\x03\x12\x34LINK  L DIRECTORY pub INTERNET-D " + hostToken(c.LocalAddr()) + " ASCII '/prospero/pub' 0\n"
	if got := string(buf[:n]); err != nil || got != want {
		t.Errorf("the answer is %q, %v, want %q", got, err, want)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	if want := []string{"DIRECTORY ASCII /prospero", "LIST  COMPONENTS pub"}; !slices.Equal(logged, want) {
		t.Errorf("log %q, want %q", logged, want)
	}
	if err := s.Serve(t.Context(), c); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve on what is closed = %v, want %v", err, net.ErrClosed)
	}
}
