import ShuntCore
import ShuntNative
import ShuntSchema
import Testing

@testable import ShuntServer

/// The documents that polls are served from.
@Suite struct BoardTests {
    private let board = Board()

    /// A state in which these environments were tripped, in this order.
    private func state(tripped environments: [String], region: String? = nil) -> State {
        var state = State()
        var seq: UInt64 = 0
        func apply(_ input: Input) {
            seq += 1
            _ = state.apply(Entry(seq: seq, at: Moment.noon, input: input))
        }
        apply(.founded(epoch: "test"))
        apply(.configured(.builtIn))
        for environment in environments {
            let attributes = region.map { [ScopeAttribute(name: "region", value: $0)] } ?? []
            let scope = Scope(environment: environment, attributes: attributes)
            apply(.command(SwitchCommand(action: .trip, key: "apple-pay", scope: scope, actor: "a", reason: "r")))
        }
        return state
    }

    @Test func `there is nothing before the first publication`() {
        #expect(board.document(environment: "production") == nil)
        #expect(board.documents.isEmpty)
    }

    @Test func `an environment that never moved is normal, at the first version`() throws {
        board.publish(state(tripped: []))
        for environment in ["production", "sandbox", "ä \" \u{1}"] {
            let document = try #require(board.document(environment: environment)).document
            #expect(document.environment == environment)
            #expect(document.version == SwitchBank.firstVersion)
            #expect(document.switches.map(\.state) == [.normal])
            #expect(document.switches.map(\.variant) == ["native"])
        }
    }

    @Test func `a move of one environment changes no other's document`() throws {
        board.publish(state(tripped: ["sandbox"]))
        let production = try #require(board.document(environment: "production"))
        let sandbox = try #require(board.document(environment: "sandbox"))
        board.publish(state(tripped: ["sandbox", "test"]))
        #expect(board.document(environment: "production")?.whole.etag == production.whole.etag)
        #expect(board.document(environment: "sandbox")?.whole.etag == sandbox.whole.etag)
        #expect(board.document(environment: "sandbox")?.whole.found === sandbox.whole.found)
        #expect(board.document(environment: "test")?.version == 3)
        #expect(production.version == 1 && sandbox.version == 2)
    }

    @Test func `a document follows its switch there and back`() throws {
        var state = state(tripped: ["production"])
        board.publish(state)
        let degraded = try #require(board.document(environment: "production"))
        #expect(degraded.document.switches.map(\.variant) == ["web"])
        let scope = Scope(environment: "production")
        let restore = SwitchCommand(action: .restore, key: "apple-pay", scope: scope, actor: "a", reason: "r")
        _ = state.apply(Entry(seq: state.seq + 1, at: Moment.noon, input: .command(restore)))
        board.publish(state)
        let restored = try #require(board.document(environment: "production"))
        #expect(restored.document.switches.map(\.variant) == ["native"])
        #expect(restored.version == 3)
        #expect(restored.whole.etag != degraded.whole.etag)
    }

    @Test func `other switches make other documents, though no version moved`() throws {
        board.publish(state(tripped: []))
        var rules = RuleSet.builtIn
        rules.switches.append(SwitchDefinition(key: "card", normalVariant: "form", degradedVariant: "hosted"))
        var changed = state(tripped: [])
        _ = changed.apply(Entry(seq: 3, at: Moment.noon, input: .configured(rules)))
        board.publish(changed)
        #expect(board.document(environment: "production")?.document.switches.count == 2)
        #expect(board.document(environment: "production")?.representation(of: "card") != nil)
    }

    @Test func `equal bodies have equal tags, different ones don't`() throws {
        board.publish(state(tripped: ["sandbox"]))
        let first = try #require(board.document(environment: "calm"))
        let again = try #require(board.document(environment: "calm"))
        #expect(first.whole.etag == again.whole.etag)
        #expect(first.whole.found.body == again.whole.found.body)
        let other = Board()
        other.publish(state(tripped: ["sandbox"]))
        #expect(other.document(environment: "calm")?.whole.etag == first.whole.etag)
        let tags = ["calm", "calmer", "production", "sandbox"].compactMap {
            board.document(environment: $0)?.whole.etag
        }
        #expect(Set(tags).count == 4)
        #expect(first.whole.etag != first.representation(of: "apple-pay")?.etag)
    }

    @Test func `a representation answers a validator`() throws {
        board.publish(state(tripped: []))
        let whole = try #require(board.document(environment: "production")).whole
        #expect(whole.reply(ifNoneMatch: nil).status == 200)
        #expect(whole.reply(ifNoneMatch: "\"other\"").status == 200)
        #expect(whole.reply(ifNoneMatch: "\"x\", W/\(whole.etag)").status == 304)
        #expect(whole.reply(ifNoneMatch: "*").status == 304)
        #expect(whole.notModified.headers.contains { $0.name == "ETag" && $0.value == whole.etag })
        #expect(whole.notModified.headers.contains { $0.name == "Cache-Control" })
        #expect(whole.etag.hasPrefix("\"") && whole.etag.hasSuffix("\""))
    }

    @Test func `unheard-of environments are served without being kept`() throws {
        board.publish(state(tripped: ["sandbox"]))
        for number in 0..<(Board.maximumCalmEnvironments * 3) {
            #expect(board.document(environment: "calm-\(number)")?.version == SwitchBank.firstVersion)
        }
        #expect(board.documents.count == Board.maximumCalmEnvironments + 2)
        board.publish(state(tripped: ["sandbox", "calm-0"]))
        #expect(board.documents.map(\.environment) == ["calm-0", "production", "sandbox"])
        #expect(board.document(environment: "calm-0")?.version == 3)
    }

    @Test func `an environment's standing is that of its document, and makes none`() throws {
        #expect(board.standing(of: "production") == (1, 60))
        board.publish(state(tripped: ["sandbox"]))
        for (environment, expected) in [("production", (1, 60)), ("sandbox", (2, 15)), ("calm", (1, 60))] {
            let standing = board.standing(of: environment)
            #expect(standing == (UInt64(expected.0), Int64(expected.1)))
        }
        #expect(board.documents.map(\.environment) == ["production", "sandbox"])
        for environment in ["production", "sandbox", "calm"] {
            let document = try #require(board.document(environment: environment)).document
            #expect(board.standing(of: environment) == (document.version, document.pollAfterSec))
        }
    }

    @Test func `an environment that was kept calm shows its move at once`() throws {
        board.publish(state(tripped: []))
        #expect(board.document(environment: "sandbox")?.document.switches.first?.state == .normal)
        board.publish(state(tripped: ["sandbox"]))
        #expect(board.document(environment: "sandbox")?.document.switches.first?.state == .degraded)
    }

    @Test func `reading while publishing never shows a version go back`() {
        let states = (0...60).map { state(tripped: (0..<$0).map { "environment-\($0)" } + ["production"]) }
        board.publish(states[0])
        let failures = FailureCount()
        let board = board
        let read: @Sendable () -> Void = {
            var last: UInt64 = 0
            for turn in 0..<3000 {
                let version = board.document(environment: "production")?.version ?? 0
                if version < last { failures.add() }
                last = version
                if board.document(environment: "calm-\(turn % 200)") == nil { failures.add() }
            }
        }
        let first = WorkerThread(read)
        let second = WorkerThread(read)
        for state in states { board.publish(state) }
        first.join()
        second.join()
        #expect(failures.count == 0)
        #expect(board.document(environment: "production")?.version == 62)
    }

    @Test func `a thousand environments can move, and publishing stays quick`() {
        let many = state(tripped: (0..<SwitchBank.maximumMachines).map { "environment-\($0)" })
        board.publish(many)
        #expect(board.documents.count == SwitchBank.maximumMachines + 1)
        let kept = board.document(environment: "environment-7")?.whole.found
        let beganNs = HTTPClock.nowNanoseconds
        for _ in 0..<3 { board.publish(many) }
        #expect(board.document(environment: "environment-7")?.whole.found === kept)
        // In a debug build each took many seconds when every document was made anew.
        #expect(HTTPClock.nowNanoseconds - beganNs < 10_000_000_000)
    }
}
