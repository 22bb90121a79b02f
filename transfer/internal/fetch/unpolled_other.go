//go:build !unix

package fetch

// unpolled is for Unix only.
const unpolled = 0
