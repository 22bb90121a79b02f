package transfer

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"locus/retry"
	"locus/url"
)

// A server may answer a Range with a part that begins earlier or ends earlier, or refuse it. The
// download continues or restarts, whether it was interrupted in this run or in an earlier one.
func TestRangeServers(t *testing.T) {
	text := noise(300_000)
	for _, test := range []struct {
		name   string
		answer func(w http.ResponseWriter, from int) // to a Range that begins at from
	}{
		{"as asked", func(w http.ResponseWriter, from int) { part(w, text, from, len(text)) }},
		{"aligned to blocks", func(w http.ResponseWriter, from int) { part(w, text, from/1024*1024, len(text)) }},
		{"from the start", func(w http.ResponseWriter, _ int) { part(w, text, 0, len(text)) }},
		{"short", func(w http.ResponseWriter, from int) { part(w, text, from, min(from+50_000, len(text))) }},
		{"aligned and short", func(w http.ResponseWriter, from int) { part(w, text, from/1024*1024, min(from+50_000, len(text))) }},
		{"late", func(w http.ResponseWriter, from int) { part(w, text, from+10, len(text)) }},
		{"garbled", func(w http.ResponseWriter, _ int) {
			w.Header().Set("Content-Range", "bytes x")
			w.WriteHeader(http.StatusPartialContent)
		}},
		{"400", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusBadRequest) }},
		{"403", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusForbidden) }},
		{"416", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) }},
		{"500", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusInternalServerError) }},
		{"501", func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusNotImplemented) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var cuts atomic.Int64 // how many further responses break off
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"1"`)
				if from, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
					n, _ := strconv.Atoi(strings.TrimRight(from, "-"))
					test.answer(w, n)
					return
				}
				w.Header().Set("Content-Length", strconv.Itoa(len(text)))
				if cuts.Add(-1) < 0 {
					_, _ = io.WriteString(w, text)
					return
				}
				_, _ = io.WriteString(w, text[:123_456])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}))
			defer server.Close()
			u := url.MustParse(server.URL + "/f")
			get := func(policy retry.Policy) (string, error) {
				root, name := folder(t)
				_, err := Get(t.Context(), overNetwork(0), request(u.String()), root, "f", Options{Retry: policy, Continue: true})
				if err != nil && policy.Retries < 0 {
					_, err = Get(t.Context(), overNetwork(0), request(u.String()), root, "f", Options{Retry: hasty, Continue: true})
				}
				return contents(t, name)["f"], err
			}
			for _, policy := range []retry.Policy{hasty, never} { // the second one leaves a part for another run
				cuts.Store(1)
				if got, err := get(policy); err != nil || got != text {
					t.Errorf("Get with %d retries has %d bytes, %v, want %d", policy.Retries, len(got), err, len(text))
				}
			}
			cuts.Store(1)
			r, err := retry.Engine{Engine: overNetwork(0), Policy: hasty}.Do(t.Context(), request(u.String()))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if got, err := io.ReadAll(r.Body); err != nil || string(got) != text {
				t.Errorf("the Body has %d bytes, %v, want %d", len(got), err, len(text))
			}
		})
	}
}

// part sends text[from:to] as a part.
func part(w http.ResponseWriter, text string, from, to int) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(text)))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = io.WriteString(w, text[from:to])
}
