package page

import (
	"github.com/a-h/templ"

	"locus/gateway/internal/entry"
	"locus/internal/render"
	"locus/url"
)

// Session returns the page of the terminal of the interactive service at l.URL.
func Session(l Links) templ.Component {
	shown, err := l.URL.Without(url.Password) // the user types the password
	if err != nil {
		shown = l.URL
	}
	return sessionPage{l.frame(sessionTitle(l.URL)), l.URL.String(), ownLink(l.URL), "locus open " + render.ShellWord(shown.String())}.html()
}

// sessionTitle returns the title of the page of a session: its name or server, with the port.
func sessionTitle(u url.URL) string {
	title := entry.Name(u)
	if port, ok := u.Port(); ok && port != "" {
		title += ":" + port
	}
	return title
}

// A sessionPage is the page of an interactive service.
type sessionPage struct {
	frame
	URL     string
	Link    templ.SafeURL // the URL itself, which a program of the user may open
	Command string        // the command that opens it in a terminal
}

// ownLink returns the URL of a session or an address as a link that does not lead through the
// gateway, because the user's browser may have a program for it.
func ownLink(u url.URL) templ.SafeURL { return asLink(u.String()) }
