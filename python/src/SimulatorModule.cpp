//===- SimulatorModule.cpp - Python view of the simulator -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module torch_lpu._simulator. It is independent of MLIR and of
// the compiler's extension module: it loads binaries and runs them. Arguments
// are buffers of the caller, by address; nothing is copied. The GIL is released
// while a program runs.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/Simulator.h"
#include "lpu/Simulator/Trace.h"
#include "lpu/Target/Binary.h"
#include "lpu/Target/MachineFile.h"
#include "lpu/Target/Names.h"
#include "lpu/Target/Verifier.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <mutex>

namespace nb = nanobind;
using namespace nb::literals;

/// A kind's name in Python, as docs/ISA.md has it.
static const char *nameOf(lpu::ErrorKind kind) {
  switch (kind) {
  case lpu::ErrorKind::Invalid:
    return "invalid";
  case lpu::ErrorKind::Index:
    return "index";
  case lpu::ErrorKind::Runtime:
    return "runtime";
  case lpu::ErrorKind::Deadlock:
    return "deadlock";
  case lpu::ErrorKind::Bounds:
    return "bounds";
  case lpu::ErrorKind::Limit:
    return "limit";
  case lpu::ErrorKind::Check:
    return "check";
  case lpu::ErrorKind::Stopped:
    return "stopped";
  }
  return "runtime";
}

/// Throws a Python exception whose attribute `kind` says what went wrong.
static void raise(const std::string &message, lpu::ErrorKind kind) {
  PyObject *type = kind == lpu::ErrorKind::Invalid ? PyExc_ValueError
                   : kind == lpu::ErrorKind::Index ? PyExc_IndexError
                                                   : PyExc_RuntimeError;
  nb::object error = nb::handle(type)(message);
  error.attr("kind") = nameOf(kind);
  PyErr_SetObject(type, error.ptr());
  throw nb::python_error();
}

template <typename T>
static T take(lpu::Result<T> result) {
  if (!result) {
    raise(result.message(), result.kind());
  }
  return std::move(*result);
}

namespace {
/// None means the default of RunOptions.
using Limit = std::optional<uint64_t>;

/// A report together with the trace of its run.
struct PyReport {
  lpu::Report report;
  std::optional<std::string> trace;
};

/// A loaded program, ready to run.
class PyProgram {
public:
  /// The caller, Python, owns the program.
  static PyProgram *load(const nb::bytes &bytes) {
    const auto *data = static_cast<const uint8_t *>(bytes.data());
    lpu::Program program = take(lpu::readBinary(data, bytes.size()));
    auto result = std::make_unique<PyProgram>();
    result->simulator = take(lpu::Simulator::create(std::move(program)));
    return result.release();
  }

  const lpu::Program &program() const { return simulator->program(); }

  PyReport run(const nb::sequence &arguments, bool values, bool timing,
               std::string_view dma, std::string_view interleave,
               std::string_view checks, std::vector<uint32_t> omit,
               unsigned threads, bool trace, bool criticalPath,
               Limit maxInstructions, Limit maxWork, Limit maxHostBytes,
               Limit maxQueued);

private:
  void *addressOf(nb::handle argument, size_t number, bool values) const;

  std::unique_ptr<lpu::Simulator> simulator;
  std::mutex mutex; ///< A simulator runs one program at a time.
};
} // namespace

static bool isContiguous(const nb::ndarray<> &array) {
  int64_t expected = 1;
  for (size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) != 1 && array.stride(d) != expected) {
      return false;
    }
    expected *= static_cast<int64_t>(array.shape(d));
  }
  return true;
}

/// An argument is an address, a pair of address and byte size, an array, or
/// None in a run without values.
void *PyProgram::addressOf(nb::handle argument, size_t number,
                           bool values) const {
  const lpu::TensorSpec &spec = program().argument(number);
  std::string name =
      "argument " + std::to_string(number) + " '" + spec.name + "'";
  auto expected = static_cast<size_t>(lpu::byteSize(spec));
  size_t given = expected;
  uintptr_t address = 0;
  if (argument.is_none()) {
    address = 0;
  } else if (nb::isinstance<nb::int_>(argument)) {
    address = nb::cast<uintptr_t>(argument);
  } else if (nb::isinstance<nb::tuple>(argument)) {
    std::tie(address, given) = [&] {
      auto pair = nb::cast<nb::tuple>(argument);
      if (pair.size() != 2) {
        throw nb::type_error((name + ": expected (address, bytes)").c_str());
      }
      return std::pair(nb::cast<uintptr_t>(pair[0]), nb::cast<size_t>(pair[1]));
    }();
  } else {
    nb::ndarray<> array;
    if (!nb::try_cast(argument, array) ||
        array.device_type() != nb::device::cpu::value) {
      throw nb::type_error(
          (name +
           ": expected an address, (address, bytes) or an array in host memory")
              .c_str());
    }
    if (!isContiguous(array)) {
      throw nb::value_error((name + ": the array is not contiguous").c_str());
    }
    address = reinterpret_cast<uintptr_t>(array.data());
    given = array.nbytes();
  }
  if (given != expected) {
    throw nb::value_error((name + " has " + std::to_string(given) +
                           " bytes, expected " + std::to_string(expected))
                              .c_str());
  }
  if (values && expected && !address) {
    throw nb::value_error((name + " is null in a run with values").c_str());
  }
  return reinterpret_cast<void *>(address);
}

PyReport PyProgram::run(const nb::sequence &arguments, bool values, bool timing,
                        std::string_view dma, std::string_view interleave,
                        std::string_view checks, std::vector<uint32_t> omit,
                        unsigned threads, bool trace, bool criticalPath,
                        Limit maxInstructions, Limit maxWork,
                        Limit maxHostBytes, Limit maxQueued) {
  size_t expected = program().numArguments();
  size_t given = nb::len(arguments);
  if (given != expected) {
    throw nb::value_error((std::to_string(given) + " arguments, expected " +
                           std::to_string(expected) + " (inputs, then outputs)")
                              .c_str());
  }
  std::vector<void *> addresses;
  for (size_t i = 0; i < given; ++i) {
    addresses.push_back(addressOf(arguments[i], i, values));
  }
  lpu::RunOptions options;
  options.values = values;
  options.timing = timing;
  options.criticalPath = criticalPath;
  options.threads = threads;
  options.dma = take(lpu::Dma::parse(dma));
  options.interleave = take(lpu::Interleave::parse(interleave));
  options.checks = take(lpu::parseChecks(checks));
  options.omit = std::move(omit);
  options.maxInstructions = maxInstructions.value_or(options.maxInstructions);
  options.maxWork = maxWork.value_or(options.maxWork);
  options.maxHostBytes = maxHostBytes.value_or(options.maxHostBytes);
  options.maxQueued = maxQueued.value_or(options.maxQueued);

  PyReport result;
  std::optional<lpu::Result<lpu::Report>> outcome;
  {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> guard(mutex);
    lpu::Trace recorder(program());
    outcome = simulator->run(addresses.data(), addresses.size(), options,
                             trace ? &recorder : nullptr);
    if (trace && *outcome) {
      result.trace = recorder.toJSON();
    }
  }
  result.report = take(std::move(*outcome));
  return result;
}

/// One unit's cycles as a dictionary.
static nb::dict unitDictionary(const lpu::UnitReport &unit) {
  nb::dict result;
  result["busy"] = unit.busy;
  result["waiting_for_data"] = unit.waitingForData;
  result["waiting_for_semaphore"] = unit.waitingForSemaphore;
  result["idle"] = unit.idle;
  result["instructions"] = unit.instructions;
  result["hbm_read_bytes"] = unit.hbmRead;
  result["hbm_written_bytes"] = unit.hbmWritten;
  nb::dict waits;
  for (unsigned i = 0; i < lpu::numDataWaits; ++i) {
    std::string name(lpu::nameOf(static_cast<lpu::DataWait>(i)));
    waits[name.c_str()] = unit.dataWaits[i];
  }
  result["data_waits"] = waits;
  return result;
}

/// One row of the critical path as a dictionary.
static nb::dict rowDictionary(const lpu::PathRow &row) {
  auto text = [](std::string_view name) { return nb::cast(std::string(name)); };
  nb::dict result;
  result["name"] = row.location.name;
  result["file"] = row.location.file;
  result["line"] = row.location.line;
  result["opcode"] = text(lpu::nameOf(row.opcode));
  result["unit"] = text(lpu::nameOf(row.unit));
  result["reason"] = text(lpu::nameOf(row.reason));
  result["cycles"] = row.cycles;
  result["steps"] = row.steps;
  return result;
}

static void bindReport(nb::module_ &m) {
  auto property = [](auto get) {
    return [get](const PyReport &self) { return get(self.report); };
  };
  nb::class_<PyReport>(m, "Report", "What a run cost.")
      .def_prop_ro("program",
                   property([](const lpu::Report &r) { return r.program; }))
      .def_prop_ro("machine",
                   property([](const lpu::Report &r) { return r.machine; }))
      .def_prop_ro("timed",
                   property([](const lpu::Report &r) { return r.timed; }))
      .def_prop_ro("cycles",
                   property([](const lpu::Report &r) { return r.cycles; }))
      .def_prop_ro("seconds",
                   property([](const lpu::Report &r) { return r.seconds(); }))
      .def_prop_ro("clock_ghz",
                   property([](const lpu::Report &r) { return r.clockGHz; }))
      .def_prop_ro("hbm_gbps",
                   property([](const lpu::Report &r) { return r.hbmGBps; }))
      .def_prop_ro("hbm_bytes",
                   property([](const lpu::Report &r) { return r.hbmBytes(); }))
      .def_prop_ro("hbm_read_bytes",
                   property([](const lpu::Report &r) { return r.hbmRead(); }))
      .def_prop_ro("hbm_written_bytes", property([](const lpu::Report &r) {
                     return r.hbmWritten();
                   }))
      .def_prop_ro("compulsory_bytes", property([](const lpu::Report &r) {
                     return r.compulsoryBytes();
                   }))
      .def_prop_ro("compulsory_read_bytes", property([](const lpu::Report &r) {
                     return r.compulsoryReadBytes;
                   }))
      .def_prop_ro("compulsory_written_bytes",
                   property([](const lpu::Report &r) {
                     return r.compulsoryWrittenBytes;
                   }))
      .def_prop_ro("utilization", property([](const lpu::Report &r) {
                     return r.utilization();
                   }),
                   "Compulsory bytes / (time x nominal HBM peak).")
      .def_prop_ro("stream_buffer_peak", property([](const lpu::Report &r) {
                     return r.streamBufferPeak;
                   }))
      .def_prop_ro("lmu_bytes",
                   property([](const lpu::Report &r) { return r.lmuBytes; }),
                   "Bytes of on-chip memory up to the highest that is used.")
      .def_prop_ro("scratch_bytes", property([](const lpu::Report &r) {
                     return r.scratchBytes;
                   }))
      .def_prop_ro("instruction_count", property([](const lpu::Report &r) {
                     return r.instructionCount();
                   }))
      .def_prop_ro(
          "instructions",
          [](const PyReport &self) {
            nb::dict result;
            for (size_t i = 0; i < self.report.instructions.size(); ++i) {
              if (int64_t count = self.report.instructions[i]) {
                std::string name(lpu::nameOf(static_cast<lpu::Opcode>(i)));
                result[name.c_str()] = count;
              }
            }
            return result;
          },
          "Executed instructions by opcode.")
      .def_prop_ro(
          "mm_operands",
          [](const PyReport &self) {
            nb::dict result;
            for (unsigned i = 0; i < lpu::numDTypes; ++i) {
              if (int64_t count = self.report.mmOperands[i]) {
                std::string name(lpu::nameOf(static_cast<lpu::DType>(i)));
                result[name.c_str()] = count;
              }
            }
            return result;
          },
          "Executed matrix instructions by the type of their operands.")
      .def_prop_ro(
          "units",
          [](const PyReport &self) {
            nb::dict result;
            for (unsigned i = 0; i < lpu::numUnits; ++i) {
              std::string name(lpu::nameOf(static_cast<lpu::Unit>(i)));
              result[name.c_str()] = unitDictionary(self.report.units[i]);
            }
            return result;
          },
          "By unit: cycles (busy, waiting_for_data, waiting_for_semaphore, "
          "idle: they add up to the total), instructions, HBM bytes, and "
          "data_waits: the waits for data by kind.")
      .def_prop_ro(
          "critical_path",
          [](const PyReport &self) {
            nb::list result;
            for (const lpu::PathRow &row : self.report.criticalPath) {
              result.append(rowDictionary(row));
            }
            return result;
          },
          "What the cycles were spent on along the chain of steps that "
          "determines them, by source location, opcode, unit and reason; the "
          "rows add up to the total.")
      .def_prop_ro("warnings",
                   property([](const lpu::Report &r) { return r.warnings; }))
      .def_prop_ro(
          "trace", [](const PyReport &self) { return self.trace; },
          "Perfetto JSON of a run with trace=True, else None.")
      .def("to_json", property([](const lpu::Report &r) { return r.toJSON(); }))
      .def("table", property([](const lpu::Report &r) { return r.toTable(); }))
      .def("__str__",
           property([](const lpu::Report &r) { return r.toTable(); }));
}

static void bindProgram(nb::module_ &m) {
  nb::class_<lpu::TensorSpec>(m, "Tensor", "A tensor of a program's signature.")
      .def_ro("name", &lpu::TensorSpec::name)
      .def_prop_ro("dtype",
                   [](const lpu::TensorSpec &t) {
                     return std::string(lpu::nameOf(t.type));
                   })
      .def_prop_ro(
          "sizes",
          [](const lpu::TensorSpec &t) { return nb::tuple(nb::cast(t.sizes)); })
      .def_prop_ro("nbytes",
                   [](const lpu::TensorSpec &t) { return lpu::byteSize(t); })
      .def_ro("alias", &lpu::TensorSpec::alias,
              "Results: the input that holds the value after the run, or -1.")
      .def_ro("argument", &lpu::TensorSpec::argument,
              "Results: the number of the argument that holds the value.")
      .def("__repr__", [](const lpu::TensorSpec &t) {
        std::string text =
            "Tensor(" + t.name + ": " + std::string(lpu::nameOf(t.type)) + "[";
        for (size_t d = 0; d < t.sizes.size(); ++d) {
          text += (d ? ", " : "") + std::to_string(t.sizes[d]);
        }
        return text + "])";
      });

  auto property = [](auto get) {
    return [get](const PyProgram &self) { return get(self.program()); };
  };
  nb::class_<PyProgram>(m, "Program",
                        "A machine program, checked and ready to run.")
      .def_static(
          "load", &PyProgram::load, "data"_a,
          "Reads a .lpubin file; ValueError names the byte or the instruction.")
      .def_prop_ro("name",
                   property([](const lpu::Program &p) { return p.name; }))
      .def_prop_ro("inputs",
                   property([](const lpu::Program &p) { return p.inputs; }))
      .def_prop_ro("results",
                   property([](const lpu::Program &p) { return p.results; }))
      .def_prop_ro(
          "outputs", property([](const lpu::Program &p) { return p.outputs; }),
          "Arguments after the inputs: buffers of results that alias nothing.")
      .def_prop_ro("machine", property([](const lpu::Program &p) {
                     return p.machine.toText();
                   }),
                   "The machine it was compiled for, as canonical text.")
      .def_prop_ro("machine_name", property([](const lpu::Program &p) {
                     return p.machine.name;
                   }))
      .def_prop_ro("scratch_bytes", property([](const lpu::Program &p) {
                     return p.scratchBytes;
                   }))
      .def_prop_ro("lmu_bytes",
                   property([](const lpu::Program &p) { return p.lmuBytes; }))
      .def_prop_ro("num_instructions", property([](const lpu::Program &p) {
                     return p.text.size();
                   }))
      .def_prop_ro(
          "synchronisation",
          [](const PyProgram &self) {
            nb::list result;
            const std::vector<lpu::Instruction> &text = self.program().text;
            for (size_t i = 0; i < text.size(); ++i) {
              const lpu::Instruction &word = text[i];
              if (word.opcode == lpu::Opcode::Wait ||
                  word.opcode == lpu::Opcode::Post) {
                result.append(
                    nb::make_tuple(i, std::string(lpu::nameOf(word.opcode)),
                                   std::string(lpu::nameOf(
                                       static_cast<lpu::Unit>(word.flags))),
                                   word.aux, word.a));
              }
            }
            return result;
          },
          "Waits and posts: (instruction, 'wait' or 'post', unit, semaphore, "
          "count).")
      .def("run", &PyProgram::run, "arguments"_a, nb::kw_only(),
           "values"_a = true, "timing"_a = true, "dma"_a = "early",
           "interleave"_a = "fixed", "checks"_a = "none",
           "omit"_a = std::vector<uint32_t>(), "threads"_a = 0,
           "trace"_a = false, "critical_path"_a = true,
           "max_instructions"_a = nb::none(), "max_work"_a = nb::none(),
           "max_host_bytes"_a = nb::none(), "max_queued"_a = nb::none(),
           "Runs on inputs, then outputs: each an address, (address, bytes), "
           "an array, or None without values. IndexError for an index fault, "
           "RuntimeError for others; the attribute `kind` is 'index', "
           "'runtime', 'deadlock', 'bounds', 'limit' or 'check'. Limits that "
           "are not given are those that no real program reaches.");
}

NB_MODULE(_simulator, m) {
  m.doc() = "The LPU simulator.";
  bindReport(m);
  bindProgram(m);
  m.def(
      "isa_version", [] { return lpu::isaVersion; },
      "Version of the instruction set that the simulator executes.");
  m.def(
      "kernel_sets",
      [] {
        nb::list names;
        for (std::string_view name : lpu::kernelSets()) {
          names.append(std::string(name));
        }
        return names;
      },
      "Sets of inner loops that this CPU can run, best first. The environment "
      "variable LPU_SIM_ISA chooses one, and any other name is a ValueError of "
      "each run; all give the same bits. 'amx' is taken only like that.");
  m.def("preset_names", &lpu::MachineModel::presetNames,
        "Names of the machine presets.");
  m.def(
      "machine_text",
      [](const std::string &nameOrPath) {
        return take(lpu::MachineModel::get(nameOrPath)).toText();
      },
      "name_or_path"_a,
      "Canonical text of a preset or a .toml file; ValueError says what is "
      "wrong.");
  m.def(
      "machine_parameters",
      [](const std::string &nameOrPath) {
        lpu::MachineDescription machine =
            take(lpu::describeMachine(nameOrPath));
        nb::list values;
        for (const lpu::MachineValue &value : machine.values) {
          const lpu::MachineParameter &p = *value.parameter;
          values.append(nb::make_tuple(
              std::string(p.name), std::string(lpu::unitOf(p)), value.value,
              value.source, std::string(p.description), p.minimum, p.maximum));
        }
        return nb::make_tuple(machine.model.name, machine.about, values);
      },
      "name_or_path"_a,
      "Name of a machine, what its file says about it, and (name, unit, value, "
      "source, description, minimum, maximum) of every parameter.");
  m.def(
      "verify",
      [](const nb::bytes &bytes) {
        lpu::Program program = take(lpu::readBinary(
            static_cast<const uint8_t *>(bytes.data()), bytes.size()));
        if (std::optional<lpu::Error> error = lpu::verify(program)) {
          raise(error->message, lpu::ErrorKind::Invalid);
        }
      },
      "data"_a, "Checks a .lpubin file; ValueError says what is wrong.");
}
