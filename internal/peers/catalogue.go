package peers

import "testing"

// YazMarcdump runs yaz-marcdump, as Curl runs curl. yaz-marcdump converts records of library
// catalogues, which it reads from a file that args name.
func YazMarcdump(t testing.TB, args ...string) (stdout string, err error) {
	t.Helper()
	return client(t, "yaz", "usr/bin/yaz-marcdump", "", nil, args)
}
