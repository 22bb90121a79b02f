// Package locus opens every URL.
//
// It is the front door of a house whose rooms can be used alone:
//
//   - locus/url reads and writes URLs as text, by three standards;
//   - locus/scheme says what the URLs of each scheme mean;
//   - locus/access says what opening a URL means, and
//     locus/proto/… are the engines that do it, one for each wire protocol.
//
// Here the engines are put into tables, and what opens is given the shapes that
// Go programs know: [Client] is an http.Client, [FS] an fs.FS.
//
// Importing a package grants nothing: the network is reached through the
// dialler that [Standard] is given, files through the folder that [Local] is
// given. Policies are Openers around Openers: access.Follow goes after
// redirects, guard.Ports refuses the ports of other protocols.
//
// Notable divergences:
//   - RFC 1738 §4: what a program adds (a scheme, a gateway for one) it puts
//     into its own table; there is no registry to change.
package locus

import (
	"context"
	"net"

	"locus/access"
	"locus/proto/file"
	"locus/proto/ftp"
	"locus/proto/gopher"
	"locus/proto/mail"
	"locus/proto/nntp"
	"locus/proto/prospero"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
	"locus/proto/wais"
	"locus/proto/web"
	"locus/url"
)

// Dial connects; it is the type of the method DialContext of a net.Dialer.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Standard returns the table of every scheme whose resources come over a
// network. Each call gives a new table, which the caller may change. If dial is
// nil every access fails. What mailto URLs name is nothing to open, as the error
// then says. News URLs that name no server want one: an [nntp.Client] with a
// Server. FTP connections are kept for the next access, for 30 seconds.
func Standard(dial Dial) access.Table {
	http := &web.Client{Dial: dial}
	files := ftp.Client{Dial: dial, Pool: &ftp.Pool{}}
	news := nntp.Client{Dial: dial}
	return access.Table{
		"http":     http,
		"https":    http,
		"ftp":      files,
		"ftps":     files,
		"gopher":   gopher.Client{Dial: dial},
		"wais":     wais.Client{Dial: dial},
		"prospero": prospero.Client{Dial: dial},
		"news":     news,
		"snews":    news,
		"nntp":     news,
		"nntps":    news,
		"mailto":   mail.Address{},
		"telnet":   telnet.Client{Dial: dial},
		"rlogin":   rlogin.Client{Dial: dial},
		"tn3270":   tn3270.Client{Dial: dial},
	}
}

// Local returns the table of the schemes whose resources are on this machine:
// file, with root as "/". A [file.Root] is an os.Root; if it is nil every
// access fails.
func Local(root *file.Root) access.Table {
	return access.Table{
		"file": file.System{Root: root},
	}
}

// Mail returns the table of the schemes whose resources are in mail that was
// received: mid and cid, looked for in the sources in their order.
func Mail(sources ...mail.Source) access.Table {
	c := mail.Client{Sources: sources}
	return access.Table{"mid": c, "cid": c}
}

// Open opens the URL that rawurl is by RFC 3986. The caller closes the Body. A
// text that is no URL is a *url.SyntaxError. If o is nil nothing is opened.
func Open(ctx context.Context, o access.Opener, rawurl string) (*access.Resource, error) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = access.Table(nil)
	}
	return o.Open(ctx, &access.Request{URL: u})
}
