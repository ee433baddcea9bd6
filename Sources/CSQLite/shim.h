#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast macro, which Swift can't import: SQLite copies what is bound.
static inline int shunt_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}
static inline int shunt_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
// For bytes that outlive the statement's next step: nothing is copied.
static inline int shunt_bind_borrowed_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                           sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_STATIC);
}
