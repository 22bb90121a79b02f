package main

import (
	"github.com/urfave/cli/v3"

	"locus/transfer"
	"locus/walk"
)

// newWalk returns the walker that the flags of c ask for.
func newWalk(c *cli.Command) (walk.Walker, error) {
	w := walk.Walker{Filter: filterOf(c), All: c.Bool("no-ignore")}
	if err := w.Filter.Check(); err != nil {
		return w, misuse("%v", err)
	}
	return w, nil
}

// filterOf returns the values of --include and --exclude.
func filterOf(c *cli.Command) transfer.Filter {
	return transfer.Filter{Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude")}
}
