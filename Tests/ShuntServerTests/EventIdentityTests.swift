import TestSupport
import Testing

@testable import ShuntServer

/// What an event is recognised by, and how long it is remembered.
@Suite struct EventIdentityTests {
    @Test func `a canonical UUID is its own 128 bits`() {
        let identity = EventIdentity(eventId: "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(identity == EventIdentity(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
    }

    @Test(arguments: [
        "", "a", "order-1", "01234567-89AB-cdef-fedc-ba9876543210", "01234567-89ab-cdef-fedc-ba987654321",
        "01234567-89ab-cdef-fedc-ba98765432101", "0123456789abcdeffedcba9876543210",
        "g1234567-89ab-cdef-fedc-ba9876543210",
        "01234567x89ab-cdef-fedc-ba9876543210", "éééééééééééééééééé", "{01234567-89ab-cdef-fedc-ba98765432",
    ])
    func `anything else is the front of its SHA-256`(text: String) {
        let identity = EventIdentity(eventId: text)
        #expect(identity != EventIdentity(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
        #expect(identity == EventIdentity(eventId: text))
    }

    @Test func `the front of a known digest`() {
        // SHA-256 of "abc", FIPS 180-4.
        #expect(EventIdentity(eventId: "abc") == EventIdentity(high: 0xba78_16bf_8f01_cfea, low: 0x4141_40de_5dae_2223))
    }

    @Test func `ids that differ in anything are told apart`() {
        let texts = (0..<2000).map { "id-\($0)" } + (0..<10).map { "0000000\($0)-0000-0000-0000-000000000000" }
        #expect(Set(texts.map(EventIdentity.init(eventId:))).count == texts.count)
    }

    // MARK: The recent ones

    private func identity(_ number: Int) -> EventIdentity { EventIdentity(high: 0, low: UInt64(number)) }

    @Test(arguments: [1, 2, 3, 7])
    func `exactly as many are remembered as there is room for`(capacity: Int) {
        var recent = RecentIdentities(capacity: capacity)
        for number in 0..<(3 * capacity + 1) {
            #expect(!recent.contains(identity(number)))
            recent.insert(identity(number))
            for earlier in 0...number {
                #expect(
                    recent.contains(identity(earlier)) == (earlier > number - capacity),
                    "\(earlier) after \(number)"
                )
            }
            #expect(recent.count == min(number + 1, capacity))
        }
    }

    @Test func `one that is known takes no second place`() {
        var recent = RecentIdentities(capacity: 2)
        for number in [1, 2, 1, 1, 1] { recent.insert(identity(number)) }
        #expect(recent.contains(identity(1)) && recent.contains(identity(2)))
        recent.insert(identity(3))
        #expect(!recent.contains(identity(1)))
        #expect(recent.contains(identity(2)) && recent.contains(identity(3)))
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `it equals a plain list of the last distinct ones`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = 1 + random.below(40)
        var recent = RecentIdentities(capacity: capacity)
        var model: [Int] = []
        for _ in 0..<5000 {
            let number = random.below(capacity * 2)
            if !model.contains(number) {
                model.append(number)
                if model.count > capacity { model.removeFirst() }
            }
            recent.insert(identity(number))
            let asked = random.below(capacity * 2)
            if recent.contains(identity(asked)) != model.contains(asked) { Issue.record("\(asked) with \(model)") }
            if recent.count != model.count { Issue.record("\(recent.count) of \(model.count)") }
        }
    }
}
