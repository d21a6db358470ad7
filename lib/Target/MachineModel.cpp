//===- MachineModel.cpp - The parameters of a machine ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table that gives every parameter its name and range, and both directions
// of the text form. The text is TOML, so one parser serves machine files of
// users, the presets and the canonical text inside a binary.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/MachineModel.h"
#include "Hash.h"
#include "MachinePresets.h"

#include <cassert>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

using namespace lpu;

using M = MachineModel;

const std::vector<MachineParameter> &MachineModel::parameters() {
  constexpr double giga = 1e9, tera = 1e12;
  // clang-format off
  static const std::vector<MachineParameter> table = {
    {"clock_ghz", "Clock, 1e9 cycles a second.", nullptr, &M::clockGHz, 1e-3, 100},
    {"trees", "MAC trees of the SXE.", &M::trees, nullptr, 1, 1e6},
    {"width", "Multiplies a tree does a cycle.", &M::width, nullptr, 1, 1e6},
    {"rows_per_pass", "Rows that one weight pass serves.", &M::rowsPerPass, nullptr, 1, 1e6},
    {"hbm_gbps", "Nominal peak of the HBM, 1e9 bytes a second.", nullptr, &M::hbmGBps, 1e-3, 1e6},
    {"hbm_efficiency", "Share of the peak that streams reach.", nullptr, &M::hbmEfficiency, 1e-3, 1},
    {"hbm_latency_ns", "From a request to its first byte.", nullptr, &M::hbmLatencyNs, 0, 1e6},
    {"hbm_burst_bytes", "Smallest transfer of the HBM.", &M::hbmBurstBytes, nullptr, 1, 65536},
    {"hbm_capacity_bytes", "Size of the HBM.", &M::hbmCapacityBytes, nullptr, 1, 1e6 * giga},
    {"stream_buffer_bytes", "Size of the buffer between SMA and SXE.", &M::streamBufferBytes, nullptr, 64, tera},
    {"lmu_bytes", "Size of the LMU.", &M::lmuBytes, nullptr, 64, tera},
    {"lmu_read_ports", "Read ports of the LMU.", &M::lmuReadPorts, nullptr, 1, 1024},
    {"lmu_write_ports", "Write ports of the LMU.", &M::lmuWritePorts, nullptr, 1, 1024},
    {"lmu_port_bytes", "Bytes that a port moves a cycle.", &M::lmuPortBytes, nullptr, 1, 1e6},
    {"lmu_latency_cycles", "From a request to its first byte.", &M::lmuLatencyCycles, nullptr, 0, 1e6},
    {"vxe_lanes", "Lanes of the VXE, one f32 each.", &M::vxeLanes, nullptr, 1, 1e6},
    {"vxe_transcendental_cycles", "Cycles of exp, rsqrt, div, tanh and the like.", &M::vxeTranscendentalCycles, nullptr, 1, 1e6},
    {"vxe_latency_cycles", "Depth of the VXE's pipeline.", &M::vxeLatencyCycles, nullptr, 0, 1e6},
    {"sxe_fill_cycles", "Fill and drain of the SXE together.", &M::sxeFillCycles, nullptr, 0, 1e6},
    {"issue_cycles", "Cycles of the ICP to put an instruction into a queue.", &M::issueCycles, nullptr, 1, 1e6},
    {"semaphore_cycles", "From a post to the end of a wait for it.", &M::semaphoreCycles, nullptr, 0, 1e6},
  };
  // clang-format on
  return table;
}

/// The shortest text that reads back as the same number and that TOML takes
/// for a float.
static std::string realText(double value) {
  char buffer[64];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  (void)status;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

static std::string valueText(const MachineParameter &parameter,
                             const MachineModel &machine) {
  return parameter.integer ? std::to_string(machine.*parameter.integer)
                           : realText(machine.*parameter.real);
}

/// A name must survive as a quoted TOML string without escapes.
static bool isPlainName(std::string_view name) {
  if (name.empty()) {
    return false;
  }
  for (char c : name) {
    bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!isPlain) {
      return false;
    }
  }
  return true;
}

static std::string rangeText(const MachineParameter &parameter) {
  char buffer[96];
  std::snprintf(buffer, sizeof(buffer), "[%.12g, %.12g]", parameter.minimum,
                parameter.maximum);
  return buffer;
}

/// What is wrong with one value, or an empty string.
static std::string validateParameter(const MachineParameter &parameter,
                                     const MachineModel &machine) {
  double value = parameter.integer
                     ? static_cast<double>(machine.*parameter.integer)
                     : machine.*parameter.real;
  if (value >= parameter.minimum && value <= parameter.maximum) {
    return {};
  }
  return "'" + std::string(parameter.name) + "' is " +
         valueText(parameter, machine) + ", expected a value in " +
         rangeText(parameter);
}

std::string MachineModel::validate() const {
  if (!isPlainName(name)) {
    return "'name' is \"" + name +
           "\", expected letters, digits, '-', '_' and '.'";
  }
  for (const MachineParameter &parameter : parameters()) {
    std::string problem = validateParameter(parameter, *this);
    if (!problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string MachineModel::toText() const {
  std::string text = "name = \"" + name + "\"\n";
  for (const MachineParameter &parameter : parameters()) {
    text += std::string(parameter.name) + " = " + valueText(parameter, *this) +
            "\n";
  }
  return text;
}

uint64_t MachineModel::hash() const {
  Hash hash;
  for (char c : toText()) {
    hash.add(static_cast<uint8_t>(c));
  }
  return hash.value();
}

//===----------------------------------------------------------------------===//
// Presets
//===----------------------------------------------------------------------===//

const std::vector<std::string> &MachineModel::presetNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (auto [name, text] : presetFiles()) {
      result.emplace_back(name);
    }
    return result;
  }();
  return names;
}

static std::optional<MachineModel> preset(std::string_view name) {
  std::optional<std::string_view> text = presetText(name);
  if (!text) {
    return std::nullopt;
  }
  Result<MachineModel> machine = MachineModel::parse(*text, name);
  assert(machine && "the tests read every preset");
  return *machine;
}

/// "expected one of lpu-hbm3, ...".
static std::string presetList() {
  std::string list;
  for (const std::string &name : MachineModel::presetNames()) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

//===----------------------------------------------------------------------===//
// TOML
//===----------------------------------------------------------------------===//

/// "file:line: ".
static std::string place(std::string_view where,
                         const toml::source_region &source) {
  return std::string(where) + ":" + std::to_string(source.begin.line) + ": ";
}

static std::string keyList() {
  std::string list = "base, name";
  for (const MachineParameter &parameter : MachineModel::parameters()) {
    list += ", " + std::string(parameter.name);
  }
  return list;
}

/// A value as it stands in a file.
static std::string foundText(const toml::node &node) {
  std::stringstream text;
  text << toml::node_view<const toml::node>(node);
  return text.str();
}

/// Reads one number into the model; returns what is wrong, or an empty string.
static std::string readParameter(const MachineParameter &parameter,
                                 const toml::node &node,
                                 MachineModel &machine) {
  std::string key = "'" + std::string(parameter.name) + "'";
  if (parameter.integer) {
    std::optional<int64_t> value = node.value_exact<int64_t>();
    if (!value) {
      return key + " is " + foundText(node) + ", expected an integer in " +
             rangeText(parameter);
    }
    machine.*parameter.integer = *value;
  } else {
    // An integer is a fine real number: `clock_ghz = 1`.
    std::optional<double> value =
        node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) {
      return key + " is " + foundText(node) + ", expected a number in " +
             rangeText(parameter);
    }
    machine.*parameter.real = *value;
  }
  return validateParameter(parameter, machine);
}

/// The file's name without folders and `.toml`.
static std::string stem(std::string_view path) {
  size_t slash = path.find_last_of('/');
  std::string_view file =
      slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(file.substr(0, file.find_last_of('.')));
}

/// The line with a character beyond ASCII outside of a comment, or 0. Nothing
/// that a machine needs has one, and toml++ 3.3 meets some of them in a key
/// with undefined behaviour. What may be within quotes is taken for no comment.
static unsigned findNonASCII(std::string_view text) {
  unsigned line = 1;
  bool isComment = false, isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
      isComment = isQuoted = false;
    } else if (c == '"' || c == '\'') {
      isQuoted = true;
      std::string_view three = text.substr(i, 3);
      if (!isComment && three.size() == 3 && three[1] == c && three[2] == c) {
        return line; // Such a string goes on over lines.
      }
    } else if (c == '#' && !isQuoted) {
      isComment = true;
    } else if (static_cast<unsigned char>(c) >= 0x80 && !isComment) {
      return line;
    }
  }
  return 0;
}

Result<MachineModel> MachineModel::parse(std::string_view text,
                                         std::string_view where) {
  if (unsigned line = findNonASCII(text)) {
    return Error{std::string(where) + ":" + std::to_string(line) +
                 ": a character beyond ASCII or a string of several lines, "
                 "expected such in comments only"};
  }
  toml::parse_result parsed = toml::parse(text, where);
  if (!parsed) {
    return Error{place(where, parsed.error().source()) +
                 std::string(parsed.error().description())};
  }
  const toml::table &table = parsed.table();

  MachineModel machine;
  if (const toml::node *base = table.get("base")) {
    std::optional<std::string> name = base->value_exact<std::string>();
    std::optional<MachineModel> found = name ? preset(*name) : std::nullopt;
    if (!found) {
      return Error{place(where, base->source()) + "'base' is " +
                   foundText(*base) + ", expected one of " + presetList()};
    }
    machine = *found;
  }
  // What differs from a preset is another machine and needs another name.
  if (!table.contains("base") || table.size() > 1) {
    std::string fileName = stem(where);
    machine.name = isPlainName(fileName) ? fileName : "custom";
  }

  for (const auto &[key, node] : table) {
    std::string_view name = key.str();
    if (name == "base") {
      continue;
    }
    if (name == "name") {
      std::optional<std::string> value = node.value_exact<std::string>();
      if (!value || !isPlainName(*value)) {
        return Error{place(where, node.source()) + "'name' is " +
                     foundText(node) +
                     ", expected a string of letters, digits, '-', '_' and "
                     "'.'"};
      }
      machine.name = *value;
      continue;
    }
    const MachineParameter *parameter = nullptr;
    for (const MachineParameter &candidate : parameters()) {
      if (candidate.name == name) {
        parameter = &candidate;
      }
    }
    if (!parameter) {
      return Error{place(where, node.source()) + "unknown key '" +
                   std::string(name) + "', expected one of " + keyList()};
    }
    std::string problem = readParameter(*parameter, node, machine);
    if (!problem.empty()) {
      return Error{place(where, node.source()) + problem};
    }
  }
  return machine;
}

Result<MachineModel> MachineModel::get(std::string_view nameOrPath) {
  if (std::optional<MachineModel> found = preset(nameOrPath)) {
    return *found;
  }
  constexpr std::string_view suffix = ".toml";
  bool isFile = nameOrPath.size() > suffix.size() &&
                nameOrPath.substr(nameOrPath.size() - suffix.size()) == suffix;
  if (!isFile) {
    return Error{"unknown machine '" + std::string(nameOrPath) +
                 "', expected one of " + presetList() +
                 " or a path that ends in .toml"};
  }
  std::ifstream file{std::string(nameOrPath)};
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(nameOrPath, ignored)) {
    return Error{std::string(nameOrPath) + ": cannot be read"};
  }
  std::stringstream contents;
  contents << file.rdbuf();
  return parse(contents.str(), nameOrPath);
}
