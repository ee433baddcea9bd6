import Foundation
import ShuntCore
import ShuntSchema
import Testing

@testable import ShuntServer

/// What `docs/notifications.md` shows is true.
@Suite struct NotificationPageTests {
    private static let page = URL(filePath: RuleFilesFixture.shipped).deletingLastPathComponent()
        .appending(path: "docs/notifications.md")

    private func page() throws -> String { try String(contentsOf: Self.page, encoding: .utf8) }

    private func blocks() throws -> [String] {
        try page().components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test func `the rules on the page are read`() throws {
        let rules = try blocks().filter { $0.hasPrefix("rules:") }
        #expect(rules.count == 1)
        for block in rules {
            let fixture = try RuleFilesFixture(["alerts/page.yaml": block])
            #expect(fixture.problems().map(\.description) == [])
        }
    }

    @Test func `the configurations on the page are read, and have every kind`() throws {
        let configurations = try blocks().filter { !$0.hasPrefix("rules:") }
        #expect(configurations.count == 3)
        var kinds: Set<ChannelKind> = []
        for block in configurations {
            let configuration = try ConfigurationFile.read(Array(block.utf8), file: "/etc/shunt/shunt.yaml")
            kinds.formUnion(configuration.channels.map(\.kind))
        }
        #expect(kinds == Set(ChannelKind.allCases))
    }

    @Test func `the messages on the page are those that are sent`() throws {
        let text = try page()
        let english = NoticeSample.text(NoticeSample.firing()).plain
        #expect(text.contains("```\n\(english)\n```"))
        let chinese = NoticeSample.text(NoticeSample.firing(), .chinese)
        #expect(text.contains("```\n\(chinese.title)\n\(chinese.impact)\n```"))
    }

    @Test func `the page names every placeholder and key`() throws {
        let text = try page()
        for field in NoticeTemplate.fields { #expect(text.contains("{\(field)}"), "\(field)") }
        for kind in ChannelKind.allCases {
            for key in ChannelsForm.keys(of: kind) {
                #expect(text.contains("`\(key)`") || text.contains("\(key): "), "\(key)")
            }
        }
    }

    @Test func `links are filled in with what is known, and left out where something isn't`() throws {
        let yaml = """
            links:
              alert: "https://s/#/alerts/{alert}"
              runbook: "https://w/{rule}?c={code}&s={switch}"
              trace: "https://t/{traceId}"
            """
        let links = try ConfigurationFile.read(Array(yaml.utf8), file: "shunt.yaml").links
        var alert = try #require(NoticeSample.firing().alert)
        alert.group = [ScopeAttribute(name: "error.code", value: "a b/&?支")]
        let all = links.links(of: alert, environment: "production", switchKey: "apple-pay")
        #expect(all.map(\.name) == ["alert", "runbook"])
        #expect(all.last?.url == "https://w/error-code-burst?c=a%20b%2F%26%3F%E6%94%AF&s=apple-pay")
        #expect(links.links(of: alert, environment: "production", switchKey: nil).map(\.name) == ["alert"])
    }
}
