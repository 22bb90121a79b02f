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
		Name:      "check",
		Usage:     "find dead links in files, folders, sites and lists of URLs",
		UsageText: "locus check [FLAG…] [FILE|DIR|URL|-]…",
		Description: "Open each link once, and report dead links, links that have moved permanently, and\n" +
			"links that cannot be checked, each with the reason and all its places. --recursive\n" +
			"checks whole sites. The exit status is 1 if a link is dead or something could not be\n" +
			"read. With --since it is 1 if a link is newly dead.\n\n" +
			"In folders, binary files and what Git ignores are skipped. Relative links of files\n" +
			"lead to files. A list of URLs is a text like any other: what is no URL, or has an\n" +
			"unknown scheme, is skipped; locus parse judges each line.\n\n" +
			"--recursive follows links to all pages below the folder of URL, or below each --scope.\n" +
			"Links that lead elsewhere are checked, and not followed. robots.txt is obeyed; if it\n" +
			"cannot be read, only the first page is read. Sitemaps are read if robots.txt or a page\n" +
			"names them.\n\n" +
			"http and https URLs are requested by HEAD and, if that fails, by GET. Fragments are\n" +
			"looked up in HTML. The domains of mail addresses are looked up. Sessions are connected\n" +
			"to. A gopher menu that holds only errors is dead. What nothing can open is\n" +
			"\"unchecked\", which is neither good nor dead.\n\n" +
			"--since FILE reports links that are newly dead or have recovered since the run that\n" +
			"wrote FILE, and updates FILE, a report as --json writes it. --max-age 24h trusts what\n" +
			"was good within a day. Dead links are always checked again.\n\n" +
			"--fix shows how it would rewrite permanently moved links in the files, and asks first.\n" +
			"--yes does not ask.\n\n" +
			"A run over a site is saved in the user's state folder until it is done. Within a day,\n" +
			"the same command resumes it. --nats saves it in NATS JetStream instead; then locus\n" +
			"check --nats URL --worker on any number of machines shares the work. The limits for\n" +
			"each host hold for all of them together.",
		Flags: flags("recursive scope level ignore-robots " + walkFlags + "include-url exclude-url accept base jobs per-host rate " +
			"retries retry-wait min-rate no-mx all json junit markdown max-age since fix yes state resume no-resume " +
			"nats run replicas worker lease netrc-file " + connectFlags + protocolFlags),
		Metadata: details("recursive exclude-url accept fix json junit",
			"locus check README.md", "echo file:///etc/hosts | locus check -",
			"locus check --recursive --junit links.xml https://www.example.org/docs/"),
		Action: p.check,
	}
}

// A linkChecker checks as the flags of check ask.
type linkChecker struct {
	*process
	check.Checker
	reader linkReader
	known  *knownResults // nil without --max-age
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
		return &hinted{errInterrupted, "the same command resumes it"}
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	report, err := q.Report(check.ReportOptions{All: c.Bool("all"), Also: k.dead, Create: temporaryFile})
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

// run reads the arguments and checks their links. readErr is not nil if something could
// not be read, which has been reported.
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
	for _, file := range []string{c.String("junit"), c.String("markdown"), c.String("since")} {
		if file == "" {
			continue
		}
		if err := canSave(file); err != nil {
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
		Include: c.StringSlice("include-url"), Exclude: c.StringSlice("exclude-url"), Timeout: c.Duration("timeout"), Wait: c.Duration("retry-wait"),
	}
	if len(p.Scope) > 0 && !p.Recursive {
		return p, misuse("--scope is for --recursive")
	}
	if c.IsSet("retry-wait") && p.Wait <= 0 {
		return p, misuse("--retry-wait wants a duration greater than 0, such as 1s")
	}
	var err error
	if p.Jobs, err = countOf(c, "jobs", 64); err != nil {
		return p, err
	}
	if p.PerServer, err = perHost(c); err != nil {
		return p, err
	}
	if p.Depth, err = levelOf(c); err != nil {
		return p, err
	}
	if p.Retries, err = retriesOf(c); err != nil {
		return p, err
	}
	if c.IsSet("rate") {
		if p.Rate, err = strconv.ParseFloat(c.String("rate"), 64); err != nil || !(p.Rate > 1e-6 && p.Rate < 1e6) {
			return p, misuse("--rate wants a number of requests a second, not %q", c.String("rate"))
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

// failed reports whether the report has a failure: with --since, a new one.
func (k *linkChecker) failed(c *cli.Command, r *check.Report) (bool, error) {
	if !c.IsSet("since") {
		return r.Failed(), nil
	}
	return r.Since(k.dead).FailedNow()
}

// write writes the report in each form that the flags ask for.
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
		name  string
		write func(io.Writer) error
	}{
		{c.String("junit"), report.JUnit},
		{c.String("markdown"), report.Markdown},
		{c.String("since"), full.JSON}, // last: then nothing is new
	} {
		if file.name == "" {
			continue
		}
		if err := saveAs(file.name, file.write); err != nil {
			return err
		}
	}
	return nil
}

// readSince reads the dead links in the report of an earlier run. The report may not
// exist yet.
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

// checkProgress shows the progress of a check on a terminal. If the check takes longer
// than a moment it also shows dead links as they are found.
type checkProgress struct {
	results  chan check.Result
	finished chan struct{}
}

// progress returns a checkProgress. Without a terminal it shows nothing.
func (k *linkChecker) progress() *checkProgress {
	g := &checkProgress{results: make(chan check.Result, 64), finished: make(chan struct{})}
	if !isTerminal(k.stderr) {
		close(g.finished)
		return g
	}
	go func() {
		defer close(g.finished)
		showResults(k.stderr, g.results, time.Second)
	}()
	return g
}

// showResults writes of results on a terminal, from a time after the first on.
func showResults(w io.Writer, results <-chan check.Result, after time.Duration) {
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
	case <-g.finished: // there is no terminal
	case g.results <- r:
	}
}

func (g *checkProgress) close() {
	close(g.results)
	<-g.finished
}
