package ftp

import (
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A control is a control connection. It serves one request at a time.
type control struct {
	login      identity
	conn       *wire.Conn
	dataDialer wire.Dialer // for its data connections
	replies    *reply.Conn // over conn

	abilities
	loginState
	position
	earlyEPSV

	currentType   string // the argument of the last TYPE; "" for none
	transferCount int    // how many have started
	replyCount    int    // replies read for this request
	broken        bool   // must not be reused: closed, out of step, or in an unknown directory
}

// abilities are what is known about a server.
type abilities struct {
	iac           iacRule
	pipelines     bool // it takes several commands at once
	vsftpd        bool
	filezilla     bool            // it is FileZilla Server
	features      map[string]bool // the names in upper case, from FEAT; nil until asked
	noEPSV        bool            // EPSV was refused
	renameAllowed bool            // RNFR is known to be allowed
}

// A loginState says how far a login has come.
type loginState struct {
	loggedIn    bool
	accountSent bool
	clearData   bool // data connections are not encrypted, although the control connection is
}

// A position is the directory of a control connection.
type position struct {
	home      string   // the login directory; "" if unknown
	homeAsked bool     // home was asked for
	dirs      []string // the arguments of all CWDs since home
}

// An earlyEPSV is an EPSV for the next data connection.
type earlyEPSV struct {
	epsvPending  bool   // its reply has not been read yet
	nextDataPort uint16 // from its reply; 0 if unknown
}

// detectServer learns the server's abilities from its greeting.
//
// QUIRK: vsftpd reads commands byte by byte, proftpd as Telnet does, whatever
// FEAT says. Both take several commands at once. Other servers were seen to
// lose some.
func (c *control) detectServer(text string) {
	c.vsftpd = strings.Contains(text, "vsFTPd")
	c.filezilla = strings.Contains(text, "FileZilla Server")
	proftpd := strings.Contains(text, "ProFTPD")
	c.pipelines = c.vsftpd || proftpd
	switch {
	case c.vsftpd:
		c.iac = iacPlain
	case proftpd:
		c.iac = iacDoubled
	}
}

// send sends commands. Before that it reads a pending reply, and learns how to
// encode the commands.
func (c *control) send(commands ...string) error {
	if err := c.readPendingEPSV(); err != nil {
		return err
	}
	if err := c.learnIAC(commands...); err != nil {
		return err
	}
	sent := make([]string, len(commands))
	for i, command := range commands {
		if c.iac == iacDoubled {
			command = strings.ReplaceAll(command, iac, iac+iac)
		}
		sent[i] = command
	}
	err := c.replies.Send(sent...)
	if err != nil {
		c.broken = true
	}
	return err
}

// read reads one reply. It fails if the server closes the connection (421): any
// command may get that reply.
func (c *control) read() (access.Reply, error) {
	r, err := c.replies.Read()
	if err == nil && r.Code == 421 {
		err = c.refusal(r)
	}
	if err != nil {
		c.broken = true
		return r, err
	}
	c.replyCount++
	return r, nil
}

func (c *control) do(command string) (access.Reply, error) {
	if err := c.send(command); err != nil {
		return access.Reply{}, err
	}
	return c.read()
}

func (c *control) readPendingEPSV() error {
	if !c.epsvPending {
		return nil
	}
	c.epsvPending = false
	r, err := c.replies.Read()
	if err != nil {
		c.broken = true
		return err
	}
	return c.keepPort(r)
}

func (c *control) keepPort(r access.Reply) error {
	if port := parseEPSV(r.Text); r.Code == 229 && port >= 1024 {
		c.nextDataPort = port
	}
	return nil
}

// A query is a command with a function for its reply. It changes no directory
// and moves no data.
type query struct {
	command string
	handle  func(access.Reply) error
}

// ask sends queries and handles their replies. It sends them all at once if the
// server takes that. It returns the first error.
func (c *control) ask(queries ...query) error {
	if !c.pipelines {
		for _, q := range queries {
			r, err := c.do(q.command)
			if err == nil {
				err = q.handle(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.send(commandsOf(queries)...); err != nil {
		return err
	}
	return c.readReplies(queries)
}

func commandsOf(queries []query) []string {
	commands := make([]string, len(queries))
	for i, q := range queries {
		commands[i] = q.command
	}
	return commands
}

// readReplies reads and handles the replies to queries that were sent at once.
// It returns the first error.
func (c *control) readReplies(queries []query) error {
	var failed error
	for _, q := range queries {
		r, err := c.read()
		if err != nil {
			return err
		}
		if failed == nil {
			failed = q.handle(r)
		}
	}
	return failed
}

// doExpect sends a command and fails unless the reply code starts with want.
func (c *control) doExpect(want int, command string) error {
	r, err := c.do(command)
	if err != nil {
		return err
	}
	return c.expect(r, want)
}

func (c *control) expect(r access.Reply, want int) error {
	if !reply.Is(r, want) {
		return c.refusal(r)
	}
	return nil
}

func (c *control) refusal(r access.Reply) *engine.Refusal {
	means := replyError(r)
	if !c.conn.IsTLS() && demandsTLS(r, c.loggedIn) {
		means = ErrTLSRequired
	}
	refused := c.replies.Refused(r, means)
	if means == ErrTLSRequired { //nolint:errorlint // it was just set
		refused.Remedy = access.NeedTLS
	}
	return refused
}

// maxPreliminary limits the 1yz replies before the final one. RFC 959 has 110,
// 120, 125 and 150, and no command gets more than two.
const maxPreliminary = 8

// readFinal reads the final reply to a command, or the greeting. It skips 1yz
// replies.
func (c *control) readFinal() (access.Reply, error) {
	for range maxPreliminary {
		r, err := c.read()
		if err != nil {
			return r, err
		}
		if r.Code >= 200 {
			return r, c.expect(r, 2)
		}
	}
	c.broken = true
	return access.Reply{}, fmt.Errorf("%w: no final reply after %d preliminary ones", access.ErrProtocol, maxPreliminary)
}

func (c *control) typeQuery(argument string) query {
	return query{"TYPE " + argument, func(r access.Reply) error {
		if err := c.expect(r, 2); err != nil {
			return err
		}
		c.currentType = argument
		return nil
	}}
}

// setType sends TYPE, unless that type is set already.
func (c *control) setType(argument string) error {
	if c.currentType == argument {
		return nil
	}
	return c.ask(c.typeQuery(argument))
}

// hasFeature reports whether the reply to FEAT (RFC 2389 §3.2) lists a feature.
// A server without FEAT has none.
func (c *control) hasFeature(name string) (bool, error) {
	if c.features == nil {
		r, err := c.do("FEAT")
		if err != nil {
			return false, err
		}
		c.features = map[string]bool{}
		if r.Code == 211 {
			for l := range strings.Lines(r.Text) {
				feature, _, _ := strings.Cut(strings.TrimSpace(l), " ")
				c.features[strings.ToUpper(feature)] = true
			}
		}
	}
	return c.features[name], nil
}

// quit sends QUIT and closes the connection. Errors are ignored, and it may
// take a second at most.
func (c *control) quit() {
	_ = c.conn.SetDeadline(time.Now().Add(time.Second))
	_ = c.replies.Send("QUIT")
	c.conn.Close()
}
