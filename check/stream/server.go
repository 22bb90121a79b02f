package stream

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"locus/access"
	"locus/retry"
)

const (
	// maxStart is how long a request is repeated at the start and the end of a run. A cluster that has lost a server
	// recovers sooner.
	maxStart = time.Minute

	// maxPlacement is how long a request is repeated if the cluster has too few servers for the replicas. It is
	// repeated because a cluster that has just started does not know all of its servers.
	maxPlacement = 10 * time.Second

	// maxOutage is how long a request is repeated while the run is in progress, because most servers of a cluster may
	// be restarted at the same time.
	maxOutage = 5 * time.Minute
)

// repeat calls do until it succeeds, fails with an error that is final (see isFinal), or maxTime has passed. It returns
// the last error of do, explained for the user, or the cause of ctx if ctx is done. Each call of do gets a context with
// a time limit. The limit is one second at first, and grows to three seconds.
func repeat(ctx context.Context, maxTime time.Duration, do func(context.Context) error) error {
	start, limit := time.Now(), time.Second
	var err error
	p := retry.Policy{Retries: math.MaxInt, Time: maxTime, Wait: 10 * time.Millisecond}
	_ = p.Do(ctx, func(ctx context.Context) error { // err is the error of the last call, without what Do adds
		attempt, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		limit = min(2*limit, 3*time.Second)
		err = do(attempt)
		if err == nil || isFinal(err) || hasNoPeers(err) && time.Since(start) > maxPlacement {
			return nil
		}
		return access.ErrTemporary
	}, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the server did not answer for %v", maxTime)
	}
	return explainServer(err)
}

// isFinal reports whether an operation that failed with err would fail again, so that repeat must not retry it.
func isFinal(err error) bool {
	for _, final := range []error{
		ErrRemoved, errGap, ErrFull, ErrVersion, ErrNoJetStream, nats.ErrConnectionClosed, nats.ErrMaxPayload,
	} {
		if errors.Is(err, final) {
			return true
		}
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == noReplicas || api.Code == 400 && api.ErrorCode != jetstream.JSErrCodeStreamNameInUse)
}

// isOutdated reports whether err says that a message was not stored because its subject has another last message than
// expected.
func isOutdated(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// ErrFull says that the servers have no room for the run. The run can be resumed when they have room. The errors of a
// Queue wrap it.
var ErrFull = errors.New("the servers have no space left for the run")

// ErrFewServers says that fewer servers are online than Options.Replicas. The error of Start wraps it.
var ErrFewServers = errors.New("the run needs more replicas than the cluster has servers online")

// ErrNoJetStream says that the server keeps no streams, or that the account of the login may not use them. The errors of
// Start, Join and Runs wrap it.
var ErrNoJetStream = errors.New("JetStream is not enabled")

// explainMissing returns an error that wraps ErrNoJetStream if err comes from a server or an account without JetStream,
// and otherwise err. It asks conn, because a server with JetStream may also lack a responder for a while.
func explainMissing(conn *nats.Conn, err error) error {
	isEnabled, _ := conn.ConnectedServerJetStream()
	switch {
	case errors.Is(err, nats.ErrNoResponders) && !isEnabled && conn.IsConnected():
		return fmt.Errorf("%w at the server", ErrNoJetStream)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%w for the account", ErrNoJetStream)
	}
	return err
}

// Codes of errors in errors.json of nats-server.
const (
	noSuitablePeers = 10005
	noResources     = 10023
	noStorage       = 10047
	noReplicas      = 10074
	storeFailed     = 10077
)

// hasNoPeers reports whether err says that too few servers are online for the replicas of a stream.
func hasNoPeers(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == noSuitablePeers
}

// explainServer returns an error that wraps ErrFewServers or ErrFull if err is such an error of the servers, and
// otherwise err.
func explainServer(err error) error {
	api, ok := errors.AsType[*jetstream.APIError](err)
	if !ok {
		return err
	}
	switch api.ErrorCode {
	case noSuitablePeers, noReplicas:
		return fmt.Errorf("%w: %s", ErrFewServers, api.Description)
	case noResources, noStorage, storeFailed:
		return fmt.Errorf("%w: %s", ErrFull, api.Description)
	}
	return err
}
