/* SPDX-License-Identifier: MIT */
#include "tables/profile/off_cpu_records.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "report/profile/call_tree.h"
#include "report/steps/task_pack.h"

int off_cpu_records_open(struct off_cpu_records *records)
{
	*records = (struct off_cpu_records){ .paths = call_tree_new() };
	if (!records->paths)
		return -ERROR_MEMORY;
	records->root = call_tree_root(records->paths, 0);
	return records->root == CALL_NODE_NONE ? -ERROR_MEMORY : 0;
}

void off_cpu_records_free(struct off_cpu_records *records)
{
	call_tree_free(records->paths);
}

/* Lists @node and its callers below the root. Returns false when out of memory.
 */
static bool list_callers(const struct call_tree *tree, uint32_t node,
			 struct array *callers)
{
	for (; call_tree_at(tree, node)->parent != CALL_NODE_NONE;
	     node = call_tree_at(tree, node)->parent)
		if (array_append(callers, &node) < 0)
			return false;
	return true;
}

/* Returns the node of @to, below @root, for node @node of @from; CALL_NODE_NONE
 * when out of memory. Not recursive: the depth of a path has no limit in a
 * trace or file.
 */
static uint32_t place(const struct call_tree *from, uint32_t node,
		      struct call_tree *to, uint32_t root)
{
	struct array callers = ARRAY_OF(uint32_t);
	uint32_t at = list_callers(from, node, &callers) ? root :
							   CALL_NODE_NONE;

	for (size_t i = callers.count; i-- > 0 && at != CALL_NODE_NONE;) {
		const uint32_t *caller = array_at(&callers, i);
		const struct call_node *item = call_tree_at(from, *caller);

		at = call_tree_find_child(to, at, item->function,
					  item->is_interrupt);
	}
	array_free(&callers);
	return at;
}

uint32_t off_cpu_records_place(const struct off_cpu_records *records,
			       uint32_t path, struct call_tree *calls,
			       uint32_t root)
{
	return place(records->paths, path, calls, root);
}

static void pack_record(struct pack *pack, struct off_cpu_record *record)
{
	struct time_span *span = &record->span;

	task_pack_facts(pack, &record->task);
	pack_i32(pack, &span->cpu);
	pack_u64(pack, &span->begin_ns);
	pack_u64(pack, &span->end_ns);
	pack_small(pack, &span->time_class, TIME_CLASSES - 1);
	pack_small(pack, &span->reason, UNKNOWN_REASONS - 1);
	pack_u32(pack, &record->path);
}

int off_cpu_records_keep(struct off_cpu_records *records,
			 const struct task *task, const struct time_span *span,
			 const struct call_tree *calls, uint32_t node)
{
	const struct kept_span when =
		kept_span_of(span->begin_ns, span->end_ns);
	struct off_cpu_record record = {
		.task = *task,
		.span = *span,
		.path = place(calls, node, records->paths, records->root),
	};

	if (record.path == CALL_NODE_NONE)
		return -ERROR_MEMORY;
	pack_record(kept_file_writer_pack(records->writer), &record);
	kept_file_writer_add(records->writer, &when);
	return 0;
}

static void pack_path(struct call_tree *paths, struct pack *pack,
		      uint32_t number, uint32_t functions)
{
	struct call_node node = { 0 };

	if (!pack->is_reading)
		node = *call_tree_at(paths, number);
	pack_u32(pack, &node.parent);
	pack_u32(pack, &node.function);
	pack_bool(pack, &node.is_interrupt);
	pack_check(pack, node.parent < number && node.function < functions);
	if (pack->is_reading && !pack->failed)
		pack_check(pack, call_tree_find_child(
					 paths, node.parent, node.function,
					 node.is_interrupt) == number);
}

void off_cpu_records_pack_paths(struct off_cpu_records *records,
				struct pack *pack, uint32_t functions)
{
	uint32_t count = call_tree_count(records->paths);

	pack_u32(pack, &count);
	for (uint32_t i = records->root + 1; i < count && !pack->failed; i++)
		pack_path(records->paths, pack, i, functions);
}

void off_cpu_records_read(const struct off_cpu_records *records,
			  struct pack *pack, struct off_cpu_record *record)
{
	*record = (struct off_cpu_record){ .path = 0 };
	pack_record(pack, record);
	pack_check(pack,
		   record->path >= records->root &&
			   record->path < call_tree_count(records->paths));
	record->span.task = &record->task;
}
