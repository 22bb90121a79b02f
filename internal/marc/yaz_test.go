package marc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"locus/internal/marc"
	"locus/internal/peers"
)

// raw returns a record of MARC 21. Each field consists of its tag and its bytes.
func raw(coding byte, fields ...string) []byte {
	return rawRecord(coding, "4500", fields...)
}

// rawUNIMARC returns a record of UNIMARC.
func rawUNIMARC(fields ...string) []byte {
	return rawRecord(' ', "450 ", fields...)
}

func rawRecord(coding byte, entryMap string, fields ...string) []byte {
	directory, data := "", ""
	for _, f := range fields {
		directory += fmt.Sprintf("%s%04d%05d", f[:3], len(f)-2, len(data))
		data += f[3:] + "\x1e"
	}
	base := 24 + len(directory) + 1
	leader := fmt.Sprintf("%05dnam %c22%05d   %s", base+len(data)+1, coding, base, entryMap)
	return []byte(leader + directory + "\x1e" + data + "\x1d")
}

// yazXML returns the output of yaz-marcdump for records, as MARCXML in the normal form (NFC) of
// package marc.
func yazXML(t *testing.T, charset string, records []byte, more ...string) string {
	t.Helper()
	file := filepath.Join(peers.Shared(t), "records.mrc")
	if err := os.WriteFile(file, records, 0o644); err != nil { //nolint:gosec // the account of the peers reads it
		t.Fatal(err)
	}
	got, err := peers.YazMarcdump(t, append(more, "-f", charset, "-t", "utf-8", "-o", "marcxml", file)...)
	if err != nil {
		t.Fatal(err)
	}
	return norm.NFC.String(got)
}

// ourXML returns a MARCXML document of the records in records.
func ourXML(t *testing.T, records []byte) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(marc.CollectionStart)
	for r, err := range marc.Read(strings.NewReader(string(records))) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			t.Errorf("problem: %s", p)
		}
		b.Write(r.ElementXML())
	}
	b.WriteString(marc.CollectionEnd)
	return norm.NFC.String(b.String())
}

// sameXML compares line by line.
func sameXML(t *testing.T, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(a) != len(b) {
		t.Errorf("%d lines of XML, yaz-marcdump has %d", len(a), len(b))
	}
	for i, wrong := 0, 0; i < min(len(a), len(b)) && wrong < 20; i++ {
		if a[i] != b[i] {
			t.Errorf("line %d: %q, yaz-marcdump has %q", i+1, a[i], b[i])
			wrong++
		}
	}
}

// The text of typical MARC-8 records is the same as in yaz-marcdump.
func TestLikeYaz(t *testing.T) {
	records := []string{
		"plain", "", "a & b < c > d \"e\"", " two  blanks ",
		"\xe2e \xe1a \xe8u \xf0c \xe4n \xeaA",              // é à ü ç ñ Å
		"\xe3\xe2a \xf2\xe3o \xe5\xe8u",                    // two marks
		"\xebt\xecs \xebi\xeca \xfan\xfbg",                 // marks over two letters
		"\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xb1\xb5\xc0\xc1\xc7", // Ł Ø Đ …
		"H\x1bb2\x1bsO, E=mc\x1bp2\x1bs, \x1bga\x1bs-rays", // subscript, superscript, Greek symbol
		"\x1b(N\x77OJNA I MIR\x1b(B / Tolstoy",             // Cyrillic
		"\x1b(N\x1b)QABC\xc0\xc1\x1b(B\x1b)!E \xe2e",       // Cyrillic in both
		"\x1b(2`abc\x1b(B Hebrew",                          // Hebrew
		"\x1b(2@a\x41b\x1b(B points",                       // Hebrew with points
		"\x1b(3GdeHT\x1b(B Arabic",                         // Arabic
		"\x1b(3kG\x6cd\x1b(B marks",                        // Arabic with marks
		"\x1b(3G\x1b(4!\"#\x1b(B",                          // Extended Arabic
		"\x1b(SabcDEF\x22a\x1b(B Greek",                    // Greek
		"\x1b$1!0!!0#!B>\x1b(B / Li",                       // East Asian
		"\x1b$1!0! !0#\x1b(B",                              // with a blank
		"\x1b$,1!0!\x1b,B \x1b-N\xc1\xc2",                  // other forms of escape sequences
		"nonsort: \xe2E \xf0s",
	}
	var file []byte
	for i, text := range records {
		file = append(file, raw(' ', fmt.Sprintf("001%d", i), "24510\x1fa"+text+"\x1fcend")...)
	}
	sameXML(t, ourXML(t, file), yazXML(t, "marc-8", file))
}

// Every code of ISO 5426, in a UNIMARC record, has the same text as in yaz-marcdump.
func TestISO5426LikeYaz(t *testing.T) {
	field := "2001 "
	for c := byte('!'); c <= '~'; c++ {
		if marc.HasCode('P', uint32(c)) && c != 0x5e && c != 0x5f { // the second halves of marks over two letters
			field += "\x1fa" + string([]byte{c | 0x80, 'o'})
		}
	}
	file := rawUNIMARC("100  \x1fa19900101d1844    m  y0frey0103    ba", field, "300  \x1faplain")
	sameXML(t, ourXML(t, file), yazXML(t, "iso5426", file, "-l", "9=32"))
}

// Every code of every set has the same text as in yaz-marcdump.
func TestEveryCodeLikeYaz(t *testing.T) {
	for _, set := range []string{"(B", ")!E", "(N", "(Q", "(3", "(4", "(2", "(S", "g", "b", "p"} {
		t.Run(set, func(t *testing.T) {
			high := byte(0)
			if set[0] == ')' {
				high = 0x80
			}
			field := "24510"
			for c := byte('!'); c <= '~'; c++ {
				if marc.HasCode(set[len(set)-1], uint32(c)) && !(set == ")!E" && (c == 0x6c || c == 0x7b)) {
					field += "\x1fa\x1b" + set + string([]byte{c | high, ' '})
				}
			}
			file := raw(' ', field)
			sameXML(t, ourXML(t, file), yazXML(t, "marc-8", file))
		})
	}
	t.Run("$1", func(t *testing.T) {
		var file []byte
		field := ""
		flush := func() {
			if field != "" {
				file = append(file, raw(' ', "24510"+field)...)
			}
			field = ""
		}
		n := 0
		for code := uint32(0x212121); code <= 0x7e7e7e; code++ {
			if marc.HasCode('1', code) {
				field += "\x1fa\x1b$1" + string([]byte{byte(code >> 16), byte(code >> 8), byte(code)})
				n++
			}
			if len(field) > 9000 {
				flush()
			}
		}
		flush()
		if n < 15000 {
			t.Fatalf("the East Asian set has %d codes", n)
		}
		sameXML(t, ourXML(t, file), yazXML(t, "marc-8", file))
	})
}
