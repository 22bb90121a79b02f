//go:build !amd64 || purego

package url

// wide is false: texts are held to lanes, a word at a time. So it is, on every
// processor, in programs built with the tag purego.
const wide = false

func find(string, *masks) {}
