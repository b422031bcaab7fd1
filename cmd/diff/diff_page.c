/* SPDX-License-Identifier: MIT */
#include "cmd/diff/diff_page.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/options/report_options.h"
#include "view/answer/file_data.h"
#include "view/page/page.h"

struct page_data {
	const struct diff_table *table;
	const struct report_options *options;
};

static void write_data(FILE *out, void *ctx)
{
	const struct page_data *data = ctx;
	const char *const sides[] = { data->options->input,
				      data->options->second };

	diff_data_write(data->table, sides, data->options->top, out);
}

int diff_page_write(const struct diff_table *table,
		    const struct report_options *options, FILE *out)
{
	struct page_data data = { .table = table, .options = options };
	struct view_token nonce;

	if (!view_token_make(&nonce)) {
		say("no random bytes for the page");
		return EXIT_FAILED;
	}
	page_write(out, &diff_page, nonce.text, write_data, &data);
	return EXIT_OK;
}
