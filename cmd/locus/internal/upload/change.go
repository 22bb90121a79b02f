package upload

import (
	"context"
	"errors"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/url"
)

// A Changer makes the same change at several URLs: it deletes each resource, or makes each folder.
type Changer struct {
	Op      access.Op
	IfMatch *string // the value of --if-match; nil: not given
	JSON    bool    // write each change as JSON
	cli.Access
}

// Run makes the change at each URL. It reports errors and continues with the next URL.
func (c Changer) Run(ctx context.Context, e *cli.Env, urls []string) error {
	client, err := e.Client(c.Access, urls)
	if err != nil {
		return err
	}
	report := reporter(e, c.JSON)
	return e.EachURL(ctx, urls, url.Parse, c.Timeout, func(ctx context.Context, u url.URL) error {
		ifMatch, err := condition(u, c.IfMatch)
		if err != nil {
			return err
		}
		_, err = client.Do(ctx, &access.Request{Op: c.Op, URL: u, Login: e.Login(), IfMatch: ifMatch})
		return report(change{Op: c.Op.String(), URL: u.Redacted()}, err)
	})
}

// condition returns the condition of --if-match for u: tag, which is nil without the flag, as an
// ETag. If tag is empty, or the scheme of u lacks entity tags, the error is a UsageError.
func condition(u url.URL, tag *string) (access.Validator, error) {
	if tag == nil {
		return access.Validator{}, nil
	}
	if *tag == "" { // perhaps the variable of a shell is not set
		return access.Validator{}, cli.Misuse("--if-match needs an ETag")
	}
	switch u.Scheme() {
	case "http", "https", "file", "nfs":
		return access.Validator{ETag: *tag}, nil
	}
	return access.Validator{}, cli.Misuse("--if-match works only for http, https, file and nfs URLs, because other schemes have no entity tags")
}

// A change is the line of --json about a file that was written, copied or deleted, or a folder that was made.
type change struct {
	Op    string  `json:"op"`
	From  any     `json:"from,omitempty"`
	URL   string  `json:"url"`
	Added string  `json:"added,omitempty"`
	Bytes *int64  `json:"bytes,omitempty"`
	Error *string `json:"error"`
}

// reporter returns a function that gets each change with its error, and returns that error. With json, the function
// also writes the change to stdout.
func reporter(e *cli.Env, json bool) func(change, error) error {
	if !json {
		return func(_ change, err error) error { return err }
	}
	enc := render.NewEncoder(e.Out)
	return func(done change, err error) error {
		if err != nil {
			done.Error = new(err.Error())
		}
		return errors.Join(err, enc.Encode(done))
	}
}
