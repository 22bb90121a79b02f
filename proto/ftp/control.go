package ftp

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A controlConn is a control connection. It serves one request at a time.
type controlConn struct {
	login      identity
	conn       *wire.Conn
	dataDialer wire.Dialer // dials its data connections
	replies    *reply.Conn // reads and writes conn

	abilities
	loginState
	position

	queued        []query // sent together with a transfer command; their replies have not been read
	nextDataPort  uint16  // for the next data connection, from an EPSV that was sent early; 0 if unknown
	currentType   string  // the argument of the last TYPE; "" before the first
	transferCount int     // the transfers that were started
	renames       bool    // the last command was RNFR
	replyCount    int     // the replies read for this request
	broken        bool    // must not be reused: closed, out of step, or in an unknown directory
	disordered    bool    // the server has not answered the queued commands in order
}

// abilities is the client's knowledge of a server.
type abilities struct {
	iac           iacRule
	pipelines     bool            // the server accepts several commands at once, also with a transfer command
	vsftpd        bool            // the server is vsftpd
	filezilla     bool            // the server is FileZilla Server
	twisted       bool            // the server is Twisted
	features      map[string]bool // the names in upper case, from FEAT; nil until asked
	noEPSV        bool            // the server has refused EPSV
	renameAllowed bool            // checkRename has found that the server allows renames
	keptQuirks    nameQuirks      // checkName has found that the server keeps names with these
}

// A loginState records the steps of the login that were done.
type loginState struct {
	loggedIn    bool
	isReady     bool   // every step of the login was done
	step        string // the verb of the last command; "" for the greeting
	accountSent bool
	clearData   bool // the control connection is encrypted, the data connections are not
}

// A position is the directory of a control connection.
type position struct {
	home      string   // the login directory; "" if unknown
	homeAsked bool     // askHome has sent PWD
	dirs      []string // the arguments of all CWDs since the login directory
}

// detectServer sets the abilities that the text of a greeting reveals.
//
// QUIRK: vsftpd reads commands byte by byte, proftpd as Telnet does, whatever FEAT says. Both and pure-ftpd
// accept several commands at once. Other servers were seen to lose some. Twisted 22.4 reads
// commands byte by byte and decodes them as Latin-1, but its listings are in UTF-8.
func (c *controlConn) detectServer(text string) {
	c.vsftpd = strings.Contains(text, "vsFTPd")
	c.filezilla = strings.Contains(text, "FileZilla Server")
	c.twisted = strings.HasPrefix(text, "Twisted ")
	proftpd := strings.Contains(text, "ProFTPD")
	c.pipelines = c.vsftpd || proftpd || strings.Contains(text, "Pure-FTPd")
	switch {
	case c.vsftpd, c.twisted:
		c.iac = iacPlain
	case proftpd:
		c.iac = iacDoubled
	}
}

// send sends commands in one write. Before that it reads the replies to the queued commands, and learns how the server
// reads the byte 255. It returns errOrder for a reply that no command asked for, and errNotLatin1 for a name that
// Twisted cannot read.
func (c *controlConn) send(commands ...string) error {
	if err := c.readQueued(); err != nil {
		return err
	}
	if err := c.checkOrder(); err != nil {
		return err
	}
	if err := c.learnIAC(commands...); err != nil {
		return err
	}
	sent := make([]string, len(commands))
	for i, command := range commands {
		c.setStep(command)
		c.renames = c.step == "RNFR"
		if c.twisted && c.loggedIn {
			var err error
			if command, err = toLatin1(command); err != nil {
				return err
			}
		}
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

// setStep records the verb of a command, without its arguments, which may be secret.
func (c *controlConn) setStep(command string) { c.step, _, _ = strings.Cut(command, " ") }

// read reads one reply and counts it. It returns an error for a 421, because a server may answer any command with it
// and then closes the connection. After an error the connection is broken.
func (c *controlConn) read() (access.Reply, error) {
	r, err := c.replies.Read()
	if err == nil && r.Code == 421 {
		err = c.refusal(r)
	}
	if err != nil {
		c.broken = true
		c.noteSilence(err)
		return r, err
	}
	c.replyCount++
	return r, nil
}

// do sends a command and returns its first reply. A negative reply is not an error, except a 421.
func (c *controlConn) do(command string) (access.Reply, error) {
	if err := c.send(command); err != nil {
		return access.Reply{}, err
	}
	return c.read()
}

// keepPort records the port in a reply to EPSV. A reply without a usable port is ignored, because
// the next transfer then asks again. The error is always nil.
func (c *controlConn) keepPort(r access.Reply) error {
	if port := parseEPSV(r.Text); r.Code == 229 && port >= 1024 {
		c.nextDataPort = port
	}
	return nil
}

// A query is a command that changes no directory and moves no data, with the function that handles
// its reply.
type query struct {
	command string
	handle  func(access.Reply) error
}

// ask sends queries, handles their replies and returns the first error. If the server accepts
// several commands at once, ask sends all queries in one write. If not, it sends them in turn and
// stops at the first error.
func (c *controlConn) ask(queries ...query) error {
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

// commandsOf returns the commands of queries.
func commandsOf(queries []query) []string {
	commands := make([]string, len(queries))
	for i, q := range queries {
		commands[i] = q.command
	}
	return commands
}

// doExpect sends a command and reads its first reply. It returns an error unless the code starts with want.
func (c *controlConn) doExpect(want int, command string) error {
	r, err := c.do(command)
	if err != nil {
		return err
	}
	return c.expect(r, want)
}

// expect returns nil if the code of r starts with want, and otherwise r as a refusal.
func (c *controlConn) expect(r access.Reply, want int) error {
	if !reply.Is(r, want) {
		return c.refusal(r)
	}
	return nil
}

// refusal returns the error for the negative reply r. It wraps the meaning that the code, the text and the step of the
// login give the reply.
func (c *controlConn) refusal(r access.Reply) *engine.Refusal {
	means := replyError(r)
	if !c.isReady && r.Code == 550 && (means == nil || errors.Is(means, fs.ErrNotExist)) { // no file was named yet
		means = c.refusedStep(fs.ErrPermission)
	}
	if !c.conn.IsTLS() && demandsTLS(r, c.loggedIn) {
		means = ErrTLSRequired
	}
	refused := c.replies.Refused(r, means)
	if means == ErrTLSRequired { //nolint:errorlint // the lines above set it
		refused.Remedy = access.NeedTLS
	}
	return refused
}

// refusedStep returns an error that wraps kind and says which command of the login the server has refused.
func (c *controlConn) refusedStep(kind error) error {
	if c.step == "" {
		return engine.Reason("the server refuses the connection", kind)
	}
	return engine.Reason("the server refuses "+c.step, kind)
}

// maxPreliminary limits the 1yz replies before the final one. RFC 959 has 110,
// 120, 125 and 150, and no command gets more than two.
const maxPreliminary = 8

// readFinal reads the final reply to a command, or the greeting. It skips 1yz replies. The error is
// a refusal unless the code is 2yz.
func (c *controlConn) readFinal() (access.Reply, error) {
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

// typeQuery returns a query that sends TYPE with the argument, and sets currentType.
func (c *controlConn) typeQuery(argument string) query {
	return query{"TYPE " + argument, func(r access.Reply) error {
		if err := c.expect(r, 2); err != nil {
			return err
		}
		c.currentType = argument
		return nil
	}}
}

// setType sends TYPE, unless argument is the current type.
func (c *controlConn) setType(argument string) error {
	if c.currentType == argument {
		return nil
	}
	return c.ask(c.typeQuery(argument))
}

// hasFeature reports whether the reply to FEAT (RFC 2389 §3.2) lists a feature. name is in upper case. It sends FEAT
// once for each connection. If the server refuses FEAT, it has no features.
func (c *controlConn) hasFeature(name string) (bool, error) {
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

// quit sends QUIT and closes the connection. It ignores errors, and takes a second at most.
func (c *controlConn) quit() {
	_ = c.conn.SetDeadline(time.Now().Add(time.Second))
	_ = c.replies.Send("QUIT")
	c.conn.Close()
}
