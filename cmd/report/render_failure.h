/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RENDER_FAILURE_H
#define KT_CMD_RENDER_FAILURE_H

/* Says that a table or a profile cannot be rendered for @status, a negative enum error:
 * -ERROR_NOT_FOUND if it has no column @sort.  Returns the exit code.
 */
int render_failure(int status, const char *sort);

#endif
