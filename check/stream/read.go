package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check/internal/run"
)

// A message is one of the log.
type message struct {
	sequence uint64
	data     []byte
	worker   string // that has added it, if it is a mark
}

// readAtOnce is how many messages are requested at once.
const readAtOnce = 64

// errGap says that the log has a gap: it was purged, or a disk lost a part.
var errGap = errors.New("the server has lost a part of the run: start it again")

// read returns the next messages of a subject after a sequence number; none if there are
// none yet.
func (q *Queue) read(ctx context.Context, part string, after uint64) (all []message, err error) {
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		all, err = q.readOnce(ctx, q.logSubject+part, after)
		return q.explain(ctx, err)
	})
	return all, err
}

// readOnce makes one request for the messages of a subject after a sequence number. A
// server before 2.11 sends only the first.
func (q *Queue) readOnce(ctx context.Context, subject string, after uint64) (all []message, err error) {
	request, err := json.Marshal(map[string]any{"seq": after + 1, "next_by_subj": subject, "batch": readAtOnce})
	if err != nil {
		return nil, err
	}
	inbox := q.conn.NewInbox()
	arriving := make(chan *nats.Msg, readAtOnce+1) // the messages and the end; SubscribeSync has room for 65536
	replies, err := q.conn.ChanSubscribe(inbox, arriving)
	if err != nil {
		return nil, err
	}
	defer func() { _ = replies.Unsubscribe() }() // an error means that the connection is closed
	if err := q.conn.PublishRequest("$JS.API.DIRECT.GET."+streamName(q.name, "log"), inbox, request); err != nil {
		return nil, err
	}
	for {
		m, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404": // there are no more
			return all, nil
		case "503":
			return nil, nats.ErrNoResponders
		default:
			return nil, fmt.Errorf("read the run: %s %s", status, m.Header.Get("Description"))
		}
		n, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil || n <= after {
			return nil, errBatch
		}
		all = append(all, message{n, m.Data, m.Header.Get(workerHeader)})
		if after = n; m.Header.Get("Nats-Num-Pending") == "" {
			return all, nil
		}
	}
}

// logInfo returns how many messages each subject of the log has at one moment.
func (q *Queue) logInfo(ctx context.Context) (info *jetstream.StreamInfo, err error) {
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		info, err = q.log.Info(ctx, jetstream.WithSubjectFilter(q.logSubject+">"))
		return q.explain(ctx, err)
	})
	switch {
	case err != nil:
		return nil, err
	case q.isReplaced(info):
		return nil, errEnded
	case info.State.FirstSeq > 1 || info.State.NumDeleted > 0:
		return nil, errGap
	}
	return info, nil
}

// watch learns of new jobs and of the end, until the queue is closed. Messages that are
// not stored may be lost, so it also polls.
func (q *Queue) watch() {
	if err := q.watchUntil(q.ctx); err != nil && q.ctx.Err() == nil {
		q.stop(err)
	}
}

// watchEvery is how often the servers are asked for what no message said.
const watchEvery = time.Second

func (q *Queue) watchUntil(ctx context.Context) error {
	news, err := q.conn.Subscribe(q.subject("news."+q.runID()), q.receiveNews)
	if err != nil {
		return err
	}
	defer func() { _ = news.Unsubscribe() }() // an error means that the connection is closed
	statuses, err := q.conn.Subscribe(q.subject("status."+q.runID()), q.receiveStatus)
	if err != nil {
		return err
	}
	defer func() { _ = statuses.Unsubscribe() }()
	poll := time.NewTicker(watchEvery)
	defer poll.Stop()
	for isPoll := true; ; {
		if err := q.advance(ctx, isPoll); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.moved:
			isPoll = false
		case <-poll.C:
			isPoll = true
		}
	}
}

// newsText returns a message that says which shards have new jobs.
func newsText(shards []int) []byte {
	all := make(map[int]status)
	for _, n := range shards {
		all[n] = status{}
	}
	return statusText(all)
}

// receiveNews wakes the readers of shards with new jobs.
func (q *Queue) receiveNews(m *nats.Msg) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range parseStatus(m.Data) {
		if s := q.shards[n]; s != nil {
			signal(s.news)
		}
	}
}

// receiveStatus adds the statements of another worker.
func (q *Queue) receiveStatus(m *nats.Msg) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, s := range parseStatus(m.Data) {
		if n < q.run.Shards && q.note(n, s) {
			signal(q.moved)
		}
	}
}

// advance tells the other workers the phases of the shards of this one. It moves on to the
// next phase if all shards have finished the present one.
func (q *Queue) advance(ctx context.Context, isPoll bool) error {
	if own := q.noteOwn(isPoll); len(own) > 0 {
		_ = q.conn.Publish(q.subject("status."+q.runID()), statusText(own)) // it is sent again
	}
	if !isPoll && !q.mayAdvance() {
		return nil
	}
	info, err := q.logInfo(ctx)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, s := range q.shards {
		if info.State.Subjects[q.logSubject+jobsSubject(n)] > s.messages {
			signal(s.news)
		}
	}
	if next := q.nextPhase(info.State.Subjects); next > q.phase {
		q.phase, q.counts = next, maps.Clone(info.State.Subjects)
		q.changed.Broadcast()
		signal(q.moved) // what was said of the shards counts for the next phase, too
	}
	return nil
}

// mayAdvance reports whether no statement about a shard forbids the next phase. Shards
// without a statement do not count.
func (q *Queue) mayAdvance() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.status {
		if s.phase <= q.phase {
			return false
		}
	}
	return q.phase < run.PhaseEnd
}

// nextPhase returns the first phase with open jobs, or the present one if that is not
// known. counts are the numbers of messages of all subjects at one moment. mu is held.
func (q *Queue) nextPhase(counts map[string]uint64) (next run.Phase) {
	if counts[q.logSubject+"seeded"] == 0 {
		return q.phase
	}
	next = run.PhaseEnd
	for n := range q.run.Shards {
		messages := counts[q.logSubject+jobsSubject(n)]
		if messages == 0 {
			continue // it has no jobs
		}
		known := q.status[n]
		if known.messages != messages {
			return q.phase
		}
		next = min(next, known.phase)
	}
	if !q.run.Policy.Recursive && next < run.PhaseEnd {
		return q.phase
	}
	return next
}

// currentPhase returns the phase of the jobs that Next returns.
func (q *Queue) currentPhase() run.Phase {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.phase
}
