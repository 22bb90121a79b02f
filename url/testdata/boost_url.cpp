#include <boost/url.hpp>
#include <cstdint>
#include <cstdio>

// Reads texts, each after its length in four octets (little-endian), and
// answers each with "1" if Boost.URL takes it as a URI reference, or "0".
int main() {
	static char text[1 << 16];
	unsigned char frame[4];
	while (std::fread(frame, 1, 4, stdin) == 4) {
		std::uint32_t n = frame[0] | frame[1] << 8 | frame[2] << 16 | std::uint32_t(frame[3]) << 24;
		if (n > sizeof text || std::fread(text, 1, n, stdin) != n)
			return 1;
		bool good = boost::urls::parse_uri_reference({text, n}).has_value();
		std::putchar(good ? '1' : '0');
	}
	return std::fflush(stdout) != 0;
}
