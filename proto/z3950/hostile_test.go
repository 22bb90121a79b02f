package z3950_test

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/ber"
	"locus/url"
)

// Invalid replies are errors.
func TestHostileAnswers(t *testing.T) {
	deep := strings.Repeat("\x30\x80", 300) + strings.Repeat("\x00\x00", 300)
	closes := func(reason int64) string {
		return build(48, func(b *ber.Builder) {
			b.Int(211, reason)
			b.Text(3, "bye")
		})
	}
	for _, test := range []struct {
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
		{"an unknown syntax", []string{found(1), presented(rawBytes("1.2.3", "x"))}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := accesstest.ServeAll(t, scripted(test.answers...))
			_, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
			if !errors.Is(err, test.want) || err != nil && !strings.HasPrefix(err.Error(), "open z39.50r://h/db?x: ") {
				t.Errorf("the client says %v, want %v", err, test.want)
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

// The diagnostics of a scan are errors, even if they are malformed.
func TestScanDiagnostics(t *testing.T) {
	diagnostic := func(condition int64) func(*ber.Builder) {
		return func(b *ber.Builder) {
			b.Sequence(func(b *ber.Builder) {
				b.OID("1.2.840.10003.4.1")
				b.Integer(condition)
			})
		}
	}
	for _, test := range []struct {
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
		server := accesstest.ServeAll(t, scripted(scanned(test.diagnostics), scanned(test.diagnostics), scanned(test.diagnostics)))
		list, err := fetch(t.Context(), client(server.Dial), "z39.50s://h/db;scan=x")
		if !errors.Is(err, test.want) || test.want == nil && list != "" {
			t.Errorf("%s: %q, %v, want %v", test.name, list, err, test.want)
		}
	}
}

// The descriptions of all databases together are no longer than the largest record.
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

// nestGRS writes a GRS-1 record with nested elements.
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

// A message takes as much memory as has arrived, whatever length its header claims.
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

func FuzzDecodeRecord(f *testing.F) {
	accesstest.Fuzz(f, client, url.MustParse("z39.50r://h/db?x"),
		[2]string{accepts() + found(1) + presented(plain("x"))},
		[2]string{accepts() + found(1) + presented(rawBytes(usmarc, "00026nam  2200025   4500\x1e\x1d"))},
		[2]string{accepts() + refused(109, "x")},
		[2]string{"\xb5\x80\x8c\x01\xff\x00\x00" + found(1) + notPresented(238)},
		[2]string{accepts() + found(1) + presented(external(grs1, func(b *ber.Builder) { b.In(0, func(b *ber.Builder) { nestGRS(b, 3) }) }))},
	)
}

func FuzzDecodeList(f *testing.F) {
	accesstest.Fuzz(f, client, url.MustParse("z39.50s://h/db;query=x"),
		[2]string{accepts(7, 8, 14) + found(3) + presented(rawBytes(xmlOID, "<a><title>x</title></a>"), plain("y"), instead(14)), accepts()},
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
		[2]string{accepts() + found(2) + presented(rawBytes(xmlOID, "<explain><databaseInfo><name>books</name></databaseInfo></explain>"), instead(14))})
}
