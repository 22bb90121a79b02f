package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/render"
	"locus/scheme"
)

func (p *process) schemesCommand() *cli.Command {
	return &cli.Command{
		Name:      "schemes",
		Usage:     "list the URL schemes that locus knows",
		UsageText: "locus schemes [--json]",
		Description: "For each scheme, show its default port, the scheme of its version over TLS, whether\n" +
			"locus opens its URLs, its kind, and the document that defines it.",
		Flags:    flags("json"),
		Metadata: example("locus schemes"),
		Action:   p.schemes,
	}
}

// schemeFacts is a scheme in JSON.
type schemeFacts struct {
	Name   string   `json:"name"`
	Port   *uint16  `json:"default_port"`
	Secure *string  `json:"secure"`
	Opens  bool     `json:"opens"`
	View   bool     `json:"view"`
	Flags  []string `json:"flags"`
	Spec   string   `json:"spec"`
}

func (p *process) schemes(_ context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	client := &locus.Client{Engines: (&engines{}).table}
	opens := client.Schemes()
	var all []schemeFacts
	for _, s := range scheme.All() {
		all = append(all, factsOf(s, slices.Contains(opens, s.Name) && s.Flags&scheme.Address == 0))
	}
	if !c.Bool("json") {
		return p.schemeTable(all)
	}
	enc := render.NewEncoder(p.out)
	for _, s := range all {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

func factsOf(s scheme.Scheme, opens bool) schemeFacts {
	facts := schemeFacts{
		Name: s.Name, Opens: opens, View: s.Parse != nil, Spec: s.Spec,
		Flags: strings.FieldsFunc(s.Flags.String(), func(r rune) bool { return r == ',' }),
	}
	if s.Port != 0 {
		facts.Port = &s.Port
	}
	if s.Secure != "" {
		facts.Secure = &s.Secure
	}
	return facts
}

func (p *process) schemeTable(all []schemeFacts) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SCHEME\tPORT\tTLS\tOPENS\tKIND\tDEFINED IN")
	for _, s := range all {
		port, secure, opens := "-", "-", "no"
		if s.Port != nil {
			port = fmt.Sprint(*s.Port)
		}
		if s.Secure != nil {
			secure = *s.Secure
		}
		if s.Opens {
			opens = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, port, secure, opens, strings.Join(s.Flags, ","), s.Spec)
	}
	return w.Flush()
}
