package check

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"

	"locus/access"
	"locus/check/site"
	"locus/internal/facts"
	"locus/url"
)

// A Class is a kind of reason of a [Result]. The constants are the complete list.
type Class string

const (
	ClassNone       Class = ""           // the link is good
	ClassDNS        Class = "dns"        // the host name has no address, or cannot be looked up
	ClassConnection Class = "connection" // the server refuses the connection, or breaks it off
	ClassTimeout    Class = "timeout"    // the server does not answer in time
	ClassTLS        Class = "tls"        // no secure connection could be made, for example because a certificate has expired
	ClassProtocol   Class = "protocol"   // the server breaks its protocol
	ClassStatus     Class = "status"     // the server's reply refuses the request, see Result.Code
	ClassRedirect   Class = "redirect"   // the redirects have no end, or are not followed
	ClassPage       Class = "page"       // the page exists, and says that it is not the page that was asked for
	ClassAnchor     Class = "anchor"     // the page does not have the fragment, at least in the part that was read
	ClassSyntax     Class = "syntax"     // the link is not a URL
	ClassFile       Class = "file"       // the file does not exist, or cannot be read
	ClassScheme     Class = "scheme"     // no engine opens the scheme, or its server is not configured
	ClassRobots     Class = "robots"     // robots.txt disallows the page, or cannot be fetched
	ClassPolicy     Class = "policy"     // the policy of the run excludes or refuses the link
	ClassLimit      Class = "limit"      // the link is larger than a limit of this package
	ClassOther      Class = "other"      // any other reason, see Result.Reason
)

// classOf returns the class of err, an error from a visit to a URL with the given scheme. It never returns ClassNone.
func classOf(scheme string, err error) Class {
	if unchecked, ok := errors.AsType[*uncheckedError](err); ok {
		return unchecked.class
	}
	if uncertain, ok := errors.AsType[*site.UncertainError](err); ok {
		if uncertain.IsRedirect {
			return ClassRedirect
		}
		return ClassFile
	}
	if failed, ok := errors.AsType[*failure](err); ok {
		return failed.class
	}
	e, _ := errors.AsType[*access.Error](err)
	isReply := e != nil && e.Reply != nil
	switch {
	case errors.Is(err, access.ErrNoScheme):
		return ClassScheme
	case errors.Is(err, access.ErrProtocol), errors.Is(err, access.ErrTooLong):
		return ClassProtocol
	case isReply:
		return ClassStatus
	case errors.Is(err, access.ErrRedirect):
		return ClassRedirect
	case isSyntax(err):
		return ClassSyntax
	case facts.Of(scheme).Has(facts.LocalPath) && isFileError(err):
		return ClassFile
	case errors.Is(err, errors.ErrUnsupported):
		return ClassScheme
	case errors.Is(err, fs.ErrPermission):
		return ClassPolicy
	}
	return networkClass(err)
}

// isSyntax reports whether err says that a text is not a URL.
func isSyntax(err error) bool {
	_, ok := errors.AsType[*url.SyntaxError](err)
	return ok
}

// isFileError reports whether err is about a file that is missing or cannot be read.
func isFileError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// networkClass returns the class of an error of the network, or ClassOther for any other error.
func networkClass(err error) Class {
	_, isLookup := errors.AsType[*net.DNSError](err)
	_, isSilent := errors.AsType[*silentError](err)
	_, isNetwork := errors.AsType[*net.OpError](err)
	late, isLate := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	switch {
	case isLookup:
		return ClassDNS
	case isSilent, isLate && late.Timeout():
		return ClassTimeout
	case isTLS(err):
		return ClassTLS
	case isNetwork, errors.Is(err, io.ErrUnexpectedEOF):
		return ClassConnection
	}
	return ClassOther
}

// isTLS reports whether err is an error of a TLS handshake.
//
// QUIRK: crypto/tls has no types for most of its errors, but their texts begin with "tls:".
func isTLS(err error) bool {
	_, isAlert := errors.AsType[tls.AlertError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, isHeader := errors.AsType[tls.RecordHeaderError](err)
	return isAlert || isCertificate || isHeader || strings.Contains(err.Error(), "tls: ")
}
