/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RENDER_FAILURE_H
#define KT_CMD_RENDER_FAILURE_H

/* Reports that a table or a profile cannot be rendered because of @status, a
 * negative enum error; -ERROR_NOT_FOUND means that it has no column @sort.
 * Returns the exit code.
 */
int render_failure(int status, const char *sort);

#endif
