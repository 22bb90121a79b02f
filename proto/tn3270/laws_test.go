package tn3270

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// Decoding inverts the encoding of an address, and the encoded bytes are printable.
func TestAddresses(t *testing.T) {
	for address := range 4096 {
		b := appendAddress(nil, address)
		if got := decodeAddress(b[0], b[1]); got != address {
			t.Errorf("address %d is sent as %x, which is %d", address, b, got)
		}
		for _, c := range b {
			if c < 0x40 || c == 0xFF {
				t.Errorf("address %d is sent as %x, which is not printable", address, b)
			}
		}
	}
	for address := range 1 << 14 {
		if got := decodeAddress(byte(address>>8), byte(address)); got != address {
			t.Errorf("address %d in 14 bits is read as %d", address, got)
		}
	}
}

// The examples are from the documents.
func TestAddressExamples(t *testing.T) {
	for _, test := range []struct {
		encoded [2]byte
		address int
	}{
		{[2]byte{0x40, 0x40}, 0},
		{[2]byte{0xC1, 0x50}, 80},
		{[2]byte{0x5D, 0x7F}, 1919},
		{[2]byte{0xC1, 0xE5}, 101},
		{[2]byte{0x60, 0x61}, 0x20<<6 | 0x21},
		{[2]byte{0xF0, 0xF9}, 0x30<<6 | 0x39},
	} {
		if got := appendAddress(nil, test.address); !slices.Equal(got, test.encoded[:]) {
			t.Errorf("address %d is sent as %x, want %x", test.address, got, test.encoded)
		}
	}
	if got := decodeAddress(0x81, 0x10); got != 80 {
		t.Errorf("an address that begins with the bits 10 is read as %d, want 80", got)
	}
}

// Every code page has each character of ISO 8859-1 once. 1140 has the euro sign in
// place of the currency sign.
func TestCodePages(t *testing.T) {
	names := CodePages()
	if names[0] != "037" {
		t.Errorf("the default is %s", names[0])
	}
	for _, name := range names {
		p, err := newCodePage(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if len(p.codes) != 256 {
			t.Errorf("%s has %d characters, want 256", name, len(p.codes))
		}
		for code, r := range p.runes {
			if r > 0xFF && r != '€' || p.codes[r] != byte(code) {
				t.Errorf("%s has %q at %#02x, which is typed as %#02x", name, r, code, p.codes[r])
			}
		}
		for r := ' '; r < 0x7F; r++ {
			code, ok := p.code(r)
			if got := p.show(code); !ok || got != r {
				t.Errorf("%s shows %q, typed as %#02x, as %q", name, r, code, got)
			}
		}
	}
	if _, err := newCodePage("930"); err == nil {
		t.Error("there is a code page 930")
	}
}

// Codes that differ between the code pages, from the tables of the countries.
func TestCodePageExamples(t *testing.T) {
	for _, test := range []struct {
		name string
		code byte
		want rune
	}{
		{"037", 0xBA, '['},
		{"1047", 0xAD, '['},
		{"1140", 0x9F, '€'},
		{"500", 0x4A, '['},
		{"500", 0x4F, '!'},
		{"273", 0x4A, 'Ä'},
		{"273", 0xC0, 'ä'},
		{"277", 0x5B, 'Å'},
		{"278", 0x6A, 'ö'},
		{"280", 0x5A, 'é'},
		{"284", 0x7B, 'Ñ'},
		{"285", 0x5B, '£'},
		{"285", 0x4A, '$'},
		{"297", 0x7C, 'à'},
		{"871", 0x4A, 'Þ' + 0x20},
	} {
		p, err := newCodePage(test.name)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := p.show(test.code); got != test.want {
			t.Errorf("%s has %q at %#02x, want %q", test.name, got, test.code, test.want)
		}
	}
	p, _ := newCodePage("")
	for code := range 256 {
		if want := charmap.CodePage037.DecodeByte(byte(code)); p.runes[code] != want {
			t.Errorf("the default has %q at %#02x, want %q", p.runes[code], code, want)
		}
	}
}

// The data of a host cannot send a control sequence to the user's terminal. Every code of each
// code page and of the graphic escape set, and text, is shown as printable characters.
func TestEscapeBarrier(t *testing.T) {
	control := regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")
	draws := func(what string, term *display) {
		t.Helper()
		var d drawer
		d.resize(1, 8)
		text := d.draw(term.picture())
		for _, r := range control.ReplaceAllString(text, "") {
			if unicode.IsControl(r) && (r != '\a' || term.lock <= Waiting) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%s is drawn with %q: %q", what, r, text[:min(len(text), 60)])
			}
		}
	}
	for _, name := range CodePages() {
		p, err := newCodePage(name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		for first := 0; first < 256; first++ {
			plain := []byte{remoteEW, 0xC2}
			escaped, repeated := bytes.Clone(plain), bytes.Clone(plain)
			for at := byte(0x41); ; at++ { // codes that may be orders have a screen each, others are in a row of eight
				plain = append(plain, byte(first))
				escaped = append(escaped, orderGE, byte(first))
				repeated = append(repeated, orderRA, 0x40, at, byte(first))
				if first < 0x40 || first%8 == 7 {
					break
				}
				first++
			}
			for _, record := range [][]byte{plain, escaped, repeated} {
				term := newDisplay(model{2, true}, p)
				term.receive(record)
				draws(fmt.Sprintf("%s: % x", name, record), term)
			}
		}
	}
	for code := range 256 {
		term := newTest(t, 2)
		term.print([]byte{byte(code)})
		draws(fmt.Sprintf("text: %02x", code), term)
	}
}

// A typed character is shown as the same character.
func FuzzEBCDIC(f *testing.F) {
	for i, seed := range []string{"Hello, World!", "[a|b]{c}\\^~", "äöüÄÖÜß", "£$€¤", "naïve café ÆØÅ"} {
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint8, typed string) {
		names := CodePages()
		p, err := newCodePage(names[int(which)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range typed {
			code, ok := p.code(r)
			if !ok {
				continue
			}
			if got := p.show(code); got != r && r != 0xA0 && r != 0xAD {
				t.Errorf("%q is typed as %#02x, which shows %q", r, code, got)
			}
		}
	})
}

// After any record and any keys, the terminal is consistent, and its records are valid.
func FuzzTerminal(f *testing.F) {
	p, err := newCodePage("")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		form,
		"F5 C2 11 5D7F 3C 4040 5C",
		"F5 C2 11 FFFF",
		"7E C3 3C @3000 08 A2 29 03 C0 60 42 F2 41 F4 'red'",
		"F3 0005 01 FF 02",
		"F5 C2 1D 40 05 05 'x' 05 12 @1919 2C 01 C0 4C",
		"F1 C3 1D C1 'abc' 13",
		"6F", "F2", "F6", "6E", "F5",
	} {
		f.Add(2, stream(f, p, seed), "Ada\tx\r\x1b1\x1b[2~y\x1br")
		f.Add(5, stream(f, p, seed), "\x03\x05\x15\b\x1b[3~\x1b[Z\n")
	}
	f.Fuzz(func(t *testing.T, number int, record []byte, typed string) {
		term := newTest(t, 2+(number%4+4)%4)
		var keys keyReader
		for range 3 {
			for _, answer := range term.receive(record) {
				checkRecord(t, term, answer)
			}
			consistent(t, term)
			for _, k := range keys.read([]byte(typed)) {
				if sent := term.press(k); sent != nil {
					checkRecord(t, term, sent)
				}
				consistent(t, term)
			}
			for _, sent := range term.pressPending() {
				checkRecord(t, term, sent)
			}
			consistent(t, term)
			var d drawer
			d.resize(max(number%60, 1), 80)
			d.draw(term.picture())
		}
	})
}

// checkRecord checks that a record of the terminal can be executed without an error
// on an empty screen.
func checkRecord(t testing.TB, term *display, sent []byte) {
	t.Helper()
	if len(sent) == 0 || len(sent) > maxRecord {
		t.Fatalf("%d bytes are sent", len(sent))
	}
	if sent[0] == attentionField || len(sent) == 1 {
		return
	}
	if len(sent) < 3 || decodeAddress(sent[1], sent[2]) != term.buffer.cursor && sent[0] == attentionNone {
		t.Fatalf("%x is sent with the cursor at %d", sent, term.buffer.cursor)
	}
	b := newBuffer(len(term.buffer.cells)/term.buffer.columns, term.buffer.columns)
	w := writer{b: &b, in: sent[3:]}
	if fault := w.write(); fault != Unlocked {
		t.Fatalf("%x is sent, which gives %v", sent, fault)
	}
}
