//go:build !unix

package transfer

// unpolled changes nothing here.
const unpolled = 0
