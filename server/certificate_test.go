package server_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/server"
)

// A renewed certificate is used within a minute. If it cannot be read, the older one stays in use.
func TestCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		number, loads := byte(1), 0
		var fails error
		c := &server.Certificate{
			Log: slog.New(slog.NewTextHandler(&log, nil)),
			Load: func() (tls.Certificate, error) {
				loads++
				return tls.Certificate{Certificate: [][]byte{{number}}}, fails
			},
		}
		for _, step := range []struct {
			after  time.Duration
			number byte
			fails  error
			want   byte // 0: an error
			loads  int  // so far
		}{
			{0, 1, errors.New("no file"), 0, 1},
			{0, 1, nil, 1, 2},
			{59 * time.Second, 2, nil, 1, 2},
			{time.Second, 2, nil, 2, 3},
			{time.Minute, 3, errors.New("key does not match"), 2, 4},
			{time.Second, 3, nil, 2, 4},
			{time.Minute, 3, nil, 3, 5},
		} {
			time.Sleep(step.after)
			number, fails = step.number, step.fails
			got, err := c.Get(nil)
			if err != nil && step.want != 0 || err == nil && got.Certificate[0][0] != step.want || loads != step.loads {
				t.Errorf("%+v: %v, %v after %d loads", step, got, err, loads)
			}
		}
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "key does not match") {
			t.Errorf("the log is %q", got)
		}
	})
}
