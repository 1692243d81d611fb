#include "textflag.h"

// func dotRowsAVX2(sums *int32, rows *int8, asked *int16, n, blocks int)
//
// Of each of n rows of blocks times 32 bytes, the sum of its products with asked.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ asked+16(FP), DX
	MOVQ n+24(FP), BX
	MOVQ blocks+32(FP), R9

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ DX, R8
	MOVQ R9, CX

block:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW 16(SI), Y3
	VPMADDWD (R8), Y2, Y2
	VPMADDWD 32(R8), Y3, Y3
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	ADDQ $32, SI
	ADDQ $64, R8
	DECQ CX
	JNZ  block

	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (DI)
	ADDQ $4, DI
	DECQ BX
	JNZ  row
	VZEROUPPER
	RET
