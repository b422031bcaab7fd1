/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_GUEST_H
#define KT_EXECUTION_FOLLOW_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct execution;
struct trace_branch;

/* Virtual machines on the traced CPU (Intel VMX).  Trace of non-root operation
 * is of the guest's code, which a recording of the host does not have: its
 * branches are consumed without following them.  In the stream of events a
 * guest is one FLOW_STOP_GUEST, from the instruction that enters it to the start
 * of trace at the VM exit.
 *
 *	NONE ── TRACE_GUEST ──► ENTERING ── branch ──► INSIDE
 *	INSIDE ── TRACE_ADDRESS_SPACE ──► LEAVING ── branch ──► NONE
 *	NONE ── TRACE_STOP at VMLAUNCH, VMRESUME ──► HIDDEN ── TRACE_START ──► NONE
 *	INSIDE, LEAVING ── overflow ──► UNKNOWN ── PIP ──► INSIDE, or lost in NONE
 *
 * 1. In INSIDE, LEAVING, HIDDEN and UNKNOWN no block is followed.
 * 2. A guest's addresses are never looked up in the host's code.
 *
 * A synchronisation point that repeats the page table root says where execution
 * is, whatever was known before.  Without kernel trace (IA32_RTIT_CTL.OS is 0)
 * there are no PIPs, so user code of a guest cannot be told from the host's.
 *
 * Source: Intel SDM, volume 3, "Intel Processor Trace", "Paging Information
 * Packet", "VMCS Packet" and "Tracing and VMX".
 */

/* Follows TRACE_GUEST where execution was not known to be in a guest. */
void follow_machine_entry(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position);

/* Follows @branch in a state other than GUEST_NONE.  Returns whether that is
 * all: else the branch is to be followed as in the host.
 */
bool follow_guest(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position);

#endif
