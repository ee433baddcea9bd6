import Foundation
import ShuntCore
import ShuntSchema

/// Reads the files of `rules/catalogue/` for the tests of Core, which knows no YAML: block mappings and lists by
/// indentation, whose values are flow mappings, flow lists or scalars on one line.
enum CatalogueFiles {
    /// A YAML value of that kind.
    indirect enum Node: Equatable {
        case scalar(String)
        case list([Node])
        case mapping([(key: String, value: Node)])

        static func == (left: Node, right: Node) -> Bool { String(describing: left) == String(describing: right) }

        subscript(key: String) -> Node? {
            guard case .mapping(let pairs) = self else { return nil }
            return pairs.first { $0.key == key }?.value
        }

        var text: String? {
            guard case .scalar(let text) = self else { return nil }
            return text
        }

        var items: [Node] {
            guard case .list(let items) = self else { return [] }
            return items
        }

        var pairs: [(key: String, value: Node)] {
            guard case .mapping(let pairs) = self else { return [] }
            return pairs
        }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "rules/catalogue")

    /// The shipped catalogue, read once.
    static let shipped = Result { try catalogue() }

    /// The shipped catalogue; with the founding article's store as the merchant's, if asked for.
    static func catalogue(withExample: Bool = false) throws -> Catalogue {
        var systems: [CatalogueSystem] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".yaml") {
            guard withExample || !name.contains(".example") else { continue }
            systems += try Self.systems(read(name))
        }
        return Catalogue(systems, stages: try stages(), signatures: try signatures())
    }

    static func read(_ name: String) throws -> Node {
        var reader = BlockReader(try String(contentsOf: folder.appending(path: name), encoding: .utf8))
        return reader.block(indentation: 0)
    }

    // MARK: Meaning

    private struct Unreadable: Error {
        var what: String
    }

    private static func word<Word: RawRepresentable<String>>(_ node: Node?, _ what: String) throws -> Word {
        guard let text = node?.text, let word = Word(rawValue: text) else {
            throw Unreadable(what: "\(what): \(node as Any)")
        }
        return word
    }

    private static func texts(_ node: Node?) -> [String] { node?.items.compactMap(\.text) ?? [] }

    private static func entry(_ node: Node, name: String) throws -> CatalogueEntry {
        CatalogueEntry(
            name: name,
            failureClass: try word(node["class"], "class"),
            retry: try word(node["retry"], "retry"),
            switchWeight: try word(node["switchWeight"], "switchWeight"),
            money: try word(node["money"], "money"),
            note: node["note"]?.text ?? ""
        )
    }

    static func systems(_ file: Node) throws -> [CatalogueSystem] {
        let owner: CatalogueSystem.Owner = file["owner"] == nil ? .shipped : try word(file["owner"], "owner")
        return try (file["catalogue"]?.items ?? []).map { system in
            CatalogueSystem(
                name: system["system"]?.text ?? "",
                domains: texts(system["domains"]),
                subcodes: system["subcodes"]?.text,
                splitAt: system["splitAt"]?.text?.first,
                owner: owner,
                rows: try (system["codes"]?.pairs ?? []).map { code, row in
                    CatalogueSystem.Row(code: code, entry: try entry(row, name: row["name"]?.text ?? ""))
                }
            )
        }
    }

    static func stages() throws -> StageTable {
        let file = try read("stages.yaml")
        var rules: [Stage: StageRule] = [:]
        for (name, rule) in file["stages"]?.pairs ?? [] {
            let transport = rule["transport"]
            rules[try word(.scalar(name), "stage")] = StageRule(
                transport: transport?.text == "inDoubt"
                    ? .inDoubt : .classes(try transport?.items.map { try word($0, "class") } ?? []),
                cancel: try word(rule["cancel"], "cancel"),
                money: try word(rule["money"], "money"),
                proofHolds: rule["proof"]?.text != "fails",
                unknownCodeIsInDoubt: rule["unknownCode"]?.text == "inDoubt",
                quickCancelMs: rule["quickCancelMs"]?.text.flatMap { Int64($0) }
            )
        }
        let transport = file["transportCodes"]
        return StageTable(
            rules: rules,
            hangsOnStage: try (file["hangsOnStage"]?.items ?? []).map { item in
                StageDependence(
                    system: item["system"]?.text ?? "",
                    kind: try word(item["kind"], "kind"),
                    codes: texts(item["codes"]),
                    harmlessAt: try item["harmlessAt"]?.items.map { try word($0, "stage") }
                )
            },
            nothingSent: (file["nothingSent"]?.items ?? []).map { item in
                StageTable.Codes(system: item["system"]?.text ?? "", codes: texts(item["codes"]))
            },
            transportCodes: Set(texts(transport?["codes"])),
            transportEntry: CatalogueEntry(
                name: "time-out or lost connection",
                failureClass: try word(transport?["class"], "class"),
                retry: try word(transport?["retry"], "retry"),
                switchWeight: try word(transport?["switchWeight"], "switchWeight"),
                money: .stage
            ),
            unknownCodeWeight: try word(file["unknownCodes"]?["switchWeight"], "unknownCodes")
        )
    }

    static func signatures() throws -> [Signature] {
        try (try read("signatures.yaml")["signatures"]?.items ?? []).map { item in
            let verdict: Signature.Verdict
            switch item["by"]?.text {
            case "cancel": verdict = .cancel
            case "code": verdict = .code
            default: verdict = .entry(try entry(item, name: item["id"]?.text ?? ""))
            }
            return Signature(
                id: item["id"]?.text ?? "",
                all: texts(item["all"]),
                domains: texts(item["domains"]),
                verdict: verdict,
                environment: item["environment"] == nil ? nil : try word(item["environment"], "environment"),
                say: item["say"]?.text ?? ""
            )
        }
    }
}

/// Block structure by indentation.
private struct BlockReader {
    private var lines: [(indentation: Int, text: Substring)] = []
    private var position = 0

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let content = line.drop { $0 == " " }
            guard let first = content.first, first != "#" else { continue }
            lines.append((line.count - content.count, content))
        }
    }

    mutating func block(indentation: Int) -> CatalogueFiles.Node {
        var items: [CatalogueFiles.Node] = []
        var pairs: [(key: String, value: CatalogueFiles.Node)] = []
        while position < lines.count, lines[position].indentation == indentation {
            if lines[position].text.hasPrefix("- ") {
                let rest = lines[position].text.dropFirst(2)
                if rest.first == "{" {
                    position += 1
                    items.append(FlowReader.read(rest))
                } else {
                    lines[position] = (indentation + 2, rest)
                    items.append(block(indentation: indentation + 2))
                }
                continue
            }
            var line = FlowReader(lines[position].text)
            position += 1
            let key = line.scalar(until: ":")
            line.skip(":")
            if !line.isAtEnd {
                pairs.append((key, line.value()))
            } else if position < lines.count, lines[position].indentation > indentation {
                pairs.append((key, block(indentation: lines[position].indentation)))
            }
        }
        return items.isEmpty ? .mapping(pairs) : .list(items)
    }
}

/// Flow mappings, flow lists and scalars on one line.
private struct FlowReader {
    private var rest: Substring

    init(_ text: Substring) { rest = text }

    static func read(_ text: Substring) -> CatalogueFiles.Node {
        var reader = FlowReader(text)
        return reader.value()
    }

    var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

    mutating func skip(_ mark: Character) {
        rest = rest.drop { $0 == " " }
        if rest.first == mark { rest.removeFirst() }
        rest = rest.drop { $0 == " " }
    }

    mutating func value(in flow: Bool = false) -> CatalogueFiles.Node {
        rest = rest.drop { $0 == " " }
        if rest.first == "{" {
            var pairs: [(key: String, value: CatalogueFiles.Node)] = []
            skip("{")
            while let first = rest.first, first != "}" {
                let key = scalar(until: ":")
                skip(":")
                pairs.append((key, value(in: true)))
                skip(",")
            }
            skip("}")
            return .mapping(pairs)
        }
        if rest.first == "[" {
            var items: [CatalogueFiles.Node] = []
            skip("[")
            while let first = rest.first, first != "]" {
                items.append(value(in: true))
                skip(",")
            }
            skip("]")
            return .list(items)
        }
        return .scalar(scalar(until: flow ? ",}]" : ""))
    }

    mutating func scalar(until ends: String) -> String {
        if rest.first == "\"" {
            var text = ""
            rest.removeFirst()
            while let character = rest.popFirst(), character != "\"" {
                text.append(character == "\\" ? rest.popFirst() ?? character : character)
            }
            return text
        }
        let text = rest.prefix { !ends.contains($0) }
        rest = rest.dropFirst(text.count)
        return text.trimmingCharacters(in: .whitespaces)
    }
}
