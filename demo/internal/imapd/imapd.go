// Package imapd is a small IMAP server (RFC 3501) for reading. It has mailboxes that never change, for every user and
// every password.
//
// A command is read with its literals and split into words (command.go). The session executes it (imapd.go). fetch.go
// has the items of FETCH, section.go the parts of messages, and search.go the keys of SEARCH.
//
// Notable divergences:
//   - RFC 3501 §6: it has CAPABILITY, NOOP, LOGOUT, LOGIN, AUTHENTICATE, LIST, LSUB, SELECT, EXAMINE, CLOSE, FETCH,
//     SEARCH and UID, and no STARTTLS.
//   - RFC 3501 §6.3.1: SELECT opens a mailbox read-only, as EXAMINE does.
//   - RFC 3501 §6.4.5: FETCH has FLAGS, UID, INTERNALDATE, RFC822.SIZE and BODY with a section.
package imapd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const (
	idle     = 30 * time.Minute // limit for each Read and Write (RFC 3501 §5.4)
	validity = 785928615        // UIDVALIDITY of every mailbox
)

// A Mailbox is a mailbox. The UID of a message is its index plus one.
type Mailbox struct {
	Name     string // in modified UTF-7
	Messages []Message
}

// A Message is a message.
type Message struct {
	Text string // as in RFC 5322, with CR LF
	Date time.Time
	Seen bool
}

// A Server serves mailboxes. Change no field while it serves. Several goroutines may call Serve at once.
type Server struct {
	Mailboxes []Mailbox
	Log       serve.Log // called with each command, without passwords; may be nil
}

// Serve executes commands until the client leaves. The caller closes c. Serve ignores ctx, because it ends when c is
// closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	v := &session{Server: s, in: bufio.NewReaderSize(c, maxLine), out: bufio.NewWriter(c)}
	v.untagged("OK the little library of locus")
	for !v.left {
		if v.out.Flush() != nil {
			return
		}
		tag, words, err := v.readCommand()
		if err != nil {
			return
		}
		v.execute(tag, words)
	}
	_ = v.out.Flush() // the client has disconnected
}

// A session is one connection.
type session struct {
	*Server
	in       *bufio.Reader
	out      *bufio.Writer
	isKnown  bool     // a user has logged in
	selected *Mailbox // nil: none
	left     bool     // the client has sent LOGOUT
}

// untagged writes an untagged response.
func (v *session) untagged(format string, args ...any) {
	fmt.Fprintf(v.out, "* "+format+"\r\n", args...)
}

// errBad is the error of a command that the server does not have, or not with these words.
var errBad = errors.New("BAD I do not understand that command")

// errNo returns the error that makes execute answer a command with NO and the reason.
func errNo(reason string) error { return errors.New("NO " + reason) }

// execute executes a command, and writes its untagged responses and its tagged one: OK, or the error of run.
func (v *session) execute(tag string, words []word) {
	verb := ""
	if len(words) > 0 {
		verb, words = strings.ToUpper(words[0].text), words[1:]
	}
	withUID := verb == "UID" && len(words) > 0
	if withUID {
		verb, words = strings.ToUpper(words[0].text), words[1:]
	}
	err := v.run(verb, words, withUID)
	if err != nil {
		fmt.Fprintf(v.out, "%s %v\r\n", tag, err)
		return
	}
	fmt.Fprintf(v.out, "%s OK %s is done\r\n", tag, verb)
}

// run executes a command, and writes its untagged responses. withUID is true after "UID". The error is errBad for an
// unknown command or malformed arguments, a result of errNo for a refusal, or an error of the connection.
func (v *session) run(verb string, args []word, withUID bool) error {
	switch {
	case withUID && verb != "FETCH" && verb != "SEARCH":
		return errBad
	case verb == "CAPABILITY":
		v.untagged("CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=ANONYMOUS SASL-IR")
		return nil
	case verb == "NOOP":
		return nil
	case verb == "LOGOUT":
		v.untagged("BYE good bye")
		v.left = true
		return nil
	case verb == "LOGIN" && len(args) == 2:
		v.isKnown = true
		return nil
	case verb == "AUTHENTICATE" && (len(args) == 1 || len(args) == 2):
		return v.authenticate(args)
	case !v.isKnown:
		return errNo("log in first, with any password")
	case (verb == "LIST" || verb == "LSUB") && len(args) == 2:
		v.list(verb, args[0].text+args[1].text)
		return nil
	case (verb == "SELECT" || verb == "EXAMINE") && len(args) == 1:
		return v.open(args[0].text)
	case v.selected == nil:
		return errNo("open a mailbox first")
	case verb == "CLOSE":
		v.selected = nil
		return nil
	case verb == "FETCH" && len(args) > 1:
		return v.fetch(args[0].text, args[1:], withUID)
	case verb == "SEARCH":
		return v.search(args)
	}
	return errBad
}

// authenticate executes AUTHENTICATE. It accepts every message of PLAIN and ANONYMOUS, and refuses other mechanisms.
func (v *session) authenticate(args []word) error {
	if !slices.Contains([]string{"PLAIN", "ANONYMOUS"}, strings.ToUpper(args[0].text)) {
		return errNo("the mechanisms are PLAIN and ANONYMOUS")
	}
	if len(args) == 1 {
		if _, err := v.continued("+ "); err != nil {
			return err
		}
	}
	v.isKnown = true
	return nil
}

// list writes the mailboxes that match pattern, as responses to verb, which is LIST or LSUB. "*" and "%" match any
// text, because no mailbox has a parent.
func (v *session) list(verb, pattern string) {
	pattern = strings.ReplaceAll(pattern, "%", "*")
	for _, m := range v.Mailboxes {
		if ok, err := path.Match(pattern, m.Name); ok && err == nil {
			v.untagged(`%s (\HasNoChildren) "/" %q`, verb, m.Name)
		}
	}
}

// open executes SELECT and EXAMINE: it selects a mailbox and writes its state. After an error no mailbox is selected.
func (v *session) open(name string) error {
	v.selected = nil
	i := slices.IndexFunc(v.Mailboxes, func(m Mailbox) bool {
		return m.Name == name || strings.EqualFold(m.Name, "INBOX") && strings.EqualFold(name, "INBOX")
	})
	if i < 0 {
		return errNo("[NONEXISTENT] there is no such mailbox")
	}
	v.selected = &v.Mailboxes[i]
	v.untagged(`FLAGS (\Seen)`)
	v.untagged("%d EXISTS", len(v.selected.Messages))
	v.untagged("0 RECENT")
	v.untagged("OK [UIDVALIDITY %d] the numbers of messages are valid", validity)
	v.untagged("OK [UIDNEXT %d] the next number", len(v.selected.Messages)+1)
	v.untagged("OK [PERMANENTFLAGS ()] nothing changes")
	return nil
}
