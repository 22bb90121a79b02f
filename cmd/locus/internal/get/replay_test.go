package get

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"locus/cmd/locus/internal/clitest"
)

// A recorded failure is not tried again, because an archive always has the same answer.
func TestReplayedFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	in := clitest.Input{Dir: t.TempDir()}
	for _, test := range []struct {
		args  string
		again bool
	}{
		{"--warc a.warc.gz --retry-wait 1ms --retries 1", true},
		{"--from-warc a.warc.gz --retry-wait 1ms --retries 1", false},
		{"--from-warc a.warc.gz --retry-wait 1ms -o a", false},
		{"--from-warc a.warc.gz --retry-wait 1ms -r --output-dir tree", false},
	} {
		status, _, stderr := clitest.Run(t, Verb(), in, append(strings.Fields(test.args), server.URL+"/")...)
		if again := strings.Contains(stderr, "trying again"); status != 1 || !strings.Contains(stderr, "503") || again != test.again {
			t.Errorf("get %s = %d, %q, want a retry: %v", test.args, status, stderr, test.again)
		}
	}
}
