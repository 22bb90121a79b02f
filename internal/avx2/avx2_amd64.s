//go:build !purego

#include "textflag.h"

// func detect() bool
TEXT ·detect(SB), NOSPLIT, $0-1
	MOVB $0, ret+0(FP)

	XORL  AX, AX
	CPUID
	CMPL  AX, $7
	JB    no

	MOVL  $1, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<28 | 1<<27), CX // AVX, OSXSAVE
	CMPL  CX, $(1<<28 | 1<<27)
	JNE   no

	XORL  CX, CX
	XGETBV
	ANDL  $6, AX // the system keeps the halves of the registers
	CMPL  AX, $6
	JNE   no

	MOVL  $7, AX
	XORL  CX, CX
	CPUID
	ANDL  $(1<<8 | 1<<5), BX // BMI2, AVX2
	CMPL  BX, $(1<<8 | 1<<5)
	JNE   no
	MOVB  $1, ret+0(FP)

no:
	RET
