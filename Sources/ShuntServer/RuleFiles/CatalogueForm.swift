internal import ShuntCore
internal import ShuntNative
internal import ShuntSchema

/// The form of a file of codes in `catalogue/`: systems with their rows.
enum CatalogueForm {
    private static let systemKeys = ["system", "domains", "subcodes", "splitAt", "source", "codes"]
    private static let rowKeys = ["name", "class", "retry", "switchWeight", "money", "note"]

    /// Reads the systems of a file.
    static func read(_ root: YAMLNode, _ reader: inout FileReader, _ places: inout CataloguePlaces) -> [CatalogueSystem]
    {
        guard let file = reader.fields(root, of: "the file", keys: ["owner", "catalogue"]) else { return [] }
        let owner: CatalogueSystem.Owner = reader.optional("owner", of: file, .word) ?? .shipped
        let nodes = reader.required("catalogue", of: file, .nodes()) ?? []
        return nodes.compactMap { system($0, owner, &reader, &places) }
    }

    private static func system(
        _ node: YAMLNode,
        _ owner: CatalogueSystem.Owner,
        _ reader: inout FileReader,
        _ places: inout CataloguePlaces
    ) -> CatalogueSystem? {
        guard let fields = reader.fields(node, of: "a system", keys: systemKeys) else { return nil }
        let name = reader.required("system", of: fields, .filledText)
        let domains = reader.required("domains", of: fields, .list(of: .filledText, notEmpty: .neverMatches))
        let subcodes = reader.optional("subcodes", of: fields, .filledText)
        let splitAt = reader.optional("splitAt", of: fields, .character)
        _ = reader.optional("source", of: fields, .text)
        let rows = reader.required("codes", of: fields, .rows)
        guard let name, let domains, let rows else { return nil }
        places.add(system: name, owner, at: fields.valuePosition("system"), &reader)
        if let subcodes {
            let problem = Catalogue.Problem.unknownSubcodeSystem(system: name, subcodes: subcodes)
            places[problem] = (reader.file, fields.valuePosition("subcodes"))
        }
        return CatalogueSystem(
            name: name,
            domains: domains,
            subcodes: subcodes,
            splitAt: splitAt,
            owner: owner,
            rows: rows
        )
    }

    // MARK: Rows

    /// A code with its row.
    static func row(_ entry: YAMLEntry, _ reader: inout FileReader) -> CatalogueSystem.Row? {
        if entry.isPlain, entry.key.looksLikeNumber {
            reader.noteUnquoted("the number \(entry.key)", entry.key, at: entry.keyPosition)
        }
        if isEmptyRange(entry.key) {
            let found = "a range that ends before it begins, \(entry.key)"
            reader.note(.neverMatches, at: entry.keyPosition, found: found, expected: "the lower number first")
        }
        guard let fields = reader.fields(entry.value, of: "the row of \"\(entry.key)\"", keys: rowKeys) else {
            return nil
        }
        let name = reader.required("name", of: fields, .filledText)
        return meaning(fields, named: name ?? "", &reader).map { CatalogueSystem.Row(code: entry.key, entry: $0) }
    }

    /// The four words that say what an error means, and the note; shared with signatures.
    static func meaning(_ fields: FileFields, named name: String, _ reader: inout FileReader) -> CatalogueEntry? {
        let failureClass: FailureClass? = reader.required("class", of: fields, .word)
        let retry: RetryAdvice? = reader.required("retry", of: fields, .word)
        let weight: SwitchWeight? = reader.required("switchWeight", of: fields, .word)
        let money: MoneyState? = reader.required("money", of: fields, .word)
        let note = reader.optional("note", of: fields, .text)
        guard let failureClass, let retry, let weight, let money else { return nil }
        if weight != .none, failureClass.neverCounts {
            reader.note(
                .contradiction,
                at: fields.valuePosition("switchWeight"),
                found: "switchWeight \(weight.rawValue) of class \(failureClass.rawValue)",
                expected: "none: what a payer, an issuer or a risk check decides never moves other payers"
            )
        }
        return CatalogueEntry(
            name: name,
            failureClass: failureClass,
            retry: retry,
            switchWeight: weight,
            money: money,
            note: note ?? ""
        )
    }

    /// `1005-1000`: two numbers, of which the first isn't the lower.
    private static func isEmptyRange(_ code: String) -> Bool {
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }),
            let low = Int64(parts[0]), let high = Int64(parts[1])
        else { return false }
        return low >= high
    }
}

extension FailureClass {
    /// Whether failures of the class never count towards a trip, whatever the code.
    var neverCounts: Bool {
        switch self {
        case .user, .issuer, .risk, .notFailure: true
        case .merchantConfig, .clientApp, .network, .processor, .inDoubt, .unknown: false
        }
    }
}

extension FileValue where Value == [CatalogueSystem.Row] {
    /// A system's codes, each with its row.
    static var rows: Self {
        let expected = "a mapping from quoted codes to rows"
        return Self(expected) { node, reader in
            guard let entries = node.entries else {
                reader.note(.wrongType, at: node.position, found: node.words, expected: expected)
                return nil
            }
            if entries.isEmpty {
                reader.note(.neverMatches, at: node.position, found: "a system without codes", expected: expected)
            }
            return entries.compactMap { CatalogueForm.row($0, &reader) }
        }
    }
}

extension FileValue where Value == Character {
    /// A text of one character.
    static var character: Self {
        Self("one character") { node, reader in
            guard let text = FileValue<String>.text.read(node, &reader) else { return nil }
            guard let character = text.first, text.count == 1 else {
                reader.note(.outOfRange, at: node.position, found: node.words, expected: "one character")
                return nil
            }
            return character
        }
    }
}

/// Where the files say what a catalogue may complain about once it sees all of them.
struct CataloguePlaces {
    private var places: [Catalogue.Problem: (file: String, position: YAMLPosition)] = [:]
    private var names: [CatalogueSystem.Owner: FileNames] = [:]

    /// The place of what would be that problem.
    subscript(problem: Catalogue.Problem) -> (file: String, position: YAMLPosition)? {
        get { places[problem] }
        set { places[problem] = newValue }
    }

    /// Notes a system's name, which must be unique among its owner's.
    mutating func add(
        system: String,
        _ owner: CatalogueSystem.Owner,
        at position: YAMLPosition,
        _ reader: inout FileReader
    ) {
        names[owner, default: FileNames(of: "system")].add(system, at: position, &reader)
    }
}
