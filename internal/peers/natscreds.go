package peers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nats-io/nkeys"
)

// NATSWithCredentials starts a nats-server with JetStream that accepts one user. The file creds has
// the credentials of the user: a token, which the account signed, and the key of the user.
func NATSWithCredentials(t testing.TB) (s *Server, creds string) {
	t.Helper()
	operator, system, account, user := natsKey(t, nkeys.CreateOperator), natsKey(t, nkeys.CreateAccount), natsKey(t, nkeys.CreateAccount), natsKey(t, nkeys.CreateUser)
	unlimited := map[string]any{
		"subs": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
		"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
	}
	dir := t.TempDir()
	config := fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %[2]s: %s, %s: %s }\n",
		natsToken(t, operator, operator, map[string]any{"type": "operator"}), natsName(t, system),
		natsToken(t, operator, system, map[string]any{"type": "account"}), natsName(t, account),
		natsToken(t, operator, account, map[string]any{"type": "account", "limits": unlimited}))
	write(t, dir, "nats.conf", config)
	seed, err := user.Seed()
	check(t, err)
	write(t, dir, "user.creds", fmt.Sprintf("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n",
		natsToken(t, account, user, map[string]any{"type": "user", "subs": -1, "payload": -1}), seed))
	return NATS(t, "-c", filepath.Join(dir, "nats.conf")), filepath.Join(dir, "user.creds")
}

// natsKey returns a new key that create makes.
func natsKey(t testing.TB, create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	t.Helper()
	key, err := create()
	check(t, err)
	return key
}

// natsName returns the public key of key, by which NATS names its owner.
func natsName(t testing.TB, key nkeys.KeyPair) string {
	t.Helper()
	name, err := key.PublicKey()
	check(t, err)
	return name
}

// natsToken returns the JSON Web Token (RFC 7519) with which issuer vouches for the claims of
// subject. It adds the version to claims.
func natsToken(t testing.TB, issuer, subject nkeys.KeyPair, claims map[string]any) string {
	t.Helper()
	claims["version"] = 2
	body, err := json.Marshal(map[string]any{
		"jti": natsName(t, subject), "iat": 1, "iss": natsName(t, issuer), "sub": natsName(t, subject), "name": "test", "nats": claims,
	})
	check(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"typ":"JWT","alg":"ed25519-nkey"}`)) + "." + encode(body)
	signature, err := issuer.Sign([]byte(text))
	check(t, err)
	return text + "." + encode(signature)
}
