/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_comm.h"

#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/protobuf.h"

#include <stdio.h>
#include <string.h>

void perfetto_put_comm(struct protobuf *message, uint32_t field,
		       const struct task_names *names,
		       struct perfetto_comm comm)
{
	enum { COMM_BYTES = 32 };
	char text[COMM_BYTES * NAME_GROWTH];
	char name[COMM_BYTES];

	if (comm.tid)
		snprintf(name, sizeof(name), "%s",
			 task_names_comm(names, comm.tid, comm.time_ns));
	else
		snprintf(name, sizeof(name), "swapper/%u", comm.cpu);
	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name, strlen(name)));
}
