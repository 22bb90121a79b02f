package document_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"locus/extract/document"
)

// A foreign format is recognized whatever pieces the reader returns.
func TestRefuseForeign(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"http://h/":                "",
		"PK":                       "", // too short
		"\xff\xfeh\x00":            "UTF-16",
		"\x1f\x8b\x08 packed":      "gzip",
		"BZh91AY&SY packed":        "bzip2",
		"PK\x03\x04" + "xxxxxxxxx": "zip",
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(document.RefuseForeign(r))
			foreign, ok := errors.AsType[*document.ForeignError](err)
			if want == "" && (err != nil || string(got) != text) || want != "" && (!ok || foreign.Name != want || foreign.Convert == "") {
				t.Errorf("%q is read as %q, %v, want %q", text, got, err, want)
			}
		}
	}
}
