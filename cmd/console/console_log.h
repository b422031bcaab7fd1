/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CONSOLE_LOG_H
#define KT_CMD_CONSOLE_LOG_H

#include "common/log.h"

/* A log that writes one line per message to standard error: the program's name,
 * the file and the byte offset in it if they are known, and the text.
 */
extern const struct log console_log;

#endif
