package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"locus/access"
)

// A dying is an Engine whose server can be reached for some requests only.
type dying struct {
	access.Engine
	left *atomic.Int64 // requests
}

func (d dying) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if d.left.Add(-1) < 0 {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)}
	}
	return d.Engine.Do(ctx, req)
}

// A copy ends when its server is gone, and the same call goes on later.
func TestServerGone(t *testing.T) {
	files := make(map[string]string)
	for i := range 100 {
		files[fmt.Sprintf("sub/f%d", i)] = "text"
	}
	check := func(name string, failed int, err error) {
		t.Helper()
		// Besides the eight that decide it, those fail that were begun meanwhile.
		if !errors.Is(err, ErrNoAnswer) || failed < 7 || failed > len(files)/2 {
			t.Errorf("%s: %d failed, %v; want a few, and %v", name, failed, err, ErrNoAnswer)
		}
	}
	d := deploy(t, targetServers[0], files)
	to := d.to
	var left atomic.Int64
	left.Store(20)
	d.to.Engine = dying{to.Engine, &left}
	report, err := Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Retry: hasty}})
	check("Send", report.Failed, err)
	d.to = to
	d.send(t, SendOptions{}, len(files)-report.Files, report.Files, 0)

	root, name := folder(t)
	left.Store(20)
	reported := 0
	count := func(e Event) {
		if e.Kind == Failed {
			reported++
		}
	}
	back, err := Mirror(t.Context(), dying{to.Engine, &left}, to.URL, root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Event: count}})
	check("Mirror", back.Failed, err)
	if back.Failed != reported {
		t.Errorf("Mirror counts %d failures, and reports %d", back.Failed, reported)
	}
	if err == nil || !strings.HasSuffix(err.Error(), "the others were not tried") {
		t.Errorf("Mirror: %v, want it to say what is left", err)
	}
	left.Store(1000)
	if back, err = Mirror(t.Context(), dying{to.Engine, &left}, to.URL, root, MirrorOptions{}); err != nil || back.Failed > 0 {
		t.Errorf("Mirror = %+v, %v", back, err)
	}
	files["sub/"] = ""
	compareTrees(t, contents(t, name), files)
}
