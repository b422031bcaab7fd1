/* SPDX-License-Identifier: MIT */
#include "report/annotate/disassembly_internal.h"

#include "tests/run_suite.h"

#include <check.h>

static const struct {
	enum disassembly_set set;
	size_t size;
	uint8_t bytes[8];
	uint8_t length;
	const char *text;
	uint64_t target;
} rows[] = {
	{ DISASSEMBLY_X86_64, 1, { 0x55 }, 1, "push %rbp", 0 },
	/* a direct branch: its target is not in the text */
	{ DISASSEMBLY_X86_64, 2, { 0x74, 0x10 }, 2, "jz", 0x1012 },
	{ DISASSEMBLY_X86_64, 2, { 0xeb, 0xfe }, 2, "jmp", 0x1000 },
	{ DISASSEMBLY_X86_64,
	  5,
	  { 0xe8, 0xfb, 0xff, 0xff, 0xff },
	  5,
	  "call",
	  0x1000 },
	{ DISASSEMBLY_X86_64, 3, { 0xff, 0x53, 0x08 }, 3, "call 0x08(%rbx)", 0 },
	/* the next byte is not known */
	{ DISASSEMBLY_X86_64, 1, { 0x74, 0x10 }, 0, "(bad)", 0 },
	{ DISASSEMBLY_X86_64, 0, { 0x55 }, 0, "(bad)", 0 },
	/* push %es exists in 32-bit code only */
	{ DISASSEMBLY_X86_64, 1, { 0x06 }, 0, "(bad)", 0 },
	{ DISASSEMBLY_X86_32, 1, { 0x06 }, 1, "push %es", 0 },
	{ DISASSEMBLY_A64,
	  4,
	  { 0x1f, 0x20, 0x03, 0xd5 },
	  4,
	  ".inst 0xd503201f",
	  0 },
	{ DISASSEMBLY_A64, 3, { 0x1f, 0x20, 0x03, 0xd5 }, 0, "(bad)", 0 },
	{ DISASSEMBLY_A32,
	  4,
	  { 0x00, 0xf0, 0x20, 0xe3 },
	  4,
	  ".inst 0xe320f000",
	  0 },
	/* 16 bits, and 32 of two half words */
	{ DISASSEMBLY_T32, 4, { 0x00, 0xbf, 0x00, 0xbf }, 2, ".inst 0xbf00", 0 },
	{ DISASSEMBLY_T32,
	  4,
	  { 0xaf, 0xf3, 0x00, 0x80 },
	  4,
	  ".inst 0xf3af8000",
	  0 },
	{ DISASSEMBLY_T32, 2, { 0xaf, 0xf3 }, 0, "(bad)", 0 },
	{ DISASSEMBLY_T32, 1, { 0x00 }, 0, "(bad)", 0 },
};

START_TEST(size_text_and_target_of_an_instruction)
{
	struct disassembly line;

	disassemble(rows[_i].set, rows[_i].bytes, rows[_i].size, 0x1000, &line);
	ck_assert_str_eq(line.text, rows[_i].text);
	ck_assert_uint_eq(line.size_bytes, rows[_i].length);
	ck_assert_uint_eq(line.target, rows[_i].target);
}
END_TEST

SUITE("disassembly")
{
	TEST_EACH(size_text_and_target_of_an_instruction, rows);
}
