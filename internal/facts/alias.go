package facts

import "strings"

// Alias returns the URL that a URL stands for if its scheme is only another name, as in
// webcal://h/x, or a mark before a URL, as in view-source:http://h/. ok is false for all
// other URLs. The result may have any scheme.
func Alias(u string) (result string, ok bool) {
	name, rest, _ := strings.Cut(u, ":")
	switch strings.ToLower(name) {
	case "dav", "webcal":
		return "http:" + rest, strings.HasPrefix(rest, "//")
	case "davs", "webcals":
		return "https:" + rest, strings.HasPrefix(rest, "//")
	case "feed":
		if strings.HasPrefix(rest, "//") {
			return "http:" + rest, true
		}
		return rest, strings.Contains(rest, ":")
	case "view-source":
		return rest, strings.Contains(rest, ":")
	}
	return "", false
}

// Opener returns the kind of program that opens the URLs of a scheme which no engine of
// this module opens, such as "a BitTorrent client". The name is in lower case. Opener
// returns "" for an unknown scheme.
func Opener(name string) string {
	for _, o := range openers {
		for known := range strings.FieldsSeq(o.schemes) {
			if known == name {
				return o.program
			}
		}
	}
	return ""
}

// openers lists schemes by the kind of program that opens them.
var openers = [...]struct{ program, schemes string }{
	{"a web browser", "about blob chrome chrome-extension filesystem javascript moz-extension resource vbscript ws wss"},
	{"a browser for the small web", "titan spartan nex guppy"},
	{"an SSH client", "ssh scp"},
	{"a mail program", "pop pop3 pop3s smtp smtps msgid message ms-outlook"},
	{"a telephone or a messenger", "tel sms smsto callto fax modem sip sips h323 facetime facetime-audio skype whatsapp tg viber signal sgnl"},
	{"a chat program", "irc irc6 ircs xmpp jabber im pres matrix slack msteams discord aim ymsgr gtalk mumble teamspeak ts3server"},
	{"a program for meetings", "zoommtg zoomus webexstart jitsi-meet"},
	{"a BitTorrent client or another program that shares files", "magnet ed2k bittorrent gg dchub adc dweb ipfs ipns dat hyper"},
	{"a version control program", "git git+ssh git+https git+http svn svn+ssh hg bzr cvs"},
	{"rsync", "rsync"},
	{"a file manager that mounts network folders", "smb cifs afp adl"},
	{"a TFTP client", "tftp"},
	{"a directory client", "ldap ldaps ldapi"},
	{"a database client", "jdbc mysql mariadb postgres postgresql mongodb mongodb+srv redis rediss mssql oracle sqlite sqlite3 cassandra neo4j bolt couchdb influxdb clickhouse"},
	{"a program for message queues", "amqp amqps mqtt mqtts nats kafka stomp"},
	{"a program for constrained devices", "coap coaps coap+tcp coaps+tcp"},
	{"a media player", "rtsp rtsps rtspu rtmp rtmps mms mmsh icecast icy vlc spotify itms"},
	{"a remote desktop program", "vnc rdp ms-rd nxs spice x11"},
	{"a printing system", "ipp ipps"},
	{"a program for maps", "geo maps google.navigation om"},
	{"a wallet for its currency", "bitcoin bitcoincash ethereum litecoin monero lightning dogecoin"},
	{"an office program", "ms-word ms-excel ms-powerpoint ms-visio ms-project ms-access ms-publisher vnd.libreoffice.command onenote"},
	{"a store of apps", "market itms-apps itms-services ms-windows-store apt appstream snap steam"},
	{"a password manager", "otpauth"},
	{"a container or package tool", "docker oci pkg"},
}
