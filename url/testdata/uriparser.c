#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <uriparser/Uri.h>

/* Reads texts, each after its length in four octets (little-endian), and
   answers each with "1" if uriparser takes it as a URI reference, or "0". */
int main(void) {
	static char text[1 << 16];
	unsigned char frame[4];
	while (fread(frame, 1, 4, stdin) == 4) {
		uint32_t n = frame[0] | frame[1] << 8 | frame[2] << 16 | (uint32_t)frame[3] << 24;
		if (n > sizeof text || fread(text, 1, n, stdin) != n)
			return 1;
		UriUriA uri;
		const char *error;
		int good = uriParseSingleUriExA(&uri, text, text + n, &error) == URI_SUCCESS;
		if (good)
			uriFreeUriMembersA(&uri);
		putchar(good ? '1' : '0');
	}
	return fflush(stdout) != 0;
}
