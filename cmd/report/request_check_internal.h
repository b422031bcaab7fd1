/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_REQUEST_CHECK_INTERNAL_H
#define KT_CMD_REPORT_REQUEST_CHECK_INTERNAL_H

#include <stddef.h>

struct attribution_request;
struct report_options;

/* Checks the options before a recording is read. Returns EXIT_OK if @options
 * allow all @count @requests; else EXIT_USAGE, after a message.
 */
int request_check_all(const struct report_options *options,
		      const struct attribution_request *requests, size_t count);

/* Returns the name of @request's table or renderer, for messages. */
const char *attribution_request_name(const struct attribution_request *request);

#endif
