// Otel traces the requests of locus with OpenTelemetry. It starts a span for each request,
// and in it a span for each attempt, and prints the spans:
//
//	cd examples/otel && go run . gopher://gopher.floodgap.com/
package main

import (
	"context"
	"io"
	"log"
	"net"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"locus"
	"locus/access"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: otel URL")
	}
	exporter, err := stdouttrace.New(stdouttrace.WithPrettyPrint())
	if err != nil {
		log.Fatal(err)
	}
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext, Retries: 3, Trace: spans(provider.Tracer("locus"))}
	defer c.Close()

	r, err := c.Open(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		log.Fatal(err)
	}
}

// spans returns a Trace that starts a span for each request and each attempt, and ends it with the
// result. A hook finds its span in its context.
func spans(tracer trace.Tracer) *locus.Trace {
	start := func(ctx context.Context, i locus.TraceInfo) context.Context {
		ctx, _ = tracer.Start(ctx, i.Op.String()+" "+i.Scheme, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("url.full", i.URL.Redacted()),
			attribute.String("url.scheme", i.Scheme),
			attribute.String("server.address", i.Host),
		))
		if i.Attempt > 1 {
			trace.SpanFromContext(ctx).SetAttributes(attribute.Int("http.request.resend_count", i.Attempt-1))
		}
		return ctx
	}
	done := func(ctx context.Context, _ locus.TraceInfo, d locus.TraceDone) {
		span := trace.SpanFromContext(ctx)
		span.SetAttributes(attribute.Int64("locus.bytes", d.Bytes), attribute.Int("locus.entries", d.Entries))
		if d.Err != nil {
			span.RecordError(d.Err)
			span.SetStatus(codes.Error, d.Err.Error())
		}
		span.End()
	}
	return &locus.Trace{
		StartRequest: start, StartAttempt: start, AttemptDone: done, RequestDone: done,
		Connected: func(ctx context.Context, _ locus.TraceInfo, c access.Connection) {
			trace.SpanFromContext(ctx).AddEvent("connected", trace.WithAttributes(
				attribute.String("network.peer.address", c.Address), attribute.Bool("locus.reused", c.Reused),
			))
		},
	}
}
