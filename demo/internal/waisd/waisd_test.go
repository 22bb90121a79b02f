package waisd

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A recordedConn is a connection on which a client has sent everything. It records the answers.
type recordedConn struct {
	io.Reader
	answer bytes.Buffer
}

func (s *recordedConn) Write(b []byte) (int, error)      { return s.answer.Write(b) }
func (s *recordedConn) Close() error                     { return nil }
func (s *recordedConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv6loopback, Port: 210} }
func (s *recordedConn) RemoteAddr() net.Addr             { return s.LocalAddr() }
func (s *recordedConn) SetDeadline(time.Time) error      { return nil }
func (s *recordedConn) SetReadDeadline(time.Time) error  { return nil }
func (s *recordedConn) SetWriteDeadline(time.Time) error { return nil }

// captures are the recordings of the original client, and of requests made by
// hand, with a server of freeWAIS.
const captures = "../../../proto/wais/testdata/captures/"

// A message is a message with its header.
type message string

func (m message) body() string { return string(m[25:]) }

// recorded reads the messages that a client sent, and the answer to each: "" if the server did
// not answer.
func recorded(t testing.TB, name string) (requests, answers []message) {
	t.Helper()
	data, err := os.ReadFile(captures + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var said [2]strings.Builder
	for line := range strings.Lines(string(data)) {
		var run struct{ Dir, Hex string }
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			t.Fatal(err)
		}
		data, err := hex.DecodeString(run.Hex)
		if err != nil {
			t.Fatal(err)
		}
		to := &said[0]
		if run.Dir == "s2c" {
			to = &said[1]
		}
		to.Write(data)
	}
	requests, answers = messages(t, said[0].String()), messages(t, said[1].String())
	return requests, answers
}

func messages(t testing.TB, text string) []message {
	t.Helper()
	var all []message
	for text != "" {
		var n int
		if _, err := fmt.Sscanf(text[:10], "%d", &n); err != nil || 25+n > len(text) {
			t.Fatalf("no message: %.40q, %v", text, err)
		}
		all = append(all, message(text[:25+n]))
		text = text[25+n:]
	}
	return all
}

// corpus returns a server of the files that the recorded server had.
func corpus(t testing.TB) *Server {
	t.Helper()
	file := func(name string) *fstest.MapFile {
		data, err := os.ReadFile(filepath.Join("testdata/corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		return &fstest.MapFile{Data: data}
	}
	database := func(name string, files ...string) *Database {
		fsys := fstest.MapFS{}
		for _, f := range files {
			fsys["wais/data/"+f] = file(f)
		}
		d, err := NewDatabase(name, "About "+name+".\n", fsys)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	long := fstest.MapFS{
		"wais/data/" + strings.Repeat("d", 60) + "/" + strings.Repeat("e", 60) + "/gamma.txt": file("txt/gamma.txt"),
	}
	longp, err := NewDatabase("longp", "", long)
	if err != nil {
		t.Fatal(err)
	}
	all := []*Database{
		database("txtdb", "txt/alpha.txt", "txt/beta.txt", "txt/gamma.txt", "txt/latin.txt", "txt/big.txt"),
		database("gifs", "pixel.gif", "tiny.gif"),
		database("lines", "txt/big.txt"),
		database("mailbox", "mail.txt"),
		database("multi", "multi/pic1.TEXT"),
		longp,
	}
	return &Server{Databases: append(all, Info(all)), Name: "wais.example:2101"}
}

// ask sends messages over a connection of their own, and returns the answers.
func ask(t testing.TB, s *Server, requests ...message) []message {
	t.Helper()
	var all strings.Builder
	for _, m := range requests {
		all.WriteString(string(m))
	}
	c := &recordedConn{Reader: strings.NewReader(all.String())}
	s.Serve(t.Context(), c)
	return messages(t, c.answer.String())
}

// The answers to recorded retrievals equal the answers of freeWAIS, byte for byte.
func TestRetrievalsAnswerAsFreeWAIS(t *testing.T) {
	same := 0
	for _, name := range []string{
		"retrieve_small", "retrieve_big", "retrieve_gif", "retrieve_mail", "retrieve_line", "retrieve_longdocid", "search_multitype",
		"x_libwww_style_no_init", "x_big_chunk_50000", "x_big_chunk_99000", "x_whole_131850_overflow", "x_small_maxrecord_600",
		"x_range_end_beyond", "x_range_start_at_end", "x_range_start_beyond", "x_one_line_doc_beyond", "x_retrieve_lines", "x_lines_beyond_end",
		"x_retrieve_no_elementset_no_refid", "x_retrieve_wrong_type", "x_docid_original_only",
		"x_bad_docid_nosuchfile", "x_bad_docid_nosuchfile_lines", "x_bad_docid_not_in_db", "x_bad_docid_syntax", "x_bad_docid_garbage", "x_docid_field_over_127",
		"x_present_apdu", "x_query_type_0",
	} {
		requests, want := recorded(t, name)
		got := ask(t, corpus(t), requests...)
		if len(got) != len(want) {
			t.Errorf("%s: %d answers, want %d", name, len(got), len(want))
			continue
		}
		for i, m := range requests {
			if !strings.Contains(string(m), "un re") && len(want[i]) > 25 {
				continue // an Init or a search
			}
			if got[i] != want[i] {
				t.Errorf("%s: answer %d is\n%.300q\nwant\n%.300q", name, i, got[i], want[i])
			}
			same++
		}
	}
	if same != 48 {
		t.Errorf("%d answers were compared, want 48", same)
	}
}

// headlines returns the headlines and scores of a search, and the code of its diagnostic.
func headlines(t testing.TB, m message) (found []string, scores []int, code string) {
	t.Helper()
	req := m.body()
	skip := 2 + int(req[0])<<8 + int(req[1])
	records := req[skip+1:] // the tag
	_, records, _ = cutNumber(records)
	if i := strings.IndexByte(records, tagDiagnostic); i >= 0 && (i == 0 || strings.HasSuffix(records, "\x1d")) {
		code = records[strings.LastIndexByte(records, tagDiagnostic)+3:][:2]
		records = records[:strings.LastIndexByte(records, tagDiagnostic)]
	}
	all, err := parseFields(records)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		fields, err := parseFields(f.value)
		if err != nil {
			t.Fatalf("parseFields(%q): %v", f.value, err)
		}
		headline, _ := find(fields, tagHeadline)
		score, _ := find(fields, tagScore)
		found, scores = append(found, headline), append(scores, number(score, -1))
	}
	return found, scores, code
}

// Recorded searches find the same documents as in freeWAIS, the best first.
func TestSearchesFindTheSame(t *testing.T) {
	for _, name := range []string{
		"search_hits", "retrieve_small", "retrieve_big", "retrieve_gif", "retrieve_longdocid", "x_no_init_search", "x_init_after_search",
		"x_init_rejected_then_search", "x_libwww_style_no_init", "x_search_two_databases", "x_search_db_dot_src", "x_search_max0",
		"x_search_8bit", "x_search_empty_words", "x_search_feedback_words_plus_doc", "x_uppercase_header", "x_minimal_init",
		"x_init_willpresent_rejected", "x_split_writes", "x_hdr_version_1", "search_unknown_db",
	} {
		requests, want := recorded(t, name)
		got := ask(t, corpus(t), requests...)
		for i, m := range want {
			if len(got) <= i {
				t.Errorf("%s: %d answers, want %d", name, len(got), len(want))
				break
			}
			if m.body()[2] == apduInitResponse {
				if got[i].body()[2:4] != m.body()[2:4] || got[i][10:25] != m[10:25] {
					t.Errorf("%s: the Init is answered %q, want %q", name, got[i], m)
				}
				continue
			}
			if strings.Contains(string(requests[i]), "un re") {
				continue
			}
			theirs, _, theirCode := headlines(t, m)
			ours, scores, code := headlines(t, got[i])
			if !slices.IsSortedFunc(scores, func(a, b int) int { return b - a }) {
				t.Errorf("%s: scores %v", name, scores)
			}
			slices.Sort(theirs)
			slices.Sort(ours)
			if !slices.Equal(ours, theirs) || code != theirCode {
				t.Errorf("%s: found %q %s, want %q %s", name, ours, code, theirs, theirCode)
			}
		}
	}
}

// Each recorded request has one answer, unless its header is malformed. (A recording of two
// messages that were sent at once, of which freeWAIS answers neither, has two answers.)
func TestEveryRequestIsAnswered(t *testing.T) {
	files, err := os.ReadDir(captures)
	if err != nil || len(files) != 70 {
		t.Fatalf("%d recordings, %v, want 70", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".jsonl")
		requests, _ := recorded(t, name)
		want := len(requests)
		if name == "x_hdr_version_3" || name == "x_hex_encoding" {
			want = 0
		}
		if got := ask(t, corpus(t), requests...); len(got) != want {
			t.Errorf("%s: %d answers, want %d", name, len(got), want)
		}
	}
}

// The server answers requests of which freeWAIS dies, or which it answers differently.
func TestDiffersFromFreeWAIS(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"search_nohit", "[] "},
		{"x_retrieve_unknown_db", "[] S1"},
		{"x_search_max1", `["Alpha document about uniform resource locators."] `},
	} {
		requests, _ := recorded(t, test.name)
		got := ask(t, corpus(t), requests...)
		found, _, code := headlines(t, got[len(got)-1])
		if is := fmt.Sprintf("%q %s", found, code); is != test.want {
			t.Errorf("%s: the last answer is %s, want %s", test.name, is, test.want)
		}
	}
}

// The server sends only whole messages, no larger than agreed, whatever the client sends.
func FuzzServe(f *testing.F) {
	files, err := os.ReadDir(captures)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		requests, _ := recorded(f, strings.TrimSuffix(file.Name(), ".jsonl"))
		for _, m := range requests {
			f.Add([]byte(m.body()))
		}
	}
	s := corpus(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		request := message(fmt.Sprintf("%010dz2wais        0%s", len(body), body))
		for _, m := range ask(t, s, request, request) {
			if len(m) > 25+largest {
				t.Errorf("%q is answered with %d bytes", body, len(m))
			}
		}
	})
}
