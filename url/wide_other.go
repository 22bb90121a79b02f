//go:build !amd64 || purego

package url

// wide is false, so scan reads every text. The build tag purego has this effect on every processor.
const wide = false

func find(string, *masks) {}
