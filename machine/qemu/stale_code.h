/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_STALE_CODE_H
#define KT_MACHINE_QEMU_STALE_CODE_H

#include "machine/qemu/vcpu.h"

/* Code that QEMU has translated and that is there no more.
 *
 * QEMU notes that it has translated code of a page when it is done: a write of
 * another CPU's thread meanwhile does not make it translate again if this is the
 * page's only code (tb_page_add() in accel/tcg/tb-maint.c).  Of the kernel's patching
 * that leaves the breakpoint, which its last step takes away (text_poke_bp_batch() in
 * arch/x86/kernel/alternative.c), and whose handler knows nothing of it any more: the
 * kernel panics.
 *
 * To be called before @block runs, which is the kernel's and ends in a breakpoint.  If
 * this is there no more, @block is translated anew, and the call does not return.
 */
void stale_code_check(struct vcpu *vcpu, const struct block *block);

#endif
