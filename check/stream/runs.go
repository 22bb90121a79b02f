package stream

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Runs returns the runs at the servers by their names. A run whose start was interrupted is the zero Run.
func Runs(ctx context.Context, conn *nats.Conn) (map[string]Run, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Run)
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		run, isRun := strings.CutPrefix(name, "locus_")
		run, isLog := strings.CutSuffix(run, "_log")
		if !isRun || !isLog {
			continue
		}
		log, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue // another process has removed the run
		}
		if err != nil {
			return nil, err
		}
		var r Run
		m, err := log.GetMsg(ctx, 1)
		if err == nil {
			_ = json.Unmarshal(m.Data, &r) // another program may have written it
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, err
		}
		all[run] = r
	}
	return all, explainMissing(conn, names.Err())
}

// Remove removes a run. The error is nil if the servers have no run of that name.
func Remove(ctx context.Context, conn *nats.Conn, run string) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	var all error
	for _, part := range []string{"log", "lease"} {
		all = errors.Join(all, repeat(ctx, maxStart, func(ctx context.Context) error {
			if err := js.DeleteStream(ctx, streamName(run, part)); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil
		}))
	}
	return all
}
