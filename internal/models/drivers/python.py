# Reads URLs as urllib.parse.urlsplit does.
import json, sys
from urllib.parse import urlsplit


def read(text):
    try:
        parts = urlsplit(text)
        return [parts.scheme, parts.username, parts.password, parts.hostname, None if parts.port is None else str(parts.port), parts.path, parts.query, parts.fragment]
    except ValueError:
        return None


print(json.dumps("Python " + sys.version.split()[0] + ", urllib.parse.urlsplit"))
for line in sys.stdin:
    print(json.dumps(read(json.loads(line))))
