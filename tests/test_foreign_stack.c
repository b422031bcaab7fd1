/* SPDX-License-Identifier: MIT */
/* Stacks of made programs, of this computer's architecture and of others. */
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "symbolize/arch.h"
#include "symbolize/symbols.h"
#include "symbolize/user_stack.h"
#include "tests/made_elf_fixture.h"
#include "tests/recording_fixture.h"
#include "tests/run_suite.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	STACK_WORDS = 96,
	REGISTERS = 33,
	FRAMES = 64,
	/* What is loaded where, in the process. */
	STACK = 0x7fff0000,
	CODE = 0x55550000,
	MOVED = CODE - MADE_ELF_BASE,
	/* perf's numbers */
	X86_BP = 6,
	X86_SP = 7,
	X86_IP = 8,
	ARM64_FP = 29,
	ARM64_LR = 30,
	ARM64_SP = 31,
	ARM64_PC = 32,
};

/* What is above the address in a signed pointer to user code. */
#define SIGNED UINT64_C(0xab2a000000000000)

struct made_stack {
	struct made_elf elf;
	uint64_t registers[REGISTERS];	/* by perf's numbers */
	uint64_t words[STACK_WORDS];	/* from the stack pointer on */
	const char *wanted[8];		/* the innermost first */
};

#define PROGRAM(...) \
	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define NO_PROGRAM NULL, 0
/* A common one for all: the stack pointer, and on x86 the return address
 * above it.
 */
#define ARM64_COMMON 30, PROGRAM(DEF_CFA, 31, 0)
#define X86_COMMON 16, PROGRAM(DEF_CFA, 7, 8, OFFSET(16), 1)

/* DW_CFA_*, with operands in words below the canonical frame address. */
enum {
	NOP,
	UNDEFINED = 0x07,
	DEF_CFA = 0x0c,
	DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f,
	VALUE_EXPRESSION = 0x16,
	NEGATE_RA_STATE = 0x2d,
};
#define OFFSET(number) (0x80 | (number))

/* Adds a function; returns the address behind a call in it. */
static uint64_t add(struct made_stack *made, const char *name,
		    const uint8_t *program, size_t size)
{
	uint64_t address = made_elf_next(&made->elf) + MOVED + 8;

	made_elf_function(&made->elf, name, program, size);
	return address;
}

/* By stack pointer, twice; by frame pointer; the first one of all. */
static void arm64(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "inner", PROGRAM(NOP));
	made->registers[ARM64_LR] =
		add(made, "middle",
		    PROGRAM(NEGATE_RA_STATE, DEF_CFA_OFFSET, 32, OFFSET(29), 4,
			    OFFSET(30), 3)) | SIGNED;
	made->words[0] = STACK + 48;
	made->words[1] = add(made, "outer",
			     PROGRAM(DEF_CFA, 29, 16, OFFSET(29), 2,
				     OFFSET(30), 1)) | SIGNED;
	made->words[7] = add(made, "start", PROGRAM(UNDEFINED, 30));
	memcpy(made->wanted,
	       (const char *[]){ "inner", "middle", "outer", "start", NULL },
	       5 * sizeof(char *));
}

static void x86(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_IP] = add(made, "inner", PROGRAM(NOP));
	made->words[0] = add(made, "middle",
			     PROGRAM(DEF_CFA_OFFSET, 32, OFFSET(6), 2));
	made->words[3] = STACK + 48;
	made->words[4] = add(made, "outer",
			     PROGRAM(DEF_CFA, 6, 16, OFFSET(6), 2));
	made->words[7] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted,
	       (const char *[]){ "inner", "middle", "outer", "start", NULL },
	       5 * sizeof(char *));
}

/* Code that nothing describes: what the caller had in its other registers is
 * lost, its stack pointer, too; it is found by its frame pointer again.
 */
static void arm64_linked(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_FP] = STACK + 16;
	made->registers[ARM64_PC] = add(made, "made", NO_PROGRAM);
	made->words[2] = STACK + 40;
	made->words[3] = add(made, "by_stack",
			     PROGRAM(DEF_CFA_OFFSET, 32, OFFSET(30), 3)) |
			 SIGNED;
	made->words[5] = STACK + 80;
	made->words[6] = add(made, "by_frame",
			     PROGRAM(DEF_CFA, 29, 48, OFFSET(30), 5));
	made->words[11] = add(made, "start", PROGRAM(UNDEFINED, 30));
	memcpy(made->wanted,
	       (const char *[]){ "made", "by_stack", "by_frame", "start",
				 NULL },
	       5 * sizeof(char *));
}

static void x86_linked(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_BP] = STACK + 16;
	made->registers[X86_IP] = add(made, "made", NO_PROGRAM);
	made->words[3] = add(made, "by_stack", PROGRAM(DEF_CFA_OFFSET, 16));
	made->words[5] = add(made, "start", PROGRAM(UNDEFINED, 16));
	made->words[2] = STACK + 80;
	memcpy(made->wanted,
	       (const char *[]){ "made", "by_stack", "start", NULL },
	       4 * sizeof(char *));
}

/* As linkers describe .plt and compilers realigned stacks; then a caller whose
 * stack pointer is computed.
 */
static void x86_expressions(struct made_stack *made)
{
	static const uint8_t plt[] = {
		DEF_CFA_EXPRESSION, 11,
		/* breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus */
		0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
	};

	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_BP] = STACK + 24;
	made->registers[X86_IP] = add(made, "plt", plt, sizeof(plt)) + 3;
	made->words[1] = add(made, "realigned",
			     /* breg6 -8, deref */
			     PROGRAM(DEF_CFA_EXPRESSION, 3, 0x76, 0x78, 0x06));
	made->words[2] = STACK + 80;
	made->words[9] = add(made, "computed",
			     /* lit16, plus */
			     PROGRAM(VALUE_EXPRESSION, 7, 2, 0x40, 0x22));
	made->words[10] = add(made, "above", PROGRAM(NOP));
	made->words[13] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted,
	       (const char *[]){ "plt", "realigned", "computed", "above",
				 "start", NULL },
	       6 * sizeof(char *));
}

/* A signal interrupted a function before its first instruction. */
static void arm64_signal(struct made_stack *made)
{
	/* mov x8, #139; svc #0 */
	static const uint8_t code[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	enum { CONTEXT = 39 };
	uint64_t restorer;

	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "handler", PROGRAM(NOP));
	restorer = made_elf_next(&made->elf);
	memcpy(made->elf.bytes + (restorer - MADE_ELF_BASE), code,
	       sizeof(code));
	made->registers[ARM64_LR] = restorer + MOVED;
	add(made, "restorer", NO_PROGRAM);
	made->words[CONTEXT + ARM64_PC] = made_elf_next(&made->elf) + MOVED;
	add(made, "interrupted", PROGRAM(NOP));
	made->words[CONTEXT + ARM64_SP] = STACK + 600;
	made->words[CONTEXT + ARM64_LR] =
		add(made, "start", PROGRAM(UNDEFINED, 30)) | SIGNED;
	memcpy(made->wanted,
	       (const char *[]){ "handler", "restorer", "interrupted", "start",
				 NULL },
	       5 * sizeof(char *));
}

/* Code that is in no file has called nothing: its return address is in a
 * register, the frame pointer is its caller's.
 */
static void arm64_leaf(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_FP] = STACK + 16;
	made->registers[ARM64_PC] = STACK / 2;
	made->registers[ARM64_LR] =
		add(made, "caller", PROGRAM(DEF_CFA_OFFSET, 16, OFFSET(30), 1)) |
		SIGNED;
	made->words[3] = add(made, "start", PROGRAM(UNDEFINED, 30)) | SIGNED;
	memcpy(made->wanted,
	       (const char *[]){ "[unknown]", "caller", "start", NULL },
	       4 * sizeof(char *));
}

/* It names a register that no architecture has: nothing else that the file says
 * of its frames is believed.
 */
static void x86_absurd(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_X86_64);
	made_elf_common(&made->elf, X86_COMMON);
	made->registers[X86_SP] = STACK;
	made->registers[X86_IP] =
		add(made, "inner", PROGRAM(UNDEFINED, 0xff, 0xff, 0x7f));
	made->words[0] = add(made, "start", PROGRAM(UNDEFINED, 16));
	memcpy(made->wanted, (const char *[]){ "inner", NULL },
	       2 * sizeof(char *));
}

/* Nothing says where it ends: neither address nor stack pointer change. */
static void arm64_endless(struct made_stack *made)
{
	made_elf_begin(&made->elf, EM_AARCH64);
	made_elf_common(&made->elf, ARM64_COMMON);
	made->registers[ARM64_SP] = STACK;
	made->registers[ARM64_PC] = add(made, "inner", PROGRAM(NOP));
	made->registers[ARM64_LR] = add(made, "start", PROGRAM(NOP));
	memcpy(made->wanted, (const char *[]){ "inner", "start", NULL },
	       3 * sizeof(char *));
}

static const struct {
	const char *arch;
	void (*make)(struct made_stack *made);
} cases[] = {
	{ "aarch64", arm64 },
	{ "aarch64", arm64_linked },
	{ "aarch64", arm64_signal },
	{ "aarch64", arm64_leaf },
	{ "aarch64", arm64_endless },
	{ "x86_64", x86 },
	{ "x86_64", x86_linked },
	{ "x86_64", x86_expressions },
	{ "x86_64", x86_absurd },
};
enum { CASES = sizeof(cases) / sizeof(*cases) };

static struct made_stack made;
static struct recording_fixture fixture;
static struct recording *recording;
static struct symbols *symbols;
static char path[128];

static void open_recording(const char *arch)
{
	const struct fixture_origin origin = { 7, 7, 50 };
	struct {
		int32_t pid;
		int32_t tid;
		uint64_t address;
		uint64_t size;
		uint64_t offset;
		char path[128];
	} body = { 7, 7, CODE, MADE_ELF_BYTES, 0, "" };

	recording_fixture_begin_coresight(&fixture);
	fixture.arch = arch;
	snprintf(path, sizeof(path), "%s/program", fixture.path);
	memcpy(body.path, path, sizeof(path));
	recording_fixture_record(&fixture, PERF_RECORD_MMAP, 0, &body,
				 sizeof(body), &origin);
	recording_fixture_write(&fixture);
	made_elf_write(&made.elf, path);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(symbols_open(recording, NULL, &symbols), 0);
}

static void set_up(int number)
{
	memset(&made, 0, sizeof(made));
	cases[number].make(&made);
	made_elf_end(&made.elf);
	open_recording(cases[number].arch);
}

static void tear_down(void)
{
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

/* With all registers that the architecture has. */
static struct sideband_record sample_of(uint64_t abi, size_t stack_size)
{
	static struct recording_event event;
	bool is_arm64 = symbols_arch(symbols)->arch == RECORDING_ARCH_ARM64;

	return (struct sideband_record){
		.kind = SIDEBAND_SAMPLE,
		.pid = 7,
		.tid = 7,
		.time_ns = 100,
		.sample = {
			.event = &event,
			.user = {
				.registers = {
					abi,
					is_arm64 ? 0x1ffffffff : 0xffffff,
					(const uint8_t *)made.registers,
				},
				.stack = (const uint8_t *)made.words,
				.stack_size = stack_size,
			},
		},
	};
}

static size_t unwind_as(uint64_t abi, size_t stack_size, bool is_refused,
			uint32_t *functions)
{
	struct sideband_record sample = sample_of(abi, stack_size);
	struct user_stack *stack = user_stack_new(recording, symbols);
	size_t count;

	ck_assert_ptr_nonnull(stack);
	count = user_stack_unwind(stack, &sample, functions, FRAMES);
	ck_assert_uint_eq(user_stack_refused(stack), is_refused);
	user_stack_free(stack);
	return count;
}

static size_t unwind(size_t stack_size, uint32_t *functions)
{
	return unwind_as(PERF_SAMPLE_REGS_ABI_64, stack_size, false,
			 functions);
}

static const char *name_of(uint32_t function)
{
	return function_at(symbols_functions(symbols), function)->name;
}

START_TEST(all_frames_are_found)
{
	uint32_t functions[FRAMES];
	size_t wanted;
	size_t count;

	set_up(_i);
	count = unwind(sizeof(made.words), functions);
	for (wanted = 0; made.wanted[wanted]; wanted++) {
		ck_assert_uint_lt(wanted, count);
		ck_assert_str_eq(name_of(functions[wanted]),
				 made.wanted[wanted]);
	}
	ck_assert_uint_eq(count, wanted);
	tear_down();
}
END_TEST

START_TEST(short_stacks_end_early)
{
	uint32_t whole[FRAMES];
	uint32_t part[FRAMES];
	size_t most;

	set_up(_i);
	most = unwind(sizeof(made.words), whole);
	for (size_t size = 0; size < sizeof(made.words); size += 4) {
		size_t count = unwind(size, part);

		ck_assert_uint_ge(count, 1);
		ck_assert_uint_le(count, most);
		ck_assert_mem_eq(whole, part, count * sizeof(*part));
	}
	tear_down();
}
END_TEST

START_TEST(not_those_of_32_bit_programs)
{
	uint32_t functions[FRAMES];

	set_up(_i);
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_32,
				    sizeof(made.words), true, functions), 0);
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_NONE,
				    sizeof(made.words), false, functions), 0);
	tear_down();
}
END_TEST

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

/* Whatever the file says, it ends, and the innermost function is known: that
 * is in a register.
 */
START_TEST(damaged_files)
{
	enum { ROUNDS = 400, FLIPS = 3 };
	const struct made_elf good = (set_up(_i), made.elf);
	uint32_t functions[FRAMES];
	uint64_t random = (uint64_t)_i + 1;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < FLIPS; i++) {
			uint32_t at = next_random(&random);

			/* Most of them in what describes frames. */
			at = i ? MADE_ELF_FRAMES + at % 512 : at % MADE_ELF_CODE;
			made.elf.bytes[at] ^= 1 << next_random(&random) % 8;
		}
		made_elf_write(&made.elf, path);
		ck_assert_uint_ge(unwind(sizeof(made.words), functions), 1);
		made.elf = good;
	}
	tear_down();
}
END_TEST

START_TEST(cut_files)
{
	uint32_t functions[FRAMES];

	set_up(_i);
	for (long size = 0; size < MADE_ELF_BYTES; size += 61) {
		made_elf_write(&made.elf, path);
		ck_assert_int_eq(truncate(path, size), 0);
		ck_assert_uint_ge(unwind(sizeof(made.words), functions), 1);
	}
	tear_down();
}
END_TEST

/* Of 32-bit Arm nothing is unwound. */
START_TEST(architectures_without)
{
	uint32_t functions[FRAMES];

	memset(&made, 0, sizeof(made));
	open_recording("armv7l");
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_64,
				    sizeof(made.words), true, functions), 0);
	tear_down();
}
END_TEST

static Suite *foreign_stack_suite(void)
{
	Suite *suite = suite_create("foreign_stack");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, all_frames_are_found, 0, CASES);
	tcase_add_loop_test(tcase, short_stacks_end_early, 0, CASES);
	tcase_add_loop_test(tcase, not_those_of_32_bit_programs, 0, CASES);
	tcase_add_loop_test(tcase, damaged_files, 0, CASES);
	tcase_add_loop_test(tcase, cut_files, 0, CASES);
	tcase_add_test(tcase, architectures_without);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(foreign_stack_suite());
}
