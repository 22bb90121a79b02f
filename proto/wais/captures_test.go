package wais

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A run is consecutive data in one direction.
type run struct {
	fromClient bool
	data       []byte
}

// readCapture reads a recording. It merges consecutive lines of one direction.
func readCapture(t testing.TB, name string) []run {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/captures", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []run
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var line struct{ Dir, Hex string }
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(line.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if last := len(all) - 1; last >= 0 && all[last].fromClient == (line.Dir == "c2s") {
			all[last].data = append(all[last].data, b...)
			continue
		}
		all = append(all, run{line.Dir == "c2s", b})
	}
	return all
}

// A recordedPair is a request and its reply, without their headers.
type recordedPair struct {
	request []byte
	header  []byte // of the reply; nil if the server did not reply
	answer  []byte
}

// recordedPairs splits a recording into requests and replies.
func recordedPairs(t testing.TB, name string) []recordedPair {
	t.Helper()
	var all []recordedPair
	for _, s := range readCapture(t, name) {
		rest := s.data
		for len(rest) > 0 {
			n, err := strconv.Atoi(string(rest[:lengthSize]))
			if err != nil || headerSize+n > len(rest) {
				t.Fatalf("%s: a message of %q in %d bytes", name, rest[:lengthSize], len(rest))
			}
			body := rest[headerSize : headerSize+n]
			if s.fromClient {
				all = append(all, recordedPair{request: body})
			} else {
				last := &all[len(all)-1]
				last.header, last.answer = rest[:headerSize], body
			}
			rest = rest[headerSize+n:]
		}
	}
	return all
}

// A section of captures.txt describes one recording.
type section struct {
	name, about string
	outcomes    []string // the replies, in the first line, and the documents
}

func readIndex(t testing.TB) []section {
	t.Helper()
	data, err := os.ReadFile("testdata/captures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	for part := range strings.SplitSeq(strings.TrimPrefix(string(data), "== "), "\n== ") {
		lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
		all = append(all, section{lines[0], lines[1], lines[2:]})
	}
	return all
}

// A query is the query of a recorded retrieval.
type query struct {
	docID, kind, start, end string
	unit                    string // "wb", "wl", "wp"; "" without a range
}

// parseQuery parses a query of type 1.
func parseQuery(t testing.TB, text elements) query {
	t.Helper()
	var q query
	use := ""
	err := text.each(func(el element) error {
		value := string(el.value)
		switch {
		case el.tag == tagAttributeList:
			use = value[:5]
		case el.tag != tagTerm:
		case use == "un re":
			q.docID = value
		case use == "wt re":
			q.kind = value
		case use[3:] == "ro":
			q.start, q.unit = value, use[:2]
		case use[3:] == "rl":
			q.end = value
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// find returns the value of the first element with the tag.
func find(t testing.TB, in elements, tag uint32) (value []byte, ok bool) {
	t.Helper()
	err := in.each(func(el element) error {
		if el.tag == tag && !ok {
			value, ok = el.value, true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return value, ok
}

// Decoding every recorded reply gives the outcome in captures.txt.
// req: 1738-3.9-2
func TestDecodeCaptures(t *testing.T) {
	index := readIndex(t)
	files, err := filepath.Glob("testdata/captures/*.jsonl")
	if err != nil || len(files) != 70 || len(index) != 70 {
		t.Fatalf("%d recordings, and %d in the index, %v; want 70", len(files), len(index), err)
	}
	for _, s := range index {
		t.Run(s.name, func(t *testing.T) {
			answers, documents := describe(t, s.name)
			if answers != s.outcomes[0] {
				t.Errorf("the answers are\n%s\nwant\n%s", answers, s.outcomes[0])
			}
			for _, want := range s.outcomes[1:] {
				want, _, _ = strings.Cut(partOf.ReplaceAllString(want, ""), " = corpus")
				if !documents[want] {
					t.Errorf("the documents are\n%v\nwant\n%s", documents, want)
				}
			}
			if len(documents) != len(s.outcomes)-1 {
				t.Errorf("%d documents, want %d: %v", len(documents), len(s.outcomes)-1, documents)
			}
		})
	}
}

// partOf matches the note in captures.txt that a document was fetched only in
// part.
var partOf = regexp.MustCompile(` \(part [0-9.]+\)`)

// describe describes the replies of a recording and the documents in them, in
// the format of captures.txt.
func describe(t *testing.T, name string) (answers string, documents map[string]bool) {
	all := recordedPairs(t, name)
	whole := newAssembly()
	var parts []string
	for i, e := range all {
		text := describePair(t, e, whole)
		if text == "InitResponse result 1" && i == 0 && len(all) > 1 {
			continue
		}
		parts = append(parts, text)
	}
	if len(parts) > 10 {
		parts = []string{parts[0], fmt.Sprintf("%d chunks, %d of 10000 bytes and one of %d", whole.chunks, whole.chunks-1, whole.last)}
	}
	return strings.Join(parts, "; "), whole.documents()
}

func describePair(t *testing.T, e recordedPair, whole *assembly) string {
	switch {
	case e.header == nil:
		return "no reply, connection closed"
	case e.header[encodingAt] == 'h':
		return describeEncoded(t, e)
	case len(e.answer) == 0:
		return "msg_len 0"
	}
	if n, err := parseHeader(e.header); err != nil || n != len(e.answer) {
		t.Fatalf("parseHeader(%q) = %d, %v, want %d", e.header, n, err, len(e.answer))
	}
	if e.answer[2] == apduInitResponse {
		return describeInit(t, e.answer)
	}
	records, err := parseSearch(e.answer)
	if err != nil {
		t.Fatal(err)
	}
	request, err := parseAPDU(e.request, apduSearch, 10)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := find(t, request.user, tagQuery); ok {
		return describeChunk(t, parseQuery(t, text), records, whole)
	}
	return describeHits(t, records)
}

func describeInit(t *testing.T, answer []byte) string {
	size, err := parseInit(answer)
	if err != nil && answer[3] != 0 {
		t.Fatal(err)
	}
	if err == nil && size != initSize && size != 600 {
		t.Errorf("the size of messages is %d", size)
	}
	return fmt.Sprintf("InitResponse result %d", answer[3])
}

// describeEncoded decodes a reply that encodes three bytes as four characters. The client does
// not request an encoding, and refuses such a reply.
func describeEncoded(t *testing.T, e recordedPair) string {
	if _, err := parseHeader(e.header); err == nil {
		t.Error("an encoded answer is not refused")
	}
	text := bytes.TrimRight(e.answer, "\r")
	var data []byte
	for ; len(text) >= 4; text = text[4:] {
		var d [4]int
		for i := range d {
			d[i] = int(text[i]) - '0'
		}
		data = append(data, byte(d[0]|d[1]<<2&0xc0))
		if d[2] != 64 {
			data = append(data, byte(d[1]<<4|d[2]&0x0f))
		}
		if d[3] != 64 {
			data = append(data, byte(d[2]<<2&0xc0|d[3]))
		}
	}
	if got := describeInit(t, data); got != "InitResponse result 1" {
		t.Errorf("the encoded answer is %s", got)
	}
	return fmt.Sprintf("reply with encoding h (%d bytes)", len(e.answer))
}

func describeHits(t *testing.T, records elements) string {
	var hits, diagnostics []string
	err := records.each(func(el element) error {
		switch {
		case el.tag == tagDiagnostic:
			d := el.diagnostic()
			diagnostics = append(diagnostics, fmt.Sprintf(`diag %s "%s"`, d.code, d.text))
		case el.isHit():
			h, err := el.hit()
			if err != nil {
				return err
			}
			score := strconv.FormatInt(h.Score, 10)
			if h.Score < 0 {
				score = "-"
			}
			hits = append(hits, fmt.Sprintf("%s %q", score, h.Headline))
		default:
			t.Errorf("a record of tag %d", el.tag)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	switch len(hits) {
	case 0:
	case 1:
		parts = []string{"1 hit (" + hits[0] + ")"}
	default:
		parts = []string{fmt.Sprintf("%d hits (%s)", len(hits), strings.Join(hits, "; "))}
	}
	if parts = append(parts, diagnostics...); len(parts) == 0 {
		return "empty group 99"
	}
	return strings.Join(parts, " + ")
}

func describeChunk(t *testing.T, q query, records elements, whole *assembly) string {
	p, err := parseChunk(records)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	span := q.start + ".." + q.end
	switch q.unit {
	case "":
		span = "no range"
	case "wl":
		span = "lines " + span
	case "wb":
		whole.add(q, p.data)
	}
	if p.hasData {
		parts = append(parts, fmt.Sprintf("%s: %d bytes", span, len(p.data)))
	}
	if p.diagnostic != nil {
		parts = append(parts, fmt.Sprintf("diag %s %q", p.diagnostic.code, p.diagnostic.text))
	}
	if len(parts) == 0 {
		return "empty group 99"
	}
	return strings.Join(parts, " + ")
}

// An assembly joins chunks to documents.
type assembly struct {
	texts   map[query]*strings.Builder // by the query of the first chunk
	next    query                      // the query of the next chunk
	current *strings.Builder           // the document of the last chunk
	chunks  int
	last    int // the size of the last chunk
}

func newAssembly() *assembly { return &assembly{texts: map[query]*strings.Builder{}} }

func (a *assembly) add(q query, data []byte) {
	if len(data) == 0 {
		return
	}
	start, _ := strconv.Atoi(q.start)
	q.end = ""
	if q != a.next {
		a.current = new(strings.Builder)
		a.texts[q] = a.current
	}
	a.current.Write(data)
	a.next = q
	a.next.start = strconv.Itoa(start + len(data))
	a.chunks++
	a.last = len(data)
}

// documents returns a line of captures.txt for each document.
func (a *assembly) documents() map[string]bool {
	all := map[string]bool{}
	for q, b := range a.texts {
		all[fmt.Sprintf("%s: %d bytes, SHA-256 `%x`", q.kind, b.Len(), sha256.Sum256([]byte(b.String())))] = true
	}
	return all
}
