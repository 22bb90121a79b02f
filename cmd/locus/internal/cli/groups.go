package cli

import (
	"path/filepath"
	"time"

	"locus/cmd/locus/internal/gateways"
	"locus/internal/glob"
	"locus/internal/shard"
	"locus/internal/walk"
	"locus/internal/weburl"
	"locus/transfer"
	"locus/url"
)

// These are groups of flags that several verbs have. A verb embeds them in its Options.

// Connect has the flags of verbs that connect to servers.
type Connect struct {
	Idle      time.Duration `flag:"idle"`
	Proxy     string        `flag:"proxy"`
	NoProxy   bool          `flag:"no-proxy"`
	AllowPort []uint16      `flag:"allow-port"`
}

// Protocols has the flags for single protocols.
type Protocols struct {
	Gateway    []gateways.Gateway `flag:"gateway"`
	Mail       string             `flag:"mail"`
	Spool      string             `flag:"spool"`
	NewsServer string             `flag:"news-server"`
	NewsUser   string             `flag:"news-user"`
	NewsTLS    bool               `flag:"news-tls"`
	NewsNoTLS  bool               `flag:"news-no-tls"`
	FTPTLS     bool               `flag:"ftp-tls"`
	FTPNoTLS   bool               `flag:"ftp-no-tls"`
	FTPActive  bool               `flag:"ftp-active"`
	FTPPassive string             `flag:"ftp-passive"`
	FTPAccount string             `flag:"ftp-account"`
	FTPCharset string             `flag:"ftp-charset"`
	NFSUser    string             `flag:"nfs-user"`
	NFSLowPort bool               `flag:"nfs-low-port"`
	NFSMount   uint16             `flag:"nfs-mount-port"`
	MaxHits    int                `flag:"max-hits"` // 0: the default of wais.Client and z3950.Client

	RecordSyntax []string `flag:"record-syntax"`
}

// Login has the files that passwords come from.
type Login struct {
	NetrcFile    string `flag:"netrc-file"`
	PasswordFile string `flag:"password-file"`
}

// Certificates has the flags for the certificates of the two sides of a TLS connection.
type Certificates struct {
	Cert string   `flag:"cert"`
	Key  string   `flag:"key"`
	Pins []string `flag:"pin"`
}

// Access has the flags of verbs that open URLs.
type Access struct {
	Timeout time.Duration `flag:"max-time"` // of each URL; 0: no limit
	Connect
	Protocols
	Login
	Certificates
}

// Upload has the flags for writing to ftp servers.
type Upload struct {
	FTPDirect bool   `flag:"ftp-direct"`
	FTPChmod  string `flag:"ftp-chmod"`
}

// Retry says when a failure is retried.
type Retry struct {
	Retries   int           `flag:"retries"` // see retry.Policy
	RetryWait time.Duration `flag:"retry-wait"`
	RetryTime time.Duration `flag:"retry-time"`
	Quiet     bool          `flag:"quiet"`
}

// Fetch has the flags of verbs that fetch.
type Fetch struct {
	MinRate   int64 `flag:"min-rate"`
	LimitRate int64 `flag:"limit-rate"`
	PerHost   int   `flag:"per-host"`
	Retry
}

// Files has the flags of verbs that fetch files.
type Files struct {
	Jobs  int  `flag:"jobs"`
	Split int  `flag:"split"`
	Sync  bool `flag:"sync"`
	JSON  bool `flag:"json"`
	Fetch
}

// Recording has the flags of verbs that can record their fetches in an archive.
type Recording struct {
	WARC     string `flag:"warc"`
	WARCSize int64  `flag:"warc-size"`
}

// Replay has the flag of verbs that can open URLs from an archive.
type Replay struct {
	From string `flag:"from-warc"`
}

// Parse parses a URL that the user typed. With --from-warc it also reads the texts that only browsers
// read as URLs, because archives of other programs have such targets.
func (r Replay) Parse(text string) (url.URL, error) {
	if r.From == "" {
		return url.Parse(text)
	}
	return weburl.Parse(text)
}

// Filter has the flags that select files by their names.
type Filter struct {
	Include []string `flag:"include"`
	Exclude []string `flag:"exclude"`
}

// Sharded has the flag of verbs whose work several machines can divide.
type Sharded struct {
	Shard shard.Shard `flag:"shard"`
}

// Divide returns f, restricted to the files in the part of --shard. Without --shard it returns f.
func (o Sharded) Divide(f transfer.Filter) transfer.Filter {
	f.Part, f.Parts = o.Shard.Part, o.Shard.Count
	return f
}

// Tree has the flags of verbs that fetch everything below a URL.
type Tree struct {
	Level      int   `flag:"level"`
	MaxEntries int   `flag:"max-entries"`
	MaxFiles   int   `flag:"max-files"`
	MaxTotal   int64 `flag:"max-total"`
	Filter
	DryRun       bool `flag:"dry-run"`
	Listings     bool `flag:"listings"`
	IgnoreRobots bool `flag:"ignore-robots"`
	Portable     bool `flag:"portable"`
}

// Offline has the flags for a copy of a site that can be read offline.
type Offline struct {
	PageRequisites bool     `flag:"page-requisites"`
	ConvertLinks   bool     `flag:"convert-links"`
	OtherHosts     []string `flag:"other-hosts"`
}

// Deploy has the flags of verbs that send everything below a folder.
type Deploy struct {
	MaxDelete    *int   `flag:"max-delete"` // nil: no limit
	ReplaceNewer bool   `flag:"replace-newer"`
	Permissions  bool   `flag:"permissions"`
	SkipLinks    bool   `flag:"skip-links"`
	Manifest     string `flag:"manifest"` // "": a file in the folder for state
}

// Walk has the flags of verbs that read folders.
type Walk struct {
	Filter
	NoIgnore bool `flag:"no-ignore"`
}

// Files returns the flags as a transfer.Filter.
func (o Filter) Files() transfer.Filter {
	return transfer.Filter{Include: o.Include, Exclude: o.Exclude}
}

// Walker returns a walker that obeys the flags. An invalid pattern is a UsageError.
func (o Walk) Walker() (walk.Walker, error) {
	w := walk.Walker{Filter: glob.Filter(o.Files()), All: o.NoIgnore}
	if err := w.Filter.Check(); err != nil {
		return w, Misuse("%v", err)
	}
	return w, nil
}

// EachFile calls do for each file that w finds below a folder, and for each error of the walk. The
// names that do gets begin with the folder as the user typed it. An error of do ends the walk, and is
// returned.
func (e *Env) EachFile(w walk.Walker, folder string, do func(name string, err error) error) error {
	path := e.Path(folder)
	if path == folder {
		return w.Files(folder, do)
	}
	return w.Files(path, func(name string, err error) error {
		below, relErr := filepath.Rel(path, name)
		if relErr != nil {
			return relErr
		}
		name = filepath.Join(folder, below)
		return do(name, e.AsTyped(name, err))
	})
}
