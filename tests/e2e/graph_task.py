# SPDX-License-Identifier: MIT
"""Whose work it is what a task enters, by the trace unit's timeline or by
function_graph's: the task's own, an interrupt's, the scheduler's or the tracer's.
"""
import re

# In these, and what they call, the tracer does not trace itself.
HANDLERS = {"ftrace_trampoline", "ftrace_caller", "ftrace_graph_caller",
            "ftrace_graph_func", "return_to_handler",
            "ftrace_return_to_handler"}
# This one calls nothing where the tracer must not interrupt itself once more: the
# function is in the unit's trace alone.
TAKES_ENTRY = "function_graph_enter_regs"
# The trace unit stops itself in what its full buffer interrupts by.
OWN_INTERRUPT = {"asm_exc_nmi", "exc_nmi", "default_do_nmi", "nmi_handle",
                 "arm_trbe_irq_handler"}
# The kernel's entries for interrupts, which ftrace cannot see: they are inferred.
INTERRUPTS = {"asm_sysvec_apic_timer_interrupt", "asm_common_interrupt",
              "asm_sysvec_irq_work", "el1_interrupt", "el0_interrupt"}
# By the host's clock interrupts come on the way out of the kernel, too, where ftrace
# cannot tell whose way out goes on: what they consist of besides.
INTERRUPT_PARTS = {"irq_enter_rcu", "irq_exit_rcu", "__irq_exit_rcu",
                   "do_interrupt_handler", "raw_irqentry_exit_cond_resched",
                   "__hrtimer_rearm_deferred"}
# In these the task leaves its CPU, and the trace unit, which is switched with the
# task, does not see what ftrace sees, nor the other way round: ftrace goes by the
# task that comes as soon as the switch is announced.
SCHEDULERS = {"schedule", "__cond_resched", "preempt_schedule_irq", "__schedule",
              "preempt_schedule", "preempt_schedule_common", "preempt_schedule_notrace"}
# From 7.x on preempt_schedule() and __schedule() are hidden from ftrace: what they
# call is their caller's, from the first of these functions to one of the last.
HIDDEN_SCHEDULE = "rcu_note_context_switch"
HIDDEN_SCHEDULE_ENDS = {"__schedule", "finish_task_switch", "_raw_spin_unlock"}


def base(name):
    """foo of foo.isra.0 and of foo@0x1230, one of several of that name."""
    return re.sub(r"(\.(isra|part|constprop)\b|@0x).*", "", name)


def is_interrupt(function):
    return function in INTERRUPTS or function.startswith("asm_sysvec_")


def is_interrupt_part(function):
    return function in INTERRUPT_PARTS or function.startswith("__sysvec_")


class Task:
    """Whether what a task enters is the tracer's own work, and in how many
    interrupts, which may come while the tracer is about to write what was entered
    before.
    """

    def __init__(self, cpus):
        self.frames = []
        self.by_parts = cpus > 1
        self.schedule_depth = None
        self.steps = {}
        self.last = None

    def begins_interrupt(self, function):
        if not self.by_parts:
            return is_interrupt(function)
        return is_interrupt_part(function) and not (
            self.frames and is_interrupt_part(self.frames[-1][3]))

    def goes_on_in_interrupt(self, function):
        """Also where the tracer refused its first part, and so shows no entry; the
        scheduler calls one part itself."""
        return self.by_parts and is_interrupt_part(function) and \
            function != "__hrtimer_rearm_deferred"

    def is_in_hidden_schedule(self, function, depth):
        """Whether __schedule() calls this itself, where ftrace does not see it."""
        if self.schedule_depth is None and function == HIDDEN_SCHEDULE:
            self.schedule_depth = depth
        if self.schedule_depth is None or depth > self.schedule_depth:
            return False
        is_inside = depth == self.schedule_depth
        if not is_inside or base(function) in HIDDEN_SCHEDULE_ENDS:
            self.schedule_depth = None
        return is_inside

    def leave(self, depth):
        """The last of what has ended where something is entered so deep.  The unit
        has what a function ends with by a jump beside it, ftrace below it."""
        frame = None
        while self.frames and self.frames[-1][0] >= depth:
            frame = self.frames.pop()
        return frame

    def refused(self, row):
        """The step, if any, that the tracer came to write, and does not."""
        last, self.last = self.last, row
        if row["event"] != "exit" or row["function"] != TAKES_ENTRY or \
                not last or last["event"] != "enter" or last["function"] != TAKES_ENTRY:
            return None
        traced = next((frame for frame in reversed(self.frames) if
                       frame[3] not in HANDLERS | {TAKES_ENTRY}), None)
        return self.steps.pop(traced[0], None) if traced else None

    def enter(self, row):
        replaced = self.leave(row["depth"])
        _, is_own, interrupts, _ = \
            self.frames[-1] if self.frames else (0, False, 0, None)
        if base(row["function"]) in HANDLERS | OWN_INTERRUPT:
            is_own = True
        elif is_interrupt(row["function"]) or self.goes_on_in_interrupt(row["function"]):
            is_own = False
        elif not is_own:
            is_own = self.is_in_hidden_schedule(row["function"], row["depth"])
        interrupts += self.begins_interrupt(row["function"])
        if row["detail"] == "tail" and replaced:
            interrupts = max(interrupts, replaced[2])
        self.frames.append((row["depth"], is_own or row["function"] in SCHEDULERS,
                            interrupts, row["function"]))
        return is_own, interrupts
