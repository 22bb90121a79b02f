package prosperod

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A responder executes the commands of one message and writes the reply.
type responder struct {
	*Server
	host string // name of this server in links
	out  bytes.Buffer
	dir  *string // hsoname of the current directory; nil before DIRECTORY
}

// softwareID is the name of the server software.
const softwareID = "locus-demo"

// answer executes the commands of a message and returns the reply. It stops after the first command
// that fails. host is the name of this server in links.
func (s *Server) answer(host string, request []byte) []byte {
	a := &responder{Server: s, host: host}
	if len(request) == 0 {
		return []byte("ERROR ERROR Received empty Prospero request packet\n")
	}
	for more := true; more && len(request) > 0; {
		request, more = a.next(request)
	}
	return a.out.Bytes()
}

// next executes the first command of a message, and returns the bytes after it. more is false if
// the command failed, so that the other commands must not be executed.
func (a *responder) next(request []byte) (rest []byte, more bool) {
	l, rest, fault := parseLine(request)
	var selections []line
	if fault == "" {
		a.Log.Line(strings.Join(l, " "))
		selections, rest, fault = parseSelections(rest)
	}
	if fault != "" {
		return nil, a.fail("ERROR Malformed input line: " + quote(fault))
	}
	return rest, a.command(l, selections)
}

// parseSelections parses the SELECT lines at the start of request, which belong to the command
// before them. rest is the request after them. fault is the error text for a malformed line, or "".
func parseSelections(request []byte) (selections []line, rest []byte, fault string) {
	for bytes.HasPrefix(request, []byte("SELECT ")) {
		var l line
		if l, request, fault = parseLine(request); fault != "" {
			return nil, nil, fault
		}
		selections = append(selections, l)
	}
	return selections, request, ""
}

// say writes a line of the reply.
func (a *responder) say(text string) {
	a.out.WriteString(text)
	a.out.WriteByte('\n')
}

// fail writes a line that says why a command failed, and returns false, the result of a command
// that failed.
func (a *responder) fail(text string) bool {
	a.say(text)
	return false
}

// command executes the command l with its SELECT lines, and writes the reply. It returns false if
// the command failed.
func (a *responder) command(l line, selections []line) bool {
	switch verb, arguments := l[0], l[1:]; verb {
	case "VERSION":
		return a.version(arguments)
	case "AUTHENTICATE":
		return a.authenticate(l)
	case "DIRECTORY":
		return a.directory(l)
	case "LIST":
		return a.list(l)
	case "GET-OBJECT-INFO":
		return a.info(l, selections)
	case "LIST-ACL":
		a.say("ACL DEFAULT '' ''\nACL SYSTEM '' ''")
		return true
	case "STATUS":
		a.say("Prospero server (" + softwareID + ") " + a.host)
		return true
	case "ATOMIC", "CREATE-LINK", "CREATE-OBJECT", "DELETE-LINK", "EDIT-ACL", "EDIT-LINK-INFO", "EDIT-OBJECT-INFO", "PARAMETER", "UPDATE":
		return a.fail("FAILURE UNIMPLEMENTED " + verb)
	}
	return a.fail("ERROR Unknown message: " + strings.Join(l, " "))
}

// version executes VERSION, with or without a number. It returns false for any version but 5.
func (a *responder) version(arguments line) bool {
	switch {
	case len(arguments) == 0:
		a.say("VERSION 5 " + softwareID)
		return true
	case arguments[0] == "5":
		return true
	}
	a.out.WriteString("VERSION-NOT-SUPPORTED TRY 5") // with no LF
	return false
}

// authenticate executes AUTHENTICATE. It accepts everyone, but returns false if the command is
// malformed, or if the client insists on a form of authentication that this server lacks.
func (a *responder) authenticate(l line) bool {
	if len(l) < 4 {
		return a.invalid(l)
	}
	mandatory := slices.Contains(strings.Split(l[1], "+"), "MANDATORY")
	if mandatory && l[2] != "UNAUTHENTICATED" {
		return a.fail("FAILURE AUTHENTICATION-DATA Authentication type " + quote(l[2]) + " not supported")
	}
	return true
}

// invalid writes an error about the arguments of the command l, and returns false.
func (a *responder) invalid(l line) bool {
	return a.fail("ERROR Invalid arguments: " + quote(strings.Join(l, " ")))
}

// directory executes DIRECTORY: it sets the current directory, without checking that it exists. It
// returns false if the command is malformed, or if the type of the name is not ASCII.
func (a *responder) directory(l line) bool {
	if len(l) < 3 {
		return a.invalid(l)
	}
	if l[1] != "ASCII" {
		return a.fail("ERROR Directory handle type " + quote(l[1]) + " not supported")
	}
	a.dir = &l[2]
	return true
}

// list executes LIST: it writes the links of the current directory that match the components of the
// command, or all links. It returns false after a failure, such as a malformed command or a missing
// directory.
func (a *responder) list(l line) bool {
	if len(l) < 3 || l[2] != "COMPONENTS" {
		return a.invalid(l)
	}
	if a.dir == nil {
		return a.fail("FAILURE NOT-AUTHORIZED")
	}
	if to, ok := a.Forwards[*a.dir]; ok {
		return a.forward(to)
	}
	name, ok := pathOf(*a.dir)
	switch {
	case !ok:
		return a.fail("FAILURE NOT-AUTHORIZED")
	case !a.isDir(name):
		return a.fail("FAILURE NOT-A-DIRECTORY")
	}
	options := strings.Split(l[1], "+")
	links := a.find(name, l[3:])
	if len(links) == 0 || slices.Contains(options, "VERIFY") {
		a.say("NONE-FOUND")
		return true
	}
	attributes := slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "ATTRIBUTES") })
	for _, link := range links {
		a.link(link, attributes)
	}
	return true
}

// forward writes that the object has moved to the hsoname to on this server, and returns false.
func (a *responder) forward(to string) bool {
	return a.fail(fmt.Sprintf("FORWARDED INTERNET-D %s ASCII %s 0", a.host, quote(to)))
}

// link writes the lines of a link. If attributes is set, it adds the size and the time of a file.
func (a *responder) link(l link, attributes bool) {
	a.say(fmt.Sprintf("LINK  L %s %s INTERNET-D %s ASCII %s 0", l.target, quote(l.name), l.host, quote(l.hsoname)))
	if l.method != "" {
		a.say("ATTRIBUTE CACHED FIELD ACCESS-METHOD " + l.method)
	}
	if attributes && l.info != nil && !l.info.IsDir() {
		a.say("ATTRIBUTE CACHED INTRINSIC SIZE SEQUENCE " + sizeOf(l.info))
		a.say("ATTRIBUTE CACHED INTRINSIC LAST-MODIFIED SEQUENCE " + timeOf(l.info))
	}
}
