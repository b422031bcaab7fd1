/* SPDX-License-Identifier: MIT */
#include "collector/records/start_records.h"
#include "collector/events/event_list.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "collector/records/record_bytes.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "common/perf_data.h"

#include <stdio.h>
#include <string.h>

/* A record's size has 16 bits, so longer lists are split into several records.
 */
enum { ITEMS_A_RECORD = 2000 };

static size_t items_left(size_t count, size_t from)
{
	return count - from < ITEMS_A_RECORD ? count - from : ITEMS_A_RECORD;
}

static void add_clock(struct byte_buffer *bytes,
		      const struct perf_event_mmap_page *page)
{
	size_t place = record_begin(bytes, PERF_DATA_TIME_CONV, 0);

	byte_buffer_u64(bytes, page->time_shift);
	byte_buffer_u64(bytes, page->time_mult);
	byte_buffer_u64(bytes, page->time_zero);
	byte_buffer_u64(bytes, page->time_cycles);
	byte_buffer_u64(bytes, page->time_mask);
	byte_buffer_u64(bytes, page->cap_user_time_zero |
				       page->cap_user_time_short << 8);
	record_end(bytes, place);
}

static size_t index_of(const struct target *target, int cpu)
{
	const int *cpus = target->cpus.items;
	size_t index = 0;

	while (index < target->cpus.count && cpus[index] != cpu)
		index++;
	return index;
}

void start_records_ids(struct byte_buffer *bytes, const struct event_list *list,
		       size_t first, const struct target *target)
{
	const struct event *events = list->events.items;

	for (size_t from = first; from < list->events.count;
	     from += ITEMS_A_RECORD) {
		size_t place = record_begin(bytes, PERF_DATA_ID_INDEX, 0);
		size_t count = items_left(list->events.count, from);

		byte_buffer_u64(bytes, count);
		for (size_t i = from; i < from + count; i++) {
			byte_buffer_u64(bytes, events[i].id);
			byte_buffer_u64(bytes, index_of(target, events[i].cpu));
			byte_buffer_u64(bytes, (uint64_t)events[i].cpu);
			byte_buffer_u64(bytes, (uint64_t)events[i].thread);
		}
		record_end(bytes, place);
	}
}

/* Reads the kernel's name of @thread, padded with zeros. */
static void read_name(pid_t thread, char name[16])
{
	char path[64];
	FILE *file;

	memset(name, 0, 16);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, 16, file))
		memset(name + strcspn(name, "\n"), 0, 16 - strcspn(name, "\n"));
	fclose(file);
}

static void add_threads(struct byte_buffer *bytes, const struct target *target)
{
	const pid_t *threads = target->threads.items;

	for (size_t from = 0; from < target->threads.count;
	     from += ITEMS_A_RECORD) {
		size_t place = record_begin(bytes, PERF_DATA_THREAD_MAP, 0);
		size_t count = items_left(target->threads.count, from);
		char name[16];

		byte_buffer_u64(bytes, count);
		for (size_t i = from; i < from + count; i++) {
			read_name(threads[i], name);
			byte_buffer_u64(bytes, (uint64_t)threads[i]);
			byte_buffer_add(bytes, name, sizeof(name));
		}
		record_end(bytes, place);
	}
}

/* Uses the format that every perf version supports: 16-bit numbers, one by one.
 */
static void add_cpus(struct byte_buffer *bytes, const struct target *target)
{
	const uint16_t cpus_by_number = 0;
	const int *cpus = target->cpus.items;
	size_t place = record_begin(bytes, PERF_DATA_CPU_MAP, 0);
	uint16_t count = (uint16_t)target->cpus.count;

	byte_buffer_add(bytes, &cpus_by_number, sizeof(cpus_by_number));
	byte_buffer_add(bytes, &count, sizeof(count));
	for (size_t i = 0; i < target->cpus.count; i++) {
		uint16_t cpu = (uint16_t)cpus[i];

		byte_buffer_add(bytes, &cpu, sizeof(cpu));
	}
	record_end(bytes, place);
}

void start_records_setup(struct byte_buffer *bytes,
			 const struct event_list *events,
			 const struct target *target,
			 const struct tracer *tracer, const struct pmu *pmu,
			 const struct tracer_facts *facts)
{
	size_t place;

	add_clock(bytes, facts->page);
	start_records_ids(bytes, events, 0, target);
	if (tracer->metadata) {
		place = record_begin(bytes, PERF_DATA_AUXTRACE_INFO, 0);
		tracer->metadata(pmu, facts, bytes);
		record_end(bytes, place);
	}
	add_threads(bytes, target);
	add_cpus(bytes, target);
}

static void add_kernel_map(struct byte_buffer *bytes, uint64_t start,
			   uint64_t size, uint64_t offset, const char *name)
{
	size_t place =
		record_begin(bytes, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	byte_buffer_u32(bytes, UINT32_MAX);
	byte_buffer_u32(bytes, 0);
	byte_buffer_u64(bytes, start);
	byte_buffer_u64(bytes, size);
	byte_buffer_u64(bytes, offset);
	byte_buffer_text(bytes, name);
	record_end_sample_id(bytes, place);
}

void start_records_module(struct byte_buffer *bytes,
			  const struct module *module)
{
	char name[80];

	snprintf(name, sizeof(name), "[%s]", module->name);
	add_kernel_map(bytes, module->address, module->size_bytes, 0, name);
}

/* The offset of the kernel's map is the address of its reference symbol, from
 * which readers compute the kernel's relocation.
 */
void start_records_kernel(struct byte_buffer *bytes,
			  const struct kernel_copy *copy)
{
	const struct module *modules = copy->modules.items;

	add_kernel_map(bytes, copy->text.start,
		       copy->text.end - copy->text.start, copy->reference,
		       "[kernel.kallsyms]_text");
	for (size_t i = 0; i < copy->modules.count; i++)
		start_records_module(bytes, &modules[i]);
}

void start_records_end(struct byte_buffer *bytes)
{
	record_end(bytes, record_begin(bytes, PERF_DATA_FINISHED_INIT, 0));
}
