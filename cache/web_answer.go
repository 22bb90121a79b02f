package cache

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"locus/internal/answer"
	"locus/url"
)

// respond answers the request with stored (RFC 9111 §4.3.2). body has all bytes of stored;
// if it is nil, respond opens the stored file. The caller closes the Body of the response,
// which closes body. If the response has no Body, or after an error, respond closes body
// itself. status is "hit" or another value of Cache-Status.
func (a *webRequest) respond(stored *metadata, body io.ReadCloser, status string) (*http.Response, error) {
	now := a.web.Cache.now()
	h := stored.Header.Clone()
	h.Set("Age", strconv.FormatInt(int64(a.web.Cache.age(stored)/time.Second), 10))
	if status == "hit" {
		status += "; ttl=" + strconv.FormatInt(int64(stored.Expires.Sub(now)/time.Second), 10)
	}
	a.web.tell(h, status)
	resp := &http.Response{StatusCode: stored.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Request: a.r, Body: http.NoBody}
	part := answer.Range{}
	if stored.Status == http.StatusOK {
		part = a.choose(resp, stored)
	}
	resp.Status = strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode)
	if resp.StatusCode == http.StatusNotModified || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return resp, closeIf(body)
	}
	length := stored.Length - part.Offset
	if part.Length > 0 {
		length = min(length, part.Length)
	}
	if stored.Status != http.StatusNoContent {
		h.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	resp.ContentLength = length
	if a.r.Method == http.MethodHead {
		return resp, closeIf(body)
	}
	if body == nil {
		data, err := a.web.Cache.Folder.body(stored, part.Offset)
		if err != nil {
			return nil, err
		}
		body = &contextBody{a.r.Context(), data}
	}
	resp.Body = body
	if length < stored.Length-part.Offset {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(body, length), body}
	}
	return resp, nil
}

// closeIf closes c and returns the error of Close. It returns nil if c is nil.
func closeIf(c io.Closer) error {
	if c == nil {
		return nil
	}
	return c.Close()
}

// choose evaluates the conditions and the range of the request. It returns the requested part; the
// zero Range stands for the whole resource. It sets the status to 206 for a part, to 304 if the
// resource is unchanged, and to 416 if the part begins after the last byte, and sets the fields of
// such a response. For 304 and 416 the caller must ignore the part, because the response has no
// body.
func (a *webRequest) choose(resp *http.Response, stored *metadata) answer.Range {
	asked := answer.Request(url.URL{}, a.r.Header)
	if answer.IsUnchanged(asked.IfChanged, stored.validator()) {
		resp.StatusCode = http.StatusNotModified
		resp.Header.Del("Content-Length")
		return answer.Range{}
	}
	resp.Header.Set("Accept-Ranges", "bytes")
	part := answer.Range{Offset: asked.Offset, Length: asked.Length}
	if part.Whole() || a.r.Method != http.MethodGet || !answer.IsSame(asked.IfMatch, stored.validator()) {
		return answer.Range{}
	}
	part = part.Of(stored.Length)
	size := strconv.FormatInt(stored.Length, 10)
	if part.Offset >= stored.Length {
		resp.StatusCode = http.StatusRequestedRangeNotSatisfiable
		resp.Header.Set("Content-Range", "bytes */"+size)
		resp.Header.Set("Content-Length", "0")
		return part
	}
	last := stored.Length - 1
	if part.Length > 0 {
		last = min(last, part.Offset+part.Length-1)
	}
	resp.StatusCode = http.StatusPartialContent
	resp.Header.Set("Content-Range", "bytes "+strconv.FormatInt(part.Offset, 10)+"-"+strconv.FormatInt(last, 10)+"/"+size)
	return part
}

// gatewayTimeout returns the response 504 for an only-if-cached request that the cache cannot
// answer (RFC 9111 §5.2.1.7).
func (a *webRequest) gatewayTimeout() *http.Response {
	h := http.Header{"Content-Length": {"0"}}
	a.web.tell(h, "fwd=request")
	return &http.Response{
		StatusCode: http.StatusGatewayTimeout, Status: "504 Gateway Timeout", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: http.NoBody, Request: a.r,
	}
}
