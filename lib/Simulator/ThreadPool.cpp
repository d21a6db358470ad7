//===- ThreadPool.cpp - Host threads for one simulator --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions follow each other within microseconds, so a worker that has run
// out of work spins for a little while before it goes to sleep. Nobody waits
// for a worker that has not woken up yet: the caller takes tasks too, closes
// the job when none are left, and waits only for workers inside.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

using namespace lpu;

/// Turns of the waiting loop before a worker sleeps: some tens of microseconds.
static constexpr unsigned spinLimit = 1000;

static void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) {
    threads = std::thread::hardware_concurrency();
  }
  for (unsigned i = 1; i < threads; ++i) {
    workers.emplace_back([this, i] { work(i); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    ++generation;
  }
  wake.notify_all();
  for (std::thread &worker : workers) {
    worker.join();
  }
}

void ThreadPool::takeTasks(unsigned thread) {
  for (int64_t i = next++; i < taskCount; i = next++) {
    taskCall(taskContext, i, thread);
  }
}

void ThreadPool::runTasks(int64_t count, void *context, Call call) {
  taskCount = count;
  taskContext = context;
  taskCall = call;
  next = 0;
  isOpen = true;
  bool anyAsleep;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++generation;
    anyAsleep = sleeping > 0;
  }
  if (anyAsleep) {
    wake.notify_all();
  }
  takeTasks(0);
  isOpen = false;
  for (unsigned turns = 0; inside > 0; ++turns) {
    relax();
    if (turns > spinLimit) {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::work(unsigned thread) {
  uint64_t seen = 0;
  while (true) {
    for (unsigned turn = 0; turn < spinLimit && generation == seen; ++turn) {
      relax();
    }
    if (generation == seen) {
      std::unique_lock<std::mutex> lock(mutex);
      ++sleeping;
      wake.wait(lock, [&] { return generation != seen; });
      --sleeping;
    }
    if (stopping) {
      return;
    }
    seen = generation;
    // Entering before looking: either the caller sees this worker inside, or
    // the worker sees the job closed. It may also be the next job already.
    ++inside;
    if (isOpen) {
      takeTasks(thread);
    }
    --inside;
  }
}
