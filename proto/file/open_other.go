//go:build !unix

package file

// nonblock is for systems where opening a pipe stalls.
const nonblock = 0

// never are the octets that no name of a file has. A colon would name a drive
// or a stream; the names of devices are refused by os.Root.
const never = "/\\:\x00"
