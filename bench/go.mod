module locus/bench

go 1.26.0

require (
	locus v0.0.0
	mvdan.cc/xurls/v2 v2.6.0
)

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace locus => ../
