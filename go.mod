module locus

go 1.26.0

require (
	github.com/coder/websocket v1.8.15
	github.com/rogpeppe/go-internal v1.16.0
	github.com/urfave/cli/v3 v3.14.0
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
)

require (
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.51.0 // indirect
)
