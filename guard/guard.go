// Package guard decides which ports and addresses may be dialed.
//
// [Ports] is meant for every program: a URL from somebody else must not make one protocol talk to the servers of
// another (RFC 1738 §6). [Public] is meant for programs that open URLs for strangers: it dials public addresses only.
// [Own] refuses the addresses of the program itself.
//
// A refused port is a [*PortError], and a private or otherwise special address an [*AddressError]. Both wrap
// fs.ErrPermission, and the error of an address that is not public wraps access.ErrNotPublic, too.
//
// The package has its own table of public addresses, which a test compares with the IANA registries. The table of
// code.dny.dev/ssrf cannot be used instead, because it works in net.Dialer.Control and a program that receives a dial
// function has no net.Dialer.
//
// Notable divergences:
//   - RFC 1738 §6 recommends care with every port below 1024 that is not the
//     scheme's own. Ports refuses ports that are known to belong to another
//     protocol, in any range. It allows the rest.
package guard

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

	"locus/access"
	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// Ports is an Engine that refuses URLs whose port is known to belong to another protocol (RFC 1738 §6), because
// "gopher://h:25/0HELO" would send mail. The default ports of the scheme's own protocol, with TLS and without, are
// always allowed. So are ports without a known protocol.
//
// A file URL is allowed, because the engine for files refuses a port itself.
//
// Ports must be inside access.Follow, because otherwise redirects bypass it. It does not use the network. Several
// goroutines may use it at once.
type Ports struct {
	Engine access.Engine // executes allowed requests; nil refuses all requests
	Allow  []uint16      // ports that are allowed for every scheme

	// Schemes has the facts about the schemes that a program adds. The default ports of these schemes are allowed for
	// their URLs. Nil adds no schemes.
	Schemes access.Schemes
}

// Do passes req to Engine. If the port is refused, it returns an [*access.Error] that wraps a [*PortError].
func (p Ports) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if err := p.check(req.Op, req.URL); err != nil {
		return nil, err
	}
	if p.Engine == nil {
		return access.Table(nil).Do(ctx, req)
	}
	return p.Engine.Do(ctx, req)
}

// Check returns the error with which Do would refuse a request for u because of its port, or nil. It is meant for
// callers that open URLs by other means.
func (p Ports) Check(u url.URL) error { return p.check(access.Get, u) }

// check returns an [*access.Error] for op if the port of u is known to belong to another protocol. It returns nil if u
// has no port, if Allow has the port, and for every URL of a local file.
func (p Ports) check(op access.Op, u url.URL) error {
	text, _ := u.Port()
	port, ok := ascii.Port(text)
	isLocal := facts.Of(u.Scheme()).Has(facts.EmptyHost) // such a URL does not name a server
	if !ok || isLocal || slices.Contains(p.Allow, port) {
		return nil
	}
	protocol := protocolAt(port)
	if protocol == "" || p.isOwnPort(u.Scheme(), port) {
		return nil
	}
	return &access.Error{
		Op: op.String(), URL: u,
		Err:    &PortError{Port: port, Protocol: protocol},
		Remedy: access.AllowPort{Port: port},
	}
}

// isOwnPort reports whether port is the default port of the scheme or of a scheme with the same protocol, such as nntp
// and nntps for news, or http and https for http.
func (p Ports) isOwnPort(scheme string, port uint16) bool {
	own := p.Schemes.Of(scheme)
	if own.Port == port {
		return true
	}
	for s := range facts.All() {
		if s.Port == port && s.Protocol == own.Protocol && own.Protocol != "" {
			return true
		}
	}
	return false
}

// A PortError says that a port belongs to a protocol that is not the URL's. It wraps fs.ErrPermission.
type PortError struct {
	Port     uint16
	Protocol string // the usual protocol of the port: "smtp", "ssh"
}

// Error returns "port 25 belongs to another protocol (smtp)".
func (e *PortError) Error() string {
	return fmt.Sprintf("port %d belongs to another protocol (%s)", e.Port, e.Protocol)
}

// Unwrap returns fs.ErrPermission.
func (e *PortError) Unwrap() error { return fs.ErrPermission }

// wellKnown has the protocols of well-known ports, except for the default ports of schemes, which are in package
// facts. These are the ports that browsers refuse (WHATWG Fetch, "bad port"), and the ports of databases, queues,
// metrics and displays that accept lines of text from any client.
var wellKnown = map[uint16]string{
	1: "tcpmux", 7: "echo", 9: "discard", 11: "systat", 13: "daytime", 15: "netstat", 17: "qotd", 19: "chargen",
	20: "ftp-data", 37: "time", 42: "name", 43: "whois",
	53: "domain", 69: "tftp", 77: "rje", 79: "finger", 87: "link", 95: "supdup",
	101: "hostname", 102: "iso-tsap", 103: "gppitnp", 104: "acr-nema", 109: "pop2", 111: "sunrpc",
	113: "auth", 115: "sftp", 117: "uucp-path", 123: "ntp", 135: "epmap", 137: "netbios-ns",
	139: "netbios-ssn", 161: "snmp", 179: "bgp", 194: "irc",
	427: "svrloc", 445: "smb", 512: "exec", 514: "shell",
	515: "printer", 526: "tempo", 530: "courier", 531: "chat", 532: "netnews", 540: "uucp", 548: "afp",
	554: "rtsp", 556: "remotefs", 587: "submission", 601: "syslog-conn",
	873: "rsync", 989: "ftps-data",
	1433: "ms-sql", 1521: "oracle", 1719: "h323gatestat", 1720: "h323hostcall", 1723: "pptp",
	2003: "graphite", 2004: "graphite", 2023: "graphite", 2024: "graphite",
	2181: "zookeeper", 2375: "docker", 2376: "docker", 2379: "etcd", 2380: "etcd", 2947: "gpsd", 3306: "mysql", 3389: "rdp", 3659: "apple-sasl", 4045: "npp", 4190: "sieve", 4222: "nats",
	4369: "epmd", 4730: "gearman", 5038: "asterisk", 5060: "sip", 5061: "sips", 5432: "postgresql",
	5672: "amqp", 5900: "vnc", 6000: "x11", 6001: "x11", 6002: "x11", 6003: "x11",
	6379: "redis", 6380: "redis", 6566: "sane-port", 6665: "irc", 6666: "irc", 6667: "irc", 6668: "irc", 6669: "irc",
	6600: "mpd", 6679: "irc", 6697: "ircs", 8125: "statsd", 8126: "statsd", 9042: "cassandra", 9092: "kafka",
	9100: "printer", 9200: "elasticsearch", 9300: "elasticsearch", 9418: "git", 10050: "zabbix",
	10051: "zabbix", 10080: "amanda", 11211: "memcached", 11300: "beanstalkd", 26379: "redis",
	27017: "mongodb", 27018: "mongodb", 28015: "rethinkdb", 50000: "db2", 61613: "stomp",
}

// protocolAt returns the name of the protocol that usually has a port, such as "smtp" for 25, or "" if the port is
// unknown.
func protocolAt(port uint16) string {
	if s := facts.AtPort(port); s != nil {
		return s.Name
	}
	return wellKnown[port]
}
