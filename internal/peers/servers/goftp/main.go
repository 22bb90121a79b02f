// Command goftp runs the FTP server of goftp.io/server for tests.
package main

import (
	"flag"
	"log"

	"goftp.io/server/v2"
	"goftp.io/server/v2/driver/file"
)

// main serves a folder by FTP, as the flags say, until it is killed.
func main() {
	port := flag.Int("port", 0, "listen at this port of 127.0.0.1")
	root := flag.String("root", "", "serve this `folder`, as \"/\"")
	user := flag.String("user", "", "the `name` that may log in")
	password := flag.String("password", "", "its password")
	cert := flag.String("cert", "", "offer AUTH TLS, with the certificate in this `file`")
	key := flag.String("key", "", "the `file` with its key")
	flag.Parse()
	log.Fatal(serve(&server.Options{
		Hostname: "127.0.0.1", Port: *port,
		Auth:   &server.SimpleAuth{Name: *user, Password: *password},
		Perm:   server.NewSimplePerm("user", "group"),
		Logger: new(server.DiscardLogger),
		TLS:    *cert != "", ExplicitFTPS: true,
		CertFile: *cert, KeyFile: *key,
	}, *root))
}

// serve serves the folder root with these options. It returns an error in any case.
func serve(options *server.Options, root string) (err error) {
	if options.Driver, err = file.NewDriver(root); err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	return s.ListenAndServe()
}
