package stream

import (
	"context"
	"errors"
	"testing"
)

// While the servers store nothing, Seed and Seeded end when their context is done, and do not
// say later that the log has all.
func TestSeedEndsWithContext(t *testing.T) {
	release := make(chan struct{})
	q := &Queue{}
	q.seeds.init(func(map[string][][]byte) error { <-release; return nil })
	large := map[string][][]byte{"jobs": {make([]byte, messageSize)}}
	for range seedPublishes {
		if err := q.seeds.add(t.Context(), large); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	cancel(why)
	if err := q.seeds.add(ctx, large); !errors.Is(err, why) {
		t.Errorf("add = %v", err)
	}
	if err := q.Seeded(ctx); !errors.Is(err, why) {
		t.Errorf("Seeded = %v", err)
	}
	close(release)
	if err := q.Seeded(t.Context()); !errors.Is(err, why) {
		t.Errorf("Seeded afterwards = %v", err)
	}
	q.seeds.wait()
}
