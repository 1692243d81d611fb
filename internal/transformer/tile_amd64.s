// Products of one tile. Each function takes a *tile; the offsets are its fields':
//
//	y 0, yStride 8, x 16, xStride 24, steps 32, w 40, wNext 48,
//	scale 56, from 64, fromStride 72, rowScale 80

#include "textflag.h"

// LOAD puts the fields of a tile where the loops want them.
#define LOAD \
	MOVQ t+0(FP), AX       \
	MOVQ 0(AX), DI         \
	MOVQ 8(AX), R8         \
	MOVQ 16(AX), SI        \
	MOVQ 24(AX), R9        \
	MOVQ 32(AX), CX        \
	MOVQ 40(AX), DX        \
	MOVQ 64(AX), R13       \
	LEAQ (R9)(R9*2), BX    \
	LEAQ (SI)(BX*1), R10

// ZERO6 clears the sums of six rows of sixteen.
#define ZERO6 \
	VXORPS Y0, Y0, Y0     \
	VXORPS Y1, Y1, Y1     \
	VXORPS Y2, Y2, Y2     \
	VXORPS Y3, Y3, Y3     \
	VXORPS Y4, Y4, Y4     \
	VXORPS Y5, Y5, Y5     \
	VXORPS Y6, Y6, Y6     \
	VXORPS Y7, Y7, Y7     \
	VXORPS Y8, Y8, Y8     \
	VXORPS Y9, Y9, Y9     \
	VXORPS Y10, Y10, Y10  \
	VXORPS Y11, Y11, Y11

// FLOATROW adds one input times sixteen weights to a row.
#define FLOATROW(x, a, low, high) \
	VBROADCASTSS x, a        \
	VFMADD231PS Y12, a, low  \
	VFMADD231PS Y13, a, high

// FLOATSTEP takes the input at byte xo of six rows and its weights at byte wo.
#define FLOATSTEP(wo, xo) \
	VMOVUPS (wo)(DX), Y12                       \
	VMOVUPS (wo+32)(DX), Y13                    \
	FLOATROW((xo)(SI), Y14, Y0, Y1)             \
	FLOATROW((xo)(SI)(R9*1), Y15, Y2, Y3)       \
	FLOATROW((xo)(SI)(R9*2), Y14, Y4, Y5)       \
	FLOATROW((xo)(R10), Y15, Y6, Y7)            \
	FLOATROW((xo)(R10)(R9*1), Y14, Y8, Y9)      \
	FLOATROW((xo)(R10)(R9*2), Y15, Y10, Y11)

// FLOATEND scales a row, adds what stood there and writes it.
#define FLOATEND(low, high) \
	VFMADD213PS (R13), Y12, low     \
	VFMADD213PS 32(R13), Y13, high  \
	VMOVUPS low, (DI)               \
	VMOVUPS high, 32(DI)            \
	ADDQ R8, DI                     \
	ADDQ BX, R13

// func floatTileAVX2(t *tile)
//
// Six rows of sixteen sums stay in registers.
TEXT ·floatTileAVX2(SB), NOSPLIT, $0-8
	LOAD
	ZERO6
	SUBQ $4, CX
	JLT  rest

four:
	FLOATSTEP(0, 0)
	FLOATSTEP(64, 4)
	FLOATSTEP(128, 8)
	FLOATSTEP(192, 12)
	ADDQ $256, DX
	ADDQ $16, SI
	ADDQ $16, R10
	SUBQ $4, CX
	JGE  four

rest:
	ADDQ $4, CX
	JZ   write

one:
	FLOATSTEP(0, 0)
	ADDQ $64, DX
	ADDQ $4, SI
	ADDQ $4, R10
	DECQ CX
	JNZ  one

write:
	MOVQ 56(AX), CX
	MOVQ 72(AX), BX
	VMOVUPS (CX), Y12
	VMOVUPS 32(CX), Y13
	FLOATEND(Y0, Y1)
	FLOATEND(Y2, Y3)
	FLOATEND(Y4, Y5)
	FLOATEND(Y6, Y7)
	FLOATEND(Y8, Y9)
	FLOATEND(Y10, Y11)
	VZEROUPPER
	RET

// SHORTROW adds a pair of inputs times sixteen pairs of weights to a row.
#define SHORTROW(x, low, high) \
	VPBROADCASTD x, Y14      \
	VPMADDWD Y12, Y14, Y15   \
	VPADDD Y15, low, low     \
	VPMADDWD Y13, Y14, Y14   \
	VPADDD Y14, high, high

#define SHORTSTEP(wo, xo) \
	VMOVDQU (wo)(DX), Y12                  \
	VMOVDQU (wo+32)(DX), Y13               \
	SHORTROW((xo)(SI), Y0, Y1)             \
	SHORTROW((xo)(SI)(R9*1), Y2, Y3)       \
	SHORTROW((xo)(SI)(R9*2), Y4, Y5)       \
	SHORTROW((xo)(R10), Y6, Y7)            \
	SHORTROW((xo)(R10)(R9*1), Y8, Y9)      \
	SHORTROW((xo)(R10)(R9*2), Y10, Y11)

// SHORTEND scales a row by its own scale and the columns', adds what stood there
// and writes it.
#define SHORTEND(ro, low, high) \
	VBROADCASTSS ro(CX), Y14        \
	VCVTDQ2PS low, low              \
	VCVTDQ2PS high, high            \
	VMULPS Y14, low, low            \
	VMULPS Y14, high, high          \
	FLOATEND(low, high)

// func shortTileAVX2(t *tile)
//
// The same of int16 inputs and weights, two steps of depth at a time; the sums are
// int32 and exact.
TEXT ·shortTileAVX2(SB), NOSPLIT, $0-8
	LOAD
	ZERO6
	SUBQ $4, CX
	JLT  rest

four:
	SHORTSTEP(0, 0)
	SHORTSTEP(64, 4)
	SHORTSTEP(128, 8)
	SHORTSTEP(192, 12)
	ADDQ $256, DX
	ADDQ $16, SI
	ADDQ $16, R10
	SUBQ $4, CX
	JGE  four

rest:
	ADDQ $4, CX
	JZ   write

one:
	SHORTSTEP(0, 0)
	ADDQ $64, DX
	ADDQ $4, SI
	ADDQ $4, R10
	DECQ CX
	JNZ  one

write:
	MOVQ 56(AX), CX
	MOVQ 72(AX), BX
	VMOVUPS (CX), Y12
	VMOVUPS 32(CX), Y13
	MOVQ 80(AX), CX
	SHORTEND(0, Y0, Y1)
	SHORTEND(4, Y2, Y3)
	SHORTEND(8, Y4, Y5)
	SHORTEND(12, Y6, Y7)
	SHORTEND(16, Y8, Y9)
	SHORTEND(20, Y10, Y11)
	VZEROUPPER
	RET
