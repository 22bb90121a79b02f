package check

import (
	"cmp"
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
	"locus/scheme"
	"locus/url"
)

// A visit is one attempt to check a URL.
type visit struct {
	*runner
	task    *task
	timer   *time.Timer // ends the attempt
	job     Job
	started bool // the first request was sent, for which the task had its turn

	hops       []Hop
	anchors    []uint64
	unread     string // see Result
	found      Found
	notCrawled bool // see Result
}

// errUnchecked says that the URL could not be checked.
type errUnchecked struct{ why string }

func (e *errUnchecked) Error() string { return e.why }

// check makes one attempt at a task. If it needs another one, the pause before it is
// not 0.
func (r *runner) check(ctx context.Context, t *task) (Result, Found, time.Duration) {
	t.tries++
	result := Result{URL: t.job.URL, Time: time.Now().UTC().Truncate(time.Second), Tries: t.tries}
	bare, _ := cutFragment(t.job.URL)
	if why := r.scope.excludes(bare); why != "" {
		result.Status, result.Reason, result.Tries = Excluded, why, 0
		return result, Found{}, 0
	}
	if why := r.scope.skipsExample(t.job); why != "" {
		result.Status, result.Reason, result.Tries = Excluded, why, 0
		return result, Found{}, 0
	}
	if t.job.Bad == tooLong {
		result.Status, result.Reason, result.Tries = Unchecked, tooLong, 0
		return result, Found{}, 0
	}
	if t.job.Bad != "" {
		result.Status, result.Reason, result.Tries = Dead, t.job.Bad, 0
		return result, Found{}, 0
	}
	if known, ok := r.known(t.job); ok {
		return known, Found{}, 0
	}
	attempt, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v := &visit{runner: r, task: t, job: t.job}
	v.timer = time.AfterFunc(r.timeout(), func() { cancel(context.DeadlineExceeded) })
	defer v.timer.Stop()
	err := v.run(attempt)
	timedOut := attempt.Err() != nil && ctx.Err() == nil
	if wait := r.pause(t.tries, err, timedOut); wait > 0 {
		return result, Found{}, wait
	}
	result.Hops, result.Anchors, result.Unread, result.NotCrawled = v.hops, v.anchors, v.unread, v.notCrawled
	result.Status, result.Code, result.Reason = r.judge(schemeOf(t.job.URL), err)
	if timedOut && err != nil {
		result.Reason = fmt.Sprintf("not done after %v", r.timeout())
	}
	return result, v.found, 0
}

// known returns the result of an earlier run, if that is enough.
func (r *runner) known(j Job) (Result, bool) {
	if r.Known == nil || j.Crawl {
		return Result{}, false
	}
	result, ok := r.Known(j.URL)
	if !ok || j.Anchors && result.Status == Good && result.Anchors == nil {
		return Result{}, false
	}
	result.Known = true
	return result, true
}

// timeout returns how long an attempt may take.
func (r *runner) timeout() time.Duration { return cmp.Or(r.Timeout, 30*time.Second) }

// pause returns how long to wait before the next attempt; 0 if there is none. tries is
// the number of attempts so far.
func (r *runner) pause(tries int, err error, timedOut bool) time.Duration {
	if err == nil || tries > cmp.Or(r.Retries, retry.DefaultRetries) || !timedOut && !retry.Transient(err) || r.isAccepted(err) {
		return 0
	}
	wait := min(cmp.Or(r.Wait, retry.DefaultWait)<<min(tries-1, 10), time.Minute)
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		if e.RetryAfter > time.Minute {
			return 0
		}
		wait = max(wait, e.RetryAfter)
	}
	return wait
}

// isAccepted reports whether err is a reply that counts as good. A success without
// content, such as 204 of HTTP, is an error here.
func (r *runner) isAccepted(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	return ok && e.Reply != nil && (slices.Contains(r.scope.accept, e.Reply.Code) || isWeb(e.URL) && e.Reply.Code/100 == 2)
}

// judge returns the status for an error.
func (r *runner) judge(scheme string, err error) (status Status, code int, reason string) {
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil {
		code = e.Reply.Code
	}
	var unchecked *errUnchecked
	switch {
	case err == nil, r.isAccepted(err):
		return Good, code, ""
	case errors.As(err, &unchecked):
		return Unchecked, code, unchecked.why
	case errors.Is(err, access.ErrNoScheme):
		return Unchecked, code, "nothing opens this scheme"
	case errors.Is(err, access.ErrForm):
		return Good, code, "" // it exists, and asks questions
	case code == 0 && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) && scheme != "file"):
		return Unchecked, code, reasonOf(err) // no request was sent
	}
	return Dead, code, reasonOf(err)
}

// reasonOf returns the text of an error without the URL.
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

// run checks the job's URL. A panic is its error.
func (v *visit) run(ctx context.Context) (err error) {
	defer access.CatchPanic(&err)
	bare, _ := cutFragment(v.job.URL)
	u, err := url.Parse(bare)
	if err != nil {
		return errors.New(badURL(err))
	}
	if v.job.Crawl && v.job.Depth > 0 && v.Recursive && !v.IgnoreRobots && isWeb(u) {
		if err := v.checkRobots(ctx, u); err != nil {
			return err
		}
	}
	switch s, _ := scheme.Lookup(u.Scheme()); {
	case s.Flags.Has(scheme.Address):
		return v.checkMailto(ctx, u)
	case s.Flags.Has(scheme.Session):
		return v.connect(ctx, u)
	case u.Scheme() == "gopher": // its menus have errors in them, which Stat does not read
		return v.follow(ctx, u, v.checkPage)
	}
	if v.job.Crawl || v.job.Anchors {
		err := v.follow(ctx, u, v.checkPage)
		if err == nil && v.job.Crawl && v.job.Depth == 0 && v.Recursive && isWeb(u) {
			v.addSitemaps(ctx, u)
		}
		return err
	}
	err = v.follow(ctx, u, v.stat)
	if mayWorkWithGet(u, err) {
		v.hops = nil
		err = v.follow(ctx, u, v.checkPage)
	}
	return err
}

// addSitemaps adds jobs for the sitemaps in robots.txt that are within the scope.
func (v *visit) addSitemaps(ctx context.Context, u url.URL) {
	rules, _ := v.rules(ctx, u) // after an error there are no sitemaps
	for _, text := range rules.Sitemaps() {
		at, err := url.Parse(text)
		if err != nil || !v.scope.contains(normalize(at).String()) {
			continue
		}
		l := Link{URL: normalize(at).String()}
		v.found.Links = append(v.found.Links, l)
		v.found.Jobs = append(v.found.Jobs, Job{URL: l.URL, Crawl: true, Depth: v.nextDepth()})
	}
}

func schemeOf(u string) string {
	scheme, _, _ := strings.Cut(u, ":")
	return scheme
}

func isWeb(u url.URL) bool { return u.Scheme() == "http" || u.Scheme() == "https" }

// mayWorkWithGet reports whether GET may find what HEAD did not: servers refuse the
// one in every manner and serve the other.
func mayWorkWithGet(u url.URL, err error) bool {
	if !isWeb(u) || err == nil || errors.Is(err, access.ErrRedirect) {
		return false
	}
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return retry.Transient(err) // fs.ErrPermission, a refusal of this program, is not
	}
	switch e.Reply.Code {
	case 401, 407, 410, 429:
		return false
	}
	return e.Reply.Code >= 400
}

// follow calls do with u, and follows redirects.
func (v *visit) follow(ctx context.Context, u url.URL, do func(context.Context, url.URL) error) error {
	const maxHops = 10
	seen := map[url.URL]bool{u: true}
	for {
		if err := v.wait(ctx, u); err != nil {
			return err
		}
		err := do(ctx, u)
		moved, ok := errors.AsType[*access.Moved](err)
		if !ok {
			return err
		}
		to := moved.To
		if len(to.String()) > maxURL {
			return fmt.Errorf("%w: it leads to a URL of more than %d KiB", access.ErrRedirect, maxURL>>10)
		}
		v.hops = append(v.hops, Hop{To: to.String(), Permanent: moved.Permanent})
		if bare, err := to.Without(url.Fragment); err == nil {
			to = bare
		}
		switch {
		case seen[to]:
			return fmt.Errorf("%w: it leads in a circle", access.ErrRedirect)
		case len(v.hops) > maxHops:
			return fmt.Errorf("%w: more than %d redirects", access.ErrRedirect, maxHops)
		}
		if err := allowRedirect(u, to); err != nil {
			return &errUnchecked{"it redirects to " + to.Redacted() + ", which is not followed"}
		}
		seen[to] = true
		u = to
	}
}

// allowRedirect returns an error if a redirect must not be followed. From file to file
// only a Site redirects.
func allowRedirect(from, to url.URL) error {
	if from.Scheme() == "file" && to.Scheme() == "file" {
		return nil
	}
	return access.AllowRedirect(from, to)
}

// wait waits until a request may be sent to the server of u.
func (v *visit) wait(ctx context.Context, u url.URL) error {
	server := limit.Server(u)
	if server == v.task.server && (!v.started || v.schedule.interval == 0) {
		v.started = true
		return context.Cause(ctx)
	}
	return v.untimed(ctx, func() error { return v.waitAt(ctx, server) })
}

// waitAt waits until a request may be sent to a server.
func (v *visit) waitAt(ctx context.Context, server string) error {
	switch {
	case server != v.task.server:
		return v.schedule.move(ctx, v.task, server)
	case v.started:
		return v.schedule.pace(ctx, server)
	}
	v.started = true
	return nil
}

// untimed calls do with the timeout stopped, and restarts the timeout.
func (v *visit) untimed(ctx context.Context, do func() error) error {
	if !v.timer.Stop() { // it has fired
		<-ctx.Done()
		return context.Cause(ctx)
	}
	defer v.timer.Reset(v.timeout())
	return do()
}

// stat requests the attributes. It opens a resource that has none.
func (v *visit) stat(ctx context.Context, u url.URL) error {
	_, err := v.engine.Do(ctx, &access.Request{Op: access.Stat, URL: u})
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return v.connect(ctx, u)
}

// connect opens u and reads nothing.
func (v *visit) connect(ctx context.Context, u url.URL) error {
	r, err := v.engine.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	_ = r.Body.Close() // it may say that the end was not read
	return nil
}
