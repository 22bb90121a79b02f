//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// A byte of a URL is checked by its two halves. rows has a bit for each high half
// of an allowed byte, 2 to 7. columns has, for each low half, the bits of the rows
// in which it forms an allowed byte: one of pchar, "/", "?", "#" or "%". For a byte
// above 0x7F the lookup in columns returns 0.
DATA rows<>+0(SB)/8, $0x2010080402010000
DATA rows<>+8(SB)/8, $0
GLOBL rows<>(SB), RODATA|NOPTR, $16

DATA columns<>+0(SB)/8, $0x3F3F3F3F3F3E3F2E
DATA columns<>+8(SB)/8, $0x1F351715173F3F3F
GLOBL columns<>(SB), RODATA|NOPTR, $16

// shifts, loaded at offset n, moves bytes down by n and clears the rest.
DATA shifts<>+0(SB)/8, $0x0706050403020100
DATA shifts<>+8(SB)/8, $0x0F0E0D0C0B0A0908
DATA shifts<>+16(SB)/8, $0x8080808080808080
DATA shifts<>+24(SB)/8, $0x8080808080808080
GLOBL shifts<>(SB), RODATA|NOPTR, $32

#define EACH(name, byte) \
	DATA name<>+0(SB)/8, $byte  \
	DATA name<>+8(SB)/8, $byte  \
	DATA name<>+16(SB)/8, $byte \
	DATA name<>+24(SB)/8, $byte \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EACH(low, 0x0F0F0F0F0F0F0F0F)
EACH(colon, 0x3A3A3A3A3A3A3A3A)
EACH(slash, 0x2F2F2F2F2F2F2F2F)
EACH(question, 0x3F3F3F3F3F3F3F3F)
EACH(hash, 0x2323232323232323)
EACH(at, 0x4040404040404040)
EACH(percent, 0x2525252525252525)

// BAD makes the mask of the bytes that are not allowed.
#define BAD(bytes, mask) \
	VPSRLW    $4, bytes, Y2       \
	VPAND     low<>(SB), Y2, Y2    \
	VPSHUFB   Y2, Y14, Y2          \
	VPSHUFB   bytes, Y15, Y3      \
	VPAND     Y2, Y3, Y2           \
	VPCMPEQB  Y13, Y2, Y2          \
	VPMOVMSKB Y2, mask

// BOTH makes the mask of the bytes of Y0 and of Y1, which are CX bytes further on.
#define BOTH(name, offset) \
	VPCMPEQB  name<>(SB), Y0, Y2 \
	VPCMPEQB  name<>(SB), Y1, Y3 \
	VPMOVMSKB Y2, AX             \
	VPMOVMSKB Y3, BX             \
	SHLXQ     CX, BX, BX         \
	ORQ       BX, AX             \
	MOVQ      AX, offset(DI)

// ONE makes the mask of the bytes of Y0.
#define ONE(name, offset) \
	VPCMPEQB  name<>(SB), Y0, Y2 \
	VPMOVMSKB Y2, AX             \
	MOVQ      AX, offset(DI)

// func find(s string, m *masks)
TEXT ·find(SB), NOSPLIT, $0-24
	MOVQ           s_base+0(FP), SI
	MOVQ           s_len+8(FP), CX
	MOVQ           m+16(FP), DI
	VBROADCASTI128 rows<>(SB), Y14
	VBROADCASTI128 columns<>(SB), Y15
	VPXOR          Y13, Y13, Y13
	CMPQ           CX, $32
	JB             short

	// The first 32 bytes and the last 32; they may overlap.
	VMOVDQU (SI), Y0
	SUBQ    $32, CX
	VMOVDQU (SI)(CX*1), Y1
	BAD(Y0, AX)
	BAD(Y1, BX)
	SHLXQ   CX, BX, BX
	ORQ     BX, AX
	MOVQ    AX, masks_bad(DI)
	BOTH(colon, masks_colon)
	BOTH(slash, masks_slash)
	BOTH(question, masks_question)
	BOTH(hash, masks_hash)
	BOTH(at, masks_at)
	BOTH(percent, masks_percent)
	VZEROUPPER
	RET

short:
	// The first 16 bytes, and the bytes of the last 16 that follow them.
	VMOVDQU     (SI), X0
	VMOVDQU     -16(SI)(CX*1), X1
	LEAQ        shifts<>+32(SB), R8
	SUBQ        CX, R8
	VPSHUFB     (R8), X1, X1
	VINSERTI128 $1, X1, Y0, Y0
	BAD(Y0, AX)
	BZHIQ       CX, AX, AX
	MOVQ        AX, masks_bad(DI)
	ONE(colon, masks_colon)
	ONE(slash, masks_slash)
	ONE(question, masks_question)
	ONE(hash, masks_hash)
	ONE(at, masks_at)
	ONE(percent, masks_percent)
	VZEROUPPER
	RET
