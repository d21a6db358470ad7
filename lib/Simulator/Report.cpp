//===- Report.cpp - What a run cost ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derived numbers, JSON and the table.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Report.h"
#include "JSON.h"
#include "lpu/Target/Names.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <map>
#include <tuple>

using namespace lpu;

/// Rows of the critical path that the table shows, and that JSON lists.
constexpr size_t shownPathRows = 12, listedPathRows = 200;

std::string_view lpu::nameOf(DataWait wait) {
  static constexpr std::string_view names[] = {
      "bandwidth", "latency", "buffer_space", "overlap", "supply"};
  static_assert(std::size(names) == numDataWaits);
  return names[static_cast<unsigned>(wait)];
}

/// Cycles of the rows from `begin` on.
static int64_t sumOfRows(const std::vector<PathRow> &rows, size_t begin) {
  int64_t cycles = 0;
  for (size_t i = begin; i < rows.size(); ++i) {
    cycles += rows[i].cycles;
  }
  return cycles;
}

int64_t Report::hbmRead() const {
  int64_t bytes = 0;
  for (const UnitReport &unit : units) {
    bytes += unit.hbmRead;
  }
  return bytes;
}

int64_t Report::hbmWritten() const {
  int64_t bytes = 0;
  for (const UnitReport &unit : units) {
    bytes += unit.hbmWritten;
  }
  return bytes;
}

int64_t Report::instructionCount() const {
  int64_t count = 0;
  for (int64_t executed : instructions) {
    count += executed;
  }
  return count;
}

double Report::utilization() const {
  double peak = seconds() * hbmGBps * 1e9;
  return peak > 0 ? static_cast<double>(compulsoryBytes()) / peak : 0;
}

std::vector<std::string> lpu::capacityWarnings(const Program &program) {
  uint64_t bytes = program.scratchBytes + program.rodata.size();
  for (size_t i = 0; i < program.numArguments(); ++i) {
    bytes += static_cast<uint64_t>(byteSize(program.argument(i)));
  }
  auto capacity = static_cast<uint64_t>(program.machine.hbmCapacityBytes);
  if (bytes <= capacity) {
    return {};
  }
  return {"arguments, constants and scratch take " + std::to_string(bytes) +
          " bytes, more than the " + std::to_string(capacity) +
          " of the machine's HBM"};
}

/// "critical_path": its rows, and what is left of it, so that all cycles add
/// up to the total.
static void writePath(JSONWriter &json, const Report &report) {
  json.key("critical_path").beginArray();
  for (size_t i = 0; i < report.criticalPath.size() && i < listedPathRows;
       ++i) {
    const PathRow &row = report.criticalPath[i];
    json.beginObject();
    json.member("name", std::string_view(row.location.name));
    json.member("file", std::string_view(row.location.file));
    json.member("line", row.location.line);
    json.member("opcode", nameOf(row.opcode));
    json.member("unit", nameOf(row.unit));
    json.member("reason", nameOf(row.reason));
    json.member("cycles", row.cycles);
    json.member("steps", row.steps);
    json.endObject();
  }
  json.endArray();
  json.member("critical_path_rest",
              sumOfRows(report.criticalPath, listedPathRows));
}

std::string Report::toJSON() const {
  JSONWriter json;
  json.beginObject();
  json.member("program", std::string_view(program));
  json.member("machine", std::string_view(machine));
  json.member("timed", timed);
  json.member("cycles", cycles);
  json.member("seconds", seconds());
  json.member("clock_ghz", clockGHz);
  json.member("hbm_gbps", hbmGBps);
  json.member("hbm_bytes", hbmBytes());
  json.member("hbm_read_bytes", hbmRead());
  json.member("hbm_written_bytes", hbmWritten());
  json.member("compulsory_bytes", compulsoryBytes());
  json.member("compulsory_read_bytes", compulsoryReadBytes);
  json.member("compulsory_written_bytes", compulsoryWrittenBytes);
  json.member("utilization", utilization());
  json.member("stream_buffer_peak_bytes", streamBufferPeak);
  json.member("lmu_bytes", lmuBytes);
  json.member("scratch_bytes", scratchBytes);
  json.key("warnings").beginArray();
  for (const std::string &warning : warnings) {
    json.value(std::string_view(warning));
  }
  json.endArray();
  json.key("units").beginObject();
  for (unsigned i = 0; i < numUnits; ++i) {
    const UnitReport &unit = units[i];
    json.key(nameOf(static_cast<Unit>(i))).beginObject();
    json.member("busy", unit.busy);
    json.member("waiting_for_data", unit.waitingForData);
    json.member("waiting_for_semaphore", unit.waitingForSemaphore);
    json.member("idle", unit.idle);
    json.member("instructions", unit.instructions);
    json.member("hbm_read_bytes", unit.hbmRead);
    json.member("hbm_written_bytes", unit.hbmWritten);
    json.key("data_waits").beginObject();
    for (unsigned wait = 0; wait < numDataWaits; ++wait) {
      json.member(nameOf(static_cast<DataWait>(wait)), unit.dataWaits[wait]);
    }
    json.endObject();
    json.endObject();
  }
  json.endObject();
  writePath(json, *this);
  json.member("instruction_count", instructionCount());
  json.key("instructions").beginObject();
  for (unsigned i = 0; i < instructions.size(); ++i) {
    if (instructions[i]) {
      json.member(nameOf(static_cast<Opcode>(i)), instructions[i]);
    }
  }
  json.endObject();
  json.key("mm_operands").beginObject();
  for (unsigned i = 0; i < numDTypes; ++i) {
    if (mmOperands[i]) {
      json.member(nameOf(static_cast<DType>(i)), mmOperands[i]);
    }
  }
  json.endObject();
  json.endObject();
  return json.take();
}

/// Appends a formatted line.
__attribute__((format(printf, 2, 3))) static void
line(std::string &text, const char *format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  text += buffer;
  text += '\n';
}

/// "1.23 MB".
static std::string byteText(int64_t bytes) {
  const char *suffixes[] = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  unsigned suffix = 0;
  while (value >= 1000 && suffix < 4) {
    value /= 1000;
    ++suffix;
  }
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), suffix ? "%.2f %s" : "%.0f %s", value,
                suffixes[suffix]);
  return buffer;
}

/// "mm_3 model.py:12", at most 48 characters: of a path its end.
static std::string placeText(const Location &location) {
  constexpr size_t longest = 48;
  if (location.name.empty() && location.file.empty()) {
    return "-";
  }
  std::string text = location.name;
  if (!location.file.empty()) {
    std::string file = location.file.substr(location.file.rfind('/') + 1);
    text +=
        (text.empty() ? "" : " ") + file + ":" + std::to_string(location.line);
  }
  return text.size() <= longest
             ? text
             : "..." + text.substr(text.size() - (longest - 3));
}

/// "1.250 ms".
static std::string timeText(double seconds) {
  const char *suffixes[] = {"s", "ms", "us", "ns"};
  unsigned suffix = 0;
  while (seconds < 1 && suffix < 3) {
    seconds *= 1000;
    ++suffix;
  }
  char buffer[48];
  std::snprintf(buffer, sizeof(buffer), "%.3f %s", seconds, suffixes[suffix]);
  return buffer;
}

/// Where the waits for data come from, by unit.
static void addDataWaits(std::string &text, const Report &report) {
  line(text, "  %-5s %12s %12s %12s %12s %12s", "waits", "bandwidth", "latency",
       "buffer space", "overlap", "supply");
  double whole = report.cycles ? static_cast<double>(report.cycles) / 100 : 1;
  for (unsigned i = 0; i < numUnits; ++i) {
    std::array<double, numDataWaits> shares;
    for (unsigned wait = 0; wait < numDataWaits; ++wait) {
      shares[wait] =
          static_cast<double>(report.units[i].dataWaits[wait]) / whole;
    }
    line(text, "  %-5s %11.1f%% %11.1f%% %11.1f%% %11.1f%% %11.1f%%",
         std::string(nameOf(static_cast<Unit>(i))).c_str(), shares[0],
         shares[1], shares[2], shares[3], shares[4]);
  }
}

/// The rows of the critical path by Python line: those of one line under
/// several names, as those of repeated layers, are one.
static std::vector<PathRow> pathByLine(const Report &report) {
  std::vector<PathRow> rows;
  std::map<std::tuple<std::string, uint32_t, Opcode, Unit, PathReason>, size_t>
      known;
  for (const PathRow &row : report.criticalPath) {
    const Location &location = row.location;
    bool hasLine = !location.file.empty();
    auto [entry, isNew] =
        known.try_emplace({hasLine ? location.file : location.name,
                           location.line, row.opcode, row.unit, row.reason},
                          rows.size());
    if (isNew) {
      rows.push_back(row);
      continue;
    }
    PathRow &sum = rows[entry->second];
    if (sum.location.name != location.name) {
      sum.location.name.clear();
    }
    sum.cycles += row.cycles;
    sum.steps += row.steps;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PathRow &left, const PathRow &right) {
                     return left.cycles > right.cycles;
                   });
  return rows;
}

/// What the total consists of.
static void addPath(std::string &text, const Report &report) {
  if (report.criticalPath.empty()) {
    return;
  }
  double whole = static_cast<double>(report.cycles) / 100;
  line(text, "  %-48s %-7s %-5s %-13s %10s %7s", "critical path", "opcode",
       "unit", "reason", "cycles", "share");
  auto addRow = [&](const std::string &place, std::string_view opcode,
                    std::string_view unit, std::string_view reason,
                    int64_t cycles) {
    line(text, "  %-48s %-7s %-5s %-13s %10lld %6.1f%%", place.c_str(),
         std::string(opcode).c_str(), std::string(unit).c_str(),
         std::string(reason).c_str(), static_cast<long long>(cycles),
         static_cast<double>(cycles) / whole);
  };
  std::vector<PathRow> rows = pathByLine(report);
  for (size_t i = 0; i < rows.size() && i < shownPathRows; ++i) {
    addRow(placeText(rows[i].location), nameOf(rows[i].opcode),
           nameOf(rows[i].unit), nameOf(rows[i].reason), rows[i].cycles);
  }
  if (rows.size() > shownPathRows) {
    addRow("rest (" + std::to_string(rows.size() - shownPathRows) + " rows)",
           "", "", "", sumOfRows(rows, shownPathRows));
  }
}

std::string Report::toTable() const {
  std::string text;
  line(text, "%s on %s", program.empty() ? "program" : program.c_str(),
       machine.c_str());
  if (timed) {
    line(text, "  %lld cycles, %s, %.1f %% of peak (%s compulsory)",
         static_cast<long long>(cycles), timeText(seconds()).c_str(),
         100 * utilization(), byteText(compulsoryBytes()).c_str());
    line(text, "  HBM: %s read, %s written; stream buffer peak %s",
         byteText(hbmRead()).c_str(), byteText(hbmWritten()).c_str(),
         byteText(streamBufferPeak).c_str());
    line(text, "  %-5s %12s %7s %7s %10s %7s %12s %12s", "unit", "instructions",
         "busy", "data", "semaphore", "idle", "HBM read", "HBM written");
    for (unsigned i = 0; i < numUnits; ++i) {
      const UnitReport &unit = units[i];
      double whole = cycles ? static_cast<double>(cycles) / 100 : 1;
      line(text, "  %-5s %12lld %6.1f%% %6.1f%% %9.1f%% %6.1f%% %12s %12s",
           std::string(nameOf(static_cast<Unit>(i))).c_str(),
           static_cast<long long>(unit.instructions),
           static_cast<double>(unit.busy) / whole,
           static_cast<double>(unit.waitingForData) / whole,
           static_cast<double>(unit.waitingForSemaphore) / whole,
           static_cast<double>(unit.idle) / whole,
           byteText(unit.hbmRead).c_str(), byteText(unit.hbmWritten).c_str());
    }
    addDataWaits(text, *this);
    addPath(text, *this);
  } else {
    line(text, "  not timed; %s compulsory",
         byteText(compulsoryBytes()).c_str());
  }
  line(text, "  memory: %s of LMU, %s of scratch", byteText(lmuBytes).c_str(),
       byteText(scratchBytes).c_str());
  for (const std::string &warning : warnings) {
    text += "  warning: " + warning + "\n";
  }
  std::string counts, types;
  for (unsigned i = 0; i < numDTypes; ++i) {
    if (mmOperands[i]) {
      types += (types.empty() ? "" : ", ") +
               std::string(nameOf(static_cast<DType>(i))) + " " +
               std::to_string(mmOperands[i]);
    }
  }
  for (unsigned i = 0; i < instructions.size(); ++i) {
    if (instructions[i]) {
      auto opcode = static_cast<Opcode>(i);
      counts += (counts.empty() ? "" : ", ") + std::string(nameOf(opcode)) +
                " " + std::to_string(instructions[i]) +
                (opcode == Opcode::Mm ? " (" + types + ")" : "");
    }
  }
  text += "  " + std::to_string(instructionCount()) +
          " instructions: " + counts + "\n";
  return text;
}
