// Memory and launches on the host side, for the GPU or its emulation.
#pragma once

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.h"

#ifdef __CUDACC__

inline void check_cuda(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
    }
}

template <typename T>
T* device_allocate(size_t count) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, count * sizeof(T)), "allocating device memory");
    check_cuda(cudaMemset(memory, 0, count * sizeof(T)), "clearing device memory");
    return (T*)memory;
}
template <typename T>
void copy_to_device(T* to, const T* from, size_t count) {
    check_cuda(cudaMemcpy((void*)to, from, count * sizeof(T), cudaMemcpyHostToDevice), "copying to the device");
}
template <typename T>
void copy_from_device(T* to, const T* from, size_t count) {
    check_cuda(cudaMemcpy((void*)to, from, count * sizeof(T), cudaMemcpyDeviceToHost), "copying from the device");
}

// Runs a task on all warps and waits for it.
template <int H, typename Task>
void launch(const Setup& setup, const Task& task) {
    int bytes = (int)sizeof(BlockMemory);
    auto kernel = run_kernel<H, Task>;
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
    int blocks = (setup.warps + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
    kernel<<<blocks, WARPS_PER_BLOCK * LANES, bytes>>>(setup, task);
    check_cuda(cudaGetLastError(), "launching");
    check_cuda(cudaDeviceSynchronize(), "running");
}

// Returns the number of warps that are resident at once.
inline int resident_warps() {
    int multiprocessors = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "asking for the device");
    return multiprocessors * BLOCKS_PER_SM * WARPS_PER_BLOCK;
}

#else

template <typename T>
T* device_allocate(size_t count) {
    void* memory = aligned_alloc(64, (count * sizeof(T) + 127) / 64 * 64);
    if (!memory) {
        throw std::runtime_error("out of memory");
    }
    memset(memory, 0, count * sizeof(T));
    return (T*)memory;
}
template <typename T>
void copy_to_device(T* to, const T* from, size_t count) {
    memcpy((void*)to, (const void*)from, count * sizeof(T));
}
template <typename T>
void copy_from_device(T* to, const T* from, size_t count) {
    memcpy((void*)to, (const void*)from, count * sizeof(T));
}
template <int H, typename Task>
void launch(const Setup& setup, const Task& task) {
    run_emulated<H>(setup, task);
}
inline int resident_warps() { return 1; }

#endif

template <typename T>
T* to_device(const std::vector<T>& values) {
    T* memory = device_allocate<T>(values.size() + 1);
    copy_to_device(memory, values.data(), values.size());
    return memory;
}

template <typename T>
std::vector<T> from_device(const T* memory, size_t count) {
    std::vector<T> values(count);
    copy_from_device(values.data(), memory, count);
    return values;
}
