package imapwire

import (
	"fmt"
	"strings"
	"testing"
)

// show formats values: strings in quotation marks, lists in parentheses.
func show(values []Value) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case v.List != nil:
			b.WriteString("(" + show(v.List) + ")")
		case v.IsAtom:
			b.WriteString(v.Text)
		default:
			fmt.Fprintf(&b, "%q", v.Text)
		}
	}
	return b.String()
}

func TestParseValues(t *testing.T) {
	deep := strings.Repeat("(", maxDepth)
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{"", "", true},
		{`LIST (\Noselect) "/" ~a`, `LIST (\Noselect) "/" ~a`, true},
		{`1 FETCH (A "b\"\\c" B () C NIL)`, `1 FETCH (A "b\"\\c" B () C NIL)`, true},
		{"X {3}\r\na) (B", `X "a) " (B)`, false},
		{"X ({3}\r\na)  B)", `X ("a) " B)`, true},
		{"X {0}\r\n", `X ""`, true},
		{`(BODY[HEADER.FIELDS ("A" B)]<0> "x"y)`, `(BODY[HEADER.FIELDS ("A" B)]<0> "x" y)`, true},
		{"a]b[c", "a]b[c", true},
		{"X {4}\r\nabc", "", false},
		{"X {x}\r\nabc", "", false},
		{"a{3}\r\nabc", `a "abc"`, true},
		{`"a`, "", false},
		{"(a", "", false},
		{"a)", "", false},
		{deep + strings.Repeat(")", maxDepth), deep + strings.Repeat(")", maxDepth), true},
		{"(" + deep + strings.Repeat(")", maxDepth+1), "", false},
	} {
		got, err := ParseValues(test.text)
		if (err == nil) != test.ok || test.ok && show(got) != test.want {
			t.Errorf("ParseValues(%q) = %s, %v, want %s, success %v", test.text, show(got), err, test.want, test.ok)
		}
	}
}

func TestParseRow(t *testing.T) {
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{`* 12 FETCH (UID 20 RFC822.SIZE 44 INTERNALDATE " 7-Nov-2026 10:20:30 +0100" BODY[X] "hi")`, "20 44 2026-11-07T09:20:30 hi true", true},
		{"* 12 fetch (body[1.MIME]<0> {2}\r\nhi uid 1)", "1 -1 0001-01-01T00:00:00 hi true", true},
		{"* 12 FETCH (UID 4294967296 RFC822.SIZE -1 INTERNALDATE x BODY[] NIL BODY (a))", "0 -1 0001-01-01T00:00:00  false", true},
		{"* 12 FETCH (UID)", "0 -1 0001-01-01T00:00:00  false", true},
		{"* 12 FETCH UID", "0 -1 0001-01-01T00:00:00  false", true},
		{"* 12 EXISTS", "", false},
		{"* 12 FETCH (", "", false},
		{"L1 OK", "", false},
	} {
		row, ok := ParseRow(test.text)
		got := fmt.Sprintf("%d %d %s %s %v", row.UID, row.Size, row.Date.UTC().Format("2006-01-02T15:04:05"), row.Bytes, row.HasBytes)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("ParseRow(%q) = %s, %v, want %s, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}

// A set is asked for only if the server has sets, and is checked.
func TestSearchSet(t *testing.T) {
	for _, test := range []struct {
		capability, says, want string
		ok                     bool
	}{
		{"", "* SEARCH 1 7\r\nL1 OK\r\n", "1,7", true},
		{"", "L1 OK\r\n", "", true},
		{"ESEARCH", "* 3 EXISTS\r\n* ESEARCH (TAG \"L1\") UID ALL 1:3,7\r\nL1 OK\r\n", "1:3,7", true},
		{"ESEARCH", "* ESEARCH (TAG \"L1\") UID\r\nL1 OK\r\n", "", true},
		{"ESEARCH", "* ESEARCH UID ALL\r\nL1 OK\r\n", "", true},
		{"ESEARCH", "* ESEARCH UID ALL 1;2\r\nL1 OK\r\n", "", false},
		{"ESEARCH", "L1 NO x\r\n", "", false},
	} {
		c, _ := connTo(test.says)
		c.capabilities = []string{test.capability}
		if got, err := c.SearchSet(Plain("ALL")); got != test.want || (err == nil) != test.ok {
			t.Errorf("SearchSet with %q after %q = %q, %v, want %q, success %v", test.capability, test.says, got, err, test.want, test.ok)
		}
	}
}

// The values that ParseValues finds are those of the text that shows them.
func FuzzValues(f *testing.F) {
	for _, text := range []string{`1 FETCH (UID 2 B[X (Y)] "a\"b" C NIL)`, "X {3}\r\nabc", "(((", `LIST () "/" x`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := ParseValues(text)
		if err != nil {
			return
		}
		ParseRow("* " + text)
		var count func([]Value) int
		count = func(values []Value) int {
			n := len(values)
			for _, v := range values {
				n += count(v.List)
			}
			return n
		}
		if n := count(values); n > len(text) {
			t.Errorf("ParseValues(%q) has %d values, more than bytes", text, n)
		}
	})
}

func FuzzMailboxName(f *testing.F) {
	for _, name := range []string{"INBOX", "Entw&APw-rfe", "a&-b", "&", "&AGE-"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		decoded := DecodeMailbox(name)
		if decoded != name && EncodeMailbox(decoded) != name {
			t.Errorf("DecodeMailbox(%q) = %q, whose code is %q", name, decoded, EncodeMailbox(decoded))
		}
	})
}
