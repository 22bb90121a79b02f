package stream

import (
	"context"
	"errors"
	"testing"
)

// While the servers do not answer, Seed and Seeded return when their context is done. A later Seeded does not say that
// the log contains all documents.
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
		t.Errorf("add with a context that is done = %v, want %v", err, why)
	}
	if err := q.Seeded(ctx); !errors.Is(err, why) {
		t.Errorf("Seeded with a context that is done = %v, want %v", err, why)
	}
	close(release)
	if err := q.Seeded(t.Context()); !errors.Is(err, why) {
		t.Errorf("after the interruption, Seeded = %v, want %v", err, why)
	}
	q.seeds.wait()
}
