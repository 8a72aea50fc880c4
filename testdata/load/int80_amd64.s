#include "textflag.h"

// func int80(nr, a, b, c, d uintptr) uintptr
TEXT ·int80(SB), NOSPLIT, $0-48
	MOVQ nr+0(FP), AX
	MOVQ a+8(FP), BX
	MOVQ b+16(FP), CX
	MOVQ c+24(FP), DX
	MOVQ d+32(FP), SI
	INT  $0x80
	MOVQ AX, ret+40(FP)
	RET
