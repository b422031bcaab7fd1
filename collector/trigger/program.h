/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_PROGRAM_H
#define KT_COLLECTOR_PROGRAM_H

#include "collector/trigger/bpf_code.h"
#include "collector/trigger/trigger_program.h"

/* Instruction sequences shared by the triggers' programs. All of them use r0 to
 * r5.
 */

/* Offsets on the stack of each program, below r10. */
enum {
	PROGRAM_KEY = -8, /* a task */
	PROGRAM_VALUE = PROGRAM_KEY - (int)sizeof(struct trigger_begin),
	PROGRAM_REPORT = PROGRAM_VALUE - (int)sizeof(struct trigger_report),
	PROGRAM_PROCESS = PROGRAM_REPORT - 8,
};

/* PROGRAM_KEY = the current task */
void program_key_of_current(struct bpf_code *code);

/* PROGRAM_KEY = argument @index of a raw tracepoint, whose context is in r6 */
void program_key_of_argument(struct bpf_code *code, int index);

/* r0 = the address of the value for the key at @place, or 0 */
void program_point_at(struct bpf_code *code, int to, int place);

/* r0 = where the value of the key at @place is, or 0 */
void program_look_up(struct bpf_code *code, int map, int place);

/* Removes PROGRAM_KEY from @map. */
void program_forget_key(struct bpf_code *code, int map);

/* Sets PROGRAM_VALUE to a start at the current time, with the stack pointer in
 * register @stack, or 0 if that is < 0, and stores it for PROGRAM_KEY.
 */
void program_note_begin(struct bpf_code *code, int map, int stack);

/* @to = the stack pointer at the probe, whose context is in r6 */
void program_load_stack_pointer(struct bpf_code *code, int to);

/* Returns whether calls on this architecture pass the return address in a
 * register.
 */
bool program_has_link_register(void);

/* @to = that register at the probe, whose context is in r6; otherwise 0 */
void program_load_link_register(struct bpf_code *code, int to);

/* Writes @size bytes at PROGRAM_REPORT to the ring of this CPU's event in
 * maps->hits; r6 is the context.
 */
void program_output(struct bpf_code *code, const struct trigger_maps *maps,
		    size_t size);

/* Exits unless the current task counts. Its process and thread are in r0, its
 * key at PROGRAM_KEY.
 */
void program_leave_others(struct bpf_code *code,
			  const struct trigger_maps *maps);

#endif
