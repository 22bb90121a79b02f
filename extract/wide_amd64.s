//go:build !purego

#include "go_asm.h"
#include "textflag.h"

DATA low<>+0(SB)/8, $0x0F0F0F0F0F0F0F0F
DATA low<>+8(SB)/8, $0x0F0F0F0F0F0F0F0F
DATA low<>+16(SB)/8, $0x0F0F0F0F0F0F0F0F
DATA low<>+24(SB)/8, $0x0F0F0F0F0F0F0F0F
GLOBL low<>(SB), RODATA|NOPTR, $32

// JUDGE makes the masks of 32 octets. One above 0x7F finds 0 in the columns.
#define JUDGE(octets, name, plain) \
	VMOVDQU   octets, Y0     \
	VPSRLW    $4, Y0, Y1     \
	VPAND     Y11, Y1, Y1    \
	VPSHUFB   Y1, Y12, Y1    \
	VPSHUFB   Y0, Y13, Y2    \
	VPSHUFB   Y0, Y14, Y3    \
	VPAND     Y1, Y2, Y2     \
	VPAND     Y1, Y3, Y3     \
	VPCMPEQB  Y15, Y2, Y2    \
	VPCMPEQB  Y15, Y3, Y3    \
	VPMOVMSKB Y2, name       \
	VPMOVMSKB Y3, plain

// func find(p *[wideSize]byte, t *nibbleTable) (notName, notPlain uint64)
TEXT ·find(SB), NOSPLIT, $0-32
	MOVQ           p+0(FP), SI
	MOVQ           t+8(FP), DI
	VMOVDQU        low<>(SB), Y11
	VBROADCASTI128 nibbleTable_rows(DI), Y12
	VBROADCASTI128 nibbleTable_name(DI), Y13
	VBROADCASTI128 nibbleTable_plain(DI), Y14
	VPXOR          Y15, Y15, Y15
	JUDGE((SI), AX, BX)
	JUDGE(32(SI), CX, DX)
	VZEROUPPER
	SHLQ           $32, CX
	SHLQ           $32, DX
	ORQ            CX, AX
	ORQ            DX, BX
	MOVQ           AX, notName+16(FP)
	MOVQ           BX, notPlain+24(FP)
	RET

DATA colon<>+0(SB)/8, $0x3A3A3A3A3A3A3A3A
DATA colon<>+8(SB)/8, $0x3A3A3A3A3A3A3A3A
DATA colon<>+16(SB)/8, $0x3A3A3A3A3A3A3A3A
DATA colon<>+24(SB)/8, $0x3A3A3A3A3A3A3A3A
GLOBL colon<>(SB), RODATA|NOPTR, $32

// func findColons(p *byte, n int) (at int, mask uint64)
TEXT ·findColons(SB), NOSPLIT, $0-32
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), CX
	MOVQ    SI, DI
	ANDQ    $~63, CX
	ADDQ    SI, CX
	XORL    AX, AX
	VMOVDQU colon<>(SB), Y0

loop:
	CMPQ      DI, CX
	JAE       done
	VPCMPEQB  (DI), Y0, Y1
	VPCMPEQB  32(DI), Y0, Y2
	VPOR      Y1, Y2, Y3
	VPTEST    Y3, Y3
	JNZ       found
	ADDQ      $64, DI
	JMP       loop

found:
	VPMOVMSKB Y1, AX
	VPMOVMSKB Y2, BX
	SHLQ      $32, BX
	ORQ       BX, AX

done:
	VZEROUPPER
	SUBQ SI, DI
	MOVQ DI, at+16(FP)
	MOVQ AX, mask+24(FP)
	RET
