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

// A Class says of what kind the reason of a [Result] is. This is the whole list.
type Class string

const (
	ClassNone       Class = ""           // the link is good
	ClassDNS        Class = "dns"        // the host name has no address, or cannot be looked up
	ClassConnection Class = "connection" // the server refuses the connection, or breaks it off
	ClassTimeout    Class = "timeout"    // the server does not answer in time
	ClassTLS        Class = "tls"        // there is no secure connection, such as for an expired certificate
	ClassProtocol   Class = "protocol"   // the server breaks its protocol
	ClassStatus     Class = "status"     // the reply of the server refuses, see Result.Code
	ClassRedirect   Class = "redirect"   // the redirects lead nowhere, or are not followed
	ClassPage       Class = "page"       // the page is there, and says that it is not what was asked for
	ClassAnchor     Class = "anchor"     // the page does not have the fragment, or not in what was read
	ClassSyntax     Class = "syntax"     // the link is no URL
	ClassFile       Class = "file"       // the file does not exist, or cannot be read
	ClassScheme     Class = "scheme"     // nothing opens the scheme, or its server is not configured
	ClassRobots     Class = "robots"     // robots.txt
	ClassPolicy     Class = "policy"     // the policy of the run excludes or refuses it
	ClassLimit      Class = "limit"      // it is larger than a limit of this package
	ClassOther      Class = "other"      // something else, see Result.Reason
)

// Classes returns all classes except ClassNone.
func Classes() []Class {
	return []Class{
		ClassDNS, ClassConnection, ClassTimeout, ClassTLS, ClassProtocol, ClassStatus, ClassRedirect, ClassPage, ClassAnchor,
		ClassSyntax, ClassFile, ClassScheme, ClassRobots, ClassPolicy, ClassLimit, ClassOther,
	}
}

// classOf returns the class of the error of a visit to a URL of a scheme.
func classOf(scheme string, err error) Class {
	if unchecked, ok := errors.AsType[*errUnchecked](err); ok {
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

func isSyntax(err error) bool {
	_, ok := errors.AsType[*url.SyntaxError](err)
	return ok
}

func isFileError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// networkClass returns the class of an error of the network.
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

// isTLS reports whether err is about a handshake.
//
// QUIRK: crypto/tls has no types for most of its errors; their texts begin with "tls:".
func isTLS(err error) bool {
	_, isAlert := errors.AsType[tls.AlertError](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, isHeader := errors.AsType[tls.RecordHeaderError](err)
	return isAlert || isCertificate || isHeader || strings.Contains(err.Error(), "tls: ")
}
