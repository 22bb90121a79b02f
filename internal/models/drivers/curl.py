# Reads URLs as libcurl does, which Python calls.
import ctypes, json, sys

lib = ctypes.CDLL("libcurl.so.4")
lib.curl_version.restype = ctypes.c_char_p
lib.curl_url.restype = ctypes.c_void_p
lib.curl_url_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
lib.curl_url_get.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.c_uint]
lib.curl_url_cleanup.argtypes = [ctypes.c_void_p]

URL, SCHEME, USER, PASSWORD, OPTIONS, HOST, PORT, PATH, QUERY, FRAGMENT, ZONE = range(11)
NON_SUPPORT_SCHEME, GET_EMPTY = 1 << 3, 1 << 14


def get(handle, part):
    out = ctypes.c_char_p()
    if lib.curl_url_get(handle, part, ctypes.byref(out), GET_EMPTY) != 0:
        return None
    return out.value.decode("utf-8", "surrogateescape")


def read(text):
    if "\0" in text:
        return "?"  # a C string ends there
    handle = lib.curl_url()
    try:
        if lib.curl_url_set(handle, URL, text.encode(), NON_SUPPORT_SCHEME) != 0:
            return None
        user, options, host, zone = (get(handle, part) for part in (USER, OPTIONS, HOST, ZONE))
        if options is not None:
            user = (user or "") + ";" + options
        if zone is not None:
            host = host.removesuffix("]") + "%" + zone + "]"
        return [get(handle, SCHEME), user, get(handle, PASSWORD), host] + [get(handle, part) for part in (PORT, PATH, QUERY, FRAGMENT)]
    finally:
        lib.curl_url_cleanup(handle)


print(json.dumps(lib.curl_version().decode().split(" ")[0].replace("/", " ") + ", curl_url_set with CURLU_NON_SUPPORT_SCHEME"))
for line in sys.stdin:
    print(json.dumps(read(json.loads(line))))
