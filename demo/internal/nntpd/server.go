// Package nntpd is a small news server (RFC 3977) for readers. Each directory of texts is a
// group, and each text is an article. Posted articles stay in memory, up to a limit.
//
// Notable divergences:
//   - RFC 3977 §7.3, §7.4: NEWGROUPS and NEWNEWS are not supported.
//   - RFC 3977 §6.3.2: IHAVE is not supported, because the server is only for readers.
package nntpd

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const idle = time.Minute // limit for each Read and Write

const longestLine = 8 << 10 // bytes of a command, or of a line of an article, with the line end

// A Server serves the texts of a file system as news. Several goroutines may call Serve
// at once.
type Server struct {
	log  serve.Log
	news *news
}

// NewServer returns a server of the plain texts of files. log is called with each command, and
// may be nil.
func NewServer(files fs.FS, log serve.Log) (*Server, error) {
	n, err := newNews(files)
	if err != nil {
		return nil, err
	}
	return &Server{log: log, news: n}, nil
}

// Serve answers the commands of a connection. The caller closes c. Serve ignores ctx, because
// it ends when c is closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	n := &conn{Server: s, in: bufio.NewReaderSize(c, longestLine), out: bufio.NewWriter(c)}
	n.say("200 The little library of locus, posting is allowed")
	for n.out.Flush() == nil && !n.over {
		line, err := serve.Line(n.in)
		if err != nil {
			return
		}
		s.log.Line(line)
		n.answer(line)
	}
}

// A conn is one connection, with its selected group and article.
type conn struct {
	*Server
	in     *bufio.Reader
	out    *bufio.Writer
	group  string
	number int // 0 if no article is selected
	over   bool
}

// say writes a line. It does not flush.
func (c *conn) say(format string, args ...any) { fmt.Fprintf(c.out, format+"\r\n", args...) }

// block writes the lines of text, with leading periods doubled, and a last line ".".
func (c *conn) block(text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".") {
			c.out.WriteByte('.')
		}
		c.say("%s", strings.TrimSuffix(line, "\n"))
	}
	c.say(".")
}

const help = "The commands are\n" +
	"  ARTICLE BODY CAPABILITIES DATE GROUP HEAD HELP LAST LIST\n" +
	"  LISTGROUP MODE NEXT OVER POST QUIT STAT XOVER\n"

// answer executes a command line and writes the reply. After QUIT it sets c.over.
func (c *conn) answer(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		c.say("501 Empty")
		return
	}
	args := words[1:]
	switch verb := strings.ToUpper(words[0]); verb {
	case "CAPABILITIES":
		c.say("101 Capabilities")
		c.block("VERSION 2\nREADER\nPOST\nOVER\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\n")
	case "MODE":
		c.say("200 Posting is allowed")
	case "LIST":
		c.list(args)
	case "GROUP", "LISTGROUP":
		c.selectGroup(verb, args)
	case "ARTICLE", "HEAD", "BODY", "STAT":
		c.article(verb, args)
	case "NEXT", "LAST":
		c.step(verb)
	case "OVER", "XOVER":
		c.overview(args)
	case "POST":
		c.post()
	case "DATE":
		c.say("111 %s", time.Now().UTC().Format("20060102150405"))
	case "HELP":
		c.say("100 Help")
		c.block(help)
	case "QUIT":
		c.over = true
		c.say("205 Goodbye")
	default:
		c.say("500 Unknown command")
	}
}
