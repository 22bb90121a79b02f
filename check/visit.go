package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/limit"
	"locus/retry"
	"locus/url"
)

// A visit is one try to find out about a URL.
type visit struct {
	*runner
	task    *task
	clock   *time.Timer // that ends the try
	job     Job
	hops    []Hop
	anchors []uint64
	found   Found

	begun    bool // the first access has begun, for which it was the task's turn
	unwalked bool // as in Result
}

// errUnchecked says that a check found out nothing.
type errUnchecked struct{ why string }

func (e *errUnchecked) Error() string { return e.why }

// try checks a task. If it is to be tried again the pause before that is not 0.
func (r *runner) try(ctx context.Context, t *task) (Result, Found, time.Duration) {
	t.tries++
	result := Result{URL: t.job.URL, Time: time.Now().UTC().Truncate(time.Second), Tries: t.tries}
	if why := r.scope.why(t.job.URL); why != "" {
		result.Status, result.Reason, result.Tries = Excluded, why, 0
		return result, Found{}, 0
	}
	if t.job.Bad != "" {
		result.Status, result.Reason, result.Tries = Dead, t.job.Bad, 0
		return result, Found{}, 0
	}
	if known, ok := r.known(t.job); ok {
		return known, Found{}, 0
	}
	trying, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v := &visit{runner: r, task: t, job: t.job}
	v.clock = time.AfterFunc(r.timeout(), func() { cancel(context.DeadlineExceeded) })
	defer v.clock.Stop()
	err := v.run(trying)
	late := trying.Err() != nil && ctx.Err() == nil
	if wait := r.pause(t.tries, err, late); wait > 0 {
		return result, Found{}, wait
	}
	result.Hops, result.Anchors, result.Unwalked = v.hops, v.anchors, v.unwalked
	result.Status, result.Code, result.Reason = r.judge(schemeOf(t.job.URL), err)
	if late && err != nil {
		result.Reason = fmt.Sprintf("not done after %v", r.timeout())
	}
	return result, v.found, 0
}

// known returns what an earlier run found, if that is enough.
func (r *runner) known(j Job) (Result, bool) {
	if r.Known == nil || j.Walk {
		return Result{}, false
	}
	result, ok := r.Known(j.URL)
	if !ok || j.Anchors && result.Status == Good && result.Anchors == nil {
		return Result{}, false
	}
	result.Known = true
	return result, true
}

// timeout is how long a try may take.
func (r *runner) timeout() time.Duration { return or(r.Timeout, 30*time.Second) }

// pause returns how long to wait after some tries before another; 0 if there is to
// be none.
func (r *runner) pause(tries int, err error, late bool) time.Duration {
	if err == nil || tries > or(r.Tries, 2) || !late && !retry.Transient(err) || r.accepted(err) {
		return 0
	}
	wait := min(or(r.Wait, time.Second)<<min(tries-1, 10), time.Minute)
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		if e.RetryAfter > time.Minute {
			return 0
		}
		wait = max(wait, e.RetryAfter)
	}
	return wait
}

// accepted reports whether err is a reply that counts as good: one that says that
// all is well has no page, such as 204 of HTTP.
func (r *runner) accepted(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	return ok && e.Reply != nil && (slices.Contains(r.scope.accept, e.Reply.Code) || isWeb(e.URL) && e.Reply.Code/100 == 2)
}

// judge says what an error means.
func (r *runner) judge(scheme string, err error) (status Status, code int, reason string) {
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil {
		code = e.Reply.Code
	}
	var unchecked *errUnchecked
	switch {
	case err == nil:
		return Good, code, ""
	case r.accepted(err):
		return Good, code, ""
	case errors.As(err, &unchecked):
		return Unchecked, code, unchecked.why
	case errors.Is(err, access.ErrNoScheme):
		return Unchecked, code, "nothing opens this scheme"
	case errors.Is(err, access.ErrForm):
		return Good, code, "" // it is there, and asks something
	case code == 0 && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) && scheme != "file"):
		return Unchecked, code, reasonOf(err) // nobody was asked
	}
	return Dead, code, reasonOf(err)
}

// reasonOf says why, without the URL.
func reasonOf(err error) string {
	e, ok := errors.AsType[*access.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Reply != nil && e.Reply.Code >= 400 && e.Err != nil && !errors.Is(e.Err, access.ErrRedirect):
		return strings.TrimRight(e.Reply.String(), ".")
	}
	if inner, ok := errors.AsType[*access.Error](e.Err); ok {
		return reasonOf(inner)
	}
	return e.Why()
}

// run finds out about the job's URL.
func (v *visit) run(ctx context.Context) error {
	u, err := url.Parse(v.job.URL)
	if err != nil {
		return errors.New(badness(err))
	}
	if v.job.Walk && v.job.Depth > 0 && v.Recursive && !v.IgnoreRobots && isWeb(u) {
		if err := v.mayWalk(ctx, u); err != nil {
			return err
		}
	}
	switch u.Scheme() {
	case "mailto":
		return v.address(ctx, u)
	case "telnet", "rlogin", "tn3270":
		return v.connect(ctx, u)
	case "gopher":
		return v.follow(ctx, u, v.page)
	}
	if v.job.Walk || v.job.Anchors {
		err := v.follow(ctx, u, v.page)
		if err == nil && v.job.Walk && v.job.Depth == 0 && v.Recursive && isWeb(u) {
			v.sitemaps(ctx, u)
		}
		return err
	}
	err = v.follow(ctx, u, v.stat)
	if mayBeGot(u, err) {
		v.hops = nil
		err = v.follow(ctx, u, v.page)
	}
	return err
}

// sitemaps walks through what the robots.txt of the first page's server names, as
// far as that is within the scope.
func (v *visit) sitemaps(ctx context.Context, u url.URL) {
	rules, _ := v.rules(ctx, u) // without, none are named
	for _, text := range rules.Sitemaps() {
		at, err := url.Parse(text)
		if err != nil || !v.scope.within(normal(at).String()) {
			continue
		}
		l := Link{URL: normal(at).String()}
		v.found.Links = append(v.found.Links, l)
		v.found.Jobs = append(v.found.Jobs, Job{URL: l.URL, Walk: true, Depth: v.deeper()})
	}
}

func schemeOf(u string) string {
	scheme, _, _ := strings.Cut(u, ":")
	return scheme
}

func isWeb(u url.URL) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// mayBeGot reports whether GET may find what HEAD did not: servers refuse the
// one in every manner and serve the other.
func mayBeGot(u url.URL, err error) bool {
	if !isWeb(u) || err == nil || errors.Is(err, access.ErrRedirect) || errors.Is(err, fs.ErrPermission) && !hasReply(err) {
		return false
	}
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return retry.Transient(err)
	}
	switch e.Reply.Code {
	case 401, 407, 410, 429:
		return false
	}
	return e.Reply.Code >= 400
}

func hasReply(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	return ok && e.Reply != nil
}

// follow calls do with u, and with where it has moved to.
func (v *visit) follow(ctx context.Context, u url.URL, do func(context.Context, url.URL) error) error {
	const most = 10
	seen := map[url.URL]bool{u: true}
	for {
		if err := v.turn(ctx, u); err != nil {
			return err
		}
		err := do(ctx, u)
		moved, ok := errors.AsType[*access.Moved](err)
		if !ok {
			return err
		}
		to := moved.To
		if len(to.String()) > longestURL {
			return fmt.Errorf("%w: it leads to a URL of more than %d KiB", access.ErrRedirect, longestURL>>10)
		}
		v.hops = append(v.hops, Hop{To: to.String(), Permanent: moved.Permanent})
		if bare, err := to.Without(url.Fragment); err == nil {
			to = bare
		}
		switch {
		case seen[to]:
			return fmt.Errorf("%w: it leads in a circle", access.ErrRedirect)
		case len(v.hops) > most:
			return fmt.Errorf("%w: more than %d redirects", access.ErrRedirect, most)
		}
		if err := access.AllowRedirect(u, to); err != nil {
			return &errUnchecked{"it redirects to " + to.Redacted() + ", which is not followed"}
		}
		seen[to] = true
		u = to
	}
}

// turn waits until an access may begin at the server of u.
func (v *visit) turn(ctx context.Context, u url.URL) error {
	server := limit.Server(u)
	if server == v.task.server && (!v.begun || v.turns.every == 0) {
		v.begun = true
		return context.Cause(ctx)
	}
	return v.untimed(ctx, func() error { return v.turnAt(ctx, server) })
}

func (v *visit) turnAt(ctx context.Context, server string) error {
	switch {
	case server != v.task.server:
		return v.turns.move(ctx, v.task, server)
	case v.begun:
		return v.turns.pace(ctx, server)
	}
	v.begun = true
	return nil
}

// untimed calls do, after which the try's time begins anew.
func (v *visit) untimed(ctx context.Context, do func() error) error {
	if !v.clock.Stop() { // it has passed
		<-ctx.Done()
		return context.Cause(ctx)
	}
	defer v.clock.Reset(v.timeout())
	return do()
}

// stat asks for the attributes, and opens what has none.
func (v *visit) stat(ctx context.Context, u url.URL) error {
	_, err := v.opener.Do(ctx, &access.Request{Op: access.Stat, URL: u})
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return v.connect(ctx, u)
}

// connect opens u, and reads nothing.
func (v *visit) connect(ctx context.Context, u url.URL) error {
	r, err := v.opener.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	_ = r.Body.Close() // it was not read to its end
	return nil
}
