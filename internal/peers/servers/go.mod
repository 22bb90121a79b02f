module locus/internal/peers/servers

go 1.26.0

require (
	goftp.io/server/v2 v2.0.3
	golang.org/x/net v0.62.0
)
