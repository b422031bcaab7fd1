/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_elf_internal.h"
#include "symbolize/unwind/user_stack.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/stack_sample.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__ /* clang makes no clones and does not know the attribute */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

enum { STACK_BYTES = 4096, FRAMES = 64 };

#if defined(__x86_64__)
enum { STACK_POINTER = 7 };
static const char arch[] = "x86_64";
static const uint64_t mask = 0xff0fff;
#elif defined(__aarch64__)
enum { STACK_POINTER = 31 };
static const char arch[] = "aarch64";
static const uint64_t mask = 0x1ffffffff;
#endif

/* This program's own stack, as in a sample: only the registers in @mask. */
static struct {
	uint64_t registers[33];
	uint8_t stack[STACK_BYTES];
	/* The stack by libunwind: the resume address of each frame. */
	uint64_t frames[FRAMES];
	size_t frame_count;
} taken;

static void consume_registers(const ucontext_t *context)
{
#if defined(__x86_64__)
	static const int order[] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI,
		REG_RDI, REG_RBP, REG_RSP, REG_RIP, REG_EFL,
	};

	for (int i = 0; i < 10; i++)
		taken.registers[i] =
			(uint64_t)context->uc_mcontext.gregs[order[i]];
	for (int i = 0; i < 8; i++)
		taken.registers[12 + i] =
			(uint64_t)context->uc_mcontext.gregs[REG_R8 + i];
#elif defined(__aarch64__)
	for (int i = 0; i < 31; i++)
		taken.registers[i] = context->uc_mcontext.regs[i];
	taken.registers[31] = context->uc_mcontext.sp;
	taken.registers[32] = context->uc_mcontext.pc;
#endif
}

static void consume_frames(unw_context_t *context)
{
	unw_cursor_t cursor;
	unw_word_t at;

	taken.frame_count = 0;
	if (unw_init_local(&cursor, context))
		return;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &at) || !at)
			break;
		taken.frames[taken.frame_count++] = at;
	} while (taken.frame_count < FRAMES && unw_step(&cursor) > 0);
}

/* Not sanitized: it copies the stack across the borders of objects. */
__attribute__((no_sanitize("address"))) KEPT static void innermost(void)
{
	/* Arm's is larger than the copy. */
	static ucontext_t context;
	static unw_context_t referee;
	const volatile uint8_t *from;
	/* The last thing on it, where that is nearer. */
	const volatile uint8_t *end =
		(const volatile uint8_t *)getauxval(AT_EXECFN);

	getcontext(&context);
	consume_registers(&context);
	from = (const volatile uint8_t *)taken.registers[STACK_POINTER];
	for (size_t i = 0; i < STACK_BYTES && from + i < end; i++)
		taken.stack[i] = from[i];
	unw_getcontext(&referee);
	consume_frames(&referee);
}

KEPT static void middle(void)
{
	innermost();
	__asm__ volatile("" ::: "memory");
}

KEPT static void outermost(void)
{
	middle();
	__asm__ volatile("" ::: "memory");
}

/* Records this process's mappings. */
static void add_maps(struct recording_fixture *fixture)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		uint64_t begin;
		uint64_t end;
		uint64_t offset;
		char access[8];
		char path[256];

		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
			   " %*s %*s %255[^\n]",
			   &begin, &end, access, &offset, path) == 5 &&
		    access[2] == 'x')
			recording_fixture_map(fixture, 7, path, begin,
					      end - begin, offset);
	}
	fclose(maps);
}

static struct sideband_record sample_of(size_t stack_size)
{
	return stack_sample(&(struct made_sample){
		PERF_SAMPLE_REGS_ABI_64,
		mask,
		taken.registers,
		taken.stack,
		stack_size,
	});
}

static struct recording_fixture fixture;
static struct recording *recording;
static struct symbols *symbols;
static struct user_stack *unwinder;

static void set_up(void)
{
	outermost();
	recording_fixture_begin_coresight(&fixture);
	fixture.arch = arch;
	add_maps(&fixture);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
	unwinder = user_stack_new(recording, symbols);
}

static void tear_down(void)
{
	user_stack_free(unwinder);
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static const char *name_of(uint32_t function)
{
	return function_at(symbols_functions(symbols), function)->name;
}

START_TEST(own_stack_is_unwound)
{
	static const char *const wanted[] = { "innermost", "middle",
					      "outermost", "set_up" };
	struct sideband_record sample = sample_of(STACK_BYTES);
	uint32_t functions[FRAMES];
	size_t count;

	ck_assert_ptr_nonnull(unwinder);
	count = user_stack_unwind(unwinder, &sample, functions, FRAMES);
	ck_assert_uint_ge(count, 5);
	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(name_of(functions[i]), wanted[i]);
	/* The stack continues in libcheck or in main, which may be another
	 * file.
	 */
	ck_assert_uint_ne(functions[4], FUNCTION_UNKNOWN);
}
END_TEST

START_TEST(libunwind_finds_the_same)
{
	struct sideband_record sample = sample_of(STACK_BYTES);
	uint32_t functions[FRAMES];
	struct symbol symbol;
	size_t count = user_stack_unwind(unwinder, &sample, functions, FRAMES);

	ck_assert_uint_ge(count, 5);
	/* libunwind 1.8 ends before a program's first frame on arm64. */
	if (!strcmp(name_of(functions[count - 1]), "_start"))
		count--;
	ck_assert_uint_ge(taken.frame_count, count);
	for (size_t i = 0; i < count; i++) {
		symbols_find(symbols, 7, UINT64_MAX, taken.frames[i] - 1,
			     &symbol);
		ck_assert_uint_eq(functions[i], symbol.function);
	}
}
END_TEST

/* If a part of the stack is missing, the result is a prefix of the whole. */
START_TEST(short_stacks_end_early)
{
	uint32_t whole[FRAMES];
	uint32_t part[FRAMES];
	struct sideband_record sample = sample_of(STACK_BYTES);
	size_t most = user_stack_unwind(unwinder, &sample, whole, FRAMES);
	size_t least = most;

	for (size_t size = 0; size < STACK_BYTES; size += 8) {
		sample = sample_of(size);

		size_t count =
			user_stack_unwind(unwinder, &sample, part, FRAMES);

		ck_assert_uint_ge(count, 1);
		ck_assert_uint_le(count, most);
		ck_assert_mem_eq(whole, part, count * sizeof(*part));
		if (count < least)
			least = count;
	}
	ck_assert_uint_lt(least, most);
}
END_TEST

START_TEST(no_more_than_there_is_room_for)
{
	struct sideband_record sample = sample_of(STACK_BYTES);
	uint32_t functions[2] = { 0, 99 };

	ck_assert_uint_eq(user_stack_unwind(unwinder, &sample, functions, 1),
			  1);
	ck_assert_uint_eq(functions[1], 99);
}
END_TEST

START_TEST(without_registers_there_is_none)
{
	struct sideband_record sample = sample_of(STACK_BYTES);
	uint32_t functions[FRAMES];

	sample.sample.user.registers.abi = PERF_SAMPLE_REGS_ABI_NONE;
	ck_assert_uint_eq(
		user_stack_unwind(unwinder, &sample, functions, FRAMES), 0);
}
END_TEST

START_TEST(other_processes_have_other_code)
{
	struct sideband_record sample = sample_of(STACK_BYTES);
	uint32_t functions[FRAMES];

	size_t count;

	sample.pid = 8;
	/* Without its code, frame pointers may still lead through the stack. */
	count = user_stack_unwind(unwinder, &sample, functions, FRAMES);
	ck_assert_uint_ge(count, 1);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(functions[i], FUNCTION_UNKNOWN);
}
END_TEST

START_TEST(not_elf)
{
	ck_assert_ptr_null(user_elf_open("/etc/passwd"));
	ck_assert_ptr_null(user_elf_open("/nonexistent"));
}
END_TEST

SUITE("user_stack")
{
	FIXTURE(set_up, tear_down);
	TEST(own_stack_is_unwound);
	TEST(libunwind_finds_the_same);
	TEST(short_stacks_end_early);
	TEST(no_more_than_there_is_room_for);
	TEST(without_registers_there_is_none);
	TEST(other_processes_have_other_code);
	TEST(not_elf);
}
