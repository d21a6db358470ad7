//===- MachineModelTest.cpp - Tests of machine models ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Presets, the text form in both directions, and one case per error message.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/MachineFile.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace lpu;

TEST(MachineModel, PresetsAreInRangeAndReadBack) {
  for (const std::string &name : MachineModel::presetNames()) {
    Result<MachineModel> machine = MachineModel::get(name);
    ASSERT_TRUE(bool(machine)) << machine.message();
    EXPECT_EQ(machine->name, name);
    EXPECT_EQ(machine->validate(), "");
    Result<MachineModel> again = MachineModel::parse(machine->toText(), "text");
    ASSERT_TRUE(bool(again)) << again.message();
    EXPECT_EQ(again->toText(), machine->toText());
    EXPECT_EQ(again->hash(), machine->hash());
  }
}

// The published chip in balance: 32 trees x 64 x 2 bytes x 0.8 GHz = 3276.8
// GB/s.
TEST(MachineModel, DefaultPreset) {
  MachineModel machine = *MachineModel::get("lpu-hbm3");
  EXPECT_DOUBLE_EQ(machine.trees * machine.width * 2 * machine.clockGHz,
                   machine.hbmGBps);
  EXPECT_DOUBLE_EQ(machine.hbmLatencyCycles(), 400);
  EXPECT_DOUBLE_EQ(machine.hbmBytesPerCycle(), 3276.8 * 0.91 / 0.8);
}

TEST(MachineModel, HashDependsOnEveryParameter) {
  MachineModel base;
  for (const MachineParameter &parameter : MachineModel::parameters()) {
    MachineModel changed;
    if (parameter.integer) {
      changed.*parameter.integer += 1;
    } else {
      changed.*parameter.real /= 2;
    }
    EXPECT_NE(changed.hash(), base.hash()) << parameter.name;
    EXPECT_FALSE(changed == base) << parameter.name;
  }
}

TEST(MachineModel, BaseAndOverride) {
  Result<MachineModel> machine = MachineModel::parse(
      "base = \"tiny\"\nclock_ghz = 2\nvxe_lanes = 16\n", "dir/mine.toml");
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_EQ(machine->name, "mine");
  EXPECT_EQ(machine->clockGHz, 2);
  EXPECT_EQ(machine->vxeLanes, 16);
  EXPECT_EQ(machine->trees, 4);
  // A base alone is that machine.
  machine = MachineModel::parse("base = \"tiny\"", "dir/mine.toml");
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_EQ(machine->toText(), MachineModel::get("tiny")->toText());
}

// What the struct begins with is the default preset.
TEST(MachineModel, DefaultIsTheFirstPreset) {
  EXPECT_EQ(MachineModel().toText(),
            MachineModel::get(MachineModel::presetNames()[0])->toText());
}

// 16 trees x 64 x 2 bytes x 0.22 GHz = 450.56 GB/s of the card's 460.
TEST(MachineModel, CardIsNearlyInBalance) {
  MachineModel machine = *MachineModel::get("lpu-u55c");
  double taken = machine.trees * machine.width * 2 * machine.clockGHz;
  EXPECT_DOUBLE_EQ(taken, 450.56);
  EXPECT_GT(taken, machine.hbmGBps * machine.hbmEfficiency);
}

// Every preset gives every value itself, and says where it is from.
TEST(MachineFile, PresetsNameTheirSources) {
  for (const std::string &name : MachineModel::presetNames()) {
    Result<MachineDescription> machine = describeMachine(name);
    ASSERT_TRUE(bool(machine)) << machine.message();
    EXPECT_EQ(machine->model.name, name);
    EXPECT_NE(machine->about, "");
    ASSERT_EQ(machine->values.size(), MachineModel::parameters().size());
    for (const MachineValue &value : machine->values) {
      std::string kind = value.source.substr(0, value.source.find(": "));
      EXPECT_TRUE(kind == "published" || kind == "derived" || kind == "choice")
          << name << ": " << value.parameter->name << ": " << value.source;
    }
  }
}

TEST(MachineFile, CommentsOfAFileAndItsBase) {
  std::string path = testing::TempDir() + "my machine.toml";
  std::FILE *file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("# Mine.\nbase = 'tiny' # small\n\"trees\" = 8 # choice: more\n"
             "width=16\n# vxe_lanes = 3 # not this\n",
             file);
  std::fclose(file);
  Result<MachineDescription> machine = describeMachine(path);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_EQ(machine->model.trees, 8);
  EXPECT_EQ(machine->about, "Mine.\n");
  auto find = [&](std::string_view name) {
    for (const MachineValue &value : machine->values) {
      if (value.parameter->name == name) {
        return value;
      }
    }
    return MachineValue();
  };
  EXPECT_EQ(find("trees").value, "8");
  EXPECT_EQ(find("trees").source, "choice: more");
  EXPECT_EQ(find("width").value, "16");
  EXPECT_EQ(find("width").source, ""); // Not that of the base's value.
  EXPECT_EQ(find("vxe_lanes").source, "choice: small");
  std::remove(path.c_str());
}

TEST(MachineFile, UnitsAreInTheNames) {
  std::string units;
  for (const MachineParameter &parameter : MachineModel::parameters()) {
    if (parameter.real) {
      units += std::string(unitOf(parameter)) + " ";
    }
  }
  EXPECT_EQ(units, "GHz GB/s share ns ");
}

static std::string errorOf(std::string_view text) {
  Result<MachineModel> machine = MachineModel::parse(text, "m.toml");
  return machine ? "no error" : machine.message();
}

TEST(MachineModel, Errors) {
  EXPECT_EQ(errorOf("trees = \n").substr(0, 9), "m.toml:1:");
  EXPECT_EQ(errorOf("\ntreez = 3").substr(0, 50),
            "m.toml:2: unknown key 'treez', expected one of bas");
  EXPECT_EQ(errorOf("trees = 1.5"), "m.toml:1: 'trees' is 1.5, "
                                    "expected an integer in [1, 1000000]");
  EXPECT_EQ(errorOf("clock_ghz = \"fast\""),
            "m.toml:1: 'clock_ghz' is 'fast', expected a number in "
            "[0.001, 100]");
  EXPECT_EQ(
      errorOf("hbm_efficiency = 1.5"),
      "m.toml:1: 'hbm_efficiency' is 1.5, expected a value in [0.001, 1]");
  EXPECT_EQ(
      errorOf("hbm_latency_ns = nan"),
      "m.toml:1: 'hbm_latency_ns' is nan.0, expected a value in [0, 1000000]");
  EXPECT_EQ(errorOf("base = \"gpu\""),
            "m.toml:1: 'base' is 'gpu', expected one of lpu-hbm3, "
            "lpu-lpddr5x, lpu-u55c, tiny");
  EXPECT_EQ(errorOf("name = \"a b\"").substr(0, 40),
            "m.toml:1: 'name' is 'a b', expected a st");
}

/// toml++ meets some of these in a key with undefined behaviour.
TEST(MachineModel, CharactersBeyondASCIIAreForComments) {
  const std::string expected =
      ": a character beyond ASCII or a string of several lines, expected such "
      "in comments only";
  EXPECT_EQ(errorOf("lmu_writ\xca\xbeports = 1"), "m.toml:1" + expected);
  EXPECT_EQ(errorOf("trees = 4\nwidth\xe2\x80\xaf= 8"), "m.toml:2" + expected);
  EXPECT_EQ(errorOf("\"#\xca\xbe\" = 1"), "m.toml:1" + expected);
  EXPECT_EQ(errorOf("name = '''\n#\xca\xbe'''"), "m.toml:1" + expected);
  EXPECT_EQ(errorOf("trees = 4 # \xca\xbe \"\"\"\n# \xe2\x80\xaf\n"),
            "no error");
}

TEST(MachineModel, GetErrors) {
  EXPECT_EQ(MachineModel::get("gpu").message(),
            "unknown machine 'gpu', expected one of lpu-hbm3, lpu-lpddr5x, "
            "lpu-u55c, tiny or a path that ends in .toml");
  EXPECT_EQ(MachineModel::get("/nowhere/x.toml").message(),
            "/nowhere/x.toml: cannot be read");
  EXPECT_EQ(errorOf("trees = 1\ntrees = 2").substr(0, 10), "m.toml:2: ");
}
