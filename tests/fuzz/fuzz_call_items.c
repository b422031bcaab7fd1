/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "tables/calls/call_argument.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

/* Calls whose arguments together refer to each kind of structure. */
static const char *const names[] = {
	"openat",     "execve",	    "connect",	      "accept4",
	"nanosleep",  "utimensat",  "setitimer",      "timerfd_settime",
	"stat",	      "statx",	    "poll",	      "epoll_ctl",
	"epoll_wait", "writev",	    "rt_sigprocmask", "rt_sigaction",
	"wait4",      "prlimit64",  "uname",	      "sendmsg",
	"setsockopt", "socketpair", "clone3",	      "openat2",
	"fcntl",      "read",
};

static void write_all(const struct system_call *call)
{
	FILE *out = fopen("/dev/null", "w");

	for (size_t i = 0; out && i < sizeof(names) / sizeof(*names); i++) {
		call_arguments_write(call, names[i], i % 2, out);
		call_result_write(call, names[i], out);
	}
	if (out)
		fclose(out);
}

/* A sample of record --syscall-data. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct call_items items = { .bytes = { 0 } };
	struct system_call call = {
		.has_enter = true,
		.has_exit = true,
		.items = &items,
	};
	struct call_data head;
	struct call_item item;
	char text[64];

	if (!call_data_read(bytes, size, &head))
		return 0;
	if (!call_items_add(&items, &head, bytes, size)) {
		call_items_path(&items);
		if (call_items_first_file(&items, &item))
			call_file_text(&item, text, sizeof(text));
		write_all(&call);
	}
	call_items_free(&items);
	return 0;
}
