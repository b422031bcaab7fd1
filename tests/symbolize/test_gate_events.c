/* SPDX-License-Identifier: MIT */
/* Events of a trace that ran only during chosen calls. */
#include "symbolize/arch/arch.h"
#include "tests/fixtures/gate_script.h"
#include "tests/run_suite.h"

/* Start of a chosen system call, in the probe that resumes the trace. */
#define BEGIN \
	"100 BEGIN __x64_sys_openat do_syscall_64 entry\n" \
	"110 start kprobe_handler\n"
#define BEGUN \
	"100 start entry\n" \
	"100 call do_syscall_64 entry\n" \
	"100 call __x64_sys_openat do_syscall_64\n" \
	"100 call perf_tp_event __x64_sys_openat\n"

#define IN_OPEN "130 call vfs_open __x64_sys_openat\n"

/* End of a chosen system call. */
#define END "500 return arch_rethook_trampoline\n" END_PROBE
#define END_PROBE \
	"510 call rethook_handler arch_rethook_trampoline\n" \
	"520 END do_syscall_64 entry\n" \
	"530 stop off\n"
#define ENDED \
	"500 return do_syscall_64\n" \
	"500 stop not-asked\n"

/* LEAVE: the call's task is switched out in the call; COME: it is switched in
 * again.
 */
#define LEAVE \
	"200 call schedule vfs_open\n" \
	"210 call __perf_event_task_sched_out schedule\n" \
	"220 call kprobe_handler __perf_event_task_sched_out\n" \
	"230 LEAVE __perf_event_task_sched_out schedule vfs_open " \
	"__x64_sys_openat do_syscall_64 entry\n" \
	"240 stop off\n"
#define LEFT \
	"200 call schedule vfs_open\n" \
	"210 open-end 5\n" \
	"210 stop aside\n"
#define COME \
	"300 COME __perf_event_task_sched_in finish_task_switch schedule " \
	"vfs_open __x64_sys_openat do_syscall_64 entry\n" \
	"310 start kprobe_handler\n" \
	"320 return __perf_event_task_sched_in\n" \
	"330 return finish_task_switch\n"
#define HAS_COME \
	"300 start kprobe_handler\n" \
	"300 open entry\n" \
	"300 open do_syscall_64 entry\n" \
	"300 open __x64_sys_openat do_syscall_64\n" \
	"300 open vfs_open __x64_sys_openat\n" \
	"300 open schedule vfs_open\n" \
	"300 open finish_task_switch schedule\n" \
	"300 open-end 6\n" \
	"300 call perf_tp_event finish_task_switch\n" \
	"330 return finish_task_switch\n"

static const struct {
	const char *text;
	const char *wanted;
} cases[] = {
	/* No chosen call runs. */
	{ "0 FIRST\n"
	  "900 LAST\n"
	  "50 end\n",
	  "0 stop not-asked\n"
	  "900 stop not-asked\n"
	  "900 end\n" },
	/* One call, whole. */
	{ BEGIN "120 return kprobe_handler\n" IN_OPEN
		"140 return __x64_sys_openat\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN
		"140 return __x64_sys_openat\n" ENDED "900 end\n" },
	/* The call sleeps, while another task runs. */
	{ BEGIN IN_OPEN LEAVE "250 switch 7\n"
			      "290 switch 5\n" COME "340 return schedule\n" END
			      "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN LEFT "250 switch 7\n"
		"290 switch 5\n" HAS_COME "340 return schedule\n" ENDED
		"900 end\n" },
	/* An interrupt comes in the probe, and one in the call. */
	{ BEGIN "111 break asm_sysvec_apic_timer_interrupt kprobe_handler\n"
		"112 call sysvec_apic_timer_interrupt "
		"asm_sysvec_apic_timer_interrupt\n"
		"113 return asm_sysvec_apic_timer_interrupt\n"
		"114 break-return kprobe_handler\n" IN_OPEN
		"140 break asm_sysvec_apic_timer_interrupt vfs_open\n"
		"150 break-return vfs_open\n" END "900 end\n",
	  BEGUN "111 break asm_sysvec_apic_timer_interrupt kprobe_handler\n"
		"112 call sysvec_apic_timer_interrupt "
		"asm_sysvec_apic_timer_interrupt\n"
		"113 return asm_sysvec_apic_timer_interrupt\n"
		"114 break-return kprobe_handler\n"
		"130 return __x64_sys_openat\n" IN_OPEN
		"140 break asm_sysvec_apic_timer_interrupt vfs_open\n"
		"150 break-return vfs_open\n" ENDED "900 end\n" },
	/* A probe at a return that does not pause: another chosen call encloses
	 * this one.
	 */
	{ BEGIN IN_OPEN "140 return arch_rethook_trampoline\n"
			"150 call rethook_handler arch_rethook_trampoline\n"
			"160 return arch_rethook_trampoline\n"
			"170 return __x64_sys_openat\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN
		"140 return __x64_sys_openat\n"
		"140 call perf_tp_event __x64_sys_openat\n"
		"150 call rethook_handler arch_rethook_trampoline\n"
		"160 return arch_rethook_trampoline\n"
		"170 return __x64_sys_openat\n" ENDED "900 end\n" },
	/* Like the first case on arm64, where probes are breakpoints: an
	 * exception leads from the trampoline to the caller.
	 */
	{ BEGIN IN_OPEN "140 return __kretprobe_trampoline\n"
			"140 break el1h_64_sync __kretprobe_trampoline\n"
			"150 call brk_handler el1h_64_sync\n"
			"160 return el1h_64_sync\n"
			"170 break-return __x64_sys_openat\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN
		"140 return __x64_sys_openat\n"
		"140 break el1h_64_sync __x64_sys_openat\n"
		"150 call brk_handler el1h_64_sync\n"
		"160 return el1h_64_sync\n"
		"170 break-return __x64_sys_openat\n" ENDED "900 end\n" },
	/* The start of a call on arm64: returns from a breakpoint, which hits
	 * again after the single-stepped copy of the replaced instruction.
	 */
	{ "100 BEGIN __x64_sys_openat do_syscall_64 entry\n"
	  "110 start brk_handler\n"
	  "111 return el1h_64_sync\n"
	  "112 break-return kprobe_insn_page\n"
	  "113 break el1h_64_sync kprobe_insn_page\n"
	  "114 call brk_handler el1h_64_sync\n"
	  "115 return el1h_64_sync\n"
	  "120 break-return __x64_sys_openat\n" IN_OPEN END "900 end\n",
	  BEGUN "120 return __x64_sys_openat\n" IN_OPEN ENDED "900 end\n" },
	/* The same where the task of the call is switched in. */
	{ BEGIN IN_OPEN LEAVE
	  "300 COME __perf_event_task_sched_in finish_task_switch schedule "
	  "vfs_open __x64_sys_openat do_syscall_64 entry\n"
	  "310 start kprobe_handler\n"
	  "312 break-return kprobe_insn_page\n"
	  "313 break el1h_64_sync kprobe_insn_page\n"
	  "314 break-return __perf_event_task_sched_in\n"
	  "315 call brk_handler __perf_event_task_sched_in\n"
	  "316 return __perf_event_task_sched_in\n"
	  "330 return finish_task_switch\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN LEFT HAS_COME ENDED
		"900 end\n" },
	/* The task was preempted at a function's first instruction. */
	{ BEGIN IN_OPEN LEAVE
	  "300 COME __perf_event_task_sched_in finish_task_switch schedule "
	  "sysvec_apic_timer_interrupt asm_sysvec_apic_timer_interrupt "
	  "vfs_open+0 __x64_sys_openat do_syscall_64 entry\n"
	  "310 start kprobe_handler\n"
	  "330 return finish_task_switch\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN LEFT
		"300 start kprobe_handler\n"
		"300 open entry\n"
		"300 open do_syscall_64 entry\n"
		"300 open __x64_sys_openat do_syscall_64\n"
		"300 open vfs_open __x64_sys_openat\n"
		"300 open-break asm_sysvec_apic_timer_interrupt "
		"__x64_sys_openat\n"
		"300 open sysvec_apic_timer_interrupt "
		"asm_sysvec_apic_timer_interrupt\n"
		"300 open schedule sysvec_apic_timer_interrupt\n"
		"300 open finish_task_switch schedule\n"
		"300 open-end 8\n"
		"300 call perf_tp_event finish_task_switch\n"
		"330 return finish_task_switch\n" ENDED "900 end\n" },
	/* A probe at a switch-out that does not pause. */
	{ BEGIN IN_OPEN "200 call schedule vfs_open\n"
			"210 call __perf_event_task_sched_out schedule\n"
			"220 return schedule\n" END "900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN
		"200 call schedule vfs_open\n"
		"210 call __perf_event_task_sched_out schedule\n"
		"220 return schedule\n" ENDED "900 end\n" },
	/* The buffer was full: a call that has marks and no trace. */
	{ "0 FIRST\n"
	  "100 BEGIN __x64_sys_openat do_syscall_64 entry\n"
	  "200 END do_syscall_64 entry\n"
	  "90000 BEGIN __x64_sys_openat do_syscall_64 entry\n"
	  "90010 start kprobe_handler\n"
	  "90030 call vfs_open __x64_sys_openat\n"
	  "90900 end\n",
	  "0 stop not-asked\n"
	  "100 gap\n"
	  "200 stop not-asked\n"
	  "90000 start entry\n"
	  "90000 call do_syscall_64 entry\n"
	  "90000 call __x64_sys_openat do_syscall_64\n"
	  "90000 call perf_tp_event __x64_sys_openat\n"
	  "90030 return __x64_sys_openat\n"
	  "90030 call vfs_open __x64_sys_openat\n"
	  "90900 end\n" },
	/* The end of the call was lost with the trace. */
	{ BEGIN IN_OPEN "200 gap\n"
			"300 END do_syscall_64 entry\n"
			"90000 BEGIN __x64_sys_openat do_syscall_64 entry\n"
			"90010 start kprobe_handler\n"
			"90900 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN "200 gap\n"
		"300 stop not-asked\n"
		"90000 start entry\n"
		"90000 call do_syscall_64 entry\n"
		"90000 call __x64_sys_openat do_syscall_64\n"
		"90900 end\n" },
	/* The start mark was lost. */
	{ "0 FIRST\n"
	  "110 start vfs_open\n"
	  "140 return __x64_sys_openat\n" END "900 end\n",
	  "0 stop not-asked\n"
	  "110 start vfs_open\n"
	  "140 return __x64_sys_openat\n" ENDED "900 end\n" },
	/* The recording ends in a call; in the probe at its start; and where
	 * its task is switched out.
	 */
	{ BEGIN IN_OPEN "800 stop off\n"
			"900 LAST\n"
			"850 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN "800 stop off\n"
		"900 stop not-asked\n"
		"900 end\n" },
	{ BEGIN "900 LAST\n"
		"850 end\n",
	  "100 start entry\n"
	  "100 call do_syscall_64 entry\n"
	  "100 call __x64_sys_openat do_syscall_64\n"
	  "900 stop not-asked\n"
	  "900 end\n" },
	{ BEGIN IN_OPEN "200 call schedule vfs_open\n"
			"210 call __perf_event_task_sched_out schedule\n"
			"900 LAST\n"
			"850 end\n",
	  BEGUN "130 return __x64_sys_openat\n" IN_OPEN
		"200 call schedule vfs_open\n"
		"210 call __perf_event_task_sched_out schedule\n"
		"900 stop not-asked\n"
		"900 end\n" },
};

START_TEST(events_follow_the_marks)
{
	gate_script_expect(&arch_x86_64, cases[_i].text, cases[_i].wanted);
}
END_TEST

/* The task was preempted in a page fault: el1_abort identifies the exception,
 * but is not the vector that the exception entered.
 */
START_TEST(an_exception_enters_a_vector)
{
	gate_script_expect(
		&arch_arm64,
		"300 COME __perf_event_task_sched_in finish_task_switch "
		"el1_abort el1h_64_sync_handler el1h_64_sync vfs_open entry\n"
		"310 start kprobe_handler\n"
		"330 return finish_task_switch\n"
		"340 return el1_abort\n"
		"900 end\n",
		"300 start kprobe_handler\n"
		"300 open entry\n"
		"300 open vfs_open entry\n"
		"300 open-break el1h_64_sync vfs_open\n"
		"300 open el1h_64_sync_handler el1h_64_sync\n"
		"300 open el1_abort el1h_64_sync_handler\n"
		"300 open finish_task_switch el1_abort\n"
		"300 open-end 6\n"
		"300 call perf_tp_event finish_task_switch\n"
		"330 return finish_task_switch\n"
		"340 return el1_abort\n"
		"900 end\n");
}
END_TEST

/* An interrupt in that exception, which returns to el1_abort. */
START_TEST(an_interrupt_comes_in_an_exception)
{
	gate_script_expect(
		&arch_arm64,
		"300 COME __perf_event_task_sched_in finish_task_switch "
		"el1_interrupt el1h_64_irq_handler el1h_64_irq "
		"el1_abort el1h_64_sync_handler el1h_64_sync vfs_open entry\n"
		"310 start kprobe_handler\n"
		"330 return finish_task_switch\n"
		"900 end\n",
		"300 start kprobe_handler\n"
		"300 open entry\n"
		"300 open vfs_open entry\n"
		"300 open-break el1h_64_sync vfs_open\n"
		"300 open el1h_64_sync_handler el1h_64_sync\n"
		"300 open el1_abort el1h_64_sync_handler\n"
		"300 open-break el1h_64_irq el1_abort\n"
		"300 open el1h_64_irq_handler el1h_64_irq\n"
		"300 open el1_interrupt el1h_64_irq_handler\n"
		"300 open finish_task_switch el1_interrupt\n"
		"300 open-end 9\n"
		"300 call perf_tp_event finish_task_switch\n"
		"330 return finish_task_switch\n"
		"900 end\n");
}
END_TEST

SUITE("gate_events")
{
	TEST_EACH(events_follow_the_marks, cases);
	TEST(an_exception_enters_a_vector);
	TEST(an_interrupt_comes_in_an_exception);
}
