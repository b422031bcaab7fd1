/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_TRUTH_H
#define KT_MACHINE_GUEST_TRUTH_H

#include "machine/guest/init/problem.h"

/* Reports to the truth plugin where this kernel switches tasks and where
 * task_struct has its numbers, with an instruction that the plugin watches
 * (hand_over.h): the address of __switch_to or cpu_switch_to, and offset of
 * task_struct.pid << 32 | offset of task_struct.tgid. On x86-64 the instruction
 * is cpuid with EAX = 0x4b545452 ("KTTR"), ECX = 0 and these values in RBX and
 * RDX. Returns 0, or -1 with the problem.
 */
int truth_announce(struct problem *problem);

#endif
