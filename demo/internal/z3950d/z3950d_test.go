package z3950d

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/demo/internal/serve"
	"locus/internal/ber"
	"locus/internal/marc"
	"locus/internal/peers"
	"locus/proto/z3950"
	"locus/url"
)

// texts are the files of the test's database.
var texts = fstest.MapFS{
	"a/ranking.txt":  {Data: []byte("On ranking\n\nWhich documents come first.\nAnd why.\n\nMore of it.\n"), ModTime: time.Date(1994, 5, 6, 0, 0, 0, 0, time.UTC)},
	"a/relevance":    {Data: []byte("Relevance and ranking\n\nDocuments with a score.\n"), ModTime: time.Date(1991, 1, 1, 0, 0, 0, 0, time.UTC)},
	"caf\u00e9.txt":  {Data: []byte("Caf\xe9\n\nIn Latin-1.\n")},
	"score.txt":      {Data: []byte("Score\n\nA score of documents.\n"), ModTime: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)},
	"picture.png":    {Data: []byte("\x89PNG")},
	"very/large.txt": {Data: bytes.Repeat([]byte("x "), indexed)},
}

// start starts the server, and returns its address.
func start(t *testing.T) string {
	t.Helper()
	d, err := NewDatabase("texts", "Some texts.", texts)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	s := &Server{Databases: []*Database{d}}
	go func() { ended <- serve.Run(ctx, l, serve.Connections, s.Serve) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return l.Addr().String()
}

// list lists a URL at the server.
func list(t *testing.T, address, path string) ([]access.Entry, error) {
	t.Helper()
	r, err := z3950.Client{Dial: new(net.Dialer).DialContext}.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50s://" + address + "/" + path)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var entries []access.Entry
	err = access.Entries(r.List, func(e access.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, err
}

func titles(entries []access.Entry) string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Title)
	}
	return strings.Join(list, "|")
}

func TestSearch(t *testing.T) {
	address := start(t)
	for _, test := range []struct{ path, want string }{
		{"", "texts"},
		{"texts;query=ranking", "On ranking|Relevance and ranking"},
		{"texts;query=ranking%20score", "Relevance and ranking"},
		{"texts;query=RANKING", "On ranking|Relevance and ranking"},
		{"texts;query=nothing", ""},
		{"texts;query=caf%C3%A9", "Café"},
		{"texts;query=@attr%201=4%20score", "Score"},
		{"texts;query=@attr%201=4%20@attr%205=1%20rel", "Relevance and ranking"},
		{"texts;query=@attr%201=1016%20@attr%205=1%20docu", "On ranking|Relevance and ranking|Score"},
		{"texts;query=@or%20@attr%201=4%20score%20@attr%201=4%20on", "On ranking|Score"},
		{"texts;query=@not%20documents%20score", "On ranking"},
		{"texts;query=@attr%201=1003%20locus;sort=title", "Café|On ranking|Relevance and ranking|Score"},
		{"texts;query=@attr%201=1003%20locus;sort=-date,title", "Score|On ranking|Relevance and ranking|Café"},
		{"texts;query=@attr%201=31%20@attr%202=4%201994", "On ranking|Score"},
		{"texts;query=@attr%201=31%20@attr%202=1%201994", "Relevance and ranking"},
		{"texts?lib0002", "Relevance and ranking"},
		{"texts;query=ranking;from=2", "Relevance and ranking"},
		{"texts;scan=@attr%201=4%20r", "ranking|relevance|score"},
		{"texts;scan=@attr%201=31%200", "1991|1994|2001"},
	} {
		entries, err := list(t, address, test.path)
		if got := titles(entries); err != nil || got != test.want {
			t.Errorf("%s lists %q, %v, want %q", test.path, got, err, test.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	address := start(t)
	for path, want := range map[string]int{
		"nosuch;query=a":                                    109,
		"texts;query=@attr%201=9999%20a":                    114,
		"texts;query=@attr%202=99%20a":                      117,
		"texts;query=@attr%205=7%20a":                       120,
		"texts;query=@prox%200%201%200%202%20k%202%20a%20b": 110,
		"texts;query=@set%20nosuch":                         30,
		"texts;query=@term%20numeric%201":                   229,
		"IR-Explain-1;query=@attr%201=4%20a":                121,
		"texts;query=ranking;rs=unimarc":                    239,
		"texts;query=ranking;rs=explain":                    238,
		"texts;query=ranking;sort=isbn":                     207,
		"texts;scan=@attr%201=9999%20a":                     114,
		"nosuch;scan=a":                                     109,
	} {
		_, err := list(t, address, path)
		if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || e.Reply.Code != want {
			t.Errorf("%s: %v, want the diagnostic %d", path, err, want)
		}
	}
}

// A record is returned in each of the syntaxes.
func TestRecord(t *testing.T) {
	address := start(t)
	for syntax, want := range map[string]string{"usmarc": "application/marc", "xml": "application/marcxml+xml", "sutrs": "text/plain; charset=utf-8"} {
		u := url.MustParse("z39.50r://" + address + "/texts?lib0001;rs=" + syntax)
		r, err := z3950.Client{Dial: new(net.Dialer).DialContext}.Do(t.Context(), &access.Request{URL: u})
		if err != nil {
			t.Fatalf("Get of the record as %s: %v", syntax, err)
		}
		data, err := io.ReadAll(r.Body)
		if err != nil || r.Type != want || !strings.Contains(string(data), "Which documents come first. And why.") {
			t.Errorf("as %s it is %q, of type %q, %v", syntax, data, r.Type, err)
		}
		if m, err := marc.Parse(data); syntax == "usmarc" && (err != nil || m.Title() != "On ranking" || m.Author() != "locus" || m.Date() != "1994" || len(m.Problems) > 0) {
			t.Errorf("Parse of the record as %s = %+v, %v", syntax, m, err)
		}
	}
}

// The server works with yaz-client.
func TestYAZClient(t *testing.T) {
	address := start(t)
	printed := peers.YAZClient(t, "open "+address, "base texts", "find @attr 1=4 ranking", "show 1+2", "format xml", "show 2", "sort 1=4 >", "format sutrs", "show 1",
		"scan @attr 1=4 r", "find @and @set 1 relevance", "base nosuch", "find x", "delete 1", "close")
	for _, want := range []string{
		"Connection accepted by v3 target", `(?s)Number of hits: 2,.*245 10 \$a On ranking.*245 10 \$a Relevance and ranking`, `<controlfield tag="001">lib0002`,
		"Received SortResponse: status=success", `Title +Relevance and ranking`, `(?m)^\* ranking \(2\)$`, `Number of hits: 1,`, `\[109\] Database unavailable`,
	} {
		if !regexp.MustCompile(want).MatchString(printed) {
			t.Errorf("yaz-client does not print %q:\n%s", want, printed)
		}
	}
}

// ask sends messages to a server, and returns its answers.
func ask(t *testing.T, messages ...func(*ber.Builder)) []ber.Element {
	t.Helper()
	d, err := NewDatabase("texts", "", texts)
	if err != nil {
		t.Fatal(err)
	}
	var sent ber.Builder
	sent.In(tagInit, func(b *ber.Builder) { b.Bits(3, 3, 0) })
	for _, m := range messages {
		m(&sent)
	}
	c := &recordedConn{Reader: bytes.NewReader(sent.Bytes())}
	(&Server{Databases: []*Database{d}}).Serve(t.Context(), c)
	var answers []ber.Element
	for rest := c.answer.Bytes(); len(rest) > 0; {
		e, after, err := ber.Parse(rest)
		if err != nil {
			t.Fatalf("Parse(% x): %v", rest, err)
		}
		answers, rest = append(answers, e), after
	}
	return answers[1:]
}

// searchFor returns a SearchRequest for a word.
func searchFor(word, set string) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.In(tagSearch, func(b *ber.Builder) {
			b.Text(17, set)
			b.In(18, func(b *ber.Builder) { b.Text(105, "texts") })
			b.In(21, func(b *ber.Builder) {
				b.In(1, func(b *ber.Builder) {
					b.OID(bib1)
					b.In(0, func(b *ber.Builder) {
						b.In(102, func(b *ber.Builder) {
							b.In(44, func(*ber.Builder) {})
							b.Text(45, word)
						})
					})
				})
			})
		})
	}
}

// presentOne returns a PresentRequest for the first record.
func presentOne(set string) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.In(tagPresent, func(b *ber.Builder) {
			b.Text(31, set)
			b.Int(30, 1)
			b.Int(29, 1)
		})
	}
}

// sortTo returns a SortRequest by title into another result set.
func sortTo(from, to string) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.In(tagSort, func(b *ber.Builder) {
			b.In(3, func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagGeneral, []byte(from)) })
			b.Text(4, to)
			b.In(5, func(b *ber.Builder) {
				b.Sequence(func(b *ber.Builder) {
					b.In(1, func(b *ber.Builder) {
						b.In(2, func(b *ber.Builder) {
							b.OID(bib1)
							b.In(44, func(b *ber.Builder) {
								b.Sequence(func(b *ber.Builder) {
									b.Int(120, 1)
									b.Int(121, useTitle)
								})
							})
						})
					})
					b.Int(1, 0)
				})
			})
		})
	}
}

// deleteSets returns a DeleteResultSetRequest for the names, or for all sets if names is empty.
func deleteSets(names ...string) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.In(tagDelete, func(b *ber.Builder) {
			if names == nil {
				b.Int(32, 1)
				return
			}
			b.Int(32, 0)
			b.Sequence(func(b *ber.Builder) {
				for _, name := range names {
					b.Text(31, name)
				}
			})
		})
	}
}

// A client deletes only the result sets that it names.
func TestDelete(t *testing.T) {
	for _, test := range []struct {
		deleted        func(*ber.Builder)
		hasOne, hasTwo bool
	}{
		{deleteSets("one"), false, true},
		{deleteSets("two", "none"), true, false},
		{deleteSets(), false, false},
	} {
		answers := ask(t, searchFor("ranking", "one"), searchFor("score", "two"), test.deleted, presentOne("one"), presentOne("two"))
		if len(answers) != 5 {
			t.Fatalf("with a delete after which there is one (%v) and two (%v), there are %d answers, want 5", test.hasOne, test.hasTwo, len(answers))
		}
		if one, two := number(answers[3], 24) == 1, number(answers[4], 24) == 1; one != test.hasOne || two != test.hasTwo {
			t.Errorf("after the delete there is one: %v, two: %v; want %v and %v", one, two, test.hasOne, test.hasTwo)
		}
	}
}

// The number of result sets is bounded, including result sets of a sort.
func TestSortedSetsAreBounded(t *testing.T) {
	messages := []func(*ber.Builder){searchFor("ranking", "one")}
	for i := range 2 * maxSets {
		messages = append(messages, sortTo("one", fmt.Sprint("sorted ", i)))
	}
	sorted := 0
	for _, a := range ask(t, messages...)[1:] {
		if number(a, 3) == 0 {
			sorted++
		}
	}
	if sorted != maxSets-1 {
		t.Errorf("%d sorted sets beside the first, want %d", sorted, maxSets-1)
	}
}

// A malformed request ends the connection, and the server does not panic.
func FuzzServe(f *testing.F) {
	d, err := NewDatabase("texts", "", texts)
	if err != nil {
		f.Fatal(err)
	}
	message := func(tag uint32, inside func(*ber.Builder)) []byte {
		var b ber.Builder
		b.In(tag, inside)
		return b.Bytes()
	}
	hello := message(tagInit, func(b *ber.Builder) { b.Bits(3, 3, 0) })
	var dialogue ber.Builder
	dialogue.Raw(hello)
	for _, request := range []func(*ber.Builder){searchFor("ranking", "default"), sortTo("default", "sorted"), presentOne("sorted"), deleteSets("default"), deleteSets()} {
		request(&dialogue)
	}
	f.Add(dialogue.Bytes())
	f.Add(append(hello[:len(hello):len(hello)], message(tagScan, func(b *ber.Builder) { b.Int(6, -1) })...))
	f.Add(append(hello[:len(hello):len(hello)], message(tagSort, func(b *ber.Builder) { b.In(5, func(b *ber.Builder) { b.Sequence(func(*ber.Builder) {}) }) })...))
	f.Add([]byte("GET / HTTP/1.0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := &recordedConn{Reader: bytes.NewReader(sent)}
		(&Server{Databases: []*Database{d}}).Serve(t.Context(), c)
		for rest := c.answer.Bytes(); len(rest) > 0; {
			_, after, err := ber.Parse(rest)
			if err != nil {
				t.Fatalf("an answer is not BER: %v", err)
			}
			rest = after
		}
	})
}

// A recordedConn is a connection on which a client has sent everything. It records the
// answers.
type recordedConn struct {
	io.Reader
	answer bytes.Buffer
}

func (c *recordedConn) Write(b []byte) (int, error)      { return c.answer.Write(b) }
func (c *recordedConn) Close() error                     { return nil }
func (c *recordedConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv6loopback, Port: 210} }
func (c *recordedConn) RemoteAddr() net.Addr             { return c.LocalAddr() }
func (c *recordedConn) SetDeadline(time.Time) error      { return nil }
func (c *recordedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *recordedConn) SetWriteDeadline(time.Time) error { return nil }
