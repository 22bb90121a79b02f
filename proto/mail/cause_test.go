package mail_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

// received is a Source with one message for every id.
type received struct{}

func (received) Find(context.Context, mail.Query) (*mail.Message, error) {
	text := "Subject: x\r\n\r\n" + strings.Repeat("text\r\n", 10_000)
	return &mail.Message{Body: io.NopCloser(strings.NewReader(text)), Size: int64(len(text))}, nil
}

// An error of a message whose context is done wraps the cause of the context, such as a limit.
func TestCause(t *testing.T) {
	limit := errors.New("timed out after 5s")
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := mail.Client{Sources: []mail.Source{received{}}}.Do(ctx, &access.Request{URL: url.MustParse("mid:a@b")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cancel(limit)
	if _, err := io.Copy(io.Discard, r.Body); !errors.Is(err, limit) {
		t.Errorf("Read = %v, want %v", err, limit)
	}
	if _, err := r.List.Next(); !errors.Is(err, limit) {
		t.Errorf("Next = %v, want %v", err, limit)
	}
}
