package stream

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/check"
)

// linksAtOnce is how many links are in one message, so that it is not too long.
const linksAtOnce = 500

// store stores jobs, then a document, then a result if there is one.
func (q *Queue) store(ctx context.Context, s check.Source, jobs []check.Job, result *nats.Msg) error {
	var todo, told []*nats.Msg
	var keys []check.Key
	put := func(key check.Key, subject string, j check.Job) {
		if !q.seen.has(key) {
			keys = append(keys, key)
			todo = append(todo, message(subject, j))
		}
	}
	for _, j := range jobs {
		key, shard := j.Key(), strconv.Itoa(q.shardOf(j.URL))
		if j.Walk {
			put(key, q.subject("todo", shard, fmt.Sprintf("%x", key)), j)
			continue
		}
		if j.Anchors {
			put(wantKey(key), q.want(key), check.Job{})
			j.Anchors = false
		}
		put(key, q.subject("late", shard, fmt.Sprintf("%x", key)), j)
	}
	if err := q.publish(ctx, todo); err != nil {
		return err
	}
	q.seen.add(keys)
	for len(s.Links) > 0 {
		part := check.Source{Document: s.Document, Links: s.Links[:min(linksAtOnce, len(s.Links))]}
		s.Links = s.Links[len(part.Links):]
		m := message("", part)
		m.Subject = q.subject("found", fmt.Sprintf("%x", sha256.Sum256(m.Data))[:32])
		told = append(told, m)
	}
	if result != nil {
		told = append(told, result)
	}
	return q.publish(ctx, told)
}

// want returns the subject that tells that fragments of a URL are wanted.
func (q *Queue) want(key check.Key) string { return q.subject("want", fmt.Sprintf("%x", key)) }

// wantKey returns what stands in seen for the subject of want.
func wantKey(key check.Key) check.Key {
	key[0] ^= 0xff
	return key
}

// settle says of a job that does not walk whether fragments of its URL are
// wanted; it is not to be done if its URL was walked through.
func (q *Queue) settle(ctx context.Context, n int, j *check.Job) (toDo bool, err error) {
	walk := check.Job{URL: j.URL, Walk: true}.Key()
	walked, err := q.isStored(ctx, q.subject("todo", strconv.Itoa(n), fmt.Sprintf("%x", walk)))
	if walked || err != nil {
		return false, err
	}
	j.Anchors, err = q.isStored(ctx, q.want(j.Key()))
	return true, err
}

// isStored reports whether there is a message of a subject in todo.
func (q *Queue) isStored(ctx context.Context, subject string) (yes bool, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		_, err := q.todo.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		yes = err == nil
		return err
	})
	return yes, err
}

// publish stores messages. It tries until they are, or ctx is done, or a minute
// has passed. What is there already is no error.
func (q *Queue) publish(ctx context.Context, all []*nats.Msg) error {
	if len(all) == 0 {
		return nil
	}
	return patiently(ctx, func(ctx context.Context) error {
		var left []*nats.Msg
		var failed error
		acks := make([]jetstream.PubAckFuture, len(all))
		for i, m := range all {
			future, err := q.js.PublishMsgAsync(m, jetstream.WithStallWait(5*time.Second))
			if err != nil {
				left, failed = append(left, m), err
				continue
			}
			acks[i] = future
		}
		for i, future := range acks {
			if future == nil {
				continue
			}
			if err := stored(ctx, future); err != nil {
				left, failed = append(left, all[i]), err
			}
		}
		all = left
		return failed
	})
}

// stored waits until a message is stored.
func stored(ctx context.Context, future jetstream.PubAckFuture) error {
	select {
	case <-future.Ok():
		return nil
	case err := <-future.Err():
		if isThere(err) {
			return nil
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isThere reports whether a message was refused because there is one of its
// subject: NATS has no number of its own for that.
func isThere(err error) bool {
	const storeFailed = 10077
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == storeFailed && strings.Contains(api.Description, "maximum messages per subject")
}

// patiently calls do until it succeeds, or a minute has passed: a cluster that
// has lost a server is itself again before that.
func patiently(ctx context.Context, do func(context.Context) error) error {
	const each, all = 5 * time.Second, time.Minute
	start := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		trying, cancel := context.WithTimeout(ctx, each)
		err := do(trying)
		cancel()
		switch {
		case err == nil, ctx.Err() != nil, time.Since(start) > all,
			errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, nats.ErrConnectionClosed):
			return err
		}
		if sleep(ctx, wait) != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// seen remembers some of the keys that are in the stream already, so that they
// are not sent again and again: most links of a site lead to the same pages.
type seen struct {
	mu  sync.Mutex
	all map[check.Key]struct{}
}

// mostSeen bounds the memory that it takes: some 40 MiB.
const mostSeen = 1 << 20

func (s *seen) has(k check.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.all[k]
	return ok
}

func (s *seen) add(keys []check.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || len(s.all) > mostSeen {
		s.all = make(map[check.Key]struct{})
	}
	for _, k := range keys {
		s.all[k] = struct{}{}
	}
}

// Results yields what came of the jobs so far.
func (q *Queue) Results(ctx context.Context) iter.Seq2[check.Result, error] {
	return read[check.Result](ctx, q, q.subject("done", ">"))
}

// Sources yields the documents, long ones in parts.
func (q *Queue) Sources(ctx context.Context) iter.Seq2[check.Source, error] {
	return read[check.Source](ctx, q, q.subject("found", ">"))
}

// read yields the messages that are there.
func read[T any](ctx context.Context, q *Queue, filter string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		consumer, left, err := q.reader(ctx, filter)
		if err != nil || left == 0 {
			if err != nil {
				yield(zero, err)
			}
			return
		}
		messages, err := consumer.Messages()
		if err != nil {
			yield(zero, err)
			return
		}
		defer messages.Stop()
		for ; left > 0; left-- {
			m, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil {
				yield(zero, err)
				return
			}
			var v T
			if err := json.Unmarshal(m.Data(), &v); !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// reader returns a consumer, and how many messages it will give.
func (q *Queue) reader(ctx context.Context, filter string) (c jetstream.Consumer, messages uint64, err error) {
	err = patiently(ctx, func(ctx context.Context) error {
		if c, err = q.told.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{filter}}); err != nil {
			return err
		}
		info, err := c.Info(ctx)
		if err == nil {
			messages = info.NumPending
		}
		return err
	})
	return c, messages, err
}
