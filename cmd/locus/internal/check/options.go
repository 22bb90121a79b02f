package check

import (
	"slices"
	"strings"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/internal/facts"
)

// Options are the flags and arguments of check.
type Options struct {
	Args []string `args:"0-"` // files, folders, URLs, and "-"
	Setup
	Crawl
	cli.Walk
	Links
	Site
	Pace
	Reports
	Compared
	Repair
	Kept
	Shared
	Divided
	NetrcFile string `flag:"netrc-file"`
	cli.Recording
	cli.Replay
	cli.Connect
	cli.Protocols
	Given cli.Given
}

// Setup says where rules and defaults come from.
type Setup struct {
	Config string `flag:"config"`
	Init   bool   `flag:"init"`
}

// Crawl selects the pages of a site that are read.
type Crawl struct {
	Recursive    bool     `flag:"recursive"`
	Scope        []string `flag:"scope"`
	Level        int      `flag:"level"`
	IgnoreRobots bool     `flag:"ignore-robots"`
}

// Links selects the links that are checked, and says which of them are good.
type Links struct {
	IncludeURL []string `flag:"include-url"`
	ExcludeURL []string `flag:"exclude-url"`
	Accept     []int    `flag:"accept"`
	Offline    bool     `flag:"offline"`
	Probe      bool     `flag:"probe"`
	Code       bool     `flag:"code"`
	Examples   bool     `flag:"examples"`
	Data       bool     `flag:"data-attributes"`
}

// Site maps the files of a site to URLs.
type Site struct {
	Base      *string  `flag:"base"`
	Root      string   `flag:"root"`
	Index     []string `flag:"index"`
	Extension []string `flag:"extension"`
}

// Pace limits the requests: how many at once, how often, and how long each may take.
type Pace struct {
	Jobs      int           `flag:"jobs"`
	Memory    int64         `flag:"memory"`
	PerHost   int           `flag:"per-host"`
	Rate      float64       `flag:"rate"`
	Retries   int           `flag:"retries"`
	RetryWait time.Duration `flag:"retry-wait"`
	Timeout   time.Duration `flag:"timeout"`
	MinRate   int64         `flag:"min-rate"`
	NoMX      bool          `flag:"no-mx"`
}

// Reports says which links make the command fail, and how the report is written.
type Reports struct {
	FailOn    []string `flag:"fail-on"`
	Archived  string   `flag:"archived"`
	Archive   string   `flag:"archive"`
	All       bool     `flag:"all"`
	AllPlaces bool     `flag:"all-places"`
	JSON      bool     `flag:"json"`
	JUnit     string   `flag:"junit"`
	SARIF     string   `flag:"sarif"`
	HTML      string   `flag:"html"`
	Markdown  string   `flag:"markdown"`
}

// Compared names the results of earlier runs with which this run is compared.
type Compared struct {
	MaxAge   time.Duration `flag:"max-age"`
	Since    string        `flag:"since"`
	Baseline string        `flag:"baseline"`
}

// Repair says whether links in files are rewritten.
type Repair struct {
	Fix bool `flag:"fix"`
	Yes bool `flag:"yes"`
}

// Kept selects the data that stays on this machine for later runs.
type Kept struct {
	State    string `flag:"state"`
	Resume   bool   `flag:"resume"`
	NoResume bool   `flag:"no-resume"`
}

// Divided says which part of a run this machine checks, and joins the reports of all parts.
type Divided struct {
	cli.Sharded
	JoinReports bool `flag:"join-reports"`
}

// Shared says how a run is shared with other processes.
type Shared struct {
	NATS      string        `flag:"nats"`
	Run       string        `flag:"run"`
	Replicas  int           `flag:"replicas"`
	Lease     time.Duration `flag:"lease"`
	SplitHost []string      `flag:"split-host"`
	Join      bool          `flag:"join"`
	ListRuns  bool          `flag:"list-runs"`
	ForgetRun bool          `flag:"forget-run"`
	NATSCreds string        `flag:"nats-creds"`
	NATSCA    string        `flag:"nats-ca"`
	NATSCert  string        `flag:"nats-cert"`
	NATSKey   string        `flag:"nats-key"`
}

// rules returns the rules for flags that need other flags, or exclude them.
func rules() []cli.Rule {
	const (
		wantEachOther = "--nats-cert and --nats-key must be given together"
		resumable     = "--resume and --no-resume cannot be combined with --nats, because a run with --nats can always be resumed"
	)
	return []cli.Rule{
		{Flags: cli.FlagNames[Shared](), Needs: "nats"},
		{Flags: "resume", Excludes: "no-resume"},
		{Flags: "resume no-resume", Excludes: "nats", Text: resumable},
		{Flags: "nats-cert", Needs: "nats-key", Text: wantEachOther},
		{Flags: "nats-key", Needs: "nats-cert", Text: wantEachOther},
		{Flags: "since", Excludes: "baseline"},
		{Flags: notForWorkers(), Excludes: "join", Text: "--join does not take %s; give it to the process that starts the run"},
		{Flags: "yes", Needs: "fix"},
		{Flags: "scope level ignore-robots", Needs: "recursive"},
		{Flags: "archive", Needs: "archived"},
		{Flags: "shard", Excludes: "recursive", Text: "%s cannot be combined with --recursive, because the pages of a site link to hosts of all parts", Hint: "to divide a site among machines, use --nats"},
		{Flags: "shard", Excludes: "nats fix since baseline"},
		{Flags: "offline", Excludes: "recursive nats from-warc archived probe"},
	}
}

// notForWorkers returns the names of the flags that a worker refuses, in alphabetical order. A worker decides only how
// it connects, and how many links it checks at once in how much memory, because the run that it joins has all other
// options.
func notForWorkers() string {
	own := strings.Fields(cli.FlagNames[cli.Protocols]() + " nats nats-creds nats-ca nats-cert nats-key run join" +
		" jobs memory idle proxy no-proxy allow-port min-rate no-mx netrc-file")
	return otherFlags(own)
}

// notForJoining returns the names of the flags that --join-reports refuses, in alphabetical order. It allows only
// flags that say how the report is written.
func notForJoining() string {
	return otherFlags(append(strings.Fields(cli.FlagNames[Reports]()), "join-reports"), "archived", "archive", "fail-on")
}

// otherFlags returns the names of the flags of check that are not in own, together with the names in also. They are
// in alphabetical order, with blanks between them.
func otherFlags(own []string, also ...string) string {
	others := slices.DeleteFunc(strings.Fields(cli.FlagNames[Options]()), func(name string) bool {
		return slices.Contains(own, name) && !slices.Contains(also, name)
	})
	slices.Sort(others)
	return strings.Join(others, " ")
}

// siteRule returns the rule that refuses flags that only matter for the files of sites. If hasSites is true because
// an argument is a site, it returns the zero Rule, which allows every flag.
func siteRule(hasSites bool) cli.Rule {
	if hasSites {
		return cli.Rule{}
	}
	return cli.Rule{
		Flags: "index extension",
		Text:  "%s needs the folder of a site, and no argument is a folder with an index page",
		Hint:  "name the folder of the site with --root DIR",
	}
}

// check returns a UsageError for flags and arguments that do not go together.
func (o Options) check() error {
	if err := o.Given.Check(rules()...); err != nil {
		return err
	}
	if err := o.checkOutputs(); err != nil {
		return err
	}
	switch {
	case o.Join && len(o.Args) > 0:
		return cli.Misuse("--join takes no arguments; give them to the process that starts the run")
	case o.Given["lease"] && o.Lease < time.Second/10:
		return cli.Misuse("--lease must be a duration of at least 100ms")
	case !cli.IsArchiveTemplate(o.Archive):
		return cli.Misuse("--archive must be a URL with a scheme and {url} in it, not %q", o.Archive)
	}
	return nil
}

// checkOutputs returns a UsageError for flags of reports that do not go together.
func (o Options) checkOutputs() error {
	reports := o.onStdout()
	switch {
	case len(reports) > 1:
		return cli.Misuse("%s and %s cannot be combined, because both write to stdout", reports[0], reports[1])
	case o.Given["all-places"] && len(reports) > 0:
		return cli.Misuse("--all-places is only for the text report, and %s has all places anyway", reports[0])
	}
	return nil
}

// checkOffline returns a UsageError if --offline is given and an argument is the URL of a page on a server.
func (o Options) checkOffline(e *cli.Env) error {
	for _, arg := range o.Args {
		if page, ok := e.ArgumentURL(arg); ok && o.Offline && !facts.Of(page.Scheme()).Has(facts.LocalPath) {
			return cli.Misuse("--offline cannot check a page on a server: %s", page.Redacted())
		}
	}
	return nil
}

// isShared reports whether other processes take part in the run.
func (o Options) isShared() bool { return o.Given["nats"] }

// isKept reports whether the run is saved in the state folder, so that it can be resumed there.
func (o Options) isKept() bool {
	return !o.isShared() && (o.Resume || o.Recursive && !o.NoResume)
}
