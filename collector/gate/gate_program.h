/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_PROGRAM_H
#define KT_COLLECTOR_GATE_PROGRAM_H

#include "collector/trigger/trigger_program.h"

struct bpf_code;

/* Returns whether the program at a function's begin reads who called it from a
 * register, which the kernel's part of a probe at the return changes.
 */
bool gate_program_reads_caller(void);

/* The BPF programs that know in the kernel whether a task is inside of a chosen
 * call.  Where each returns 1, the event of its probe pauses or resumes the
 * trace, and a mark (common/gate_mark.h) is in the ring.
 */

/* At the begin of function number @number, if the map @chosen has it: notes the
 * task, unless the call is inside of another one that is noted.
 */
void gate_program_begin(struct bpf_code *code, const struct trigger_maps *maps,
			int chosen, uint32_t number);

/* At its return: forgets the task, if it is the noted call that returns. */
void gate_program_end(struct bpf_code *code, const struct trigger_maps *maps);

/* Where a task leaves its CPU, and where it has got one: 1 if it is noted. */
void gate_program_leave(struct bpf_code *code, const struct trigger_maps *maps);
void gate_program_come(struct bpf_code *code, const struct trigger_maps *maps);

#endif
