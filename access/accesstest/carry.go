package accesstest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// Carries tests that a wrapper passes on every field: of a Resource that Get opens, of the
// attributes that Stat finds, and of the entries of a listing. wrap returns the wrapper
// around an Engine. Each request is sent twice, so that a cache answers the second one.
//
// except names the fields of access.Entry and access.Resource that the wrapper may change,
// such as "Sys", which wrappers may always drop.
func Carries(t *testing.T, wrap func(access.Engine) access.Engine, except ...string) {
	t.Helper()
	engine := wrap(carried{})
	for _, test := range []struct {
		name string
		req  access.Request
	}{
		{"Get", access.Request{URL: carriedURL}},
		{"Stat", access.Request{Op: access.Stat, URL: carriedURL}},
		{"a listing", access.Request{URL: carriedList}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 {
				got, entries := carry(t, engine, test.req)
				want, wantEntries := carry(t, carried{}, test.req)
				compareFields(t, "Resource", got, want, except)
				compareFields(t, "Entry", got.Entry, want.Entry, except)
				if len(entries) != len(wantEntries) {
					t.Fatalf("the listing has %d entries, want %d", len(entries), len(wantEntries))
				}
				for i, e := range entries {
					compareFields(t, "Entry", e, wantEntries[i], except)
				}
			}
		})
	}
}

// carry does the request and reads the Resource to its end. It returns the Resource and the entries
// of its List; nil if it is not a listing. It ends the test after an error.
func carry(t *testing.T, engine access.Engine, req access.Request) (access.Resource, []access.Entry) {
	t.Helper()
	r, err := engine.Do(t.Context(), &req)
	if err != nil {
		t.Fatalf("%v %s = %v", req.Op, req.URL, err)
	}
	defer r.Body.Close()
	var entries []access.Entry
	if r.List != nil {
		err = access.Entries(r.List, func(e access.Entry) error {
			entries = append(entries, e)
			return nil
		})
	} else {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil {
		t.Fatalf("read %s: %v", req.URL, err)
	}
	return *r, entries
}

// compareFields fails the test for each field of got that differs from the same field of want. It
// skips the fields in except, and fields that do not hold data, such as Body. kind names the type
// of the values in failures.
func compareFields(t *testing.T, kind string, got, want any, except []string) {
	t.Helper()
	skipped := append([]string{"Entry", "Sys", "Body", "List", "Session", "Questions"}, except...)
	wanted := reflect.ValueOf(want)
	for field, value := range reflect.ValueOf(got).Fields() {
		if slices.Contains(skipped, field.Name) {
			continue
		}
		a, b := value.Interface(), wanted.FieldByIndex(field.Index).Interface()
		if err, ok := a.(error); ok { // a wrapper can store only its text
			a = err.Error()
		}
		if err, ok := b.(error); ok {
			b = err.Error()
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s.%s = %+v, want %+v", kind, field.Name, a, b)
		}
	}
}

var (
	carriedURL  = url.MustParse("gopher://h/0object")
	carriedList = url.MustParse("gopher://h/1list")
)

const carriedText = "text\n"

// carried is an Engine whose Resources and Entries have every field set. HTTPStatus and
// Login stay zero, because they do not go together with the other fields.
type carried struct{}

// Do answers a Get of carriedList with a listing of two entries, a Get of any other URL with
// carriedText, and a Stat of any URL. Any other Op is unsupported.
func (carried) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	r := &access.Resource{Entry: carriedEntry(req.URL), ETag: `"1"`, Immutable: true, Body: access.NoBody}
	r.Size = int64(len(carriedText))
	switch {
	case req.Op == access.Stat:
	case req.Op != access.Get:
		return nil, &access.Error{Op: req.Op.String(), URL: req.URL, Err: errors.ErrUnsupported}
	case req.URL == carriedList:
		r.Kind, r.Size, r.Incomplete = access.Directory, -1, nil
		list := &carriedLister{left: 2}
		r.Body, r.List = list, list
	default:
		r.Body = io.NopCloser(strings.NewReader(carriedText))
	}
	return r, nil
}

// carriedEntry returns an entry at u in which every field is set.
func carriedEntry(u url.URL) access.Entry {
	return access.Entry{
		Title: "caf\xe9", Name: "dir/caf\xe9.txt", ID: "7-1", URL: u, Kind: access.Object, Type: "text/plain; charset=iso-8859-1",
		Size: 5, ModTime: time.Date(1994, 12, 20, 1, 2, 3, 0, time.UTC), Mode: fs.FileMode(0o640),
		Rough: access.Rough{Size: 1229, ModTime: time.Date(1994, 12, 20, 1, 2, 0, 0, time.UTC)},
		Header: access.Header{
			{Name: "Score", Value: "900"},
			{Name: "From", Value: "a\nb"},
			{Name: "References", Value: "1@h", URL: url.MustParse("news:1@h")},
			{Name: "Set-Cookie", Value: "a=b", Hidden: true},
		},
		Sys: carried{},
	}
}

// A carriedLister lists entries.
type carriedLister struct{ left int }

// Next returns two entries in which every field is set, and then io.EOF.
func (l *carriedLister) Next() (access.Entry, error) {
	if l.left == 0 {
		return access.Entry{}, io.EOF
	}
	l.left--
	return carriedEntry(url.MustParse("gopher://h/0" + strings.Repeat("x", l.left+1))), nil
}

func (l *carriedLister) Read([]byte) (int, error) { return 0, io.EOF }
func (l *carriedLister) Close() error             { return nil }
