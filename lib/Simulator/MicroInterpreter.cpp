//===- MicroInterpreter.cpp - Runs micro-programs -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes can lie along a row's elements or across rows:
//
//   along:   for each row, for each section: chunks of consecutive elements
//   across:  for each chunk of rows, for each section: element after element
//
// Both give the same bits, since a reduction's partial results are those of the
// elements' linear indices and never of lanes. `Along` suits long rows,
// `across` short ones, everything elementwise (whose rows are single elements)
// and carries, which go from one element to the next.
//
//===----------------------------------------------------------------------===//

#include "MicroInterpreter.h"

#include "Kernels/Kernels.h"
#include "lpu/Target/MicroOps.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace lpu;

namespace {

/// Rows shorter than this are better taken side by side.
constexpr int64_t shortRow = 48;
/// Lanes across rows when every lane has 64 partial results.
constexpr unsigned lanesWithPartials = 128;
/// Element operations below which a second thread does not pay.
constexpr int64_t parallelWork = 1 << 18;

/// Some dimensions of the domain, with as few as give the same walk.
struct Group {
  unsigned rank = 0;
  int64_t count = 1;
  int64_t sizes[maxRank] = {};
  /// The dimension of the domain; the last one of those merged.
  int64_t dimension[maxRank] = {};

  /// Row-major index of a linear one.
  void unravel(int64_t linear, int64_t *index) const {
    for (unsigned d = rank; d-- > 0;) {
      index[d] = linear % sizes[d];
      linear /= sizes[d];
    }
  }
  /// The next index.
  void advance(int64_t *index) const {
    for (unsigned d = rank; d-- > 0;) {
      if (++index[d] < sizes[d]) {
        return;
      }
      index[d] = 0;
    }
  }
};

/// What one host thread works with.
struct Worker {
  bool isReady = false;
  std::vector<MicroOperand> operands;
  std::vector<TouchedElements> touched;
  MicroFrame frame{};
  int64_t outer[maxRank] = {};
  int64_t faultTask = -1;
};

class Run {
public:
  Run(const MicroPlan &plan, const ResolvedView *views, unsigned numViews,
      const Memory &memory, ThreadPool &pool, bool isTracking, bool tracksAll)
      : plan(plan), views(views), numViews(numViews), memory(memory),
        pool(pool), isTracking(isTracking), tracksAll(tracksAll) {}

  std::optional<Error> run(const std::vector<char> &messages,
                           std::vector<TouchedElements> *touched);

private:
  void group(Group &result, unsigned firstDim, unsigned lastDim);
  void chooseWalk();
  bool mayRunInParallel() const;
  void setUp(Worker &worker) const;
  void moveTo(Worker &worker) const;
  void runAlong(Worker &worker, int64_t row) const;
  void runAcross(Worker &worker, int64_t first, unsigned count) const;
  Error describe(const MicroStep &step, int64_t value,
                 const std::vector<char> &messages) const;

  const MicroPlan &plan;
  const ResolvedView *views;
  unsigned numViews;
  const Memory &memory;
  ThreadPool &pool;
  bool isTracking, tracksAll;

  int64_t domain[maxRank] = {};
  /// Lanes walk `lanes`; `outer` is walked one index after the other.
  Group lanes, outer;
  bool isAlong = false;
  unsigned chunk = maxLanes;
  /// By operand and dimension of a group.
  std::vector<std::array<int64_t, maxRank>> laneStrides, outerStrides;
};

} // namespace

/// Collects dimensions [firstDim, lastDim) of the domain, merging those that
/// continue each other in every operand. One that an Iota names stays alone.
void Run::group(Group &result, unsigned firstDim, unsigned lastDim) {
  bool lastIsPinned = true;
  for (unsigned d = firstDim; d < lastDim; ++d) {
    result.count *= domain[d];
    if (domain[d] == 1) {
      continue;
    }
    bool isPinned = (plan.usedDimensions >> d & 1) != 0;
    bool merges = result.rank > 0 && !isPinned && !lastIsPinned;
    for (unsigned i = 0; i < numViews && merges; ++i) {
      merges = !plan.isWalked[i] ||
               views[i].strides[result.dimension[result.rank - 1]] ==
                   views[i].strides[d] * domain[d];
    }
    if (merges) {
      result.sizes[result.rank - 1] *= domain[d];
    } else {
      result.sizes[result.rank++] = domain[d];
    }
    // A merged dimension walks with the stride of its last part.
    result.dimension[result.rank - 1] = d;
    lastIsPinned = isPinned;
  }
}

/// Decides what the lanes are.
void Run::chooseWalk() {
  int64_t rows = 1, elements = 1;
  for (unsigned d = 0; d < plan.rank; ++d) {
    (d < plan.parallel ? rows : elements) *= domain[d];
  }
  if (plan.isElementwise) {
    group(lanes, 0, plan.rank);
    return;
  }
  isAlong = !plan.hasCarry && (elements >= shortRow || rows < elements ||
                               (plan.hasScatter && elements > 1));
  Group &forRows = isAlong ? outer : lanes;
  Group &forElements = isAlong ? lanes : outer;
  group(forRows, 0, plan.parallel);
  group(forElements, plan.parallel, plan.rank);
  if (isAlong) {
    int64_t chunks = std::max<int64_t>(1, (elements + maxLanes - 1) / maxLanes);
    int64_t even = (elements + chunks - 1) / chunks;
    chunk = static_cast<unsigned>((even + numPartials - 1) / numPartials *
                                  numPartials);
    chunk = std::max(chunk, numPartials);
  } else if (plan.hasScatter && elements > 1) {
    chunk = 1; // Row after row.
  } else if (plan.hasReduce) {
    chunk = lanesWithPartials;
  }
}

/// Whether rows can be run in any order and at the same time.
bool Run::mayRunInParallel() const {
  if (plan.hasScatter) {
    return false;
  }
  size_t steps = 0;
  for (const MicroPlan::Section &section : plan.sections) {
    steps += section.steps.size();
  }
  if (lanes.count * outer.count * static_cast<int64_t>(steps) < parallelWork) {
    return false;
  }
  // The last of several rows that store to one place must stay the last.
  for (unsigned i = 0; i < numViews; ++i) {
    if (!plan.isWalked[i] || !plan.isWritten[i]) {
      continue;
    }
    unsigned dims = plan.isElementwise ? plan.rank : plan.parallel;
    for (unsigned d = 0; d < dims; ++d) {
      if (domain[d] > 1 && views[i].strides[d] == 0) {
        return false;
      }
    }
  }
  return true;
}

/// Copies lane 0 of registers to all lanes.
static void spread(const std::vector<MicroPlan::Placed> &values,
                   const MicroFrame &frame, unsigned lanes) {
  lanes = (lanes + laneGroup - 1) / laneGroup * laneGroup;
  for (const MicroPlan::Placed &value : values) {
    uint8_t *data = frame.registers + value.offset;
    auto fill = [&](auto word) {
      using Word = decltype(word);
      Word *to = reinterpret_cast<Word *>(data);
      std::fill(to + 1, to + lanes, to[0]);
    };
    switch (value.type) {
    case MicroType::I64:
      fill(uint64_t());
      break;
    case MicroType::F32:
    case MicroType::I32:
      fill(uint32_t());
      break;
    case MicroType::I16:
      fill(uint16_t());
      break;
    case MicroType::I8:
    case MicroType::I1:
      fill(uint8_t());
      break;
    }
  }
}

/// Registers, constants and the frame of one thread.
void Run::setUp(Worker &worker) const {
  MicroFrame &frame = worker.frame;
  // Kept from instruction to instruction.
  static thread_local std::vector<uint8_t> storage;
  // Across rows, a reduction works on whole groups of lanes, used or not.
  unsigned partialLanes =
      isAlong ? 1 : std::clamp(chunk, laneGroup, lanesWithPartials);
  uint64_t partialBytes = uint64_t(plan.partialBytes) * partialLanes;
  uint64_t wanted = plan.registerBytes + partialBytes + 128;
  if (storage.size() < wanted) {
    storage.resize(wanted);
  }
  uintptr_t start = reinterpret_cast<uintptr_t>(storage.data());
  frame.registers = storage.data() + (64 - start % 64) % 64;
  frame.partials = frame.registers + (plan.registerBytes + 63) / 64 * 64;
  frame.partialStride = partialLanes;
  frame.lanesAreElements = isAlong;
  int64_t elements = isAlong ? lanes.count : outer.count;
  frame.partialCount = 1;
  while (frame.partialCount < numPartials && frame.partialCount < elements) {
    frame.partialCount *= 2;
  }

  unsigned widest = static_cast<unsigned>(
      std::min<int64_t>(chunk, std::max<int64_t>(lanes.count, 1)));
  for (const MicroPlan::Constant &constant : plan.constants) {
    // Little-endian: the low bytes of the value are its narrower forms.
    std::memcpy(frame.registers + constant.offset, &constant.value,
                bitWidth(constant.type) == 64 ? 8 : 4);
    spread({{constant.offset, constant.type}}, frame, widest);
  }

  worker.operands.resize(numViews);
  for (unsigned i = 0; i < numViews; ++i) {
    MicroOperand &operand = worker.operands[i];
    operand.type = views[i].type;
    operand.base = memory.address(views[i]);
    operand.table = operand.base;
    operand.isTracked = isTracking && plan.isTable[i] &&
                        (tracksAll || views[i].space == Space::Arg);
    std::copy(laneStrides[i].begin(), laneStrides[i].end(),
              operand.laneStrides);
    operand.tableSize = views[i].rank > 0 ? views[i].sizes[0] : 1;
    operand.tableStride = views[i].rank > 0 ? views[i].strides[0] : 0;
  }
  frame.operands = worker.operands.data();

  frame.laneRank = std::max(1u, lanes.rank);
  frame.laneSizes[0] = 1;
  std::copy(lanes.sizes, lanes.sizes + lanes.rank, frame.laneSizes);
  std::fill(frame.iotaLane, frame.iotaLane + maxRank, int8_t(-1));
  for (unsigned d = 0; d < lanes.rank; ++d) {
    frame.iotaLane[lanes.dimension[d]] = static_cast<int8_t>(d);
  }
  frame.touchedContext = &worker;
  frame.touched = [](void *context, uint32_t operand, const int64_t *elements,
                     unsigned count, bool write) {
    std::vector<TouchedElements> &list =
        static_cast<Worker *>(context)->touched;
    for (unsigned i = 0; i < count; ++i) {
      if (!list.empty() && list.back().operand == operand &&
          list.back().write == write && elements[i] >= list.back().first &&
          elements[i] <= list.back().last + 1) {
        list.back().last = std::max(list.back().last, elements[i]);
        continue;
      }
      list.push_back({operand, write, elements[i], elements[i]});
    }
  };
}

/// Sets operands and iotas to the worker's outer index.
void Run::moveTo(Worker &worker) const {
  for (unsigned i = 0; i < numViews; ++i) {
    int64_t offset = 0;
    for (unsigned d = 0; d < outer.rank; ++d) {
      offset += worker.outer[d] * outerStrides[i][d];
    }
    MicroOperand &operand = worker.operands[i];
    operand.base = operand.table + offset * byteWidth(operand.type);
  }
  for (unsigned d = 0; d < outer.rank; ++d) {
    worker.frame.iotaBase[outer.dimension[d]] = worker.outer[d];
  }
}

/// One row, lanes along its elements. The worker stands at the row.
void Run::runAlong(Worker &worker, int64_t row) const {
  (void)row;
  const KernelSet &kernel = kernels();
  MicroFrame &frame = worker.frame;
  moveTo(worker);
  unsigned widest = static_cast<unsigned>(
      std::min<int64_t>(chunk, std::max<int64_t>(lanes.count, 1)));
  for (const MicroPlan::Section &section : plan.sections) {
    const MicroStep *steps = section.steps.data();
    unsigned count = static_cast<unsigned>(section.steps.size());
    std::fill(frame.laneStart, frame.laneStart + maxRank, 0);
    if (section.isRows) {
      frame.lanes = 1;
      kernel.runSteps(steps, count, frame);
    } else {
      kernel.startReductions(steps, count, frame);
      for (int64_t first = 0; first < lanes.count; first += chunk) {
        frame.lanes = static_cast<unsigned>(
            std::min<int64_t>(chunk, lanes.count - first));
        lanes.unravel(first, frame.laneStart);
        kernel.runSteps(steps, count, frame);
      }
      kernel.finishReductions(steps, count, frame);
    }
    if (frame.fault != nullptr) {
      return;
    }
    spread(section.rowValues, frame, widest);
  }
}

/// A chunk of rows, one lane a row.
void Run::runAcross(Worker &worker, int64_t first, unsigned count) const {
  const KernelSet &kernel = kernels();
  MicroFrame &frame = worker.frame;
  frame.lanes = count;
  std::fill(frame.laneStart, frame.laneStart + maxRank, 0);
  lanes.unravel(first, frame.laneStart);
  for (const MicroPlan::Section &section : plan.sections) {
    const MicroStep *steps = section.steps.data();
    unsigned numSteps = static_cast<unsigned>(section.steps.size());
    std::fill(worker.outer, worker.outer + maxRank, 0);
    moveTo(worker);
    if (section.isRows || plan.isElementwise) {
      kernel.runSteps(steps, numSteps, frame);
    } else {
      for (const MicroPlan::Carry &carry : section.carries) {
        unsigned bytes =
            carry.type == MicroType::I1 ? 1 : bitWidth(carry.type) / 8;
        std::memcpy(frame.registers + carry.to, frame.registers + carry.from,
                    size_t(bytes) * count);
      }
      kernel.startReductions(steps, numSteps, frame);
      for (int64_t element = 0; element < outer.count && frame.fault == nullptr;
           ++element) {
        frame.element = static_cast<uint64_t>(element);
        if (element > 0) {
          outer.advance(worker.outer);
          moveTo(worker);
        }
        kernel.runSteps(steps, numSteps, frame);
        kernel.runSteps(section.nexts.data(),
                        static_cast<unsigned>(section.nexts.size()), frame);
      }
      kernel.finishReductions(steps, numSteps, frame);
    }
    if (frame.fault != nullptr) {
      return;
    }
  }
}

Error Run::describe(const MicroStep &step, int64_t value,
                    const std::vector<char> &messages) const {
  if (step.opcode == MicroOpcode::Assert) { // micro_f2
    ErrorKind kind = static_cast<FaultKind>(step.c) == FaultKind::Index
                         ? ErrorKind::Index
                         : ErrorKind::Runtime;
    return {std::string(messages.data() + step.operand), kind};
  }
  // micro_f1
  return {"element number " + std::to_string(value) + " of operand " +
              std::to_string(step.operand) + " is out of range, expected [0, " +
              std::to_string(views[step.operand].numElements()) + ")",
          ErrorKind::Index};
}

std::optional<Error> Run::run(const std::vector<char> &messages,
                              std::vector<TouchedElements> *touched) {
  for (unsigned i = 0; i < numViews; ++i) {
    if (plan.isWalked[i]) {
      for (unsigned d = 0; d < plan.rank; ++d) {
        domain[d] = views[i].sizes[d];
      }
      break;
    }
  }
  chooseWalk();
  int64_t rows = isAlong ? outer.count : lanes.count;
  if (rows == 0 || (plan.isElementwise && lanes.count == 0)) {
    return std::nullopt;
  }
  laneStrides.resize(numViews);
  outerStrides.resize(numViews);
  for (unsigned i = 0; i < numViews; ++i) {
    laneStrides[i] = {};
    outerStrides[i] = {};
    if (!plan.isWalked[i]) {
      continue;
    }
    for (unsigned d = 0; d < lanes.rank; ++d) {
      laneStrides[i][d] = views[i].strides[lanes.dimension[d]];
    }
    for (unsigned d = 0; d < outer.rank; ++d) {
      outerStrides[i][d] = views[i].strides[outer.dimension[d]];
    }
  }

  // A task is a range of rows; faults are reported for the first of them.
  int64_t unit = isAlong ? 1 : chunk;
  int64_t units = (rows + unit - 1) / unit;
  bool isParallel = pool.size() > 1 && mayRunInParallel();
  int64_t tasks = isParallel ? std::min<int64_t>(units, pool.size() * 4) : 1;
  std::vector<Worker> workers(isParallel ? pool.size() : 1);
  pool.run(tasks, [&](int64_t task, unsigned thread) {
    Worker &worker = workers[thread];
    if (!worker.isReady) {
      setUp(worker);
      worker.isReady = true;
    }
    if (worker.frame.fault != nullptr) {
      return;
    }
    int64_t first = units * task / tasks, last = units * (task + 1) / tasks;
    if (isAlong) {
      outer.unravel(first, worker.outer);
    }
    for (int64_t u = first; u < last && worker.frame.fault == nullptr; ++u) {
      if (isAlong) {
        runAlong(worker, u);
        outer.advance(worker.outer);
      } else {
        runAcross(worker, u * unit,
                  static_cast<unsigned>(std::min(unit, rows - u * unit)));
      }
    }
    worker.faultTask = worker.frame.fault != nullptr ? task : -1;
  });

  const Worker *faulty = nullptr;
  for (const Worker &worker : workers) {
    if (worker.faultTask >= 0 &&
        (faulty == nullptr || worker.faultTask < faulty->faultTask)) {
      faulty = &worker;
    }
    if (touched != nullptr) {
      touched->insert(touched->end(), worker.touched.begin(),
                      worker.touched.end());
    }
  }
  if (faulty != nullptr) {
    return describe(*faulty->frame.fault, faulty->frame.faultValue, messages);
  }
  return std::nullopt;
}

std::optional<Error>
lpu::runMicroProgram(const MicroPlan &plan, const ResolvedView *views,
                     unsigned numViews, const Memory &memory, ThreadPool &pool,
                     const std::vector<char> &messages,
                     std::vector<TouchedElements> *touched, bool tracksAll) {
  return Run(plan, views, numViews, memory, pool, touched != nullptr, tracksAll)
      .run(messages, touched);
}
