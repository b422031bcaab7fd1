/* SPDX-License-Identifier: MIT */
#include "collector/trigger/program.h"

#include <asm/ptrace.h>
#include <stddef.h>

/* Offsets in struct pt_regs, the context of a probe's program. */
#ifdef __x86_64__
enum { STACK_POINTER = offsetof(struct pt_regs, rsp), LINK_REGISTER = -1 };
#else
enum {
	STACK_POINTER = offsetof(struct user_pt_regs, sp),
	LINK_REGISTER = offsetof(struct user_pt_regs, regs[30]),
};
#endif

static int field(size_t offset)
{
	return PROGRAM_VALUE + (int)offset;
}

void program_key_of_current(struct bpf_code *code)
{
	bpf_call(code, BPF_FUNC_get_current_task);
	bpf_store(code, BPF_DW, BPF_REG_10, PROGRAM_KEY, BPF_REG_0);
}

void program_key_of_argument(struct bpf_code *code, int index)
{
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, index * 8);
	bpf_store(code, BPF_DW, BPF_REG_10, PROGRAM_KEY, BPF_REG_1);
}

void program_point_at(struct bpf_code *code, int to, int place)
{
	bpf_move(code, to, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, to, place);
}

void program_look_up(struct bpf_code *code, int map, int place)
{
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, place);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
}

void program_forget_key(struct bpf_code *code, int map)
{
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, PROGRAM_KEY);
	bpf_call(code, BPF_FUNC_map_delete_elem);
}

void program_note_begin(struct bpf_code *code, int map, int stack)
{
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	for (int place = PROGRAM_VALUE; place < PROGRAM_KEY; place += 8)
		bpf_store_number(code, BPF_DW, BPF_REG_10, place, 0);
	bpf_store(code, BPF_DW, BPF_REG_10,
		  field(offsetof(struct trigger_begin, begin_ns)), BPF_REG_0);
	if (stack >= 0)
		bpf_store(code, BPF_DW, BPF_REG_10,
			  field(offsetof(struct trigger_begin, stack)), stack);
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, PROGRAM_KEY);
	program_point_at(code, BPF_REG_3, PROGRAM_VALUE);
	bpf_move_number(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
}

void program_load_stack_pointer(struct bpf_code *code, int to)
{
	bpf_load(code, BPF_DW, to, BPF_REG_6, STACK_POINTER);
}

bool program_has_link_register(void)
{
	return LINK_REGISTER >= 0;
}

void program_load_link_register(struct bpf_code *code, int to)
{
	if (LINK_REGISTER >= 0)
		bpf_load(code, BPF_DW, to, BPF_REG_6, LINK_REGISTER);
	else
		bpf_move_number(code, to, 0);
}

void program_output(struct bpf_code *code, const struct trigger_maps *maps,
		    size_t size)
{
	bpf_move(code, BPF_REG_1, BPF_REG_6);
	bpf_move_map(code, BPF_REG_2, maps->hits);
	bpf_move_wide(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	program_point_at(code, BPF_REG_4, PROGRAM_REPORT);
	bpf_move_number(code, BPF_REG_5, (int32_t)size);
	bpf_call(code, BPF_FUNC_perf_event_output);
}

void program_leave_others(struct bpf_code *code,
			  const struct trigger_maps *maps)
{
	size_t counts;

	if (maps->seeds < 0)
		return;
	bpf_compute_number(code, BPF_RSH, BPF_REG_0, 32);
	bpf_store(code, BPF_W, BPF_REG_10, PROGRAM_PROCESS, BPF_REG_0);
	program_look_up(code, maps->seeds, PROGRAM_PROCESS);
	counts = bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0);
	if (maps->members >= 0)
		program_look_up(code, maps->members, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_land(code, counts);
}
