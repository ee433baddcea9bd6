#pragma once

// A C face over simdjson's on-demand parser: one strict walk turns a document into a flat array of nodes.
// It says only whether a document is accepted; the Swift side finds out where and why one isn't.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a node holds.
typedef enum csj_kind {
    CSJ_NULL = 0,
    CSJ_FALSE = 1,
    CSJ_TRUE = 2,
    CSJ_INTEGER = 3,
    CSJ_NUMBER = 4,
    CSJ_STRING = 5,
    CSJ_ARRAY = 6,
    CSJ_OBJECT = 7
} csj_kind;

/// One value. Nodes lie in document order, so the first child of a container is the node after it.
typedef struct csj_node {
    /// The node after this value and all that is inside it.
    uint32_t next;
    /// The member's key; zero length outside an object.
    uint32_t key_offset;
    uint32_t key_length;
    uint32_t key_hash;
    /// The value as it was sent.
    uint32_t source_start;
    uint32_t source_end;
    /// INTEGER: the value. NUMBER: the double, NaN if it's beyond the range. STRING: offset | length << 32. ARRAY,
    /// OBJECT: the number of children.
    uint64_t bits;
    /// A csj_kind.
    uint8_t kind;
} csj_node;

/// How a parse ended.
typedef enum csj_status {
    CSJ_ACCEPTED = 0,
    CSJ_REFUSED = 1,
    CSJ_OUT_OF_MEMORY = 2
} csj_status;

/// What a document may ask for.
typedef struct csj_limits {
    uint32_t depth;
    uint32_t values;
    uint32_t bytes;
    uint8_t allows_nul;
} csj_limits;

/// The buffers of the last accepted document. They move at the next parse.
typedef struct csj_view {
    const csj_node *nodes;
    uint32_t node_count;
    /// What all offsets count from.
    const uint8_t *bytes;
} csj_view;

/// A reusable parser with its buffers. Not to be used by two threads at once.
typedef struct csj_document csj_document;

/// A new parser, or null without memory.
csj_document *csj_create(csj_limits limits);

/// Frees the parser and its buffers.
void csj_destroy(csj_document *document);

/// Copies the bytes, parses them and writes the view, which is empty unless the document is accepted.
csj_status csj_parse(csj_document *document, const uint8_t *bytes, size_t length, csj_view *view);

/// Gives the memory of big documents back. The view dies.
void csj_trim(csj_document *document);

/// The hash that nodes carry for their keys. It differs from process to process.
uint32_t csj_hash(const uint8_t *bytes, size_t length);

/// Whether two runs of bytes of equal length are the same. For the short words that keys are, loads beat a call.
static inline uint8_t csj_equal(const uint8_t *one, const uint8_t *other, size_t length) {
    uint64_t left, right;
    if (length < 8) {
        for (size_t index = 0; index < length; index++) {
            if (one[index] != other[index]) { return 0; }
        }
        return 1;
    }
    for (size_t index = 0; index + 8 < length; index += 8) {
        memcpy(&left, one + index, 8);
        memcpy(&right, other + index, 8);
        if (left != right) { return 0; }
    }
    memcpy(&left, one + length - 8, 8);
    memcpy(&right, other + length - 8, 8);
    return left == right;
}

#ifdef __cplusplus
}
#endif
