#pragma once

// What JSON allows inside a token, where simdjson is laxer than we are.

#include <string_view>

namespace {

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

enum class NumberForm { invalid, integer, other };

/// simdjson takes what its own conversions need; the grammar is checked here, over the whole token.
NumberForm number_form(std::string_view token) {
    const char *byte = token.data(), *end = byte + token.size();
    auto digits = [&] {
        const char *start = byte;
        while (byte < end && is_digit(*byte)) { byte++; }
        return byte > start;
    };
    if (byte < end && *byte == '-') { byte++; }
    bool zero = byte < end && *byte == '0';
    const char *start = byte;
    if (!digits() || (zero && byte - start > 1)) { return NumberForm::invalid; }
    if (byte == end) { return NumberForm::integer; }
    if (*byte == '.') {
        byte++;
        if (!digits()) { return NumberForm::invalid; }
    }
    if (byte < end && (*byte == 'e' || *byte == 'E')) {
        byte++;
        if (byte < end && (*byte == '+' || *byte == '-')) { byte++; }
        if (!digits()) { return NumberForm::invalid; }
    }
    return byte == end ? NumberForm::other : NumberForm::invalid;
}

/// Without the white space that simdjson counts as part of a token.
std::string_view trimmed(std::string_view token) {
    while (!token.empty() && is_space(token.back())) { token.remove_suffix(1); }
    return token;
}

int hex4(const char *digits) {
    int unit = 0;
    for (int place = 0; place < 4; place++) {
        char digit = digits[place];
        int value = is_digit(digit)                    ? digit - '0'
                    : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                    : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                   : -1;
        if (value < 0) { return -1; }
        unit = unit << 4 | value;
    }
    return unit;
}

/// simdjson 3.0 lets lone low surrogates through, and any unit after a high one.
bool escapes_are_sound(const char *byte, bool allows_nul) {
    for (; *byte != '"'; byte++) {
        if (*byte != '\\') { continue; }
        byte++;
        if (*byte != 'u') { continue; }
        int unit = hex4(byte + 1);
        byte += 4;
        if (unit < 0 || (unit == 0 && !allows_nul)) { return false; }
        if (unit < 0xD800 || unit > 0xDFFF) { continue; }
        if (unit > 0xDBFF || byte[1] != '\\' || byte[2] != 'u') { return false; }
        int low = hex4(byte + 3);
        if (low < 0xDC00 || low > 0xDFFF) { return false; }
        byte += 6;
    }
    return true;
}

} // namespace
