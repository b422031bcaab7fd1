/* SPDX-License-Identifier: MIT */
#include "collector/call_data/call_data_program_internal.h"

#include "common/formats/call_data.h"
#include "common/formats/kernel_types.h"

#include <asm/ptrace.h>
#include <assert.h>
#include <stddef.h>
#include <sys/stat.h>

/* Registers that are preserved across calls of BPF helpers, and their use. */
enum {
	CONTEXT = BPF_REG_6, /* of the raw tracepoint */
	SCRATCH = BPF_REG_7, /* struct scratch of this CPU */
	/* index of the fetch; the verifier sees a constant in each iteration of
	 * the loop
	 */
	FETCH = BPF_REG_8,
	PLAN = BPF_REG_9, /* struct call_plan; in walk_path(): a counter */
};

/* Offsets on the stack, below the offsets of trigger_program.h. */
enum { SPILLED_PLAN = PROGRAM_PROCESS - 8, MAP_KEY = SPILLED_PLAN - 8 };

/* ROOM is the offset in `bytes` after which nothing more is appended. SLACK is
 * more than the last append may add: the data of a fetch, or the facts of a
 * file and a name.
 */
enum { ROOM = 2048, SLACK = 640, NAME_LIMIT = 256, TEXT_LIMIT = 128 };

/* Maximum numbers of names of a path, and of texts of an array. */
enum { NAMES = 32, TEXTS = 16 };

#ifdef __x86_64__
typedef struct pt_regs recorded_registers;
#else
/* struct pt_regs of arch/arm64/include/asm/ptrace.h. */
typedef struct {
	struct user_pt_regs user;
	uint64_t first_argument; /* orig_x0 */
	int32_t number;
} recorded_registers;
#endif

/* The variables of the programs. They have 64 bits and are in memory, so that
 * the verifier need not track their values.
 */
struct scratch {
	uint64_t arguments[8]; /* [CALL_DATA_RESULT]: the result */
	uint64_t address;      /* value of the fetch's argument */
	uint64_t length;       /* number of bytes to read */
	uint64_t start;	       /* offset of the item in `bytes` */
	uint64_t info;
	uint64_t has_failed;
	uint64_t pointer; /* temporary values */
	uint64_t size;
	uint64_t file; /* struct file; 0: none */
	uint64_t path; /* struct path */
	uint64_t mount;
	uint64_t root; /* of the mount */
	uint64_t dentry;
	uint64_t parent;
	uint64_t inode;
	uint64_t flags;
	struct call_data_file facts;
	struct call_data_socket socket;
	recorded_registers registers;
	struct call_data head __attribute__((aligned(8)));
	uint8_t bytes[ROOM + SLACK];
};

#define AT(member) ((int)offsetof(struct scratch, member))
#define POSITION (AT(head) + (int)offsetof(struct call_data, size))

size_t call_data_scratch_size(void)
{
	return sizeof(struct scratch);
}

/* Forward jumps to one target, which is emitted later. */
struct jumps {
	size_t jump[24];
	size_t count;
};

static void add_jump(struct jumps *jumps, size_t jump)
{
	assert(jumps->count < sizeof(jumps->jump) / sizeof(*jumps->jump));
	jumps->jump[jumps->count++] = jump;
}

static void land(struct bpf_code *code, struct jumps *jumps)
{
	for (size_t i = 0; i < jumps->count; i++)
		bpf_land(code, jumps->jump[i]);
	jumps->count = 0;
}

static void load(struct bpf_code *code, int to, int member)
{
	bpf_load(code, BPF_DW, to, SCRATCH, member);
}

static void store(struct bpf_code *code, int member, int from)
{
	bpf_store(code, BPF_DW, SCRATCH, member, from);
}

static void store_number(struct bpf_code *code, int member, int32_t value)
{
	bpf_store_number(code, BPF_DW, SCRATCH, member, value);
}

static void copy(struct bpf_code *code, int to, int from)
{
	load(code, BPF_REG_1, from);
	store(code, to, BPF_REG_1);
}

/* @member += @value */
static void increase(struct bpf_code *code, int member, int32_t value)
{
	load(code, BPF_REG_1, member);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, value);
	store(code, member, BPF_REG_1);
}

/* Reads @size bytes of the kernel's memory at r3 to @member. Unreadable memory
 * is read as 0.
 */
static void read_kernel(struct bpf_code *code, int member, int size)
{
	bpf_move(code, BPF_REG_1, SCRATCH);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, member);
	bpf_move_number(code, BPF_REG_2, size);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
}

/* @to = the @size bytes at @offset of the kernel's object at the address in
 * member @from.
 */
static void follow(struct bpf_code *code, int to, int from, int offset,
		   int size)
{
	load(code, BPF_REG_3, from);
	bpf_compute_number(code, BPF_ADD, BPF_REG_3, offset);
	read_kernel(code, to, size);
}

/* Like follow(), for a number of fewer than 8 bytes: extends it with zeros to
 * the 8 bytes of member @to.
 */
static void follow_number(struct bpf_code *code, int to, int from, int offset,
			  int size)
{
	store_number(code, to, 0);
	follow(code, to, from, offset, size);
}

/* Sets @to to the address of the fetch. */
static void point_at_fetch(struct bpf_code *code, int to)
{
	bpf_move(code, to, FETCH);
	bpf_compute_number(code, BPF_MUL, to, sizeof(struct call_fetch));
	bpf_compute(code, BPF_ADD, to, PLAN);
}

/* Sets @to to the argument, or the result, whose number is the byte @offset of
 * the fetch.
 */
static void load_argument(struct bpf_code *code, int to, size_t offset)
{
	point_at_fetch(code, to);
	bpf_load(code, BPF_B, to, to, (int)offset);
	bpf_compute_number(code, BPF_AND, to, 7);
	bpf_compute_number(code, BPF_LSH, to, 3);
	bpf_compute(code, BPF_ADD, to, SCRATCH);
	bpf_load(code, BPF_DW, to, to, AT(arguments));
}

/* Sets @to to the address after the items so far, at which SLACK bytes can be
 * written; or adds a jump to @full.
 */
static void point_at_room(struct bpf_code *code, int to, struct jumps *full)
{
	load(code, to, POSITION);
	add_jump(full, bpf_jump_if(code, BPF_JGT, to, ROOM));
	bpf_compute(code, BPF_ADD, to, SCRATCH);
	bpf_compute_number(code, BPF_ADD, to, AT(bytes));
}

/* Ends the program if the system call is a 32-bit (compat) one. */
static void leave_compat(struct bpf_code *code)
{
#ifdef __x86_64__
	enum { USER_CODE = 0x33 }; /* __USER_CS */

	load(code, BPF_REG_1, AT(registers.cs));
	bpf_leave_if(code, BPF_JNE, BPF_REG_1, USER_CODE);
#else
	load(code, BPF_REG_1, AT(registers.user.pstate));
	bpf_compute_number(code, BPF_AND, BPF_REG_1, PSR_MODE32_BIT);
	bpf_leave_if(code, BPF_JNE, BPF_REG_1, 0);
#endif
}

static void take_arguments(struct bpf_code *code)
{
#ifdef __x86_64__
	static const int from[] = {
		AT(registers.rdi), AT(registers.rsi), AT(registers.rdx),
		AT(registers.r10), AT(registers.r8),  AT(registers.r9),
	};
#else
	static const int from[] = {
		AT(registers.first_argument), AT(registers.user.regs[1]),
		AT(registers.user.regs[2]),   AT(registers.user.regs[3]),
		AT(registers.user.regs[4]),   AT(registers.user.regs[5]),
	};
#endif

	for (int i = 0; i < (int)(sizeof(from) / sizeof(*from)); i++)
		copy(code, AT(arguments) + 8 * i, from[i]);
}

/* Sets SCRATCH, or ends the program. */
static void find_scratch(struct bpf_code *code,
			 const struct call_data_maps *maps, bool is_exit)
{
	bpf_store_number(code, BPF_W, BPF_REG_10, MAP_KEY, is_exit);
	program_look_up(code, maps->scratch, MAP_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_move(code, SCRATCH, BPF_REG_0);
}

/* Stores the number of the call at MAP_KEY: sys_enter has it as its second
 * argument, for sys_exit it is read from the registers.
 */
static void find_number(struct bpf_code *code, bool is_exit)
{
#ifdef __x86_64__
	const int offset = (int)offsetof(recorded_registers, orig_rax);
#else
	const int offset = (int)offsetof(recorded_registers, number);
#endif

	if (!is_exit) {
		bpf_load(code, BPF_DW, BPF_REG_1, CONTEXT, 8);
		bpf_store(code, BPF_DW, BPF_REG_10, MAP_KEY, BPF_REG_1);
		return;
	}
	bpf_store_number(code, BPF_DW, BPF_REG_10, MAP_KEY, 0);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, MAP_KEY);
	bpf_move_number(code, BPF_REG_2, sizeof(int32_t));
	bpf_load(code, BPF_DW, BPF_REG_3, CONTEXT, 0);
	bpf_compute_number(code, BPF_ADD, BPF_REG_3, offset);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
}

/* Sets PLAN to the call's struct call_plan, or ends the program if it is empty.
 * This comes first, because most calls have no data to read.
 */
static void find_plan(struct bpf_code *code, const struct call_data_maps *maps,
		      bool is_exit)
{
	const int first = is_exit ? (int)offsetof(struct call_plan, exit) :
				    (int)offsetof(struct call_plan, enter);

	find_number(code, is_exit);
	program_look_up(code, maps->plans, MAP_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_move(code, PLAN, BPF_REG_0);
	bpf_load(code, BPF_B, BPF_REG_1, PLAN, first);
	/* Data that could not be read at the start is read at the end. */
	if (is_exit) {
		bpf_load(code, BPF_B, BPF_REG_2, PLAN, 0);
		bpf_compute(code, BPF_OR, BPF_REG_1, BPF_REG_2);
	}
	bpf_leave_if(code, BPF_JEQ, BPF_REG_1, 0);
}

/* Ends the program for the recorder's own calls, and for tasks that are not
 * recorded.
 */
static void leave_unwanted(struct bpf_code *code,
			   const struct call_data_maps *maps, uint32_t recorder)
{
	program_key_of_current(code);
	bpf_current_task(code, PROGRAM_PROCESS);
	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_compute_number(code, BPF_RSH, BPF_REG_1, 32);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_1, (int32_t)recorder);
	program_leave_others(code, &maps->maps);
}

/* Emits the start of a program: checks the task, and copies the call's
 * arguments and result. The raw tracepoint's context has two words: the address
 * of the registers, and the call's number (sys_enter) or result (sys_exit).
 */
static void begin(struct bpf_code *code, const struct call_data_maps *maps,
		  bool is_exit, uint32_t recorder)
{
	bpf_move(code, CONTEXT, BPF_REG_1);
	find_plan(code, maps, is_exit);
	leave_unwanted(code, maps, recorder);
	bpf_load(code, BPF_W, FETCH, BPF_REG_10, MAP_KEY);
	find_scratch(code, maps, is_exit);
	bpf_store(code, BPF_W, SCRATCH, AT(head.number), FETCH);
	bpf_load(code, BPF_DW, BPF_REG_3, CONTEXT, 0);
	read_kernel(code, AT(registers), sizeof(recorded_registers));
	leave_compat(code);
	take_arguments(code);
	bpf_load(code, BPF_DW, BPF_REG_1, CONTEXT, 8);
	store(code, AT(arguments) + 8 * CALL_DATA_RESULT, BPF_REG_1);
	bpf_store_number(code, BPF_W, SCRATCH, AT(head.is_exit), is_exit);
	store_number(code, POSITION, 0);
	store_number(code, AT(has_failed), 0);
}

/* Reads program memory: @length bytes at r3 to the end of the items. */
static void read_program(struct bpf_code *code, struct jumps *full,
			 struct jumps *failed)
{
	point_at_room(code, BPF_REG_1, full);
	load(code, BPF_REG_2, AT(length));
	bpf_compute_number(code, BPF_AND, BPF_REG_2, CALL_FETCH_LIMIT);
	bpf_call(code, BPF_FUNC_probe_read_user);
	add_jump(failed, bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0));
	load(code, BPF_REG_1, POSITION);
	load(code, BPF_REG_2, AT(length));
	bpf_compute(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	store(code, POSITION, BPF_REG_1);
}

/* Reads a string at r3, of at most r2 bytes with its NUL, with the BPF helper
 * @function, to the end of the items.
 */
static void read_text(struct bpf_code *code, int function, struct jumps *full,
		      struct jumps *failed)
{
	size_t is_text;

	point_at_room(code, BPF_REG_1, full);
	bpf_compute_number(code, BPF_AND, BPF_REG_2, CALL_FETCH_LIMIT);
	bpf_call(code, function);
	add_jump(failed, bpf_jump_if(code, BPF_JSLT, BPF_REG_0, 0));
	/* The helper returns 0 for an empty string in program memory
	 * (mm/maccess.c).
	 */
	is_text = bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0);
	bpf_move_number(code, BPF_REG_0, 1);
	bpf_land(code, is_text);
	load(code, BPF_REG_1, POSITION);
	bpf_compute(code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	store(code, POSITION, BPF_REG_1);
}

static void load_limit(struct bpf_code *code, int to)
{
	point_at_fetch(code, to);
	bpf_load(code, BPF_W, to, to, offsetof(struct call_fetch, limit));
}

static void fetch_string(struct bpf_code *code, struct jumps *full,
			 struct jumps *failed)
{
	load_limit(code, BPF_REG_2);
	store(code, AT(info), BPF_REG_2);
	load(code, BPF_REG_3, AT(address));
	read_text(code, BPF_FUNC_probe_read_user_str, full, failed);
}

/* Reads an array of `info` bytes, but at most the fetch's limit. */
static void fetch_array(struct bpf_code *code, struct jumps *full,
			struct jumps *failed)
{
	size_t fits;

	load(code, BPF_REG_1, AT(info));
	load_limit(code, BPF_REG_2);
	fits = bpf_jump_if_register(code, BPF_JLE, BPF_REG_1, BPF_REG_2);
	bpf_move(code, BPF_REG_1, BPF_REG_2);
	bpf_land(code, fits);
	store(code, AT(length), BPF_REG_1);
	load(code, BPF_REG_3, AT(address));
	read_program(code, full, failed);
}

static void fetch_bytes(struct bpf_code *code, struct jumps *full,
			struct jumps *failed)
{
	load_limit(code, BPF_REG_1);
	store(code, AT(info), BPF_REG_1);
	fetch_array(code, full, failed);
}

static void fetch_counted(struct bpf_code *code, struct jumps *full,
			  struct jumps *failed)
{
	size_t positive;

	load_argument(code, BPF_REG_1, offsetof(struct call_fetch, length));
	positive = bpf_jump_if(code, BPF_JSGT, BPF_REG_1, 0);
	bpf_move_number(code, BPF_REG_1, 0);
	bpf_land(code, positive);
	point_at_fetch(code, BPF_REG_2);
	bpf_load(code, BPF_B, BPF_REG_2, BPF_REG_2,
		 offsetof(struct call_fetch, unit));
	bpf_compute(code, BPF_MUL, BPF_REG_1, BPF_REG_2);
	store(code, AT(info), BPF_REG_1);
	fetch_array(code, full, failed);
}

static void fetch_measured(struct bpf_code *code, struct jumps *full,
			   struct jumps *failed)
{
	store_number(code, AT(info), 0);
	bpf_move(code, BPF_REG_1, SCRATCH);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, AT(info));
	bpf_move_number(code, BPF_REG_2, sizeof(uint32_t));
	load_argument(code, BPF_REG_3, offsetof(struct call_fetch, length));
	bpf_call(code, BPF_FUNC_probe_read_user);
	fetch_array(code, full, failed);
}

/* Reads the strings to which an array of pointers refers, up to its NULL or to
 * the first string that cannot be read.
 */
static void fetch_strings(struct bpf_code *code, struct jumps *full,
			  struct jumps *failed)
{
	struct jumps end = { .count = 0 };
	size_t loop;

	store_number(code, AT(info), 0);
	bpf_store(code, BPF_DW, BPF_REG_10, SPILLED_PLAN, PLAN);
	bpf_move_number(code, PLAN, 0);
	loop = code->count;
	bpf_move(code, BPF_REG_1, SCRATCH);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, AT(pointer));
	bpf_move_number(code, BPF_REG_2, sizeof(uint64_t));
	load(code, BPF_REG_3, AT(address));
	bpf_call(code, BPF_FUNC_probe_read_user);
	add_jump(&end, bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0));
	increase(code, AT(address), sizeof(uint64_t));
	load(code, BPF_REG_3, AT(pointer));
	store_number(code, AT(info), 1);
	add_jump(&end, bpf_jump_if(code, BPF_JEQ, BPF_REG_3, 0));
	store_number(code, AT(info), 0);
	bpf_move_number(code, BPF_REG_2, TEXT_LIMIT);
	read_text(code, BPF_FUNC_probe_read_user_str, &end, &end);
	bpf_compute_number(code, BPF_ADD, PLAN, 1);
	bpf_repeat_if(code, loop, BPF_JLT, PLAN, TEXTS);
	land(code, &end);
	bpf_load(code, BPF_DW, PLAN, BPF_REG_10, SPILLED_PLAN);
	/* If neither a string nor the NULL was read, the read failed. */
	load(code, BPF_REG_1, POSITION);
	load(code, BPF_REG_2, AT(start));
	bpf_compute(code, BPF_SUB, BPF_REG_1, BPF_REG_2);
	load(code, BPF_REG_2, AT(info));
	bpf_compute(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	add_jump(failed, bpf_jump_if(code, BPF_JEQ, BPF_REG_1,
				     sizeof(struct call_data_item)));
	/* Strings that do not fit are left out; the item remains. */
	(void)full;
}

/* Sets `file` to the struct file of the descriptor in r1, or adds a jump to
 * @none.
 */
static void find_file(struct bpf_code *code, const struct file_offsets *offsets,
		      struct jumps *none)
{
	/* The current task, as program_key_of_current() stored it. */
	bpf_load(code, BPF_DW, BPF_REG_2, BPF_REG_10, PROGRAM_KEY);
	store(code, AT(pointer), BPF_REG_2);
	store(code, AT(info), BPF_REG_1);
	follow(code, AT(pointer), AT(pointer), offsets->task_files, 8);
	follow(code, AT(pointer), AT(pointer), offsets->files_table, 8);
	follow_number(code, AT(size), AT(pointer), offsets->table_size, 4);
	load(code, BPF_REG_1, AT(info));
	load(code, BPF_REG_2, AT(size));
	add_jump(none,
		 bpf_jump_if_register(code, BPF_JGE, BPF_REG_1, BPF_REG_2));
	follow(code, AT(pointer), AT(pointer), offsets->table_files, 8);
	load(code, BPF_REG_3, AT(pointer));
	load(code, BPF_REG_1, AT(info));
	bpf_compute_number(code, BPF_LSH, BPF_REG_1, 3);
	bpf_compute(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
	read_kernel(code, AT(file), 8);
	load(code, BPF_REG_1, AT(file));
	add_jump(none, bpf_jump_if(code, BPF_JEQ, BPF_REG_1, 0));
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, offsets->file_path);
	store(code, AT(path), BPF_REG_1);
}

/* Sets `path` to the address of the struct path of the descriptor in r1, a
 * number of 32 bits: that of an open file, or for AT_FDCWD the current
 * directory. Sets `file` to the struct file, or to 0 for AT_FDCWD. Adds a jump
 * to @none for a descriptor that is not open.
 */
static void find_path(struct bpf_code *code, const struct file_offsets *offsets,
		      struct jumps *none)
{
	enum { CURRENT_DIRECTORY = -100 };
	size_t is_file;
	size_t found;

	bpf_compute_number(code, BPF_LSH, BPF_REG_1, 32);
	bpf_compute_number(code, BPF_ARSH, BPF_REG_1, 32);
	store_number(code, AT(file), 0);
	is_file = bpf_jump_if(code, BPF_JNE, BPF_REG_1, CURRENT_DIRECTORY);
	bpf_load(code, BPF_DW, BPF_REG_2, BPF_REG_10, PROGRAM_KEY);
	store(code, AT(pointer), BPF_REG_2);
	follow(code, AT(path), AT(pointer), offsets->task_fs, 8);
	increase(code, AT(path), offsets->fs_pwd);
	found = bpf_jump(code);
	bpf_land(code, is_file);
	/* Compared as unsigned, negative numbers exceed any table. */
	find_file(code, offsets, none);
	bpf_land(code, found);
}

static void read_facts(struct bpf_code *code,
		       const struct file_offsets *offsets)
{
	follow(code, AT(mount), AT(path), offsets->path_mount, 8);
	follow(code, AT(dentry), AT(path), offsets->path_dentry, 8);
	follow(code, AT(inode), AT(dentry), offsets->dentry_inode, 8);
	follow(code, AT(facts.inode), AT(inode), offsets->inode_number, 8);
	follow(code, AT(facts.mode), AT(inode), offsets->inode_mode, 2);
	follow(code, AT(pointer), AT(inode), offsets->inode_super, 8);
	follow(code, AT(facts.device), AT(pointer), offsets->super_device, 4);
	store_number(code, AT(flags), 0);
}

static void read_addresses(struct bpf_code *code, int local, int remote,
			   int size)
{
	if (local < 0 || remote < 0)
		return;
	follow(code, AT(socket.local), AT(pointer), local, size);
	follow(code, AT(socket.remote), AT(pointer), remote, size);
}

/* Reads the socket of `file`. */
static void read_socket(struct bpf_code *code,
			const struct file_offsets *offsets)
{
	enum { FAMILY_IPV6 = 10 };
	size_t is_ipv6;

	for (int i = 0; i < (int)sizeof(struct call_data_socket); i += 8)
		store_number(code, AT(socket) + i, 0);
	follow(code, AT(size), AT(file), offsets->file_private, 8);
	follow(code, AT(socket.type), AT(size), offsets->socket_type, 2);
	follow(code, AT(pointer), AT(size), offsets->socket_sock, 8);
	follow(code, AT(socket.family), AT(pointer), offsets->sock_family, 2);
	follow(code, AT(socket.protocol), AT(pointer), offsets->sock_protocol,
	       2);
	follow(code, AT(socket.local_port), AT(pointer),
	       offsets->sock_local_port, 2);
	follow(code, AT(socket.remote_port), AT(pointer),
	       offsets->sock_remote_port, 2);
	read_addresses(code, offsets->sock_local_ipv4,
		       offsets->sock_remote_ipv4, 4);
	bpf_load(code, BPF_H, BPF_REG_1, SCRATCH, AT(socket.family));
	is_ipv6 = bpf_jump_if(code, BPF_JNE, BPF_REG_1, FAMILY_IPV6);
	read_addresses(code, offsets->sock_local_ipv6,
		       offsets->sock_remote_ipv6, 16);
	bpf_land(code, is_ipv6);
}

/* Copies @size bytes at @member, a multiple of 8, to the end of the items. */
static void add_bytes(struct bpf_code *code, int member, int size,
		      struct jumps *full)
{
	point_at_room(code, BPF_REG_2, full);
	for (int i = 0; i < size; i += 8) {
		load(code, BPF_REG_1, member + i);
		bpf_store(code, BPF_DW, BPF_REG_2, i, BPF_REG_1);
	}
	increase(code, POSITION, size);
}

/* Compares the address in member @slot with that of its `parent`. If they are
 * equal, the object is the topmost one: sets @flag and adds a jump to @end.
 * Otherwise r1 is `parent` afterwards.
 */
static void end_at_top(struct bpf_code *code, int slot, int32_t flag,
		       struct jumps *end)
{
	size_t below;

	load(code, BPF_REG_1, AT(parent));
	load(code, BPF_REG_2, slot);
	below = bpf_jump_if_register(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	load(code, BPF_REG_1, AT(flags));
	bpf_compute_number(code, BPF_OR, BPF_REG_1, flag);
	store(code, AT(flags), BPF_REG_1);
	add_jump(end, bpf_jump(code));
	bpf_land(code, below);
}

/* At the root of a mount: continues at its mount point, in the parent mount. */
static void leave_mount(struct bpf_code *code,
			const struct file_offsets *offsets, struct jumps *end)
{
	load(code, BPF_REG_1, AT(mount));
	bpf_compute_number(code, BPF_SUB, BPF_REG_1, offsets->mount_inner);
	store(code, AT(pointer), BPF_REG_1);
	follow(code, AT(parent), AT(pointer), offsets->mount_parent, 8);
	end_at_top(code, AT(pointer), CALL_FILE_ROOTED, end);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, offsets->mount_inner);
	store(code, AT(mount), BPF_REG_1);
	follow(code, AT(dentry), AT(pointer), offsets->mount_point, 8);
}

/* Adds the name of `dentry`, and continues with its directory. */
static void add_name(struct bpf_code *code, const struct file_offsets *offsets,
		     struct jumps *end)
{
	follow(code, AT(parent), AT(dentry), offsets->dentry_parent, 8);
	follow(code, AT(pointer), AT(dentry), offsets->dentry_name, 8);
	load(code, BPF_REG_3, AT(pointer));
	bpf_move_number(code, BPF_REG_2, NAME_LIMIT);
	read_text(code, BPF_FUNC_probe_read_kernel_str, end, end);
	end_at_top(code, AT(dentry), CALL_FILE_DETACHED, end);
	store(code, AT(dentry), BPF_REG_1);
}

/* Adds the names of `path`, from the last to the first, across mounts. */
static void walk_path(struct bpf_code *code, const struct file_offsets *offsets)
{
	struct jumps end = { .count = 0 };
	size_t is_inside;
	size_t next;
	size_t loop;

	bpf_store(code, BPF_DW, BPF_REG_10, SPILLED_PLAN, PLAN);
	bpf_move_number(code, PLAN, 0);
	loop = code->count;
	follow(code, AT(root), AT(mount), offsets->mount_root, 8);
	load(code, BPF_REG_1, AT(root));
	load(code, BPF_REG_2, AT(dentry));
	is_inside = bpf_jump_if_register(code, BPF_JNE, BPF_REG_1, BPF_REG_2);
	leave_mount(code, offsets, &end);
	next = bpf_jump(code);
	bpf_land(code, is_inside);
	add_name(code, offsets, &end);
	bpf_land(code, next);
	bpf_compute_number(code, BPF_ADD, PLAN, 1);
	bpf_repeat_if(code, loop, BPF_JLT, PLAN, NAMES);
	land(code, &end);
	bpf_load(code, BPF_DW, PLAN, BPF_REG_10, SPILLED_PLAN);
}

/* Sets CALL_FILE_DELETED if the dentry is in no hash list. A dentry without a
 * parent is in none either, and is not deleted.
 */
static void find_deleted(struct bpf_code *code,
			 const struct file_offsets *offsets)
{
	size_t is_root;
	size_t is_there;

	follow(code, AT(parent), AT(dentry), offsets->dentry_parent, 8);
	load(code, BPF_REG_1, AT(parent));
	load(code, BPF_REG_2, AT(dentry));
	is_root = bpf_jump_if_register(code, BPF_JEQ, BPF_REG_1, BPF_REG_2);
	follow(code, AT(pointer), AT(dentry), offsets->dentry_hash, 8);
	load(code, BPF_REG_1, AT(pointer));
	is_there = bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
	store_number(code, AT(flags), CALL_FILE_DELETED);
	bpf_land(code, is_root);
	bpf_land(code, is_there);
}

/* Adds the facts about the file of the descriptor in r1, and its names or its
 * socket. The flags are stored last, because walk_path() finds them.
 */
static void fetch_file(struct bpf_code *code,
		       const struct file_offsets *offsets, struct jumps *none)
{
	const int flags = (int)sizeof(struct call_data_item) +
			  (int)offsetof(struct call_data_file, flags);
	size_t is_socket;
	size_t done;

	find_path(code, offsets, none);
	read_facts(code, offsets);
	add_bytes(code, AT(facts), sizeof(struct call_data_file), none);
	bpf_load(code, BPF_H, BPF_REG_1, SCRATCH, AT(facts.mode));
	bpf_compute_number(code, BPF_AND, BPF_REG_1, S_IFMT);
	is_socket = bpf_jump_if(code, BPF_JEQ, BPF_REG_1, S_IFSOCK);
	find_deleted(code, offsets);
	walk_path(code, offsets);
	done = bpf_jump(code);
	bpf_land(code, is_socket);
	load(code, BPF_REG_1, AT(file));
	add_jump(none, bpf_jump_if(code, BPF_JEQ, BPF_REG_1, 0));
	read_socket(code, offsets);
	add_bytes(code, AT(socket), sizeof(struct call_data_socket), none);
	store_number(code, AT(flags), CALL_FILE_SOCKET);
	bpf_land(code, done);
	load(code, BPF_REG_2, AT(start));
	add_jump(none, bpf_jump_if(code, BPF_JGT, BPF_REG_2, ROOM));
	bpf_compute(code, BPF_ADD, BPF_REG_2, SCRATCH);
	load(code, BPF_REG_1, AT(flags));
	bpf_store(code, BPF_H, BPF_REG_2, AT(bytes) + flags, BPF_REG_1);
}

/* Completes the item that starts at `start`: writes its head and pads it. */
static void end_item(struct bpf_code *code, struct jumps *full)
{
	const int head = AT(bytes);

	load(code, BPF_REG_1, POSITION);
	load(code, BPF_REG_2, AT(start));
	bpf_move(code, BPF_REG_3, BPF_REG_1);
	bpf_compute(code, BPF_SUB, BPF_REG_3, BPF_REG_2);
	bpf_compute_number(code, BPF_SUB, BPF_REG_3,
			   sizeof(struct call_data_item));
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, 7);
	bpf_compute_number(code, BPF_AND, BPF_REG_1, -8);
	store(code, POSITION, BPF_REG_1);
	add_jump(full, bpf_jump_if(code, BPF_JGT, BPF_REG_2, ROOM));
	bpf_compute(code, BPF_ADD, BPF_REG_2, SCRATCH);
	bpf_store(code, BPF_H, BPF_REG_2,
		  head + (int)offsetof(struct call_data_item, size), BPF_REG_3);
	load(code, BPF_REG_3, AT(info));
	bpf_store(code, BPF_W, BPF_REG_2,
		  head + (int)offsetof(struct call_data_item, info), BPF_REG_3);
	point_at_fetch(code, BPF_REG_1);
	/* The kind and the argument. */
	bpf_load(code, BPF_H, BPF_REG_3, BPF_REG_1, 0);
	bpf_store(code, BPF_H, BPF_REG_2, head, BPF_REG_3);
}

typedef void fetch_function(struct bpf_code *code, struct jumps *full,
			    struct jumps *failed);

static fetch_function *const fetches[CALL_DATA_KINDS] = {
	[CALL_DATA_STRING] = fetch_string,
	[CALL_DATA_BYTES] = fetch_bytes,
	[CALL_DATA_COUNTED] = fetch_counted,
	[CALL_DATA_MEASURED] = fetch_measured,
	[CALL_DATA_STRINGS] = fetch_strings,
};

/* The targets of jumps in the code of a fetch. */
struct fetch_ends {
	struct jumps done;   /* the item is complete */
	struct jumps failed; /* program memory could not be read */
	struct jumps none;   /* there is no such item, or no room for it */
};

/* Adds the file of the fetch, whose kind is in r2. For CALL_DATA_FILE_AT, first
 * reads the descriptor from the array in program memory.
 */
static void fetch_files(struct bpf_code *code,
			const struct file_offsets *offsets,
			struct fetch_ends *ends)
{
	size_t is_argument;

	load(code, BPF_REG_1, AT(address));
	is_argument = bpf_jump_if(code, BPF_JEQ, BPF_REG_2, CALL_DATA_FILE);
	load_limit(code, BPF_REG_3);
	bpf_compute(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
	store_number(code, AT(pointer), 0);
	bpf_move(code, BPF_REG_1, SCRATCH);
	bpf_compute_number(code, BPF_ADD, BPF_REG_1, AT(pointer));
	bpf_move_number(code, BPF_REG_2, sizeof(uint32_t));
	bpf_call(code, BPF_FUNC_probe_read_user);
	add_jump(&ends->none, bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0));
	load(code, BPF_REG_1, AT(pointer));
	bpf_land(code, is_argument);
	fetch_file(code, offsets, &ends->none);
	load_limit(code, BPF_REG_1);
	store(code, AT(info), BPF_REG_1);
	add_jump(&ends->done, bpf_jump(code));
}

/* Reads the data of the fetch with the kind in r2. */
static void fetch_kind(struct bpf_code *code,
		       const struct file_offsets *offsets,
		       struct fetch_ends *ends)
{
	size_t other = bpf_jump_if(code, BPF_JLT, BPF_REG_2, CALL_DATA_FILE);

	if (offsets)
		fetch_files(code, offsets, ends);
	else
		add_jump(&ends->none, bpf_jump(code));
	bpf_land(code, other);
	load(code, BPF_REG_1, AT(address));
	add_jump(&ends->none, bpf_jump_if(code, BPF_JEQ, BPF_REG_1, 0));
	for (int kind = CALL_DATA_STRING; kind < CALL_DATA_FILE; kind++) {
		other = bpf_jump_if(code, BPF_JNE, BPF_REG_2, kind);
		fetches[kind](code, &ends->none, &ends->failed);
		add_jump(&ends->done, bpf_jump(code));
		bpf_land(code, other);
	}
	add_jump(&ends->none, bpf_jump(code));
}

/* Adds an item for the fetch number FETCH. The program of sys_exit repeats the
 * fetches of call_plan.enter, except those of files.
 */
static void add_item(struct bpf_code *code, const struct file_offsets *offsets,
		     bool is_exit)
{
	struct fetch_ends ends = { .done.count = 0 };
	struct jumps full = { .count = 0 };
	struct jumps next = { .count = 0 };
	size_t is_of_exit;

	point_at_fetch(code, BPF_REG_2);
	bpf_load(code, BPF_B, BPF_REG_2, BPF_REG_2, 0);
	add_jump(&next, bpf_jump_if(code, BPF_JEQ, BPF_REG_2, 0));
	if (is_exit) {
		is_of_exit = bpf_jump_if(code, BPF_JGE, FETCH, CALL_FETCHES);
		add_jump(&next,
			 bpf_jump_if(code, BPF_JGE, BPF_REG_2, CALL_DATA_FILE));
		bpf_land(code, is_of_exit);
	}
	load_argument(code, BPF_REG_1, offsetof(struct call_fetch, argument));
	store(code, AT(address), BPF_REG_1);
	copy(code, AT(start), POSITION);
	store_number(code, AT(info), 0);
	increase(code, POSITION, sizeof(struct call_data_item));
	point_at_fetch(code, BPF_REG_2);
	bpf_load(code, BPF_B, BPF_REG_2, BPF_REG_2, 0);
	fetch_kind(code, offsets, &ends);
	land(code, &ends.failed);
	store_number(code, AT(has_failed), 1);
	land(code, &ends.none);
	land(code, &full);
	copy(code, POSITION, AT(start));
	add_jump(&next, bpf_jump(code));
	land(code, &ends.done);
	end_item(code, &next);
	land(code, &next);
}

/* Sets FETCH to the first fetch of sys_exit's program: the first of
 * call_plan.enter if a fetch of this task failed at sys_enter, else the first
 * of call_plan.exit.
 */
static void choose_first(struct bpf_code *code,
			 const struct call_data_maps *maps)
{
	size_t succeeded;

	program_look_up(code, maps->failed, PROGRAM_KEY);
	bpf_move_number(code, FETCH, CALL_FETCHES);
	succeeded = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	program_forget_key(code, maps->failed);
	bpf_move_number(code, FETCH, 0);
	bpf_land(code, succeeded);
}

/* Adds the task to the map of those whose memory could not be read. */
static void note_failure(struct bpf_code *code,
			 const struct call_data_maps *maps)
{
	size_t succeeded;

	load(code, BPF_REG_1, AT(has_failed));
	succeeded = bpf_jump_if(code, BPF_JEQ, BPF_REG_1, 0);
	bpf_store(code, BPF_DW, BPF_REG_10, MAP_KEY, BPF_REG_1);
	bpf_move_map(code, BPF_REG_1, maps->failed);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_2, PROGRAM_KEY);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, BPF_REG_3, MAP_KEY);
	bpf_move_number(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
	bpf_land(code, succeeded);
}

static void output(struct bpf_code *code, const struct call_data_maps *maps)
{
	load(code, BPF_REG_5, POSITION);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_5, 0);
	bpf_leave_if(code, BPF_JGT, BPF_REG_5, ROOM + SLACK);
	bpf_compute_number(code, BPF_ADD, BPF_REG_5, sizeof(struct call_data));
	bpf_move(code, BPF_REG_1, CONTEXT);
	bpf_move_map(code, BPF_REG_2, maps->maps.hits);
	bpf_move_wide(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	bpf_move(code, BPF_REG_4, SCRATCH);
	bpf_compute_number(code, BPF_ADD, BPF_REG_4, AT(head));
	bpf_call(code, BPF_FUNC_perf_event_output);
}

void call_data_program(struct bpf_code *code, const struct call_data_maps *maps,
		       const struct file_offsets *offsets, bool is_exit,
		       uint32_t recorder)
{
	struct jumps end = { .count = 0 };
	size_t loop;

	begin(code, maps, is_exit, recorder);
	bpf_move_number(code, FETCH, 0);
	if (is_exit)
		choose_first(code, maps);
	loop = code->count;
	if (is_exit) {
		size_t goes_on =
			bpf_jump_if(code, BPF_JLT, FETCH, CALL_FETCHES);

		load(code, BPF_REG_1, AT(arguments) + 8 * CALL_DATA_RESULT);
		add_jump(&end, bpf_jump_if(code, BPF_JSLT, BPF_REG_1, 0));
		bpf_land(code, goes_on);
	}
	add_item(code, offsets, is_exit);
	bpf_compute_number(code, BPF_ADD, FETCH, 1);
	bpf_repeat_if(code, loop, BPF_JLT, FETCH,
		      is_exit ? 2 * CALL_FETCHES : CALL_FETCHES);
	land(code, &end);
	if (!is_exit)
		note_failure(code, maps);
	output(code, maps);
	bpf_finish(code, 0);
}

bool file_offsets_find(struct file_offsets *offsets,
		       const struct kernel_types *types)
{
	const struct {
		int *offset;
		const char *name;
		const char *member;
	} wanted[] = {
		{ &offsets->task_files, "task_struct", "files" },
		{ &offsets->task_fs, "task_struct", "fs" },
		{ &offsets->files_table, "files_struct", "fdt" },
		{ &offsets->table_size, "fdtable", "max_fds" },
		{ &offsets->table_files, "fdtable", "fd" },
		{ &offsets->fs_pwd, "fs_struct", "pwd" },
		{ &offsets->file_path, "file", "f_path" },
		{ &offsets->file_private, "file", "private_data" },
		{ &offsets->path_mount, "path", "mnt" },
		{ &offsets->path_dentry, "path", "dentry" },
		{ &offsets->mount_root, "vfsmount", "mnt_root" },
		{ &offsets->mount_inner, "mount", "mnt" },
		{ &offsets->mount_parent, "mount", "mnt_parent" },
		{ &offsets->mount_point, "mount", "mnt_mountpoint" },
		{ &offsets->dentry_parent, "dentry", "d_parent" },
		{ &offsets->dentry_name, "dentry", "d_name" },
		{ &offsets->dentry_inode, "dentry", "d_inode" },
		{ &offsets->dentry_hash, "dentry", "d_hash" },
		{ &offsets->inode_number, "inode", "i_ino" },
		{ &offsets->inode_mode, "inode", "i_mode" },
		{ &offsets->inode_super, "inode", "i_sb" },
		{ &offsets->super_device, "super_block", "s_dev" },
		{ &offsets->socket_type, "socket", "type" },
		{ &offsets->socket_sock, "socket", "sk" },
		{ &offsets->sock_protocol, "sock", "sk_protocol" },
		{ &offsets->sock_family, "sock_common", "skc_family" },
		{ &offsets->sock_local_port, "sock_common", "skc_num" },
		{ &offsets->sock_remote_port, "sock_common", "skc_dport" },
		{ &offsets->sock_local_ipv4, "sock_common", "skc_rcv_saddr" },
		{ &offsets->sock_remote_ipv4, "sock_common", "skc_daddr" },
	};
	int name = kernel_types_offset(types, "qstr", "name");

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		*wanted[i].offset = kernel_types_offset(types, wanted[i].name,
							wanted[i].member);
		if (*wanted[i].offset < 0)
			return false;
	}
	offsets->dentry_name += name;
	/* struct hlist_bl_node: the second pointer is NULL outside of lists. */
	offsets->dentry_hash += 8;
	offsets->sock_local_ipv6 =
		kernel_types_offset(types, "sock_common", "skc_v6_rcv_saddr");
	offsets->sock_remote_ipv6 =
		kernel_types_offset(types, "sock_common", "skc_v6_daddr");
	return name >= 0;
}
