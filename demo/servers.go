package demo

import (
	"context"
	"io/fs"
	"net"

	"locus/demo/internal/csod"
	"locus/demo/internal/dictd"
	"locus/demo/internal/fingerd"
	"locus/demo/internal/ftpd"
	"locus/demo/internal/geminid"
	"locus/demo/internal/gopherd"
	"locus/demo/internal/imapd"
	"locus/demo/internal/library"
	"locus/demo/internal/nfsd"
	"locus/demo/internal/nntpd"
	"locus/demo/internal/prosperod"
	"locus/demo/internal/serve"
	"locus/demo/internal/sftpd"
	"locus/demo/internal/telnetd"
	"locus/demo/internal/tn3270d"
	"locus/demo/internal/waisd"
	"locus/demo/internal/webd"
	"locus/demo/internal/z3950d"
)

// A server describes a server for one scheme.
type server struct {
	scheme string
	port   uint16 // usual port
	title  string // of links to it

	// One of these is set: serve for TCP, packets for UDP.
	serve   func(ctx context.Context, l net.Listener, r setup) error
	packets func(ctx context.Context, c net.PacketConn, r setup) error
}

// A setup has the settings of a server.
type setup struct {
	files  fs.FS
	index  *library.Index
	listen func(network, address string) (net.Listener, error)
	log    serve.Log
	faults Faults
	links  []serve.Link // to the other servers
}

// servers returns the servers of the demo, in the order in which Start starts them.
func servers() []server {
	return []server{
		{"http", 17380, "The library on the web", serveHTTP, nil},
		{"ftp", 17021, "The library by FTP", serveFTP, nil},
		{"gopher", 17070, "The library in gopherspace", serveGopher, nil},
		{"news", 17119, "The library as news", serveNews, nil},
		{"wais", 17210, "The library by WAIS", serveWAIS, nil},
		{"z39.50s", 17211, "The library by Z39.50", serveZ3950, nil},
		{"nfs", 17049, "The library by NFS", serveNFS, nil},
		{"sftp", 17022, "The library by SFTP", serveSFTP, nil},
		{"gemini", 17965, "The library by Gemini", serveGemini, nil},
		{"prospero", 17525, "The library by Prospero", nil, serveProspero},
		{"finger", 17079, "The users of the library", serveFinger, nil},
		{"dict", 17628, "The library as a dictionary", serveDict, nil},
		{"cso", 17105, "The phone book of the library", serveCSO, nil},
		{"imap", 17143, "The mail of the library", serveIMAP, nil},
		{"tn3270", 17270, "A host for 3270 displays", serveTN3270, nil},
		{"telnet", 17023, "The library at a terminal", serveTelnet, nil},
		{"rlogin", 17513, "The library at a terminal, by rlogin", serveRlogin, nil},
	}
}

// login returns the login in the URLs of the server, with "@"; "" for a server that needs none. For sftp it has the
// fingerprint of the server's key, because the user's known hosts do not have it.
func (s server) login() string {
	if s.scheme == "sftp" {
		return "reader;fingerprint=" + sftpd.Fingerprint() + "@"
	}
	return ""
}

func serveHTTP(ctx context.Context, l net.Listener, r setup) error {
	s := &webd.Server{Files: r.files, Index: r.index, Links: r.links, Log: r.log}
	return s.Serve(ctx, l)
}

func serveFTP(ctx context.Context, l net.Listener, r setup) error {
	s := &ftpd.Server{Files: r.files, Listen: r.listen, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveGopher(ctx context.Context, l net.Listener, r setup) error {
	s := &gopherd.Server{Files: r.files, Index: r.index, Links: r.links, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveNews(ctx context.Context, l net.Listener, r setup) error {
	s, err := nntpd.NewServer(r.files, r.log)
	if err != nil {
		return err
	}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveWAIS(ctx context.Context, l net.Listener, r setup) error {
	const about = "The little library of locus: texts about URLs and the protocols that they name.\n"
	d, err := waisd.NewDatabase("library", about, r.files)
	if err != nil {
		return err
	}
	s := &waisd.Server{Databases: []*waisd.Database{d, waisd.Info([]*waisd.Database{d})}, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveZ3950(ctx context.Context, l net.Listener, r setup) error {
	d, err := z3950d.NewDatabase("library", "The little library of locus, as a library catalogue.", r.files)
	if err != nil {
		return err
	}
	s := &z3950d.Server{Databases: []*z3950d.Database{d}, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveNFS(ctx context.Context, l net.Listener, r setup) error {
	s := &nfsd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveSFTP(ctx context.Context, l net.Listener, r setup) error {
	s := &sftpd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveGemini(ctx context.Context, l net.Listener, r setup) error {
	s := &geminid.Server{Files: r.files, Index: r.index, Links: r.links, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveFinger(ctx context.Context, l net.Listener, r setup) error {
	s := &fingerd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveDict(ctx context.Context, l net.Listener, r setup) error {
	s := &dictd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveCSO(ctx context.Context, l net.Listener, r setup) error {
	s := &csod.Server{Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveIMAP(ctx context.Context, l net.Listener, r setup) error {
	s := &imapd.Server{Mailboxes: []imapd.Mailbox{{Name: "INBOX", Messages: messages(r.files)}}, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveTN3270(ctx context.Context, l net.Listener, r setup) error {
	s := &tn3270d.Server{Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveProspero(ctx context.Context, c net.PacketConn, r setup) error {
	s := &prosperod.Server{Files: r.files, Links: r.links, Log: r.log, Forwards: map[string]string{}, SwapID: r.faults.SwapID}
	if _, err := fs.Stat(r.files, "texts/prospero.txt"); err == nil {
		s.Forwards["/virtual-systems.txt"] = "/texts/prospero.txt" // its former name
	}
	return s.Serve(ctx, c)
}

func serveTelnet(ctx context.Context, l net.Listener, r setup) error {
	s := &telnetd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.Serve)
}

func serveRlogin(ctx context.Context, l net.Listener, r setup) error {
	s := &telnetd.Server{Files: r.files, Log: r.log}
	return serve.Run(ctx, l, serve.Connections, s.ServeRlogin)
}
