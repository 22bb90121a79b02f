// Package nntpd is a small news server (RFC 3977) for readers: each folder of texts is
// a group, each text an article. Posted articles stay in memory, as long as there is
// room.
//
// Notable divergences:
//   - RFC 3977 §7.3, §7.4: there is no NEWGROUPS and no NEWNEWS.
//   - RFC 3977 §6.3.2: there is no IHAVE; the server is for readers alone.
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

const idle = time.Minute // how long a client may send nothing, or read nothing

const longestLine = 8 << 10 // bytes of a command, or of a line of an article, with its end

// A Server serves the texts of a file system as news. Several goroutines may call Serve
// at once.
type Server struct {
	log  serve.Log
	news *news
}

// NewServer returns a server of the plain texts of files. log is called with each
// command.
func NewServer(files fs.FS, log serve.Log) (*Server, error) {
	n, err := newNews(files)
	if err != nil {
		return nil, err
	}
	return &Server{log: log, news: n}, nil
}

// Serve answers the commands of a connection. The caller closes c. It ignores ctx:
// closing c ends it.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	session := &session{Server: s, in: bufio.NewReaderSize(c, longestLine), out: bufio.NewWriter(c)}
	session.say("200 The little library of locus, posting is allowed")
	for session.out.Flush() == nil && !session.over {
		line, err := serve.Line(session.in)
		if err != nil {
			return
		}
		s.log.Line(line)
		session.answer(line)
	}
}

// A session is one connection: the group and the article that are selected.
type session struct {
	*Server
	in     *bufio.Reader
	out    *bufio.Writer
	group  string
	number int // 0 is none
	over   bool
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\r\n", args...) }

// block sends lines with leading periods doubled, and the last line.
func (s *session) block(text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".") {
			s.out.WriteByte('.')
		}
		s.say("%s", strings.TrimSuffix(line, "\n"))
	}
	s.say(".")
}

const help = "The commands are\n" +
	"  ARTICLE BODY CAPABILITIES DATE GROUP HEAD HELP LAST LIST\n" +
	"  LISTGROUP MODE NEXT OVER POST QUIT STAT XOVER\n"

// answer answers a command.
func (s *session) answer(line string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		s.say("501 Empty")
		return
	}
	args := words[1:]
	switch verb := strings.ToUpper(words[0]); verb {
	case "CAPABILITIES":
		s.say("101 Capabilities")
		s.block("VERSION 2\nREADER\nPOST\nOVER\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\n")
	case "MODE":
		s.say("200 Posting is allowed")
	case "LIST":
		s.list(args)
	case "GROUP", "LISTGROUP":
		s.selects(verb, args)
	case "ARTICLE", "HEAD", "BODY", "STAT":
		s.article(verb, args)
	case "NEXT", "LAST":
		s.step(verb)
	case "OVER", "XOVER":
		s.overview(args)
	case "POST":
		s.post()
	case "DATE":
		s.say("111 %s", time.Now().UTC().Format("20060102150405"))
	case "HELP":
		s.say("100 Help")
		s.block(help)
	case "QUIT":
		s.over = true
		s.say("205 Goodbye")
	default:
		s.say("500 Unknown command")
	}
}
