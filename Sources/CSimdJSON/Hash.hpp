#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace {

uint64_t seed() {
    static const uint64_t value = [] {
        uint64_t random = 0;
        // A kernel without entropy leaves the seed guessable, not the answers wrong.
        (void)!getentropy(&random, sizeof random);
        return random | 1;
    }();
    return value;
}

uint64_t load8(const uint8_t *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t load4(const uint8_t *bytes) {
    uint32_t word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t mix(uint64_t one, uint64_t other) {
    auto product = static_cast<unsigned __int128>(one) * other;
    return uint64_t(product) ^ uint64_t(product >> 64);
}

/// Seeded, because whoever can choose keys must not be able to choose collisions. Short keys cost one multiplication,
/// and their two halves overlap, since a copy of variable length would be a call.
uint32_t hash(const uint8_t *bytes, size_t length, uint64_t seed) {
    const uint8_t *end = bytes + length;
    uint64_t state = seed ^ length * 0x9E3779B97F4A7C15u;
    for (; end - bytes > 16; bytes += 16) { state = mix(load8(bytes) ^ state, load8(bytes + 8) ^ seed); }
    uint64_t head = 0, tail = 0;
    if (end - bytes >= 8) {
        head = load8(bytes);
        tail = load8(end - 8);
    } else if (end - bytes >= 4) {
        head = load4(bytes);
        tail = load4(end - 4);
    } else if (end > bytes) {
        head = uint64_t(bytes[0]) << 16 | uint64_t(bytes[(end - bytes) / 2]) << 8 | end[-1];
    }
    state = mix(head ^ state, tail ^ 0xD1B54A32D192ED03u);
    return uint32_t(state ^ state >> 32);
}

} // namespace
