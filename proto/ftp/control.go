package ftp

import (
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A control is a control connection. It serves one access at a time.
type control struct {
	login   identity
	conn    *wire.Conn
	data    wire.Dialer // of its data connections
	replies *reply.Conn // over conn

	iac    iacRule
	queues bool // it takes several commands at once
	vsftpd bool

	features map[string]string // what FEAT names, in upper case, and what follows; nil until asked
	mode     string            // the argument of the last TYPE; "" for none
	home     string            // the directory after the login; "" if unknown
	asked    bool              // whether home was asked for
	dirs     []string          // the arguments of all CWDs since home
	noEPSV   bool              // EPSV was refused
	renames  bool              // RNFR is known to be allowed

	loggedIn  bool
	accounted bool // the account was told

	epsvPending bool   // the reply to the EPSV of the next transfer is still to be read
	port        uint16 // where the next data connection goes, as EPSV said; 0 if not asked

	transfers int  // how many have begun
	answered  int  // replies read since the access began
	spoilt    bool // not fit for another access: closed, out of step, or lost among directories
}

// greet learns from the greeting what the server is like.
//
// QUIRK: vsftpd reads commands byte by byte, proftpd as Telnet does, whatever FEAT
// says. Both take several commands at once, which other servers were seen to lose.
func (c *control) greet(text string) {
	c.vsftpd = strings.Contains(text, "vsFTPd")
	proftpd := strings.Contains(text, "ProFTPD")
	c.queues = c.vsftpd || proftpd
	switch {
	case c.vsftpd:
		c.iac = iacPlain
	case proftpd:
		c.iac = iacDoubled
	}
}

func (c *control) send(commands ...string) error {
	sent := make([]string, len(commands))
	for i, command := range commands {
		sent[i] = c.encode(command)
	}
	err := c.replies.Send(sent...)
	if err != nil {
		c.spoilt = true
	}
	return err
}

// read reads one reply.
func (c *control) read() (access.Reply, error) {
	r, err := c.replies.Read()
	if err != nil || r.Code == 421 {
		c.spoilt = true
		return r, err
	}
	c.answered++
	return r, nil
}

// do sends a command and reads the reply to it.
func (c *control) do(command string) (access.Reply, error) {
	if err := c.ready(command); err != nil {
		return access.Reply{}, err
	}
	if err := c.send(command); err != nil {
		return access.Reply{}, err
	}
	return c.read()
}

// ready makes sure that commands can be sent: no reply is still to be read, and it
// is known how to send them.
func (c *control) ready(commands ...string) error {
	if err := c.settle(); err != nil {
		return err
	}
	return c.learnIAC(commands...)
}

// settle reads the reply to the EPSV of the next transfer, if it was sent already.
func (c *control) settle() error {
	if !c.epsvPending {
		return nil
	}
	c.epsvPending = false
	r, err := c.replies.Read()
	if err != nil {
		c.spoilt = true
		return err
	}
	c.take(r)
	return nil
}

// take keeps the port that the reply to an EPSV names.
func (c *control) take(r access.Reply) {
	if r.Code == 229 {
		c.port, _ = extendedPort(r.Text)
	}
}

// A query is a command that changes no directory and moves no data, and what to
// make of the reply.
type query struct {
	command string
	then    func(access.Reply) error
}

// ask makes queries, all at once where the server takes that. It stops at the
// first error.
func (c *control) ask(queries ...query) error {
	if !c.queues {
		for _, q := range queries {
			r, err := c.do(q.command)
			if err == nil {
				err = q.then(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	commands := commandsOf(queries)
	if err := c.ready(commands...); err != nil {
		return err
	}
	if err := c.send(commands...); err != nil {
		return err
	}
	return c.answers(queries)
}

func commandsOf(queries []query) []string {
	commands := make([]string, len(queries), len(queries)+2)
	for i, q := range queries {
		commands[i] = q.command
	}
	return commands
}

// answers reads the replies to queries that were made at once, and returns the
// first error.
func (c *control) answers(queries []query) error {
	var failed error
	for _, q := range queries {
		r, err := c.read()
		if err != nil {
			return err
		}
		if failed == nil {
			failed = q.then(r)
		}
	}
	return failed
}

// must sends a command and fails unless the code of the reply starts as want
// does.
func (c *control) must(want int, command string) error {
	r, err := c.do(command)
	if err != nil {
		return err
	}
	return c.expect(r, want)
}

func (c *control) expect(r access.Reply, want int) error {
	if !reply.Is(r, want) {
		return c.refused(r)
	}
	return nil
}

// live fails if a reply, whatever it was asked, says goodbye.
func (c *control) live(r access.Reply) error {
	if r.Code == 421 {
		return c.refused(r)
	}
	return nil
}

// refused returns r, which says no, as an error.
func (c *control) refused(r access.Reply) *access.Refusal {
	means := meaning(r)
	if !c.conn.IsTLS() && demandsTLS(r, c.loggedIn) {
		means = ErrTLSRequired
	}
	refused := c.replies.Refused(r, means)
	if means == ErrTLSRequired { //nolint:errorlint // it was just set
		refused.Remedy = access.NeedTLS{Protocol: "ftp"}
	}
	return refused
}

// maxPreliminary is how many 1yz replies may come before the one that counts.
// RFC 959 knows 110, 120, 125 and 150, and no command has more than two.
const maxPreliminary = 8

// final reads the reply that ends a command, or that greets, past those that
// only announce it.
func (c *control) final() (access.Reply, error) {
	for range maxPreliminary {
		r, err := c.read()
		if err != nil {
			return r, err
		}
		if r.Code >= 200 {
			return r, c.expect(r, 2)
		}
	}
	c.spoilt = true
	return access.Reply{}, fmt.Errorf("%w: %d replies announce another, and none ends the command", access.ErrProtocol, maxPreliminary)
}

// setType sends TYPE unless that type is set already.
func (c *control) setType(argument string) query {
	return query{"TYPE " + argument, func(r access.Reply) error {
		if err := c.expect(r, 2); err != nil {
			return err
		}
		c.mode = argument
		return nil
	}}
}

// mustType sets the type.
func (c *control) mustType(argument string) error {
	if c.mode == argument {
		return nil
	}
	return c.ask(c.setType(argument))
}

// feature returns what FEAT says of a feature (RFC 2389 §3.2). A server that
// does not know FEAT has none.
func (c *control) feature(name string) (params string, ok bool, err error) {
	if c.features == nil {
		r, err := c.do("FEAT")
		if err == nil {
			err = c.live(r)
		}
		if err != nil {
			return "", false, err
		}
		c.features = map[string]string{}
		if r.Code == 211 {
			for l := range strings.Lines(r.Text) {
				feature, params, _ := strings.Cut(strings.TrimSpace(l), " ")
				c.features[strings.ToUpper(feature)] = params
			}
		}
	}
	params, ok = c.features[name]
	return params, ok, nil
}

// has reports whether the server names a feature.
func (c *control) has(name string) (bool, error) {
	_, ok, err := c.feature(name)
	return ok, err
}

// quit says goodbye and closes. What becomes of the goodbye changes nothing,
// and it may not take long.
func (c *control) quit() {
	_ = c.conn.SetDeadline(time.Now().Add(time.Second))
	_ = c.replies.Send("QUIT")
	c.conn.Close()
}
