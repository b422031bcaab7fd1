/* SPDX-License-Identifier: MIT */
#include "cmd/report/attribution_request_internal.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/report/profile_choice_internal.h"
#include "report/profile/profile_report.h"
#include "report/text/record_writer.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"

#include <stdio.h>
#include <string.h>

/* Returns EXIT_OK if the table has all columns of --columns. */
static int check_columns(const struct attribution_request *request)
{
	const char *item = request->columns;

	while (*item) {
		const char *end = strchrnul(item, ',');
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(end - item), item);
		if (!columns_have(request->table->columns, name)) {
			say("--columns: --%s has no column '%s' (report --%s "
			    "--columns lists them)",
			    request->table->name, name, request->table->name);
			return EXIT_USAGE;
		}
		item = end + (*end != '\0');
	}
	return EXIT_OK;
}

/* Checks the options of one table. The format of a profile is not checked here:
 * it has been chosen with the renderer.
 */
static int check_request(const struct report_options *options,
			 const struct attribution_request *request)
{
	const char *name = attribution_request_name(request);
	enum record_format format;

	if (!request->renderer &&
	    (!record_format_find(options->format, &format) ||
	     (request->calls && format == RECORD_CSV)))
		return report_format_refuse(
			name, options->format,
			request->calls ? "text or json" : "text, csv or json");
	if (request->sort &&
	    !columns_have(request->table->columns, request->sort))
		return sort_refuse(request->sort, request->table->columns);
	if (request->columns && check_columns(request))
		return EXIT_USAGE;
	if (options->by == GROUP_BY_NOTHING || request->table->has_groups)
		return EXIT_OK;
	say("--by cannot be combined with --%s", name);
	return EXIT_USAGE;
}

int attribution_requests_check(const struct report_options *options,
			       const struct attribution_request *requests,
			       size_t count)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = check_request(options, &requests[i]);
	return status;
}

const char *attribution_request_name(const struct attribution_request *request)
{
	return request->table->name ? request->table->name :
				      request->renderer->report;
}

const char *
attribution_request_columns(const struct attribution_request *request)
{
	if (request->columns)
		return request->columns;
	return request->is_wide ? NULL : request->table->brief;
}
