package gateway

import (
	"context"
	"net/http"

	"locus/access"
)

// passwordOf gives the password that the browser sent for a URL whose user must
// have one. A browser sends it to the paths below the one that it was asked at,
// which are URLs of the same user at the same host.
func passwordOf(r *http.Request) func(context.Context, string) (string, error) {
	_, password, ok := r.BasicAuth()
	return func(context.Context, string) (string, error) {
		if !ok {
			return "", access.ErrPassword
		}
		return password, nil
	}
}
