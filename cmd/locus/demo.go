package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/demo"
)

func (p *process) demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "serve a little library in every scheme on this machine, and a gateway to it",
		UsageText: "locus demo [--listen HOST:PORT] [--servers HOST] [--port SCHEME=PORT…] [--log]",
		Description: "It says what to click and what to type, and serves until it is interrupted. It\n" +
			"needs no network. The gateway is for this machine alone. A scheme is served on\n" +
			"the port that --port gives it (0 is any that is free), else on its usual one of:\n" +
			usualPorts() + "; or on any if that is taken.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:1738", Usage: "the gateway listens on this `ADDRESS` of loopback"},
			&cli.StringFlag{Name: "servers", Value: "127.0.0.1", Usage: "the servers listen on this `HOST` address"},
			&cli.StringSliceFlag{Name: "port", Usage: "serve a scheme on a port: `SCHEME=PORT`; repeatable"},
			&cli.BoolFlag{Name: "log", Usage: "write what the servers are asked to stderr"},
		},
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
	if c.Bool("log") {
		config.Log = func(scheme, line string) { p.say(scheme + ": " + line) }
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

// runDemo serves what config says, and at l the gateway to it, until ctx is
// done.
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
	s := &serving{door: &door{gateway: g, log: discardSlog(), counts: newCounts(), patience: time.Minute}, drain: time.Second, say: func(string) {}}
	s.listen = []listening{{l, s.door}}
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

// listenForDemo listens for the gateway: on its usual port or, where nobody has
// asked for that, on any if it is taken.
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
