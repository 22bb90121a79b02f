package extract

// registered lists the names in IANA's registry of URI schemes of 2 January 2025 that locus/scheme does not list. A
// test in bench compares them with the list of mvdan.cc/xurls v2.6.0, which was made on the same day.
const registered = `
aaa aaas about acap acct acd acr adiumxtra adt afp aim amss android appdata apt ar ark at attachment aw barion
bb beshare bitcoin bitcoincash blob bluetooth bolo brid browserext cabal calculator callto cap cast casts chrome
chrome-extension coap coap+tcp coap+ws coaps coaps+tcp coaps+ws com-eventbrite-attendee content content-type
crid cstr cvs dab dat dav dhttp diaspora did dis dlna-playcontainer dlna-playsingle dns dntp doi dpp
drm drop dtmi dtn dvb dvx dweb ed2k eid elsi embedded ens ethereum example facetime fax feed feedready fido
filesystem first-run-pen-experience fish fm fuchsia-pkg geo gg git gitoid gizmoproject go graph grd gtalk
h323 ham hcap hcp hs20 hxxp hxxps hydrazone hyper iax icap icon im info iotdisco ipfs ipn ipns ipp ipps irc
irc6 ircs iris iris.beep iris.lwz iris.xpc iris.xpcs isostore itms jabber jar jms keyparc lastfm lbry ldap ldaps
leaptofrogans lid lorawan lpa lvlt machineprovisioningprogressreporter magnet maps market matrix message
microsoft.windows.camera microsoft.windows.camera.multipicker microsoft.windows.camera.picker mms modem mongodb
moz ms-access ms-appinstaller ms-browser-extension ms-calculator ms-drive-to ms-enrollment ms-excel
ms-eyecontrolspeech ms-gamebarservices ms-gamingoverlay ms-getoffice ms-help ms-infopath ms-inputapp
ms-launchremotedesktop ms-lockscreencomponent-config ms-media-stream-id ms-meetnow ms-mixedrealitycapture
ms-mobileplans ms-newsandinterests ms-officeapp ms-people ms-personacard ms-powerpoint ms-project ms-publisher
ms-recall ms-remotedesktop ms-remotedesktop-launch ms-restoretabcompanion ms-screenclip ms-screensketch
ms-search ms-search-repair ms-secondary-screen-controller ms-secondary-screen-setup ms-settings
ms-settings-airplanemode ms-settings-bluetooth ms-settings-camera ms-settings-cellular ms-settings-cloudstorage
ms-settings-connectabledevices ms-settings-displays-topology ms-settings-emailandaccounts ms-settings-language
ms-settings-location ms-settings-lock ms-settings-nfctransactions ms-settings-notifications ms-settings-power
ms-settings-privacy ms-settings-proximity ms-settings-screenrotation ms-settings-wifi ms-settings-workplace
ms-spd ms-stickers ms-sttoverlay ms-transit-to ms-useractivityset ms-virtualtouchpad ms-visio ms-walk-to
ms-whiteboard ms-whiteboard-cmd ms-word msnim msrp msrps mss mt mtqp mumble mupdate mvn mvrp mvrps ni nih notes
num ocf oid onenote onenote-cmd opaquelocktoken openid openpgp4fpr otpauth p1 pack palm paparazzi payment payto
pkcs11 platform pop pres proxy psyc pttp pwid qb query quic-transport redis rediss reload res resource rmi rsync
rtmfp rtmp rtsp rtsps rtspu sarif secondlife secret-token service session sgn shc shelter sieve
simpleledger simplex sip sips skype smb smp sms smtp snmp soap.beep soap.beeps soldat spiffe spotify ssb ssh
starknet steam stun stuns submit svn swh swid swidpath tag taler teamspeak teapot teapots tel teliaeid tftp
things thismessage thzp tip tool turn turns tv udp unreal upt ut2004 uuid-in-package v-event vemmi ventrilo ves
videotex view-source vnc vscode vscode-insiders vsls w3 wcr web+ap web3 webcal wifi wpid ws wss wtai wyciwyg
xcon xcon-userid xfire xftp xmlrpc.beep xmlrpc.beeps xmpp xrcp xri ymsgr
`

// unregistered lists names that are common in texts but not registered.
const unregistered = `
abfs abfss amqp amqps bolt cassandra clickhouse consul davs docker etcd git+ssh gs gsiftp hdfs jdbc
kafka memcached mongodb+srv moz-extension mqtt mqtts mysql nats neo4j neo4j+s oci oracle pop3 pop3s postgres postgresql root
s3 slack smtps sqlite sqlserver tcp tg unix wasb webdav webdavs whatsapp xrootd zookeeper zoommtg zoomus
`
