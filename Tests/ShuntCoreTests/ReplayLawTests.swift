import ShuntCore
import ShuntSchema
import TestSupport
import Testing

/// Laws 1, 2, 3, 7 and 8: whoever folds the same entries believes the same.
@Suite struct ReplayLawTests {
    @Test(arguments: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64])
    func `folding a journal again gives an equal state, digest and effects`(seed: UInt64) {
        let entries = RandomJournal.entries(seed: seed, count: 3000)
        let live = Fold(entries)
        let replay = Fold(entries)
        #expect(replay.state == live.state)
        #expect(replay.state.digest == live.state.digest)
        #expect(replay.effects == live.effects)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `random journals reach what they are meant to test`(seed: UInt64) {
        let fold = Fold(RandomJournal.entries(seed: seed, count: 5000))
        // What is told again, and what people do about it, needs more time: that is in AlertWalkTests.
        for input in [.warned, .pended, .crossed, .subsided, .switchDegraded, .switchRestored, .ruleChanged]
            as [AlertInput]
        {
            #expect(fold.effects.alertChanges.contains { $0.input == input }, "no alert was ever \(input)")
        }
        #expect(fold.effects.moves.contains { $0.to == .normal })
        #expect(fold.effects.moves.contains { $0.to == .degraded && !$0.scope.attributes.isEmpty })
        #expect(fold.effects.alertChanges.contains { $0.alert.group.map(\.value).contains("_other") })
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `a snapshot at every entry, and what follows it, equals the full replay`(seed: UInt64) throws {
        let entries = RandomJournal.entries(seed: seed, count: 160)
        let full = Fold(entries)
        var prefix = State()
        var before: [Effect] = []
        for (cut, entry) in entries.enumerated() {
            let restored = try State(decoding: prefix.encoded())
            try #require(restored == prefix, "snapshot before entry \(entry.seq)")
            let rest = Fold(entries[cut...], from: restored)
            try #require(rest.state == full.state, "cut before entry \(entry.seq)")
            try #require(before + rest.effects == full.effects, "cut before entry \(entry.seq)")
            before += prefix.apply(entry)
        }
    }

    /// A catalogue that takes the weight from some of the codes: without it other alerts fire.
    @Test(arguments: [4, 6, 7] as [UInt64])
    func `a snapshot keeps what codes mean`(seed: UInt64) throws {
        let entries = RandomJournal.entries(seed: seed, count: 600).map { entry in
            guard case .configured(var ruleSet) = entry.input else { return entry }
            ruleSet.catalogue = CatalogueSource.refusing(["0", "1", "2"], of: "verify")
            return Entry(seq: entry.seq, at: entry.at, input: .configured(ruleSet))
        }
        let full = Fold(entries)
        #expect(full.effects != Fold(RandomJournal.entries(seed: seed, count: 600)).effects)
        var fold = Fold([])
        for (number, entry) in entries.enumerated() {
            if number.isMultiple(of: 20) { fold.state = try State(decoding: fold.state.encoded()) }
            fold.effects += fold.state.apply(entry)
        }
        #expect(fold.state == full.state)
        #expect(fold.effects == full.effects)
    }

    @Test(arguments: [101, 102, 103] as [UInt64])
    func `a snapshot at random entries of a long journal changes nothing`(seed: UInt64) throws {
        let entries = RandomJournal.entries(seed: seed, count: 2500)
        let full = Fold(entries)
        var random = SeededGenerator(seed: seed)
        var fold = Fold([])
        for entry in entries {
            if random.oneIn(200) { fold.state = try State(decoding: fold.state.encoded()) }
            fold.effects += fold.state.apply(entry)
        }
        #expect(fold.state == full.state)
        #expect(fold.effects == full.effects)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func `how entries are split into commits, and what is asked between them, changes nothing`(seed: UInt64) {
        let entries = RandomJournal.entries(seed: seed, count: 1500)
        let whole = Fold(entries)
        var random = SeededGenerator(seed: seed)
        var split = Fold([])
        for entry in entries {
            if random.oneIn(3) {
                // Between two commits the engine looks whether something is due, and ticks if it believes so.
                let gapMs = Int64(random.below(50))
                let at = split.state.at.advanced(byMs: gapMs)
                let isDue = split.state.isDue(at: at)
                #expect(isDue == split.state.nextDeadline.map { $0 <= at } ?? false)
                if !isDue {
                    let effects = split.state.apply(Entry(seq: entry.seq, at: at, input: .tick))
                    #expect(effects.isEmpty)
                }
            }
            split.effects += split.state.apply(entry)
        }
        #expect(split.state == whole.state)
        #expect(split.effects == whole.effects)
    }

    @Test(arguments: [4, 9, 16] as [UInt64])
    func `reading leaves the state as it is`(seed: UInt64) {
        let entries = RandomJournal.entries(seed: seed, count: 400)
        let unread = Fold(entries)
        var read = Fold([])
        for entry in entries {
            let before = read.state.encoded()
            for environment in ["production", "sandbox", "nowhere"] {
                _ = read.state.document(environment: environment)
            }
            _ = read.state.switchView.movedEnvironments
            _ = read.state.openAlerts
            _ = read.state.nextDeadline
            _ = read.state.groupCount
            _ = read.state.digest
            _ = read.state.count(rule: "burst", group: ["production", "verify", "0"])
            _ = read.state.isDue(at: entry.at)
            #expect(read.state.encoded() == before)
            read.effects += read.state.apply(entry)
        }
        #expect(read.state == unread.state)
        #expect(read.effects == unread.effects)
    }
}
