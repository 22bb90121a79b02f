package stream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// A watcher learns of new jobs and of the end of the run, and tells other workers how far the
// shards of this one are.
type watcher struct {
	log     *runLog
	held    *held
	phases  *phases
	changed *bell         // jobs may be taken, or the phase has changed
	moved   chan struct{} // has a value if a shard is further
}

// watchEvery is how often the servers are asked for what no message said.
const watchEvery = time.Second

// watch watches until ctx is done. Messages that are not stored may be lost, so it also polls.
func (w *watcher) watch(ctx context.Context) error {
	news, err := w.log.conn.Subscribe(w.log.topic("news."+w.log.id()), w.receiveNews)
	if err != nil {
		return err
	}
	defer func() { _ = news.Unsubscribe() }() // an error means that the connection is closed
	statuses, err := w.log.conn.Subscribe(w.log.topic("status."+w.log.id()), w.receiveStatus)
	if err != nil {
		return err
	}
	defer func() { _ = statuses.Unsubscribe() }()
	poll := time.NewTicker(watchEvery)
	defer poll.Stop()
	for isPoll := true; ; {
		if err := w.advance(ctx, isPoll); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.moved:
			isPoll = false
		case <-poll.C:
			isPoll = true
		}
	}
}

// receiveNews wakes the readers of shards with new jobs.
func (w *watcher) receiveNews(m *nats.Msg) {
	for n := range parseStatus(m.Data) {
		if s := w.held.get(n); s != nil {
			signal(s.news)
		}
	}
}

// receiveStatus adds the statements of another worker.
func (w *watcher) receiveStatus(m *nats.Msg) {
	for n, s := range parseStatus(m.Data) {
		if w.phases.note(n, s) {
			signal(w.moved)
		}
	}
}

// advance tells the other workers the phases of the shards of this one. It moves on to the
// next phase if all shards have finished the present one.
func (w *watcher) advance(ctx context.Context, isPoll bool) error {
	if own := w.phases.noteOwn(w.held.all(), isPoll); len(own) > 0 {
		_ = w.log.conn.Publish(w.log.topic("status."+w.log.id()), statusText(own)) // it is sent again
	}
	if !isPoll && !w.phases.mayAdvance() {
		return nil
	}
	info, err := w.log.info(ctx)
	if err != nil {
		return err
	}
	for _, s := range w.held.all() {
		if now, _ := s.status(); info.State.Subjects[w.log.subject+jobsSubject(s.number)] > now.messages {
			signal(s.news)
		}
	}
	if w.phases.advance(info.State.Subjects) {
		w.changed.ring()
		signal(w.moved) // what was said of the shards counts for the next phase, too
	}
	return nil
}
