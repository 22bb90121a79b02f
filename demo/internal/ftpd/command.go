package ftpd

import (
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A command is the action of a verb.
type command struct {
	do       func(s *session, arg string)
	open     bool // allowed before login
	argument bool // must have an argument
}

// commands returns the commands by verb, in upper case.
func commands() map[string]command {
	return map[string]command{
		"USER": {do: (*session).cmdUser, open: true, argument: true},
		"PASS": {do: (*session).cmdPass, open: true},
		"QUIT": {do: (*session).cmdQuit, open: true},
		"NOOP": {do: say(200, "Nothing done."), open: true},
		"SYST": {do: say(215, "UNIX Type: L8"), open: true},
		"FEAT": {do: (*session).cmdFeat, open: true},
		"OPTS": {do: (*session).cmdOpts, open: true, argument: true},
		"HELP": {do: (*session).cmdHelp, open: true},
		"STAT": {do: (*session).cmdStat},
		"TYPE": {do: (*session).cmdType, argument: true},
		"MODE": {do: only("S", "Stream mode it is."), argument: true},
		"STRU": {do: only("F", "File structure it is."), argument: true},
		"CWD":  {do: (*session).cmdCwd},
		"CDUP": {do: (*session).cmdCdup},
		"PWD":  {do: (*session).cmdPwd},
		"SIZE": {do: (*session).cmdSize, argument: true},
		"MDTM": {do: (*session).cmdMdtm, argument: true},
		"REST": {do: (*session).cmdRest, argument: true},
		"PASV": {do: (*session).cmdPasv},
		"EPSV": {do: (*session).cmdEpsv},
		"RETR": {do: (*session).cmdRetr, argument: true},
		"LIST": {do: (*session).cmdList},
		"NLST": {do: (*session).cmdNlst},
		"MLSD": {do: (*session).cmdMlsd},
		"MLST": {do: (*session).cmdMlst},
		"ABOR": {do: (*session).cmdAbor},
	}
}

// lookup returns the command of a verb in upper case; without do if there is none.
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

func say(code int, text string) func(*session, string) {
	return func(s *session, _ string) { s.reply(code, text) }
}

func only(value, text string) func(*session, string) {
	return func(s *session, arg string) {
		if !strings.EqualFold(arg, value) {
			s.reply(504, "Only "+value+" is done here.")
			return
		}
		s.reply(200, text)
	}
}

func (s *session) cmdUser(name string) {
	s.user, s.loggedIn = strings.ToLower(name), false
	if s.anonymous() {
		s.reply(331, "Welcome. Your e-mail address as password, please.")
		return
	}
	s.reply(331, "And the password?")
}

func (s *session) anonymous() bool { return s.user == "anonymous" || s.user == "ftp" }

func (s *session) cmdPass(password string) {
	if s.user == "" || s.loggedIn {
		s.reply(503, "First USER, then PASS.")
		return
	}
	user, known := users()[s.user]
	if s.anonymous() {
		s.login(".")
		return
	}
	if known && password == user.password {
		s.login(user.home)
		return
	}
	s.user = ""
	if s.tries++; s.tries == mostTries {
		s.quit = true
		s.reply(421, "Not that either. Goodbye.")
		return
	}
	s.reply(530, "No such user, or not that password.")
}

// login starts in home, or in the root if there is no such directory.
func (s *session) login(home string) {
	if !s.isDir(home) {
		home = "."
	}
	s.loggedIn, s.home, s.dir = true, home, home
	s.reply(230, "You are in the little library of locus.", "The directory is "+absolute(home)+".")
}

func (s *session) cmdQuit(string) {
	s.quit = true
	s.reply(221, "Goodbye.")
}

func (s *session) cmdHelp(string) {
	verbs := slices.Sorted(maps.Keys(commands()))
	s.reply(214, "These commands are known:", strings.Join(verbs, " "), "Have fun.")
}

func (s *session) cmdFeat(string) {
	s.reply(211, "Features:", "EPSV", "MDTM", "MLST "+featFacts(s.facts), "REST STREAM", "SIZE", "TVFS", "UTF8", "End")
}

// cmdOpts handles OPTS UTF8 ON and OPTS MLST (RFC 3659 §7.9).
func (s *session) cmdOpts(arg string) {
	name, value, _ := strings.Cut(arg, " ")
	switch {
	case strings.EqualFold(name, "MLST"):
		s.facts = chooseFacts(value)
		s.reply(200, strings.TrimRight("MLST OPTS "+strings.Join(append(s.facts, ""), ";"), " "))
	case strings.EqualFold(name, "UTF8") && strings.EqualFold(value, "ON"):
		s.reply(200, "It always is.")
	default:
		s.reply(501, "There is no such option.")
	}
}

func (s *session) cmdStat(arg string) {
	if arg != "" {
		s.reply(504, "STAT of a file is not done here: use MLST.")
		return
	}
	transfer := "image"
	if s.ascii {
		transfer = "text"
	}
	s.reply(211, "The locus demo:", "logged in as "+s.user, "transfers are "+transfer, "End")
}

func (s *session) cmdType(arg string) {
	switch strings.ToUpper(arg) {
	case "A", "A N":
		s.ascii = true
		s.reply(200, "Line ends will be CR LF.")
	case "I", "L 8":
		s.ascii = false
		s.reply(200, "Bytes are sent unchanged.")
	default:
		s.reply(504, "Only types A, I and L 8 are done here.")
	}
}

func (s *session) cmdCwd(arg string) {
	to := s.home
	if arg != "" {
		to = s.resolve(arg)
	}
	if !s.isDir(to) {
		s.reply(550, "No such directory.")
		return
	}
	s.dir = to
	s.reply(250, "The directory is "+absolute(to)+".")
}

func (s *session) cmdCdup(string) { s.cmdCwd("..") }

// cmdPwd doubles quotes (RFC 959 appendix II).
func (s *session) cmdPwd(string) {
	s.reply(257, `"`+strings.ReplaceAll(absolute(s.dir), `"`, `""`)+`" is the directory.`)
}

func (s *session) isDir(name string) bool {
	info, err := fs.Stat(s.Files, name)
	return err == nil && info.IsDir()
}

// stat returns the attributes of a file or directory. If there is none it sends the
// reply and returns nil.
func (s *session) stat(name string) fs.FileInfo {
	info, err := fs.Stat(s.Files, name)
	if err != nil {
		s.reply(550, "No such file or directory.")
		return nil
	}
	return info
}

// open opens a file, with the bytes that a transfer of the current type has. If there is
// none it sends the reply and returns nil.
func (s *session) open(arg string) (f io.ReadCloser, info fs.FileInfo) {
	name := s.resolve(arg)
	info = s.stat(name)
	switch {
	case info == nil:
		return nil, nil
	case info.IsDir():
		s.reply(550, "That is a directory.")
		return nil, nil
	}
	f, err := s.Files.Open(name)
	if err != nil {
		s.reply(550, "The file cannot be read.")
		return nil, nil
	}
	if s.ascii {
		f = struct {
			io.Reader
			io.Closer
		}{newASCII(f), f}
	}
	return f, info
}

// cmdSize sends how many bytes a transfer of the current type has (RFC 3659 §4).
func (s *session) cmdSize(arg string) {
	f, info := s.open(arg)
	if f == nil {
		return
	}
	defer f.Close()
	size := info.Size()
	if s.ascii {
		n, err := io.Copy(io.Discard, f)
		if err != nil {
			s.reply(550, "The file cannot be read.")
			return
		}
		size = n
	}
	s.reply(213, strconv.FormatInt(size, 10))
}

func (s *session) cmdMdtm(arg string) {
	if f, info := s.open(arg); f != nil {
		f.Close()
		s.reply(213, timeValue(info.ModTime()))
	}
}

func (s *session) cmdRest(arg string) {
	n, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || n < 0 {
		s.reply(501, "REST needs a number of bytes.")
		return
	}
	s.rest = n
	s.reply(350, "The next file begins there.")
}
