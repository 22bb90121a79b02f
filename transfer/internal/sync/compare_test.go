package sync

import (
	"testing"
	"time"

	"locus/access"
)

func TestCompare(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04:05", "2026-03-"+text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	file := version{10, at("04 05:06:07")}
	for _, test := range []struct {
		listed            version
		want, wantIfExact comparison
	}{
		{file, same, same},
		{version{10, at("04 05:06:00")}, same, same},
		{version{10, at("04 00:00:00")}, same, same},
		{version{11, at("04 05:06:07")}, different, different},
		{version{11, at("04 05:06:00")}, different, different},
		{version{10, at("04 05:06:06")}, older, older},
		{version{10, at("04 05:06:08")}, newer, newer},
		{version{11, at("04 05:06:08")}, newer, newer},
		{version{10, at("04 04:06:00")}, unclear, older},
		{version{10, at("04 06:06:00")}, unclear, newer},
		{version{-1, at("04 05:06:07")}, unclear, different},
		{version{Size: 10}, unclear, different},
		{version{Size: -1}, unclear, different},
	} {
		if got := compare(test.listed, file, false); got != test.want {
			t.Errorf("compare(%v, %v, false) = %v, want %v", test.listed, file, got, test.want)
		}
		if got := compare(test.listed, file, true); got != test.wantIfExact {
			t.Errorf("compare(%v, %v, true) = %v, want %v", test.listed, file, got, test.wantIfExact)
		}
	}
	if got := compare(file, version{Size: 10}, false); got != different {
		t.Errorf("compare with a file without a time = %v, want %v", got, different)
	}
}

func TestDecide(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04:05", "2026-03-"+text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	source := version{10, at("04 05:06:07")}
	file := func(size int64, when string) item { return item{kind: access.Object, version: version{size, at(when)}} }
	sizeOnly, nothing := item{version: version{Size: 10}}, item{version: version{Size: -1}}
	rough := item{version: version{Size: -1}, rough: access.Rough{Size: 10, ModTime: at("09 00:00:00")}}
	logged := func(source version, target item) *sentFile {
		return &sentFile{Name: "f", Source: source, Target: target.seen()}
	}
	older := version{10, at("01 00:00:00")}
	for _, test := range []struct {
		what    string
		target  item
		isExact bool
		logged  *sentFile
		want    action
	}{
		{"the same", file(10, "04 05:06:07"), false, nil, leaveFile},
		{"the same to the minute", file(10, "04 05:06:00"), false, nil, leaveFile},
		{"the same time, another size", file(11, "04 05:06:07"), false, nil, sendFile},
		{"older", file(10, "04 05:06:06"), false, nil, sendFile},
		{"older, another size", file(9, "01 01:01:01"), false, nil, sendFile},
		{"the server's own time", file(10, "09 01:01:01"), false, nil, leaveFile},
		{"newer", file(11, "09 01:01:01"), false, nil, keepNewer},
		{"newer, of an earlier run", file(11, "09 01:01:01"), false, logged(older, file(11, "09 01:01:01")), sendFile},
		{"newer, changed after an earlier run", file(12, "09 01:01:02"), false, logged(older, file(11, "09 01:01:01")), keepNewer},
		{"sent and unchanged", file(10, "09 01:01:01"), false, logged(source, file(10, "09 01:01:01")), leaveFile},
		{"another minute of some zone", file(10, "04 07:06:00"), false, nil, askTarget},
		{"another minute, for certain", file(11, "04 07:06:00"), true, nil, keepNewer},
		{"a rounded size", rough, false, nil, askTarget},
		{"a rounded size as it was", rough, false, logged(source, rough), leaveFile},
		{"a rounded size as it was, a change here", rough, false, logged(older, rough), sendFile},
		{"a size without a time", sizeOnly, false, nil, askTarget},
		{"a size without a time, for certain", sizeOnly, true, nil, sendFile},
		{"nothing known", nothing, false, nil, askTarget},
		{"nothing known, for certain", nothing, true, nil, sendFile},
		{"nothing known, but sent", nothing, false, logged(source, nothing), leaveFile},
		{"nothing known, sent before a change", nothing, false, logged(older, nothing), sendFile},
	} {
		if got := decide(source, test.target, test.isExact, test.logged); got != test.want {
			t.Errorf("%s: %v, want %v", test.what, got, test.want)
		}
	}
	// Apache 2.4 tells the time of an empty file, but no size.
	for size, want := range map[int64]action{0: leaveFile, 10: keepNewer} {
		if got := decide(version{size, source.ModTime}, file(-1, "09 01:01:01"), true, nil); got != want {
			t.Errorf("a file of %d bytes, newer and without a size at the target: %v, want %v", size, got, want)
		}
	}
	if got := decide(version{Size: 10}, file(10, "04 05:06:07"), true, nil); got != sendFile {
		t.Errorf("a source without a time: %v, want %v", got, sendFile)
	}
}
