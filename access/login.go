package access

import (
	"context"
	"fmt"

	"locus/url"
)

// A Challenge says which server wants a login.
type Challenge struct {
	// URL is the URL of the request.
	URL url.URL

	// Host is the server, without its port: "ftp.example.org".
	Host string

	// User is the user in the URL, decoded; "" if it has none.
	User string

	// Optional says that the request also works without a login. Then do not
	// prompt a person; the zero Credentials are no error.
	Optional bool
}

// Prompt returns a question for the user: `password for "ada" at ftp.example.org`.
func (c Challenge) Prompt() string {
	if c.User == "" {
		return "password at " + c.Host
	}
	return fmt.Sprintf("password for %q at %s", c.User, c.Host)
}

// Credentials are a user and a password, decoded. They are secret: no URL and no error
// has them.
type Credentials struct {
	User     string // "": the User of the Challenge
	Password string // may be ""
}

// Credentials calls Login, and fills in the User of c. If Login is nil, the error is
// [ErrPassword] unless c is Optional.
func (req *Request) Credentials(ctx context.Context, c Challenge) (Credentials, error) {
	if req.Login == nil {
		if c.Optional {
			return Credentials{}, nil
		}
		return Credentials{}, ErrPassword
	}
	answer, err := req.Login(ctx, c)
	if err != nil {
		return Credentials{}, err
	}
	if answer.User == "" {
		answer.User = c.User
	}
	return answer, nil
}
