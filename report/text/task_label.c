/* SPDX-License-Identifier: MIT */
#include "report/text/task_label.h"

#include "report/text/name_text.h"
#include "report/text/task_names.h"

struct task_label task_label_of(const struct task_names *names, int32_t tid,
				uint64_t time_ns)
{
	struct task_label label = { "?" };

	if (tid >= 0)
		snprintf(label.text, sizeof(label.text), "%s-%d",
			 task_names_comm(names, tid, time_ns), tid);
	return label;
}

struct task_label task_label_last(const struct task_names *names, int32_t tid)
{
	return task_label_of(names, tid, UINT64_MAX);
}

void task_label_write(const struct task_names *names, int32_t tid,
		      uint64_t time_ns, FILE *out)
{
	name_write(out, NAME_TEXT, task_label_of(names, tid, time_ns).text);
}

void task_label_write_last(const struct task_names *names, int32_t tid,
			   FILE *out)
{
	task_label_write(names, tid, UINT64_MAX, out);
}
