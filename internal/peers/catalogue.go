package peers

import "testing"

// YazMarcdump runs yaz-marcdump, which converts records of library catalogues, as Curl
// runs curl. Records are read from a file in args.
func YazMarcdump(t testing.TB, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "yaz", "usr/bin/yaz-marcdump", "", nil, args)
}
