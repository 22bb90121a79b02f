package z3950_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/ber"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/z3950"
	"locus/url"
)

func client(dial accesstest.Dial) access.Engine { return z3950.Client{Dial: dial} }

// answering is a server that answers each message. It ends the connection for "", and
// after an incomplete message, unless that is stalled.
func answering(reply func(m ber.Element) string) accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error {
		r := bufio.NewReader(c)
		for {
			var b bytes.Buffer
			if err := ber.Read(r, &b, 1<<20); err != nil {
				return nil //nolint:nilerr // the client has closed
			}
			m, _, err := ber.Parse(b.Bytes())
			if err != nil {
				return err
			}
			answer := reply(m)
			if answer == "" {
				return nil
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return nil //nolint:nilerr // the client has closed
			}
			if _, _, err := ber.Parse([]byte(answer)); err != nil && answer != stalled {
				return nil // an incomplete message is the last
			}
		}
	}}
}

// stalled is the start of a message that does not go on.
const stalled = "\xb9\x82"

// build returns a message.
func build(tag uint32, inside func(b *ber.Builder)) string {
	var b ber.Builder
	b.In(tag, inside)
	return string(b.Bytes())
}

// accepts is an Init response that accepts. options are bits.
func accepts(options ...int) string {
	return build(21, func(b *ber.Builder) {
		b.Bits(3, 3, 0, 1, 2)
		b.Bits(4, 15, append(options, 0, 1)...)
		b.Int(5, 1<<20)
		b.Int(6, 1<<20)
		b.Bool(12, true)
		b.Text(111, "toy")
		b.Text(112, "1.0")
	})
}

// found is a search response.
func found(hits int64) string {
	return build(23, func(b *ber.Builder) {
		b.Int(23, hits)
		b.Int(24, 0)
		b.Int(25, 1)
		b.Bool(22, true)
	})
}

// diagnosed is the tagged diagnostic of a search or a present.
func diagnosed(b *ber.Builder, tag uint32, condition int64, detail string) {
	b.In(tag, func(b *ber.Builder) {
		b.OID("1.2.840.10003.4.1")
		b.Integer(condition)
		b.Primitive(ber.Universal, ber.TagVisible, []byte(detail))
	})
}

// refused is a search response with a diagnostic.
func refused(condition int64, detail string) string {
	return build(23, func(b *ber.Builder) {
		b.Int(23, 0)
		b.Int(24, 0)
		b.Int(25, 0)
		b.Bool(22, false)
		diagnosed(b, 130, condition, detail)
	})
}

// presented is a present response with records.
func presented(records ...func(*ber.Builder)) string {
	return build(25, func(b *ber.Builder) {
		b.Int(24, int64(len(records)))
		b.Int(25, 0)
		b.Int(27, 0)
		b.In(28, func(b *ber.Builder) {
			for _, r := range records {
				b.Sequence(r)
			}
		})
	})
}

// notPresented is a present response with a diagnostic.
func notPresented(condition int64) string {
	return build(25, func(b *ber.Builder) {
		b.Int(24, 0)
		b.Int(25, 0)
		b.Int(27, 5)
		diagnosed(b, 130, condition, "")
	})
}

// octets is a record of bytes.
func octets(syntax, data string) func(*ber.Builder) {
	return external(syntax, func(b *ber.Builder) { b.Text(1, data) })
}

// external is a record.
func external(syntax string, content func(*ber.Builder)) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.Text(0, "db")
		b.In(1, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.Constructed(ber.Universal, ber.TagExternal, func(b *ber.Builder) {
					b.OID(syntax)
					content(b)
				})
			})
		})
	}
}

const (
	usmarc = "1.2.840.10003.5.10"
	sutrs  = "1.2.840.10003.5.101"
	grs1   = "1.2.840.10003.5.105"
	xmlOID = "1.2.840.10003.5.109.10"
)

// plain is a SUTRS record.
func plain(text string) func(*ber.Builder) {
	return external(sutrs, func(b *ber.Builder) {
		b.In(0, func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagGeneral, []byte(text)) })
	})
}

// instead is a diagnostic in place of a record.
func instead(condition int64) func(*ber.Builder) {
	return func(b *ber.Builder) {
		b.Text(0, "db")
		b.In(1, func(b *ber.Builder) {
			b.In(2, func(b *ber.Builder) {
				b.Sequence(func(b *ber.Builder) {
					b.OID("1.2.840.10003.4.1")
					b.Integer(condition)
					b.Primitive(ber.Universal, ber.TagVisible, nil)
				})
			})
		})
	}
}

// termOf returns the term of a search or a scan.
func termOf(e ber.Element) (text string) {
	if e.Is(45) {
		return e.Text()
	}
	_ = e.Each(func(part ber.Element) error {
		if text == "" {
			text = termOf(part)
		}
		return nil
	})
	return text
}

// number returns the number with a tag in a request.
func number(m ber.Element, tag uint32) int64 {
	e, _ := m.Find(tag)
	n, _ := e.Int()
	return n
}

// A catalogue is a server whose records are named by their docids. last is the term of
// the last search of a connection.
func catalogue() accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error { return shelf()[0](c) }}
}

// shelf is the catalogue for one connection.
func shelf() accesstest.Script {
	last := ""
	return answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			if id, ok := m.Find(7); ok && id.IsConstructed {
				return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
			}
			return accepts()
		case 22:
			last = termOf(m)
			return found(map[string]int64{"object": 1, "two": 2, "truncated": 1, "many": 100}[last])
		case 24:
			start, count := number(m, 30), number(m, 29)
			switch {
			case last == "truncated":
				return presented(plain("hello, world"))[:30]
			case last == "many" && start > 1:
				return stalled
			case last == "many":
				return presented(sevenTimes(count)...)
			case last == "two":
				return presented(plain("One\nmore"), plain("Two"))
			}
			return presented(plain("hello, world"))
		}
		return ""
	})
}

func sevenTimes(n int64) (records []func(*ber.Builder)) {
	for i := range n {
		records = append(records, plain(fmt.Sprint("record ", i)))
	}
	return records
}

// The client keeps the contract.
func TestSuite(t *testing.T) {
	served := accesstest.ServeAll(t, catalogue())
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat},
		New:       client,
		Dial:      served.Dial,
		Object:    url.MustParse("z39.50r://h/db?object"),
		Content:   "hello, world",
		Missing:   url.MustParse("z39.50r://h/db?missing"),
		Listing:   url.MustParse("z39.50s://h/db;query=two"),
		Titles:    []string{"One", "Two"},
		Truncated: url.MustParse("z39.50r://h/db?truncated"),
		Stalled:   url.MustParse("z39.50s://h/db;query=many"),
		Hostile: []url.URL{
			url.MustParse("z39.50s://h/db%0D%0A;query=x"),
			url.MustParse("z39.50s://h/db%00;query=x"),
			url.MustParse("z39.50s://h/db;query=a%00b"),
			url.MustParse("z39.50r://h/db?a%0Ab"),
			url.MustParse("z39.50s://h/db;scan=a%00"),
			url.MustParse("z39.50s://u%00:p@h/db"),
			url.MustParse("z39.50s://h/db?x;esn=a%00"),
			url.MustParse("z39.50s://h/db;query=" + strings.Repeat("x", 1<<17)),
			url.MustParse("z39.50s://h/db;query="),
			url.MustParse("z39.50s://h/db;query=@and%20a"),
			url.MustParse("z39.50s://h/db;query=a;sort=nosuch"),
			url.MustParse("z39.50s://h/db;query=a;rs=nosuch"),
			url.MustParse("z39.50r://h/db"),
			url.MustParse("z39.50r://h/db?"),
		},
		Secret: url.MustParse("z39.50s://u:sesame@h/db"),
	})
}

func TestConnection(t *testing.T) {
	for _, u := range []string{"z39.50s://h/", "z39.50s://h/d", "z39.50s://h/d;query=words", "z39.50r://h/d?x", "z39.50s://h/d;scan=a"} {
		wiretest.Test(t, wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
			c := z3950.Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}})
	}
	for _, greeting := range []string{"\xb5\x83\x01\x00\x00", "\xb5\x80"} { // the length is known, or not
		wiretest.TestDrip(t, wiretest.Engine{Answers: true, Greeting: greeting, Drip: "\x81\x01\x00", Open: func(ctx context.Context, d wire.Dialer) error {
			_, err := z3950.Client{Dial: d.Dial, Idle: d.Idle}.Do(ctx, &access.Request{URL: url.MustParse("z39.50s://h/d;query=words")})
			return err
		}})
	}
}

// scripted is a server that accepts, and then answers each request with the next of some
// answers; after the last one it closes.
func scripted(answers ...string) accesstest.Script {
	n := -1
	return answering(func(m ber.Element) string {
		if m.Tag == 20 {
			return accepts(7, 8)
		}
		if n++; n < len(answers) {
			return answers[n]
		}
		return ""
	})
}

// fetch opens a URL, and reads all of it.
func fetch(ctx context.Context, c access.Engine, u string) (string, error) {
	r, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

// Invalid replies are errors.
func TestHostileAnswers(t *testing.T) {
	deep := strings.Repeat("\x30\x80", 300) + strings.Repeat("\x00\x00", 300)
	closes := func(reason int64) string {
		return build(48, func(b *ber.Builder) {
			b.Int(211, reason)
			b.Text(3, "bye")
		})
	}
	for _, c := range []struct {
		name    string
		answers []string
		want    error
	}{
		{"nothing", nil, io.ErrUnexpectedEOF},
		{"half a header", []string{"\xb7\x84\x00"}, io.ErrUnexpectedEOF},
		{"half a message", []string{found(1)[:9]}, io.ErrUnexpectedEOF},
		{"2 GB", []string{"\xb7\x84\x7f\xff\xff\xff"}, access.ErrTooLong},
		{"a length of 5 bytes", []string{"\xb7\x85\x00\x00\x00\x00\x00"}, access.ErrProtocol},
		{"another message", []string{accepts()}, access.ErrProtocol},
		{"text", []string{"HTTP/1.0 400 Bad Request\r\n\r\n"}, access.ErrProtocol},
		{"nested too deep", []string{"\xb7\x80" + deep + "\x00\x00"}, access.ErrProtocol},
		{"a primitive", []string{"\x97\x01a"}, access.ErrProtocol},
		{"a negative count", []string{found(-1)}, access.ErrProtocol},
		{"a huge number", []string{build(23, func(b *ber.Builder) { b.Text(23, "123456789") })}, access.ErrProtocol},
		{"no records", []string{found(1), presented()}, access.ErrProtocol},
		{"a record of nothing", []string{found(1), presented(func(*ber.Builder) {})}, access.ErrProtocol},
		{"a fragment", []string{found(1), presented(func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) { b.In(3, func(b *ber.Builder) { b.Text(4, "x") }) })
		})}, access.ErrProtocol},
		{"a record beyond the message", []string{found(1), build(25, func(b *ber.Builder) {
			b.In(28, func(b *ber.Builder) { b.Raw([]byte("\x30\x7fshort")) })
		})}, access.ErrProtocol},
		{"a diagnostic of nothing", []string{build(23, func(b *ber.Builder) { b.In(130, func(*ber.Builder) {}) })}, access.ErrProtocol},
		{"many diagnostics, none", []string{build(23, func(b *ber.Builder) { b.In(205, func(*ber.Builder) {}) })}, access.ErrProtocol},
		{"an object identifier that ends early", []string{found(1), presented(func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.In(1, func(b *ber.Builder) {
					b.Constructed(ber.Universal, 8, func(b *ber.Builder) { b.Primitive(ber.Universal, 6, []byte{0x80}) })
				})
			})
		})}, access.ErrProtocol},
		{"GRS-1 nested too deep", []string{found(1), presented(external(grs1, func(b *ber.Builder) {
			b.In(0, func(b *ber.Builder) { nestGRS(b, 50) })
		}))}, access.ErrProtocol},
		{"no database", []string{refused(109, "db")}, fs.ErrNotExist},
		{"denied", []string{refused(236, "db")}, fs.ErrPermission},
		{"later", []string{refused(2, "")}, access.ErrTemporary},
		{"broken", []string{refused(1, "")}, access.ErrServer},
		{"gone", []string{found(1), presented(instead(1029))}, fs.ErrNotExist},
		{"not authorized", []string{found(1), notPresented(15)}, fs.ErrPermission},
		{"it shuts down", []string{closes(1)}, access.ErrTemporary},
		{"a security violation", []string{closes(5)}, fs.ErrPermission},
		{"our fault", []string{closes(6)}, access.ErrProtocol},
		{"access control", []string{build(28, func(b *ber.Builder) { b.Text(37, "?") })}, errors.ErrUnsupported},
		{"a record", []string{found(1), presented(plain("x"))}, nil},
		{"an unknown syntax", []string{found(1), presented(octets("1.2.3", "x"))}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := accesstest.ServeAll(t, scripted(c.answers...))
			_, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
			if !errors.Is(err, c.want) || err != nil && !strings.HasPrefix(err.Error(), "open z39.50r://h/db?x: ") {
				t.Errorf("the client says %v, want %v", err, c.want)
			}
		})
	}
}

// scanned is a scan response with diagnostics.
func scanned(diagnostics func(*ber.Builder)) string {
	return build(36, func(b *ber.Builder) {
		b.Int(4, 6)
		b.Int(5, 0)
		b.In(7, func(b *ber.Builder) { b.In(2, diagnostics) })
	})
}

// The diagnostics of a scan are errors, also those that have no form.
func TestScanDiagnostics(t *testing.T) {
	diagnostic := func(condition int64) func(*ber.Builder) {
		return func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) {
				b.OID("1.2.840.10003.4.1")
				b.Integer(condition)
			})
		}
	}
	for _, c := range []struct {
		name        string
		diagnostics func(*ber.Builder)
		want        error
	}{
		{"none", func(*ber.Builder) {}, access.ErrProtocol},
		{"an empty one", func(b *ber.Builder) { b.Sequence(func(*ber.Builder) {}) }, access.ErrProtocol},
		{"a condition that is too long", func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) { b.Primitive(ber.Universal, ber.TagInteger, make([]byte, 9)) })
		}, access.ErrProtocol},
		{"no database", diagnostic(109), fs.ErrNotExist},
		{"the end of the index", diagnostic(241), nil},
	} {
		server := accesstest.ServeAll(t, scripted(scanned(c.diagnostics), scanned(c.diagnostics), scanned(c.diagnostics)))
		list, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;scan=x")
		if !errors.Is(err, c.want) || c.want == nil && list != "" {
			t.Errorf("%s: %q, %v, want %v", c.name, list, err, c.want)
		}
	}
}

// The descriptions of databases are no more than fit into a record.
func TestDatabasesAreBounded(t *testing.T) {
	const databases, size = 200, 200 << 10
	described := external("1.2.840.10003.5.100", func(b *ber.Builder) {
		b.In(0, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.Text(1, "books")
				b.In(9, func(b *ber.Builder) { b.Sequence(func(b *ber.Builder) { b.Text(1, strings.Repeat("x", size)) }) })
			})
		})
	})
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(databases)
		}
		return presented(slices.Repeat([]func(*ber.Builder){described}, int(number(m, 29)))...)
	}))
	if list, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/"); !errors.Is(err, access.ErrTooLong) {
		t.Errorf("%d descriptions of %d bytes make a list of %d bytes, %v", databases, size, len(list), err)
	}
}

// nestGRS writes a GRS-1 record with elements in one another.
func nestGRS(b *ber.Builder, depth int) {
	b.Sequence(func(b *ber.Builder) {
		b.Sequence(func(b *ber.Builder) {
			b.Int(1, 2)
			b.In(2, func(b *ber.Builder) { b.Integer(1) })
			b.In(4, func(b *ber.Builder) {
				if depth == 0 {
					b.Primitive(ber.Universal, ber.TagGeneral, []byte("x"))
					return
				}
				b.In(6, func(b *ber.Builder) { nestGRS(b, depth-1) })
			})
		})
	})
}

// A message costs what arrives, and not what its header claims.
func TestClaimsCostNothing(t *testing.T) {
	server := accesstest.ServeAll(t, scripted("\xb7\x84\x00\xff\xff\xff"+"short"))
	var before, after runtime.MemStats
	const times = 30
	runtime.ReadMemStats(&before)
	for range times {
		if _, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x"); err == nil {
			t.Fatal("a message that breaks off is no error")
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 128<<10 {
		t.Errorf("a claim of 16 MB costs %d bytes", each)
	}
}

// A syntax that the server lacks is not asked for again: the next one is.
func TestSyntaxFallback(t *testing.T) {
	for name, refusal := range map[string]string{"for all": notPresented(239), "for each": presented(instead(238))} {
		var asked []string
		server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
			switch m.Tag {
			case 20:
				return accepts()
			case 22:
				return found(1)
			case 48:
				return ""
			}
			syntax, _ := m.Find(104)
			oid, _ := syntax.OID()
			asked = append(asked, oid)
			if oid == sutrs {
				return presented(plain("hello"))
			}
			return refusal
		}))
		got, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
		if want := usmarc + " 1.2.840.10003.5.1 " + xmlOID + " " + sutrs; got != "hello" || err != nil || strings.Join(asked, " ") != want {
			t.Errorf("%s: %q, %v, after %q, want %q", name, got, err, asked, want)
		}
		asked = nil
		_, err = fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x;rs=grs-1+usmarc")
		if !errors.Is(err, errors.ErrUnsupported) || strings.Join(asked, " ") != grs1+" "+usmarc {
			t.Errorf("%s: syntaxes of the URL: %v, after %q", name, err, asked)
		}
		asked = nil
		c := z3950.Client{Dial: server.Dial, Syntaxes: []string{"xml", "text"}}
		if got, err := fetch(t.Context(), c, "z39.50r://h/db?x"); got != "hello" || err != nil || strings.Join(asked, " ") != xmlOID+" "+sutrs {
			t.Errorf("%s: syntaxes of the client: %q, %v, after %q", name, got, err, asked)
		}
	}
}

// An element set is named if the server wants one.
func TestElementSet(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(1)
		}
		composition, ok := m.Find(19)
		if !ok {
			return notPresented(25)
		}
		return presented(plain("set " + mustFirst(composition).Text()))
	}))
	for u, want := range map[string]string{"z39.50r://h/db?x": "set F", "z39.50r://h/db?x;esn=B": "set B"} {
		if got, err := fetch(t.Context(), client(server.Dial), u); got != want || err != nil {
			t.Errorf("%s is %q, %v, want %q", u, got, err, want)
		}
	}
}

func mustFirst(e ber.Element) ber.Element {
	first, _ := e.First()
	return first
}

// Words are searched for everywhere, and otherwise if the server cannot do that.
func TestWordsFallback(t *testing.T) {
	searches := 0
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			if searches++; searches < 3 {
				return refused(114, "1016")
			}
			return found(0)
		}
		return ""
	}))
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=a%20b"); err != nil || searches != 3 {
		t.Errorf("%v after %d searches, want 3", err, searches)
	}
	searches = -99
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=a"); err == nil || !strings.Contains(err.Error(), "114 unsupported use attribute: 1016") {
		t.Errorf("if nothing works: %v", err)
	}
	searches = -99
	if _, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;query=@attr%201=4%20a"); err == nil || searches != -98 {
		t.Errorf("PQF: %v after %d searches, want 1", err, searches+99)
	}
}

// A million records are listed in windows, and only those in a window are in memory.
func TestMillion(t *testing.T) {
	const hits = 1_000_000
	var largest int64
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(hits)
		}
		start, count := number(m, 30), number(m, 29)
		largest = max(largest, count)
		records := make([]func(*ber.Builder), count)
		for i := range records {
			records[i] = plain(fmt.Sprint("record ", start+int64(i)))
		}
		return presented(records...)
	}))
	c := z3950.Client{Dial: server.Dial, MaxHits: hits}
	total := int64(hits)
	if testing.Short() {
		total = 10_000
	}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50s://h/db;query=x")})
	if err != nil || r.Sys.(*z3950.Results).Hits != hits {
		t.Fatalf("%+v, %v", r, err)
	}
	defer r.Body.Close()
	const checked = 30_000 // enough for many windows
	var peak runtime.MemStats
	for i := range min(total, checked) {
		e, err := r.List.Next()
		if want := fmt.Sprint("record ", i+1); err != nil || e.Title != want {
			t.Fatalf("entry %d is %q, %v", i, e.Title, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&peak)
	if peak.HeapAlloc > 64<<20 || largest > 1000 {
		t.Errorf("%d bytes in memory, and windows of %d records", peak.HeapAlloc, largest)
	}
}

// A list has as many records as wanted, and a link to where it goes on.
func TestPages(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(12)
		}
		start, count := number(m, 30), number(m, 29)
		records := make([]func(*ber.Builder), count)
		for i := range records {
			records[i] = plain(fmt.Sprint("record ", start+int64(i)))
		}
		return presented(records...)
	}))
	c := z3950.Client{Dial: server.Dial, MaxHits: 5}
	u := url.MustParse("z39.50s://h/db;query=x;sort=;esn=F")
	var titles []string
	for pages := 1; pages <= 3; pages++ {
		entries, _, err := list(t.Context(), c, u)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			titles = append(titles, e.Title)
			if more, ok := e.Sys.(*z3950.More); ok {
				u = more.Next
			}
		}
	}
	want := "record 1|record 2|record 3|record 4|record 5|More: these are records 1 to 5 of 12.|" +
		"record 6|record 7|record 8|record 9|record 10|More: these are records 6 to 10 of 12.|record 11|record 12"
	if got := strings.Join(titles, "|"); got != want || u.String() != "z39.50s://h/db;query=x;from=11;esn=F" {
		t.Errorf("the pages are %q, the last at %s", got, u)
	}
	if entries, _, err := list(t.Context(), c, url.MustParse("z39.50s://h/db;query=x;from=99")); err != nil || len(entries) != 0 {
		t.Errorf("a page after the end: %+v, %v", entries, err)
	}
}

// A connection that ends between two windows is made anew, and the search with it; but
// not if the search finds something else then.
func TestResumes(t *testing.T) {
	for _, c := range []struct {
		name  string
		hits  func(dialed int) int64
		wants error
	}{
		{"the same", func(int) int64 { return 50 }, nil},
		{"changed", func(dialed int) int64 { return 50 - int64(dialed) }, access.ErrChanged},
	} {
		dialed := 0
		server := accesstest.ServeAll(t, accesstest.Script{func(conn *accesstest.Conn) error {
			dialed++
			presents := 0
			return answering(func(m ber.Element) string {
				switch m.Tag {
				case 20:
					return accepts()
				case 22:
					return found(c.hits(dialed))
				}
				if presents++; presents > 1 {
					return ""
				}
				return presented(sevenTimes(number(m, 29))...)
			})[0](conn)
		}})
		entries, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x"))
		if !errors.Is(err, c.wants) || c.wants == nil && (len(entries) != 50 || dialed != 2) {
			t.Errorf("%s: %d entries, %v, over %d connections", c.name, len(entries), err, dialed)
		}
	}
}

// A server may send fewer records than asked for, and none of them too many.
func TestPartial(t *testing.T) {
	server := accesstest.ServeAll(t, scripted(found(3), presented(plain("a")), presented(plain("b"), instead(14))))
	entries, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x"))
	if err != nil || len(entries) != 3 || entries[2].Kind != access.Failure || entries[2].Title != "system error while presenting records" {
		t.Errorf("%+v, %v", entries, err)
	}
	server = accesstest.ServeAll(t, scripted(found(1), presented(plain("a"), plain("b"))))
	if _, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x")); !errors.Is(err, access.ErrProtocol) {
		t.Errorf("two records instead of one: %v", err)
	}
}

// A docid names one record.
func TestAmbiguous(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		if m.Tag == 20 {
			return accepts()
		}
		return found(2)
	}))
	_, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
	if err == nil || !strings.Contains(err.Error(), "2 records have the docid") {
		t.Errorf("two records with a docid: %v", err)
	}
}

// A login is sent as idPass, and then as open.
func TestLogin(t *testing.T) {
	var logins []string
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		if m.Tag != 20 {
			return found(0)
		}
		id, _ := m.Find(7)
		form := mustFirst(id)
		if form.IsUniversal(ber.TagVisible) {
			logins = append(logins, form.Text())
			return accepts()
		}
		user, _ := form.Find(1)
		password, _ := form.Find(2)
		logins = append(logins, user.Text()+" "+password.Text())
		return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
	}))
	_, err := fetch(t.Context(), client(server.Dial), "z39.50s://ada:sesame@h/db;query=x")
	if err != nil || strings.Join(logins, ",") != "ada sesame,ada/sesame" {
		t.Errorf("%v after the logins %q", err, logins)
	}
}

// A server that lets nobody in wants a login, or does not accept the one that it got. The
// error has one line.
func TestLoginRefused(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(ber.Element) string {
		return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
	}))
	for _, tt := range []struct {
		url, want string
		isLogin   bool // access.ErrLogin
	}{
		{"z39.50s://h/db;query=x", "open z39.50s://h/db;query=x: the server refuses the session: it wants a login", false},
		{"z39.50s://ada:no@h/db;query=x", "open z39.50s://ada:xxxxx@h/db;query=x: the server refuses the session", true},
	} {
		_, err := fetch(t.Context(), client(server.Dial), tt.url)
		if !errors.Is(err, access.ErrPassword) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, access.ErrLogin) != tt.isLogin || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.url, err, tt.want)
		}
	}
}

// The URLs in a list have the user and no password, as those of ftp.
func TestListsHaveNoPassword(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{func(c *accesstest.Conn) error {
		return answering(func(m ber.Element) string {
			switch m.Tag {
			case 20:
				return accepts()
			case 22:
				return found(100)
			case 24:
				return presented(sevenTimes(number(m, 29))...)
			}
			return ""
		})[0](c)
	}})
	c := z3950.Client{Dial: server.Dial, MaxHits: 3}
	for _, path := range []string{"db", "db;query=x"} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50s://ada:sesame@h/" + path)})
		if err != nil {
			t.Fatal(err)
		}
		list, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(list), "//ada@h/db") || strings.Contains(string(list), "sesame") {
			t.Errorf("the list of %s is %q, %v", path, list, err)
		}
	}
}

// A URL of another scheme is refused, and nothing is dialled.
func TestOtherScheme(t *testing.T) {
	_, err := z3950.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50://h/")})
	if !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Do of another scheme = %v, want access.ErrNoScheme", err)
	}
}

// TLS cannot be had.
func TestRequireTLS(t *testing.T) {
	c := z3950.Client{Dial: new(net.Dialer).DialContext, Security: access.RequireTLS}
	if _, err := fetch(t.Context(), c, "z39.50s://h/db"); !errors.Is(err, wire.ErrNoTLS) {
		t.Errorf("with TLS required: %v", err)
	}
}

func FuzzDecodeRecord(f *testing.F) {
	accesstest.Fuzz(f, client, url.MustParse("z39.50r://h/db?x"),
		[2]string{accepts() + found(1) + presented(plain("x"))},
		[2]string{accepts() + found(1) + presented(octets(usmarc, "00026nam  2200025   4500\x1e\x1d"))},
		[2]string{accepts() + refused(109, "x")},
		[2]string{"\xb5\x80\x8c\x01\xff\x00\x00" + found(1) + notPresented(238)},
		[2]string{accepts() + found(1) + presented(external(grs1, func(b *ber.Builder) { b.In(0, func(b *ber.Builder) { nestGRS(b, 3) }) }))},
	)
}

func FuzzDecodeList(f *testing.F) {
	accesstest.Fuzz(f, client, url.MustParse("z39.50s://h/db;query=x"),
		[2]string{accepts(7, 8, 14) + found(3) + presented(octets(xmlOID, "<a><title>x</title></a>"), plain("y"), instead(14)), accepts()},
		[2]string{accepts() + found(3) + presented(instead(238)), ""},
	)
}

func FuzzDecodeScan(f *testing.F) {
	terms := build(36, func(b *ber.Builder) {
		b.Int(4, 0)
		b.In(7, func(b *ber.Builder) {
			b.In(1, func(b *ber.Builder) {
				b.In(1, func(b *ber.Builder) {
					b.Text(45, "a")
					b.Text(0, "A")
					b.Int(2, 7)
				})
			})
		})
	})
	accesstest.Fuzz(f, client, url.MustParse("z39.50s://h/db;scan=x"), [2]string{accepts(7) + terms + terms}, [2]string{accepts(7) + terms[:9]},
		[2]string{accepts(7) + scanned(func(b *ber.Builder) { b.Sequence(func(b *ber.Builder) { b.Integer(109) }) })})
}

func FuzzDecodeDatabases(f *testing.F) {
	explain := external("1.2.840.10003.5.100", func(b *ber.Builder) {
		b.In(0, func(b *ber.Builder) { b.In(1, func(b *ber.Builder) { b.Text(1, "books") }) })
	})
	accesstest.Fuzz(f, client, url.MustParse("z39.50s://h/"), [2]string{accepts() + found(1) + presented(explain)},
		[2]string{accepts() + found(2) + presented(octets(xmlOID, "<explain><databaseInfo><name>books</name></databaseInfo></explain>"), instead(14))})
}
