package cli

import "testing"

// req: 1738-3.2-6
func TestAnonymousPassword(t *testing.T) {
	for _, want := range []string{"", "ada@example.org"} {
		e := NewEnv(nil, nil, nil)
		e.LookupEnv = func(name string) (string, bool) { return want, name == "EMAIL" }
		if client, err := e.ftpClient(Protocols{}); err != nil || client.Email != want {
			t.Errorf("with EMAIL=%q, Client.Email = %q, %v", want, client.Email, err)
		}
	}
}
