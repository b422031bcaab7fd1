/* SPDX-License-Identifier: MIT */
/* Compares the instruction reader with other decoders: the current x86 library
 * and, for Arm, OpenCSD's. Each known difference is listed here with its
 * reason; any other difference fails.
 */
#include "decoder/libipt/branch_internal.h"
#include "execution/instruction/instruction_read.h"
#include "tests/fixtures/kcore_text.h"
#include "tests/fixtures/random.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 20 };

static const enum flow_exit exits[] = {
	[INSTRUCTION_PLAIN] = FLOW_EXIT_NONE,
	[INSTRUCTION_CONDITIONAL] = FLOW_EXIT_CONDITIONAL,
	[INSTRUCTION_JUMP] = FLOW_EXIT_JUMP,
	[INSTRUCTION_INDIRECT_JUMP] = FLOW_EXIT_JUMP,
	[INSTRUCTION_CALL] = FLOW_EXIT_CALL,
	[INSTRUCTION_INDIRECT_CALL] = FLOW_EXIT_CALL,
	[INSTRUCTION_RETURN] = FLOW_EXIT_RETURN,
	[INSTRUCTION_FAR_CALL] = FLOW_EXIT_FAR_CALL,
	[INSTRUCTION_FAR_RETURN] = FLOW_EXIT_FAR_RETURN,
	[INSTRUCTION_FAR_JUMP] = FLOW_EXIT_FAR_JUMP,
};

static bool is_legacy_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3;
}

static bool is_rex(uint8_t byte)
{
	return (byte & 0xf0) == 0x40;
}

/* Returns why today's decoders may be wrong about x86 code; NULL if they should
 * not be.
 */
static const char *x86_reason(const uint8_t *bytes)
{
	size_t at = 0;
	bool is_short = false;

	while (is_legacy_prefix(bytes[at]))
		is_short |= bytes[at++] == 0x66;
	if (is_rex(bytes[at]) &&
	    (is_rex(bytes[at + 1]) || is_legacy_prefix(bytes[at + 1])))
		return "only the REX directly before the opcode counts";
	if (is_short && is_rex(bytes[at]) && (bytes[at] & 8))
		return "REX.W goes before an operand size prefix";
	at += is_rex(bytes[at]);
	if (bytes[at] == 0xd5)
		return "REX2 is not known";
	if (is_short && ((bytes[at] & 0xfe) == 0xe8 ||
			 (bytes[at] == 0x0f && (bytes[at + 1] & 0xf0) == 0x80)))
		return "near branches ignore the operand size";
	if (bytes[at] == 0x0f && bytes[at + 1] == 0x01)
		return "vmcall and its like are far transfers";
	if (bytes[at] == 0x0f && bytes[at + 1] == 0xaa)
		return "rsm is a far transfer";
	if (bytes[at] >= 0xa0 && bytes[at] <= 0xa3)
		return "an address size prefix makes addresses shorter";
	if (bytes[at] == 0x8f)
		return "XOP is not known";
	if (bytes[at] == 0x0f && bytes[at + 1] == 0x0f)
		return "3DNow! has its opcode behind the operands";
	if (bytes[at] == 0x0f &&
	    (bytes[at + 1] == 0x78 || bytes[at + 1] == 0x0e ||
	     bytes[at + 1] == 0x37))
		return "a rare instruction without the usual ModR/M";
	if (bytes[at] == 0x0f && bytes[at + 1] >= 0x20 && bytes[at + 1] <= 0x23)
		return "ModR/M of control registers names no memory";
	return NULL;
}

/* Returns the instruction's length, 0 if it is not known. */
static size_t check_x86(const uint8_t *bytes)
{
	struct instruction read;
	struct branch branch = branch_read(bytes, WINDOW);
	size_t length = instruction_length(bytes, WINDOW);
	int status =
		instruction_read(INSTRUCTION_X86_64, 0, bytes, WINDOW, &read);

	if (status <= 0)
		return 0;
	if (branch.exit == exits[read.kind] &&
	    (!length || length == read.length) &&
	    (!branch.length || branch.length == read.length))
		return read.length;
	if (!x86_reason(bytes))
		ck_abort_msg(
			"%02x %02x %02x %02x %02x %02x: kind %d length %d, "
			"theirs %d, %zu and %d",
			bytes[0], bytes[1], bytes[2], bytes[3], bytes[4],
			bytes[5], read.kind, read.length, branch.exit, length,
			branch.length);
	return read.length;
}

START_TEST(random_x86_code_is_read_alike)
{
	uint32_t state = 7;
	uint8_t bytes[WINDOW];

	for (int i = 0; i < suite_repeats(500000); i++) {
		for (size_t at = 0; at < sizeof(bytes); at++)
			bytes[at] = (uint8_t)(next_random(&state) >> 16);
		check_x86(bytes);
	}
}
END_TEST

/* In a whole kernel, everything is decoded except the far jump in the 32-bit
 * code that other processors start with.
 */
START_TEST(kernel_x86_code_is_read_alike)
{
	char path[4200];
	size_t size, at, length, count = 0, unknown = 0;
	uint8_t *text;

	if (!shared_recording("small", path, sizeof(path)))
		return;
	text = kcore_text(path, &size);
	ck_assert_ptr_nonnull(text);
	for (at = 0; at + WINDOW < size; at += length ? length : 1) {
		length = check_x86(text + at);
		unknown += !length;
		count++;
	}
	ck_assert_uint_gt(count, 1000000);
	ck_assert_uint_eq(unknown, 1);
	free(text);
	shared_recording_remove(path);
}
END_TEST

/* OpenCSD's readers are C++ functions that are not part of its library's API:
 * without them there is nothing to compare.
 */
struct opencsd_info {
	uint16_t version;
	uint32_t subtype;
	uint8_t more[64];
};

enum { OPENCSD_LATEST = 0x0900 };

#define OPENCSD(name, label, ...) \
	int name(__VA_ARGS__) __asm__(label) __attribute__((weak))

OPENCSD(a64_is_direct, "_Z25inst_A64_is_direct_branchjP11decode_info",
	uint32_t word, struct opencsd_info *info);
OPENCSD(a64_is_indirect, "_Z27inst_A64_is_indirect_branchjP11decode_info",
	uint32_t word, struct opencsd_info *info);
OPENCSD(a64_is_conditional, "_Z23inst_A64_is_conditionalj", uint32_t word);
OPENCSD(a64_destination, "_Z27inst_A64_branch_destinationmjPm",
	uint64_t address, uint32_t word, uint64_t *target);
OPENCSD(arm_is_direct, "_Z25inst_ARM_is_direct_branchj", uint32_t word);
OPENCSD(arm_is_indirect, "_Z27inst_ARM_is_indirect_branchjP11decode_info",
	uint32_t word, struct opencsd_info *info);
OPENCSD(thumb_is_direct, "_Z27inst_Thumb_is_direct_branchjP11decode_info",
	uint32_t word, struct opencsd_info *info);
OPENCSD(thumb_is_indirect, "_Z29inst_Thumb_is_indirect_branchjP11decode_info",
	uint32_t word, struct opencsd_info *info);
OPENCSD(arm_destination, "_Z27inst_ARM_branch_destinationjjPj",
	uint32_t address, uint32_t word, uint32_t *target);
OPENCSD(thumb_destination, "_Z29inst_Thumb_branch_destinationjjPj",
	uint32_t address, uint32_t word, uint32_t *target);

static bool is_direct(const struct instruction *read)
{
	return read->kind == INSTRUCTION_CONDITIONAL ||
	       read->kind == INSTRUCTION_JUMP || read->kind == INSTRUCTION_CALL;
}

static bool is_indirect(const struct instruction *read)
{
	return read->kind == INSTRUCTION_INDIRECT_JUMP ||
	       read->kind == INSTRUCTION_INDIRECT_CALL ||
	       read->kind == INSTRUCTION_RETURN ||
	       read->kind == INSTRUCTION_FAR_RETURN;
}

/* OpenCSD's reader treats instructions newer than itself as no branch, and also
 * isb, which it does classify as a waypoint.
 */
static bool a64_may_differ(uint32_t word)
{
	return (word & 0xfffff0ff) == 0xd50330df || /* isb */
	       (word & 0xffffffe0) == 0xd5233060 || /* tstart */
	       (word & 0x7e000000) == 0x74000000 || /* FEAT_CMPBR */
	       (word & 0xff000010) == 0x54000010 || /* bc.cond */
	       (word & 0xff000000) == 0x55000000 || /* retaasppc */
	       (word & 0xfffffbe0) == 0xd65f0be0 || /* retaasppcr */
	       (word & 0xfffffbff) == 0xd6ff03e0 || /* texit */
	       word == 0xd6bf03e0;		    /* drps */
}

static void check_a64(uint64_t address, uint32_t word)
{
	const uint8_t bytes[] = { (uint8_t)word, (uint8_t)(word >> 8),
				  (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24) };
	struct opencsd_info info = { .version = OPENCSD_LATEST };
	struct instruction read;
	uint64_t target;

	if (instruction_read(INSTRUCTION_A64, address, bytes, 4, &read) <= 0 ||
	    a64_may_differ(word))
		return;
	if (is_direct(&read) != !!a64_is_direct(word, &info) ||
	    is_indirect(&read) != !!a64_is_indirect(word, &info))
		ck_abort_msg("%08x: kind %d", word, read.kind);
	if (!is_direct(&read))
		return;
	a64_destination(address, word, &target);
	if (read.target != target || (read.kind == INSTRUCTION_CONDITIONAL) !=
					     !!a64_is_conditional(word))
		ck_abort_msg("%08x: kind %d to %#llx", word, read.kind,
			     (unsigned long long)read.target);
}

static void check_a32(uint32_t word)
{
	const uint8_t bytes[] = { (uint8_t)word, (uint8_t)(word >> 8),
				  (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24) };
	struct opencsd_info info = { .version = OPENCSD_LATEST };
	struct instruction read;
	uint32_t target;

	instruction_read(INSTRUCTION_A32, 0x8000, bytes, 4, &read);
	if ((word & 0xfff000f0) == 0xf5700060 || /* isb */
	    (word & 0x0fff0fff) == 0x0e070f95 ||
	    (word & 0x0ff000f0) == 0x01600060 || /* eret */
	    (word & 0x0ff000f0) == 0x01200020 || /* bxj */
	    (word & 0x0e000090) == 0x00000090 || /* it accepts some of these */
	    (word & 0x0d800000) == 0x01000000)	 /* these for mov pc */
		return;
	if (is_direct(&read) != !!arm_is_direct(word) ||
	    is_indirect(&read) != !!arm_is_indirect(word, &info))
		ck_abort_msg("%08x: kind %d", word, read.kind);
	if (!is_direct(&read))
		return;
	arm_destination(0x8000, word, &target);
	if (read.target != target)
		ck_abort_msg("%08x: to %#llx", word,
			     (unsigned long long)read.target);
}

/* @word has the first halfword in its upper half, whether a second halfword
 * exists or not.
 */
static void check_t32(uint32_t word)
{
	const uint8_t bytes[] = { (uint8_t)(word >> 16), (uint8_t)(word >> 24),
				  (uint8_t)word, (uint8_t)(word >> 8) };
	struct opencsd_info info = { .version = OPENCSD_LATEST };
	struct instruction read;
	uint32_t target;
	int status = instruction_read(INSTRUCTION_T32, 0x8002, bytes, 4, &read);

	if (status <= 0 || (word & 0xfff0f0f0) == 0xf3b08060 || /* isb */
	    (word & 0xffff0fff) == 0xee070f95 ||
	    (word & 0xfff0d000) == 0xf3c08000) /* bxj */
		return;
	if (is_direct(&read) != !!thumb_is_direct(word, &info) ||
	    is_indirect(&read) != !!thumb_is_indirect(word, &info))
		ck_abort_msg("%08x: kind %d", word, read.kind);
	if (!is_direct(&read))
		return;
	thumb_destination(0x8002, word, &target);
	if (read.target != target)
		ck_abort_msg("%08x: to %#llx, theirs %x", word,
			     (unsigned long long)read.target, target);
}

static bool has_opencsd(void)
{
	bool has = a64_is_direct && a64_is_indirect && a64_is_conditional &&
		   a64_destination && arm_is_direct && arm_is_indirect &&
		   thumb_is_direct && thumb_is_indirect && arm_destination &&
		   thumb_destination;

	if (!has)
		printf("skipped: this OpenCSD has no readers of that name\n");
	return has;
}

/* Returns random bits, or random bits combined with the bits of a branch. */
static uint32_t random_word(uint32_t *state, uint32_t mask, uint32_t bits)
{
	uint32_t word = next_random(state) << 16 ^ next_random(state) >> 4;

	return (word & ~mask) | (bits & mask);
}

START_TEST(random_arm_code_is_read_alike)
{
	uint32_t state = 3;

	if (!has_opencsd())
		return;
	for (int i = 0; i < suite_repeats(200000); i++) {
		check_a64(0xffff800008000000, random_word(&state, 0, 0));
		check_a64(0xffff800008000000,
			  random_word(&state, 0x1c000000, 0x14000000));
		check_a64(0xffff800008000000,
			  random_word(&state, 0xff1ff000, 0xd61f0000));
		check_a32(random_word(&state, 0, 0));
		check_a32(random_word(&state, 0xf000f000, 0xe000f000));
		check_t32(random_word(&state, 0, 0));
		check_t32(random_word(&state, 0xe0000000, 0xe0000000));
		check_t32(random_word(&state, 0xfc00f000, 0xf800f000));
	}
}
END_TEST

START_TEST(kernel_a64_code_is_read_alike)
{
	char path[4200];
	size_t size;
	uint8_t *text;
	uint32_t word;

	if (!has_opencsd() ||
	    !shared_recording("arm64-ete", path, sizeof(path)))
		return;
	text = kcore_text(path, &size);
	ck_assert_ptr_nonnull(text);
	for (size_t at = 0; at + 4 <= size; at += 4) {
		word = (uint32_t)(text[at] | text[at + 1] << 8 |
				  text[at + 2] << 16) |
		       (uint32_t)text[at + 3] << 24;
		check_a64(at, word);
	}
	free(text);
	shared_recording_remove(path);
}
END_TEST

SUITE("instruction_others")
{
	TEST(random_x86_code_is_read_alike);
	TEST(kernel_x86_code_is_read_alike);
	TEST(random_arm_code_is_read_alike);
	TEST(kernel_a64_code_is_read_alike);
}
