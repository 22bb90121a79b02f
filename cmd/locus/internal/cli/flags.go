package cli

import (
	"math"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/flags"
	"locus/cmd/locus/internal/gateways"
	"locus/internal/ascii"
	"locus/internal/lazy"
	"locus/internal/shard"
	"locus/proto/tn3270"
	"locus/proto/z3950"
	"locus/scheme"
)

// A spec declares a flag. A flag is declared once, because it means nearly the same in every verb. A verb in which its
// effect or its default differs has a sentence of its own for it: see [Verb].
type spec struct {
	name  string
	short string // one letter; "": only the long form exists
	kind  flags.Kind
	usual string // the value without the flag, as text; "": the zero value
	usage string // a sentence, with the name of the value in backquotes
}

// specs declares the flags of all verbs. doc/flags.md has them as a table.
var specs = lazy.Value[[]spec]{Make: func() []spec {
	// The kinds of the values.
	var (
		boolean      flags.Kind
		text         = flags.Text()
		word         = flags.Word()
		words        = flags.Texts()
		duration     = flags.Duration()
		size         = flags.Size()
		schemes      = flags.Kind{List: true, Parse: parseScheme}
		hosts        = flags.Kind{List: true, Parse: parseHost}
		gatewayOf    = gateways.Kind()
		fingerprints = flags.Kind{List: true, Parse: parseFingerprint}
		ports        = flags.Kind{List: true, Parse: flags.Port(0).Parse}

		// retries is the Retries of a retry.Policy, for which 0 is the default and -1 means no retries.
		retries = flags.Kind{Parse: func(flag, text string) (any, error) {
			n, err := flags.Count(0, math.MaxInt32).Parse(flag, text)
			if n == 0 {
				n = -1
			}
			return n, err
		}}
	)

	return []spec{
		// Output.
		{"output", "o", text, "", "write to `FILE`; - is stdout"},
		{"remote-name", "O", boolean, "", "write to a file named after the end of the URL"},
		{"output-dir", "", word, "", "write files to `DIR` (named after the ends of their URLs)"},
		{"continue", "c", boolean, "", "resume partial files, and skip complete ones"},
		{"recursive", "r", boolean, "", "process everything below each URL or folder"},
		{"json", "", boolean, "", "write JSON, one object per line"},
		{"quiet", "q", boolean, "", "report only errors, not progress or retries"},
		{"all", "", boolean, "", "show everything, not only the most important parts"},
		{"long", "l", boolean, "", "show kind, size and time before the name, and the URL after it (as in ls -l)"},
		{"count", "", boolean, "", "write only the number of URLs"},
		{"unique", "", boolean, "", "write each URL once"},
		{"all-places", "", boolean, "", "list every place where a link occurs, not only the first five"},
		{"raw", "", boolean, "", "write the bytes unchanged, even to a terminal"},
		{"marcxml", "", boolean, "", "write the records of a library catalogue (MARC) as MARCXML"},
		{"dry-run", "n", boolean, "", "show what would be done, and change nothing"},
		{"sarif", "", word, "", "also write the report to `FILE` as SARIF 2.1.0"},
		{"html", "", word, "", "also write the report to `FILE` as a page that can be sorted and filtered"},
		{"junit", "", word, "", "also write the report to `FILE` as JUnit XML"},
		{"markdown", "", word, "", "also write the report to `FILE` as Markdown"},
		{"man", "", boolean, "", "write a manual page, for man -l"},

		// Input.
		{"as", "", word, "", "read the input as `KIND`"},
		{"guess", "", boolean, "", "read URLs as people type them, such as example.org, //example.org and http://åäö/, or with spaces"},
		{"parts", "", word, "", "write `FORMAT` for each URL, such as '{host}:{port}'"},
		{"base", "", text, "", "resolve relative references against `URL`"},
		{"index", "", words, "", "the `NAME` of index pages of the site (default index.html); repeatable"},
		{"extension", "", words, "", "the `EXTENSION` of pages whose links have none (default .html); repeatable"},
		{"input", "i", word, "", "read more URLs from `FILE`, one per line; - is stdin"},
		{"globoff", "g", boolean, "", "take [1-100] and {a,b} in URLs literally"},
		{"include", "", words, "", "take only files that match the glob `PATTERN`; repeatable"},
		{"exclude", "", words, "", "skip files and folders that match the glob `PATTERN`; repeatable"},
		{"include-url", "", words, "", "take only URLs that match the regular expression `RE`; repeatable"},
		{"exclude-url", "", words, "", "skip URLs that match the regular expression `RE`; repeatable"},
		{"scheme", "", schemes, "", "take only URLs of `SCHEME`; repeatable"},
		{"host", "", hosts, "", "take only URLs at `HOST` and below it; repeatable"},
		{"shard", "", flags.Kind{Parse: parseShard}, "", "take only part `I/N` of the files, such as 1/4, so that N machines can share a tree"},
		{"no-ignore", "", boolean, "", "also read files that Git ignores"},
		{"code", "", boolean, "", "also check URLs in code, literal text, comments, and programs in folders"},
		{"offline", "", boolean, "", "check only links that need no network"},
		{"examples", "", boolean, "", "also check hosts that are only examples, such as example.org, x.invalid, x.test and localhost"},
		{"data-attributes", "", boolean, "", "also check the attributes data-src, data-href and data-srcset of HTML"},
		{"bare", "", boolean, "", "also find hosts without a scheme"},
		{"wrap", "", boolean, "", "write the text, with each URL as <URL:…>"},
		{"addresses", "", boolean, "", "also find mail addresses without a scheme"},
		{"unknown", "", boolean, "", "also find URLs of unknown schemes, such as unheard://h/x"},
		{"charset", "", word, "", "read text in the character set `NAME` if it declares no other and is not UTF-8 (default ISO-8859-1)"},
		{"offset", "", flags.Number(0, math.MaxInt64), "", "start at byte `N`"},
		{"max-size", "", flags.SizeOr0(0), "", "refuse a resource of more than `SIZE` bytes, such as 500K or 2G"},
		{"search", "", text, "", "search for `WORDS` in the index at the URL"},
		{"answer", "", words, "", "answer a question of a form with `NAME=VALUE`; repeatable"},
		{"sha256", "", word, "", "fail unless the file has the SHA-256 (or SHA-512) `HEX`"},
		{"metalink", "", text, "", "fetch the files that the Metalink 4 file `META4` (a file or a URL) describes, from the best mirror that works"},
		{"checksum-file", "", word, "", "fail unless files have the checksums in `FILE`, such as SHA256SUMS"},

		// Trees and sites.
		{"level", "", flags.Count(0, 1<<20), "", "go at most `N` links or folders away from the URL (default 0: no limit)"},
		{"max-entries", "", flags.Count(1, math.MaxInt32), "", "fail if there are more than `N` files, folders and links (default 10000000)"},
		{"max-files", "", flags.Count(1, math.MaxInt32), "", "fail if there are more than `N` files below the URL (default 1000000)"},
		{"max-total", "", size, "", "fail if all files below the URL have more than `SIZE` bytes together, such as 500M or 2G (default: new files may take nine tenths of the free disk space)"},
		{"listings", "", boolean, "", "keep the listings that web servers make of folders, as index.html"},
		{"ignore-robots", "", boolean, "", "follow links that the server's robots.txt disallows"},
		{"page-requisites", "", boolean, "", "also fetch the files that pages load (style sheets, images, scripts, fonts, media, frames)"},
		{"convert-links", "", boolean, "", "make links in pages lead to the copied files; the copy can then be read offline"},
		{"other-hosts", "", words, "", "with --page-requisites, gopher, prospero or wais, also fetch from hosts that match `PATTERN`, such as '*.example.net' or '*'; repeatable"},
		{"portable", "", boolean, "", "use only file names that Windows also allows"},
		{"delete", "", boolean, "", "delete files of the copy that the original does not have"},
		{"max-delete", "", flags.Count(0, math.MaxInt32), "", "with --delete, delete nothing if more than `N` files and folders would be deleted (default: no limit)"},
		{"replace-newer", "", boolean, "", "also replace files that are newer at the target"},
		{"permissions", "", boolean, "", "keep the permissions of each file, if the protocol can"},
		{"skip-links", "", boolean, "", "skip symbolic links (default: send the files that they lead to)"},
		{"manifest", "", word, "", "record the sent files in `FILE`, for servers that do not keep times"},
		{"scope", "", words, "", "follow only links to URLs that start with `PREFIX`; repeatable"},

		// How much, how long, how often.
		{"max-time", "m", duration, "", "give each URL at most `DURATION` in all, such as 30s (default: no limit)"},
		{"timeout", "", duration, "", "give each attempt at a link at most `DURATION` (default 30s)"},
		{"request-timeout", "", duration, "", "give each request of a client at most `DURATION` (default 30m with --policy, else no limit)"},
		{"idle", "", duration, "", "stop if the server sends nothing for `DURATION` (default 1m)"},
		{"min-rate", "", flags.SizeOr0(-1), "", "stop if the server sends fewer than `N` bytes a second over 30 seconds (default 1; 0: no limit)"},
		{"limit-rate", "", size, "", "read at most `N` bytes a second in all, such as 500K or 2M"},
		{"rate", "", flags.Rate(), "", "send at most `N` requests a second to one host, such as 2 or 0.5"},
		{"jobs", "j", flags.Count(1, 1000), "", "copy `N` files at once (default 4; at most 1000)"},
		{"memory", "", flags.SizeOr0(-1), "", "read pages with at most `SIZE` bytes of memory in all, such as 100M or 1G (default 256M; 0: no limit)"},
		{"per-host", "", flags.Count(1, 1000), "", "open at most `N` connections to one host at once (default 8)"},
		{"per-client", "", flags.Count(1, math.MaxInt32), "128", "answer at most `N` requests of one client at once (default 128)"},
		{"sessions", "", flags.Count(1, math.MaxInt32), "8", "open at most `N` terminal sessions of one client at once (default 8)"},
		{"split", "", flags.Count(1, 1000), "", "fetch a large file in `N` parts at once, if the server can (default 1)"},
		{"sync", "", boolean, "", "write each file to the disk before it gets its name, in case of a power cut"},
		{"retries", "", retries, "", "retry up to `N` times after a temporary failure (default 3)"},
		{"retry-wait", "", duration, "", "wait `DURATION` before the first retry, and twice as long before each further one (default 1s)"},
		{"retry-time", "", duration, "", "stop retrying `DURATION` after the first failure (default 5m)"},

		// Connections and logins.
		{"proxy", "x", word, "", "connect through the proxy at `URL` (http, socks5, socks5h)"},
		{"no-proxy", "", boolean, "", "connect directly, even if the environment names a proxy"},
		{"gateway", "", gatewayOf, "", "open the URLs of a scheme through a gateway: `SCHEME=URL`; repeatable"},
		{"allow-port", "", ports, "", "allow port `N`, which belongs to another protocol; repeatable"},
		{"netrc-file", "", word, "", "read logins from `FILE` instead of ~/.netrc"},
		{"password-file", "", word, "", "take the first line of `FILE` as the password"},
		{"cert", "", word, "", "send the client certificate in `FILE` (PEM) to the gemini servers that the arguments name"},
		{"key", "", word, "", "use the private key in `FILE` (PEM) for --cert (default: the key in the file of --cert)"},
		{"pin", "", fingerprints, "", "accept a gemini or gophers server with the certificate of the SHA-256 fingerprint `HEX`, and remember it; repeatable"},
		{"mail", "", word, "", "find mid and cid URLs in the mail at `PLACE`: a Maildir, an mbox, or an imap(s) URL"},
		{"spool", "", word, "", "look for news articles in the folder `DIR` first"},
		{"news-server", "", word, "", "ask `HOST` or HOST:PORT for news URLs without a server (default: NNTPSERVER, or the server of this machine's news readers)"},
		{"news-user", "", word, "", "log in to news servers as `NAME`"},
		{"news-tls", "", boolean, "", "refuse news servers without TLS"},
		{"news-no-tls", "", boolean, "", "connect to news servers without TLS, even to send a password"},
		{"ftp-tls", "", boolean, "", "refuse ftp servers without TLS"},
		{"ftp-no-tls", "", boolean, "", "connect to ftp servers without TLS, even to send a password"},
		{"ftp-active", "", boolean, "", "let ftp servers connect to this machine for data"},
		{"ftp-passive", "", word, "", "ask ftp servers for a data port with `COMMAND` only: epsv or pasv (default: epsv, then pasv)"},
		{"ftp-account", "", word, "", "send `TEXT` to ftp servers that ask for an account"},
		{"ftp-charset", "", word, "", "write file names for old ftp servers in the character set `NAME`, such as ISO-8859-1"},
		{"ftp-direct", "", boolean, "", "overwrite ftp files in place, for servers that cannot rename"},
		{"ftp-chmod", "", word, "", "set the mode of uploaded ftp files to `MODE`, such as 644"},
		{"nfs-user", "", word, "", "act as the user `UID:GID` at nfs servers, which do not check it; more groups follow after commas (default 65534:65534, nobody)"},
		{"nfs-low-port", "", boolean, "", "connect to nfs servers from a port below 1024, which many require; needs root"},
		{"nfs-mount-port", "", flags.Port(1), "", "find the mount program of nfs servers at port `N` instead of asking their port mapper"},

		{"max-hits", "", flags.Count(1, 1_000_000_000), "", "list at most `N` results of a wais or z39.50 search (default 200)"},
		{"record-syntax", "", words, "", "ask z39.50 servers for records as `NAME`, such as usmarc, xml or sutrs; repeatable, the preferred one first"},

		// Archives.
		{"warc", "", word, "", "record everything that is fetched over the network in the archive `FILE`, such as site.warc.gz, or site.warc without compression"},
		{"warc-size", "", size, "", "continue --warc in another file after `SIZE` bytes, such as 1G (default: one file)"},
		{"from-warc", "", word, "", "open everything from the archive `FILE` (WARC) instead of the network"},
		{"proxy-ca", "", word, "", "record or replay https too, for a browser that trusts the certificate in `FILE`; if the certificate and its key are missing, make both"},

		// Changes.
		{"preserve", "p", boolean, "", "keep the time of the last change (if the protocol can)"},
		{"no-clobber", "", boolean, "", "do not replace existing files"},
		{"if-match", "", text, "", "replace the file only if its version is still `ETAG` (http, https, file, nfs)"},

		// URLs as text.
		{"lint", "", boolean, "", "say why the parsers disagree, and fail if they do"},
		{"set", "", words, "", "set a part: `PART=VALUE`; repeatable"},
		{"unset", "", words, "", "remove `PART`; repeatable"},
		{"append-path", "", words, "", "add `NAME` to the end of the path; repeatable"},
		{"iterate", "", words, "", "write a URL for each value: `PART=VALUE…`, such as 'port=80 8080'; repeatable"},
		{"unset-query", "", words, "", "remove the query pairs whose names match `PATTERN`, such as utm_*; repeatable"},
		{"set-query", "", words, "", "set or add a pair of the query: `NAME=VALUE`; repeatable"},
		{"add-query", "", words, "", "add a pair to the query: `NAME=VALUE`; repeatable"},
		{"sort-query", "", boolean, "", "sort the query pairs by name"},

		// Mail.
		{"edit", "", boolean, "", "edit the message with $VISUAL or $EDITOR"},
		{"from", "", word, "", "set the sender to `ADDRESS` instead of $EMAIL"},
		{"smtp", "", word, "", "send through `SERVER` instead of $SMTPSERVER"},
		{"smtp-no-tls", "", boolean, "", "send without TLS, even a password"},

		// Sessions.
		{"at", "", word, "", "use the gateway at `URL` instead of $" + GatewayVariable + " or " + UsualGateway},
		{"link", "", boolean, "", "URL is a link of another program: ask before it opens a session, a file or a private address"},
		{"escape", "", word, "^]", "use `KEY`, such as ^] or ~, as the escape key, or none (default ^])"},
		{"send-user", "", boolean, "", "send the user in the URL to a telnet server that asks for it"},
		{"model", "", word, "", "act as the 3270 model `N`: 2 (24x80), 3 (32x80), 4 (43x80) or 5 (27x132) (default 2)"},
		{"code-page", "", word, "", "read a 3270 host's text in the EBCDIC code page `PAGE`"},

		// check.
		{"accept", "", flags.StatusCodes(), "", "also accept the HTTP statuses `CODES`, such as 401,429; repeatable"},
		{"config", "", word, "", "read rules and defaults from `FILE` (default: the nearest locus-check.toml, from the first argument upward)"},
		{"init", "", boolean, "", "write a locus-check.toml with comments, and do not check links"},
		{"fail-on", "", words, "", "fail if a link is one of `VERDICTS`, such as dead,soft-404; with none, no link fails (default dead); repeatable"},
		{"probe", "", boolean, "", "read each page, to find soft 404s and parked domains; this sends more requests"},
		{"archived", "", word, "", "name an archived copy of each dead page: `HOW` is propose (without asking the archive) or check (only copies that exist)"},
		{"archive", "", text, "https://web.archive.org/web/{url}", "find archived copies at `TEMPLATE` (default https://web.archive.org/web/{url})"},
		{"no-mx", "", boolean, "", "do not look up the domains of mail addresses"},
		{"max-age", "", duration, "", "skip links that were good less than `DURATION` ago"},
		{"since", "", word, "", "report only what changed since the run that wrote `FILE`, and update it"},
		{"baseline", "", word, "", "report only what changed since the run that wrote `FILE`, and leave it unchanged"},
		{"fix", "", boolean, "", "in files, rewrite links that have moved permanently"},
		{"yes", "", boolean, "", "do not ask before --fix writes"},
		{"state", "", word, "", "keep results and unfinished runs in `DIR`"},
		{"resume", "", boolean, "", "make the run resumable; --recursive does so by itself"},
		{"no-resume", "", boolean, "", "start again, and do not make the run resumable"},
		{"nats", "", word, "", "share the run with other processes through NATS JetStream at `URL`, or at several with commas between them"},
		{"run", "", word, "check", "name the shared run `NAME` (default check)"},
		{"replicas", "", flags.Count(1, 1000), "", "with --nats, store everything on `N` servers (default 1)"},
		{"split-host", "", words, "", "with --nats, let several workers check `HOST`, each with its part of --per-host and --rate; repeatable"},
		{"join", "", boolean, "", "with --nats, check URLs for a run that another process starts"},
		{"join-reports", "", boolean, "", "join the reports of all parts, which --shard and --json wrote to the files"},
		{"list-runs", "", boolean, "", "with --nats, list the runs that the servers keep"},
		{"forget-run", "", boolean, "", "with --nats, remove the run that --run names"},
		{"nats-creds", "", word, "", "log in to NATS with the credentials in `FILE`"},
		{"nats-ca", "", word, "", "trust NATS servers with a certificate signed by one in `FILE` (PEM)"},
		{"nats-cert", "", word, "", "show NATS servers the certificate in `FILE` (PEM)"},
		{"nats-key", "", word, "", "use the private key in `FILE` (PEM) for --nats-cert"},
		{"lease", "", duration, "", "with --nats, give up on a worker that is silent for `DURATION` (default 5s)"},

		// serve, demo and install-handlers.
		{"listen", "", word, "127.0.0.1:1738", "listen on `ADDRESS`: HOST:PORT, or systemd for its socket (default 127.0.0.1:1738)"},
		{"trusted-proxy", "", flags.Networks(), "", "trust the reverse proxy at `CIDR`, an address or a network, to name the client in Forwarded or X-Forwarded-For; repeatable"},
		{"proxy-protocol", "", boolean, "", "take the client from the PROXY header (version 1 or 2) at the start of each connection from --trusted-proxy"},
		{"log", "", word, "text", "log to stderr as `FORMAT`: text, json or off (default text)"},
		{"policy", "", word, "", "let others open what `POLICY` allows: public or any"},
		{"root", "", word, "", "take `DIR` as the root: /a.html is DIR/a.html"},
		{"name", "", words, "", "also answer for the host name `HOST`; other names get 421; repeatable"},
		{"secret-file", "", word, "", "take the secret of the gateway from `FILE`, so that gateways behind one load balancer accept each other's forms"},
		{"auth", "", word, "", "let in the users in `FILE` (lines of user:hash, as htpasswd -B writes them)"},
		{"tls-cert", "", word, "", "serve over TLS with the certificates in `FILE` (PEM)"},
		{"tls-key", "", word, "", "use the private key in `FILE` (PEM) for --tls-cert"},
		{"client-ca", "", word, "", "let in clients with a certificate signed by one in `FILE` (PEM)"},
		{"acme", "", words, "", "get an ACME certificate for the host `NAME`; this accepts the authority's terms; repeatable"},
		{"acme-directory", "", word, "", "get the certificates of --acme from the authority with the ACME directory `URL` (default: Let's Encrypt)"},
		{"acme-state", "", word, "", "keep keys and certificates of --acme in `DIR` (default: the user's state folder)"},
		{"cache-dir", "", word, "", "cache in `DIR` instead of the user's cache folder"},
		{"cache-size", "", size, "1G", "cache at most `SIZE` bytes, such as 500M (default 1G)"},
		{"no-cache", "", boolean, "", "do not cache"},
		{"gopher-search", "", word, "", "offer a search at `URL` for words that are not a URL, such as gopher://gopher.floodgap.com/7/v2/vs"},
		{"start", "", word, "", "show the links of `FILE` on the front page: lines such as => gopher://h/ A title"},
		{"places", "", word, "", "show the places of `FILE` on the front page instead of the built-in ones"},
		{"admin", "", word, "", "serve /metrics and /healthz at `ADDRESS`: a port of loopback, or HOST:PORT"},
		{"drain", "", flags.DurationFrom0(), "10s", "when interrupted, finish requests for up to `DURATION` (default 10s)"},
		{"list", "", boolean, "", "also print the URLs of all servers, and commands to try"},
		{"servers", "", word, "127.0.0.1", "let the demo's servers listen on `HOST` (default 127.0.0.1)"},
		{"faults", "", word, "", "give the servers the faults in `LIST`, such as loss=0.2,slow=20ms"},
		{"port", "", words, "", "serve a scheme on a port: `SCHEME=PORT`; repeatable"},
		{"remove", "", boolean, "", "undo everything that was installed"},
	}
}}

// AllFlags returns the flags of all verbs.
func AllFlags() []Flag {
	var all []Flag
	for _, s := range specs.Get() {
		all = append(all, Flag{Spec: Spec(s.name)})
	}
	return all
}

// FlagNames returns the names of the flags in a group such as [Tree], without dashes and with blanks
// between them: "depth follow".
func FlagNames[Group any]() string {
	var names []string
	for _, f := range flags.Of(new(Group), Spec) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// Spec returns the declaration of the flag with a name. It panics if there is no such flag. The values of
// --as are missing from it, because each verb has its own.
func Spec(name string) flags.Spec {
	for _, s := range specs.Get() {
		if s.name == name {
			return flags.Spec{
				Name: name, Short: s.short, Kind: s.kind, Usual: s.usual, Usage: s.usage,
				Choices: choices(name), ShowChoices: name == "as" || name == "code-page", Likely: likely(name),
			}
		}
	}
	panic("no flag is declared as " + name) // a tag of this command is wrong
}

// choices returns the only values that the flag accepts, or nil if it accepts other values, too.
func choices(flag string) []string {
	switch flag {
	case "archived":
		return []string{"propose", "check"}
	case "ftp-passive":
		return []string{"epsv", "pasv"}
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

// likely returns values that a shell suggests for the flag. The flag accepts others too, or several
// values with commas between them. likely returns nil for most flags.
func likely(flag string) []string {
	switch flag {
	case "fail-on":
		return append(check.FailOn(), "none")
	case "record-syntax":
		return z3950.Syntaxes()
	case "scheme":
		var names []string
		for _, known := range scheme.All() {
			names = append(names, known.Name)
		}
		return names
	}
	return nil
}

// URLStarts returns, for each scheme, the text with which its URLs begin, such as "ftp://" or "mid:".
func URLStarts() []string {
	var starts []string
	for _, known := range scheme.All() {
		start := known.Name + ":"
		if known.Port != 0 || known.Flags.Has(scheme.Hierarchical) {
			start += "//"
		}
		starts = append(starts, start)
	}
	return starts
}

// parseScheme returns the scheme in a text such as "FTP", "ftp:" or "ftp://", in lower case. flag names the flag in
// the UsageError for any other text.
func parseScheme(flag, text string) (any, error) {
	name := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(text, "//"), ":"))
	if !ascii.IsScheme(name) {
		return name, Misuse("--%s must be the name of a scheme, such as ftp, not %q", flag, text)
	}
	return name, nil
}

// parseShard returns the shard.Shard for a text such as 1/4, or a UsageError.
func parseShard(flag, text string) (any, error) {
	s, err := shard.Parse(text)
	if err != nil {
		return s, Misuse("--%s must be a part from 1/N to N/N, such as 1/4, not %q", flag, text)
	}
	return s, nil
}

// parseHost returns text unchanged if it looks like a host without a port, and otherwise a UsageError.
func parseHost(flag, text string) (any, error) {
	hasPort := strings.Count(text, ":") == 1 || strings.Contains(text, "]:")
	if text == "" || hasPort || strings.ContainsAny(text, "/@, ") {
		return text, Misuse("--%s must be a host, such as example.org, not %q", flag, text)
	}
	return text, nil
}
