/* SPDX-License-Identifier: MIT */
#include "symbolize/user_stack.h"

#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/symbols.h"
#include "symbolize/user_memory.h"

#include <libunwind.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* libunwind's names for the registers, in the order of perf's. */
#if defined(__x86_64__)
#define OWN_ARCH RECORDING_ARCH_X86_64
static const int registers[] = {
	UNW_X86_64_RAX, UNW_X86_64_RBX, UNW_X86_64_RCX, UNW_X86_64_RDX,
	UNW_X86_64_RSI, UNW_X86_64_RDI, UNW_X86_64_RBP, UNW_X86_64_RSP,
	UNW_X86_64_RIP, -1, -1, -1, -1, -1, -1, -1,
	UNW_X86_64_R8, UNW_X86_64_R9, UNW_X86_64_R10, UNW_X86_64_R11,
	UNW_X86_64_R12, UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15,
};
#elif defined(__aarch64__)
#define OWN_ARCH RECORDING_ARCH_ARM64
static const int registers[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};
#endif

/* Exported by libunwind for those who find the tables themselves, and in none
 * of its headers; perf uses it the same way.
 */
#define dwarf_search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int dwarf_search_unwind_table(unw_addr_space_t space, unw_word_t ip,
			      unw_dyn_info_t *info, unw_proc_info_t *found,
			      int need_unwind_info, void *arg);

struct user_stack {
	const struct symbols *symbols;
	struct user_memory *memory;
	unw_addr_space_t space;
	const struct sideband_user_state *state;	/* being unwound */
};

static bool find_register(const struct sideband_user_state *state, int wanted,
			  uint64_t *value)
{
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (registers[i] == wanted)
			return sideband_register(&state->registers,
						 (unsigned int)i, value);
	return false;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number,
			   unw_word_t *value, int is_write, void *arg)
{
	const struct user_stack *stack = arg;
	uint64_t found;

	(void)space;
	if (is_write || !find_register(stack->state, number, &found))
		return -UNW_EBADREG;
	*value = found;
	return 0;
}

static bool read_stack(const struct sideband_user_state *state,
		       uint64_t address, unw_word_t *value)
{
	uint64_t bottom;

	if (!state->stack || !find_register(state, UNW_REG_SP, &bottom) ||
	    address < bottom || address - bottom > state->stack_size ||
	    state->stack_size - (address - bottom) < sizeof(*value))
		return false;
	memcpy(value, state->stack + (address - bottom), sizeof(*value));
	return true;
}

static int access_memory(unw_addr_space_t space, unw_word_t address,
			 unw_word_t *value, int is_write, void *arg)
{
	const struct user_stack *stack = arg;

	(void)space;
	if (!is_write &&
	    (read_stack(stack->state, address, value) ||
	     user_memory_read(stack->memory, address, value, sizeof(*value))))
		return 0;
	return -UNW_EINVAL;
}

static int find_procedure(unw_addr_space_t space, unw_word_t ip,
			  unw_proc_info_t *found, int need_unwind_info,
			  void *arg)
{
	struct user_stack *stack = arg;
	struct unwind_table table;
	struct user_image image;
	unw_dyn_info_t info = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };

	if (!user_memory_image(stack->memory, ip, &image) ||
	    !user_elf_unwind_table(image.elf, &table))
		return -UNW_ENOINFO;
	info.start_ip = image.start;
	info.end_ip = image.end;
	info.u.rti.segbase = image.shift + table.header;
	info.u.rti.table_data = image.shift + table.entries;
	info.u.rti.table_len = table.entry_count * 8 / sizeof(unw_word_t);
	return dwarf_search_unwind_table(space, ip, &info, found,
					 need_unwind_info, arg);
}

static void put_procedure(unw_addr_space_t space, unw_proc_info_t *found,
			  void *arg)
{
	(void)space;
	(void)found;
	(void)arg;
}

static int no_dynamic_list(unw_addr_space_t space, unw_word_t *list, void *arg)
{
	(void)space;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int no_float(unw_addr_space_t space, unw_regnum_t number,
		    unw_fpreg_t *value, int is_write, void *arg)
{
	(void)space;
	(void)number;
	(void)value;
	(void)is_write;
	(void)arg;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t address, char *name,
		   size_t size, unw_word_t *offset, void *arg)
{
	(void)space;
	(void)address;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

/* libunwind keeps a pointer to it and does not write there. */
static unw_accessors_t *accessors(void)
{
	static const unw_accessors_t table = {
		.find_proc_info = find_procedure,
		.put_unwind_info = put_procedure,
		.get_dyn_info_list_addr = no_dynamic_list,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = no_float,
		.resume = no_resume,
		.get_proc_name = no_name,
	};

	return (unw_accessors_t *)(uintptr_t)&table;
}

struct user_stack *user_stack_new(const struct recording *recording,
				  const struct symbols *symbols)
{
	struct user_stack *stack;

	if (recording_arch(recording) != OWN_ARCH)
		return NULL;
	stack = calloc(1, sizeof(*stack));
	if (!stack)
		return NULL;
	stack->symbols = symbols;
	stack->memory = user_memory_new(recording);
	stack->space = unw_create_addr_space(accessors(), 0);
	if (stack->memory && stack->space) {
		unw_set_caching_policy(stack->space, UNW_CACHE_GLOBAL);
		return stack;
	}
	user_stack_free(stack);
	return NULL;
}

void user_stack_free(struct user_stack *stack)
{
	if (!stack)
		return;
	if (stack->space)
		unw_destroy_addr_space(stack->space);
	user_memory_free(stack->memory);
	free(stack);
}

static uint32_t function_of(const struct user_stack *stack, int32_t pid,
			    uint64_t address)
{
	struct symbol symbol;

	symbols_find(stack->symbols, pid, address, &symbol);
	return symbol.function;
}

static size_t walk(struct user_stack *stack, int32_t pid, uint32_t *functions,
		   size_t room)
{
	unw_cursor_t cursor;
	unw_word_t ip = 0;
	size_t count = 0;

	if (unw_init_remote(&cursor, stack->space, stack))
		return 0;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip)
			break;
		/* A return address may lie behind its function's end. */
		functions[count++] = function_of(stack, pid, ip - 1);
	} while (count < room && unw_step(&cursor) > 0);
	return count;
}

size_t user_stack_unwind(struct user_stack *stack,
			 const struct sideband_record *record,
			 uint32_t *functions, size_t room)
{
	const struct sideband_user_state *state = &record->sample.user;
	int changed;

	if (state->registers.abi != PERF_SAMPLE_REGS_ABI_64 || !room)
		return 0;
	changed = user_memory_look(stack->memory, record->pid,
				   record->time_ns);
	if (changed < 0)
		return 0;
	if (changed)
		unw_flush_cache(stack->space, 0, 0);
	stack->state = state;
	return walk(stack, record->pid, functions, room);
}
