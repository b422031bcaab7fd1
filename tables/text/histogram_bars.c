/* SPDX-License-Identifier: MIT */
#include "tables/text/histogram_bars.h"

#include "common/error.h"
#include "report/text/duration_text.h"
#include "tables/text/histogram.h"

#include <inttypes.h>

enum {
	MOST_LINES = 24, /* of a drawn histogram */
	BAR_WIDTH = 40,
};

/* Makes bars of @joined buckets each. */
static int make_bars(const struct histogram *histogram, size_t joined,
		     struct array *bars)
{
	struct histogram_bar *bar = NULL;
	size_t last = 0;

	for (size_t i = 0; i < histogram->buckets.count; i++) {
		uint64_t low;
		uint64_t width;
		uint64_t count = histogram_bucket(histogram, i, &low, &width);

		if (!count)
			continue;
		if (!bar || i / joined != last) {
			uint64_t end;

			bar = array_add(bars);
			if (!bar)
				return -ERROR_MEMORY;
			last = i / joined;
			bar->low = low - i % joined * width;
			end = bar->low + joined * width;
			bar->high = end > bar->low ? end : UINT64_MAX;
		}
		bar->count += count;
	}
	return 0;
}

int histogram_bars(const struct histogram *histogram, size_t most,
		   struct array *bars)
{
	size_t joined = 1;
	int status;

	/* Up to 64 adjacent buckets are in one octave and have the same width.
	 */
	while (!(status = make_bars(histogram, joined, bars)) &&
	       bars->count > most && joined < 64) {
		bars->count = 0;
		joined *= 2;
	}
	return status;
}

static void draw_bar(const struct histogram_bar *bar, uint64_t most, FILE *out)
{
	int width = (int)((bar->count * BAR_WIDTH + most - 1) / most);

	fprintf(out, "  %8s - %8s %10" PRIu64 "  %.*s\n",
		duration_text_of(bar->low).text,
		duration_text_of(bar->high - 1).text, bar->count, width,
		"########################################");
}

int histogram_bars_draw(const struct histogram *histogram, FILE *out)
{
	struct array bars = ARRAY_OF(struct histogram_bar);
	const struct histogram_bar *list;
	uint64_t most = 1;
	int status = histogram_bars(histogram, MOST_LINES, &bars);

	list = bars.items;
	for (size_t i = 0; !status && i < bars.count; i++)
		if (list[i].count > most)
			most = list[i].count;
	for (size_t i = 0; !status && i < bars.count; i++)
		draw_bar(&list[i], most, out);
	array_free(&bars);
	return status;
}
