/* SPDX-License-Identifier: GPL-2.0-only */
	.text

/*
 * void work(unsigned long rounds, const void *from, long step): each round is one bundle. Restores
 * the caller's loop counter.
 */
	.align	64
	.global	work
	.proc	work
work:
	.prologue
	alloc	r14 = ar.pfs, 3, 0, 0, 0
	.save	ar.lc, r15
	mov	r15 = ar.lc
	adds	r16 = -1, in0
	.body
	;;
	mov	ar.lc = r16
	mov	r17 = in1
	;;
	.align	64
	.global	work_start
work_start:
{	.mib
	ld8	r18 = [r17]
	add	r17 = r17, in2
	br.cloop.sptk.few work_start
	;;
}
	.align	64
	mov	ar.lc = r15
	br.ret.sptk.many rp
	.endp	work

/*
 * void odd_work(unsigned long rounds, const void *from): work() again, in two bundles. Load and
 * branch are in the second one of a pair, which the monitors say with a bit of its own.
 */
	.align	64
	.global	odd_work
	.proc	odd_work
odd_work:
	.prologue
	alloc	r14 = ar.pfs, 2, 0, 0, 0
	.save	ar.lc, r15
	mov	r15 = ar.lc
	adds	r16 = -1, in0
	.body
	;;
	mov	ar.lc = r16
	mov	r17 = in1
	;;
	.align	32
	.global	odd_start
odd_start:
{	.mii
	nop.m	0
	nop.i	0
	nop.i	0
	;;
}
{	.mib
	ld8	r18 = [r17], 128
	nop.i	0
	br.cloop.sptk.few odd_start
	;;
}
	mov	ar.lc = r15
	br.ret.sptk.many rp
	.endp	odd_work

/*
 * void fsys_work(unsigned long rounds, unsigned long gate): getpid() by way of the gate page, which
 * stays on the program's stack at the kernel's privilege level
 */
	.align	64
	.global	fsys_work
	.proc	fsys_work
fsys_work:
	alloc	r14 = ar.pfs, 2, 0, 0, 0
1:	mov	r15 = 1041			/* __NR_getpid */
	mov	b7 = in1
	mov	r11 = ar.pfs
	;;
	br.call.sptk.many b6 = b7
	;;
	mov	ar.pfs = r11
	adds	in0 = -1, in0
	;;
	cmp.ne	p6, p0 = r0, in0
(p6)	br.cond.sptk.few 1b
	br.ret.sptk.many rp
	.endp	fsys_work

	.section .note.GNU-stack, "", @progbits
