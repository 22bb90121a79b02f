package wais

import (
	"reflect"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// FieldsOf is for the tests of package wais_test.
var FieldsOf = fieldsOf

// The fields of a document-id are the same as in its URL. A document-id that does not consist
// of whole fields has none.
// req: 1630-wais-1
func TestFieldsOf(t *testing.T) {
	for _, wpath := range []string{"1=wais.think.com;2=/x/y;", "3=" + strings.Repeat("p", 148) + ";7=%00;", "300=;"} {
		v, err := scheme.ParseWAIS(url.MustParse("wais://h/db/TEXT/" + wpath))
		if got := fieldsOf(v.DocID); err != nil || !reflect.DeepEqual(got, v.Fields) {
			t.Errorf("fieldsOf(%q) = %+v, want %+v, %v", v.DocID, got, v.Fields, err)
		}
	}
	for _, id := range []string{"", "\x01", "\x01\x02a", "\x81", "\x01\x81", "\x01\x00\x02", "\xff\xff\xff\xff\xff\x01\x00", "\x01\xff\xff\xff\xff\x7fa"} {
		if got := fieldsOf(id); got != nil {
			t.Errorf("fieldsOf(%q) = %+v, want nil", id, got)
		}
	}
}

// fieldsOf inverts the encoding of fields.
func FuzzFieldsOf(f *testing.F) {
	f.Add("\x01\x0ewais.think.com\x02\x06/x/y=z")
	f.Add("\x03\x81\x14x")
	f.Fuzz(func(t *testing.T, id string) {
		fields := fieldsOf(id)
		if fields == nil {
			return
		}
		made := scheme.WAIS{Host: scheme.Host{Name: "h"}, Kind: scheme.WAISDocument, WType: "T", Fields: fields}
		v, err := scheme.ParseWAIS(made.URL())
		if got := fieldsOf(v.DocID); err != nil || !reflect.DeepEqual(v.Fields, fields) || !reflect.DeepEqual(got, fields) {
			t.Errorf("fieldsOf(%q) = %+v, which %v writes, which has %+v, %v", id, fields, made.URL(), got, err)
		}
	})
}
