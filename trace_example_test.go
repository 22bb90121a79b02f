package locus_test

import (
	"context"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"

	"locus"
	"locus/access"
)

// A Trace feeds a log. Every hook has the context of the request.
func ExampleTrace() {
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "motd.txt"), []byte("hello\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	c := &locus.Client{Root: root, Trace: &locus.Trace{
		Connected: func(ctx context.Context, a locus.TraceInfo, conn access.Connection) {
			logger.DebugContext(ctx, "connected", "host", a.Host, "address", conn.Address, "reused", conn.Reused)
		},
		AttemptDone: func(ctx context.Context, a locus.TraceInfo, d locus.TraceDone) {
			logger.InfoContext(ctx, "attempt", "url", a.URL.Redacted(), "attempt", a.Attempt, "bytes", d.Bytes, "duration", d.Duration, "error", d.Err)
		},
		RequestDone: func(ctx context.Context, r locus.TraceInfo, d locus.TraceDone) {
			logger.InfoContext(ctx, "request", "scheme", r.Scheme, "op", r.Op, "bytes", d.Bytes, "duration", d.Duration, "error", d.Err)
		},
	}}
	r, err := c.Open(context.Background(), "file:///motd.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	// Output:
	// level=INFO msg=attempt url=file:///motd.txt attempt=1 bytes=6 error=<nil>
	// level=INFO msg=request scheme=file op=open bytes=6 error=<nil>
}

// withoutTime leaves out the attributes that differ each time.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "duration" {
		return slog.Attr{}
	}
	return a
}
