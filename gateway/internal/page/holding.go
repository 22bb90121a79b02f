package page

import (
	"time"

	"github.com/a-h/templ"

	neturl "net/url"
)

// A Holding says what an archive holds.
type Holding struct {
	URLs        int
	First, Last time.Time // when the first and the last of them were recorded
	HostCount   int
	Hosts       []Host // the hosts with the most URLs, in this order; not all of them if there are very many
}

// A Host is a server in an archive.
type Host struct {
	Name string // the start of its URLs: "http://h.example:8080", or "news:" for URLs without a host
	URLs int
}

// RecordedText returns the sentence on a page that says when its resource was recorded.
func RecordedText(at time.Time) string { return "From the archive, recorded " + dayAndTime(at) + "." }

// dayAndTime formats a time for people.
func dayAndTime(at time.Time) string { return at.UTC().Format("2 January 2006, 15:04") + " UTC" }

// sentence returns sentences for the front page that say how much the archive holds, and when
// it was recorded.
func (h Holding) sentence() string {
	const day = "2 January 2006"
	text := "This gateway opens an archive, and does not contact servers. The archive holds " + counted(h.URLs, "URL", "URLs") + " of " + counted(h.HostCount, "host", "hosts")
	if h.URLs == 0 {
		return text + "."
	}
	if first, last := h.First.UTC().Format(day), h.Last.UTC().Format(day); first != last {
		return text + ", recorded from " + first + " to " + last + "."
	}
	return text + ", recorded on " + h.First.UTC().Format(day) + "."
}

// ofHost returns the link to the page that lists the URLs of h in the archive.
func (p frontPage) ofHost(h Host) templ.SafeURL {
	return p.at(OwnPath + "archived?filter=" + neturl.QueryEscape(h.Name))
}
