package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A runLog reads and writes the log of a run at the servers, for one worker.
type runLog struct {
	name    string // the name of the run
	worker  string // the name of this worker
	conn    *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	subject string // the beginning of all subjects of the log; the part of a message follows it
}

// A part is the end of a subject of the log, such as "jobs.3". The comment of the package lists all parts. These are
// the parts besides the results of jobsSubject and doneSubject.
const (
	runSubject    = "run"
	seededSubject = "seeded"
)

// jobsSubject returns the part for the jobs of shard n.
func jobsSubject(n int) string { return "jobs." + strconv.Itoa(n) }

// doneSubject returns the part for the results of a worker.
func doneSubject(worker string) string { return "done." + worker }

// topic returns the subject of the run that ends in part. Unlike the subjects of the log, it lacks the ID of the run.
func (l *runLog) topic(part string) string { return "locus." + l.name + "." + part }

// id returns the ID of the run, which is a part of its subjects.
func (l *runLog) id() string {
	return strings.TrimSuffix(strings.TrimPrefix(l.subject, l.topic("log.")), ".")
}

// streamName returns the name of a stream of a run. part is "log" or "lease".
func streamName(run, part string) string { return "locus_" + run + "_" + part }

// A message is a message of the log.
type message struct {
	sequence uint64
	data     []byte
	worker   string // the worker that added the mark; "" if the message is not a mark
}

// readAtOnce is how many messages one request asks for.
const readAtOnce = 64

// errGap says that messages of the log are missing, because it was purged or a disk lost them.
var errGap = errors.New("the server has lost a part of the run; start the run again")

// read returns the next messages of the subject of part after a sequence number, as many as one request returns. The
// list is empty if there are no later messages yet. read retries for up to maxOutage. The error is ErrRemoved if the
// run was removed.
func (l *runLog) read(ctx context.Context, part string, after uint64) (all []message, err error) {
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		all, err = l.readOnce(ctx, l.subject+part, after)
		return l.explain(ctx, err)
	})
	return all, err
}

// readOnce makes one request for the messages of a subject after a sequence number. It returns at most readAtOnce
// messages. A server before version 2.11 sends only the first one.
func (l *runLog) readOnce(ctx context.Context, subject string, after uint64) (all []message, err error) {
	request, err := json.Marshal(map[string]any{"seq": after + 1, "next_by_subj": subject, "batch": readAtOnce})
	if err != nil {
		return nil, err
	}
	inbox := l.conn.NewInbox()
	arriving := make(chan *nats.Msg, readAtOnce+1) // for the messages and the end; SubscribeSync would make room for 65536
	replies, err := l.conn.ChanSubscribe(inbox, arriving)
	if err != nil {
		return nil, err
	}
	defer func() { _ = replies.Unsubscribe() }() // an error means that the connection is closed
	if err := l.conn.PublishRequest("$JS.API.DIRECT.GET."+streamName(l.name, "log"), inbox, request); err != nil {
		return nil, err
	}
	for {
		m, err := replies.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404": // the last message was sent
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

// info returns the state of the log, with the number of messages of each subject, all at one moment. The error is
// ErrRemoved if the run was removed, and errGap if messages are missing.
func (l *runLog) info(ctx context.Context) (info *jetstream.StreamInfo, err error) {
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		info, err = l.stream.Info(ctx, jetstream.WithSubjectFilter(l.subject+">"))
		return l.explain(ctx, err)
	})
	switch {
	case err != nil:
		return nil, err
	case l.isReplaced(info):
		return nil, ErrRemoved
	case info.State.FirstSeq > 1 || info.State.NumDeleted > 0:
		return nil, errGap
	}
	return info, nil
}

// messageSlots is how many messages of one batch are published at the same time.
const messageSlots = 64

// publish adds records, by the parts of their subjects, to the log, in as few messages as messageSize allows. The
// messages are published at the same time, so their order is undefined. publish retries for up to maxOutage, unless ctx
// is done. After an error, some of the records may be in the log. If all of them are, publish tells all workers which
// shards have new jobs.
func (l *runLog) publish(ctx context.Context, records map[string][][]byte) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var firstErr error
	slots := make(chan struct{}, messageSlots)
	for part, some := range records {
		for len(some) > 0 {
			n := firstMessage(some)
			message := some[:n]
			some = some[n:]
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				if err := l.publishMessage(ctx, part, message); err != nil {
					mu.Lock()
					defer mu.Unlock()
					firstErr = err
				}
			})
		}
	}
	all.Wait()
	if firstErr == nil {
		l.tellNews(slices.Collect(maps.Keys(records)))
	}
	return firstErr
}

// firstMessage returns how many of the records go into one message: at least one, and as many as messageSize allows.
// records is not empty.
func firstMessage(records [][]byte) int {
	n, size := 1, len(records[0])
	for n < len(records) && size+len(records[n]) <= messageSize {
		size += len(records[n])
		n++
	}
	return n
}

// publishMessage publishes the records as one compressed message to the subject of part. It retries for up to
// maxOutage.
func (l *runLog) publishMessage(ctx context.Context, part string, records [][]byte) error {
	data, err := compress(records)
	if err != nil {
		return err
	}
	return repeat(ctx, maxOutage, func(ctx context.Context) error {
		_, err := l.js.Publish(ctx, l.subject+part, data)
		return l.explain(ctx, err)
	})
}

// workerHeader is the header field of a mark with the name of the worker that added it.
const workerHeader = "Locus-Worker"

// addMark adds a mark of this worker to the subject of part, and returns its sequence number. A reader of the mark has
// read every message before it. The number of the last message, as a server reports it, would not suffice, because a
// new leader of the cluster may report an old one.
func (l *runLog) addMark(ctx context.Context, part string) (sequence uint64, err error) {
	mark := &nats.Msg{Subject: l.subject + part, Header: nats.Header{workerHeader: {l.worker}}}
	err = repeat(ctx, maxOutage, func(ctx context.Context) error {
		ack, err := l.js.PublishMsg(ctx, mark)
		if err == nil {
			sequence = ack.Sequence
		}
		return l.explain(ctx, err)
	})
	return sequence, err
}

// tellNews tells all workers which shards have new jobs: the shards whose jobs are among parts.
func (l *runLog) tellNews(parts []string) {
	var shards []int
	for _, part := range parts {
		if n, isJobs := strings.CutPrefix(part, "jobs."); isJobs {
			n, _ := strconv.Atoi(n) // jobsSubject wrote the number
			shards = append(shards, n)
		}
	}
	if len(shards) > 0 {
		_ = l.conn.Publish(l.topic("news."+l.id()), newsText(shards)) // workers also poll, so an error is ignored
	}
}

// explain returns ErrRemoved if err comes from the removal of the run, and otherwise the result of explainServer. It
// may ask the servers.
func (l *runLog) explain(ctx context.Context, err error) error {
	if !errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return explainServer(err)
	}
	log, gone := l.js.Stream(ctx, streamName(l.name, "log"))
	if errors.Is(gone, jetstream.ErrStreamNotFound) || gone == nil && l.isReplaced(log.CachedInfo()) {
		return ErrRemoved
	}
	return err
}

// isReplaced reports whether log, the stream of the name of this log, belongs to another run of the same name, which
// was started after this run was removed.
func (l *runLog) isReplaced(log *jetstream.StreamInfo) bool {
	return log.Config.Subjects[0] != l.subject+">"
}
