// Package house_test checks rules for the whole tree that a compiler does not know.
//
// Each file has the rules about one topic: who may import whom (house_test.go), the modules
// that a program needs (dependencies_test.go, outside_test.go), the stability of public
// packages (public_test.go), limits and options (limits_test.go, options_test.go), comments
// (doc_test.go), names of schemes (schemes_test.go), the work at the start of a program
// (start_test.go) and state of the process (state_test.go). Other files compare documents
// with the sources (architecture_test.go, conformance_test.go, map_test.go,
// realinput_test.go) and a list of internal/tests (race_test.go). source_test.go parses all
// sources once for every test.
//
// A failure names the table that allows an exception. An exception needs a reason.
package house_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file is the architecture as data: which package may import which other package, and
// which parts of the system each may use. Do not change it only to make a build pass.

// TestMain enters the root of the module, because the tests read its files.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// An edge says which packages may import pkg.
type edge struct {
	pkg string
	by  []string
}

// order lists for each package the packages that may import it. A package that may import
// one of these may import it, too. A pattern that ends in "/*" matches every package below.
var order = []edge{
	{"internal/avx2", []string{"url"}},
	{"internal/facts", []string{"internal/typo", "url"}},
	{"internal/ascii", []string{"url"}},
	{"internal/lazy", []string{"scheme", "internal/autoindex", "internal/charset", "internal/encodedword", "internal/marc", "demo/internal/library"}}, // large values
	{"internal/encodedword", []string{"extract/document/internal/mail", "gateway/internal/page", "proto/internal/words"}},                             // headers of mail and news
	{"internal/sentinel", []string{"scheme", "internal/ber"}},
	{"internal/record", []string{"internal/spill", "check/stream"}},
	{"internal/spill", []string{"archive", "transfer/internal/sync", "check/internal/run"}},
	{"internal/errno", []string{"retry", "cmd/*"}},
	{"cmd/locus/internal/flags", []string{"cmd/locus/internal/manual", "cmd/locus/internal/gateways"}},
	{"cmd/locus/internal/manual", []string{"cmd/locus/internal/command"}},
	{"cmd/locus/internal/buildinfo", []string{"cmd/*"}},
	{"internal/edit", []string{"cmd/*"}},
	{"cmd/locus/internal/command", []string{"cmd/locus/internal/clitest", "cmd/*"}},
	{"cmd/locus/internal/savefile", []string{"cmd/locus/internal/desktop", "cmd/locus/internal/command", "cmd/*"}},
	{"internal/memory", []string{"check", "gateway"}},
	{"internal/typo", []string{"access", "cmd/locus/internal/flags"}}, // "did you mean"
	{"internal/filelock", []string{"archive", "transfer/internal/fetch", "cmd/locus/internal/runfile"}},
	{"internal/ascii", []string{"internal/markup"}},
	{"internal/gemtext", []string{"extract/document/internal/gemtext", "gateway/internal/content"}}, // pages of Gemini, searched and shown
	{"internal/markup", []string{"internal/autoindex", "extract/document/internal/emit", "gateway"}},
	{"extract", []string{"extract/document/internal/emit"}},
	{"extract/document/dialect", []string{"extract/document/internal/slug"}}, // data that generators and formats share
	{"extract/document/internal/slug", []string{"extract/document/internal/emit"}},
	{"extract/document/internal/soup", nil}, // only for tests
	{"extract/document/internal/emit", []string{"extract/document/internal/css", "extract/document/internal/json", "extract/document/internal/rst"}},
	{"extract/document/internal/css", []string{"extract/document/internal/html"}},
	{"extract/document/internal/html", []string{"extract/document/internal/asciidoc", "extract/document/internal/calendar", "extract/document/internal/markdown", "extract/document/internal/org", "extract/document/internal/rst", "extract/document/internal/xml"}},
	{"extract/document/internal/rst", []string{"extract/document/internal/markdown"}}, // the roles of MyST
	{"extract/document/internal/markdown", []string{"extract/document/internal/notebook"}},
	{"extract/document/internal/json", []string{"extract/document/internal/html", "extract/document/internal/notebook"}},
	{"extract/document/internal/emit", []string{"extract/document/internal/*"}},
	{"extract/document/internal/*", []string{"extract/document"}},
	{"internal/lossy", []string{"demo", "internal/faulty"}},                  // datagrams that are lost
	{"internal/autoindex", []string{"proto/*", "transfer/internal/offline"}}, // both read the directory pages of web servers
	{"url", []string{"url/query", "url/whatwg", "scheme", "access", "guard"}},
	{"url/query", []string{"url/whatwg"}}, // its tests compare the two
	{"url/query", []string{"internal/edit"}},
	{"scheme", []string{"internal/edit"}},
	{"scheme", []string{"internal/house"}},                                      // its tests count real URLs
	{"url/whatwg", []string{"url/iri", "compare", "cache", "archive", "locus"}}, // cache and archive store the URLs of entries
	{"scheme", []string{"compare", "extract", "access"}},                        // access.FS reads the parts of URLs
	{"scheme", []string{"internal/trail"}},
	{"url/whatwg", []string{"internal/weburl"}},
	{"internal/weburl", []string{"archive", "check", "cmd/locus/internal/cli", "extract", "gateway", "gateway/internal/dav", "proto/gopher", "proto/wais", "proto/web", "robots", "server", "transfer", "transfer/internal/fetch", "transfer/internal/offline", "transfer/internal/sync"}}, // the edges of the web
	{"internal/weburl/hard", []string{"internal/weburl", "archive", "check", "cmd/*", "extract", "gateway", "proto/gopher", "proto/wais", "proto/web", "robots", "server", "transfer", "transfer/internal/*"}},                                                                             // only for tests
	{"internal/trail", []string{"gateway"}},
	{"terminal", []string{"access"}},
	{"internal/marc", []string{"proto/z3950", "internal/bibliography", "demo/internal/*", "cmd/*"}}, // records of library catalogues
	{"internal/bibliography", []string{"gateway/internal/content"}},                                 // every format of bibliographic records
	{"url/iri", []string{"extract", "compare", "locus"}},
	{"compare", []string{"check", "locus", "cmd/*", "examples/*"}},
	{"access", []string{"internal/answer", "access/accesstest", "archive", "cache", "limit", "retry", "internal/render", "guard", "proto/*", "robots", "cmd/locus/internal/netrc", "internal/nvt"}},
	{"access/internal/*", []string{"access", "access/engine"}},
	{"access", []string{"access/engine"}},
	{"access/engine", []string{"internal/answer", "access/accesstest", "archive", "cache", "limit", "retry", "guard", "proto/*", "robots", "gateway/internal/*"}},
	{"internal/ber", []string{"proto/z3950", "demo/internal/*"}},             // ASN.1, of the client and of the demo's server
	{"internal/charset", []string{"proto/*", "gateway", "cmd/*", "extract"}}, // names of character sets
	{"internal/nvt", []string{"proto/*", "demo/internal/*"}},                 // Telnet, of clients and of the demo's servers
	{"internal/xdr", []string{"proto/nfs", "demo/internal/nfsd"}},            // the messages of ONC RPC, of client and server
	{"access/accesstest", nil},                                               // only for tests
	{"guard", []string{"locus"}},
	{"proto", []string{"access/accesstest", "guard", "gateway", "proto/*"}},
	{"proto/internal/*", []string{"proto/*"}},
	{"proto/*", []string{"locus"}},
	{"proto/web", []string{"gateway"}}, // web.Via, the header of proxies
	{"proto/web", []string{"archive"}}, // web.Replay, the answer in a recorded response
	{"archive", []string{"cmd/*"}},
	{"limit", []string{"locus", "transfer/internal/tree", "gateway"}},
	{"retry", []string{"locus", "transfer/internal/fetch"}},
	{"compare", []string{"internal/render", "gateway"}}, // a page and a text of the same comparison
	{"internal/render", []string{"gateway", "check", "transfer/internal/fetch"}},
	{"internal/render", []string{"cmd/locus/internal/describe"}},
	{"cmd/locus/internal/describe", []string{"cmd/*"}},
	{"internal/answer", []string{"cache", "gateway", "locus"}},
	{"extract", []string{"extract/document", "cmd/locus/internal/lines", "examples/*"}},
	{"internal/render", []string{"cmd/locus/internal/lines"}}, // matches in JSON
	{"cmd/locus/internal/lines", []string{"cmd/*"}},
	{"internal/markup", []string{"internal/rewrite"}},
	{"extract/document", []string{"internal/rewrite"}},
	{"internal/rewrite", []string{"transfer/internal/offline"}},                                      // links of a copy lead to local files
	{"guard", []string{"transfer"}},                                                                  // parts of pages on other hosts come from public addresses
	{"extract/document", []string{"gateway", "check", "transfer/internal/offline", "internal/work"}}, // a mirror follows the links of pages
	{"robots", []string{"transfer/internal/sync"}},                                                   // check may import transfer, so it may import robots, too
	{"cache", []string{"locus", "server"}},                                                           // the metrics of server count its hits
	{"internal/glob", []string{"transfer/internal/sync", "internal/walk", "cmd/locus/internal/urllist"}},
	{"scheme", []string{"transfer/internal/tree"}},
	{"access", []string{"transfer/internal/tree"}},
	{"transfer/internal/tree", []string{"transfer/internal/offline", "transfer/internal/fetch"}},
	{"transfer/internal/offline", []string{"transfer/internal/sync"}},
	{"transfer/internal/fetch", []string{"transfer/internal/sync"}},
	{"transfer/internal/sync", []string{"transfer"}},
	{"transfer", []string{"check", "cmd/*", "demo"}},
	{"cmd/locus/internal/urllist", []string{"cmd/*"}},
	{"internal/walk", []string{"cmd/*"}},
	{"cmd/locus/internal/desktop", []string{"cmd/locus/internal/command"}},
	{"access", []string{"cmd/locus/internal/console"}},
	{"terminal", []string{"cmd/locus/internal/console"}},
	{"cmd/locus/internal/console", []string{"cmd/locus/internal/command", "cmd/locus/internal/form"}},
	{"cmd/locus/internal/form", []string{"cmd/*"}},
	{"internal/cells", []string{"cmd/locus/internal/board", "internal/render"}}, // the width of text on a terminal
	{"internal/render", []string{"cmd/locus/internal/board"}},
	{"transfer", []string{"cmd/locus/internal/board"}},
	{"cmd/locus/internal/board", []string{"cmd/locus/internal/command"}},
	{"access", []string{"gateway/internal/refuse"}},
	{"gateway/internal/refuse", []string{"gateway/internal/content", "gateway/internal/dav", "gateway/internal/pack"}},
	{"internal/trail", []string{"gateway/internal/entry"}},
	{"internal/render", []string{"gateway/internal/entry"}},
	{"gateway/internal/entry", []string{"gateway/internal/content", "gateway/internal/dav", "gateway/internal/pack"}}, // names and types of entries
	{"internal/charset", []string{"gateway/internal/content"}},
	{"gateway/internal/content", []string{"gateway/internal/page"}}, // the data of pages
	{"compare", []string{"gateway/internal/page"}},
	{"extract", []string{"gateway/internal/page"}},
	{"limit", []string{"gateway/internal/dav"}},
	{"proto/web", []string{"gateway/internal/dav", "gateway/internal/pack"}}, // the listings of web servers
	{"access", []string{"gateway/internal/session"}},
	{"gateway/internal/page", []string{"gateway"}},
	{"gateway/internal/dav", []string{"gateway"}},
	{"gateway/internal/pack", []string{"gateway"}},
	{"gateway/internal/session", []string{"gateway"}},
	{"internal/shard", []string{"internal/glob", "check", "cmd/*"}},
	{"internal/forwarded", []string{"gateway"}},
	{"gateway", []string{"cmd/*", "demo", "server", "examples/*"}},
	{"server", []string{"cmd/locus/internal/certs", "demo", "cmd/*"}},
	{"cmd/locus/internal/certs", []string{"cmd/*"}},
	{"extract/document", []string{"check/site"}},
	{"check/site", []string{"check"}},
	{"check", []string{"check/internal/run", "cmd/locus/internal/checkconfig", "cmd/locus/internal/checkfiles", "cmd/*", "demo"}},
	{"check/internal/run", []string{"check/report", "check/stream"}},
	{"check/report", []string{"check", "check/site", "check/stream", "cmd/locus/internal/checkfiles", "cmd/locus/internal/runfile", "cmd/*"}}, // check and its packages only in tests
	{"check/site", []string{"cmd/locus/internal/epub"}},
	{"cmd/locus/internal/epub", []string{"cmd/locus/internal/checkfiles"}},
	{"cmd/locus/internal/checkconfig", []string{"cmd/*"}},
	{"cmd/locus/internal/checkfiles", []string{"cmd/*"}},
	{"cmd/locus/internal/runfile", []string{"cmd/*"}},
	{"check/stream", []string{"cmd/*"}},
	{"cmd/locus/internal/netrc", []string{"cmd/*"}},
	{"locus", []string{"cmd/locus/internal/gateways", "cmd/*", "demo", "examples/*"}},
	{"cmd/locus/internal/gateways", []string{"cmd/*"}},
	{"demo/internal/*", []string{"demo", "demo/internal/*"}},
	{"demo/internal/library", []string{"demo", "demo/internal/*"}},
	{"demo", []string{"cmd/*"}},
	{"cmd/locus/internal/cli", []string{"cmd/locus/internal/*", "cmd/locus"}},
	{"cmd/locus/internal/text", []string{"cmd/locus/internal/*"}},                                         // shared by the verbs of text
	{"cmd/locus/internal/download", []string{"cmd/locus/internal/*"}},                                     // shared by get and mirror
	{"cmd/locus/internal/upload", []string{"cmd/locus/internal/*"}},                                       // shared by put, append, cp, rm and mkdir
	{"cmd/locus/internal/message", []string{"cmd/locus/internal/*"}},                                      // shared by compose and send
	{"cmd/locus/internal/serve", []string{"cmd/locus/internal/demo"}},                                     // demo starts a gateway, too
	{"cmd/locus/internal/demo", []string{"cmd/locus/internal/browsertest"}},                               // only for tests
	{"cmd/locus/internal/check", []string{"cmd/locus/internal/killtest", "cmd/locus/internal/linkstest"}}, // only for tests
	{"cmd/locus/internal/extract", []string{"cmd/locus/internal/linkstest"}},
	{"cmd/locus/internal/mirror", []string{"cmd/locus/internal/killtest"}},
	{"cmd/locus/internal/put", []string{"cmd/locus/internal/killtest"}},
	{"cmd/locus/internal/clitest", []string{"cmd/*"}},                     // only for tests
	{"internal/ptytest", []string{"cmd/locus/internal/console", "cmd/*"}}, // only for tests
	{"cmd/locus/internal/*", []string{"cmd/locus"}},
	{"internal/fetched", []string{"internal/peers", "internal/vectors"}},
	{"internal/vectors", []string{"internal/peers/*"}},
	{"internal/peers", []string{"internal/peers/*"}},
	{"internal/certtest", []string{"internal/peers"}},
	{"internal/growth", []string{"internal/work"}},
	// It measures all parsers.
	{"proto/*", []string{"internal/work"}},
	{"archive", []string{"internal/work"}},
	{"robots", []string{"internal/work"}},
	{"compare", []string{"internal/work"}},
	{"internal/autoindex", []string{"internal/work"}},
	{"internal/bibliography", []string{"internal/work"}},
	{"internal/glob", []string{"internal/work"}},
	{"internal/rewrite", []string{"internal/work"}},
	{"internal/render", []string{"internal/work"}},
	{"internal/models", []string{"internal/models/*"}},
	{"proto/z3950", []string{"demo/internal/z3950d"}},       // only for tests
	{"proto/sftp", []string{"demo/internal/sftpd"}},         // only for tests
	{"proto/gemini", []string{"demo/internal/geminid"}},     // only for tests
	{"proto/pin", []string{"proto/gemini", "proto/gopher"}}, // the certificates of servers
}

// helpers are the packages that every test may import.
var helpers = []string{"locus", "internal/certtest", "internal/faulty", "access/accesstest", "demo", "demo/internal/*", "demo/internal/library", "internal/growth", "internal/peers", "internal/models", "internal/vectors", "guard", "extract/document/internal/soup"}

// An allowance says what a package may import besides the packages of this module.
type allowance struct {
	pkg     string
	touches []string // the names in reaching below that it may use
	modules []string // other modules
}

// allowances says which other modules a package may import, and which packages of the
// standard library that reach outside the process. The first line with a matching pattern
// counts. Tests may import the whole standard library.
var allowances = []allowance{
	{pkg: "url/whatwg", modules: []string{"golang.org/x/net/idna"}},
	{pkg: "url/iri", modules: []string{"golang.org/x/net/idna"}}, // Punycode
	{pkg: "url/query"},
	{pkg: "url"},
	{pkg: "scheme"},
	{pkg: "internal/trail"},
	{pkg: "internal/weburl"},
	{pkg: "internal/weburl/hard"},
	{pkg: "terminal"},
	// It compares with net/url, which does not reach outside the process.
	{pkg: "compare", modules: []string{"golang.org/x/net/idna", "golang.org/x/text/unicode/norm"}},
	{pkg: "internal/marc", touches: []string{"embed"}, modules: []string{"golang.org/x/text/unicode/norm"}}, // NFC
	{pkg: "access/accesstest", touches: []string{"net", "testing", "time"}},                                 // net.Pipe
	{pkg: "access", touches: []string{"time"}},
	{pkg: "access/engine", touches: []string{"time"}},
	{pkg: "access/internal/*"},
	{pkg: "extract", modules: []string{"golang.org/x/text/encoding", "golang.org/x/text/encoding/charmap"}}, // the encodings of pages
	{pkg: "cmd/locus/internal/lines"},
	{pkg: "internal/rewrite"},
	{pkg: "extract/document/internal/markdown", modules: []string{"github.com/yuin/goldmark", "github.com/yuin/goldmark/*"}}, // only for tests
	{pkg: "extract/document/internal/emit", modules: []string{"golang.org/x/net/html"}},                                      // only for tests
	{pkg: "extract/document/internal/slug", modules: []string{"golang.org/x/text/unicode/norm"}},                             // letters without their accents
	{pkg: "extract/document/internal/*"},
	{pkg: "extract/document/dialect"},
	{pkg: "extract/document", modules: []string{"golang.org/x/net/html", "github.com/yuin/goldmark", "github.com/yuin/goldmark/*"}},
	{pkg: "limit", touches: []string{"time"}},
	{pkg: "retry", touches: []string{"os", "syscall", "time"}}, // to tell which errors may pass
	{pkg: "internal/render", touches: []string{"time"}},
	{pkg: "cmd/locus/internal/describe"},
	{pkg: "robots"},
	{pkg: "cmd/locus/internal/netrc", touches: []string{"os"}},
	{pkg: "internal/walk", touches: []string{"os"}},
	{pkg: "internal/spill", touches: []string{"os"}}, // the temporary files
	{pkg: "cmd/locus/internal/desktop", touches: []string{"os"}},
	{pkg: "cmd/locus/internal/board", touches: []string{"time"}},
	{pkg: "cmd/locus/internal/console", touches: []string{"os", "syscall", "time"}, modules: []string{"golang.org/x/term"}},    // the user's terminal
	{pkg: "archive", touches: []string{"net", "net/http", "os", "time"}, modules: []string{"github.com/klauspost/compress/*"}}, // net stands for net/textproto
	{pkg: "cache", touches: []string{"net/http", "os", "time"}, modules: []string{"*"}},
	{pkg: "transfer/internal/offline"},
	{pkg: "transfer/internal/tree"},
	// To tell which errors may pass.
	{pkg: "transfer/internal/fetch", touches: []string{"os", "syscall", "time"}},
	{pkg: "transfer/internal/sync", touches: []string{"os", "syscall", "time"}, modules: []string{"golang.org/x/sys/windows"}}, // the free space
	{pkg: "transfer", touches: []string{"os", "time"}, modules: []string{"golang.org/x/net/webdav"}},                           // only for tests
	{pkg: "guard", touches: []string{"net", "time"}, modules: []string{"code.dny.dev/ssrf"}},
	{pkg: "proto", touches: []string{"net"}},                                                                       // the type of a Dial
	{pkg: "proto/file", touches: []string{"os", "syscall", "time"}},                                                // to tell errors apart, and to open a pipe without waiting
	{pkg: "proto/mail", touches: []string{"os", "net", "syscall", "time"}, modules: []string{"*"}},                 // to see that a folder has changed
	{pkg: "proto/web", touches: []string{"net", "net/http", "time"}, modules: []string{"golang.org/x/net/webdav"}}, // only for tests
	{pkg: "proto/internal/wire/wiretest", touches: []string{"net", "testing", "time"}},                             // net.Pipe
	{pkg: "proto/*", touches: []string{"net", "time"}, modules: []string{"*"}},
	{pkg: "internal/answer", touches: []string{"net/http", "time"}},
	{pkg: "gateway/internal/refuse", touches: []string{"net/http"}}, // the names of its statuses
	{pkg: "gateway/internal/entry"},
	{pkg: "gateway/internal/content", touches: []string{"net"}}, // net stands for net/mail
	{pkg: "gateway/internal/page", touches: []string{"net", "time", "embed"}, modules: []string{"github.com/a-h/templ", "github.com/a-h/templ/*", "golang.org/x/net/html"}}, // net stands for net/mail; a page does not see requests; net/html is only for tests
	{pkg: "gateway/internal/dav", touches: []string{"net/http"}},
	{pkg: "gateway/internal/pack", touches: []string{"net/http", "time"}},
	{pkg: "gateway/internal/session", touches: []string{"time"}, modules: []string{"github.com/coder/websocket"}},
	{pkg: "gateway", touches: []string{"net", "net/http", "time", "embed"}, modules: []string{"*"}},
	{pkg: "server", touches: []string{"net", "net/http", "time"}, modules: []string{"golang.org/x/crypto/bcrypt", "github.com/VictoriaMetrics/metrics", "github.com/pires/go-proxyproto", "github.com/pires/go-proxyproto/*"}},
	{pkg: "cmd/locus/internal/certs", touches: []string{"net", "os"}, modules: []string{"golang.org/x/crypto/acme", "golang.org/x/crypto/acme/autocert"}}, // net stands for crypto/tls
	{pkg: "check", touches: []string{"net", "time"}, modules: []string{"github.com/rogpeppe/go-internal/txtar"}},                                          // net for net.DNSError
	{pkg: "check/internal/run", touches: []string{"time"}},
	{pkg: "check/report", touches: []string{"embed", "time"}, modules: []string{"github.com/a-h/*", "golang.org/x/net/html", "github.com/owenrumney/go-sarif/*"}},
	{pkg: "cmd/locus/internal/checkconfig", touches: []string{"os", "time"}, modules: []string{"github.com/pelletier/go-toml/*"}},
	{pkg: "check/site"},
	{pkg: "cmd/locus/internal/checkfiles", touches: []string{"os"}},
	{pkg: "cmd/locus/internal/epub"},
	{pkg: "cmd/locus/internal/runfile", touches: []string{"os", "time"}},
	{pkg: "check/stream", touches: []string{"time"}, modules: []string{"github.com/nats-io/*"}},
	{pkg: "locus", touches: []string{"net", "net/http", "syscall", "time"}, modules: []string{"golang.org/x/net/proxy"}}, // to tell why a proxy failed
	// The demo is a program like cmd: its servers use the system.
	{pkg: "demo/internal/tn3270d", touches: []string{"net", "time"}, modules: []string{"golang.org/x/text/encoding/charmap"}},
	{pkg: "demo/internal/sftpd", touches: []string{"net", "time"}, modules: []string{"github.com/pkg/sftp", "golang.org/x/crypto/ssh"}},
	{pkg: "demo/internal/webd", touches: []string{"net", "net/http", "os", "time"}, modules: []string{"github.com/a-h/*"}},
	{pkg: "demo/internal/library", touches: []string{"embed", "time"}},
	{pkg: "demo/*", touches: []string{"net", "net/http", "os", "time"}},
	{pkg: "demo", touches: []string{"net", "net/http", "os", "time", "embed"}},
	{pkg: "internal/bibliography"},
	{pkg: "internal/gemtext"},
	{pkg: "internal/avx2"},
	{pkg: "internal/facts"},
	{pkg: "internal/forwarded"},
	{pkg: "internal/shard"},
	{pkg: "internal/glob"},
	{pkg: "internal/ascii"},
	{pkg: "internal/lazy"},
	{pkg: "internal/sentinel"},
	{pkg: "internal/typo"},
	{pkg: "internal/memory", touches: []string{"time"}}, // the longest wait
	{pkg: "internal/record"},
	{pkg: "cmd/locus/internal/savefile", touches: []string{"os"}},
	{pkg: "cmd/locus/internal/flags", touches: []string{"time"}}, // durations
	{pkg: "cmd/locus/internal/manual"},
	{pkg: "cmd/locus/internal/buildinfo"},
	{pkg: "cmd/locus/internal/urllist"},
	{pkg: "internal/edit"},
	{pkg: "cmd/locus/internal/gateways", touches: []string{"time"}},
	// It reads files for the answers of a form.
	{pkg: "cmd/locus/internal/form", touches: []string{"os"}},
	{pkg: "cmd/locus/internal/command", touches: []string{"os", "syscall"}, modules: []string{"golang.org/x/term"}}, // the process
	{pkg: "cmd/locus/internal/clitest", touches: []string{"net", "os", "testing"}},
	{pkg: "internal/errno", touches: []string{"syscall"}},
	{pkg: "internal/filelock", touches: []string{"os", "syscall"}, modules: []string{"golang.org/x/sys/windows"}},
	{pkg: "internal/ber"},
	{pkg: "internal/charset", modules: []string{"golang.org/x/text/*"}},
	{pkg: "internal/encodedword"},
	{pkg: "internal/cells", modules: []string{"github.com/clipperhouse/displaywidth"}},
	{pkg: "internal/nvt"},
	{pkg: "internal/xdr"},
	{pkg: "internal/autoindex", touches: []string{"time"}}, // the times of listings
	{pkg: "internal/markup", modules: []string{"golang.org/x/net/html"}},
	{pkg: "internal/lossy", touches: []string{"time"}}, // delayed datagrams
	{pkg: "internal/faulty", touches: []string{"net", "net/http", "testing", "time"}},
	{pkg: "internal/fetched", touches: []string{"os"}},
	{pkg: "internal/vectors", touches: []string{"os", "testing"}},
	{pkg: "internal/peers/*", touches: []string{"os", "time"}},
	{pkg: "internal/peers", touches: []string{"net", "os", "testing", "time", "syscall"}, modules: []string{"github.com/nats-io/nkeys", "golang.org/x/crypto/ssh", "golang.org/x/sys/unix"}}, // the keys of servers; network namespaces
	{pkg: "internal/models/*", touches: []string{"os"}},
	{pkg: "internal/models", touches: []string{"embed", "os", "testing", "time"}},
	{pkg: "internal/house"},
	{pkg: "internal/fuzzing", touches: []string{"os", "flag"}},
	{pkg: "internal/tests", touches: []string{"os"}},
	{pkg: "internal/ptytest", touches: []string{"os", "testing"}, modules: []string{"golang.org/x/sys/unix"}},
	{pkg: "internal/growth", touches: []string{"testing"}},
	{pkg: "internal/certtest", touches: []string{"net", "os", "testing", "time"}},
	{pkg: "internal/work", touches: []string{"os", "flag", "net", "time"}},
	{pkg: "examples", touches: []string{"testing"}},
	{pkg: "examples/*", touches: []string{"log", "net", "net/http", "os", "time"}}, // programs, for readers
	{pkg: "cmd/*", touches: []string{"*"}, modules: []string{"*"}},
}

// reaching maps the packages that reach outside the process to their names in allowances.
// Every package may import the rest of the standard library.
var reaching = map[string]string{
	"net": "net", "net/textproto": "net", "net/smtp": "net", "net/mail": "net", "net/rpc": "net", "crypto/tls": "net",
	"net/http": "net/http", "net/http/*": "net/http", "expvar": "net/http",
	"os": "os", "os/*": "os", "io/ioutil": "os", "path/filepath": "os", "plugin": "os",
	"syscall": "syscall", "unsafe": "unsafe",
	"log": "log", "log/syslog": "log",
	"flag": "flag", "testing": "testing", "embed": "embed",
	"time": "time",
}

func TestImports(t *testing.T) {
	module := moduleName(t)
	for _, s := range sources(t) {
		for _, spec := range s.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatalf("%s: %v", spec.Path.Value, err)
			}
			if rest, ours := strings.CutPrefix(imported, module); ours && (rest == "" || rest[0] == '/') {
				imported = "locus" + rest // whatever path the module is published under
			}
			if why := forbidden(s, imported); why != "" {
				t.Errorf("%s imports %s: %s", s.fset.Position(spec.Pos()), imported, why)
			}
		}
	}
}

func moduleName(t *testing.T) string {
	t.Helper()
	mod, err := readFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(mod), "\n")
	return strings.TrimPrefix(line, "module ")
}

// forbidden reports forbidden imports, and accepts allowed ones.
func TestForbidden(t *testing.T) {
	for _, test := range []struct {
		pkg      string
		test     bool
		imported string
		allowed  bool
	}{
		{"url", false, "strings", true},
		{"url", false, "net/netip", true},
		{"url", false, "net/url", true},
		{"url", false, "net", false},
		{"url", false, "os", false},
		{"url", false, "time", false},
		{"url", true, "os", true},
		{"url", false, "locus/scheme", false},
		{"url", false, "locus/internal/facts", true},
		{"extract/document", false, "locus/internal/facts", true},
		{"internal/facts", false, "locus/url", false},
		{"url", true, "locus/scheme", false},
		{"url", false, "golang.org/x/net/idna", false},
		{"url", true, "golang.org/x/net/idna", false},
		{"url/whatwg", false, "golang.org/x/net/idna", true},
		{"url/iri", false, "locus/url/whatwg", true},
		{"url/iri", false, "locus/scheme", false},
		{"url/iri", false, "locus/internal/facts", true},
		{"url/iri", false, "golang.org/x/net/idna", true},
		{"url/iri", false, "locus/compare", false},
		{"url/whatwg", false, "locus/url/iri", false},
		{"compare", false, "net/url", true},
		{"compare", false, "net", false},
		{"compare", false, "locus/access", false},
		{"scheme", false, "locus/url", true},
		{"scheme", false, "locus/access", false},
		{"access", false, "locus/url", true},
		{"access", false, "locus/scheme", true},
		{"access", false, "locus/terminal", true},
		{"access", false, "locus/limit", false},
		{"terminal", false, "locus/access", false},
		{"limit", false, "locus/access", true},
		{"limit", false, "locus/proto/ftp", false},
		{"cache", false, "locus/limit", false},
		{"locus", false, "locus/cache", true},
		{"locus", false, "locus/limit", true},
		{"transfer", false, "locus/limit", true},
		{"transfer", false, "locus", false},
		{"access", false, "net", false},
		{"access/accesstest", false, "net", true},
		{"access", false, "locus/access/engine", false},
		{"access/engine", false, "locus/access", true},
		{"access/engine", false, "net", false},
		{"proto/ftp", false, "locus/access/engine", true},
		{"scheme", false, "locus/access/internal/cause", false},
		{"access", true, "locus/access/accesstest", true},
		{"proto/ftp", false, "locus/access/accesstest", false},
		{"proto/ftp", true, "locus/access/accesstest", true},
		{"proto/ftp", false, "locus/proto/internal/wire", true},
		{"proto/ftp", false, "locus/proto", true},
		{"proto", false, "locus/access", false},
		{"access/engine", false, "locus/proto", false},
		{"proto/ftp", false, "locus/proto/gopher", false},
		{"proto/ftp", true, "locus/proto/gopher", false},
		{"proto/ftp", false, "net", true},
		{"proto/ftp", false, "os", false},
		{"proto/ftp", false, "log", false},
		{"proto/ftp", false, "net/http", false},
		{"proto/ftp", false, "locus/guard", false},
		{"proto/internal/reply", false, "locus/proto/internal/wire", true},
		{"proto/internal/reply", false, "locus/proto/ftp", false},
		{"proto/web", false, "net/http", true},
		{"proto/file", false, "os", true},
		{"proto/file", false, "net", false},
		{"guard", false, "locus/proto/web", false},
		{"internal/render", false, "locus/access", true},
		{"internal/render", false, "os", false},
		{"locus", false, "locus/proto/web", true},
		{"locus", false, "locus/cmd/locus", false},
		{"locus", false, "os", false},
		{"cmd/locus", false, "locus", true},
		{"cmd/locus", false, "log", true},
		{"cmd/locus", false, "locus/demo", true},
		{"cmd/locus", false, "locus/cmd/locus/internal/get", true},
		{"cmd/locus/internal/get", false, "locus/cmd/locus/internal/cli", true},
		{"cmd/locus/internal/get", false, "locus/cmd/locus/internal/put", false},
		{"cmd/locus/internal/cli", false, "locus/cmd/locus/internal/get", false},
		{"gateway", false, "locus/internal/render", true},
		{"gateway", false, "locus/scheme", true},
		{"gateway", false, "locus/proto/web", true},
		{"gateway", false, "locus/proto/ftp", false},
		{"unheard", false, "strings", false},
	} {
		why := forbidden(source{pkg: test.pkg, test: test.test}, test.imported)
		if (why == "") != test.allowed {
			t.Errorf("%s (test %v) imports %s: %q, want allowed %v", test.pkg, test.test, test.imported, why, test.allowed)
		}
	}
}

// forbidden returns the reason why a file may not import a package; "" if it may.
func forbidden(s source, imported string) string {
	i := slices.IndexFunc(allowances, func(a allowance) bool { return match(a.pkg, s.pkg) })
	if i < 0 {
		return "add package " + s.pkg + " to allowances in internal/house/house_test.go"
	}
	here := allowances[i]
	first, _, _ := strings.Cut(imported, "/")
	switch {
	case first == "locus":
		target := strings.TrimPrefix(imported, "locus/")
		if target == s.pkg || mayImport(s.pkg, target) || s.test && matchAny(helpers, target) {
			return ""
		}
		return "the table order in internal/house/house_test.go does not let " + s.pkg + " import it"
	case strings.Contains(first, "."):
		if matchAny(here.modules, imported) {
			return ""
		}
		return "allowances in internal/house/house_test.go does not let " + s.pkg + " import this module"
	}
	kind := reach(imported)
	if kind == "" || s.test || matchAny(here.touches, kind) {
		return ""
	}
	return "allowances in internal/house/house_test.go does not let " + s.pkg + " use " + kind
}

func reach(imported string) string {
	for pattern, kind := range reaching {
		if match(pattern, imported) {
			return kind
		}
	}
	return ""
}

// mayImport reports whether order leads from the imported package to the importer.
func mayImport(importer, imported string) bool {
	seen := map[string]bool{}
	var climb func(string) bool
	climb = func(pkg string) bool {
		if seen[pkg] {
			return false
		}
		seen[pkg] = true
		for _, o := range order {
			if o.pkg != pkg && !match(o.pkg, pkg) {
				continue
			}
			if matchAny(o.by, importer) || slices.ContainsFunc(o.by, climb) {
				return true
			}
		}
		return false
	}
	return climb(imported)
}

// match reports whether a name matches a pattern. A "*" at its end matches any text.
func match(pattern, pkg string) bool {
	prefix, below := strings.CutSuffix(pattern, "*")
	if !below {
		return pattern == pkg
	}
	rest, ok := strings.CutPrefix(pkg, prefix)
	return ok && rest != ""
}

func matchAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}
