/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/progress.h"

#include "common/clocks.h"

#include <stdio.h>
#include <unistd.h>

enum { CALLS_PER_LOOK = 1 << 8, MS_PER_LINE = 200 };

struct progress progress_of(uint64_t first_ns, uint64_t last_ns)
{
	return (struct progress){
		.is_shown = isatty(STDERR_FILENO) && last_ns > first_ns,
		.first_ns = first_ns,
		.last_ns = last_ns,
		.drawn_ms = monotonic_ms(),
	};
}

static void draw(struct progress *progress, uint64_t time_ns)
{
	uint64_t now = monotonic_ms();
	uint64_t done =
		time_ns > progress->first_ns ? time_ns - progress->first_ns : 0;
	uint64_t all = progress->last_ns - progress->first_ns;

	if (now - progress->drawn_ms < MS_PER_LINE)
		return;
	progress->drawn_ms = now;
	progress->has_line = true;
	fprintf(stderr, "\rdecoding: %3.0f %% ",
		done < all ? 100.0 * (double)done / (double)all : 100.0);
}

void progress_at(struct progress *progress, uint64_t time_ns)
{
	if (progress->is_shown && !(++progress->calls % CALLS_PER_LOOK))
		draw(progress, time_ns);
}

void progress_end(struct progress *progress)
{
	if (progress->has_line)
		fputs("\r\033[K", stderr);
}
