//===- ScalingTest.cpp - How time follows the machine's parameters --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the formulas of docs/ISA.md, "Timing". Programs that are bound
// by one thing, of many sizes: each is timed on `tiny` and on a machine with
// one parameter doubled, and both must give what the formula of that program
// says. Then random programs, for what holds of all of them.
//
//===----------------------------------------------------------------------===//

#include "CountCycles.h"

#include <cmath>
#include <random>

using namespace lpu;
using namespace lpu::test;

namespace {

int64_t ceilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }
MachineModel tiny() { return *MachineModel::get("tiny"); }
int64_t readBytes(const MachineModel &m) {
  return m.lmuReadPorts * m.lmuPortBytes;
}
int64_t writtenBytes(const MachineModel &m) {
  return m.lmuWritePorts * m.lmuPortBytes;
}
int64_t hbmLatency(const MachineModel &m) {
  return static_cast<int64_t>(std::ceil(m.hbmLatencyCycles()));
}

/// A program of one size, and its cycles by the formula.
struct Bound {
  const char *name;
  int64_t (*measured)(int64_t size, const MachineModel &machine);
  int64_t (*expected)(int64_t size, const MachineModel &machine);
};

/// cost_hbm, cost_copy: from HBM to HBM, 64 * size bytes each way.
int64_t copyHBM(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  unsigned x = run.input(DType::F32, {16 * size});
  unsigned y = run.output(DType::F32, {16 * size});
  run.copy(arg(y, DType::F32, {16 * size}), arg(x, DType::F32, {16 * size}));
  return run.cycles();
}
int64_t copyHBMExpected(int64_t size, const MachineModel &m) {
  return m.issueCycles +
         static_cast<int64_t>(std::ceil(128 * size / m.hbmBytesPerCycle())) +
         hbmLatency(m);
}

/// cost_lmu, cost_copy: on chip, 32 * size bytes.
int64_t copyLMU(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  run.copy(lmu(4096, DType::F32, {8 * size}), lmu(0, DType::F32, {8 * size}));
  return run.cycles();
}
int64_t copyLMUExpected(int64_t size, const MachineModel &m) {
  return m.issueCycles +
         std::max(ceilDiv(32 * size, readBytes(m)),
                  ceilDiv(32 * size, writtenBytes(m))) +
         m.lmuLatencyCycles;
}

/// cost_issue: copies of 4 bytes on chip, one after the other.
int64_t manyCopies(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  for (int64_t i = 1; i <= size; ++i) {
    run.copy(lmu(4 * i, DType::F32, {1}), lmu(0, DType::F32, {1}));
  }
  return run.cycles();
}
int64_t manyCopiesExpected(int64_t size, const MachineModel &m) {
  return size * m.issueCycles + 1 + m.lmuLatencyCycles;
}

/// cost_mm: 4 rows of depth 8 * size, with a weight of 16 columns on chip. The
/// weight arrives faster than it is used up: 4 cycles for each 64 bytes and
/// less than 8 chunks.
int64_t product(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  int64_t k = 8 * size;
  run.product(lmu(0, DType::F32, {4, k}), lmu(4096, DType::F32, {16, k}),
              lmu(2048, DType::F32, {4, 16}));
  return run.cycles();
}
int64_t productExpected(int64_t size, const MachineModel &m) {
  int64_t weight = 16 * 8 * size * 4;
  int64_t chunk = std::min(
      weight, std::max<int64_t>(m.hbmBurstBytes, m.streamBufferBytes / 16));
  int64_t groups = ceilDiv(16, m.trees);
  int64_t compute = std::max(groups * ceilDiv(8 * size, m.width) * 4,
                             ceilDiv(groups * 4 * 8 * size * 4, readBytes(m)));
  return m.issueCycles + ceilDiv(chunk, readBytes(m)) + m.lmuLatencyCycles +
         compute + m.sxeFillCycles + m.lmuLatencyCycles;
}

/// cost_stream, cost_buffer: 1 row and 4 columns of depth 16 * size from HBM, a
/// weight of 256 * size bytes that is used up faster than it comes.
int64_t memoryBound(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  unsigned w = run.input(DType::F32, {4, 16 * size});
  run.product(lmu(0, DType::F32, {1, 16 * size}),
              arg(w, DType::F32, {4, 16 * size}),
              lmu(8192, DType::F32, {1, 4}));
  return run.cycles();
}
int64_t memoryBoundExpected(int64_t size, const MachineModel &m) {
  int64_t weight = 256 * size;
  int64_t chunk = std::max<int64_t>(m.hbmBurstBytes, m.streamBufferBytes / 16);
  int64_t compute = ceilDiv(4, m.trees) * ceilDiv(16 * size, m.width);
  // From the arrival of each chunk on, the cycles of it and of all that follow
  // are still to come; the latest of these ends is the end.
  int64_t end = 0;
  for (int64_t before = 0; before < weight; before += chunk) {
    int64_t moved = std::min(weight, before + chunk);
    int64_t arrival =
        m.issueCycles +
        static_cast<int64_t>(std::ceil(moved / m.hbmBytesPerCycle())) +
        hbmLatency(m);
    end = std::max(end, arrival + compute - compute * before / weight);
  }
  return end + m.sxeFillCycles + m.lmuLatencyCycles;
}

MicroBuilder expPlusOne() {
  MicroBuilder micro(1, 1);
  micro.elements();
  uint16_t one = micro.constant(MicroType::F32, 1.0f);
  uint16_t power = micro.f(MicroOpcode::ExpF, micro.load(0));
  micro.store(1, micro.f(MicroOpcode::AddF, power, one));
  return micro;
}

/// cost_section: exp(x) + 1 of 8 * size elements on chip, bound by the lanes.
int64_t vector(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  run.vec(expPlusOne(),
          {lmu(0, DType::F32, {8 * size}), lmu(4096, DType::F32, {8 * size})});
  return run.cycles();
}
int64_t vectorExpected(int64_t size, const MachineModel &m) {
  int64_t lanes =
      ceilDiv(8 * size, m.vxeLanes) * (1 + m.vxeTranscendentalCycles);
  return m.issueCycles +
         std::max({lanes, ceilDiv(32 * size, readBytes(m)),
                   ceilDiv(32 * size, writtenBytes(m))}) +
         m.vxeLatencyCycles + m.lmuLatencyCycles;
}

/// cost_semaphore: a chain of posts and waits between two units, `size` long.
/// Every wait passes when its post takes effect.
int64_t chain(int64_t size, const MachineModel &machine) {
  Counted run(machine);
  for (int64_t i = 0; i < size; ++i) {
    run.order(i % 2 ? Unit::VXE : Unit::SMA, i % 2 ? Unit::SMA : Unit::VXE,
              static_cast<unsigned>(i));
  }
  return run.cycles();
}
int64_t chainExpected(int64_t size, const MachineModel &m) {
  // A wait ends one cycle after its post takes effect; a link is bound by that
  // or by the issue of its two instructions.
  int64_t passed = 0; // When the unit of the next post is free.
  for (int64_t i = 0; i < size; ++i) {
    int64_t posted = std::max((2 * i + 1) * m.issueCycles, passed);
    int64_t waits = (2 * i + 2) * m.issueCycles;
    passed = std::max(waits, posted + m.semaphoreCycles) + 1;
  }
  return passed;
}

const Bound bounds[] = {
    {"CopyWithinHBM", copyHBM, copyHBMExpected},
    {"CopyOnChip", copyLMU, copyLMUExpected},
    {"ManyCopies", manyCopies, manyCopiesExpected},
    {"Product", product, productExpected},
    {"MemoryBoundProduct", memoryBound, memoryBoundExpected},
    {"Vector", vector, vectorExpected},
    {"Chain", chain, chainExpected},
};

struct Parameter {
  const char *name;
  void (*doubled)(MachineModel &machine);
};
const Parameter parameters[] = {
    {"hbm_gbps", [](MachineModel &m) { m.hbmGBps *= 2; }},
    {"hbm_latency_ns", [](MachineModel &m) { m.hbmLatencyNs *= 2; }},
    {"vxe_lanes", [](MachineModel &m) { m.vxeLanes *= 2; }},
    {"stream_buffer_bytes", [](MachineModel &m) { m.streamBufferBytes *= 2; }},
    {"trees", [](MachineModel &m) { m.trees *= 2; }},
    {"width", [](MachineModel &m) { m.width *= 2; }},
    {"lmu_read_ports", [](MachineModel &m) { m.lmuReadPorts *= 2; }},
    {"lmu_write_ports", [](MachineModel &m) { m.lmuWritePorts *= 2; }},
    {"lmu_port_bytes", [](MachineModel &m) { m.lmuPortBytes *= 2; }},
    {"lmu_latency_cycles", [](MachineModel &m) { m.lmuLatencyCycles *= 2; }},
    {"vxe_transcendental_cycles",
     [](MachineModel &m) { m.vxeTranscendentalCycles *= 2; }},
    {"vxe_latency_cycles", [](MachineModel &m) { m.vxeLatencyCycles *= 2; }},
    {"sxe_fill_cycles", [](MachineModel &m) { m.sxeFillCycles *= 2; }},
    {"issue_cycles", [](MachineModel &m) { m.issueCycles *= 2; }},
    {"semaphore_cycles", [](MachineModel &m) { m.semaphoreCycles *= 2; }},
    {"clock_ghz", [](MachineModel &m) { m.clockGHz *= 2; }},
};

class Scaling : public testing::TestWithParam<std::tuple<Bound, Parameter>> {};

} // namespace

TEST_P(Scaling, FollowsTheFormula) {
  const auto &[bound, parameter] = GetParam();
  MachineModel doubled = tiny();
  parameter.doubled(doubled);
  for (int64_t size = 1; size <= 16; ++size) {
    EXPECT_EQ(bound.measured(size, tiny()), bound.expected(size, tiny()))
        << "size " << size;
    EXPECT_EQ(bound.measured(size, doubled), bound.expected(size, doubled))
        << "size " << size << " with twice the " << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parameters, Scaling,
    testing::Combine(testing::ValuesIn(bounds), testing::ValuesIn(parameters)),
    [](const testing::TestParamInfo<std::tuple<Bound, Parameter>> &info) {
      return std::string(std::get<0>(info.param).name) + "_" +
             std::get<1>(info.param).name;
    });

// cost_buffer: a product that is bound by the buffer. A buffer of 128 * n bytes
// (in chunks of 64) holds 2 n chunks of 1 cycle each; where the latency is much
// longer than they take to be served, it lets 2 n chunks through a round trip
// of latency, service and use: twice the buffer, half the round trips.
TEST(Scaling, BufferLimitsRoundTrips) {
  for (int64_t n : {1, 2, 4, 8}) {
    MachineModel machine = tiny();
    machine.streamBufferBytes = 128 * n;
    Counted run(machine);
    unsigned w = run.input(DType::F32, {4, 1024}); // 256 chunks of 64 bytes.
    run.product(lmu(0, DType::F32, {1, 1024}), arg(w, DType::F32, {4, 1024}),
                lmu(8192, DType::F32, {1, 4}));
    // 128 cycles of compute: none for the even chunks, 1 for the odd ones. The
    // odd chunk of a pair is used up the cycle after it arrives; the next round
    // is asked for then: one round trip is 1 + 100 + 1 cycles for the last pair
    // of chunks, and all pairs are 2 cycles apart.
    int64_t rounds = 256 / (2 * n);
    int64_t firstPair = 4 + 2 + 100 + 1; // Used up.
    int64_t roundTrip = 1 + 100 + 1;
    EXPECT_EQ(run.cycles(),
              firstPair + (rounds - 1) * roundTrip + 2 * (n - 1) + 30)
        << "n " << n;
  }
}

namespace {

/// A program without semaphores: each unit works on its own part of the LMU.
Counted randomProgram(unsigned seed, const MachineModel &machine) {
  std::mt19937 random(seed);
  auto upTo = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most)) + 1;
  };
  Counted run(machine);
  unsigned x = run.input(DType::F32, {1 << 16});
  for (int64_t i = upTo(12); i > 0; --i) {
    switch (random() % 3) {
    case 0: {
      int64_t n = upTo(512);
      run.copy(lmu(0, DType::F32, {n}),
               arg(x, DType::F32, {n}, {upTo(20)}, 4 * upTo(64)));
      break;
    }
    case 1: {
      int64_t cols = upTo(40), depth = upTo(40);
      run.product(lmu(4096, DType::F32, {1, depth}),
                  arg(x, DType::F32, {cols, depth}),
                  lmu(6144, DType::F32, {1, cols}));
      break;
    }
    default: {
      int64_t n = upTo(256);
      run.addOne(lmu(8192, DType::F32, {n}), random() % 2
                                                 ? arg(x, DType::F32, {n})
                                                 : lmu(10240, DType::F32, {n}));
    }
    }
  }
  return run;
}

} // namespace

// What holds of every program. Its order of requests to the HBM may change with
// a parameter (a unit that is faster asks earlier, before another that had been
// first), so a faster machine is not always faster on every program, as in any
// system that serves in order of arrival. Bounds hold always: no time is less
// than the bytes over the bandwidth, than the busy time of a unit or than the
// issue of all instructions; and if everything is twice as fast, so is the
// program.
TEST(Scaling, RandomPrograms) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    MachineModel machine = tiny();
    Report report = randomProgram(seed, machine).report();
    EXPECT_GE(static_cast<double>(report.cycles) * machine.hbmBytesPerCycle(),
              static_cast<double>(report.hbmBytes()));
    int64_t issued = 0;
    for (unsigned unit = 1; unit < numUnits; ++unit) {
      EXPECT_GE(report.cycles, report.units[unit].busy);
      issued += report.units[unit].instructions;
    }
    EXPECT_GT(report.cycles, issued * machine.issueCycles);

    // The same chip at twice the clock, with an HBM of twice the bandwidth and
    // half the latency, takes the same number of cycles.
    MachineModel faster = machine;
    faster.clockGHz *= 2;
    faster.hbmGBps *= 2;
    faster.hbmLatencyNs /= 2;
    EXPECT_EQ(randomProgram(seed, faster).cycles(), report.cycles);
  }
}

// cost_hbm: twice the lanes make this program 16 cycles slower. A weight of 32
// chunks is asked for from 4 on, each 16 cycles; the last arrives at 616 and is
// used up 8 cycles later. The VXE computes exp(x) + 1 of 800 elements in
// 100 * 5 = 500 cycles, from 8 to 508, and then asks for 16 bursts, which the
// HBM serves when the stream is done, 516 to 532: complete at 642. With 16
// lanes it asks at 258, in the middle of the stream, which then ends 16 later.
TEST(Scaling, AFasterUnitMayDelayAnother) {
  for (int64_t lanes : {8, 16}) {
    MachineModel machine = tiny();
    machine.vxeLanes = lanes;
    Counted run(machine);
    unsigned w = run.input(DType::F32, {256, 32});
    unsigned x = run.input(DType::F32, {16, 16});
    uint32_t weight = run.add(arg(w, DType::F32, {256, 32}));
    run.stream(weight, 1);
    run.vec(expPlusOne(),
            {lmu(8192, DType::F32, {800}), lmu(12288, DType::F32, {800})});
    run.addOne(lmu(4096, DType::F32, {16}), arg(x, DType::F32, {16}, {16}));
    uint32_t a = run.add(lmu(0, DType::F32, {1, 32}));
    uint32_t c = run.add(lmu(1024, DType::F32, {1, 256}));
    run.emit(Opcode::Mm, 0, MmFields{0, 1, 1, 1}.pack(), a, c, weight);
    EXPECT_EQ(run.cycles(), (lanes == 8 ? 616 : 632) + 8 + 30);
  }
}

// A latency is no shared resource and changes no order if it is the only one:
// streams and their products, which ask in program order, take longer by at
// most the difference for each instruction, and never less.
TEST(Scaling, LatencyNeverHelpsOneUnit) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    auto time = [&](double latency) {
      std::mt19937 same = random;
      MachineModel machine = tiny();
      machine.hbmLatencyNs = latency;
      Counted run(machine);
      unsigned x = run.input(DType::F32, {1 << 14});
      for (unsigned i = 0; i < 6; ++i) {
        int64_t n = static_cast<int64_t>(same() % 400) + 1;
        run.copy(lmu(static_cast<int64_t>(same() % 3) * 2048, DType::F32, {n}),
                 arg(x, DType::F32, {n}));
      }
      return run.cycles();
    };
    int64_t once = time(100), twice = time(200);
    EXPECT_GE(twice, once + 100);
    EXPECT_LE(twice, once + 6 * 100);
  }
}
