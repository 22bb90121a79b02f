package report_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/check"
	"locus/check/report"
)

func ExampleKnown() {
	var known report.Known
	known.Add(check.Result{URL: "http://h/good", Code: 200, Time: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)})
	known.Add(check.Result{URL: "http://h/gone", Status: check.Dead}) // is checked again
	if err := known.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: {"url":"http://h/good","status":"good","code":200,"time":"2026-11-22T00:00:00Z"}
}

// Known keeps only good results of URLs without a password. ReadKnown skips results that are too old.
func TestReadKnown(t *testing.T) {
	now := time.Now()
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339Nano) }
	text := strings.Join([]string{
		`{"url":"http://h/a","status":"good","time":"` + at(time.Hour) + `"}`,
		`{"url":"http://h/old","status":"good","time":"` + at(3*time.Hour) + `"}`,
		`{"url":"http://h/future","status":"good","time":"` + at(-time.Hour) + `"}`,
		`{"url":"http://h/dead","status":"dead","time":"` + at(time.Hour) + `"}`,
		`{"url":"http://u:p@h/","status":"good","time":"` + at(time.Hour) + `"}`,
		`{"url":"http://h/half","status":"go`,
	}, "\n")
	known, err := report.ReadKnown(strings.NewReader(text), now.Add(-2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	known.Add(check.Result{URL: "http://h/b", Time: now, Known: true})
	known.Add(check.Result{URL: "http://h/unchecked", Status: check.Unchecked, Time: now})
	known.Add(check.Result{URL: "http://u:p@h/b", Time: now})
	known.Add(check.Result{URL: "http://h/moved", Hops: []check.Hop{{To: "http://u:p@h/b"}}, Time: now})
	known.Add(check.Result{URL: "http://h/odd", Hops: []check.Hop{{To: "http://u:p@h/ b"}}, Time: now})
	var b strings.Builder
	if err := known.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := report.ReadKnown(strings.NewReader(b.String()), now.Add(-2*time.Hour))
	if err != nil || strings.Count(b.String(), "\n") != 2 {
		t.Errorf("Write writes %q, and ReadKnown returns the error %v, want 2 lines", b.String(), err)
	}
	for name, k := range map[string]*report.Known{"known": known, "written and read": again} {
		for u, want := range map[string]bool{
			"http://h/a": true, "http://h/b": true, "http://h/old": false, "http://h/future": false, "http://h/dead": false,
			"http://h/unchecked": false, "http://h/half": false, "http://u:p@h/": false, "http://u:p@h/b": false,
		} {
			if r, ok := k.Get(u); ok != want || ok && r.URL != u || name != "known" && r.Known {
				t.Errorf("%s: Get(%q) = %+v, %v, want %v", name, u, r, ok, want)
			}
		}
	}
}

// ReadKnown returns the error of the reader, and Write the error of the writer.
func TestKnownErrors(t *testing.T) {
	broken := errors.New("broken")
	if _, err := report.ReadKnown(iotest.ErrReader(broken), time.Time{}); !errors.Is(err, broken) {
		t.Errorf("ReadKnown = %v, want %v", err, broken)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	var known report.Known
	known.Add(check.Result{URL: "http://h/"})
	if err := known.Write(w); !errors.Is(err, broken) {
		t.Errorf("Write = %v, want %v", err, broken)
	}
}
