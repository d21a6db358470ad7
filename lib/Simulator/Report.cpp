//===- Report.cpp - What a run cost ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derived numbers, JSON and the table.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Report.h"
#include "JSON.h"
#include "lpu/Target/Names.h"

#include <cstdarg>
#include <cstdio>

using namespace lpu;

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
    json.endObject();
  }
  json.endObject();
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
