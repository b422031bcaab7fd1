/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_STORE_STORE_OPTIONS_INTERNAL_H
#define KT_CMD_STORE_STORE_OPTIONS_INTERNAL_H

#include "cmd/options/option_lists.h"
#include "common/array.h"
#include "report/text/record_writer.h"
#include "sql/rows/sql_table.h"
#include "store/ask/measure_query.h"
#include "store/ask/store_diff.h"

#include <stdbool.h>
#include <stdint.h>

/* The options of all subcommands of `ktrace-hw store`. */
enum store_option {
	STORE_TO,
	STORE_LABEL,
	STORE_TABLES,
	STORE_MIN_DURATION,
	STORE_SUMS,
	STORE_SYMFS,
	STORE_JOBS,
	STORE_OF,
	STORE_BY,
	STORE_WHERE,
	STORE_ONLY,
	STORE_A,
	STORE_B,
	STORE_STATISTIC,
	STORE_TIMES,
	STORE_TOP,
	STORE_FORMAT,
	STORE_CLUSTER,
	STORE_DATABASE,
	STORE_TTL,
	STORE_OPTIONS,
};
extern const struct own_option store_option_list[STORE_OPTIONS];

/* A subcommand. */
struct store_command;

/* Its command line. Strings point into argv. */
struct store_options {
	struct array words;  /* const char *: the operands */
	const char *to;	     /* NULL: not given */
	struct array labels; /* struct store_label */
	bool wanted[SQL_TABLES];
	uint64_t min_duration_ns;
	const char *symfs;
	uint64_t jobs;
	const struct measure *measure;
	const char *by;	    /* NULL: by item */
	struct array where; /* char *, like a and b */
	const char *only;   /* NULL: all */
	struct array a;
	struct array b;
	const struct diff_statistic *statistic;
	uint64_t times;
	uint64_t top; /* UINT64_MAX: all */
	enum record_format format;
	const char *cluster;  /* NULL: one server */
	const char *database; /* of the cluster */
	bool wants_ttl;
};

struct store_command {
	const char *name;
	const char *summary;  /* one line, for the list */
	const char *words;    /* its operands, for the usage text */
	unsigned int options; /* accepted ones: 1 << enum store_option */
	int (*run)(const struct store_options *options);
};

/* Parses the arguments after argv[0].
 *
 * Returns 0, or the exit code plus 1; wrong usage is reported on standard error
 * first. The caller frees @options even after an error.
 */
int store_options_read(struct store_options *options,
		       const struct store_command *command, int argc,
		       char **argv);
void store_options_free(struct store_options *options);

#endif
