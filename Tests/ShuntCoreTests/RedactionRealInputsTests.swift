import Foundation
import ShuntCore
import Testing

/// Real files of other parties, read where they lie beside the package; they are never copied into it.
@Suite struct RedactionRealInputsTests {
    /// Beside the package, or one level further up for a second working tree.
    static let folder: URL = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let places = ["../shared", "../../shared"].map {
            package.appending(path: $0 + "/data/real-inputs").standardizedFileURL
        }
        return places.first { FileManager.default.fileExists(atPath: $0.path) } ?? places[0]
    }()

    static var files: [URL] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.sorted().map { folder.appending(path: $0) }.filter {
            ["json", "txt", "jws"].contains($0.pathExtension)
        }
    }

    static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    /// Every scalar of a JSON text with the key it stands under, as intake sees them.
    static func scalars(_ value: Any, key: String = "") -> [(key: String, text: String)] {
        switch value {
        case let object as [String: Any]: object.flatMap { scalars($0.value, key: $0.key) }
        case let array as [Any]: array.flatMap { scalars($0, key: key) }
        case let text as String: [(key, text)]
        case let number as NSNumber: [(key, number.stringValue)]
        default: []
        }
    }

    @Test(.enabled(if: isPresent, "no real inputs beside the package: ../shared/data/real-inputs"))
    func `no id or number of the real files is taken for a card number`() throws {
        #expect(Self.files.count > 90)
        var seen = 0
        for file in Self.files {
            guard let object = try? JSONSerialization.jsonObject(with: Data(contentsOf: file)) else { continue }
            for (key, text) in Self.scalars(object) {
                seen += 1
                for field in RedactedField.allCases {
                    let found = Redactor.examine(text, as: field).found
                    #expect(
                        !found.contains(.cardNumber) && !found.contains(.track),
                        "\(file.lastPathComponent): \(key)"
                    )
                }
            }
        }
        #expect(seen > 1_500)
    }

    @Test(.enabled(if: isPresent, "no real inputs beside the package: ../shared/data/real-inputs"))
    func `as one text too, the real files keep their numbers and lose their e-mail addresses`() throws {
        for file in Self.files {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let redaction = Redactor.examine(text)
            #expect(!redaction.found.contains(.cardNumber), "\(file.lastPathComponent)")
            for address in [
                "john@apple.com", "john@doe.com", "philipp-hofmann@example.com", "someone@example.com",
                "test@adyen.com",
            ] {
                #expect(!redaction.text.contains(address), "\(file.lastPathComponent)")
            }
            for id in [
                "8514775559925128", "8835574120337117", "494619000001174", "1544712660300000000", "3193747-1568289",
            ]
            where text.contains(id) {
                #expect(redaction.text.contains(id), "\(file.lastPathComponent): \(id)")
            }
        }
    }

    @Test(.enabled(if: isPresent, "no real inputs beside the package: ../shared/data/real-inputs"))
    func `a signed notification is known by its shape`() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "appstore/testNotification.jws"), encoding: .utf8)
        #expect(Redactor.redact(text.trimmingCharacters(in: .whitespacesAndNewlines)) == "[redacted token]")
    }
}
