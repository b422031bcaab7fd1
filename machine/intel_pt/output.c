/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/output.h"

#include <assert.h>
#include <string.h>

#define PHYSICAL_PAGE_MASK (((1ull << PT_PHYSICAL_BITS) - 1) & ~0xfffull)
#define TABLE_OFFSET_SHIFT 7
#define TABLE_OFFSET_MAX 0x1ffffffull

void pt_output_init(struct pt_output *output, struct pt_registers *registers,
		    const struct pt_bus *bus)
{
	*output = (struct pt_output){ .registers = registers, .bus = bus };
}

bool pt_output_halted(const struct pt_output *output)
{
	return output->registers->status & (STATUS_STOPPED | STATUS_ERROR);
}

static void fail(struct pt_output *output)
{
	output->registers->status |= STATUS_ERROR;
}

static uint64_t table_offset(const struct pt_output *output)
{
	return output->registers->output_mask >> TABLE_OFFSET_SHIFT &
	       TABLE_OFFSET_MAX;
}

static uint64_t region_offset(const struct pt_output *output)
{
	return output->registers->output_mask >> 32;
}

static void move_to(struct pt_output *output, uint64_t table, uint64_t region)
{
	output->registers->output_mask = region << 32 |
					 table << TABLE_OFFSET_SHIFT | 0x7f;
}

static uint64_t region_size(uint64_t entry)
{
	return 4096ull << ((entry & TOPA_SIZE) >> TOPA_SIZE_SHIFT);
}

/* A ring of END entries without a region would never end. The unit gives up
 * after more entries than any software needs.
 */
enum { END_ENTRIES_MAX = 64 };

/* Reads the current table entry, following END entries. */
static bool load_entry(struct pt_output *output)
{
	struct pt_registers *registers = output->registers;
	uint64_t entry;

	for (unsigned i = 0; i < END_ENTRIES_MAX; i++) {
		uint64_t at = (registers->output_base & PHYSICAL_PAGE_MASK) +
			      table_offset(output) * sizeof(entry);

		if (!output->bus->read(output->bus->machine, at, &entry,
				       sizeof(entry)))
			break;
		if (entry & TOPA_RESERVED)
			break;
		if (!(entry & TOPA_END)) {
			if (region_offset(output) >= region_size(entry) ||
			    (entry & PHYSICAL_PAGE_MASK &
			     (region_size(entry) - 1)))
				break;
			output->entry = entry;
			output->entry_valid = true;
			return true;
		}
		/* The SDM forbids both in an END entry. */
		if (entry & (TOPA_INT | TOPA_STOP))
			break;
		registers->output_base = entry & PHYSICAL_PAGE_MASK;
		move_to(output, 0, region_offset(output));
	}
	fail(output);
	return false;
}

/* After a stop the registers point to the end of the full region (SDM, "ToPA
 * STOP"). Linux's driver detects by this that trace was lost, and sets
 * PERF_AUX_FLAG_TRUNCATED (pt_handle_status() in arch/x86/events/intel/pt.c).
 */
static void region_full(struct pt_output *output)
{
	output->entry_valid = false;
	if (output->entry & TOPA_STOP)
		output->registers->status |= STATUS_STOPPED;
	else
		move_to(output, table_offset(output) + 1, 0);
	if (output->entry & TOPA_INT)
		output->bus->interrupt(output->bus->machine);
}

/* A unit whose tables have one region each interrupts before that region is
 * full (SDM, "Single Output Region ToPA Implementation"), so that software can
 * give it another one; Linux counts on the last bytes (TOPA_PMI_MARGIN in
 * arch/x86/events/intel/pt.c).
 */
enum { EARLY_INTERRUPT = 512 };

/* Returns the number of bytes up to an early interrupt, 0 if none is ahead. */
static uint64_t until_early(const struct pt_output *output)
{
	uint64_t end = region_size(output->entry) - EARLY_INTERRUPT;
	uint64_t offset = region_offset(output);

	return !output->registers->abilities.many_regions &&
			       output->entry & TOPA_INT && offset < end ?
		       end - offset :
		       0;
}

/* Writes as much as fits into the current region. Returns the count. */
static size_t write_topa(struct pt_output *output, const uint8_t *bytes,
			 size_t size)
{
	if (!output->entry_valid && !load_entry(output))
		return 0;

	uint64_t offset = region_offset(output);
	uint64_t left = region_size(output->entry) - offset;
	uint64_t at = (output->entry & PHYSICAL_PAGE_MASK) + offset;
	uint64_t early = until_early(output);

	if (early)
		left = early;
	if (size > left)
		size = left;
	if (!output->bus->write(output->bus->machine, at, bytes, size)) {
		fail(output);
		return 0;
	}
	move_to(output, table_offset(output), offset + size);
	if (size < left)
		return size;
	if (early)
		output->bus->interrupt(output->bus->machine);
	else
		region_full(output);
	return size;
}

/* The range's size is a power of two, its base is aligned to the size, and it
 * wraps.
 */
static size_t write_single_range(struct pt_output *output, const uint8_t *bytes,
				 size_t size)
{
	struct pt_registers *registers = output->registers;
	uint64_t mask = registers->output_mask & 0xffffffffull;
	uint64_t offset = registers->output_mask >> 32;

	if ((mask & (mask + 1)) || offset > mask ||
	    (registers->output_base & mask)) {
		fail(output);
		return 0;
	}
	if (size > mask + 1 - offset)
		size = mask + 1 - offset;
	if (!output->bus->write(output->bus->machine,
				registers->output_base + offset, bytes, size)) {
		fail(output);
		return 0;
	}
	offset = (offset + size) & mask;
	registers->output_mask = offset << 32 | mask;
	return size;
}

static void publish_count(struct pt_output *output)
{
	struct pt_registers *registers = output->registers;

	registers->status &= ~STATUS_BYTE_COUNT;
	registers->status |= output->since_psb << STATUS_BYTE_COUNT_SHIFT &
			     STATUS_BYTE_COUNT;
}

void pt_output_flush(struct pt_output *output)
{
	bool topa = output->registers->ctl & CTL_TOPA;
	size_t done = 0;

	if (output->used &&
	    unit_fault_strikes(&output->fault, PT_FAULT_BYTES_ZERO))
		memset(output->bytes, 0, output->used);
	while (done < output->used && !pt_output_halted(output))
		done += (topa ? write_topa : write_single_range)(
			output, output->bytes + done, output->used - done);
	output->used = 0;
	publish_count(output);
}

void pt_output_start(struct pt_output *output)
{
	output->used = 0;
	output->entry_valid = false;
	output->since_psb = (output->registers->status & STATUS_BYTE_COUNT) >>
			    STATUS_BYTE_COUNT_SHIFT;
}

void pt_output_restart_count(struct pt_output *output)
{
	output->since_psb = 0;
}

/* Returns whether an early interrupt is due soon or was raised: then it must
 * not wait for packets that are being collected.
 */
static bool is_almost_full(const struct pt_output *output)
{
	return !output->registers->abilities.many_regions &&
	       output->registers->ctl & CTL_TOPA && output->entry_valid &&
	       region_size(output->entry) - region_offset(output) <
		       EARLY_INTERRUPT + 2 * PT_OUTPUT_GATHER;
}

void pt_output_put(struct pt_output *output, const uint8_t *bytes, size_t size)
{
	assert(size <= PT_OUTPUT_GATHER);
	if (output->discarding || pt_output_halted(output))
		return;
	if (output->used + size > PT_OUTPUT_GATHER)
		pt_output_flush(output);
	memcpy(output->bytes + output->used, bytes, size);
	output->used += size;
	output->since_psb += size;
	if (is_almost_full(output))
		pt_output_flush(output);
}
