/* SPDX-License-Identifier: MIT */
/* Stacks of made programs, of this computer's architecture and of others. */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "symbolize/arch/arch.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_stack.h"
#include "tests/fixtures/made_stacks.h"
#include "tests/fixtures/random.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/stack_sample.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 64 };

static struct made_stack made;
static struct recording_fixture fixture;
static struct recording *recording;
static struct symbols *symbols;
static char path[128];

static void open_recording(const char *arch)
{
	recording_fixture_begin_coresight(&fixture);
	fixture.arch = arch;
	snprintf(path, sizeof(path), "%s/program", fixture.path);
	recording_fixture_map(&fixture, 7, path, MADE_STACK_CODE,
			      MADE_ELF_BYTES, 0);
	recording_fixture_write(&fixture);
	made_elf_write(&made.elf, path);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
}

static void set_up(int number)
{
	memset(&made, 0, sizeof(made));
	made_stacks[number].make(&made);
	made_elf_end(&made.elf);
	open_recording(made_stacks[number].arch);
}

static void tear_down(void)
{
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

/* Returns a sample with all registers that the architecture has. */
static struct sideband_record sample_of(uint64_t abi, size_t stack_size)
{
	bool is_arm64 = symbols_arch(symbols)->arch == RECORDING_ARCH_ARM64;

	return stack_sample(&(struct made_sample){
		abi,
		is_arm64 ? 0x1ffffffff : 0xffffff,
		made.registers,
		made.words,
		stack_size,
	});
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
	return unwind_as(PERF_SAMPLE_REGS_ABI_64, stack_size, false, functions);
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
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_32, sizeof(made.words),
				    true, functions),
			  0);
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_NONE,
				    sizeof(made.words), false, functions),
			  0);
	tear_down();
}
END_TEST

/* Whatever the file contains, unwinding ends, and the innermost function is
 * known, as it is in a register.
 */
START_TEST(damaged_files)
{
	enum { ROUNDS = 400, FLIPS = 3 };
	const struct made_elf good = (set_up(_i), made.elf);
	uint32_t functions[FRAMES];
	uint32_t random = (uint32_t)_i + 1;

	for (int round = 0; round < suite_repeats(ROUNDS); round++) {
		for (int i = 0; i < FLIPS; i++) {
			uint32_t at = next_random(&random);

			/* Most flips are in the unwind information. */
			at = i ? MADE_ELF_FRAMES + at % 512 :
				 at % MADE_ELF_CODE;
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

/* Stacks of 32-bit Arm are not unwound. */
START_TEST(architectures_without)
{
	uint32_t functions[FRAMES];

	memset(&made, 0, sizeof(made));
	open_recording("armv7l");
	ck_assert_uint_eq(unwind_as(PERF_SAMPLE_REGS_ABI_64, sizeof(made.words),
				    true, functions),
			  0);
	tear_down();
}
END_TEST

SUITE("foreign_stack")
{
	TEST_TIMES(all_frames_are_found, MADE_STACKS);
	TEST_TIMES(short_stacks_end_early, MADE_STACKS);
	TEST_TIMES(not_those_of_32_bit_programs, MADE_STACKS);
	TEST_TIMES(damaged_files, MADE_STACKS);
	TEST_TIMES(cut_files, MADE_STACKS);
	TEST(architectures_without);
}
