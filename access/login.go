package access

import (
	"context"
	"fmt"

	"locus/url"
)

// A Challenge says which server wants to know who the user is.
type Challenge struct {
	// URL is what is accessed.
	URL url.URL

	// Host is the server, without its port: "ftp.example.org".
	Host string

	// User is who logs in, decoded; "" if the URL names nobody.
	User string

	// Optional says that the access goes on without a login: then nobody should
	// be asked to type one, and the zero Credentials are no error.
	Optional bool
}

// Prompt is a question for the user: `password for "ada" at ftp.example.org`.
func (c Challenge) Prompt() string {
	if c.User == "" {
		return "password at " + c.Host
	}
	return fmt.Sprintf("password for %q at %s", c.User, c.Host)
}

// Credentials are a user and a password, decoded. They are secret: they stand in
// no URL and no error.
type Credentials struct {
	User     string // "" is the one of the Challenge
	Password string // may be ""
}

// Credentials calls Login, and returns the answer with a User if one is known. If
// Login is nil, the error is [ErrPassword] unless c is Optional.
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
