import Glibc

/// Milliseconds of processor time that this process has used.
func processorTimeMs() -> Int { clock() * 1000 / Int(CLOCKS_PER_SEC) }

/// Takes all descriptors that the process may have but one, and gives them.
func exhaustDescriptors() -> [Int32] {
    var taken: [Int32] = []
    while true {
        let descriptor = dup(2)
        guard descriptor >= 0 else { break }
        taken.append(descriptor)
    }
    if let last = taken.popLast() { close(last) }
    return taken
}

/// Gives descriptors back.
func release(_ descriptors: [Int32]) {
    for descriptor in descriptors { close(descriptor) }
}
