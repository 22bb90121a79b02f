// Package schemes implements the verb schemes: list the URL schemes that locus knows.
package schemes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/scheme"
)

// Options are the flags of schemes.
type Options struct {
	JSON bool `flag:"json"`
}

// Verb returns the verb schemes.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "schemes",
		Summary:  "list the URL schemes that locus knows",
		Synopsis: "locus schemes [--json]",
		Description: "For each scheme, show its default port, the scheme of its version over TLS, whether\n" +
			"locus opens its URLs, its kind, and the document that defines it.",
		Examples: []string{"locus schemes"},
	})
}

// Run writes a line for each scheme that locus knows.
func Run(_ context.Context, e *cli.Env, o Options) error {
	opens := cli.Schemes()
	var all []schemeFacts
	for _, s := range scheme.All() {
		all = append(all, factsOf(s, slices.Contains(opens, s.Name) && s.Flags&(scheme.Address|scheme.Upload) == 0))
	}
	if !o.JSON {
		return writeTable(e, all)
	}
	enc := render.NewEncoder(e.Out)
	for _, s := range all {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	return nil
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

// factsOf converts a scheme to its form in JSON. opens says whether locus opens its URLs.
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

// writeTable writes a table with a line for each scheme.
func writeTable(e *cli.Env, all []schemeFacts) error {
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
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
