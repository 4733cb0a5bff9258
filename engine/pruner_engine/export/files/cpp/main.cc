// Run the bundle from C++: build with `make`, then ask it with `./run_model --help`.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/module.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "model.h"  // inputs, weights, device, graphs, threads: written with the bundle

namespace ffi = tvm::ffi;

static const char* const kUsage =
    "./run_model                         one inference; float32 inputs are random, others zeros\n"
    "./run_model --bench 20              median latency of 20 inferences\n"
    "./run_model in0.bin in1.bin ...     raw inputs in the order of metadata.json; writes output0.bin, output1.bin ...\n"
    "\n"
    "TVM_NUM_THREADS sets the number of threads. The library is looked for in the folder above this program.\n";

static const DLDevice device{static_cast<DLDeviceType>(model::device_type), 0};

// The runtime's own allocation: aligned as the kernels expect, in the memory of the device.
static ffi::Tensor Allocate(const model::Spec& spec) {
  ffi::Function allocate = ffi::Function::GetGlobalRequired("runtime.TVMTensorAllocWithScope");
  return allocate(ffi::Shape(spec.shape), ffi::StringToDLDataType(spec.dtype), device, nullptr).cast<ffi::Tensor>();
}

static std::vector<char> Buffer(const ffi::Tensor& tensor) {
  return std::vector<char>(ffi::GetDataSize(*tensor.GetDLTensorPtr()));
}

static void Fill(const ffi::Tensor& tensor, std::vector<char>& bytes) {
  ffi::Function::GetGlobalRequired("runtime.TVMTensorCopyFromBytes")(tensor, static_cast<void*>(bytes.data()),
                                                                     bytes.size());
}

static std::vector<char> Fetch(const ffi::Tensor& tensor) {
  std::vector<char> bytes = Buffer(tensor);
  ffi::Function::GetGlobalRequired("runtime.TVMTensorCopyToBytes")(tensor, static_cast<void*>(bytes.data()),
                                                                   bytes.size());
  return bytes;
}

static void FillRandom(const ffi::Tensor& tensor) {
  std::mt19937 generator(0);
  std::normal_distribution<float> normal;
  std::vector<char> bytes = Buffer(tensor);
  if (tensor.dtype().code == kDLFloat && tensor.dtype().bits == 32) {
    std::generate_n(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float),
                    [&] { return normal(generator); });
  }
  Fill(tensor, bytes);
}

static void FillFrom(const ffi::Tensor& tensor, const std::string& path) {
  std::vector<char> bytes = Buffer(tensor);
  auto size = static_cast<std::streamsize>(bytes.size());
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() != size) {
    throw std::runtime_error(path + " must be a file of " + std::to_string(size) + " bytes");
  }
  file.seekg(0);
  if (!file.read(bytes.data(), size)) throw std::runtime_error(path + " cannot be read");
  Fill(tensor, bytes);
}

// The weights that stand beside the library, in the order in which it takes them.
static std::vector<ffi::Tensor> Weights(const std::filesystem::path& folder) {
  std::vector<ffi::Tensor> weights;
  if (model::weights.empty()) return weights;
  auto path = folder / model::weights_file;
  std::ifstream file(path, std::ios::binary);
  for (const model::Spec& spec : model::weights) {
    weights.push_back(Allocate(spec));
    std::vector<char> bytes = Buffer(weights.back());
    if (!file.seekg(spec.offset) || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      throw std::runtime_error(path.string() + " cannot be read, or is too short");
    }
    Fill(weights.back(), bytes);
  }
  return weights;
}

static void Write(const std::vector<char>& bytes, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
    throw std::runtime_error(path + " cannot be written");
  }
}

// Kernels of a GPU run on while the program goes on.
static void Wait() { ffi::Function::GetGlobalRequired("runtime.Device_StreamSync")(device, 0); }

// Where a GPU's work cannot be recorded as graphs, what each stands for is called kernel by kernel.
static void CallWithoutGraphs() {
  ffi::Function invoke = ffi::Function::GetGlobalRequired("vm.builtin.invoke_closure");
  auto call = [invoke](ffi::PackedArgs recorded, ffi::Any* result) {  // machine, what would be recorded, its arguments
    auto given = recorded[2].cast<ffi::Array<ffi::Any>>();
    std::vector<ffi::AnyView> packed{recorded[0], recorded[1]};
    packed.insert(packed.end(), given.begin(), given.end());
    invoke.CallPacked(packed.data(), static_cast<int32_t>(packed.size()), result);
  };
  ffi::Function::SetGlobal("vm.builtin.cuda_graph.run_or_capture", ffi::Function::FromPacked(call), /*override=*/true);
}

static std::vector<ffi::Tensor> Outputs(const ffi::Any& result) {
  if (auto one = result.as<ffi::Tensor>()) return {*one};
  auto many = result.cast<ffi::Array<ffi::Tensor>>();
  return {many.begin(), many.end()};
}

// This program, also where the shell found it by PATH.
static std::filesystem::path Program(const std::string& name) {
  const std::filesystem::path self = "/proc/self/exe";
  return std::filesystem::canonical(std::filesystem::exists(self) ? self : std::filesystem::path(name));
}

static int Run(const std::string& program, const std::vector<std::string>& arguments) {
  auto processors = static_cast<int>(std::thread::hardware_concurrency());
  int threads = processors > 0 ? std::min<int>(model::threads, processors) : model::threads;
  setenv("TVM_NUM_THREADS", std::to_string(threads).c_str(), /*overwrite=*/0);
  // Bound to the first processors, threads would share cores where those are siblings, or another program's.
  setenv("TVM_BIND_THREADS", "0", /*overwrite=*/0);
  // Of several GPUs the first on the bus is meant, as while the model was tuned; by itself CUDA begins with the fastest.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);
  if (!model::graphs) CallWithoutGraphs();
  auto folder = Program(program).parent_path().parent_path();
  ffi::Module loaded = ffi::Module::LoadFromFile((folder / "model.so").string());
  ffi::Module machine = (*loaded->GetFunction("vm_load_executable"))().cast<ffi::Module>();
  constexpr int kPooled = 2;  // freed memory is kept for the next inference
  ffi::Function initialize = *machine->GetFunction("vm_initialization");
  int type = model::device_type, cpu = kDLCPU;
  if (type == cpu) {
    initialize(cpu, 0, kPooled);
  } else {
    initialize(type, 0, kPooled, cpu, 0, kPooled);
  }
  ffi::Function infer = *machine->GetFunction("main");

  if (!arguments.empty() && arguments[0].rfind("-", 0) == 0 && arguments[0] != "--bench") {
    throw std::runtime_error("there is no option " + arguments[0] + "\n\n" + kUsage);
  }
  bool bench = !arguments.empty() && arguments[0] == "--bench";
  int repeats = bench && arguments.size() > 1 ? std::atoi(arguments[1].c_str()) : 20;
  if (repeats < 1) throw std::runtime_error("--bench takes a number of 1 or more");
  if (!bench && !arguments.empty() && arguments.size() != model::inputs.size()) {
    throw std::runtime_error("the model takes " + std::to_string(model::inputs.size()) + " input files");
  }
  std::vector<ffi::Tensor> inputs;
  for (const model::Spec& input : model::inputs) {
    inputs.push_back(Allocate(input));
    if (bench || arguments.empty()) {
      FillRandom(inputs.back());
    } else {
      FillFrom(inputs.back(), arguments[inputs.size() - 1]);
    }
  }
  std::vector<ffi::Tensor> weights = Weights(folder);
  std::vector<ffi::AnyView> packed(inputs.begin(), inputs.end());
  packed.insert(packed.end(), weights.begin(), weights.end());
  auto call = [&] {
    ffi::Any result;
    infer.CallPacked(packed.data(), static_cast<int32_t>(packed.size()), &result);
    return result;
  };

  std::vector<ffi::Tensor> outputs = Outputs(call());
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::cout << "output " << i << ": " << outputs[i].shape() << " " << outputs[i].dtype() << "\n";
    if (!bench && !arguments.empty()) Write(Fetch(outputs[i]), "output" + std::to_string(i) + ".bin");
  }
  if (bench) {
    std::vector<double> milliseconds;
    for (int i = 0; i < repeats; ++i) {
      auto started = std::chrono::steady_clock::now();
      call();
      Wait();
      milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count());
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::cout << "latency: " << milliseconds[milliseconds.size() / 2] << " ms median\n";
  }
  return 0;
}

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::cout << kUsage;
    return 0;
  }
  try {
    return Run(argv[0], arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
