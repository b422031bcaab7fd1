/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/range_exit_internal.h"
#include "tests/run_suite.h"

/* The farthest branches of each encoding, as LLVM's assembler writes them. */
#define A64 ocsd_isa_aarch64
#define A32 ocsd_isa_arm
#define T32 ocsd_isa_thumb2

enum { PLACE = 0x20000000 };

static const struct row {
	ocsd_isa isa;
	uint8_t bytes[4];
	size_t size;
	int64_t offset; /* from the branch itself */
} rows[] = {
	{ A64, { 0x00, 0x00, 0x00, 0x16 }, 4, -134217728 },   /* b */
	{ A64, { 0xff, 0xff, 0xff, 0x95 }, 4, 134217724 },    /* bl */
	{ A64, { 0x01, 0x00, 0x80, 0x54 }, 4, -1048576 },     /* b.ne */
	{ A64, { 0xe3, 0xff, 0x7f, 0x35 }, 4, 1048572 },      /* cbnz */
	{ A64, { 0xe3, 0xff, 0xff, 0xb4 }, 4, -4 },	      /* cbz */
	{ A64, { 0x05, 0x00, 0x0c, 0xb6 }, 4, -32768 },	      /* tbz */
	{ A64, { 0xe5, 0xff, 0x1b, 0x37 }, 4, 32764 },	      /* tbnz */
	{ A32, { 0x00, 0x00, 0x80, 0xea }, 4, 8 - 33554432 }, /* b */
	{ A32, { 0xff, 0xff, 0x7f, 0xeb }, 4, 8 + 33554428 }, /* bl */
	{ A32, { 0x02, 0x00, 0x00, 0x1a }, 4, 8 + 8 },	      /* bne */
	{ A32, { 0x00, 0x00, 0x00, 0xfb }, 4, 8 + 2 },	      /* blx */
	{ A32, { 0x00, 0x00, 0x80, 0xfa }, 4, 8 - 33554432 }, /* blx */
	{ T32, { 0x80, 0xd0 }, 2, 4 - 256 },		      /* beq */
	{ T32, { 0x7f, 0xd1 }, 2, 4 + 254 },		      /* bne */
	{ T32, { 0x00, 0xe4 }, 2, 4 - 2048 },		      /* b */
	{ T32, { 0xff, 0xe3 }, 2, 4 + 2046 },		      /* b */
	{ T32, { 0xf9, 0xb3 }, 2, 4 + 126 },		      /* cbz */
	{ T32, { 0x07, 0xb9 }, 2, 4 },			      /* cbnz */
	{ T32, { 0x00, 0xf4, 0x00, 0x80 }, 4, 4 - 1048576 },  /* beq.w */
	{ T32, { 0x3f, 0xf3, 0xff, 0xaf }, 4, 4 + 1048574 },  /* bgt.w */
	{ T32, { 0x00, 0xf4, 0x00, 0x90 }, 4, 4 - 16777216 }, /* b.w */
	{ T32, { 0xff, 0xf3, 0xff, 0x97 }, 4, 4 + 16777214 }, /* b.w */
	{ T32, { 0x00, 0xf4, 0x00, 0xf8 }, 4, 4 - 4194304 },  /* bl */
	{ T32, { 0x00, 0xf0, 0x00, 0xd8 }, 4, 4 + 8388608 },  /* bl */
	{ T32, { 0xff, 0xf7, 0xff, 0xff }, 4, 4 - 2 },	      /* bl */
	{ T32, { 0xff, 0xf3, 0xfe, 0xc7 }, 4, 4 + 16777212 }, /* blx */
	{ T32, { 0x00, 0xf4, 0x00, 0xc0 }, 4, 4 - 16777216 }, /* blx */
	{ T32, { 0x00, 0xf0, 0x02, 0xe8 }, 4, 4 + 4 },	      /* blx */
};

/* The targets are also right where a few bytes are missing. */
START_TEST(branches_lead_to_the_assemblers_targets)
{
	const struct row *row = &rows[_i];
	uint64_t target = 1;

	ck_assert(coresight_target(row->isa, PLACE, row->bytes, row->size,
				   &target));
	ck_assert_uint_eq(target, PLACE + (uint64_t)row->offset);
	target = 1;
	ck_assert(!coresight_target(row->isa, PLACE, row->bytes, row->size - 1,
				    &target));
	ck_assert_uint_eq(target, 1);
}
END_TEST

static const struct {
	ocsd_isa isa;
	uint8_t bytes[4];
} others[] = {
	{ A64, { 0xc0, 0x03, 0x5f, 0xd6 } }, /* ret */
	{ A32, { 0x1e, 0xff, 0x2f, 0xe1 } }, /* bx lr */
	{ T32, { 0x70, 0x47 } },	     /* bx lr */
	{ T32, { 0x00, 0xdf } },	     /* svc #0 */
	{ T32, { 0x00, 0xde } },	     /* udf #0 */
	{ T32, { 0x08, 0xbf } },	     /* it eq */
	{ T32, { 0xaf, 0xf3, 0x00, 0x80 } }, /* nop.w */
	{ T32, { 0xbf, 0xf3, 0x6f, 0x8f } }, /* isb */
	{ T32, { 0xde, 0xf3, 0x04, 0x8f } }, /* subs pc, lr, #4 */
	{ ocsd_isa_jazelle, { 0 } },
};

START_TEST(other_instructions_have_no_target)
{
	uint64_t target;

	ck_assert(!coresight_target(others[_i].isa, PLACE, others[_i].bytes, 4,
				    &target));
}
END_TEST

/* BLX counts from a multiple of four; 32-bit addresses go round. */
START_TEST(places_are_rounded)
{
	static const uint8_t blx[] = { 0x00, 0xf0, 0x02, 0xe8 };
	static const uint8_t b[] = { 0x00, 0x00, 0x80, 0xea };
	uint64_t target;

	ck_assert(coresight_target(T32, PLACE + 2, blx, 4, &target));
	ck_assert_uint_eq(target, PLACE + 8);
	ck_assert(coresight_target(A32, 0x100, b, 4, &target));
	ck_assert_uint_eq(target, 0xfe000108);
}
END_TEST

SUITE("coresight_target")
{
	TEST_EACH(branches_lead_to_the_assemblers_targets, rows);
	TEST_EACH(other_instructions_have_no_target, others);
	TEST(places_are_rounded);
}
