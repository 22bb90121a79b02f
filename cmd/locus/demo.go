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

	"github.com/urfave/cli/v3"

	"locus/demo"
)

func (p *process) demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "serve a little library on this machine, to try locus on",
		UsageText: "locus demo [--listen HOST] [--port SCHEME=PORT…] [--log]",
		Description: "It says what there is to try, and serves until it is interrupted. A scheme is\n" +
			"served on the port that --port gives it (0 is any that is free), else on its\n" +
			"usual one of: " + usualPorts() + "; or on any if that is taken.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1", Usage: "listen on this `HOST` address"},
			&cli.StringSliceFlag{Name: "port", Usage: "serve a scheme on a port: `SCHEME=PORT`; repeatable"},
			&cli.BoolFlag{Name: "log", Usage: "write what the servers are asked to stderr"},
		},
		Metadata: example("locus demo --port http=8080"),
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
	config := demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Host: c.String("listen"), Ports: ports, Usual: true}
	if c.Bool("log") {
		config.Log = func(scheme, line string) { p.say(scheme + ": " + line) }
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	if config.Mail, err = os.MkdirTemp("", "locus-demo-"); err != nil {
		return err
	}
	defer os.RemoveAll(config.Mail)
	d, err := demo.Start(ctx, config)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := errors.Join(d.Help(p.out), p.out.Flush()); err != nil {
		return err
	}
	if err := d.Wait(); ctx.Err() == nil {
		return err
	}
	return nil
}

func parsePorts(texts []string) (map[string]uint16, error) {
	ports := make(map[string]uint16)
	for _, text := range texts {
		scheme, port, ok := strings.Cut(text, "=")
		if !ok || !slices.Contains(demo.Schemes(), scheme) {
			return nil, misuse("--port wants SCHEME=PORT with a scheme of %s, not %q", strings.Join(demo.Schemes(), ", "), text)
		}
		n, err := parseNumber("port", port, math.MaxUint16)
		if err != nil {
			return nil, err
		}
		ports[scheme] = uint16(n)
	}
	return ports, nil
}
