package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/proto/tn3270"
	"locus/scheme"
)

// A flagSpec declares a flag. A flag is declared once, and means the same in every
// verb that has it.
type flagSpec struct {
	name  string
	short string // one letter; "" if there is none
	// zero is the value without the flag. Its type is that of the flag: bool,
	// string, []string, int or time.Duration.
	zero  any
	usage string // a sentence; between backquotes stands the name of the value
}

// flagSpecs are all flags of all verbs. doc/command.md shows them as a table.
var flagSpecs = []flagSpec{
	// What is written, and where.
	{"output", "o", "", "write to `FILE`; - is stdout"},
	{"remote-name", "O", false, "write to a file named like the end of the URL"},
	{"output-dir", "", "", "write files to `DIR`, each named like the end of its URL"},
	{"continue", "c", false, "resume partial files, and skip complete ones"},
	{"recursive", "r", false, "process everything below each URL"},
	{"json", "", false, "write JSON, one object a line"},
	{"quiet", "q", false, "report errors only, neither progress nor retries"},
	{"all", "", false, "show everything, not only what matters most"},
	{"long", "l", false, "show kind, size and time before each name, as ls -l does"},
	{"count", "", false, "write only the number of URLs"},
	{"unique", "", false, "write each URL once"},
	{"raw", "", false, "write the bytes unchanged, even to a terminal"},
	{"dry-run", "n", false, "show what would be done, and change nothing"},
	{"junit", "", "", "also write the report to `FILE` as JUnit XML"},
	{"markdown", "", "", "also write the report to `FILE` as Markdown"},
	{"man", "", false, "write a manual page, for man -l"},

	// What is read.
	{"as", "", "", "read the input as `KIND`"},
	{"base", "", "", "resolve relative references against `URL`"},
	{"input", "i", "", "read more URLs from `FILE`, one a line; - is stdin"},
	{"globoff", "g", false, "take [1-100] and {a,b} in URLs literally"},
	{"include", "", []string(nil), "take only files that match the glob `PATTERN`; repeatable"},
	{"exclude", "", []string(nil), "skip files and folders that match the glob `PATTERN`; repeatable"},
	{"include-url", "", []string(nil), "take only URLs that match the regular expression `RE`; repeatable"},
	{"exclude-url", "", []string(nil), "skip URLs that match the regular expression `RE`; repeatable"},
	{"scheme", "", []string(nil), "take only URLs of `SCHEME`; repeatable"},
	{"host", "", []string(nil), "take only URLs at `HOST` and below it; repeatable"},
	{"no-ignore", "", false, "also read files that Git ignores"},
	{"bare", "", false, "also find hosts without a scheme"},
	{"addresses", "", false, "also find mail addresses without a scheme"},
	{"unknown", "", false, "also find URLs of unknown schemes, such as unheard://h/x"},
	{"offset", "", "", "start at byte `N`"},
	{"max-size", "", "", "refuse a resource of more than `SIZE` bytes, such as 500K or 2G"},
	{"search", "", "", "search for `WORDS` in what the URL names"},
	{"answer", "", []string(nil), "answer a question of a form with `NAME=VALUE`; repeatable"},
	{"sha256", "", "", "fail unless the file has the SHA-256 (or SHA-512) `HEX`"},
	{"checksum-file", "", "", "fail unless files have the checksums in `FILE`, such as SHA256SUMS"},

	// Trees and sites.
	{"level", "", "", "go at most `N` links or folders away from the URL (default 0: no limit)"},
	{"max-entries", "", "", "fail if there are more than `N` files, folders and links (default 10000000)"},
	{"listings", "", false, "keep the pages that web servers make of folders, as index.html"},
	{"ignore-robots", "", false, "follow links that the server's robots.txt disallows"},
	{"portable", "", false, "make file names that Windows can have too"},
	{"delete", "", false, "delete files in DIR that are not below URL"},
	{"scope", "", []string(nil), "follow only links to URLs that start with `PREFIX`; repeatable"},

	// How much, how long, how often.
	{"timeout", "m", time.Duration(0), "give each URL at most `DURATION`, such as 30s (default: no limit; check 30s; serve --policy 30m)"},
	{"idle", "", time.Duration(0), "stop if the server sends nothing for `DURATION` (default 1m)"},
	{"min-rate", "", "", "stop if the server sends fewer than `N` bytes a second over 30 seconds (default 1; 0: no limit)"},
	{"limit-rate", "", "", "read at most `N` bytes a second in all, such as 500K or 2M"},
	{"rate", "", "", "send at most `N` requests a second to one host, such as 2 or 0.5"},
	{"jobs", "j", "", "work on `N` files or URLs at once (default 4; check 64; extract one for each processor)"},
	{"per-host", "", "", "open at most `N` connections to one host at once (default 8; serve allows that to each client)"},
	{"per-client", "", 128, "answer at most `N` requests of one client at once (default 128)"},
	{"split", "", "", "fetch a large file in `N` parts at once, if the server can (default 1)"},
	{"sync", "", false, "write each file to the disk before it gets its name, in case of a power cut"},
	{"retries", "", "", "retry up to `N` times after a failure that may pass (default 3)"},
	{"retry-wait", "", time.Duration(0), "wait `DURATION` before the first retry, and twice as long before each further one (default 1s)"},
	{"retry-time", "", time.Duration(0), "stop retrying `DURATION` after the first failure (default 5m)"},

	// Connections and logins.
	{"proxy", "x", "", "connect through the proxy at `URL` (http, socks5, socks5h)"},
	{"no-proxy", "", false, "connect directly, whatever the environment says"},
	{"gateway", "", []string(nil), "open the URLs of a scheme through a gateway: `SCHEME=URL`; repeatable"},
	{"allow-port", "", []string(nil), "connect to port `N` although it belongs to another protocol; repeatable"},
	{"netrc-file", "", "", "read logins from `FILE` instead of ~/.netrc"},
	{"password-file", "", "", "take the first line of `FILE` as the password"},
	{"mail", "", "", "find mid and cid URLs in the mail at `PLACE`: a Maildir, an mbox, or an imap(s) URL"},
	{"spool", "", "", "look for news articles in the folder `DIR` first"},
	{"news-user", "", "", "log in to news servers as `NAME`"},
	{"news-tls", "", false, "refuse news servers without TLS"},
	{"news-no-tls", "", false, "connect to news servers without TLS, even to send a password"},
	{"ftp-tls", "", false, "refuse ftp servers without TLS"},
	{"ftp-active", "", false, "let ftp servers connect to this machine for data"},
	{"ftp-account", "", "", "send `TEXT` to ftp servers that want an account"},
	{"ftp-charset", "", "", "write file names for old ftp servers in the character set `NAME`, such as ISO-8859-1"},
	{"ftp-direct", "", false, "overwrite ftp files in place, for servers that cannot rename"},
	{"ftp-chmod", "", "", "set the mode of uploaded ftp files to `MODE`, such as 644"},

	// Changes.
	{"preserve", "p", false, "keep the time of the last change, where the protocol can"},
	{"no-clobber", "", false, "replace nothing that exists"},
	{"if-match", "", "", "change only the version with this `ETAG` (http, https, file)"},

	// URLs as text.
	{"lint", "", false, "say why the parsers differ, and fail if they do"},
	{"set", "", []string(nil), "set a part: `PART=VALUE`; repeatable"},
	{"unset", "", []string(nil), "remove `PART`; repeatable"},
	{"unset-query", "", []string(nil), "remove the query pairs whose names match `PATTERN`, such as utm_*; repeatable"},
	{"set-query", "", []string(nil), "give the query pair NAME another value, or add it: `NAME=VALUE`; repeatable"},
	{"add-query", "", []string(nil), "add a pair to the query: `NAME=VALUE`; repeatable"},
	{"sort-query", "", false, "sort the query pairs by name"},

	// Mail.
	{"edit", "", false, "edit the message with $VISUAL or $EDITOR"},
	{"from", "", "", "set the sender to `ADDRESS` instead of $EMAIL"},
	{"smtp", "", "", "send through `SERVER` instead of $SMTPSERVER"},
	{"smtp-no-tls", "", false, "send without TLS, even a password"},

	// Sessions.
	{"at", "", "", "use the gateway at `URL` instead of $" + gatewayVariable + " or " + usualGateway},
	{"escape", "", "^]", "make `KEY`, such as ^] or ~, the escape key; none: no such key (default ^])"},
	{"send-user", "", false, "tell a telnet server that asks for it the user in the URL"},
	{"model", "", "", "be the 3270 model `N`: 2 (24x80), 3 (32x80), 4 (43x80) or 5 (27x132) (default 2)"},
	{"code-page", "", "", "read a 3270 host's text in the EBCDIC code page `PAGE`"},

	// check.
	{"accept", "", []string(nil), "also take the HTTP statuses `CODES`, such as 401,429, as good; repeatable"},
	{"no-mx", "", false, "do not look up the domains of mail addresses"},
	{"max-age", "", time.Duration(0), "trust good results of earlier runs that are younger than `DURATION`"},
	{"since", "", "", "report only what changed since the run that wrote `FILE`, and update it"},
	{"fix", "", false, "rewrite links in files that have moved permanently"},
	{"yes", "", false, "do not ask before --fix writes"},
	{"state", "", "", "keep results and unfinished runs in `DIR`"},
	{"resume", "", false, "make the run resumable; --recursive does so by itself"},
	{"no-resume", "", false, "start again, and keep nothing to resume"},
	{"nats", "", "", "share the run with other processes through NATS JetStream at `URL`; commas between several"},
	{"run", "", "check", "name the shared run `NAME` (default check)"},
	{"replicas", "", "", "with --nats, store everything on `N` servers (default 1)"},
	{"worker", "", false, "with --nats, help with a run that another process starts"},
	{"lease", "", time.Duration(0), "with --nats, give up on a worker that is silent for `DURATION` (default 5s)"},

	// serve, demo and install-handlers.
	{"listen", "", "127.0.0.1:1738", "listen on `HOST:PORT` (default 127.0.0.1:1738)"},
	{"log", "", "text", "log to stderr as `FORMAT`: text, json or off (default text)"},
	{"policy", "", "", "let others open what `POLICY` allows: public or any"},
	{"root", "", "", "serve file URLs from the folder `DIR`"},
	{"name", "", []string(nil), "accept requests for the host name `HOST` too; repeatable"},
	{"auth", "", "", "let in the users in `FILE`: lines of user:hash, as htpasswd -B writes them"},
	{"tls-cert", "", "", "serve over TLS with the certificates in `FILE` (PEM)"},
	{"tls-key", "", "", "use the private key in `FILE` (PEM) for --tls-cert"},
	{"client-ca", "", "", "let in clients with a certificate signed by one in `FILE` (PEM)"},
	{"cache-dir", "", "", "cache in `DIR` instead of the user's cache folder"},
	{"cache-size", "", "1G", "cache at most `SIZE` bytes, such as 500M (default 1G)"},
	{"no-cache", "", false, "cache nothing"},
	{"admin", "", "", "serve /metrics and /healthz at `ADDRESS`: a port of loopback, or HOST:PORT"},
	{"drain", "", 10 * time.Second, "when interrupted, finish requests for up to `DURATION` (default 10s)"},
	{"servers", "", "127.0.0.1", "let the demo's servers listen on the address `HOST` (default 127.0.0.1)"},
	{"port", "", []string(nil), "serve a scheme on a port: `SCHEME=PORT`; repeatable"},
	{"remove", "", false, "undo everything that was installed"},
	{"version", "", false, "print the version of locus"},
}

// Groups of flags that several verbs have.
const (
	connectFlags  = "timeout idle proxy no-proxy allow-port "
	loginFlags    = "netrc-file password-file "
	protocolFlags = "gateway mail spool news-user news-tls news-no-tls ftp-tls ftp-active ftp-account ftp-charset "
	accessFlags   = connectFlags + protocolFlags + loginFlags // of a verb that opens URLs
	uploadFlags   = "ftp-direct ftp-chmod "
	retryFlags    = "retries retry-wait retry-time quiet "
	fetchFlags    = "min-rate limit-rate per-host " + retryFlags
	fileFlags     = "jobs split sync json " + fetchFlags // of a verb that fetches files
	treeFlags     = "level max-entries include exclude dry-run listings ignore-robots portable "
	walkFlags     = "include exclude no-ignore " // of a verb that reads folders
)

// flags returns new flags with these names, which stand between blanks.
func flags(names string) []cli.Flag {
	var all []cli.Flag
	for name := range strings.FieldsSeq(names) {
		all = append(all, specOf(name).flag())
	}
	return all
}

func specOf(name string) flagSpec {
	for _, s := range flagSpecs {
		if s.name == name {
			return s
		}
	}
	panic("no flag is declared as " + name)
}

func (s flagSpec) flag() cli.Flag {
	var aliases []string
	if s.short != "" {
		aliases = []string{s.short}
	}
	switch zero := s.zero.(type) {
	case bool:
		return &cli.BoolFlag{Name: s.name, Aliases: aliases, Usage: s.usage, Local: s.name == "version"}
	case string:
		return &cli.StringFlag{Name: s.name, Aliases: aliases, Usage: s.usage, Value: zero}
	case []string:
		return &cli.StringSliceFlag{Name: s.name, Aliases: aliases, Usage: s.usage}
	case int:
		return &cli.IntFlag{Name: s.name, Aliases: aliases, Usage: s.usage, Value: zero}
	case time.Duration:
		return &cli.DurationFlag{Name: s.name, Aliases: aliases, Usage: s.usage, Value: zero}
	}
	panic(fmt.Sprintf("the flag %s is of type %T", s.name, s.zero))
}

// valuesOf returns the values that a flag of a verb can have; nil if there are too
// many to list.
func valuesOf(c *cli.Command, flag string) []string {
	switch flag {
	case "as":
		kinds, _ := c.Metadata["kinds"].([]string)
		return kinds
	case "scheme":
		var names []string
		for _, s := range scheme.All() {
			names = append(names, s.Name)
		}
		return names
	case "policy":
		return []string{"public", "any"}
	case "log":
		return []string{"text", "json", "off"}
	case "model":
		return []string{"2", "3", "4", "5"}
	case "code-page":
		return tn3270.CodePages()
	}
	return nil
}

// flagHelp returns how a flag of c is written, and what it does.
func flagHelp(c *cli.Command, f cli.Flag) [2]string {
	text := flagText(f)
	switch name := f.Names()[0]; name {
	case "as", "code-page":
		text[1] += ": " + strings.Join(valuesOf(c, name), ", ")
	}
	return text
}

// levelOf returns the value of --level; 0 is no limit.
func levelOf(c *cli.Command) (int, error) {
	if !c.IsSet("level") {
		return 0, nil
	}
	n, err := parseNumber("level", c.String("level"), 0, 1<<20)
	return int(n), err
}

// retriesOf returns the value of --retries as retry.Policy and check.Policy have it:
// a negative number is none.
func retriesOf(c *cli.Command) (int, error) {
	if !c.IsSet("retries") {
		return 3, nil
	}
	n, err := parseNumber("retries", c.String("retries"), 0, math.MaxInt32)
	if n == 0 {
		return -1, err
	}
	return int(n), err
}

// perHost returns the value of --per-host.
func perHost(c *cli.Command) (int, error) { return countOf(c, "per-host", 8) }

// countOf returns the value of a flag that is a number of things, at least one.
func countOf(c *cli.Command, flag string, otherwise int) (int, error) {
	if !c.IsSet(flag) {
		return otherwise, nil
	}
	n, err := parseNumber(flag, c.String(flag), 1, 1000)
	return int(n), err
}

// schemesOf returns the values of --scheme: names such as "ftp", in lower case.
func schemesOf(c *cli.Command) ([]string, error) {
	var names []string
	for _, text := range c.StringSlice("scheme") {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(text, "//"), ":"))
		if !isScheme(name) {
			return nil, misuse("--scheme wants the name of a scheme, such as ftp, not %q", text)
		}
		names = append(names, name)
	}
	return names, nil
}
