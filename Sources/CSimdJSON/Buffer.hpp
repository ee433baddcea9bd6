#pragma once

#include <cstdlib>
#include <cstring>

/// A growable, uninitialised array: std::vector would write zeros before we write values.
template <typename Element> class Buffer {
  public:
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { std::free(elements); }

    /// Makes room for that many elements and keeps the first `used`; false without memory.
    bool reserve(size_t wanted, size_t used = 0) {
        if (wanted <= capacity) { return true; }
        size_t grown = capacity + capacity / 2;
        if (grown < wanted) { grown = wanted; }
        auto *fresh = static_cast<Element *>(std::malloc(grown * sizeof(Element)));
        if (fresh == nullptr) { return false; }
        if (used > 0) { std::memcpy(fresh, elements, used * sizeof(Element)); }
        std::free(elements);
        elements = fresh;
        capacity = grown;
        return true;
    }

    void release() {
        std::free(elements);
        elements = nullptr;
        capacity = 0;
    }

    Element *elements = nullptr;
    size_t capacity = 0;
};
