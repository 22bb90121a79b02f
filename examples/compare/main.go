// Compare shows where a URL leads by each parser, and exits with 1 if they disagree:
//
//	go run ./examples/compare 'http://good.example\@evil.example/'
//
// A program that checks a URL with one parser, and opens it with another, can be led to
// a host that it did not check.
package main

import (
	"fmt"
	"log"
	"os"

	"locus/compare"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: compare URL")
	}
	c := compare.Read(os.Args[1])
	for _, r := range c.Readings {
		fmt.Printf("%-15s %v\n", r.Parser, r.Origin)
	}
	origin, agree := c.Agree()
	if !agree {
		fmt.Println("do not open it: parsers disagree")
		os.Exit(1)
	}
	fmt.Println("all lead to", origin)
}
