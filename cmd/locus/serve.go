package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"locus/gateway"
)

func (p *process) serveCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "give every URL to web browsers",
		UsageText: "locus serve [--listen HOST:PORT] [--allow-port N…]",
		Description: "It serves until it is interrupted. A browser finds a URL behind the gateway's\n" +
			"own address: http://127.0.0.1:1738/gopher://gopher.example.org/",
		Flags: openFlags(
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:1738", Usage: "listen on this `ADDRESS`"},
		),
		Metadata: example("locus serve --listen 127.0.0.1:8017"),
		Action:   p.serve,
	}
}

func (p *process) serve(ctx context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	o, err := opener(c)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.String("listen"))
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	server := &http.Server{
		Handler:           &gateway.Gateway{Opener: o, Timeout: c.Duration("timeout")},
		ReadHeaderTimeout: 10 * time.Second,
	}
	p.say(fmt.Sprintf("the gateway is at http://%s/", listener.Addr()))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(server.Shutdown(ctx), <-failed)
}
