// What is done value by value, eight at a time: softmax, GELU, layer norms, and the
// ways from and to whole numbers. n counts blocks of eight unless it says otherwise.

#include "textflag.h"

// EIGHT is a constant, eight times; v is two of them.
#define EIGHT(name, v) \
	DATA name<>+0(SB)/8, $v   \
	DATA name<>+8(SB)/8, $v   \
	DATA name<>+16(SB)/8, $v  \
	DATA name<>+24(SB)/8, $v  \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EIGHT(log2e, 0x3fb8aa3b3fb8aa3b)
EIGHT(half, 0x3f0000003f000000)
EIGHT(ln2high, 0x3f3180003f318000)
EIGHT(ln2low, 0xb95e8083b95e8083)
EIGHT(exp0, 0x3950696739506967)
EIGHT(exp1, 0x3ab743ce3ab743ce)
EIGHT(exp2, 0x3c0889083c088908)
EIGHT(exp3, 0x3d2aa9c13d2aa9c1)
EIGHT(exp4, 0x3e2aaaaa3e2aaaaa)
EIGHT(exp5, 0x3f0000003f000000)
EIGHT(one, 0x3f8000003f800000)
EIGHT(lowest, 0xc2ae0000c2ae0000)
EIGHT(highest, 0x42b0000042b00000)
EIGHT(bias, 0x0000007f0000007f)
EIGHT(magnitude, 0x7fffffff7fffffff)
EIGHT(rsqrt2, 0x3f3504f33f3504f3)
EIGHT(erfp, 0x3ea7ba053ea7ba05)
EIGHT(erf1, 0x3e8279063e827906)
EIGHT(erf2, 0xbe91a98ebe91a98e)
EIGHT(erf3, 0x3fb5f0e33fb5f0e3)
EIGHT(erf4, 0xbfba00e3bfba00e3)
EIGHT(erf5, 0x3f87dc223f87dc22)

// EXP is Y0 = e to the Y0; Y1 and Y2 are changed.
#define EXP \
	VMAXPS lowest<>(SB), Y0, Y0          \
	VMINPS highest<>(SB), Y0, Y0         \
	VMOVUPS log2e<>(SB), Y1              \
	VFMADD213PS half<>(SB), Y0, Y1       \
	VROUNDPS $1, Y1, Y1                  \
	VFNMADD231PS ln2high<>(SB), Y1, Y0   \
	VFNMADD231PS ln2low<>(SB), Y1, Y0    \
	VMOVUPS exp0<>(SB), Y2               \
	VFMADD213PS exp1<>(SB), Y0, Y2       \
	VFMADD213PS exp2<>(SB), Y0, Y2       \
	VFMADD213PS exp3<>(SB), Y0, Y2       \
	VFMADD213PS exp4<>(SB), Y0, Y2       \
	VFMADD213PS exp5<>(SB), Y0, Y2       \
	VMULPS Y0, Y2, Y2                    \
	VFMADD213PS Y0, Y0, Y2               \
	VADDPS one<>(SB), Y2, Y2             \
	VCVTPS2DQ Y1, Y1                     \
	VPADDD bias<>(SB), Y1, Y1            \
	VPSLLD $23, Y1, Y1                   \
	VMULPS Y1, Y2, Y0

// ACROSS brings the eight values of y together by op, in every lane.
#define ACROSS(op, y, x, u) \
	VEXTRACTF128 $1, y, u     \
	op u, x, x                \
	VPERMILPS $0x4e, x, u     \
	op u, x, x                \
	VPERMILPS $0xb1, x, u     \
	op u, x, x                \
	VBROADCASTSS x, y

// func softmaxAVX2(x *float32, n int)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ DI, SI
	MOVQ CX, DX
	VMOVUPS (DI), Y5

top:
	VMAXPS (SI), Y5, Y5
	ADDQ $32, SI
	DECQ DX
	JNZ  top

	ACROSS(VMAXPS, Y5, X5, X6)
	VXORPS Y7, Y7, Y7
	MOVQ DI, SI
	MOVQ CX, DX

power:
	VMOVUPS (SI), Y0
	VSUBPS Y5, Y0, Y0
	EXP
	VADDPS Y0, Y7, Y7
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	DECQ DX
	JNZ  power

	ACROSS(VADDPS, Y7, X7, X6)
	VMOVUPS one<>(SB), Y6
	VDIVPS Y7, Y6, Y7

share:
	VMULPS (DI), Y7, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, DI
	DECQ CX
	JNZ  share
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), CX
	VMOVUPS magnitude<>(SB), Y10
	VMOVUPS rsqrt2<>(SB), Y11
	VMOVUPS one<>(SB), Y12
	VMOVUPS half<>(SB), Y13

step:
	VMOVUPS (DI), Y8
	VMULPS Y11, Y8, Y9
	VANDPS Y10, Y9, Y9          // |x|/√2
	VXORPS Y0, Y0, Y0
	VFNMADD231PS Y9, Y9, Y0
	EXP
	VMOVAPS Y12, Y4
	VFMADD231PS erfp<>(SB), Y9, Y4
	VDIVPS Y4, Y12, Y9
	VMOVUPS erf5<>(SB), Y1
	VFMADD213PS erf4<>(SB), Y9, Y1
	VFMADD213PS erf3<>(SB), Y9, Y1
	VFMADD213PS erf2<>(SB), Y9, Y1
	VFMADD213PS erf1<>(SB), Y9, Y1
	VMULPS Y9, Y1, Y1
	VFNMADD213PS Y12, Y0, Y1    // the error function of it
	VANDNPS Y8, Y10, Y2
	VORPS Y2, Y1, Y1
	VADDPS Y12, Y1, Y1
	VMULPS Y13, Y8, Y8
	VMULPS Y1, Y8, Y8
	VMOVUPS Y8, (DI)
	ADDQ $32, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET

// func addNormAVX2(x *float32, y *float32, weight *float32, bias *float32, n int, by float32, epsilon float32)
//
// x = norm(x + y); by is one over the width.
TEXT ·addNormAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ weight+16(FP), R8
	MOVQ bias+24(FP), R9
	MOVQ n+32(FP), CX
	SHLQ $5, CX
	VBROADCASTSS by+40(FP), Y8
	VBROADCASTSS epsilon+44(FP), Y9
	VXORPS Y5, Y5, Y5
	XORQ AX, AX

add:
	VMOVUPS (DI)(AX*1), Y0
	VADDPS (SI)(AX*1), Y0, Y0
	VMOVUPS Y0, (DI)(AX*1)
	VADDPS Y0, Y5, Y5
	ADDQ $32, AX
	CMPQ AX, CX
	JLT  add

	ACROSS(VADDPS, Y5, X5, X6)
	VMULPS Y8, Y5, Y5 // the mean
	VXORPS Y7, Y7, Y7
	XORQ AX, AX

square:
	VMOVUPS (DI)(AX*1), Y0
	VSUBPS Y5, Y0, Y0
	VFMADD231PS Y0, Y0, Y7
	ADDQ $32, AX
	CMPQ AX, CX
	JLT  square

	ACROSS(VADDPS, Y7, X7, X6)
	VFMADD213PS Y9, Y8, Y7
	VSQRTPS Y7, Y7
	VMOVUPS one<>(SB), Y6
	VDIVPS Y7, Y6, Y7
	XORQ AX, AX

scale:
	VMOVUPS (DI)(AX*1), Y0
	VSUBPS Y5, Y0, Y0
	VMULPS Y7, Y0, Y0
	VMOVUPS (R8)(AX*1), Y1
	VFMADD213PS (R9)(AX*1), Y1, Y0
	VMOVUPS Y0, (DI)(AX*1)
	ADDQ $32, AX
	CMPQ AX, CX
	JLT  scale
	VZEROUPPER
	RET

// func shortenAVX2(to *int16, x *float32, n int, limit float32) (scale float32)
//
// to = x/scale, rounded, where scale is such that no value is above limit. n counts
// blocks of sixteen.
TEXT ·shortenAVX2(SB), NOSPLIT, $0-36
	MOVQ to+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VMOVUPS magnitude<>(SB), Y8
	VXORPS Y5, Y5, Y5
	VXORPS Y4, Y4, Y4
	MOVQ SI, R8
	MOVQ CX, DX

top:
	VANDPS (R8), Y8, Y0
	VMAXPS Y0, Y5, Y5
	VANDPS 32(R8), Y8, Y1
	VMAXPS Y1, Y4, Y4
	ADDQ $64, R8
	DECQ DX
	JNZ  top

	VMAXPS Y4, Y5, Y5
	ACROSS(VMAXPS, Y5, X5, X6)
	VMOVSS limit+24(FP), X7
	VDIVSS X7, X5, X6
	VMOVSS X6, scale+32(FP)
	VXORPS X1, X1, X1
	VUCOMISS X1, X5
	JEQ  write // all is zero, and so is one over it
	VDIVSS X5, X7, X5
	VBROADCASTSS X5, Y5

write:
	VMULPS (SI), Y5, Y0
	VMULPS 32(SI), Y5, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ $0xd8, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  write
	VZEROUPPER
	RET

// func widenFloatsAVX2(to *float32, w *int8, pairs int)
//
// A panel's pairs of weights become two rows of sixteen floats.
TEXT ·widenFloatsAVX2(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ pairs+16(FP), CX

step:
	VPMOVSXBW (SI), Y0
	VPMOVSXBW 16(SI), Y1
	VPSLLD $16, Y0, Y2
	VPSLLD $16, Y1, Y3
	VPSRAD $16, Y2, Y2
	VPSRAD $16, Y3, Y3
	VPSRAD $16, Y0, Y0
	VPSRAD $16, Y1, Y1
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMOVUPS Y2, (DI)
	VMOVUPS Y3, 32(DI)
	VMOVUPS Y0, 64(DI)
	VMOVUPS Y1, 96(DI)
	ADDQ $32, SI
	ADDQ $128, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET

// func widenShortsAVX2(to *int16, w *int8, pairs int)
TEXT ·widenShortsAVX2(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ pairs+16(FP), CX

step:
	VPMOVSXBW (SI), Y0
	VPMOVSXBW 16(SI), Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  step
	VZEROUPPER
	RET
