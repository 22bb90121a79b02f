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
	"locus/check/site"
	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/limit"
	"locus/retry"
	"locus/scheme"
	"locus/url"
)

// A visit is one attempt to check a URL.
type visit struct {
	*runner
	policy   Policy // for the host of the job
	task     *task
	job      Job
	limit    time.Duration // how long the requests may take
	timer    *time.Timer   // ends them; nil outside of within
	began    time.Time     // when timer was set
	waited   time.Duration // how long the visit waited for its turns
	timedOut bool          // the last requests took too long
	started  bool          // the first request was sent, for which the task had its turn
	cookies  access.Cookies

	code       int // of the last reply that was no error
	hops       []Hop
	page       *pageStart // nil if none was read
	anchors    []uint64
	unread     string // see Result
	found      Found
	notCrawled bool // see Result
}

// errUnchecked says that the URL could not be checked.
type errUnchecked struct {
	class Class
	why   string
}

func (e *errUnchecked) Error() string { return e.why }

// A failure is an error of a class that its text does not show.
type failure struct {
	class Class
	why   string
}

func (e *failure) Error() string { return e.why }

// newResult returns a result without a verdict.
func newResult(j Job, tries int) Result {
	return Result{URL: j.URL, Time: time.Now().UTC().Truncate(time.Second), Tries: tries}
}

// decide returns the result of a job that needs no request; ok is false for any other job.
func (r *runner) decide(j Job) (result Result, ok bool) {
	bare, _ := cutFragment(j.URL)
	if why := cmp.Or(r.scope.excludes(bare), r.scope.skipsExample(j)); why != "" {
		result = newResult(j, 0)
		result.Status, result.Class, result.Reason = Excluded, ClassPolicy, why
		return result, true
	}
	if j.Bad != "" {
		result = newResult(j, 0)
		result.Status, result.Class = verdictOf(j.Bad)
		result.Reason = j.Bad
		return result, true
	}
	if known, ok := r.known(j); ok {
		return known, true
	}
	if p, ok := r.checkKnown(j); ok {
		result = newResult(j, 1)
		result.Anchors, result.Unread = p.anchors, p.unread
		return result, true
	}
	return Result{}, false
}

// check makes one attempt at a task that decide leaves. If it needs another one, the pause
// before it is not 0.
func (r *runner) check(ctx context.Context, t *task) (Result, Found, time.Duration) {
	t.tries++
	result := newResult(t.job, t.tries)
	start := time.Now()
	v := &visit{runner: r, policy: r.policyFor(t.job.URL), task: t, job: t.job}
	err := v.run(ctx)
	r.noteSilence(v, err, start)
	if wait := v.pause(t.tries, err, v.timedOut); wait > 0 && r.silences.check(serverOf(t.job.URL), v.attempts()) == nil {
		return result, Found{}, wait
	}
	result.Duration = time.Since(start) - v.waited
	result.Hops, result.Anchors, result.Unread, result.NotCrawled = v.hops, v.anchors, v.unread, v.notCrawled
	r.judge(&result, v, err)
	if result.Status == Good && err == nil && isWebText(result.URL) {
		if status, why := v.suspect(ctx, result); status != Good {
			result.Status, result.Class, result.Reason = status, ClassPage, why
		}
	}
	return result, v.found, 0
}

// verdictOf returns the verdict on a text that is no URL to open. bad is its Link.Bad.
func verdictOf(bad string) (Status, Class) {
	switch bad {
	case tooLong:
		return Unchecked, ClassLimit
	case site.NoLabel:
		return Dead, ClassAnchor
	case site.MayBeLabel, site.OtherManual:
		return Unchecked, ClassAnchor
	case site.NoRoot, site.Outside:
		return Unchecked, ClassFile
	}
	return Dead, ClassSyntax
}

// noteSilence records whether the server of the last request answered.
func (r *runner) noteSilence(v *visit, err error, start time.Time) {
	_, wasNotAsked := errors.AsType[*silentError](err)
	switch {
	case v.timedOut && err != nil:
		r.silences.add(serverIn(v.task.pool), start)
	case !wasNotAsked:
		r.silences.end(serverIn(v.task.pool))
	}
}

// policyFor returns the policy for the host of a URL.
func (r *runner) policyFor(text string) Policy {
	u, err := url.Parse(text)
	if err != nil || len(r.Hosts) == 0 {
		return r.Policy
	}
	return r.Policy.at(u)
}

// attempts returns how often the URL is tried.
func (v *visit) attempts() int { return 1 + max(cmp.Or(v.policy.Retries, retry.DefaultRetries), 0) }

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
func (v *visit) timeout() time.Duration { return cmp.Or(v.policy.Timeout, 30*time.Second) }

// pause returns how long to wait before the next attempt; 0 if there is none. tries is
// the number of attempts so far.
func (v *visit) pause(tries int, err error, timedOut bool) time.Duration {
	if err == nil || tries >= v.attempts() || !timedOut && !retry.Transient(err) || v.isAccepted(err) {
		return 0
	}
	wait := min(cmp.Or(v.policy.Wait, retry.DefaultWait)<<min(tries-1, 10), time.Minute)
	if e, ok := errors.AsType[*access.Error](err); ok && e.RetryAfter > 0 {
		if e.RetryAfter > time.Minute {
			return 0
		}
		wait = max(wait, e.RetryAfter)
	}
	return wait
}

// isAccepted reports whether err is a reply that counts as good. A success without
// content, such as 204 of HTTP, is an error here. So are a choice of pages (300), and a
// page that has not changed (304).
func (r *runner) isAccepted(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return false
	}
	code := e.Reply.Code
	return slices.Contains(r.Policy.at(e.URL).Accept, code) || isWeb(e.URL) && (code/100 == 2 || code == 300 || code == 304)
}

// judge sets the status of a result, and its reason.
func (r *runner) judge(result *Result, v *visit, err error) {
	result.Code = v.code
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil {
		result.Code = e.Reply.Code
	}
	scheme := schemeOf(result.URL)
	switch {
	case err == nil, r.isAccepted(err), errors.Is(err, access.ErrForm): // a form exists, and asks questions
		result.Status = Good
		return
	case v.timedOut:
		result.Status, result.Class, result.Reason = Dead, ClassTimeout, fmt.Sprintf("not done after %v", v.timeout())
		return
	}
	result.Status, result.Class, result.Reason = Dead, classOf(scheme, err), reasonOf(err)
	if isUncheckable(scheme, result.Code, err) {
		result.Status = Unchecked
	}
	if name, ok := isWall(err); ok {
		result.Status = BotWall
		if name != "" {
			result.Reason += ", by the bot wall of " + name
		}
	}
}

// isUncheckable reports whether an error says that the URL could not be checked.
func isUncheckable(scheme string, code int, err error) bool {
	_, isUnchecked := errors.AsType[*errUnchecked](err)
	_, isUncertain := errors.AsType[*site.UncertainError](err)
	if isUnchecked || isUncertain || errors.Is(err, access.ErrNoScheme) {
		return true
	}
	// Otherwise it could if a request was sent.
	return code == 0 && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) && !facts.Of(scheme).Has(facts.Local))
}

// reasonOf returns the text of an error without the URL.
func reasonOf(err error) string {
	if errors.Is(err, access.ErrNoScheme) {
		return "nothing opens this scheme"
	}
	e, ok := errors.AsType[*access.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Reply != nil && e.Reply.Code >= 400 && e.Err != nil && !errors.Is(e.Err, access.ErrRedirect):
		return strings.TrimRight(e.Reply.String(), ".")
	case isFile(e.URL) && errors.Is(err, fs.ErrNotExist):
		return "no such file or folder"
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
		return &failure{ClassSyntax, badURL(err)}
	}
	if v.job.Crawl && v.job.Depth > 0 && v.Recursive && !v.IgnoreRobots && isWeb(u) {
		if err := v.checkRobots(ctx, u); err != nil {
			return err
		}
	}
	switch s, _ := scheme.Lookup(u.Scheme()); {
	case s.Flags.Has(scheme.Address):
		return v.within(ctx, v.timeout(), func(ctx context.Context) error { return v.checkMailto(ctx, u) })
	case s.Flags.Has(scheme.Session):
		return v.within(ctx, v.timeout(), func(ctx context.Context) error { return v.connect(ctx, u) })
	case facts.Of(u.Scheme()).Has(facts.Menus): // Stat does not read them
		return v.follow(ctx, u, v.timeout(), v.checkPage)
	case !isWeb(u) && !v.job.Crawl && !v.job.Anchors:
		return v.follow(ctx, u, v.timeout(), v.stat)
	}
	if v.job.Crawl || v.job.Anchors {
		err := v.follow(ctx, u, v.timeout(), v.checkPage)
		if err == nil && v.job.Crawl && v.job.Depth == 0 && v.Recursive && isWeb(u) {
			v.addSitemaps(ctx, u)
		}
		return err
	}
	if v.Probe {
		return v.follow(ctx, u, v.timeout(), v.checkPage)
	}
	err = v.follow(ctx, u, v.timeout()/2, v.stat)
	if !v.timedOut && !mayWorkWithGet(err) {
		return err
	}
	v.hops = nil
	return v.follow(ctx, u, v.timeout()-min(time.Since(v.began), v.timeout()/2), v.checkPage)
}

// within calls do, and cancels its context after limit. Waiting for a turn does not count.
// If a redirect leads to another server, the limit begins again.
func (v *visit) within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	attempt, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v.limit, v.began, v.timedOut = limit, time.Now(), false
	v.timer = time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })
	err := do(attempt)
	v.timer.Stop()
	v.timer = nil
	v.timedOut = err != nil && attempt.Err() != nil && ctx.Err() == nil
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

// schemeOf returns the scheme of a text that is a URL.
func schemeOf(u string) string {
	scheme, _, _ := strings.Cut(u, ":")
	return scheme
}

// isWeb reports whether u is at a server of the web.
func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Protocol == "http" }

// isWebText is isWeb for a text.
func isWebText(text string) bool { return facts.Of(schemeOf(text)).Protocol == "http" }

// isFile reports whether u is a file of this machine.
func isFile(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Local) }

// isFileText is isFile for a text.
func isFileText(text string) bool { return facts.Of(schemeOf(text)).Has(facts.Local) }

// mayWorkWithGet reports whether GET may find what HEAD did not: servers refuse the
// one in every manner and serve the other.
func mayWorkWithGet(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, access.ErrRedirect):
		return errors.Is(err, errCircle) // GET may set a cookie
	}
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return retry.Transient(err) // fs.ErrPermission, a refusal of this program, is not
	}
	switch e.Reply.Code {
	case 407, 410:
		return false
	}
	return e.Reply.Code >= 400
}

// maxRedirects is how many redirects of a link are followed, as in browsers.
const maxRedirects = 20

// maxHops is how many bytes the URLs of all redirects of a link may have. With the most
// anchors they fit into a message of 1 MiB.
const maxHops = 256 << 10

var errCircle = sentinel.New("redirect refused: it leads in a circle", access.ErrRedirect)

// follow calls do with u, and follows redirects. For limit see within.
func (v *visit) follow(ctx context.Context, u url.URL, limit time.Duration, do func(context.Context, url.URL) error) error {
	return v.within(ctx, limit, func(ctx context.Context) error { return v.followAll(ctx, u, do) })
}

// A redirectStep is a request on the way. With other cookies it may have another reply.
type redirectStep struct {
	at      url.URL
	changes int // of the session
}

func (v *visit) followAll(ctx context.Context, u url.URL, do func(context.Context, url.URL) error) error {
	v.cookies = access.Cookies{}
	seen, size := make(map[redirectStep]bool), 0
	for {
		seen[redirectStep{u, v.cookies.Changes}] = true
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
			return &errUnchecked{ClassLimit, fmt.Sprintf("it redirects to a URL of more than %d KiB", maxURL>>10)}
		}
		if size += len(to.String()); size > maxHops {
			return &errUnchecked{ClassLimit, fmt.Sprintf("its redirects have more than %d KiB in all", maxHops>>10)}
		}
		v.hops = append(v.hops, Hop{To: to.String(), Permanent: moved.Permanent})
		if bare, err := to.Without(url.Fragment); err == nil {
			to = bare
		}
		switch {
		case seen[redirectStep{to, v.cookies.Changes}]:
			return errCircle
		case len(v.hops) > maxRedirects:
			return fmt.Errorf("%w: more than %d redirects", access.ErrRedirect, maxRedirects)
		}
		if err := allowRedirect(u, to); err != nil {
			return &errUnchecked{ClassRedirect, "it redirects to " + to.Redacted() + ", which is not followed"}
		}
		u = to
	}
}

// allowRedirect returns an error if a redirect must not be followed. From file to file
// only a Site redirects.
func allowRedirect(from, to url.URL) error {
	if isFile(from) && isFile(to) {
		return nil
	}
	return access.Schemes(nil).AllowRedirect(from, to)
}

// wait waits until a request may be sent to the server of u.
func (v *visit) wait(ctx context.Context, u url.URL) error {
	if err := v.silences.check(limit.Server(u), v.attempts()); err != nil {
		return err
	}
	pool := v.poolAt(u)
	if pool == v.task.pool && (!v.started || !v.schedule.hasPace(pool)) {
		v.started = true
		return context.Cause(ctx)
	}
	return v.untimed(ctx, func() error { return v.waitAt(ctx, pool) })
}

// poolAt returns the pool for a request. At the server of its turn a task keeps its pool.
func (v *visit) poolAt(u url.URL) string {
	if limit.Server(u) == serverIn(v.task.pool) {
		return v.task.pool
	}
	return v.scope.pool(u)
}

// waitAt waits until a request may be sent in a pool.
func (v *visit) waitAt(ctx context.Context, pool string) error {
	switch {
	case pool != v.task.pool:
		return v.schedule.move(ctx, v.task, pool)
	case v.started:
		return v.schedule.pace(ctx, pool)
	}
	v.started = true
	return nil
}

// untimed calls do with the timeout stopped, and restarts the timeout.
func (v *visit) untimed(ctx context.Context, do func() error) error {
	if v.timer == nil {
		return do()
	}
	if !v.timer.Stop() { // it has fired
		<-ctx.Done()
		return context.Cause(ctx)
	}
	start := time.Now()
	defer func() {
		v.began = time.Now()
		v.waited += v.began.Sub(start)
		v.timer.Reset(v.limit)
	}()
	return do()
}

// stat requests the attributes. It opens a resource that has none.
func (v *visit) stat(ctx context.Context, u url.URL) error {
	if ok, err := v.readBefore(u); ok {
		return err
	}
	_, err := v.do(ctx, &access.Request{Op: access.Stat, URL: u})
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return v.connect(ctx, u)
}

// connect opens u and reads nothing.
func (v *visit) connect(ctx context.Context, u url.URL) error {
	r, err := v.do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	_ = r.Body.Close() // it may say that the end was not read
	return nil
}

// do sends a request with the cookies of the visit, and keeps the code of its reply.
func (v *visit) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	req.Cookies = &v.cookies
	r, err := v.engine.Do(ctx, req)
	v.code = 0
	if err != nil {
		return nil, err
	}
	v.code = r.HTTPStatus
	return r, nil
}
