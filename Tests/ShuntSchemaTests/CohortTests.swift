import ShuntSchema
import Testing

@Suite struct CohortTests {
    /// Reckoned by another program: MurmurHash3 x86 of 32 bits, seed 0, of `salt:install`, modulo 10,000. The same
    /// rows stand in docs/api.md.
    private static let vectors: [(salt: String, installId: String, bucket: UInt32)] = [
        ("", "", 7430),
        ("a", "b", 2131),
        ("5f1c0a9be2d34477", "install-1", 6889),
        ("5f1c0a9be2d34477", "install-2", 6045),
        ("5f1c0a9be2d34477", "install-3", 7335),
        ("5f1c0a9be2d34477", "install-37", 899),
        ("00000000000000ff", "install-1", 4409),
        ("5f1c0a9be2d34477", "0190f3a2-77aa-7c3e-9d1b-6a1f0e2b4c55", 9806),
        ("盐", "安装-1", 7188),
        ("s", "é", 7214),
    ]

    @Test(arguments: vectors)
    func `an install's bucket is the same in every client`(salt: String, installId: String, bucket: UInt32) {
        #expect(Cohort.bucket(installId: installId, salt: salt) == bucket)
    }

    @Test func `a share holds the buckets below it, none at 0 and all at 100`() {
        let salt = "5f1c0a9be2d34477"
        let all = (1...3000).map { "install-\($0)" }
        func count(_ percent: Int64) -> Int {
            all.count { Cohort.contains(installId: $0, salt: salt, percent: percent) }
        }
        #expect(count(0) == 0)
        #expect(count(-1) == 0)
        #expect(count(98) == 3000 - 65)
        #expect(count(100) == 3000)
        #expect(count(.max) == 3000)
        #expect(!Cohort.contains(installId: "install-37", salt: salt, percent: 8))
        #expect(Cohort.contains(installId: "install-37", salt: salt, percent: 9))
    }

    private static let status = SwitchStatus(
        key: "apple-pay",
        state: .probing,
        variant: "web",
        percent: 98,
        salt: "5f1c0a9be2d34477",
        normalVariant: "native",
        since: Timestamp(milliseconds: 0),
        reason: nil,
        scopes: []
    )

    @Test func `the daemon's decision is the client's rule, for every install`() {
        for number in 1...2000 {
            let name = "install-\(number)"
            let isWithin = Cohort.contains(installId: name, salt: "5f1c0a9be2d34477", percent: 98)
            #expect(Self.status.decision(for: ["installId": name]).variant == (isWithin ? "web" : "native"))
        }
    }

    @Test func `who names no install gets the degraded route until all is normal`() {
        var status = Self.status
        for percent in [98, 50, 0] as [Int64] {
            status.percent = percent
            #expect(status.decision(for: ["region": "CN"]).variant == "web")
        }
    }

    @Test func `a slice is normal for those who try it, so the next wider one decides`() {
        let slice = ScopeStatus(match: ["region": "CN"], state: .ramping, variant: "web", percent: 0, salt: "x")
        var status = Self.status
        (status.state, status.variant, status.percent, status.salt) = (.normal, "native", nil, nil)
        status.scopes = [slice]
        #expect(status.decision(for: ["region": "CN", "installId": "a"]).variant == "native")
        #expect(status.decision(for: ["region": "CN"]).variant == "web")
        (status.state, status.variant) = (.degraded, "web")
        let wider = status.decision(for: ["region": "CN", "installId": "a"])
        #expect(wider.variant == "web")
        #expect(wider.decidedBy == "environment")
    }
}
