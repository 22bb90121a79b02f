package guard

import "locus/internal/facts"

// wellKnown has the protocols of well-known ports. The default ports of schemes
// are in package facts instead. These are the ports that browsers refuse
// (WHATWG Fetch, "bad port"), and those of databases and displays that accept
// lines of text.
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
	2049: "nfs", 3306: "mysql", 3389: "rdp", 3659: "apple-sasl", 4045: "npp", 4190: "sieve", 5060: "sip",
	5061: "sips", 5432: "postgresql", 5900: "vnc", 6000: "x11", 6001: "x11", 6002: "x11", 6003: "x11",
	6379: "redis", 6566: "sane-port", 6665: "irc", 6666: "irc", 6667: "irc", 6668: "irc", 6669: "irc",
	6679: "irc", 6697: "ircs", 9100: "printer", 10080: "amanda", 11211: "memcached", 27017: "mongodb",
}

// protocolAt returns the protocol that is known to use a port; "" if there is
// none.
func protocolAt(port uint16) string {
	if s := facts.AtPort(port); s != nil {
		return s.Name
	}
	return wellKnown[port]
}
