package facts

import "strings"

// Alias returns the URL to open instead of u if the scheme of u is another name of http or https, as in webcal://h/x,
// or a mark before a URL, as in view-source:http://h/. The result may have any scheme. ok is false for all other URLs;
// then result has no meaning.
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

// Opener returns the kind of program that opens URLs with this scheme, such as "a BitTorrent client". name is the
// scheme in lower case. Opener returns "" for an unknown scheme, and for the schemes that an engine of this module
// opens.
func Opener(name string) string {
	for _, o := range openers {
		for known := range strings.FieldsSeq(o.schemes) {
			prefix, isPrefix := strings.CutSuffix(known, "*")
			if known == name || isPrefix && strings.HasPrefix(name, prefix) {
				return o.program
			}
		}
	}
	return ""
}

// openers lists schemes by the kind of program that opens them. A name that ends in "*" stands for all names that begin
// so.
var openers = [...]struct{ program, schemes string }{
	{"a web browser", "about blob chrome chrome-extension filesystem javascript moz-extension resource vbscript ws wss browserext cast casts content hxxp hxxps jar moz quic-transport reload res wyciwyg"},
	{"a browser for the small web", "spartan nex guppy"},
	{"an SSH client", "ssh scp fish"},
	{"a mail program", "pop pop3 pop3s smtp smtps msgid message ms-outlook acap mtqp mupdate sieve submit"},
	{"a telephone or a messenger", "tel sms smsto callto fax modem sip sips h323 facetime facetime-audio skype whatsapp tg viber signal sgnl acr iax msrp msrps sgn stun stuns turn turns wtai"},
	{"a chat program", "irc irc6 ircs xmpp jabber im pres matrix slack msteams discord aim ymsgr gtalk mumble teamspeak ts3server adiumxtra at bb diaspora msnim simplex smp ssb ventrilo xcon xcon-userid psyc"},
	{"a program for meetings", "zoommtg zoomus webexstart jitsi-meet"},
	{"a BitTorrent client or another program that shares files", "magnet ed2k bittorrent gg dchub adc dweb ipfs ipns dat hyper beshare drop lbry xftp"},
	{"a version control program", "git git+ssh git+https git+http svn svn+ssh hg bzr cvs gitoid swh"},
	{"rsync", "rsync"},
	{"a file manager that mounts network folders", "smb cifs afp adl"},
	{"a TFTP client", "tftp"},
	{"a directory client", "ldap ldaps ldapi iris iris.beep iris.lwz iris.xpc iris.xpcs"},
	{"a database client", "jdbc mysql mariadb postgres postgresql mongodb mongodb+srv redis rediss mssql oracle sqlite sqlite3 cassandra neo4j bolt couchdb influxdb clickhouse hdfs memcached neo4j+s sqlserver"},
	{"a program for message queues", "amqp amqps mqtt mqtts nats kafka stomp jms"},
	{"a program for constrained devices", "coap coaps coap+tcp coaps+tcp coap+ws coaps+ws dtmi lorawan ocf iotdisco"},
	{"a media player", "rtsp rtsps rtspu rtmp rtmps mms mmsh icecast icy vlc spotify itms crid dab dlna-playcontainer dlna-playsingle drm dvb dvx fm lastfm rtmfp tv"},
	{"a remote desktop program", "vnc rdp ms-rd nxs spice x11"},
	{"a printing system", "ipp ipps"},
	{"a program for maps", "geo maps google.navigation om"},
	{"a wallet for its currency", "bitcoin bitcoincash ethereum litecoin monero lightning dogecoin ark barion ens payment payto simpleledger starknet taler w3 web3"},
	{"an office program", "ms-word ms-excel ms-powerpoint ms-visio ms-project ms-access ms-publisher vnd.libreoffice.command onenote onenote-cmd pack notes"},
	{"a store of apps", "market itms-apps itms-services ms-windows-store apt appstream snap steam"},
	{"a password manager", "otpauth"},
	{"a container or package tool", "docker oci pkg mvn swid swidpath"},
	{"a code editor", "sarif vscode vscode-insiders vsls"},
	{"a calendar program", "cap"},
	{"a feed reader", "feedready"},
	{"a game", "aw bolo lvlt secondlife unreal ut2004 soldat xfire"},
	{"a client of its storage service", "abfs abfss gs gsiftp s3 wasb webdav webdavs xrootd"},
	{"a program for network administration", "aaa aaas consul dns dntp etcd icap ipn dtn proxy snmp tcp udp unix upt zookeeper"},
	{"a program that calls procedures of servers", "rmi soap.beep soap.beeps xmlrpc.beep xmlrpc.beeps xrcp"},
	{"a program for identities and keys", "acct did eid openid openpgp4fpr pkcs11 secret-token shc spiffe teliaeid wpid fido"},
	{"the settings of a phone or a computer", "bluetooth hs20 lpa web+ap wifi dpp"},
	{"a resolver of such names", "cstr doi elsi info lid ni nih oid opaquelocktoken pwid tag thismessage uuid-in-package xri"},
	{"Microsoft Windows or one of its programs", "calculator first-run-pen-experience hcp machineprovisioningprogressreporter microsoft.windows.camera* ms-* mss"},
	{"a terminal of its service", "vemmi videotex"},
	{"the program that registered its name", "acd adt amss android appdata ar attachment brid cabal com-eventbrite-attendee content-type dhttp dis embedded example fuchsia-pkg gizmoproject go graph grd ham hcap hydrazone icon isostore keyparc leaptofrogans mt mvrp mvrps num p1 palm paparazzi platform pttp qb query service session shelter teapot teapots things thzp tip tool v-event ves wcr root"},
}
