package main

import (
	"context"
	"io"

	"locus/access"
	"locus/url"
)

// around is an Opener that asks, for each request, the Opener that it returns,
// with the request that it returns.
type around func(*access.Request) (access.Opener, *access.Request)

func (a around) Open(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o, asked := a(req)
	r, err := o.Open(ctx, asked)
	if err == nil && r.URL == asked.URL {
		r.URL = req.URL
	}
	return r, err
}

func (a around) Stat(ctx context.Context, req *access.Request) (access.Entry, error) {
	o, asked := a(req)
	e, err := access.Stat(ctx, o, asked)
	if e.URL == asked.URL {
		e.URL = req.URL
	}
	return e, err
}

func (a around) Store(ctx context.Context, req *access.Request, body io.Reader) error {
	o, req := a(req)
	return access.Store(ctx, o, req, body)
}

func (a around) Append(ctx context.Context, req *access.Request, body io.Reader) (url.URL, error) {
	o, req := a(req)
	return access.Append(ctx, o, req, body)
}

func (a around) Delete(ctx context.Context, req *access.Request) error {
	o, req := a(req)
	return access.Delete(ctx, o, req)
}

func (a around) MakeDir(ctx context.Context, req *access.Request) error {
	o, req := a(req)
	return access.MakeDir(ctx, o, req)
}

func (a around) Search(u url.URL, words string) (url.URL, bool) {
	o, _ := a(&access.Request{URL: u})
	return access.SearchURL(o, u, words)
}

func (a around) Cite(base url.URL, name string) (url.URL, bool) {
	o, _ := a(&access.Request{URL: base})
	return access.Cite(o, base, name)
}

func (a around) Remembers(req *access.Request) bool {
	o, req := a(req)
	return access.Remembers(o, req)
}

func (a around) Questions(ctx context.Context, req *access.Request) (*access.Questions, error) {
	o, req := a(req)
	return access.Ask(ctx, o, req)
}

func (a around) Answer(ctx context.Context, req *access.Request, answers []access.Answer) (*access.Resource, error) {
	o, asked := a(req)
	r, err := access.AnswerForm(ctx, o, asked, answers)
	if err == nil && r.URL == asked.URL {
		r.URL = req.URL
	}
	return r, err
}
