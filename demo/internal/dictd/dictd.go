// Package dictd is a small dictionary server (RFC 2229). Its one database, "library", explains a word by the title and
// the first paragraph of the text that is named for it: "gopher" is explained by texts/gopher.txt.
//
// Notable divergences:
//   - RFC 2229 §3: it has DEFINE, MATCH, SHOW DB, SHOW INFO, SHOW STRAT, CLIENT, STATUS, HELP and QUIT, and
//     the strategies exact and prefix.
package dictd

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"locus/demo/internal/library"
	"locus/demo/internal/serve"
)

const (
	idle     = 10 * time.Minute // limit for each Read and Write
	maxLine  = 1 << 10          // limit for the bytes of a command (RFC 2229 §2.2)
	database = "library"
	about    = "The little library of locus"
)

// A Server explains words. Change no field while it serves. Several goroutines may call Serve at once.
type Server struct {
	Files fs.FS     // required
	Log   serve.Log // called with each command; may be nil
}

// Serve executes commands until the client leaves. The caller closes c. Serve ignores ctx, because it ends when c is
// closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	v := &session{Server: s, out: bufio.NewWriter(c)}
	in := bufio.NewReaderSize(c, maxLine)
	v.reply("220 the little library of locus <> <0@demo.example>")
	for !v.left {
		if err := v.out.Flush(); err != nil {
			return
		}
		line, err := serve.Line(in)
		if err != nil {
			return
		}
		s.Log.Line(fmt.Sprintf("%q", line))
		v.execute(arguments(line))
	}
	_ = v.out.Flush() // the client has disconnected
}

// A session is one connection.
type session struct {
	*Server
	out  *bufio.Writer
	left bool // the client has sent QUIT
}

// reply writes a line.
func (v *session) reply(format string, args ...any) { fmt.Fprintf(v.out, format+"\r\n", args...) }

// execute executes a command, whose verb and arguments are args, and writes the reply.
func (v *session) execute(args []string) {
	if len(args) == 0 {
		v.reply("500 a command, please")
		return
	}
	switch verb := strings.ToUpper(args[0]); {
	case verb == "DEFINE" && len(args) == 3:
		v.define(args[1], args[2])
	case verb == "MATCH" && len(args) == 4:
		v.match(args[1], args[2], args[3])
	case verb == "SHOW" && len(args) > 1:
		v.show(strings.ToUpper(args[1]), args[2:])
	case verb == "CLIENT":
		v.reply("250 ok")
	case verb == "STATUS":
		v.reply("210 ok")
	case verb == "HELP":
		v.text("113 help follows", "DEFINE database word", "MATCH database strategy word", "SHOW DB", "SHOW INFO database", "SHOW STRAT", "QUIT")
	case verb == "QUIT":
		v.reply("221 good bye")
		v.left = true
	default:
		v.reply("500 the commands are DEFINE, MATCH, SHOW DB, SHOW INFO, SHOW STRAT, CLIENT, STATUS, HELP and QUIT")
	}
}

// text writes a reply with a text: first, which begins with a code, then the lines of the text and a final "250 ok".
func (v *session) text(first string, lines ...string) {
	v.reply("%s", first)
	v.lines(lines)
	v.reply("250 ok")
}

// lines writes the lines of a text, with leading periods doubled, and a last line ".".
func (v *session) lines(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, ".") {
			line = "." + line
		}
		v.reply("%s", line)
	}
	v.reply(".")
}

// show answers SHOW: it describes the database or the strategies. what is the argument in upper case, and names are the
// arguments after it.
func (v *session) show(what string, names []string) {
	switch what {
	case "INFO":
		if len(names) != 1 || names[0] != database {
			v.reply("550 the only database is %s", database)
			return
		}
		v.text("112 information follows", about+": each text explains the word that it is named for.")
	case "DB", "DATABASES":
		v.text("110 1 databases present", database+` "`+about+`"`)
	case "STRAT", "STRATEGIES":
		v.text("111 2 strategies present", `exact "the word itself"`, `prefix "the beginning of a word"`)
	default:
		v.reply("501 there is only SHOW DB, SHOW INFO and SHOW STRAT")
	}
}

// isDatabase reports whether a name means the database.
func isDatabase(name string) bool { return name == "!" || name == "*" || name == database }

// define answers DEFINE: it writes the definition of word in the database with that name.
func (v *session) define(name, word string) {
	file := "texts/" + strings.ToLower(word) + ".txt"
	abstract := library.Abstract(v.Files, file)
	switch {
	case !isDatabase(name):
		v.reply("550 the only database is %s", database)
	case strings.Contains(word, "/") || abstract == nil:
		v.reply("552 no match")
	default:
		v.reply("150 1 definitions retrieved")
		v.reply("151 %q %s %q", strings.ToLower(word), database, about)
		v.lines(append([]string{library.Title(v.Files, file), ""}, abstract...))
		v.reply("250 ok")
	}
}

// match answers MATCH: it lists the words of the database with that name that match word by the strategy.
func (v *session) match(name, strategy, word string) {
	fits := strings.HasPrefix
	switch {
	case !isDatabase(name):
		v.reply("550 the only database is %s", database)
		return
	case strategy == "exact":
		fits = func(s, t string) bool { return s == t }
	case strategy != "." && strategy != "prefix":
		v.reply("551 the strategies are exact and prefix")
		return
	}
	files, _ := fs.Glob(v.Files, "texts/*.txt") // the pattern is valid
	var found []string
	for _, file := range files {
		known := strings.TrimSuffix(path.Base(file), ".txt")
		if fits(known, strings.ToLower(word)) && library.Abstract(v.Files, file) != nil {
			found = append(found, fmt.Sprintf("%s %q", database, known))
		}
	}
	if len(found) == 0 {
		v.reply("552 no match")
		return
	}
	v.text(fmt.Sprintf("152 %d matches found", len(found)), found...)
}

// arguments splits a command into its verb and its arguments. Quotes and backslashes are removed (RFC 2229 §2.2).
func arguments(line string) []string {
	var args []string
	var word strings.Builder
	inWord, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if inWord {
				args = append(args, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		args = append(args, word.String())
	}
	return args
}
