package stream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// An opening starts a run, or finds a run that another process has started.
type opening struct {
	log      *runLog
	run      Run
	options  Options
	isHelper bool // another process starts the run

	leases   jetstream.Stream
	isSeeded bool // the log contains all documents
}

// begin starts the run, or resumes the run that the servers have under its name. It sets o.run to the Run in the log.
// The error wraps ErrOther if that Run has other arguments or another policy.
func (o *opening) begin(ctx context.Context) error {
	wanted := o.run
	if err := repeat(ctx, maxStart, func(ctx context.Context) error { return o.setUp(ctx, false) }); err != nil {
		return err
	}
	found, err := o.readRun(ctx)
	if err != nil {
		return err
	}
	if found {
		if err := wanted.check(o.run); err != nil {
			return err
		}
		return repeat(ctx, maxStart, func(ctx context.Context) error { return o.setUp(ctx, true) }) // now with the options of this process
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	err = repeat(ctx, maxStart, func(ctx context.Context) error {
		_, err := o.log.js.Publish(ctx, o.log.subject+runSubject, text, jetstream.WithExpectLastSequencePerSubject(0))
		if isOutdated(err) {
			return nil // another process has added its Run first, or the last attempt succeeded without an answer
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err = o.readRun(ctx); err != nil {
		return err
	}
	return wanted.check(o.run)
}

// awaitStart waits until another process has started the run, and sets o.run to its Run. The error wraps ErrNotStarted
// after Options.Wait. Requests are repeated, because a cluster that has lost a server may not answer for a while.
func (o *opening) awaitStart(ctx context.Context) error {
	wait := cmp.Or(o.options.Wait, 5*time.Minute)
	err := repeat(ctx, wait, func(ctx context.Context) error {
		if err := o.setUp(ctx, false); err != nil {
			return err
		}
		found, err := o.readRun(ctx)
		if err == nil && !found {
			err = ErrNotStarted
		}
		return err
	})
	if err == nil || isFinal(err) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w within %v", ErrNotStarted, wait)
}

// setUp opens the streams of the run, in o.log and o.leases. It creates them if they do not exist, unless this process
// is a helper, and updates their settings if update is set. It can be repeated, because a server may create a stream
// without an answer.
func (o *opening) setUp(ctx context.Context, update bool) error {
	var err error
	o.log.stream, err = o.setUpStream(ctx, update, jetstream.StreamConfig{
		Name: streamName(o.log.name, "log"), Subjects: []string{o.log.topic("log." + o.log.worker + ".>")}, Replicas: o.options.Replicas, AllowDirect: true,
	})
	if err != nil {
		return err
	}
	o.log.subject = strings.TrimSuffix(o.log.stream.CachedInfo().Config.Subjects[0], ">")
	o.leases, err = o.setUpStream(ctx, update, jetstream.StreamConfig{
		Name: streamName(o.log.name, "lease"), Subjects: []string{o.log.topic("lease.>")}, Replicas: o.options.Replicas,
		MaxMsgsPerSubject: 1, MaxAge: o.options.Lease, Duplicates: o.options.Lease,
	})
	return err
}

// setUpStream returns the stream with the name in c. If the stream does not exist, setUpStream creates it, unless this
// process is a helper. If update is set, an existing stream gets the settings of c, but keeps its subjects, because
// they contain the ID of its run.
func (o *opening) setUpStream(ctx context.Context, update bool, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := o.log.js.Stream(ctx, c.Name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) && !o.isHelper:
		return o.log.js.CreateStream(ctx, c) // if another process creates it first, repeat tries again
	case err != nil || !update:
		return s, explainMissing(o.log.conn, err)
	}
	c.Subjects = s.CachedInfo().Config.Subjects
	return o.log.js.UpdateStream(ctx, c)
}

// readRun reads the Run from the first message of the log into o.run, and sets o.isSeeded. found is false if the log is
// empty. The error is ErrVersion if another version of the program has written the Run.
func (o *opening) readRun(ctx context.Context) (found bool, err error) {
	var text []byte
	err = repeat(ctx, maxStart, func(ctx context.Context) error {
		m, err := o.log.stream.GetMsg(ctx, 1)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err == nil {
			text = m.Data
		}
		return err
	})
	if text == nil || err != nil {
		return false, err
	}
	o.run = Run{}
	if json.Unmarshal(text, &o.run) != nil || o.run.Shards < 1 || o.run.Shards > 256 || o.run.Format != logFormat {
		return true, ErrVersion
	}
	info, err := o.log.info(ctx)
	if err != nil {
		return true, err
	}
	o.isSeeded = info.State.Subjects[o.log.subject+seededSubject] > 0
	return true, nil
}
