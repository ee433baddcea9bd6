import Testing

/// Everything that starts the real daemon. One scenario at a time: two cores carry a debug build, its clients, and
/// the unit tests beside them, and some scenarios have a bound in seconds.
@Suite(.serialized)
enum EndToEnd {}
