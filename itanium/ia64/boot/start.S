/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry and system calls of the test program on ia64.
 *
 * The kernel starts a program at _start with the stack pointer 16 bytes below argc, and without gp,
 * which compiled code needs.
 */
	.text
	.align	32
	.global	_start
	.proc	_start
_start:
	.prologue
	.save	rp, r0			/* nobody called */
	alloc	loc0 = ar.pfs, 0, 1, 1, 0
	.body
	movl	gp = @gprel(1f)		/* 1f - gp: gp follows from the address of 1f */
	;;
1:	mov	r14 = ip
	adds	out0 = 16, sp
	;;
	sub	gp = r14, gp
	br.call.sptk.many rp = boot_main
	;;
	break	0			/* boot_main() does not return. */
	.endp	_start

/*
 * long sys6(long nr, long a, ... long f): the number goes to r15, the arguments are the frame's
 * outputs. r10 tells whether r8 is an error.
 */
	.align	32
	.global	sys6
	.proc	sys6
sys6:
	.prologue
	.save	ar.pfs, loc0
	alloc	loc0 = ar.pfs, 7, 1, 6, 0
	.body
	mov	r15 = in0
	mov	out0 = in1
	mov	out1 = in2
	mov	out2 = in3
	mov	out3 = in4
	mov	out4 = in5
	mov	out5 = in6
	;;
	break	0x100000
	;;
	cmp.eq	p6, p0 = -1, r10
	mov	ar.pfs = loc0
	;;
(p6)	sub	r8 = r0, r8
	br.ret.sptk.many rp
	.endp	sys6

	.section .note.GNU-stack, "", @progbits
