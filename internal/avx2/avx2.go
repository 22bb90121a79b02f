// Package avx2 says whether the processor looks at 32 octets at once.
package avx2
