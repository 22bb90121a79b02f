package retry

import (
	"fmt"
	"io"
	"io/fs"
	"testing"
	"time"

	"locus/access"
)

func TestPause(t *testing.T) {
	busy := func(after time.Duration) error {
		return &access.Error{Op: "open", Err: access.ErrTemporary, RetryAfter: after}
	}
	for _, test := range []struct {
		policy   Policy
		err      error
		failures int
		want     string
	}{
		{Policy{}, busy(0), 1, "1s true"},
		{Policy{}, busy(0), 3, "4s true"},
		{Policy{}, busy(0), 4, "0s false"},
		{Policy{Retries: -1}, busy(0), 1, "0s false"},
		{Policy{Retries: 20}, busy(0), 20, "30s true"},
		{Policy{Retries: 20, Time: 10 * time.Second}, busy(0), 20, "10s true"},
		{Policy{}, busy(time.Minute), 1, "1m0s true"},
		{Policy{}, busy(time.Hour), 1, "0s false"},
		{Policy{Time: -1}, busy(time.Hour), 1, "1h0m0s true"},
		{Policy{Wait: time.Minute}, busy(time.Second), 1, "1m0s true"},
		{Policy{}, io.ErrUnexpectedEOF, 1, "1s true"},
		{Policy{}, fs.ErrNotExist, 1, "0s false"},
	} {
		test.policy.Random = func() float64 { return 0 }
		wait, ok := test.policy.Pause(test.err, test.failures)
		if got := fmt.Sprint(wait, ok); got != test.want {
			t.Errorf("%+v.Pause(%v, %d) = %s, want %s", test.policy, test.err, test.failures, got, test.want)
		}
	}
}
