package prospero

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"locus/access"
)

// The number of forwards is limited, whether they form a loop or not. Dial sees
// every target. LOCALHOST is the server that replied.
func TestForwardsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const last = 2100
		replies := map[string]string{
			"192.0.2.2:2000": "FORWARDED INTERNET-D LOCALHOST(2001) ASCII x 0\n",
			"192.0.2.2:2001": "FORWARDED INTERNET-D LOCALHOST(2000) ASCII x 0\n",
			"192.0.2.3:2000": "FORWARDED INTERNET-D LOCALHOST ASCII y 0\n",
		}
		for port := 2000; port < last; port++ {
			replies[fmt.Sprintf("192.0.2.1:%d", port)] = fmt.Sprintf("FORWARDED INTERNET-D LOCALHOST(%d) ASCII x 0\n", port+1)
		}
		replies[fmt.Sprintf("192.0.2.1:%d", last)] = "LINK L FILE one INTERNET-D h ASCII x 0\n"
		for _, test := range []struct {
			from    string
			dialled int
			want    error
		}{
			{fmt.Sprintf("192.0.2.1:%d", last-1), 2, nil},
			{"192.0.2.1:2000", 11, access.ErrRedirect},
			{"192.0.2.2:2000", 2, access.ErrRedirect},
			{"192.0.2.3:2000", 2, access.ErrRedirect},
		} {
			c, dialled := serving(replies)
			o := access.Follow{Engine: access.Table{"prospero": c}}
			_, err := o.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://"+test.from+"/x")})
			if !errors.Is(err, test.want) || len(*dialled) != test.dialled {
				t.Errorf("from %s: %v via %v, want %v and %d servers", test.from, err, *dialled, test.want, test.dialled)
			}
			for _, address := range *dialled {
				if host, _, _ := strings.Cut(test.from, ":"); !strings.HasPrefix(address, host+":") {
					t.Errorf("from %s the request is sent to %s", test.from, address)
				}
			}
		}
	})
}

// The first supported access method of an object is used, with the engine of the
// same table. A local file is never opened.
func TestFollowsMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(req.URL.String()))}, nil
		})
		for _, test := range []struct{ methods, want string }{
			{"AFTP INTERNET-D LOCALHOST ASCII '/pub/x' BINARY", "ftp://192.0.2.1/pub/x;type=i"},
			{"GOPHER INTERNET-D g.example(70) ASCII 0/x", "gopher://g.example/00/x"},
			{"HTTP INTERNET-D w.example ASCII '/x'", "http://w.example/x"},
			{"WAIS INTERNET-D '' ASCII 'WAIS-GW/w.example(210)/TEXT/db/1'", "wais://w.example/db/TEXT/1"},
			{"LOCAL '' '' '' ''\nNFS '' '' '' '' x\nHTTP INTERNET-D w.example ASCII '/x'", "http://w.example/x"},
			{"LOCAL INTERNET-D LOCALHOST ASCII '/etc/passwd'", "no supported access method: it has LOCAL"},
			{"TELNET INTERNET-D t.example ASCII '' guest", "redirect refused"},
		} {
			reply := "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE " +
				strings.ReplaceAll(test.methods, "\n", "\nATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE ") + "\nFAILURE NOT-A-DIRECTORY\n"
			c, _ := serving(map[string]string{"192.0.2.1:1525": reply})
			o := access.Follow{Engine: access.Table{
				"prospero": c, "ftp": opened, "gopher": opened, "http": opened, "wais": opened, "file": opened, "telnet": opened,
			}}
			var got string
			r, err := o.Do(t.Context(), &access.Request{URL: parseURL(t, "prospero://192.0.2.1/x")})
			if err != nil {
				got = err.Error()
			} else {
				text, _ := io.ReadAll(r.Body)
				got = string(text)
			}
			if !strings.Contains(got, test.want) || err == nil && got != test.want {
				t.Errorf("%s: opened %q, want %q", test.methods, got, test.want)
			}
		}
	})
}
