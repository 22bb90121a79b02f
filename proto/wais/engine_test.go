package wais_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/wais"
	"locus/scheme"
	"locus/url"
)

// A message is a recorded message with its header.
type message struct {
	fromClient bool
	data       string
}

// recorded reads the messages of a recording.
func recorded(t testing.TB, name string) []message {
	t.Helper()
	data, err := os.ReadFile("testdata/captures/" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []message
	for line := range strings.Lines(string(data)) {
		var run struct{ Dir, Hex string }
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(run.Hex)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, message{run.Dir == "c2s", string(b)})
	}
	return all
}

// withoutInit removes an Init and its reply at the start.
func withoutInit(all []message) []message {
	if all[0].data[27] == 20 {
		return all[2:]
	}
	return all
}

// script replays messages. The client must send exactly the recorded requests.
func script(all []message) accesstest.Script {
	var s accesstest.Script
	for _, m := range all {
		if m.fromClient {
			s = append(s, accesstest.Expect(m.data))
		} else {
			s = append(s, accesstest.SendBytes(m.data))
		}
	}
	return s
}

// read reads a message of the client. The error is io.EOF if the client has
// closed.
func read(r io.Reader) (string, error) {
	h := make([]byte, 25)
	if _, err := io.ReadFull(r, h); err != nil {
		return "", err
	}
	n, err := strconv.Atoi(string(h[:10]))
	if err != nil {
		return "", err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return string(h) + string(body), err
}

// answering returns a server that sends the result of answer for each request. It closes the
// connection after an incomplete message.
func answering(answer func(request string) string) accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error {
		for {
			request, err := read(c)
			if err != nil {
				return io.EOF
			}
			text := answer(request)
			if text == "" {
				return io.EOF
			}
			if _, err := io.WriteString(c, text); err != nil {
				return err
			}
			if n, err := strconv.Atoi(text[:min(10, len(text))]); err != nil || len(text) != 25+n {
				return io.EOF
			}
		}
	}}
}

// pack returns a message with this body.
func pack(body string) string { return fmt.Sprintf("%010dz2wais        0%s", len(body), body) }

// element encodes an element whose tag and length are below 128.
func element(tag byte, value string) string { return string([]byte{tag, byte(len(value))}) + value }

// group encodes an element with any tag and length.
func group(tag int, value string) string {
	number := func(n int) string {
		if n < 128 {
			return string([]byte{byte(n)})
		}
		return string([]byte{byte(n>>14) | 0x80, byte(n>>7) | 0x80, byte(n & 0x7f)})
	}
	return number(tag) + number(len(value)) + value
}

// response returns the reply to a search, with these records.
func response(records string) string {
	return pack("\x00\x0b\x17" + strings.Repeat("\x00", 10) + group(99, records))
}

// text returns the record with a chunk of a document.
func text(data string) string { return group(153, group(127, data)) }

// diagnostic returns a record with a diagnostic.
func diagnostic(code, text string) string {
	n := len(code) + len(text) + 1
	return string([]byte{28, byte(n >> 8), byte(n)}) + code + text + "\x00\x1d"
}

const outOfRange = "Request out of range"

func client(dial proto.Dial) access.Engine { return wais.Client{Dial: dial} }

// entries opens a URL as a listing and returns the entries.
func entries(ctx context.Context, o access.Engine, text string) (all []access.Entry, err error) {
	r, err := o.Do(ctx, &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	l, ok := r.List, r.List != nil
	if !ok {
		return nil, errors.New("no listing")
	}
	err = access.Entries(l, func(e access.Entry) error {
		all = append(all, e)
		return nil
	})
	return all, err
}

// Searches return the recorded lists, and send exactly the recorded requests.
//
// req: 1738-3.9-2
func TestSearchCaptures(t *testing.T) {
	for _, test := range []struct {
		name, url string
		most      int
		want      string // score, size, types, title and kind of the first entry
		n         int
	}{
		{"search_hits", "wais://h/txtdb?uniform+locators", 40, `310 102 [TEXT] "Gamma report on relevance ranking" object`, 5},
		{"search_multitype", "wais://h/multi?locators", 40, `145 122 [TEXT GIF] "pic1.TEXT   /wais/data/multi/" object`, 1},
		{"search_urltype", "wais://h/urls?locators", 40, `109 120 [URL] "http://www.example.org/docs/txt/beta.txt" unknown`, 2},
		{"retrieve_gif", "wais://h/gifs?pixel", 40, `776 22628 [GIF] "pixel.gif" object`, 1},
		{"retrieve_src", "wais://h/srcs?txtdb", 40, `157 573 [WSRC] "txtdb.src" object`, 1},
		{"retrieve_src_info", "wais://h/?txtdb", 40, `215 573 [WSRC] "txtdb.src" object`, 2},
		{"retrieve_longdocid", "wais://h/longp?locators", 40, `265 102 [TEXT] "Gamma report on relevance ranking" object`, 1},
		{"x_search_8bit", "wais://h/txtdb?caf%E9", 40, `435 83 [TEXT] "Latin document with 8-bit characters" object`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := withoutInit(recorded(t, test.name))[:2]
			server := accesstest.Serve(t, script(all))
			found, err := entries(t.Context(), wais.Client{Dial: server.Dial, MaxHits: test.most}, test.url)
			if err != nil || len(found) != test.n {
				t.Fatalf("%s lists %v, %v, want %d entries", test.url, found, err, test.n)
			}
			h := found[0].Sys.(*wais.Hit)
			if got := fmt.Sprintf("%d %d %v %q %v", h.Score, h.Size, h.Types, found[0].Title, found[0].Kind); got != test.want {
				t.Errorf("the first entry is %s, want %s", got, test.want)
			}
			checkURL(t, found[0], h)
		})
	}
}

// checkURL checks that an entry links to its document. An entry of type URL must
// link to its headline.
func checkURL(t *testing.T, e access.Entry, h *wais.Hit) {
	t.Helper()
	if h.Types[0] == "URL" {
		if e.URL.String() != h.Headline {
			t.Errorf("the entry links to %q, want %q", e.URL, h.Headline)
		}
		return
	}
	u, err := url.RFC1738.Parse(e.URL.String())
	if err != nil {
		t.Fatalf("the entry has a URL that RFC 1738 does not allow: %v", err)
	}
	v, err := scheme.ParseWAIS(u)
	if err != nil || v.Kind != scheme.WAISDocument || v.DocID != h.DocID || v.WType != h.Types[0] || v.Fields != nil {
		t.Errorf("the entry links to %+v, %v, want the document-id %q", v, err, h.DocID)
	}
}

// chunks returns the replies to recorded retrievals, by the key of their
// request.
func chunks(t *testing.T, name string) map[string]string {
	t.Helper()
	all := recorded(t, name)
	found := map[string]string{}
	for i, m := range all[:len(all)-1] {
		if m.fromClient && strings.Contains(m.data, "wb rl") {
			found[queryKey(m.data)] = all[i+1].data
		}
	}
	return found
}

// queryKey returns the document, the type and the start of a retrieval, as they
// are encoded.
func queryKey(request string) string {
	_, query, _ := strings.Cut(request, "un re")
	before, _, _ := strings.Cut(query, "wb rl")
	return before
}

// Documents are equal to the files that were indexed, in each notation of the document-id and
// for any chunk size. If a recorded chunk ends with the document, the reply to the next request
// says that the document has ended.
// req: 1738-3.9-2 1630-wais-1
func TestDocumentCaptures(t *testing.T) {
	beyond := withoutInit(recorded(t, "x_range_start_beyond"))[1].data
	for _, test := range []struct{ name, search, sum string }{
		{"retrieve_small", "wais://h/txtdb?uniform+locators", "c6c4e57da8f8c407aa55d4618cacdbb4b9e4f0c70b8d270142e54bf3adc39122"},
		{"retrieve_big", "wais://h/txtdb?chronicle", "51344284a6939778a5e79b4a187fe5802706d8b258def7d3e4ae6b0cb29333f7"},
		{"retrieve_gif", "wais://h/gifs?pixel", "f26dca668d4b7e71f92a1ff004afa427a520bb8ee5d97d7f9dce07533103c5e5"},
		{"retrieve_mail", "wais://h/mailbox?hypertext", "b90026c2d781dbd3807d9088a8bfb746f8a9d46f614c7a1f26e15166f1eafcaf"},
		{"retrieve_line", "wais://h/lines?chronicle", "14581097faba8e9f336d9f1acb2f1b9e562d5bab73a6d894580bfb9309b6cbc4"},
		{"retrieve_src", "wais://h/srcs?txtdb", "e259ba24ad810471a101070e8b21c5bffec9455df74be2d64f3d51d5d25337be"},
		{"retrieve_src_info", "wais://h/INFO?txtdb", "e259ba24ad810471a101070e8b21c5bffec9455df74be2d64f3d51d5d25337be"},
		{"retrieve_longdocid", "wais://h/longp?locators", "c6c4e57da8f8c407aa55d4618cacdbb4b9e4f0c70b8d270142e54bf3adc39122"},
		{"search_multitype", "wais://h/multi?locators", "e885901020ca68f9dac02164f6639ace30746fcdae298491ce86a8e213bda1db"},
	} {
		t.Run(test.name, func(t *testing.T) {
			search := withoutInit(recorded(t, test.name))[1].data
			found := chunks(t, test.name)
			server := accesstest.ServeAll(t, answering(func(request string) string {
				if !strings.Contains(request, "un re") {
					return search
				}
				if chunk, ok := found[queryKey(request)]; ok {
					return chunk
				}
				return beyond
			}))
			o := wais.Client{Dial: server.Dial, Chunk: 10_000}
			hits, err := entries(t.Context(), o, test.search)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range notations(t, hits[0]) {
				data := get(t, o, &access.Request{URL: u})
				if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(data))); sum != test.sum {
					t.Errorf("%s has %d bytes with the SHA-256 %s, want %s", u, len(data), sum, test.sum)
				}
			}
		})
	}
}

// notations returns the URL of an entry in every notation.
func notations(t *testing.T, e access.Entry) []url.URL {
	t.Helper()
	v, err := scheme.ParseWAIS(e.URL)
	if err != nil {
		t.Fatal(err)
	}
	fields := wais.FieldsOf(v.DocID)
	if fields == nil {
		t.Fatalf("the document-id %q has no fields", v.DocID)
	}
	v.Fields = fields
	sized := v
	sized.Length = strconv.FormatInt(e.Size, 10)
	return []url.URL{e.URL, v.URL(), sized.URL()}
}

func get(t *testing.T, o access.Engine, req *access.Request) string {
	t.Helper()
	r, err := o.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Recorded failures wrap the right general error.
func TestFailureCaptures(t *testing.T) {
	for _, test := range []struct {
		name, url string
		want      error
		message   string
	}{
		{"search_unknown_db", "wais://h/nosuchdb?uniform", fs.ErrNotExist, "S1 The following database is not available: /wais/db/nosuchdb"},
		{"x_bad_docid_nosuchfile", "", fs.ErrNotExist, "SF Missing DocID in request: file does not exist"},
		{"x_bad_docid_not_in_db", "", fs.ErrNotExist, "SF Missing DocID in request: file does not exist"},
		{"x_bad_docid_syntax", "", fs.ErrNotExist, "SF Missing DocID in request: file does not exist"},
		{"x_bad_docid_garbage", "", fs.ErrNotExist, "SF Missing DocID in request: file does not exist"},
		{"x_docid_field_over_127", "", fs.ErrNotExist, "SF Missing DocID in request: file does not exist"},
		{"x_range_start_beyond", "", access.ErrRange, "SF Request out of range: the resource ends before the requested offset"},
		{"x_whole_131850_overflow", "", access.ErrProtocol, "the server sent an empty message"},
		{"x_retrieve_whole_document", "", access.ErrProtocol, "a reply without text or diagnostic"},
		{"x_retrieve_unknown_db", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_retrieve_no_type_term", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_hdr_version_3", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_pipelined", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_pipelined2", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_search_feedback_fragment", "", io.ErrUnexpectedEOF, "the server closed the connection without an answer"},
		{"x_two_apdus_one_message", "wais://h/db?x", access.ErrProtocol, "the server sent an empty message"},
		{"x_hex_encoding", "", access.ErrProtocol, "unexpected encoding"},
		{"x_minimal_init", "", access.ErrProtocol, "an APDU of type 21, want 23"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := recorded(t, test.name)
			last, text := "", test.url
			if m := all[len(all)-1]; !m.fromClient {
				last = m.data
			}
			if text == "" {
				text = "wais://h/db/TEXT/%01%01x"
			}
			server := accesstest.ServeAll(t, answering(func(string) string { return last }))
			_, err := client(server.Dial).Do(t.Context(), &access.Request{URL: url.MustParse(text)})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), "open "+text+": "+test.message) {
				t.Errorf("Open(%q) = %v, want %v: %s", text, err, test.want, test.message)
			}
		})
	}
}
