/* SPDX-License-Identifier: MIT */
#include "tables/call_sites/call_site_pack.h"

#include "common/bytes.h"
#include "common/kept_file.h"
#include "report/steps/call_step.h"
#include "report/steps/task_pack.h"
#include "symbolize/functions/function_table.h"
#include "tables/call_sites/call_site.h"
#include "tables/table_records.h"

static bool is_purpose(uint32_t purpose, uint32_t functions)
{
	int32_t other = (int32_t)purpose;

	return purpose < functions ||
	       (other >= SITE_PAGE_FAULT && other <= SITE_SYSTEM_CALL);
}

void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions)
{
	pack_u32(pack, &site->purpose);
	pack_u64(pack, &site->address);
	pack_u32(pack, &site->caller);
	pack_u32(pack, &site->function);
	pack_u64(pack, &site->caller_address);
	pack_u64(pack, &site->offset);
	table_records_pack_classes(pack, site->class_ns);
	pack_check(pack, is_purpose(site->purpose, functions));
	pack_check(pack,
		   site->caller == FUNCTION_NONE || site->caller < functions);
	pack_check(pack, site->function < functions);
	site->entries = 1;
}

void call_site_pack_entry(struct pack *pack, struct task *task,
			  uint64_t *begin_ns, struct call_site *site,
			  uint32_t functions)
{
	task_pack_facts(pack, task);
	pack_u64(pack, begin_ns);
	call_site_pack(pack, site, functions);
	site->pid = task->pid;
	site->first_ns = *begin_ns;
}

void call_site_keep(struct kept_file_writer *writer, const struct task *task,
		    uint64_t begin_ns, const struct call_site *site,
		    uint32_t functions)
{
	const struct kept_span span = kept_span_of(begin_ns, begin_ns);
	struct task kept_task = *task;
	struct call_site kept = *site;

	call_site_pack_entry(kept_file_writer_pack(writer), &kept_task,
			     &begin_ns, &kept, functions);
	kept_file_writer_add(writer, &span);
}
