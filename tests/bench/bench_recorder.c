/* SPDX-License-Identifier: MIT */
/* Measures the CPU time that recorders take to write trace to the disk.
 *
 *	bench_recorder FOLDER [MIB]
 *
 * A thread in place of the trace unit and the kernel adds pieces of 1 MiB to a
 * ring of one CPU in memory, one each PIECE_NS, MIB (256) of them to each
 * recorder, and wakes it after each; its own time is not counted. The recorders
 * write files in FOLDER, one after the other, ROUNDS times: pwrite() without
 * waiting, the writer of `data` as the loop of one thread uses it, and a
 * trace_writer, without and with compression. Prints the best rounds, because
 * the machine's other load can only take from them: without and with the time of
 * fdatasync(), which writes the pages that pwrite() filled. No figure is a
 * failure.
 */
#include "collector/events/event_list.h"
#include "collector/writer/feature.h"
#include "collector/writer/recording_writer.h"
#include "collector/writer/trace_writer.h"
#include "common/clocks.h"
#include "common/files/output_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, RING = 8 << 20, ROUNDS = 9, PIECE_NS = 2000000 };

enum recorder { PWRITE, DATA, THREADS, COMPRESS, RECORDERS };

struct bench {
	struct output_folder folder;
	struct perf_event_mmap_page page;
	struct aux_ring aux;
	int event[2]; /* a pipe, in place of the trace's event */
	pthread_t unit;
	double unit_cpu_s;
	uint64_t pieces;
	double cpu_s;
	double wall_s;
	int round;
	struct {
		const char *name;
		double cpu[ROUNDS];  /* GB per CPU second */
		double disk[ROUNDS]; /* with the time to write it to the disk */
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

static double cpu_s(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void begin(struct bench *bench)
{
	bench->page.aux_head = bench->page.aux_tail = bench->aux.read = 0;
	bench->cpu_s = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
	bench->unit_cpu_s = 0;
	bench->wall_s = (double)monotonic_ns() / 1e9;
}

/* Returns GB per CPU second since begin(). */
static double cpu_rate(const struct bench *bench)
{
	return (double)bench->pieces * PIECE / 1e9 /
	       (cpu_s(CLOCK_PROCESS_CPUTIME_ID) - bench->cpu_s -
		bench->unit_cpu_s);
}

static void sync_file(const struct bench *bench, const char *file)
{
	int fd = output_folder_reopen(&bench->folder, file, O_RDONLY);

	check(fd >= 0 && !fdatasync(fd), "sync");
	close(fd);
}

static void end(struct bench *bench, enum recorder recorder, const char *name,
		const char *file)
{
	double wall_s = (double)monotonic_ns() / 1e9 - bench->wall_s;

	bench->recorders[recorder].name = name;
	bench->recorders[recorder].cpu[bench->round] = cpu_rate(bench);
	bench->recorders[recorder].wall[bench->round] =
		(double)bench->pieces * PIECE / 1e9 / wall_s;
	sync_file(bench, file);
	bench->recorders[recorder].disk[bench->round] = cpu_rate(bench);
	output_folder_remove(&bench->folder, file);
}

static double best(const double *values)
{
	double most = 0;

	for (int i = 0; i < ROUNDS; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

static void print(struct bench *bench)
{
	const double plain = best(bench->recorders[PWRITE].cpu);
	const double data = best(bench->recorders[DATA].cpu);
	const double disk = best(bench->recorders[DATA].disk);

	for (int i = 0; i < RECORDERS; i++) {
		double cpu = best(bench->recorders[i].cpu);
		double all = best(bench->recorders[i].disk);

		printf("%-12s %6.2f GB per CPU second, %5.2f times pwrite(), "
		       "%5.2f times data; until it is on the disk %6.2f, %5.2f "
		       "times data; %5.2f GB/s\n",
		       bench->recorders[i].name, cpu, cpu / plain, cpu / data,
		       all, all / disk, best(bench->recorders[i].wall));
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

static void sleep_until(uint64_t at_ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(at_ns / 1000000000),
		.tv_nsec = (long)(at_ns % 1000000000),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void *make_trace(void *context)
{
	struct bench *bench = context;
	struct perf_event_mmap_page *page = &bench->page;
	uint64_t now_ns = monotonic_ns();

	for (uint64_t i = 0; i < bench->pieces; i++) {
		do
			sleep_until(now_ns += PIECE_NS);
		while (page->aux_head + PIECE -
			       __atomic_load_n(&page->aux_tail,
					       __ATOMIC_ACQUIRE) >
		       RING);
		__atomic_store_n(&page->aux_head, page->aux_head + PIECE,
				 __ATOMIC_RELEASE);
		check(write(bench->event[1], "", 1) == 1, "wake");
	}
	bench->unit_cpu_s = cpu_s(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void start_unit(struct bench *bench)
{
	check(!pipe(bench->event), "pipe");
	begin(bench);
	check(!pthread_create(&bench->unit, NULL, make_trace, bench), "thread");
}

static void end_unit(struct bench *bench)
{
	pthread_join(bench->unit, NULL);
	close(bench->event[0]);
	close(bench->event[1]);
}

static void run_data(struct bench *bench)
{
	struct event_list events = event_list_new();
	struct recording_writer *writer;
	struct pollfd wake = { .events = POLLIN };
	char bytes[RING / PIECE];

	check(!recording_writer_create(&bench->folder, &events, NULL, 0, NULL,
				       &writer),
	      "data");
	start_unit(bench);
	wake.fd = bench->event[0];
	while (bench->aux.read < bench->pieces * PIECE) {
		struct ring_bytes piece;

		check(poll(&wake, 1, -1) == 1 &&
			      read(wake.fd, bytes, sizeof(bytes)) > 0,
		      "wait");
		piece = aux_ring_read(&bench->aux);
		check(!recording_writer_add_trace(writer, 0, 0, -1, &piece) &&
			      !recording_writer_end_round(writer),
		      "data");
		aux_ring_release(&bench->aux, &piece);
	}
	check(!recording_writer_finish(writer), "data");
	end_unit(bench);
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

	start_unit(bench);
	check(!trace_writer_start(&bench->aux, bench->event[0], &options,
				  &writer),
	      "start");
	wake.fd = trace_writer_wake(writer);
	while (trace_writer_look(writer).trace_bytes < bench->pieces * PIECE)
		check(poll(&wake, 1, -1) == 1 &&
			      !trace_writer_take(writer, &full_at),
		      "writer");
	trace_writer_stop(writer);
	check(!trace_writer_finish(writer), "writer");
	end_unit(bench);
	if (compress)
		end(bench, COMPRESS, "--compress", "data.0.zst");
	else
		end(bench, THREADS, "--threads", "data.0");
	trace_writer_free(writer);
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
	bench.pieces = argc > 2 ? strtoull(argv[2], NULL, 10) : 256;
	check(!output_folder_open(&bench.folder, argv[1], NULL), argv[1]);
	bench.aux = (struct aux_ring){
		.page = &bench.page,
		.bytes = aligned_alloc(RING, RING),
		.size = RING,
	};
	check(bench.aux.bytes, "memory");
	/* In few pieces, like the kernel's (rb_alloc_aux_page()). */
	madvise(bench.aux.bytes, RING, MADV_HUGEPAGE);
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
