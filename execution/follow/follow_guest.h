/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_FOLLOW_GUEST_H
#define KT_EXECUTION_FOLLOW_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct execution;
struct trace_branch;

/* Virtual machines on the traced CPU (Intel VMX). Trace of non-root operation
 * is of the guest's code, which a recording of the host does not contain: its
 * branches are consumed without following them. In the stream of events a guest
 * is one FLOW_STOP_GUEST, from the instruction that enters it to the start of
 * trace at the VM exit.
 *
 *	NONE ── TRACE_GUEST ──► ENTERING ── branch ──► INSIDE
 *	INSIDE ── TRACE_ADDRESS_SPACE ──► LEAVING ── branch ──► NONE
 *	NONE ── TRACE_STOP at VMLAUNCH, VMRESUME ──► HIDDEN ── TRACE_START ──► NONE
 *	INSIDE, LEAVING ── overflow ──► UNKNOWN ── PIP ──► INSIDE, or lost in NONE
 *
 * 1. In INSIDE, LEAVING, HIDDEN and UNKNOWN no block is followed.
 * 2. A guest's addresses are never looked up in the host's code.
 *
 * A sync point that repeats the page table root determines the state, whatever
 * it was before. Without kernel trace (IA32_RTIT_CTL.OS is 0) there are no
 * PIPs, so user code of a guest cannot be distinguished from the host's.
 *
 * Source: Intel SDM, volume 3, "Intel Processor Trace", "Paging Information
 * Packet", "VMCS Packet" and "Tracing and VMX".
 */

/* Follows TRACE_GUEST in the state GUEST_NONE. */
void follow_machine_entry(struct execution *execution,
			  const struct trace_branch *branch, uint64_t position);

/* Follows @branch in a state other than GUEST_NONE. Returns true if it is
 * consumed; otherwise it must be followed like a branch of the host.
 */
bool follow_guest(struct execution *execution,
		  const struct trace_branch *branch, uint64_t position);

#endif
