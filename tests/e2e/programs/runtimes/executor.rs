// SPDX-License-Identifier: MIT
//! An executor of asynchronous tasks, which yield to each other; counts its
//! functions' calls.
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

const TASKS: u32 = 20;
const ROUNDS: u32 = 10;

#[derive(Default)]
struct Counts {
    costs: Cell<u32>,
    steps: Cell<u32>,
    polls: Cell<u32>,
}

fn count(counter: &Cell<u32>) {
    counter.set(counter.get() + 1);
}

#[inline(never)]
fn cost_of(counts: &Counts, item: u32) -> u32 {
    count(&counts.costs);
    (0..50).fold(0, |cost, i| (cost * 31 + item + i) % 10007)
}

struct Yield(bool);

impl Future for Yield {
    type Output = ();
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        Poll::Pending
    }
}

#[inline(never)]
fn step_of<T: Into<u32>>(counts: &Counts, item: T) -> u32 {
    count(&counts.steps);
    cost_of(counts, item.into())
}

async fn serve(counts: Rc<Counts>, number: u32) -> u32 {
    let mut sum = 0;
    for round in 0..ROUNDS {
        sum += step_of(&counts, (number + round) as u16);
        Yield(false).await;
    }
    sum
}

struct NoWaker;

impl Wake for NoWaker {
    fn wake(self: Arc<Self>) {}
}

type Task = Pin<Box<dyn Future<Output = u32>>>;

#[inline(never)]
fn poll_task(counts: &Counts, task: &mut Task, context: &mut Context<'_>) -> Poll<u32> {
    count(&counts.polls);
    task.as_mut().poll(context)
}

fn main() {
    let counts = Rc::new(Counts::default());
    let queue: RefCell<VecDeque<Task>> = RefCell::default();
    let waker = Waker::from(Arc::new(NoWaker));
    let mut context = Context::from_waker(&waker);
    let mut sum = 0;

    for number in 0..TASKS {
        queue.borrow_mut().push_back(Box::pin(serve(counts.clone(), number)));
    }
    while let Some(mut task) = { let next = queue.borrow_mut().pop_front(); next } {
        match poll_task(&counts, &mut task, &mut context) {
            Poll::Ready(value) => sum += value,
            Poll::Pending => queue.borrow_mut().push_back(task),
        }
    }
    println!("executor::cost_of {}", counts.costs.get());
    println!("executor::step_of {}", counts.steps.get());
    println!("executor::poll_task {}", counts.polls.get());
    assert!(sum > 0);
}
