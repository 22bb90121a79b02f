// Package check implements the verb check: find dead links in files, folders, sites and lists of URLs.
//
// # How the pieces work together
//
// Run adds the settings of a file locus-check.toml to the flags (options.go, config.go), and makes a checker, which has
// the options and the state of one run. With --max-age the checker reads the good results of earlier runs, whose links
// it does not check again (known.go). It opens a queue: in memory and temporary files, in the file of a run that can be
// resumed, or at a NATS server where several machines share one run (queue.go, shared.go). Then package checkfiles
// reads the arguments and adds their links to the queue (read.go, parts.go). If it can, it does so in a second
// goroutine, while package locus/check checks the links that were added before. On a terminal, progress.go shows how
// far the run is.
//
// At the end the checker makes the report: it looks for archived copies of dead pages (archived.go), compares the
// report with a baseline or an earlier report, writes it in the formats of the flags (report.go), and with --fix
// changes the links in the files (fix.go). The files are changed last, because the places in the report refer to the
// unchanged files.
package check

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/checkfiles"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/netrc"
	"locus/cmd/locus/internal/runfile"
)

// description is the description of the verb in its help.
//
//go:embed description.txt
var description string

// Verb returns the verb check.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:        "check",
		Summary:     "find dead links in files, folders, sites and lists of URLs",
		Synopsis:    "locus check [FLAG…] [FILE|DIR|URL|-]…",
		Description: description,
		Usages: [][2]string{
			{"recursive", "check a site: follow its links from page to page"},
			{"level", "follow at most `N` links from each URL (default 0: no limit)"},
			{"base", "the files are the site at `URL`: look for links to it in the files"},
			{"root", "the folder `DIR` is the root of the site: /a.html is DIR/a.html (default: an argument with an index page)"},
			{"all", "report every link, not only those that need attention"},
			{"json", "write the report as JSON, one link per line"},
			{"shard", "check only the links whose hosts are in part `I/N`, such as 1/4, so that N machines can share a list"},
			{"jobs", "check at most `N` links at once (default: 64 to 1000, as many as make the run faster)"},
			{"per-host", "check at most `N` links at one host at once (default 8)"},
		},
		Common: "recursive exclude-url accept fix json junit",
		Examples: []string{
			"locus check README.md", "echo file:///etc/hosts | locus check -",
			"locus check --recursive --junit links.xml https://www.example.org/docs/",
		},
	})
}

// A checker has the options and the state of one run of check.
type checker struct {
	*cli.Env
	check.Checker
	options Options
	reader  checkfiles.Reader
	known   *report.Known     // nil without --max-age
	dead    []string          // from the file of --since or --baseline
	failOn  []string          // the verdicts of --fail-on; nil: the default
	done    func(error) error // closes the archive of --warc, and returns its argument or else the error of closing
	state   string            // the folder for results and unfinished runs; "" if unknown

	client *cli.Client // the Engine

	isIncomplete bool // the report may lack links

	isFaulty bool // a line of a _redirects file is not obeyed

	hasLost atomic.Bool // a damaged message of a shared run may have had URLs
}

// Run checks the links of o.Args and writes the report, or else obeys --init, --list-runs,
// --forget-run or --join-reports. The error is ErrReported if the report has verdicts of --fail-on,
// or is not complete.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	switch {
	case o.Init:
		return writeConfig(e, o)
	case o.ListRuns || o.ForgetRun:
		return manageRuns(ctx, e, o)
	case o.JoinReports:
		return joinReports(e, o)
	}
	typed := maps.Clone(o.Given) // without the flags of the configuration, which may be meant for other arguments
	rules, hint, err := configure(e, &o)
	if err != nil {
		return err
	}
	k, err := newChecker(e, o, rules)
	if usage, ok := errors.AsType[*cli.UsageError](err); ok && usage.Hint == "" {
		usage.Hint = hint
	}
	if err != nil {
		return err
	}
	if err := typed.Check(siteRule(len(k.Sites) > 0)); err != nil {
		return k.done(err)
	}
	return k.done(k.checkAll(ctx))
}

// checkAll checks all links and writes the report, or with --join helps with the run of another
// process. The error is ErrReported if the report has verdicts of --fail-on, or is not complete.
func (k *checker) checkAll(ctx context.Context) error {
	e, o := k.Env, k.options
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	if o.Join {
		return k.work(ctx)
	}
	q, err := k.openQueue(ctx)
	if ctx.Err() != nil && err != nil {
		return cli.ErrInterrupted
	}
	if err != nil {
		return err
	}
	defer q.close()
	readErr, err := k.run(ctx, q)
	if ctx.Err() != nil {
		return o.interrupted()
	}
	if err != nil {
		return withHint(err)
	}
	report, err := q.Report(ctx, check.ReportOptions{All: o.All || o.JUnit != "", Also: k.dead, FailOn: k.failOn, Create: runfile.Temporary})
	if err != nil && ctx.Err() != nil {
		return o.interrupted()
	}
	if err != nil {
		return err
	}
	defer report.Close()
	if report, err = k.archived(ctx, report); err != nil {
		return err
	}
	k.isIncomplete = readErr != nil || k.isFaulty
	if err := k.write(report); err != nil {
		return err
	}
	if err := k.hintAtBase(report); err != nil {
		return err
	}
	failed, err := k.failed(report)
	if err == nil && o.Fix {
		err = k.fix(report)
	}
	if err := errors.Join(err, q.end(ctx)); err != nil {
		return err
	}
	if report.NotCrawled > 0 {
		e.Report(errNotCrawled)
	}
	if k.reader.LacksRoot() {
		e.Say(`hint: links that begin with "/" start at the root of the site; name it with --root DIR, or check the pages that the site generator wrote`)
	}
	if failed || k.isIncomplete || k.hasLost.Load() || report.NotCrawled > 0 {
		return cli.ErrReported
	}
	return nil
}

// interrupted returns the error of a run that the user interrupted. Its hint says how to resume the run, if that is
// possible.
func (o Options) interrupted() error {
	switch {
	case o.isKept():
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: "run the same command again to resume"}
	case o.isShared():
		return &cli.Hinted{Err: cli.ErrInterrupted, Hint: fmt.Sprintf("the run continues while it has workers; run the same command again to resume it and get its report, "+
			"--join --run %[1]s to add a worker, or --forget-run --run %[1]s to remove the run", o.Run)}
	}
	return cli.ErrInterrupted
}

var errNotCrawled = &cli.Hinted{
	Err:  errors.New("not all pages were crawled, because the robots.txt of their server could not be read"),
	Hint: "to crawl without it, use --ignore-robots",
}

// run adds the links of the arguments to q, checks all links of q, and returns after both. With --max-age it also saves
// the good results for later runs. readErr is not nil if an argument could not be read; this error has been reported
// already. err is the error that ended the run.
func (k *checker) run(ctx context.Context, q check.Queue) (readErr, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k.reader.Open = func(name string) (*os.File, error) { return k.OpenUntil(ctx, name) }
	read := func() error {
		part := partQueue{q, k.options}
		readErr = k.Each(ctx, k.options.Args, func(arg string) error { return k.addArgument(ctx, part, arg) })
		if readErr != nil && !errors.Is(readErr, cli.ErrReported) {
			return readErr
		}
		k.saySkipped()
		return q.Seeded(ctx)
	}
	done := make(chan struct{})
	if k.checksWhileReading() {
		q.Seeding()
		go func() {
			defer close(done)
			cancelIf(cancel, read())
		}()
	} else {
		close(done)
		if err := read(); err != nil {
			return nil, err
		}
	}
	progress := k.progress()
	k.Notify = func(r check.Result) {
		progress.result(r)
		if k.known != nil {
			k.known.Add(r)
		}
	}
	err = k.Checker.Run(ctx, q)
	cancelIf(cancel, err)
	<-done
	progress.close()
	if err == nil && k.known != nil {
		err = k.saveKnown()
	}
	return readErr, err
}

// cancelIf calls cancel with err, unless err is nil.
func cancelIf(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

// checksWhileReading reports whether links are checked while the arguments are still being read. It
// returns false for a crawl, which needs all first pages before it starts, and if an argument is a
// folder, because the files of a folder are read only once if all of them are read before the
// check.
func (k *checker) checksWhileReading() bool {
	isFolder := func(arg string) bool {
		info, err := k.Stat(arg)
		return err == nil && info.IsDir()
	}
	return !k.Recursive && !slices.ContainsFunc(k.options.Args, isFolder)
}

// newChecker returns a checker for the options and the rules of the configuration. It reports
// misuse as a UsageError, before it opens a connection or a file for writing.
func newChecker(e *cli.Env, o Options, rules []check.HostRule) (*checker, error) {
	if len(o.Args) == 0 && !o.Join {
		return nil, &cli.UsageError{Text: "check needs a FILE, a DIR, a URL, or - for stdin", Hint: "locus help check"}
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.canSave(e); err != nil {
		return nil, err
	}
	if err := o.checkOffline(e); err != nil {
		return nil, err
	}
	if err := o.checkShard(e); err != nil {
		return nil, err
	}
	k := &checker{Env: e, options: o, state: e.StateDir()}
	k.MaxMemory = o.Memory
	var err error
	if k.Policy, err = o.policy(rules); err != nil {
		return nil, err
	}
	if k.failOn, err = o.failOn(); err != nil {
		return nil, err
	}
	k.Probe = k.Probe || slices.ContainsFunc(k.failOn, needsProbe)
	if err := k.prepareReader(); err != nil {
		return nil, err
	}
	k.addScopeAndSplit()
	client, err := e.Client(cli.Access{Connect: o.Connect, Protocols: o.Protocols, Login: cli.Login{NetrcFile: o.NetrcFile}}, o.Args)
	if err != nil {
		return nil, err
	}
	client.Login = netrc.Encrypted(e.OtherLogin())                                                  // because documents name the hosts
	client.Engines.SFTP.Keys, client.Engines.SFTP.Trust, client.Engines.SFTP.Answer = nil, nil, nil // as above
	client.MinRate = o.MinRate
	client.NoRedirects = true // the report shows redirects
	client.Header = k.Policy.Header
	client.PerHost = k.Policy.MaxPerServer()
	k.Engine, k.client = client, client
	if k.done, err = e.Archives(client, o.Recording, o.Replay); err != nil {
		return nil, err
	}
	if o.From != "" {
		k.withoutRetries()
	}
	client.Engines.Files = nil // links between files are checked in the file system, because an archive has no files
	if err := k.addSites(); err != nil {
		return nil, err
	}
	if !o.NoMX && o.From == "" {
		k.Resolver = net.DefaultResolver
	}
	if o.Given["state"] {
		k.state = e.Path(o.State)
	}
	if o.isCompared() {
		if k.dead, err = readDead(e, o); err != nil {
			return nil, err
		}
	}
	return k, k.loadKnown()
}

// withoutRetries removes the retries from the policy and from its rules, because an archive always has the same answer.
func (k *checker) withoutRetries() {
	k.Policy.Retries = -1
	k.Policy.Hosts = slices.Clone(k.Policy.Hosts)
	for i := range k.Policy.Hosts {
		k.Policy.Hosts[i].Retries = 0
	}
}

// addScopeAndSplit makes the URLs among the arguments the scope of a crawl, unless --scope is
// given. In a shared crawl it also adds their hosts to the hosts whose URLs are split among the
// workers, because these hosts have most of the URLs.
func (k *checker) addScopeAndSplit() {
	isGiven := len(k.Scope) > 0
	for _, arg := range k.options.Args {
		page, ok := k.ArgumentURL(arg)
		if !ok {
			continue
		}
		if !isGiven {
			k.Scope = append(k.Scope, check.ScopeOf(page.String()))
		}
		if host, ok := page.Host(); ok && k.Recursive && k.options.isShared() {
			k.Split = append(k.Split, host)
		}
	}
}

// policy returns the check.Policy that the flags and rules describe. If a value is invalid, the error is a
// UsageError.
func (o Options) policy(rules []check.HostRule) (check.Policy, error) {
	p := check.Policy{
		Recursive: o.Recursive, Scope: o.Scope, Depth: o.Level, IgnoreRobots: o.IgnoreRobots,
		Read: check.LinkReader{Code: o.Code, DataAttributes: o.Data}, SkipExamples: !o.Examples,
		Include: o.IncludeURL, Exclude: o.ExcludeURL, Accept: o.Accept, Probe: o.Probe, Offline: o.Offline,
		Jobs: o.Jobs, PerServer: o.PerHost, Rate: o.Rate,
		Timeout: o.Timeout, Retries: o.Retries, Wait: o.RetryWait, Hosts: rules, Split: o.SplitHost,
	}
	if err := p.Check(); err != nil {
		return p, cli.Misuse("%v", err)
	}
	return p, nil
}

// failOn returns the verdicts that --fail-on names, or nil without the flag. For "none", it returns
// an empty list.
func (o Options) failOn() ([]string, error) {
	if !o.Given["fail-on"] {
		return nil, nil
	}
	verdicts := []string{}
	for _, list := range o.FailOn {
		for text := range strings.SplitSeq(list, ",") {
			verdict := strings.TrimSpace(text)
			switch {
			case slices.Contains(check.FailOn(), verdict):
				verdicts = append(verdicts, verdict)
			case verdict != "none":
				return nil, cli.Misuse("--fail-on must be one or more of %s, or none, not %q", strings.Join(check.FailOn(), ", "), verdict)
			}
		}
	}
	return verdicts, nil
}

// needsProbe reports whether check finds most links with this verdict only if Policy.Probe is set.
func needsProbe(verdict string) bool {
	return verdict == check.SoftNotFound.String() || verdict == check.Parked.String()
}
