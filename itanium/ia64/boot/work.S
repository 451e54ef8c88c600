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

	.section .note.GNU-stack, "", @progbits
