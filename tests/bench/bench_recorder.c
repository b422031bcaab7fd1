/* SPDX-License-Identifier: MIT */
/* Measures the CPU time that recorders take to write trace to the disk.
 *
 *	bench_recorder FOLDER [MIB]
 *
 * A ring of one CPU in memory gets pieces of 1 MiB as fast as they are written,
 * MIB (512) of them to each recorder, into files in FOLDER, one after the
 * other, ROUNDS times: pwrite(), the writer of `data`, and a trace_writer,
 * without and with compression. Prints the median rounds. The later work of the
 * kernel's threads, to write the pages that pwrite() filled, is not counted. No
 * figure is a failure.
 */
#include "collector/events/event_list.h"
#include "collector/writer/feature.h"
#include "collector/writer/recording_writer.h"
#include "collector/writer/trace_writer.h"
#include "common/clocks.h"
#include "common/files/output_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PIECE = 1 << 20, RING = 8 << 20, ROUNDS = 5 };

enum recorder { PWRITE, DATA, THREADS, COMPRESS, RECORDERS };

struct bench {
	struct output_folder folder;
	struct perf_event_mmap_page page;
	struct aux_ring aux;
	uint64_t pieces;
	double cpu_s;
	double wall_s;
	int round;
	struct {
		const char *name;
		double cpu[ROUNDS]; /* GB per CPU second */
		double wall[ROUNDS];
	} recorders[RECORDERS];
};

static void check(bool is_well, const char *what)
{
	if (is_well)
		return;
	perror(what);
	exit(1);
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void begin(struct bench *bench)
{
	bench->page.aux_head = bench->page.aux_tail = bench->aux.read = 0;
	bench->cpu_s = cpu_s();
	bench->wall_s = (double)monotonic_ns() / 1e9;
}

static void end(struct bench *bench, enum recorder recorder, const char *name,
		const char *file)
{
	double gigabytes = (double)bench->pieces * PIECE / 1e9;

	bench->recorders[recorder].name = name;
	bench->recorders[recorder].cpu[bench->round] =
		gigabytes / (cpu_s() - bench->cpu_s);
	bench->recorders[recorder].wall[bench->round] =
		gigabytes / ((double)monotonic_ns() / 1e9 - bench->wall_s);
	output_folder_remove(&bench->folder, file);
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a;
	double other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

static void print(struct bench *bench)
{
	double first = 0;

	for (int i = 0; i < RECORDERS; i++) {
		double cpu = median(bench->recorders[i].cpu);

		first = i ? first : cpu;
		printf("%-12s %6.2f GB per CPU second, %5.2f times pwrite(); "
		       "%5.2f GB/s\n",
		       bench->recorders[i].name, cpu, cpu / first,
		       median(bench->recorders[i].wall));
	}
}

static struct ring_bytes next_piece(struct bench *bench)
{
	__atomic_store_n(&bench->page.aux_head, bench->page.aux_head + PIECE,
			 __ATOMIC_RELEASE);
	return aux_ring_read(&bench->aux);
}

static void run_pwrite(struct bench *bench)
{
	int fd = output_folder_create(&bench->folder, "plain");

	check(fd >= 0, "create");
	begin(bench);
	for (uint64_t i = 0; i < bench->pieces; i++) {
		struct ring_bytes piece = next_piece(bench);

		check(pwrite(fd, piece.part[0].iov_base, PIECE,
			     (off_t)(i * PIECE)) == PIECE,
		      "pwrite");
		aux_ring_release(&bench->aux, &piece);
	}
	end(bench, PWRITE, "pwrite()", "plain");
	close(fd);
}

static void run_data(struct bench *bench)
{
	struct event_list events = event_list_new();
	struct recording_writer *writer;

	check(!recording_writer_create(&bench->folder, &events, NULL, 0, NULL,
				       &writer),
	      "data");
	begin(bench);
	for (uint64_t i = 0; i < bench->pieces; i++) {
		struct ring_bytes piece = next_piece(bench);

		check(!recording_writer_add_trace(writer, 0, 0, -1, &piece) &&
			      !recording_writer_end_round(writer),
		      "data");
		aux_ring_release(&bench->aux, &piece);
	}
	check(!recording_writer_finish(writer), "data");
	end(bench, DATA, "data", "data");
	recording_writer_free(writer);
	event_list_free(&events);
}

static void run_thread(struct bench *bench, bool compress)
{
	const struct trace_writer_options options = {
		.folder = &bench->folder,
		.compress = compress,
	};
	struct trace_writer *writer;
	struct pollfd wake = { .events = POLLIN };
	uint64_t full_at;
	int event[2];

	check(!pipe(event), "pipe");
	begin(bench);
	check(!trace_writer_start(&bench->aux, event[0], &options, &writer),
	      "start");
	wake.fd = trace_writer_wake(writer);
	for (uint64_t i = 0; i < bench->pieces; i++) {
		next_piece(bench);
		check(write(event[1], "", 1) == 1, "wake");
		do
			check(poll(&wake, 1, -1) == 1 &&
				      !trace_writer_take(writer, &full_at),
			      "writer");
		while (trace_writer_look(writer).trace_bytes < (i + 1) * PIECE);
	}
	trace_writer_stop(writer);
	check(!trace_writer_finish(writer), "writer");
	if (compress)
		end(bench, COMPRESS, "--compress", "data.0.zst");
	else
		end(bench, THREADS, "--threads", "data.0");
	trace_writer_free(writer);
	close(event[0]);
	close(event[1]);
}

/* Fills the ring with bytes that compress like trace: short patterns. */
static void fill(struct bench *bench)
{
	uint32_t state = 1;

	for (size_t i = 0; i < RING; i++) {
		if (!(i % 3))
			state = state * 1664525 + 1013904223;
		bench->aux.bytes[i] = (uint8_t)(state >> 24 & 0x3f);
	}
}

int main(int argc, char **argv)
{
	static struct bench bench;

	if (argc < 2) {
		fputs("usage: bench_recorder FOLDER [MIB]\n", stderr);
		return 2;
	}
	bench.pieces = argc > 2 ? strtoull(argv[2], NULL, 10) : 512;
	check(!output_folder_open(&bench.folder, argv[1], NULL), argv[1]);
	bench.aux = (struct aux_ring){
		.page = &bench.page,
		.bytes = mmap(NULL, RING, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0),
		.size = RING,
	};
	check(bench.aux.bytes != MAP_FAILED, "mmap");
	fill(&bench);
	for (; bench.round < ROUNDS; bench.round++) {
		/* Once more, not counted: the next one reuses its pages, which
		 * a virtual machine's host may have to find first.
		 */
		run_pwrite(&bench);
		run_pwrite(&bench);
		run_data(&bench);
		run_thread(&bench, false);
		run_thread(&bench, true);
	}
	print(&bench);
	output_folder_close(&bench.folder);
	return 0;
}
