/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_EVENTS_H
#define KT_MACHINE_QEMU_EVENTS_H

#include "machine/qemu/vcpu.h"
#include "machine/qemu/x86_branch.h"

/* This is what the trace unit's Event Trace and power events want to know
 * beyond the flow of branches; nothing is asked of the guest unless they are
 * on.
 */

/* RFLAGS at the target of a far transfer, before that is reported; only asked
 * for while pt_unit_wants_events().
 */
void events_tell_flag(struct vcpu *vcpu, uint64_t rflags);

/* The kernel's @insn (CLI, STI, POPF) is about to run, before @next.  Noted
 * only: packets may fill a buffer and so interrupt, which QEMU does not allow
 * in a block's middle.
 */
void events_flag_written(struct vcpu *vcpu, enum x86_special insn,
			 uint64_t next);

/* Reports what was noted: the block has come to its end, or to a fault. */
void events_report_flags(struct vcpu *vcpu);

/* An interrupt or exception was delivered; it is reported next. */
void events_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* HLT or MWAIT (with its operands in EAX and ECX) at @ip is about to run. */
void events_hlt(struct vcpu *vcpu, uint64_t ip);
void events_mwait(struct vcpu *vcpu, uint64_t ip);

#endif
