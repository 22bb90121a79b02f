//go:build codetables

package marc

import (
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var (
	folder = flag.String("codetables", "", "the `folder` of codetables.xml and codetables-iso5426.xml")
	update = flag.Bool("u", false, "write tables.txt")
)

// TestTables compares tables.txt with its sources, or with -u writes it:
//
//	apt-get source yaz
//	go test -tags codetables ./marc -run TestTables -u -codetables yaz-5.34.0/src
//
// codetables.xml is the Library of Congress's table of MARC-8. The table of ISO 5426 was made
// from the description that the German National Library publishes.
func TestTables(t *testing.T) {
	codes := readCodes(t, "codetables.xml", nil)
	codes = append(codes, readCodes(t, "codetables-iso5426.xml", map[string]string{"45": "P"})...)
	text := header + formatCodes(codes)
	if *update {
		if err := os.WriteFile("tables.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if tablesText != text && !*update {
		t.Error("tables.txt is not made of the sources: run with -u")
	}
}

const header = `# Made by TestTables of generate_test.go. Do not edit.
`

// A code is a line of a table.
type code struct {
	set    string
	marc   uint32
	text   string
	isRune bool // text is one character that may be part of a run
}

// readCodes reads the sets of a file. names maps the names of the sets to letters. If it is
// nil, readCodes reads all sets, and the letter is the character of the ISO code.
func readCodes(t *testing.T, file string, names map[string]string) []code {
	b, err := os.ReadFile(filepath.Join(*folder, file))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Sets []struct {
			ISO    string    `xml:"ISOcode,attr"`
			Codes  []xmlCode `xml:"code"`
			Groups []xmlCode `xml:"grouping>code"`
		} `xml:"codeTable>characterSet"`
	}
	if err := xml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	var codes []code
	for _, s := range doc.Sets {
		iso, err := strconv.ParseUint(s.ISO, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		name := string(rune(iso))
		if names != nil {
			name = names[s.ISO]
		}
		for _, c := range slices.Concat(s.Codes, s.Groups) {
			if made, ok := c.code(t, name); ok {
				codes = append(codes, made)
			}
		}
	}
	slices.SortStableFunc(codes, func(a, b code) int {
		if a.set != b.set {
			return strings.Compare(a.set, b.set)
		}
		return int(a.marc) - int(b.marc)
	})
	return codes
}

type xmlCode struct {
	MARC      string `xml:"marc"`
	UCS       string `xml:"ucs"`
	Combining bool   `xml:"isCombining"`
}

// code returns the line for a code. Controls and spaces, which are the same in all sets, have
// no line.
func (c xmlCode) code(t *testing.T, set string) (code, bool) {
	marc, err := strconv.ParseUint(strings.TrimSpace(c.MARC), 16, 24)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	made := code{set: set, marc: uint32(marc)}
	if marc <= 0xff {
		if set == "" || marc <= ' ' || marc >= 0x80 && marc <= 0xa0 {
			return code{}, false
		}
		made.marc &= 0x7f
	}
	if strings.TrimSpace(c.UCS) == "" {
		made.text = "-"
		return made, true
	}
	x, err := strconv.ParseUint(strings.TrimSpace(c.UCS), 16, 21)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	switch r := rune(x); {
	case c.Combining:
		made.text = fmt.Sprintf("C+%04X", r)
	case !unicode.IsPrint(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Co, r) || strings.ContainsRune("-#", r):
		made.text = fmt.Sprintf("U+%04X", r)
	default:
		made.text, made.isRune = string(r), true
	}
	return made, true
}

// formatCodes writes runs of consecutive codes.
func formatCodes(codes []code) string {
	var b strings.Builder
	for i, c := range codes {
		if i > 0 {
			last := codes[i-1]
			if last.set == c.set && last.marc+1 == c.marc && last.isRune && c.isRune {
				b.WriteString(c.text)
				continue
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s %X %s", c.set, c.marc, c.text)
	}
	b.WriteByte('\n')
	return b.String()
}
