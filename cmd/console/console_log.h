/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CONSOLE_LOG_H
#define KT_CMD_CONSOLE_LOG_H

#include "common/log.h"

/* A log that writes to standard error, a line a message: the program, the
 * file and the byte in it where they are known, and the text.
 */
extern const struct log console_log;

#endif
