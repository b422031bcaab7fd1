/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DEBUGINFOD_CONSENT_H
#define KT_CMD_DEBUGINFOD_CONSENT_H

#include <stdbool.h>

/* debuginfod servers send the debug data of programs by build id. Which
 * programs a user runs is not for others to know, so they are asked only with
 * consent: --debuginfod, or KTRACE_DEBUGINFOD=1 in the environment.
 * DEBUGINFOD_URLS, which many systems set, names the servers, and is no
 * consent.
 *
 * Sets the environment for libdwfl and debug_search(). Without consent, removes
 * the names of the servers from it; with consent, makes the client print its
 * progress on a terminal. @is_asked: --debuginfod was given. Must
 * be called while the process has one thread.
 *
 * Returns 0; or EXIT_USAGE, after saying so, if @is_asked and no server is
 * named.
 */
int debuginfod_consent(bool is_asked);

#endif
