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
	"locus/access/engine"
	"locus/check/site"
	"locus/internal/facts"
	"locus/internal/weburl"
	"locus/retry"
	"locus/url"
)

// How the pieces work together:
//
// The runner first calls decide, which returns the result of a job that needs no request. For any other job, check
// makes a visit. The visit's method run chooses the requests by the traits of the scheme: it calls follow with stat,
// connect or checkPage, which send one request each. follow uses access.Follow for the redirects. Its hook recordHop
// records each redirect, and allowRedirect decides whether it is followed. Before each request, the visit's clock
// (clock.go) gets a turn at the server from the schedule. The clock also stops a request that takes too long.
//
// Then judge turns the error into a status and a reason, and suspect examines a page that was found. If the error may
// be transient, pause says by retry.Policy when the next attempt follows, and the worker gives the task back to the
// schedule, which waits until then. Each attempt is a new visit; task counts them.

// A visit is one attempt to check a URL. One goroutine uses it.
type visit struct {
	*runner
	policy  Policy // the policy for the host of the job
	job     Job
	clock   clock
	cookies access.Cookies

	code       int // the HTTP status of the last response that was not an error
	hops       []Hop
	refresh    refresh    // the last page that redirected by itself
	page       *pageStart // nil if no HTML page of the web was opened
	anchors    []uint64
	unread     string // see Result
	found      Found
	notCrawled bool // see Result
}

// An uncheckedError says that the URL could not be checked.
type uncheckedError struct {
	class Class
	why   string
}

func (e *uncheckedError) Error() string { return e.why }

// A failure is an error whose class cannot be found out from its type or text.
type failure struct {
	class Class
	why   string
}

func (e *failure) Error() string { return e.why }

// newResult returns a result for j whose status is still the zero Status, Good. tries is the number of attempts.
func newResult(j Job, tries int) Result {
	return Result{URL: j.URL, Time: time.Now().UTC().Truncate(time.Second), Tries: tries}
}

// decide returns the result of a job that needs no request: an excluded or Bad one, a job with a result of an earlier
// run, or a page that Pages knows. ok is false for any other job.
func (r *runner) decide(j Job) (result Result, ok bool) {
	bare, _ := cutFragment(j.URL)
	if why := cmp.Or(r.scope.excludes(bare), r.scope.skipsExample(j), r.excludesOffline(j)); why != "" {
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
	if known, ok := r.earlierResult(j); ok {
		return known, true
	}
	if p, ok := r.checkKnown(j); ok {
		result = newResult(j, 1)
		result.Anchors, result.Unread = p.anchors, p.unread
		return result, true
	}
	return Result{}, false
}

// newVisit returns a visit to the URL of j, which uses the turns of t. p is the policy for the host of j.
func (r *runner) newVisit(t *task, j Job, p Policy) *visit {
	return &visit{runner: r, policy: p, job: j, clock: clock{runner: r, policy: p, task: t}}
}

// check makes one attempt at a task for which decide has no result, and returns the result with the links and jobs of
// the page. If the returned pause is positive, the attempt failed, its result does not count, and another attempt must
// follow after the pause.
func (r *runner) check(ctx context.Context, t *task) (Result, Found, time.Duration) {
	t.tries++
	result := newResult(t.job, t.tries)
	start := time.Now()
	v := r.newVisit(t, t.job, r.policyFor(t.job.URL))
	err := v.run(ctx)
	r.noteSilence(v, err, start)
	if wait, mayPass := v.pause(t.tries, err); mayPass && r.silences.check(serverOf(t.job.URL), v.policy.attempts()) == nil {
		return result, Found{}, max(wait, 1)
	}
	result.Duration = time.Since(start) - v.clock.waited
	result.Hops, result.Anchors, result.Unread, result.NotCrawled = v.hops, v.anchors, v.unread, v.notCrawled
	r.judge(&result, v, err)
	if result.Status == Good && err == nil && isWebText(result.URL) {
		if status, why := v.suspect(ctx, result); status != Good {
			result.Status, result.Class, result.Reason = status, ClassPage, why
		}
	}
	return result, v.found, 0
}

// verdictOf returns the status and the class of a link that is not opened because of its Link.Bad.
func verdictOf(bad string) (Status, Class) {
	switch bad {
	case tooLong, longBase:
		return Unchecked, ClassLimit
	case site.NoLabel, site.NoItem:
		return Dead, ClassAnchor
	case site.MayBeLabel, site.OtherManual:
		return Unchecked, ClassAnchor
	case site.MayBeDocument, site.NoRoot, site.Outside, site.NoWiki, site.MayBeNote, site.OtherComponent:
		return Unchecked, ClassFile
	case site.NoNote, noAttachment:
		return Dead, ClassFile
	}
	return Dead, ClassSyntax
}

// noteSilence records in silences whether the server of the visit's last request answered. err is the error of the
// visit, and start the time at which it began.
func (r *runner) noteSilence(v *visit, err error, start time.Time) {
	_, wasNotAsked := errors.AsType[*silentError](err)
	switch {
	case v.clock.timedOut && err != nil:
		r.silences.noteUnanswered(v.clock.server(), start)
	case !wasNotAsked:
		r.silences.noteAnswered(v.clock.server())
	}
}

// policyFor returns the policy for the host of a URL. For a text that is not a URL it is the policy of the run.
func (r *runner) policyFor(text string) Policy {
	u, err := weburl.Parse(text)
	if err != nil || len(r.Hosts) == 0 {
		return r.Policy
	}
	return r.Policy.withRuleFor(u)
}

// earlierResult returns the result of an earlier run for a job, by Known. It returns false if there is none, or if it
// lacks something that the job needs.
func (r *runner) earlierResult(j Job) (Result, bool) {
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

// maxPause is the longest pause between two attempts.
const maxPause = time.Minute

// retries returns the retry.Policy for the attempts at a URL. Its pauses are not shortened at random, because the
// schedule spreads the requests to a server.
func (p Policy) retries() retry.Policy {
	return retry.Policy{Retries: p.Retries, Wait: p.Wait, Time: maxPause, Random: func() float64 { return 0 }}
}

// attempts returns the greatest number of attempts at a URL.
func (p Policy) attempts() int { return p.retries().Attempts() }

// pause returns how long to wait before the next attempt, and true. It returns false if there must be no further
// attempt, because the URL is good or another attempt would not help. tries is the number of attempts so far, and err
// is the error of the last one.
func (v *visit) pause(tries int, err error) (time.Duration, bool) {
	if err == nil || v.isAccepted(err) {
		return 0, false
	}
	if v.clock.timedOut {
		err = access.ErrTemporary
	}
	return v.policy.retries().Pause(err, tries)
}

// isAccepted reports whether err is a reply that counts as good. Some successes of HTTP are errors of an Engine: a
// success without content, such as 204, a choice of pages (300), and a page that has not changed (304). A challenge of a
// bot wall counts as good only if Accept has its status.
func (r *runner) isAccepted(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return false
	}
	code := e.Reply.Code
	if slices.Contains(r.Policy.withRuleFor(e.URL).Accept, code) {
		return true
	}
	return isWeb(e.URL) && (code/100 == 2 || code == 300 || code == 304) && wallOf(e.Header, code) == ""
}

// judge sets the code, the status, the class and the reason of result. err is the error of the visit v; nil means Good.
func (r *runner) judge(result *Result, v *visit, err error) {
	result.Code = v.code
	if e, ok := errors.AsType[*access.Error](err); ok && e.Reply != nil {
		result.Code = e.Reply.Code
	}
	scheme := schemeOf(result.URL)
	switch {
	case err == nil, r.isAccepted(err), errors.Is(err, access.ErrForm): // the form exists, and asks for input
		result.Status = Good
		return
	case v.clock.timedOut:
		result.Status, result.Class, result.Reason = Dead, ClassTimeout, fmt.Sprintf("timed out after %v", v.policy.timeout())
		return
	}
	result.Status, result.Class, result.Reason = Dead, classOf(scheme, err), reasonOf(err)
	if isUncheckable(scheme, result.Code, err) {
		result.Status = Unchecked
	}
	if reason := wallReason(err); reason != "" {
		result.Status, result.Class, result.Reason = BotWall, ClassStatus, reason
	}
	result.noteRefresh(v.refresh)
	result.noteTypo()
}

// isUncheckable reports whether err means that the URL could not be checked, rather than that it is dead. code is the
// code of the server's reply; 0 if there was none.
func isUncheckable(scheme string, code int, err error) bool {
	_, isUnchecked := errors.AsType[*uncheckedError](err)
	_, isUncertain := errors.AsType[*site.UncertainError](err)
	if isUnchecked || isUncertain || errors.Is(err, access.ErrNoScheme) {
		return true
	}
	// Otherwise a request that was sent counts as a check.
	return code == 0 && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) && !facts.Of(scheme).Has(facts.LocalPath))
}

// reasonOf returns the Result.Reason for an error: its text without the URL. For a reply with a code of 400 or more, it
// is the text of the reply.
func reasonOf(err error) string {
	if errors.Is(err, access.ErrNoScheme) {
		return "locus cannot open this scheme"
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

// run makes the attempt: it checks the job's URL with a HEAD or a GET, by a connection, or by a lookup. It returns nil
// for a good URL, and a panic as an error. The other results are fields of v.
func (v *visit) run(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	bare, _ := cutFragment(v.job.URL)
	u, err := weburl.Parse(bare)
	if err != nil {
		return &failure{ClassSyntax, badURL(err)}
	}
	if v.job.Crawl && v.job.Depth > 0 && v.Recursive && !v.IgnoreRobots && isWeb(u) {
		if err := v.checkRobots(ctx, u); err != nil {
			return err
		}
	}
	switch s := v.Schemes.Of(u.Scheme()); {
	case s.Address:
		return v.clock.within(ctx, v.policy.timeout(), func(ctx context.Context) error { return v.checkAddresses(ctx, u) })
	case s.Session:
		return v.clock.within(ctx, v.policy.timeout(), func(ctx context.Context) error { return v.connect(ctx, u) })
	case facts.Of(u.Scheme()).Has(facts.Menus): // Stat does not read menus
		return v.follow(ctx, u, v.policy.timeout(), v.checkPage)
	case !isWeb(u) && !v.job.Crawl && !v.job.Anchors:
		return v.follow(ctx, u, v.policy.timeout(), v.stat)
	}
	if v.job.Crawl || v.job.Anchors {
		err := v.follow(ctx, u, v.policy.timeout(), v.checkPage)
		if err == nil && v.job.Crawl && v.job.Depth == 0 && v.Recursive && isWeb(u) {
			v.addSitemaps(ctx, u)
		}
		return err
	}
	if v.Probe {
		return v.follow(ctx, u, v.policy.timeout(), v.checkPage)
	}
	err = v.follow(ctx, u, v.policy.timeout()/2, v.stat)
	if !v.clock.timedOut && !mayWorkWithGet(err) {
		return err
	}
	v.hops = nil
	return v.follow(ctx, u, v.policy.timeout()-min(time.Since(v.clock.began), v.policy.timeout()/2), v.checkPage)
}

// addSitemaps adds links and jobs for the sitemaps that the robots.txt of u's server lists and that are within the
// scope.
func (v *visit) addSitemaps(ctx context.Context, u url.URL) {
	rules, _ := v.rules(ctx, u) // after an error there are no sitemaps
	for _, text := range rules.Sitemaps() {
		at, ok := weburl.Resolve(u, text)
		if !ok || !v.scope.contains(normalize(at).String()) {
			continue
		}
		l := Link{URL: normalize(at).String()}
		v.found.Links = append(v.found.Links, l)
		v.found.Jobs = append(v.found.Jobs, Job{URL: l.URL, Crawl: true, Depth: v.nextDepth()})
	}
}

// schemeOf returns the scheme of a URL without parsing the rest.
func schemeOf(u string) string {
	scheme, _, _ := strings.Cut(u, ":")
	return scheme
}

// isWeb reports whether u is the URL of a web server.
func isWeb(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.Web) }

// isWebText reports whether the scheme of an unparsed URL is http or https.
func isWebText(text string) bool { return facts.Of(schemeOf(text)).Has(facts.Web) }

// isFile reports whether u is a file of this machine.
func isFile(u url.URL) bool { return facts.Of(u.Scheme()).Has(facts.LocalPath) }

// isFileText reports whether the scheme of an unparsed URL has paths of this machine, as file does.
func isFileText(text string) bool { return facts.Of(schemeOf(text)).Has(facts.LocalPath) }

// mayWorkWithGet reports whether GET may succeed where HEAD failed with err; false if err is nil. Servers refuse HEAD
// in many ways, and yet serve GET.
func mayWorkWithGet(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, access.ErrRedirect):
		return errors.Is(err, access.ErrCircle) // the response to GET may set a cookie
	}
	e, ok := errors.AsType[*access.Error](err)
	if !ok || e.Reply == nil {
		return retry.Transient(err) // fs.ErrPermission, with which this program refuses a URL, is not transient
	}
	switch e.Reply.Code {
	case 407, 410:
		return false
	}
	return e.Reply.Code >= 400
}

// maxRedirects is the greatest number of redirects that are followed, as in browsers.
const maxRedirects = 20

// maxHops is the greatest total length of the URLs of a link's redirects, in bytes. With maxAnchors anchors they must
// fit into a message of 1 MiB.
const maxHops = 256 << 10

// follow calls do for u, and for the target of each redirect, within the time limit. It returns the error of the last
// do. An error about a redirect that is not followed is an *uncheckedError or wraps access.ErrRedirect.
func (v *visit) follow(ctx context.Context, u url.URL, limit time.Duration, do request) error {
	return v.clock.within(ctx, limit, func(ctx context.Context) error { return v.followAll(ctx, u, do) })
}

// A request sends one request to the server of a URL. If the server or the page redirects to another URL, the error
// is an *access.Moved.
type request func(ctx context.Context, u url.URL) error

// Do implements access.Engine, so that access.Follow can call do for u and for the target of each redirect. It
// removes the fragment of the URL.
func (do request) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	u, err := req.URL.Without(url.Fragment)
	if err != nil {
		u = req.URL
	}
	if err := do(ctx, u); err != nil {
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: access.NoBody}, nil
}

// followAll calls do for u and for the target of each redirect, without a time limit. It waits for a turn at the server
// before each request, and begins with no cookies. If a redirect is not followed, the error is an *uncheckedError or
// wraps access.ErrRedirect.
func (v *visit) followAll(ctx context.Context, u url.URL, do request) error {
	v.cookies = access.Cookies{}
	inTurn := func(ctx context.Context, u url.URL) error {
		if err := v.clock.wait(ctx, u); err != nil {
			return err
		}
		return do(ctx, u)
	}
	f := access.Follow{Engine: request(inTurn), Max: maxRedirects, Allow: v.allowRedirect, Hop: v.recordHop}
	_, err := f.Do(ctx, &access.Request{URL: u, Cookies: &v.cookies})
	refused, ok := errors.AsType[*access.RedirectError](err)
	if !ok {
		return err
	}
	if unchecked, ok := errors.AsType[*uncheckedError](refused.Why); ok {
		return unchecked
	}
	return fmt.Errorf("%w: %w", access.ErrRedirect, refused.Why) // the hops have the target, so the error need not show it
}

// mayRedirect reports whether a redirect between two URLs may be followed. A redirect from a file to a file is always
// followed, because only a Site makes such redirects.
func mayRedirect(s access.Schemes, from, to url.URL) bool {
	return isFile(from) && isFile(to) || s.AllowRedirect(from, to) == nil
}

// recordHop adds a redirect to v.hops. It returns an *uncheckedError if the URLs of the redirects are too long to keep.
func (v *visit) recordHop(moved *access.Moved, _ url.URL) error {
	to := moved.To.String()
	if len(to) > maxURL {
		return &uncheckedError{ClassLimit, fmt.Sprintf("it redirects to a URL of more than %d KiB", maxURL>>10)}
	}
	size := len(to)
	for _, h := range v.hops {
		size += len(h.To)
	}
	if size > maxHops {
		return &uncheckedError{ClassLimit, fmt.Sprintf("its redirects have more than %d KiB in all", maxHops>>10)}
	}
	v.hops = append(v.hops, Hop{To: to, Permanent: moved.Permanent})
	return nil
}

// allowRedirect returns an *uncheckedError if the redirect between two URLs must not be followed, and nil otherwise.
func (v *visit) allowRedirect(from, to url.URL) error {
	if mayRedirect(v.Schemes, from, to) {
		return nil
	}
	if bare, err := to.Without(url.Fragment); err == nil {
		to = bare
	}
	return &uncheckedError{ClassRedirect, "it redirects to " + to.Redacted() + ", which is not followed"}
}

// stat requests the attributes of u. If the engine does not support that, it opens u. It sends no request for a file
// that was read before. It returns an error if neither succeeds.
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

// connect opens u, and closes it without reading. It returns an error if u cannot be opened.
func (v *visit) connect(ctx context.Context, u url.URL) error {
	r, err := v.do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	_ = r.Body.Close() // the error may only say that the body was not read to its end
	return nil
}

// do sends a request with the cookies of the visit. It sets code to the HTTP status of the response; 0 after an error.
// Offline, a request that needs the network fails with an *uncheckedError.
func (v *visit) do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if v.Offline && v.needsNetwork(req.URL.String()) {
		return nil, &uncheckedError{ClassPolicy, "it leads to " + req.URL.Redacted() + ", which needs the network"}
	}
	req.Cookies = &v.cookies
	r, err := v.engine.Do(ctx, req)
	v.code = 0
	if err != nil {
		return nil, err
	}
	v.code = r.HTTPStatus
	return r, nil
}
