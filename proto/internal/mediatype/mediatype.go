// Package mediatype guesses media types from file names, for protocols that do not send media
// types.
package mediatype

import (
	"strings"
)

// ByName returns the media type for the extension of a file name, or "" if it is unknown. Case does
// not matter.
func ByName(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return ""
	}
	return types[strings.ToLower(name[i+1:])]
}

// types maps extensions in lower case to media types. It is used instead of package mime, whose
// result depends on the machine. Text types have no charset, because it is unknown.
var types = map[string]string{
	"7z": "application/x-7z-compressed", "aac": "audio/aac", "aif": "audio/aiff", "aiff": "audio/aiff",
	"asc": "text/plain", "atom": "application/atom+xml", "au": "audio/basic", "avi": "video/x-msvideo", "avif": "image/avif",
	"bin": "application/octet-stream", "bmp": "image/bmp", "bz2": "application/x-bzip2", "c": "text/plain",
	"css": "text/css", "csv": "text/csv", "deb": "application/vnd.debian.binary-package", "djvu": "image/vnd.djvu",
	"doc": "application/msword", "eml": "message/rfc822", "eot": "application/vnd.ms-fontobject",
	"eps": "application/postscript", "epub": "application/epub+zip", "exe": "application/octet-stream", "flac": "audio/flac",
	"gemini": "text/gemini", "gif": "image/gif", "gmi": "text/gemini", "go": "text/plain", "gz": "application/gzip", "h": "text/plain", "hqx": "application/mac-binhex40",
	"htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar",
	"iso": "application/octet-stream", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
	"json": "application/json", "jsonl": "application/jsonl", "log": "text/plain", "m4a": "audio/mp4", "marc": "application/marc",
	"mbox": "application/mbox",
	"md":   "text/markdown", "mid": "audio/midi", "midi": "audio/midi", "mjs": "text/javascript", "mkv": "video/x-matroska",
	"mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg",
	"mrc": "application/marc", "mrcx": "application/marcxml+xml",
	"odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
	"pgm": "image/x-portable-graymap", "png": "image/png", "ps": "application/postscript", "py": "text/plain",
	"rss": "application/rss+xml", "rtf": "application/rtf", "sh": "text/plain", "svg": "image/svg+xml", "tar": "application/x-tar",
	"tex": "text/x-tex", "text": "text/plain", "tgz": "application/gzip", "tif": "image/tiff", "tiff": "image/tiff",
	"ttf": "font/ttf", "txt": "text/plain", "uri": "text/uri-list", "vcf": "text/vcard", "wasm": "application/wasm",
	"wav": "audio/x-wav", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
	"xbm": "image/x-xbitmap", "xhtml": "application/xhtml+xml", "xml": "application/xml", "xz": "application/x-xz",
	"yaml": "application/yaml", "yml": "application/yaml", "z": "application/x-compress", "zip": "application/zip",
	"zst": "application/zstd",
}
