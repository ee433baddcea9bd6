#include "CSimdJSON.h"

// simdjson's assumptions are assertions without NDEBUG: test builds check them, release builds don't pay for them.
#ifndef DEBUG
#define NDEBUG 1
#endif
#include <simdjson.h>

#include "Buffer.hpp"
#include "Grammar.hpp"
#include "Hash.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

using namespace simdjson;

constexpr size_t padding = SIMDJSON_PADDING;

struct csj_document {
    explicit csj_document(csj_limits limits) : limits(limits), hash_seed(seed()) {}

    csj_status parse(const uint8_t *input, size_t count);

    csj_limits limits;
    uint64_t hash_seed;
    ondemand::parser parser;
    /// The input, zeroed padding (an unbalanced document must meet a byte that is no bracket), and behind them the
    /// strings that had to be unescaped. Those without a backslash stay where they are in the input.
    Buffer<uint8_t> bytes;
    size_t length = 0;
    uint8_t *unescaped_end = nullptr;
    Buffer<csj_node> nodes;
    uint32_t node_count = 0;
    /// Scratch for finding equal keys.
    Buffer<uint32_t> slots;
    bool has_backslash = false;
    bool lacks_memory = false;

  private:
    bool reserve(size_t wanted);
    bool walk_root(ondemand::document &root);
    bool walk(ondemand::document &root, ondemand::value &value, std::string_view token, csj_node &node, uint32_t depth);
    template <typename Holder> bool walk_scalar(Holder &holder, std::string_view token, csj_node &node);
    bool walk_array(ondemand::document &root, ondemand::value &value, uint32_t depth, uint32_t &count);
    bool walk_object(ondemand::document &root, ondemand::value &value, uint32_t depth, uint32_t &count);
    csj_node *append();
    bool take_string(ondemand::raw_json_string raw, size_t raw_length, uint32_t &offset, uint32_t &count);
    bool has_equal_keys(uint32_t first, uint32_t count);
    bool is_same_key(const csj_node &one, const csj_node &other) const;
    uint32_t offset_of(const char *byte) const { return uint32_t(byte - reinterpret_cast<char *>(bytes.elements)); }
    uint32_t end_of_container(ondemand::document &root) const;
};

csj_status csj_document::parse(const uint8_t *input, size_t count) {
    node_count = 0;
    lacks_memory = false;
    if (count > limits.bytes) { return CSJ_REFUSED; }
    if (!reserve(count)) { return CSJ_OUT_OF_MEMORY; }
    length = count;
    if (count > 0) { std::memcpy(bytes.elements, input, count); }
    std::memset(bytes.elements + count, 0, padding);
    has_backslash = std::memchr(bytes.elements, '\\', count) != nullptr;
    unescaped_end = bytes.elements + count + padding;

    ondemand::document root;
    auto error = parser.iterate(bytes.elements, count, count + padding).get(root);
    if (error == MEMALLOC) { return CSJ_OUT_OF_MEMORY; }
    if (error == SUCCESS && walk_root(root)) { return CSJ_ACCEPTED; }
    node_count = 0;
    return lacks_memory ? CSJ_OUT_OF_MEMORY : CSJ_REFUSED;
}

bool csj_document::reserve(size_t wanted) {
    // Unescaped text is never longer than its source, but simdjson writes it in whole vectors.
    if (!bytes.reserve(2 * (wanted + padding))) { return false; }
    if (parser.capacity() >= wanted && parser.capacity() > 0) { return true; }
    // simdjson would allocate exactly, and again for each document a byte longer than the last.
    size_t rounded = 4096;
    while (rounded < wanted) { rounded *= 2; }
    return parser.allocate(rounded) == SUCCESS;
}

csj_node *csj_document::append() {
    if (node_count >= limits.values) { return nullptr; }
    if (node_count == nodes.capacity && !nodes.reserve(size_t(node_count) + 256, node_count)) {
        lacks_memory = true;
        return nullptr;
    }
    csj_node *node = nodes.elements + node_count++;
    node->next = node_count;
    return node;
}

bool csj_document::walk_root(ondemand::document &root) {
    std::string_view token;
    if (root.raw_json_token().get(token) != SUCCESS || token.empty()) { return false; }
    csj_node *node = append();
    if (node == nullptr) { return false; }
    node->key_offset = node->key_length = node->key_hash = 0;
    if (token[0] == '{' || token[0] == '[') {
        ondemand::value value;
        if (root.get_value().get(value) != SUCCESS || !walk(root, value, token, *node, 1)) { return false; }
        // Whatever has a location behind the root is trailing.
        return root.current_location().error() == OUT_OF_BOUNDS;
    }
    // simdjson doesn't hand scalar documents out as values; its own root getters are lax about what follows.
    bool is_alone = offset_of(token.data()) + token.size() == length;
    return is_alone && walk_scalar(root, token, *node);
}

bool csj_document::walk(
    ondemand::document &root, ondemand::value &value, std::string_view token, csj_node &node, uint32_t depth
) {
    if (token[0] != '{' && token[0] != '[') { return walk_scalar(value, token, node); }

    // The array of nodes may move while the children are read.
    const size_t index = size_t(&node - nodes.elements);
    const bool is_object = token[0] == '{';
    uint32_t count = 0;
    node.kind = is_object ? CSJ_OBJECT : CSJ_ARRAY;
    node.source_start = offset_of(token.data());
    if (depth > limits.depth) { return false; }
    if (!(is_object ? walk_object(root, value, depth, count) : walk_array(root, value, depth, count))) { return false; }
    csj_node &same = nodes.elements[index];
    same.bits = count;
    same.next = node_count;
    same.source_end = end_of_container(root);
    return !is_object || !has_equal_keys(uint32_t(index) + 1, count);
}

/// A value inside a container, or the document itself: the getters have the same names.
template <typename Holder> bool csj_document::walk_scalar(Holder &holder, std::string_view token, csj_node &node) {
    token = trimmed(token);
    node.source_start = offset_of(token.data());
    node.source_end = node.source_start + uint32_t(token.size());
    switch (token.empty() ? 0 : token[0]) {
    case '"': {
        ondemand::raw_json_string raw;
        uint32_t offset = 0, count = 0;
        if (token.size() < 2 || token.back() != '"') { return false; }
        if (holder.get_raw_json_string().get(raw) != SUCCESS) { return false; }
        if (!take_string(raw, token.size() - 2, offset, count)) { return false; }
        node.kind = CSJ_STRING;
        node.bits = uint64_t(count) << 32 | offset;
        return true;
    }
    case 't':
    case 'f': {
        bool truth = false;
        if (holder.get_bool().get(truth) != SUCCESS || token != (truth ? "true" : "false")) { return false; }
        node.kind = truth ? CSJ_TRUE : CSJ_FALSE;
        return true;
    }
    case 'n':
        // Only to step over it: for a scalar document the answer is unreliable.
        (void)holder.is_null().error();
        node.kind = CSJ_NULL;
        return token == "null";
    default: {
        const NumberForm form = number_form(token);
        if (form == NumberForm::invalid) { return false; }
        int64_t integer = 0;
        if (form == NumberForm::integer && holder.get_int64().get(integer) == SUCCESS) {
            node.kind = CSJ_INTEGER;
            node.bits = uint64_t(integer);
            return true;
        }
        double number = 0;
        if (holder.get_double().get(number) != SUCCESS) { number = std::numeric_limits<double>::quiet_NaN(); }
        node.kind = CSJ_NUMBER;
        std::memcpy(&node.bits, &number, sizeof number);
        return true;
    }
    }
}

bool csj_document::walk_array(ondemand::document &root, ondemand::value &value, uint32_t depth, uint32_t &count) {
    ondemand::array array;
    if (value.get_array().get(array) != SUCCESS) { return false; }
    for (auto element : array) {
        ondemand::value child;
        if (std::move(element).get(child) != SUCCESS) { return false; }
        csj_node *node = append();
        if (node == nullptr) { return false; }
        node->key_offset = node->key_length = node->key_hash = 0;
        if (!walk(root, child, child.raw_json_token(), *node, depth + 1)) { return false; }
        count++;
    }
    return true;
}

bool csj_document::walk_object(ondemand::document &root, ondemand::value &value, uint32_t depth, uint32_t &count) {
    ondemand::object object;
    if (value.get_object().get(object) != SUCCESS) { return false; }
    for (auto member : object) {
        ondemand::field field;
        if (std::move(member).get(field) != SUCCESS) { return false; }
        csj_node *node = append();
        if (node == nullptr) { return false; }
        const ondemand::raw_json_string key = field.key();
        const std::string_view token = field.value().raw_json_token();
        // simdjson gives no end of a key, but it has seen the quote and the colon that lie before the value.
        const char *end = token.data() - 1;
        while (*end != '"') { end--; }
        if (!take_string(key, size_t(end - key.raw()), node->key_offset, node->key_length)) { return false; }
        node->key_hash = hash(bytes.elements + node->key_offset, node->key_length, hash_seed);
        if (!walk(root, field.value(), token, *node, depth + 1)) { return false; }
        count++;
    }
    return true;
}

bool csj_document::take_string(
    ondemand::raw_json_string raw, size_t raw_length, uint32_t &offset, uint32_t &count
) {
    if (!has_backslash || std::memchr(raw.raw(), '\\', raw_length) == nullptr) {
        offset = offset_of(raw.raw());
        count = uint32_t(raw_length);
        return true;
    }
    std::string_view unescaped;
    if (parser.unescape(raw, unescaped_end).get(unescaped) != SUCCESS) { return false; }
    offset = offset_of(unescaped.data());
    count = uint32_t(unescaped.size());
    return escapes_are_sound(raw.raw(), limits.allows_nul != 0);
}

uint32_t csj_document::end_of_container(ondemand::document &root) const {
    // simdjson says where the next token starts, not where the container ended.
    const char *start = reinterpret_cast<const char *>(bytes.elements);
    const char *next = nullptr;
    if (root.current_location().get(next) != SUCCESS) { next = start + length; }
    while (next > start && is_space(next[-1])) { next--; }
    return offset_of(next);
}

bool csj_document::is_same_key(const csj_node &one, const csj_node &other) const {
    return one.key_hash == other.key_hash && one.key_length == other.key_length &&
           csj_equal(bytes.elements + one.key_offset, bytes.elements + other.key_offset, one.key_length);
}

bool csj_document::has_equal_keys(uint32_t first, uint32_t count) {
    if (count < 2) { return false; }
    size_t size = 4;
    while (size < size_t(count) * 2) { size *= 2; }
    if (!slots.reserve(size)) {
        lacks_memory = true;
        return true;
    }
    std::memset(slots.elements, 0, size * sizeof(uint32_t));
    uint32_t index = first;
    for (uint32_t member = 0; member < count; member++) {
        const csj_node &node = nodes.elements[index];
        size_t slot = node.key_hash & (size - 1);
        // The root is node 0 and no member, so 0 can mean a free slot.
        while (slots.elements[slot] != 0) {
            if (is_same_key(nodes.elements[slots.elements[slot]], node)) { return true; }
            slot = (slot + 1) & (size - 1);
        }
        slots.elements[slot] = index;
        index = node.next;
    }
    return false;
}

csj_document *csj_create(csj_limits limits) { return new (std::nothrow) csj_document(limits); }

void csj_destroy(csj_document *document) { delete document; }

csj_status csj_parse(csj_document *document, const uint8_t *bytes, size_t length, csj_view *view) {
    auto status = document->parse(bytes, length);
    *view = {document->nodes.elements, document->node_count, document->bytes.elements};
    return status;
}

void csj_trim(csj_document *document) {
    document->parser = ondemand::parser();
    document->bytes.release();
    document->nodes.release();
    document->slots.release();
}

uint32_t csj_hash(const uint8_t *bytes, size_t length) { return hash(bytes, length, seed()); }
