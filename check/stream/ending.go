package stream

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// An ending passes on the news that the run is done. The process that makes the report tells the other processes before
// it removes the run, because a process that no longer finds the run could not know whether it was done or forgotten.
type ending struct {
	log  *runLog
	news *nats.Subscription // nil before listen
	told chan struct{}      // closed when the news has come
}

// newEnding returns an ending that does not listen yet.
func newEnding() ending { return ending{told: make(chan struct{})} }

// subject returns the subject of the message by which tell sends the news.
func (e *ending) subject() string { return e.log.topic("end." + e.log.id()) }

// listen subscribes, until close is called, to the news that the run is done. When the news comes, told is closed.
func (e *ending) listen() (err error) {
	tell := sync.OnceFunc(func() { close(e.told) })
	e.news, err = e.log.conn.Subscribe(e.subject(), func(*nats.Msg) { tell() })
	return err
}

// close ends the subscription, if there is one.
func (e *ending) close() {
	if e.news != nil {
		_ = e.news.Unsubscribe() // an error means that the connection is closed
	}
}

// tell tells all workers that the run is done, and returns when the server has it.
func (e *ending) tell(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, maxStart)
	defer cancel()
	return errors.Join(e.log.conn.Publish(e.subject(), nil), e.log.conn.FlushWithContext(ctx))
}

// maxNews is how long await waits. The news may come after the error of a request, because each has its own goroutine.
const maxNews = 2 * time.Second

// await reports whether the news has come. It waits for up to maxNews.
func (e *ending) await() bool {
	select {
	case <-e.told:
		return true
	case <-time.After(maxNews):
		return false
	}
}
