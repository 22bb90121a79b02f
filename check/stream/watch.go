package stream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// A watcher tells the followers about new jobs, exchanges statements about shards with the other workers, and begins
// the next phase.
type watcher struct {
	log     *runLog
	held    *held
	phases  *phases
	changed *notifier     // notified when the phase changes
	moved   chan struct{} // gets a value when a statement changes
}

// watchEvery is how often the watcher polls the servers, because messages that are not stored may be lost.
const watchEvery = time.Second

// watch exchanges statements with the other workers, wakes followers and begins phases, until ctx is done. Then it
// returns nil. It returns an error if the servers cannot be reached, or if the run was removed.
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

// receiveNews wakes the followers of the shards that m, a message of tellNews, names.
func (w *watcher) receiveNews(m *nats.Msg) {
	for n := range parseStatus(m.Data) {
		if s := w.held.get(n); s != nil {
			signal(s.news)
		}
	}
}

// receiveStatus notes the statements in m, in which another worker describes its shards. A new statement wakes watch.
func (w *watcher) receiveStatus(m *nats.Msg) {
	for n, s := range parseStatus(m.Data) {
		if w.phases.note(n, s) {
			signal(w.moved)
		}
	}
}

// advance sends the new statements about this worker's shards to the other workers, wakes the followers of shards with
// unread jobs, and begins the next phase if all shards have finished the present one. isPoll says that advance is
// called because time has passed. Otherwise advance asks the servers only if a phase can end.
func (w *watcher) advance(ctx context.Context, isPoll bool) error {
	if own := w.phases.noteOwn(w.held.all(), isPoll); len(own) > 0 {
		_ = w.log.conn.Publish(w.log.topic("status."+w.log.id()), statusText(own)) // a statement that is lost is sent again
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
		w.changed.notify()
		signal(w.moved) // because the statements may also allow the phase after it
	}
	return nil
}
