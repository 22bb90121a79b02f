// Package demo implements the verb demo: serve a small library in every scheme, to try locus
// with.
package demo

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"locus"
	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/serve"
	"locus/demo"
	"locus/gateway"
	"locus/guard"
	"locus/internal/render"
	"locus/proto/ftp"
	"locus/server"
)

// Options are the flags of demo.
type Options struct {
	Listen  string   `flag:"listen"`
	Servers string   `flag:"servers"`
	Ports   []string `flag:"port"`
	List    bool     `flag:"list"`
	Log     string   `flag:"log"`
	Faults  string   `flag:"faults"`
	Given   cli.Given
}

// Verb returns the verb demo.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "demo",
		Summary:  "serve a small library in every scheme, to try locus with",
		Synopsis: "locus demo [FLAG…]",
		Description: "Run small servers and a gateway on this machine, without a network, until\n" +
			"interrupted. The output says which page to open first. With --list it also names every\n" +
			"server, and commands to try in another terminal.\n\n" +
			"Only this machine can reach the gateway. Each scheme has the port that --port sets\n" +
			"(0: any free port), or any free port if its usual one is taken.\n\n" +
			"With --faults the servers behave like servers on a bad network. LIST has some of these,\n" +
			"with commas between them: loss=0.2 loses every fifth datagram, reorder=0.2 delays as many,\n" +
			"slow=200ms is a pause before each piece that a server sends, cut=3000000 closes each\n" +
			"TCP connection after so many bytes, and swap-id makes the prospero server swap the\n" +
			"bytes of a connection id when it sends a packet again, as old servers do.\n\n" +
			"The usual ports are\n",
		Details: func() string { return demo.UsualPorts() + "." },
		Usages: [][2]string{
			{"listen", "listen on `ADDRESS`, HOST:PORT on this machine (default 127.0.0.1:1738)"},
			{"log", "log to stderr as `FORMAT`: text, json or off (default off)"},
		},
		Examples: []string{"locus demo --list", "locus demo --listen 127.0.0.1:8017 --port http=8080", "locus demo --faults loss=0.2,slow=20ms"},
	})
}

// Run serves the demo and its gateway until the user interrupts it or ctx is done.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	ports, err := parsePorts(o.Ports)
	if err != nil {
		return err
	}
	faults, err := demo.ParseFaults(o.Faults)
	if err != nil {
		return cli.Misuse("--faults: %v", err)
	}
	if !o.Given["log"] { // the requests of one user would hide the output
		o.Log = "off"
	}
	log := serve.Logger(e, o.Log)
	config := demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Host: o.Servers, Ports: ports, Usual: true, Faults: faults}
	config.Log = func(scheme, line string) {
		log.Info("request", slog.String("scheme", scheme), slog.String("line", render.Clean(line)))
	}
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	l, err := o.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	if config.Mail, err = os.MkdirTemp("", "locus-demo-"); err != nil {
		return err
	}
	defer os.RemoveAll(config.Mail)
	if config.Texts, err = os.MkdirTemp("", "locus-demo-texts-"); err != nil {
		return err
	}
	defer os.RemoveAll(config.Texts)
	return o.run(ctx, e, config, l)
}

// run starts the servers of the demo, writes the help to stdout, and serves the gateway at l until
// ctx is done.
func (o Options) run(ctx context.Context, e *cli.Env, config demo.Config, l net.Listener) error {
	d, err := demo.Start(ctx, config)
	if err != nil {
		return err
	}
	defer d.Close()
	g, err := newGateway(e, d, config, l.Addr())
	if err != nil {
		return err
	}
	at := l.Addr().String()
	if o.List {
		err = d.List(e.Out, at)
	}
	if err := errors.Join(err, d.Help(e.Out, at), e.Out.Flush()); err != nil {
		return err
	}
	return d.Serve(ctx, l, g)
}

// listen returns the listener of the gateway, at --listen. If the address is the default and cannot
// be used, it takes any free port of loopback. An address that other machines can reach is a
// UsageError.
func (o Options) listen() (net.Listener, error) {
	l, err := serve.Listen("listen", o.Listen)
	if err != nil && !o.Given["listen"] {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if !server.IsLoopback(l.Addr()) {
		l.Close()
		return nil, &cli.UsageError{
			Text: "the demo's gateway must listen on this machine only, because it opens everything that you can open",
			Hint: "to open URLs for other machines, use locus serve --policy",
		}
	}
	return l, nil
}

// parsePorts parses texts, the values SCHEME=PORT of --port, and returns the ports by scheme. An
// unknown scheme and an invalid port are UsageErrors.
func parsePorts(texts []string) (map[string]uint16, error) {
	ports := make(map[string]uint16)
	for _, text := range texts {
		scheme, port, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(demo.Schemes(), scheme) {
			return nil, cli.Misuse("--port must be SCHEME=PORT, where SCHEME is one of %s, not %q", strings.Join(demo.Schemes(), ", "), text)
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, cli.Misuse("--port must be a number from 0 to %d, not %q", math.MaxUint16, port)
		}
		ports[scheme] = uint16(n)
	}
	return ports, nil
}

// newGateway returns the gateway of a demo, which listens at the address at. It opens the URLs of
// the demo's servers, and other URLs. Of the files of this machine, it opens only the files in
// config.Texts.
func newGateway(e *cli.Env, d *demo.Demo, config demo.Config, at net.Addr) (*gateway.Gateway, error) {
	root, err := os.OpenRoot(config.Texts) // stays open while the command runs
	if err != nil {
		return nil, err
	}
	own := &guard.Own{Listeners: []net.Addr{at}, Interfaces: net.InterfaceAddrs}
	client := &locus.Client{Dial: cli.DialChecked(0, own.Check), Interfaces: own.Interfaces, Root: root, NewsServer: d.Service("news").Addr, Retries: -1}
	client.Engines = func(dial locus.Dial) map[string]locus.Scheme {
		received := e.ReceivedMail(config.Mail)
		received.Dial = dial
		files := ftp.Client{Dial: dial, Pool: &ftp.Pool{}, Binary: true}
		return access.Table{"ftp": files, "ftps": files, "mid": received, "cid": received, "urn": d.Names()}.Schemes()
	}
	g, err := d.Gateway(client, client.DialContext)
	if err != nil {
		return nil, err
	}
	g.Via = cli.Pseudonym()
	return g, nil
}
