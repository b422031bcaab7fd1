/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_EVENTS_H
#define KT_MACHINE_QEMU_EVENTS_H

#include "machine/qemu/vcpu.h"
#include "machine/qemu/x86_branch.h"

/* Information for the trace unit's Event Trace and power events, beyond the
 * flow of branches. The guest's state is read only while these are enabled.
 */

/* Reports RFLAGS at the target of a far transfer before the transfer is
 * reported. Must be called only while pt_unit_wants_events().
 */
void events_tell_flag(struct vcpu *vcpu, uint64_t rflags);

/* Records that the kernel's @insn (CLI, STI, POPF) is about to run, before
 * @next. The event is reported later, because its packets may fill a buffer and
 * so interrupt, which QEMU does not allow in the middle of a block.
 */
void events_flag_written(struct vcpu *vcpu, enum x86_special insn,
			 uint64_t next);

/* Reports the recorded flag writes at the end of the block or at a fault. */
void events_report_flags(struct vcpu *vcpu);

/* Reports the event of an interrupt or exception that was delivered. Called
 * before the branch itself is reported.
 */
void events_interrupt(struct vcpu *vcpu, uint64_t from, uint64_t to);

/* Report that HLT or MWAIT (operands in EAX and ECX) at @ip is about to run. */
void events_hlt(struct vcpu *vcpu, uint64_t ip);
void events_mwait(struct vcpu *vcpu, uint64_t ip);

#endif
