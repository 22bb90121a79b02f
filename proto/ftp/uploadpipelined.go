package ftp

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"locus/proto/internal/wire"
)

// pipelinesUpload reports whether uploadPipelined may upload a file of that name: a small one from its start,
// unencrypted, with a name that the server keeps. The size must be known, because the query for it is sent before the
// replies. An account excludes it, because a server that asks for the account needs a second STOR. A nil Pool excludes
// it, because only a Pool remembers the servers that answer out of order.
func (b *boundConn) pipelinesUpload(name string) bool {
	return b.pipelines && b.client.Pool != nil && b.client.Listen == nil && b.client.Account == "" && !b.conn.IsTLS() &&
		b.currentType == "I" && b.req.Offset == 0 && b.req.Size >= 0 && b.req.Size <= smallFile &&
		quirksOf(name)&^b.keptQuirks == 0
}

// uploadPipelined sends a transfer command, body, and the queries after without waiting for a reply, and then reads all
// replies. It also sends the EPSV of the next transfer. It reads body into b.content before it sends the command, so
// that a body that fails does not leave a part of a file.
func (b *boundConn) uploadPipelined(command string, body io.Reader, after []query) (uploadResult, error) {
	content := bytes.NewBuffer(make([]byte, 0, b.req.Size+bytes.MinRead))
	if _, err := content.ReadFrom(body); err != nil {
		return uploadResult{bodyFailed: true}, b.cause(err)
	}
	b.content = content.Bytes()
	data, err := b.dialPassive()
	if err != nil {
		return uploadResult{}, err
	}
	defer data.Close()
	b.transferCount++
	if b.sendsEPSVEarly() {
		after = slices.Insert(after, 0, query{"EPSV", b.keepPort}) // before RNFR, because RNTO must follow RNFR
	}
	if err := b.send(append([]string{command}, commandsOf(after)...)...); err != nil {
		return uploadResult{}, err
	}
	b.queued = after
	up, err := b.sendContent(data)
	if !b.broken {
		err = cmp.Or(err, b.readQueued())
	}
	return up, b.cause(err)
}

// sendContent sends b.content over data, closes data, and reads the replies to the transfer command, which was sent
// before.
func (b *boundConn) sendContent(data *wire.Conn) (up uploadResult, err error) {
	up.started = true
	sent, sending := data.Write(b.content)
	if up.bytesSent = int64(sent); sending == nil {
		sending = data.Close()
	}
	if up.first, err = b.read(); err != nil {
		return up, err
	}
	switch up.first.Code / 100 {
	case 1:
		up.last, err = b.uploadReply(sending)
	case 4, 5:
		up.started, err = false, b.refusal(up.first)
	default:
		err = b.outOfOrder(up.first)
	}
	return up, err
}
