package ftpd

import (
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A command describes how the server executes a verb.
type command struct {
	do       func(s *conn, arg string)
	open     bool // allowed before login
	argument bool // requires an argument
}

// commands returns the commands by verb, in upper case.
func commands() map[string]command {
	return map[string]command{
		"USER": {do: (*conn).cmdUser, open: true, argument: true},
		"PASS": {do: (*conn).cmdPass, open: true},
		"QUIT": {do: (*conn).cmdQuit, open: true},
		"NOOP": {do: say(200, "Nothing done."), open: true},
		"SYST": {do: say(215, "UNIX Type: L8"), open: true},
		"FEAT": {do: (*conn).cmdFeat, open: true},
		"OPTS": {do: (*conn).cmdOpts, open: true, argument: true},
		"HELP": {do: (*conn).cmdHelp, open: true},
		"STAT": {do: (*conn).cmdStat},
		"TYPE": {do: (*conn).cmdType, argument: true},
		"MODE": {do: only("S", "Stream mode it is."), argument: true},
		"STRU": {do: only("F", "File structure it is."), argument: true},
		"CWD":  {do: (*conn).cmdCwd},
		"CDUP": {do: (*conn).cmdCdup},
		"PWD":  {do: (*conn).cmdPwd},
		"SIZE": {do: (*conn).cmdSize, argument: true},
		"MDTM": {do: (*conn).cmdMdtm, argument: true},
		"REST": {do: (*conn).cmdRest, argument: true},
		"PASV": {do: (*conn).cmdPasv},
		"EPSV": {do: (*conn).cmdEpsv},
		"RETR": {do: (*conn).cmdRetr, argument: true},
		"LIST": {do: (*conn).cmdList},
		"NLST": {do: (*conn).cmdNlst},
		"MLSD": {do: (*conn).cmdMlsd},
		"MLST": {do: (*conn).cmdMlst},
		"ABOR": {do: (*conn).cmdAbor},
	}
}

// lookup returns the command for a verb in upper case. For a verb that the server refuses, the
// command sends the refusal. For an unknown verb do is nil.
func lookup(verb string) command {
	switch verb {
	case "STOR", "STOU", "APPE", "DELE", "MKD", "RMD", "RNFR", "RNTO", "ALLO":
		return command{do: say(550, "This library is to be read only.")}
	case "PORT", "EPRT":
		return command{do: say(502, "No active mode here: use EPSV or PASV.")}
	case "ACCT", "AUTH", "PBSZ", "PROT", "CCC", "REIN", "SITE", "SMNT", "LANG", "HOST":
		return command{do: say(502, "That is not done here."), open: true}
	}
	return commands()[verb]
}

// say returns a command that always sends the same reply.
func say(code int, text string) func(*conn, string) {
	return func(c *conn, _ string) { c.reply(code, text) }
}

// only returns a command that replies 200 with text if its argument is value, and refuses every
// other argument with 504.
func only(value, text string) func(*conn, string) {
	return func(c *conn, arg string) {
		if !strings.EqualFold(arg, value) {
			c.reply(504, "Only "+value+" is done here.")
			return
		}
		c.reply(200, text)
	}
}

// cmdUser begins a login: it stores the user name, logs out, and asks for the password.
func (c *conn) cmdUser(name string) {
	c.user, c.loggedIn = strings.ToLower(name), false
	if c.isAnonymous() {
		c.reply(331, "Welcome. Your e-mail address as password, please.")
		return
	}
	c.reply(331, "And the password?")
}

// isAnonymous reports whether the user is one that any password logs in.
func (c *conn) isAnonymous() bool { return c.user == "anonymous" || c.user == "ftp" }

// cmdPass logs the user in if the password is right, and otherwise replies 530. After mostTries
// wrong passwords, it ends the connection.
func (c *conn) cmdPass(password string) {
	if c.user == "" || c.loggedIn {
		c.reply(503, "First USER, then PASS.")
		return
	}
	user, known := users()[c.user]
	if c.isAnonymous() {
		c.login(".")
		return
	}
	if known && password == user.password {
		c.login(user.home)
		return
	}
	c.user = ""
	if c.tries++; c.tries == mostTries {
		c.quit = true
		c.reply(421, "Not that either. Goodbye.")
		return
	}
	c.reply(530, "No such user, or not that password.")
}

// login marks the user as logged in and sends the reply. The working directory becomes home, or the
// root if home does not exist.
func (c *conn) login(home string) {
	if !c.isDir(home) {
		home = "."
	}
	c.loggedIn, c.home, c.dir = true, home, home
	c.reply(230, "You are in the little library of locus.", "The directory is "+absolute(home)+".")
}

func (c *conn) cmdQuit(string) {
	c.quit = true
	c.reply(221, "Goodbye.")
}

func (c *conn) cmdHelp(string) {
	verbs := slices.Sorted(maps.Keys(commands()))
	c.reply(214, "These commands are known:", strings.Join(verbs, " "), "Have fun.")
}

func (c *conn) cmdFeat(string) {
	c.reply(211, "Features:", "EPSV", "MDTM", "MLST "+featFacts(c.facts), "REST STREAM", "SIZE", "TVFS", "UTF8", "End")
}

// cmdOpts handles OPTS UTF8 ON and OPTS MLST (RFC 3659 §7.9).
func (c *conn) cmdOpts(arg string) {
	name, value, _ := strings.Cut(arg, " ")
	switch {
	case strings.EqualFold(name, "MLST"):
		c.facts = chooseFacts(value)
		c.reply(200, strings.TrimRight("MLST OPTS "+strings.Join(append(c.facts, ""), ";"), " "))
	case strings.EqualFold(name, "UTF8") && strings.EqualFold(value, "ON"):
		c.reply(200, "It always is.")
	default:
		c.reply(501, "There is no such option.")
	}
}

// cmdStat sends the state of the connection. STAT of a file is refused.
func (c *conn) cmdStat(arg string) {
	if arg != "" {
		c.reply(504, "STAT of a file is not done here: use MLST.")
		return
	}
	transfer := "image"
	if c.ascii {
		transfer = "text"
	}
	c.reply(211, "The locus demo:", "logged in as "+c.user, "transfers are "+transfer, "End")
}

// cmdType sets whether files are sent as text (A) or unchanged (I and L 8).
func (c *conn) cmdType(arg string) {
	switch strings.ToUpper(arg) {
	case "A", "A N":
		c.ascii = true
		c.reply(200, "Line ends will be CR LF.")
	case "I", "L 8":
		c.ascii = false
		c.reply(200, "Bytes are sent unchanged.")
	default:
		c.reply(504, "Only types A, I and L 8 are done here.")
	}
}

// cmdCwd changes the working directory to arg, or to the home of the user if arg is "".
func (c *conn) cmdCwd(arg string) {
	to := c.home
	if arg != "" {
		to = c.resolve(arg)
	}
	if !c.isDir(to) {
		c.reply(550, "No such directory.")
		return
	}
	c.dir = to
	c.reply(250, "The directory is "+absolute(to)+".")
}

func (c *conn) cmdCdup(string) { c.cmdCwd("..") }

// cmdPwd sends the working directory in quotes, with quotes in its name doubled (RFC 959 appendix
// II).
func (c *conn) cmdPwd(string) {
	c.reply(257, `"`+strings.ReplaceAll(absolute(c.dir), `"`, `""`)+`" is the directory.`)
}

// isDir reports whether name, a path in Files, is a directory.
func (c *conn) isDir(name string) bool {
	info, err := fs.Stat(c.Files, name)
	return err == nil && info.IsDir()
}

// stat returns the attributes of a file or directory; name is a path in Files. If it does not
// exist, stat replies 550 and returns nil.
func (c *conn) stat(name string) fs.FileInfo {
	info, err := fs.Stat(c.Files, name)
	if err != nil {
		c.reply(550, "No such file or directory.")
		return nil
	}
	return info
}

// open opens the file that the client calls arg. Its bytes are converted to CR LF in ASCII mode.
// The caller closes f. If the file cannot be opened, open replies 550 and returns nil for both
// results.
func (c *conn) open(arg string) (f io.ReadCloser, info fs.FileInfo) {
	name := c.resolve(arg)
	info = c.stat(name)
	switch {
	case info == nil:
		return nil, nil
	case info.IsDir():
		c.reply(550, "That is a directory.")
		return nil, nil
	}
	f, err := c.Files.Open(name)
	if err != nil {
		c.reply(550, "The file cannot be read.")
		return nil, nil
	}
	if c.ascii {
		f = struct {
			io.Reader
			io.Closer
		}{newASCII(f), f}
	}
	return f, info
}

// cmdSize sends the number of bytes of a transfer in the current type (RFC 3659 §4).
func (c *conn) cmdSize(arg string) {
	f, info := c.open(arg)
	if f == nil {
		return
	}
	defer f.Close()
	size := info.Size()
	if c.ascii {
		n, err := io.Copy(io.Discard, f)
		if err != nil {
			c.reply(550, "The file cannot be read.")
			return
		}
		size = n
	}
	c.reply(213, strconv.FormatInt(size, 10))
}

// cmdMdtm sends the time when a file was last changed (RFC 3659 §3).
func (c *conn) cmdMdtm(arg string) {
	if f, info := c.open(arg); f != nil {
		f.Close()
		c.reply(213, timeValue(info.ModTime()))
	}
}

// cmdRest sets the offset at which the next RETR begins (RFC 3659 §5).
func (c *conn) cmdRest(arg string) {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n < 0 {
		c.reply(501, "REST needs a number of bytes.")
		return
	}
	c.rest = n
	c.reply(350, "The next file begins there.")
}
