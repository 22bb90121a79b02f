//go:build !unix

package fetch

// unpolled changes nothing here.
const unpolled = 0
