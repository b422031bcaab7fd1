/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/traced_unit.h"
#include "machine/tests/pt_decode.h"

const struct pt_rates rates = { .bus_ratio = 10, .tsc_numerator = 80 };
struct memory_bus memory;
struct pt_unit unit;

void traced_unit_begin(void)
{
	memory_bus_init(&memory);
	pt_unit_init(&unit, &memory.bus, &rates, 0);
}

void start(uint64_t ctl)
{
	pt_unit_write_msr(&unit, MSR_RTIT_OUTPUT_BASE, RANGE, KERNEL, 0);
	pt_unit_write_msr(&unit, MSR_RTIT_OUTPUT_MASK_PTRS, RANGE_MASK, KERNEL,
			  0);
	ck_assert_int_eq(pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl, KERNEL,
					   1000),
			 PT_MSR_DONE);
}

size_t written(void)
{
	uint64_t pointers;

	pt_unit_read_msr(&unit, MSR_RTIT_OUTPUT_MASK_PTRS, &pointers);
	return pointers >> 32;
}

void assert_packets(const char *expected)
{
	char names[4096];

	pt_decode_names(memory.bytes + RANGE, written(), names, sizeof(names));
	ck_assert_str_eq(names, expected);
}

struct pt_packet packet_at(size_t index)
{
	static struct pt_packet packets[4096];
	size_t count =
		pt_decode(memory.bytes + RANGE, written(), packets, 4096);

	ck_assert_uint_lt(index, count);
	return packets[index];
}

const uint8_t *bytes_at(size_t index)
{
	const uint8_t *bytes = memory.bytes + RANGE;

	for (size_t i = 0; i < index; i++)
		bytes += packet_at(i).size;
	return bytes;
}

void branch(enum pt_branch kind, uint64_t next, uint64_t to, uint64_t tsc)
{
	pt_unit_branch(&unit, kind, next, to, tsc);
	pt_unit_arrive(&unit, to, tsc);
}
