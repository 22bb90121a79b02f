/*
 * bcryptprimitives.dll for Wine 8, which Debian 12 has. "make test-wine" builds it.
 *
 * Programs that Go 1.26 builds for Windows need four things that this Wine lacks:
 *
 * 1. The Go runtime loads bcryptprimitives.dll at its start and calls ProcessPrng. Wine
 *    lacks this library, so Go programs do not start. Here ProcessPrng calls RtlGenRandom
 *    of advapi32, whose export has the name SystemFunction036.
 *
 * 2. Package os removes files by NtSetInformationFile with the class
 *    FileDispositionInformationEx. On a Windows that does not know the class, the
 *    status is STATUS_INVALID_INFO_CLASS, and Go removes the file in the older way.
 *    Wine returns STATUS_NOT_IMPLEMENTED, so Go cannot remove files. This library returns
 *    the status of Windows.
 *
 * 3. Package net sets two options of UDP sockets by WSAIoctl. Wine does not know them,
 *    so UDP sockets do not open. The options turn off reports that Wine never makes, so
 *    here they succeed.
 *
 * 4. CreateSymbolicLinkW of Wine succeeds without making a link. Here it fails as on a
 *    Windows where the user may not make links, so that tests are skipped.
 *
 * It is a tool for tests, and not a part of releases.
 */
#include <string.h>
#include <winsock2.h>
#include <windows.h>
#include <winternl.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	while (size > 0) {
		ULONG n = size > 1 << 20 ? 1 << 20 : (ULONG)size;
		if (!SystemFunction036(data, n))
			return FALSE;
		data += n;
		size -= n;
	}
	return TRUE;
}

static NTSTATUS(NTAPI *wine_set_information)(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, FILE_INFORMATION_CLASS);

static NTSTATUS NTAPI set_information(HANDLE file, PIO_STATUS_BLOCK io, PVOID data, ULONG size, FILE_INFORMATION_CLASS class)
{
	const NTSTATUS not_implemented = 0xC0000002, invalid_info_class = 0xC0000003;
	NTSTATUS status = wine_set_information(file, io, data, size, class);

	return status == not_implemented ? invalid_info_class : status;
}

static int(WINAPI *wine_ioctl)(SOCKET, DWORD, LPVOID, DWORD, LPVOID, DWORD, LPDWORD, LPWSAOVERLAPPED, LPWSAOVERLAPPED_COMPLETION_ROUTINE);

static int WINAPI ioctl(SOCKET s, DWORD code, LPVOID in, DWORD in_size, LPVOID out, DWORD out_size, LPDWORD returned,
	LPWSAOVERLAPPED overlapped, LPWSAOVERLAPPED_COMPLETION_ROUTINE completion)
{
	const DWORD udp_connreset = 0x9800000C, udp_netreset = 0x9800000F;

	if (code == udp_connreset || code == udp_netreset) {
		*returned = 0;
		return 0;
	}
	return wine_ioctl(s, code, in, in_size, out, out_size, returned, overlapped, completion);
}

static BOOLEAN WINAPI create_symbolic_link(LPCWSTR link, LPCWSTR target, DWORD flags)
{
	(void)link, (void)target, (void)flags;
	SetLastError(ERROR_PRIVILEGE_NOT_HELD);
	return FALSE;
}

/* The size of: movabs $address, %r11; jmp *%r11 */
#define JUMP_SIZE 13

static void write_jump(BYTE *at, const void *to)
{
	memcpy(at, "\x49\xbb", 2);
	memcpy(at + 2, &to, 8);
	memcpy(at + 10, "\x41\xff\xe3", 3);
}

/*
 * Lets a function of Wine jump to ours. With start, which is how the function begins in
 * machine code ('?' is any byte), *theirs is set to what still does what Wine's did. It
 * fails if the function begins in another way.
 */
static BOOL replace(const char *module, const char *name, const void *ours, const char *start, SIZE_T size, void **theirs)
{
	BYTE *f = (BYTE *)GetProcAddress(LoadLibraryA(module), name), *copy;
	DWORD was;

	if (!f)
		return FALSE;
	for (SIZE_T i = 0; i < size; i++)
		if (start[i] != '?' && f[i] != (BYTE)start[i])
			return FALSE;
	if (size > 0) {
		copy = VirtualAlloc(NULL, size + JUMP_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
		if (!copy)
			return FALSE;
		memcpy(copy, f, size);
		write_jump(copy + size, f + size);
		*theirs = copy;
	}
	if (!VirtualProtect(f, JUMP_SIZE, PAGE_EXECUTE_READWRITE, &was))
		return FALSE;
	write_jump(f, ours);
	return VirtualProtect(f, JUMP_SIZE, was, &was);
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved)
{
	/* mov %rcx, %r10; mov $?, %eax; testb $1, 0x7ffe0308 */
	static const char call[] = "\x4c\x8b\xd1\xb8????\xf6\x04\x25\x08\x03\xfe\x7f\x01";
	/* eight times push; sub $?, %rsp */
	static const char pushes[] = "\x41\x57\x41\x56\x41\x55\x41\x54\x55\x57\x56\x53\x48\x81\xec????";

	(void)self, (void)reserved;
	return reason != DLL_PROCESS_ATTACH ||
		(replace("ntdll", "NtSetInformationFile", set_information, call, sizeof call - 1, (void **)&wine_set_information) &&
		replace("ws2_32", "WSAIoctl", ioctl, pushes, sizeof pushes - 1, (void **)&wine_ioctl) &&
		replace("kernelbase", "CreateSymbolicLinkW", create_symbolic_link, "", 0, NULL));
}
