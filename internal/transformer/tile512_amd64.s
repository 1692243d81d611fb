// Products of one tile with AVX-512: twelve rows of thirty-two, which are two
// panels of weights. The fields of a tile lie as in tile_amd64.s.

#include "textflag.h"

#define LOAD12 \
	MOVQ t+0(FP), AX       \
	MOVQ 0(AX), DI         \
	MOVQ 8(AX), R8         \
	MOVQ 16(AX), SI        \
	MOVQ 24(AX), R9        \
	MOVQ 32(AX), CX        \
	MOVQ 40(AX), DX        \
	MOVQ 48(AX), BX        \
	ADDQ DX, BX            \
	MOVQ 64(AX), R13       \
	LEAQ (R9)(R9*2), R12   \
	LEAQ (SI)(R12*1), R10  \
	LEAQ (SI)(R12*2), R11  \
	ADDQ R11, R12

#define ZERO12 \
	VPXORQ Z0, Z0, Z0     \
	VPXORQ Z1, Z1, Z1     \
	VPXORQ Z2, Z2, Z2     \
	VPXORQ Z3, Z3, Z3     \
	VPXORQ Z4, Z4, Z4     \
	VPXORQ Z5, Z5, Z5     \
	VPXORQ Z6, Z6, Z6     \
	VPXORQ Z7, Z7, Z7     \
	VPXORQ Z8, Z8, Z8     \
	VPXORQ Z9, Z9, Z9     \
	VPXORQ Z10, Z10, Z10  \
	VPXORQ Z11, Z11, Z11  \
	VPXORQ Z12, Z12, Z12  \
	VPXORQ Z13, Z13, Z13  \
	VPXORQ Z14, Z14, Z14  \
	VPXORQ Z15, Z15, Z15  \
	VPXORQ Z16, Z16, Z16  \
	VPXORQ Z17, Z17, Z17  \
	VPXORQ Z18, Z18, Z18  \
	VPXORQ Z19, Z19, Z19  \
	VPXORQ Z20, Z20, Z20  \
	VPXORQ Z21, Z21, Z21  \
	VPXORQ Z22, Z22, Z22  \
	VPXORQ Z23, Z23, Z23

#define FLOATROW(x, a, low, high) \
	VBROADCASTSS x, a        \
	VFMADD231PS Z24, a, low  \
	VFMADD231PS Z25, a, high

#define SHORTROW(x, a, low, high) \
	VPBROADCASTD x, a      \
	VPDPWSSD Z24, a, low   \
	VPDPWSSD Z25, a, high

// STEP takes four bytes of each of twelve rows: one float32, or a pair of int16.
#define STEP(ROW) \
	VMOVUPS (DX), Z24              \
	VMOVUPS (BX), Z25              \
	ROW((SI), Z26, Z0, Z1)         \
	ROW((SI)(R9*1), Z27, Z2, Z3)   \
	ROW((SI)(R9*2), Z28, Z4, Z5)   \
	ROW((R10), Z29, Z6, Z7)        \
	ROW((R10)(R9*1), Z26, Z8, Z9)  \
	ROW((R10)(R9*2), Z27, Z10, Z11) \
	ROW((R11), Z28, Z12, Z13)      \
	ROW((R11)(R9*1), Z29, Z14, Z15) \
	ROW((R11)(R9*2), Z26, Z16, Z17) \
	ROW((R12), Z27, Z18, Z19)      \
	ROW((R12)(R9*1), Z28, Z20, Z21) \
	ROW((R12)(R9*2), Z29, Z22, Z23) \
	ADDQ $64, DX                   \
	ADDQ $64, BX                   \
	ADDQ $4, SI                    \
	ADDQ $4, R10                   \
	ADDQ $4, R11                   \
	ADDQ $4, R12

#define FLOATEND(low, high) \
	VFMADD213PS (R13), Z24, low     \
	VFMADD213PS 64(R13), Z25, high  \
	VMOVUPS low, (DI)               \
	VMOVUPS high, 64(DI)            \
	ADDQ R8, DI                     \
	ADDQ BX, R13

#define SHORTEND(ro, low, high) \
	VBROADCASTSS ro(CX), Z26        \
	VCVTDQ2PS low, low              \
	VCVTDQ2PS high, high            \
	VMULPS Z26, low, low            \
	VMULPS Z26, high, high          \
	FLOATEND(low, high)

#define SCALES \
	MOVQ 56(AX), CX      \
	MOVQ 72(AX), BX      \
	VMOVUPS (CX), Z24    \
	VMOVUPS 64(CX), Z25

// func floatTileAVX512(t *tile)
TEXT ·floatTileAVX512(SB), NOSPLIT, $0-8
	LOAD12
	ZERO12

step:
	STEP(FLOATROW)
	DECQ CX
	JNZ  step

	SCALES
	FLOATEND(Z0, Z1)
	FLOATEND(Z2, Z3)
	FLOATEND(Z4, Z5)
	FLOATEND(Z6, Z7)
	FLOATEND(Z8, Z9)
	FLOATEND(Z10, Z11)
	FLOATEND(Z12, Z13)
	FLOATEND(Z14, Z15)
	FLOATEND(Z16, Z17)
	FLOATEND(Z18, Z19)
	FLOATEND(Z20, Z21)
	FLOATEND(Z22, Z23)
	VZEROUPPER
	RET

// func shortTileAVX512(t *tile)
//
// It needs VNNI, which adds both products of a pair to the sum at once.
TEXT ·shortTileAVX512(SB), NOSPLIT, $0-8
	LOAD12
	ZERO12

step:
	STEP(SHORTROW)
	DECQ CX
	JNZ  step

	SCALES
	MOVQ 80(AX), CX
	SHORTEND(0, Z0, Z1)
	SHORTEND(4, Z2, Z3)
	SHORTEND(8, Z4, Z5)
	SHORTEND(12, Z6, Z7)
	SHORTEND(16, Z8, Z9)
	SHORTEND(20, Z10, Z11)
	SHORTEND(24, Z12, Z13)
	SHORTEND(28, Z14, Z15)
	SHORTEND(32, Z16, Z17)
	SHORTEND(36, Z18, Z19)
	SHORTEND(40, Z20, Z21)
	SHORTEND(44, Z22, Z23)
	VZEROUPPER
	RET
