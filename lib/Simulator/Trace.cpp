//===- Trace.cpp - A run as a picture -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chrome trace events: "X" is a bar with start and duration, "i" an instant,
// "M" names a track. Bars on one track must nest, so overlapping ones (an
// instruction starts while the last one drains) are spread over lanes, first
// fit.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Trace.h"
#include "JSON.h"
#include "lpu/Target/Names.h"

#include <algorithm>
#include <array>

using namespace lpu;

/// Track numbers: lane 0 of unit u is 16 * u, so that a unit's lanes are
/// neighbours and in the order of the units.
constexpr int64_t lanesPerUnit = 16;
/// The critical path is below them.
constexpr int64_t pathTrack = lanesPerUnit * numUnits;

void Trace::didRetire(const RetiredInstruction &instruction) {
  events.push_back(instruction);
}

void Trace::didFindPath(const std::vector<PathStep> &steps) { path = steps; }

void Trace::didMark(std::string_view text, int64_t cycle) {
  marks.push_back({std::string(text), cycle});
}

static void writeTrackName(JSONWriter &json, int64_t track,
                           const std::string &name) {
  json.beginObject();
  json.member("ph", "M");
  json.member("name", "thread_name");
  json.member("pid", int64_t(1));
  json.member("tid", track);
  json.key("args").beginObject();
  json.member("name", std::string_view(name));
  json.endObject();
  json.endObject();
  json.beginObject();
  json.member("ph", "M");
  json.member("name", "thread_sort_index");
  json.member("pid", int64_t(1));
  json.member("tid", track);
  json.key("args").beginObject();
  json.member("sort_index", track);
  json.endObject();
  json.endObject();
}

/// One bar a step, named by what its time was spent on.
void Trace::writePath(JSONWriter &json, double microsecondsPerCycle) const {
  if (path.empty()) {
    return;
  }
  for (const PathStep &step : path) {
    const Location *location = program.locationOfInstruction(step.index);
    json.beginObject();
    json.member("ph", "X");
    json.member("name", nameOf(step.reason));
    json.member("cat", "critical path");
    json.member("pid", int64_t(1));
    json.member("tid", pathTrack);
    json.member("ts", static_cast<double>(step.start) * microsecondsPerCycle);
    json.member("dur",
                static_cast<double>(step.cycles()) * microsecondsPerCycle);
    json.key("args").beginObject();
    if (location && !location->name.empty()) {
      json.member("node", std::string_view(location->name));
    }
    json.member("opcode", nameOf(program.text[step.index].opcode));
    json.member("instruction", step.index);
    json.member("unit", nameOf(step.unit));
    json.member("started_by", nameOf(step.link));
    json.endObject();
    json.endObject();
  }
  writeTrackName(json, pathTrack, "critical path");
}

std::string Trace::toJSON() const {
  double microsecondsPerCycle = 1e-3 / program.machine.clockGHz;
  JSONWriter json;
  json.beginObject();
  json.member("displayTimeUnit", "ns");
  json.key("otherData").beginObject();
  json.member("program", std::string_view(program.name));
  json.member("machine", std::string_view(program.machine.name));
  json.endObject();
  json.key("traceEvents").beginArray();

  /// When each lane of each unit is free again.
  std::array<std::array<int64_t, lanesPerUnit>, numUnits> laneEnd{};
  std::array<unsigned, numUnits> lanesUsed{};
  for (const RetiredInstruction &event : events) {
    auto unit = static_cast<unsigned>(event.unit);
    unsigned lane = 0;
    while (lane + 1 < lanesPerUnit && laneEnd[unit][lane] > event.startCycle) {
      ++lane;
    }
    laneEnd[unit][lane] = std::max(laneEnd[unit][lane], event.endCycle);
    lanesUsed[unit] = std::max(lanesUsed[unit], lane + 1);

    const Location *location = program.locationOfInstruction(event.index);
    std::string_view opcode = nameOf(event.opcode);
    bool isNamed = location && !location->name.empty();
    json.beginObject();
    json.member("ph", "X");
    json.member("name", isNamed ? std::string_view(location->name) : opcode);
    json.member("cat", opcode);
    json.member("pid", int64_t(1));
    json.member("tid", unit * lanesPerUnit + lane);
    json.member("ts",
                static_cast<double>(event.startCycle) * microsecondsPerCycle);
    json.member("dur", static_cast<double>(event.endCycle - event.startCycle) *
                           microsecondsPerCycle);
    json.key("args").beginObject();
    json.member("opcode", opcode);
    json.member("instruction", event.index);
    if (location && !location->file.empty()) {
      std::string place = location->file + ":" + std::to_string(location->line);
      json.member("location", std::string_view(place));
    }
    json.member("issue_cycle", event.issueCycle);
    json.member("start_cycle", event.startCycle);
    json.member("end_cycle", event.endCycle);
    if (event.hbmRead || event.hbmWritten) {
      json.member("hbm_read_bytes", event.hbmRead);
      json.member("hbm_written_bytes", event.hbmWritten);
    }
    json.endObject();
    json.endObject();
  }
  for (const Mark &mark : marks) {
    json.beginObject();
    json.member("ph", "i");
    json.member("name", std::string_view(mark.text));
    json.member("s", "p");
    json.member("pid", int64_t(1));
    json.member("tid", int64_t(0));
    json.member("ts", static_cast<double>(mark.cycle) * microsecondsPerCycle);
    json.endObject();
  }
  writePath(json, microsecondsPerCycle);
  for (unsigned unit = 0; unit < numUnits; ++unit) {
    for (unsigned lane = 0; lane < lanesUsed[unit]; ++lane) {
      std::string name(nameOf(static_cast<Unit>(unit)));
      writeTrackName(json, unit * lanesPerUnit + lane,
                     lane ? name + " (overlap " + std::to_string(lane) + ")"
                          : name);
    }
  }
  json.endArray();
  json.endObject();
  return json.take();
}
