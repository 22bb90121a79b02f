package serve

import (
	_ "embed"
	"fmt"
	"slices"

	"locus/cmd/locus/internal/cli"
	"locus/gateway"
	"locus/server"
)

// shippedPlaces are the places that the front page shows without --places.
//
//go:embed places.gmi
var shippedPlaces string

// addLinks sets the links on the front page of g: the links of --start, and the places of --places
// or the shipped ones. It leaves out places that p does not open. A gateway of an archive shows no
// shipped places, because the archive does not have them.
func (o Options) addLinks(e *cli.Env, g *gateway.Gateway, p server.Policy) error {
	var err error
	if o.Start != "" {
		if g.FrontLinks, err = readLinks(e, "start", o.Start); err != nil {
			return err
		}
	}
	if o.Places == "" && o.From != "" {
		return nil
	}
	if o.Places != "" {
		g.Places, err = readLinks(e, "places", o.Places)
	} else {
		g.Places, err = gateway.ParseFrontLinks(shippedPlaces)
	}
	g.Places = slices.DeleteFunc(g.Places, func(l gateway.FrontLink) bool {
		return !cli.CanOpen(l.URL.Scheme()) || !p.Opens(l.URL.Scheme())
	})
	return err
}

// readLinks reads the file of links that a flag names. A line that is not a link is a UsageError.
func readLinks(e *cli.Env, flag, name string) ([]gateway.FrontLink, error) {
	text, err := e.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	links, err := gateway.ParseFrontLinks(string(text))
	if err != nil {
		return nil, &cli.UsageError{
			Text: "--" + flag + ": " + name + ": " + err.Error(),
			Hint: "a link is a line such as => gopher://gopher.example.org/ A title",
		}
	}
	return links, nil
}
