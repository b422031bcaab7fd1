/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_STALE_CODE_H
#define KT_MACHINE_QEMU_STALE_CODE_H

#include "machine/qemu/vcpu.h"

/* Detects translated code that has been overwritten.
 *
 * QEMU records the translation of a page's code only when it is complete. A
 * concurrent write by another CPU's thread then does not cause a new
 * translation if this is the page's only code (tb_page_add() in
 * accel/tcg/tb-maint.c). After kernel patching this leaves the breakpoint that
 * the patching's last step removes (text_poke_bp_batch() in
 * arch/x86/kernel/alternative.c). Its handler no longer expects it, and the
 * kernel panics.
 *
 * Must be called before @block runs, which must be a kernel block that ends
 * with a breakpoint. If the breakpoint no longer exists in memory, @block is
 * translated again, and the call does not return.
 */
void stale_code_check(struct vcpu *vcpu, const struct block *block);

#endif
