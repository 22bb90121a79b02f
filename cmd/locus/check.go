package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/check"
)

func (p *process) checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "find dead links in files, folders, sites and lists of URLs",
		UsageText: "locus check [--recursive] [--scope PREFIX…] [--accept N,N…] [--exclude RE…] [--cache D] [--since FILE] [--fix [--yes]] " +
			"[--json] [--junit FILE] [--markdown FILE] [FLAG…] [FILE|DIR|URL|-]…",
		Description: "It reads the links of files, of folders, of what URLs name, and of stdin, opens each\n" +
			"URL once however often it stands, and reports those that are dead, those that have\n" +
			"moved for good, and those that it cannot check, each with the reason and all its\n" +
			"places. In folders, what Git ignores and binary files are left out. Relative links of\n" +
			"files lead to files. A list of URLs is a text as any other: what is no URL in it, or\n" +
			"is of a scheme that is not known, is passed over; locus parse judges each line.\n\n" +
			"--recursive walks through a site: all pages below the folder of the URL, or below\n" +
			"each --scope. Links out of there are checked, and not walked through. robots.txt is\n" +
			"obeyed while walking; where it cannot be had, no page but the first is walked\n" +
			"through. Sitemaps that it names, or pages link to, are read.\n\n" +
			"http and https URLs are asked for by HEAD and, where that fails, by GET; fragments are\n" +
			"looked for in HTML. Mail addresses are read, and their domains looked up. Sessions are\n" +
			"connected to. A menu of gopher that holds nothing but errors is dead. What nothing\n" +
			"opens is \"unchecked\", which is neither good nor dead.\n\n" +
			"--since FILE reports only what changed since the run that wrote FILE: links newly\n" +
			"dead, and recovered. FILE is written anew; it is the same as a report of --json.\n" +
			"--cache 24h takes what was good in the last day for good. What was dead is checked\n" +
			"again in any case.\n\n" +
			"--fix shows how links that have moved for good would be rewritten in the files that\n" +
			"were read, and asks before it does so; --yes does not ask.\n\n" +
			"A walk is kept in the user's folder for state until it is finished: the same command\n" +
			"goes on where it was ended, within a day. --nats keeps it in NATS JetStream instead,\n" +
			"where locus check --nats URL --worker, on any number of machines, shares the work;\n" +
			"the limits for each host hold for all of them together.\n\n" +
			"The exit status is 0 if no link is dead (with --since: newly dead), 1 if one is or\n" +
			"something could not be read (a robots.txt, too), 2 if the command was misused.",
		Flags: openFlags(append(checkFlags(), queueFlags()...)...),
		Metadata: example("locus check README.md", "echo file:///etc/hosts | locus check -",
			"locus check --recursive --junit links.xml https://www.example.org/docs/"),
		Action: p.check,
	}
}

func checkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "walk through the sites of the URLs"},
		&cli.StringSliceFlag{Name: "scope", Usage: "walk through URLs that start with `PREFIX`; repeatable"},
		&cli.StringFlag{Name: "level", Usage: "walk at most `N` links away from the first page"},
		&cli.BoolFlag{Name: "ignore-robots", Usage: "walk where robots.txt asks robots not to"},
		&cli.StringSliceFlag{Name: "accept", Usage: "take these HTTP statuses for good, too: `CODES` such as 401,429; repeatable"},
		&cli.StringSliceFlag{Name: "include", Usage: "check only URLs that the regular expression `RE` matches; repeatable"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "do not check URLs that the regular expression `RE` matches; repeatable"},
		&cli.StringSliceFlag{Name: "glob", Usage: "in folders, take only files like this `PATTERN`; with ! before it, none; repeatable"},
		&cli.BoolFlag{Name: "no-ignore", Usage: "read what Git ignores, too"},
		&cli.StringFlag{Name: "base", Usage: "relative links of files and stdin lead to what is at this `URL`"},
		&cli.StringFlag{Name: "j", Usage: "check `N` URLs at once, 64 unless given"},
		&cli.StringFlag{Name: "per-host", Usage: "open at most `N` connections to one host at once (default 4)"},
		&cli.StringFlag{Name: "rate", Usage: "begin at most `N` accesses a second at one host, such as 2 or 0.5"},
		minRateFlag(),
		&cli.StringFlag{Name: "retries", Usage: "try up to `N` more times after a failure that may pass (default 2)"},
		&cli.DurationFlag{Name: "retry-wait", Usage: "wait `DURATION` before trying again (default 1s), and twice as long before each further try"},
		&cli.BoolFlag{Name: "no-mx", Usage: "do not look up the domains of mail addresses"},
		&cli.BoolFlag{Name: "all", Usage: "report good links and excluded ones, too"},
		jsonFlag(),
		&cli.StringFlag{Name: "junit", Usage: "write the report as JUnit XML into `FILE`, too"},
		&cli.StringFlag{Name: "markdown", Usage: "write the report as Markdown into `FILE`, too"},
		&cli.DurationFlag{Name: "cache", Usage: "take what was good within this `DURATION` for good, and remember"},
		&cli.StringFlag{Name: "since", Usage: "report what changed since the run that wrote `FILE`, and write it anew"},
		&cli.BoolFlag{Name: "fix", Usage: "rewrite links in files that have moved for good"},
		&cli.BoolFlag{Name: "yes", Usage: "with --fix, do not ask"},
		&cli.StringFlag{Name: "state", Usage: "keep what is remembered in `DIR`, instead of the user's folder for state"},
	}
}

// A linkChecker does what the flags of check ask for.
type linkChecker struct {
	*process
	check.Checker
	reader linkReader
	known  *knownResults // nil without --cache
	dead   []string      // by the file of --since
	state  string
}

func (p *process) check(ctx context.Context, c *cli.Command) error {
	k, err := p.linkChecker(c)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	q, err := k.openQueue(ctx, c)
	if ctx.Err() != nil && err != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	defer q.close()
	if c.Bool("worker") {
		return k.work(ctx, q)
	}
	readErr, err := k.run(ctx, q, c.Args().Slice())
	if ctx.Err() != nil && k.isKept(c) {
		return &hinted{errInterrupted, "the same command goes on where it ended"}
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	report, err := check.NewReport(ctx, q.Queue, check.ReportOptions{All: c.Bool("all"), Also: k.dead, Create: temporaryFile})
	if err != nil {
		return err
	}
	defer report.Close()
	if err := k.write(c, report); err != nil {
		return err
	}
	if err := q.end(ctx); err != nil {
		return err
	}
	if c.Bool("fix") {
		if err := k.fix(report, c.Bool("yes")); err != nil {
			return err
		}
	}
	if report.NotCrawled > 0 {
		k.report(errUnwalked)
	}
	failed, err := k.failed(c, report)
	if err == nil && (failed || readErr != nil || report.NotCrawled > 0) {
		return errReported
	}
	return err
}

var errUnwalked = &hinted{
	errors.New("not all pages were walked through: the robots.txt of their server cannot be had"),
	"--ignore-robots walks without it",
}

// run reads and checks. readErr says that not all could be read, which has been
// reported.
func (k *linkChecker) run(ctx context.Context, q runQueue, args []string) (readErr, err error) {
	if q.stream != nil {
		if err := q.stream.SetPolicy(ctx, k.Policy); err != nil {
			return nil, err
		}
	}
	readErr = k.each(ctx, args, func(arg string) error { return k.reader.argument(ctx, q, arg) })
	if readErr != nil && !errors.Is(readErr, errReported) {
		return nil, readErr
	}
	if q.stream != nil {
		if err := q.stream.Seeded(ctx); err != nil {
			return nil, err
		}
	}
	progress := k.progress()
	k.Notify = func(r check.Result) {
		progress.result(r)
		if k.known != nil {
			k.known.add(r)
		}
	}
	err = k.Run(ctx, q)
	progress.close()
	if err == nil && k.known != nil {
		err = k.known.save()
	}
	return readErr, err
}

func (p *process) linkChecker(c *cli.Command) (*linkChecker, error) {
	args := c.Args().Slice()
	if len(args) == 0 && !c.Bool("worker") {
		return nil, &usageError{text: "check wants a FILE, a DIR, a URL, or - for stdin", hint: "locus help check"}
	}
	if err := checkQueueFlags(c); err != nil {
		return nil, err
	}
	for _, flag := range []string{"junit", "markdown", "since"} {
		if !c.IsSet(flag) {
			continue
		}
		if err := canSave(c.String(flag)); err != nil {
			return nil, err
		}
	}
	k := &linkChecker{process: p}
	var err error
	if k.Policy, err = checkPolicy(c); err != nil {
		return nil, err
	}
	if k.reader, err = newLinkReader(p, c); err != nil {
		return nil, err
	}
	if len(k.Scope) == 0 {
		for _, arg := range args {
			if page, ok := pageOf(arg); ok {
				k.Scope = append(k.Scope, check.ScopeOf(page.String()))
			}
		}
	}
	client, err := p.opener(c)
	if err != nil {
		return nil, err
	}
	client.NoRedirects = true // they are reported
	k.Engine = client
	if !c.Bool("no-mx") {
		k.Resolver = net.DefaultResolver
	}
	if c.Bool("yes") && !c.Bool("fix") {
		return nil, misuse("--yes is for --fix")
	}
	if c.IsSet("state") {
		k.state = c.String("state")
	} else {
		k.state = stateDir()
	}
	if err := k.remember(c); err != nil {
		return nil, err
	}
	if c.IsSet("since") {
		k.dead, err = readSince(c.String("since"))
	}
	return k, err
}

func checkPolicy(c *cli.Command) (check.Policy, error) {
	p := check.Policy{
		Recursive: c.Bool("recursive"), Scope: c.StringSlice("scope"), IgnoreRobots: c.Bool("ignore-robots"),
		Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude"), Timeout: c.Duration("timeout"), Wait: c.Duration("retry-wait"),
	}
	if len(p.Scope) > 0 && !p.Recursive {
		return p, misuse("--scope is for --recursive")
	}
	if c.IsSet("retry-wait") && p.Wait <= 0 {
		return p, misuse("--retry-wait wants a duration greater than 0, such as 1s")
	}
	var err error
	if p.Jobs, err = count(c, "j", 64); err != nil {
		return p, err
	}
	if p.PerServer, err = count(c, "per-host", 4); err != nil {
		return p, err
	}
	if p.Depth, err = count(c, "level", 0); err != nil {
		return p, err
	}
	if c.IsSet("retries") {
		n, err := parseNumber("retries", c.String("retries"), 0, 1000)
		if err != nil {
			return p, err
		}
		if p.Tries = int(n); n == 0 {
			p.Tries = -1
		}
	}
	if c.IsSet("rate") {
		if p.Rate, err = strconv.ParseFloat(c.String("rate"), 64); err != nil || !(p.Rate > 1e-6 && p.Rate < 1e6) {
			return p, misuse("--rate wants a number of accesses a second, not %q", c.String("rate"))
		}
	}
	if p.Accept, err = parseCodes(c.StringSlice("accept")); err != nil {
		return p, err
	}
	if err := p.Check(); err != nil {
		return p, misuse("%v", err)
	}
	return p, nil
}

// parseCodes reads lists of status codes with commas between them.
func parseCodes(lists []string) ([]int, error) {
	var codes []int
	for _, list := range lists {
		for text := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil || n < 100 || n > 999 {
				return nil, misuse("--accept wants status codes such as 200,429, not %q", list)
			}
			codes = append(codes, n)
		}
	}
	return codes, nil
}

// failed reports whether the report has what is to be found.
func (k *linkChecker) failed(c *cli.Command, r *check.Report) (bool, error) {
	if !c.IsSet("since") {
		return r.Failed(), nil
	}
	return r.Since(k.dead).FailedNow()
}

// write writes the report in the forms that are asked for.
func (k *linkChecker) write(c *cli.Command, full *check.Report) error {
	report := full
	if c.IsSet("since") {
		report = full.Since(k.dead)
	}
	if !c.Bool("all") {
		report = report.Without(check.Excluded)
	}
	var err error
	if c.Bool("json") {
		err = report.JSON(k.out)
	} else if err = report.Text(k.out); err == nil {
		err = k.line(report.Summary())
	}
	if err != nil {
		return err
	}
	for _, file := range []struct {
		flag  string
		write func(io.Writer) error
	}{{"junit", report.JUnit}, {"markdown", report.Markdown}, {"since", full.JSON}} { // after which nothing is new
		if !c.IsSet(file.flag) {
			continue
		}
		if err := saveAs(c.String(file.flag), file.write); err != nil {
			return err
		}
	}
	return nil
}

// readSince reads the report of an earlier run; there may be none yet.
func readSince(name string) ([]string, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dead, err := check.ReadDead(f)
	if err != nil {
		return nil, &hinted{fmt.Errorf("read %q: %w", name, err), "--since wants a file that --since or --json wrote"}
	}
	return dead, nil
}

// checkProgress tells on a terminal how far a check is and, once it takes longer
// than a moment, which links it finds dead: the report is written at the end.
type checkProgress struct {
	results  chan check.Result
	finished chan struct{}
}

// progress returns what tells of results, if there is a terminal.
func (k *linkChecker) progress() *checkProgress {
	g := &checkProgress{results: make(chan check.Result, 64), finished: make(chan struct{})}
	if !isTerminal(k.stderr) {
		close(g.finished)
		return g
	}
	go func() {
		defer close(g.finished)
		tellResults(k.stderr, g.results, time.Second)
	}()
	return g
}

// tellResults writes of results on a terminal, from a time after the first on.
func tellResults(w io.Writer, results <-chan check.Result, after time.Duration) {
	const most = 1000 // dead links that are told of together
	start := time.Now()
	next := start.Add(after)
	done, dead, untold, shown := 0, 0, []check.Result(nil), false
	for r := range results {
		done++
		if r.Status == check.Dead {
			if dead++; len(untold) < most {
				untold = append(untold, r)
			}
		}
		now := time.Now()
		if now.Before(next) {
			continue
		}
		var b strings.Builder
		b.WriteString("\r\x1b[K")
		for _, r := range untold {
			fmt.Fprintln(&b, check.Finding{Result: r, Link: r.URL})
		}
		fmt.Fprintf(&b, "%d checked, %d dead, %.0f/s", done, dead, float64(done)/now.Sub(start).Seconds())
		_, _ = io.WriteString(w, b.String()) // it is told as far as possible
		untold, next, shown = untold[:0], now.Add(time.Second/5), true
	}
	if shown {
		_, _ = io.WriteString(w, "\r\x1b[K")
	}
}

func (g *checkProgress) result(r check.Result) {
	select {
	case <-g.finished: // nobody is told
	case g.results <- r:
	}
}

func (g *checkProgress) close() {
	close(g.results)
	<-g.finished
}
