/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_GATE_PROGRAM_INTERNAL_H
#define KT_COLLECTOR_GATE_GATE_PROGRAM_INTERNAL_H

#include "collector/trigger/trigger_program.h"

struct bpf_code;

/* Returns whether the program at a function's start reads the return address
 * from a register, which the kernel's own return probe modifies.
 */
bool gate_program_reads_caller(void);

/* The BPF programs that track in the kernel whether a task is inside of a
 * chosen call. When one returns 1, the event of its probe pauses or resumes the
 * trace, and a mark (common/formats/recording_events.h) was written to the
 * ring.
 */

/* Program for the start of function number @number, if the map @chosen contains
 * it: marks the task as inside, unless the call is nested in a marked call.
 */
void gate_program_begin(struct bpf_code *code, const struct trigger_maps *maps,
			int chosen, uint32_t number);

/* Program for the return: clears the task's mark, if the returning call is the
 * marked one.
 */
void gate_program_end(struct bpf_code *code, const struct trigger_maps *maps);

/* Programs for where a task is switched out, and where it is switched in:
 * return 1 if the task is marked.
 */
void gate_program_leave(struct bpf_code *code, const struct trigger_maps *maps);
void gate_program_come(struct bpf_code *code, const struct trigger_maps *maps);

#endif
