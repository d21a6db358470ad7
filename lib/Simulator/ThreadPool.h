//===- ThreadPool.h - Host threads for one simulator ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs independent tasks on a few persistent threads. Which thread runs a task
// never changes a value: tasks write to disjoint places.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_THREADPOOL_H
#define LPU_LIB_SIMULATOR_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace lpu {

class ThreadPool {
public:
  /// `threads` includes the caller; 0 means one a hardware thread.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// Calls task(i, thread) for every i in [0, count), `thread` in [0, size()).
  /// Returns when all have finished.
  template <typename Task>
  void run(int64_t count, Task &&task) {
    if (count <= 1 || workers.empty()) {
      for (int64_t i = 0; i < count; ++i) {
        task(i, 0u);
      }
      return;
    }
    runTasks(count, &task, [](void *context, int64_t i, unsigned thread) {
      (*static_cast<std::remove_reference_t<Task> *>(context))(i, thread);
    });
  }

private:
  using Call = void (*)(void *context, int64_t task, unsigned thread);
  void runTasks(int64_t count, void *context, Call call);
  void work(unsigned thread);
  void takeTasks(unsigned thread);

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint64_t> generation{0}; ///< Changes when there is work.
  std::atomic<bool> isOpen{false};     ///< Whether tasks may be taken.
  std::atomic<unsigned> inside{0};     ///< Workers that may be taking them.
  std::atomic<int64_t> next{0};
  std::atomic<bool> stopping{false};
  unsigned sleeping = 0;
  int64_t taskCount = 0;
  void *taskContext = nullptr;
  Call taskCall = nullptr;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_THREADPOOL_H
