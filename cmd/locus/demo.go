package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/demo"
	"locus/render"
)

func (p *process) demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "serve a small library in every scheme, to try locus with",
		UsageText: "locus demo [--listen HOST:PORT] [--servers HOST] [--port SCHEME=PORT…] [--log FORMAT]",
		Description: "Run small servers and a gateway on this machine, without a network, until\n" +
			"interrupted. The output says what to click and what to type.\n\n" +
			"Each scheme has the port that --port sets (0: any free port), or its usual port:\n" +
			usualPorts() + "; or any free port if that is taken. Only this machine can reach the gateway.",
		Flags:    flags("listen servers port log"),
		Metadata: example("locus demo --listen 127.0.0.1:8017 --port http=8080"),
		Action:   p.demo,
	}
}

func usualPorts() string {
	var ports []string
	for _, scheme := range demo.Schemes() {
		ports = append(ports, fmt.Sprintf("%s %d", scheme, demo.UsualPort(scheme)))
	}
	return strings.Join(ports, ", ")
}

func (p *process) demo(ctx context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	ports, err := parsePorts(c.StringSlice("port"))
	if err != nil {
		return err
	}
	config := demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Host: c.String("servers"), Ports: ports, Usual: true}
	log, err := p.logger(c)
	if err != nil {
		return err
	}
	config.Log = func(scheme, line string) {
		log.Info("request", slog.String("scheme", scheme), slog.String("line", render.Clean(line)))
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	l, err := listenForDemo(c)
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
	return p.runDemo(ctx, config, l)
}

// runDemo serves the demo, and its gateway at l, until ctx is done.
func (p *process) runDemo(ctx context.Context, config demo.Config, l net.Listener) error {
	d, err := demo.Start(ctx, config)
	if err != nil {
		return err
	}
	defer d.Close()
	g, err := p.demoGateway(d, config)
	if err != nil {
		return err
	}
	s := &serving{frontend: &frontend{gateway: g, log: discardSlog(), counts: newCounts(), maxStall: time.Minute}, drain: time.Second, say: func(string) {}}
	s.listen = []listening{{l, s.frontend}}
	if err := errors.Join(d.Help(p.out, l.Addr().String()), p.out.Flush()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		failed <- d.Wait()
	}()
	if err := s.run(ctx); err != nil && !errors.Is(err, errDrained) {
		return err
	}
	d.Close() // its error is that of Wait
	return <-failed
}

// listenForDemo listens for the gateway. If the default port is taken it uses any free
// port.
func listenForDemo(c *cli.Command) (net.Listener, error) {
	l, err := listenOn("listen", c.String("listen"))
	if err != nil && !c.IsSet("listen") {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	if !isLoopback(l.Addr()) {
		l.Close()
		return nil, &usageError{
			text: "the gateway of the demo is for this machine alone: it opens whatever you could",
			hint: "locus serve --policy says what a gateway opens for others",
		}
	}
	return l, nil
}

func parsePorts(texts []string) (map[string]uint16, error) {
	ports := make(map[string]uint16)
	for _, text := range texts {
		scheme, port, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(demo.Schemes(), scheme) {
			return nil, misuse("--port wants SCHEME=PORT with a scheme of %s, not %q", strings.Join(demo.Schemes(), ", "), text)
		}
		n, err := parseNumber("port", port, 0, math.MaxUint16)
		if err != nil {
			return nil, err
		}
		ports[scheme] = uint16(n)
	}
	return ports, nil
}
